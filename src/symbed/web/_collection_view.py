"""What the page shows of a collection: its map, equals, clusters, neighbors, one formula.

As everywhere on the page, nothing is decided in silence: whose formulas they were taken for, and
why, is part of the answer, and so is every line that could not be read, with its place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbed import Atlas, Formulas, duplicates, nearest, pairwise, survey
from symbed._types import Floats, Integers
from symbed.distances.clustering import cluster_sampled
from symbed.distances.layout import Layout, lay_out, lay_out_behaviors
from symbed.errors import DataError
from symbed.formula_files.formulas import Unreadable
from symbed.language.dialects.translator import CONSTANTS, title_of
from symbed.plots.fronts import front_of
from symbed.web._collection import Collection, OpenCollections, ShownFormulas, read_collection
from symbed.web._comparison_view import (
    FALLBACK,
    MAX_DRAWS,
    MAX_FORMULA,
    MAX_POINTS,
    check_steps,
)
from symbed.web._formula_names import LANGUAGES, Names, Range, Reading, explain, problems_in
from symbed.web._json_fields import Fields, encode
from symbed.web._open_files import OpenTables, key_or_text
from symbed.workbench import errors_on

METRICS = ("relative", "wasserstein", "arcsinh")
MAX_CLUSTERS = 24
MAX_SEARCHED = 200_000  # formulas of which every distance is told; of more only the nearest
MAX_SCALED = 400  # formulas whose map is made of all their distances
MAX_KEPT = 1 << 24  # outputs of a collection that are kept; of more they are computed again
MAX_STEPS = 1 << 33  # points x draws x nodes of a collection: some seconds of work
MAX_SKIPPED = 100  # lines that could not be read and are shown


@dataclass(frozen=True)
class MapRequest:
    """What the page asks of a collection."""

    key: str
    text: str | None
    name: str
    roles: dict[str, str]
    ranges: dict[str, Range]
    fallback: Range
    n_points: int
    n_draws: int
    seed: int
    metric: str
    dialect: str
    constants: str

    @classmethod
    def of(cls, fields: Fields) -> MapRequest:
        """The request in a JSON document."""
        key, text = key_or_text(fields)
        return cls(
            key=key,
            text=text,
            name=fields.text("name", 256, ""),
            roles=fields.words("roles", ("variable", "parameter")),
            ranges=fields.pairs("ranges"),
            fallback=fields.pair("fallback", FALLBACK),
            n_points=fields.whole("points", 64, 1, MAX_POINTS),
            n_draws=fields.whole("draws", 32, 1, MAX_DRAWS),
            seed=fields.whole("seed", 0, 0, 2**31 - 1),
            metric=fields.choice("metric", METRICS),
            dialect=fields.choice("dialect", LANGUAGES),
            constants=fields.choice("constants", CONSTANTS),
        )


def chart(request: MapRequest, collections: OpenCollections) -> dict[str, Any]:
    """The map of a collection: where each formula lies, and what the file tells about it."""
    shown: dict[str, Any] = {"problem": None, "names": []}
    with problems_in(shown):
        if request.text is None:
            collection = collections.get(request.key).refreshed()
        else:
            collection = read_collection(request.text, request.name or "pasted text")
        # Kept before it is read: if that fails, the page has a key to ask again with.
        key = collections.put(collection, request.key)
        shown |= {"key": key, "name": collection.name, "language": None}
        collection = collection.read(request.dialect, request.constants)
        collections.put(collection, key)
        if collection.formulas is not None:
            shown["language"] = _language(_some(collection.formulas))
        shown["names"], shown["problem"], atlas = _observed(collection, request)
        if atlas is not None:
            observed = replace(collection, atlas=atlas)
            collections.put(observed, key)
            shown |= _charted(ShownFormulas.of(observed), request)
    return shown


def _some(formulas: Formulas) -> Formulas:
    """The formulas of a file, of which some could be read."""
    if not formulas:
        first = formulas.skipped[0]
        raise DataError(
            f"no formula could be read as {title_of(formulas.dialect)} writes them; "
            f"line {first.line}: {explain(first.error)['message']}"
        )
    return formulas


def _language(formulas: Formulas) -> dict[str, Any]:
    """What the page says about whose formulas they are."""
    return {
        "name": formulas.dialect,
        "title": title_of(formulas.dialect),
        "reason": formulas.reason,
        "notes": list(formulas.remarks),
    }


def _observed(
    collection: Collection, request: MapRequest
) -> tuple[list[dict[str, Any]], dict[str, str] | None, Atlas | None]:
    """The names with their ranges, then the range that cannot be, or the atlas."""
    file = collection.formulas
    if file is None:
        assert collection.atlas is not None
        return _probe_names(collection.atlas), None, collection.atlas
    names = Names.of(file.expressions, request.roles, request.ranges, request.fallback)
    if problem := names.problem():
        return names.document(), problem, None
    check_steps(file.expressions[:1], request.n_points, request.n_draws)
    check_steps(file.expressions, request.n_points, request.n_draws, MAX_STEPS)
    probe = names.probe(request.n_points, request.n_draws, request.seed)
    fits = len(file) * request.n_points * request.n_draws <= MAX_KEPT
    atlas = survey(
        file.labels, probe, errors="skip", keep="behaviors" if fits else "programs", progress=False
    )
    if not len(atlas):
        first = atlas.skipped[0]
        raise DataError(f"no formula could be observed: {first.error.splitlines()[0]}")
    return names.document(), None, atlas


def _probe_names(atlas: Atlas) -> list[dict[str, Any]]:
    """The ranges of an atlas, for the page to show; they cannot be changed."""
    if atlas.probe is None:
        return []
    laws = {name: repr(law) for name, law in atlas.probe.domain.items()}
    rows = [{"name": name, "role": "variable", "law": law} for name, law in laws.items()]
    for number, law in enumerate(atlas.probe.laws):
        rows.append({"name": f"parameters {number + 1}", "role": "parameter", "law": repr(law)})
    return rows


def _charted(formulas: ShownFormulas, request: MapRequest) -> dict[str, Any]:
    atlas, losses, lines = formulas.atlas, formulas.losses, formulas.lines
    layout = _lay_out(formulas, request.metric)
    skipped = _not_shown(formulas.file, atlas)
    return {
        "texts": formulas.texts,
        "x": encode(layout.places[:, 0].astype(np.float32)),
        "y": encode(layout.places[:, 1].astype(np.float32)),
        "loss": None if losses is None else encode(losses),
        "line": None if lines is None else encode(lines.astype(np.int32)),
        "n_formulas": len(atlas),
        "n_distinct": atlas.n_distinct,
        "stress": layout.stress,
        "layout": layout.method,
        "skipped": skipped[:MAX_SKIPPED],
        "n_skipped": len(skipped),
        "n_points": len(atlas.points),
        "n_draws": atlas.n_draws,
    }


def _lay_out(formulas: ShownFormulas, metric: str) -> Layout:
    """Places for the shown formulas, by their distances if there are not too many."""
    atlas = formulas.atlas
    if len(atlas) <= MAX_SCALED:
        matrix = pairwise(atlas, metric=metric, progress=False)
        if not np.isfinite(matrix.values).all():
            raise DataError(
                "some formulas are undefined where others are not, so their distance is infinite; "
                "take the metric relative"
            )
        return lay_out(np.asarray(matrix.values))
    # All distances of so many formulas are out of reach: by principal components of the behaviors.
    layout = lay_out_behaviors(atlas)
    return replace(layout, places=layout.places[formulas.rows])


def _not_shown(file: Formulas | None, atlas: Atlas) -> list[dict[str, Any]]:
    """The lines that could not be read or observed, each with its number in the file."""
    if file is None:
        return [vars(line) | {"position": None} for line in atlas.skipped]
    # The survey numbers the formulas that could be read; the reader wants lines of the file.
    unseen = [
        vars(line) | {"line": file.lines[line.line - 1], "position": None} for line in atlas.skipped
    ]
    return sorted([*map(_unread, file.skipped), *unseen], key=lambda line: line["line"])


def _unread(one: Unreadable) -> dict[str, Any]:
    told = explain(one.error)
    return {
        "line": one.line, "text": one.label, "error": told["message"], "position": told["position"],
    }  # fmt: skip


def equals(fields: Fields, collections: OpenCollections, tables: OpenTables) -> dict[str, Any]:
    """Groups of formulas that behave the same, and the front of loss against complexity.

    A group stands for its member with the lowest loss, and of these the simplest. With data, the
    loss is the error on them.
    """
    within = fields.number("within") if fields.has("within") else None
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        losses, (sizes, measured) = _losses(fields, formulas, tables), formulas.complexities
        ranks = _preference(len(formulas.atlas), formulas.rows, losses, sizes)
        groups = duplicates(formulas.atlas, within, metric=metric, prefer=ranks, progress=False)
        kept = np.isin(formulas.rows, groups.representatives)
        shown |= {
            "groups": encode(groups.groups[formulas.rows].astype(np.int32)),
            "n_groups": len(groups),
            "n_duplicates": groups.n_duplicates,
            "kept": encode(kept.astype(np.uint8)),
            "distances": encode(groups.distances[formulas.rows]),
            "undefined": groups.undefined,
            "complexity": encode(sizes),
            "measured": measured,
            "loss": None if losses is None else encode(losses),
            "front": [] if losses is None else front_of(sizes, losses).tolist(),
        }
    return shown


def clusters(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The cluster of each formula; the medoids come first in each."""
    count = fields.whole("clusters", 4, 1, MAX_CLUSTERS)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        clustered = cluster_sampled(formulas.atlas, min(count, len(formulas)), metric=metric)
        labels = clustered.labels_[formulas.rows]
        # Of a large atlas a medoid may not be shown; the next formula that is stands for it.
        places = np.minimum(np.searchsorted(formulas.rows, clustered.medoids), len(formulas) - 1)
        shown |= {
            "labels": encode(labels.astype(np.uint8)),
            "medoids": places.tolist(),
            "sizes": np.bincount(labels, minlength=clustered.n_clusters).tolist(),
        }
    return shown


def neighbors(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The distances of all shown formulas to a typed one, and its nearest neighbors."""
    text = fields.text("formula", MAX_FORMULA)
    count = fields.whole("k", 8, 1, 50)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"reading": None, "problem": None, "neighbors": [], "distances": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        atlas = formulas.atlas
        if atlas.probe is None:
            raise DataError("this collection has no probe to observe a formula with")
        reading = Reading.of(text, atlas.probe.variables)
        shown["reading"] = reading.document()
        if reading.expression is None:
            return shown
        check_steps([reading.expression], len(atlas.points), atlas.n_draws)
        all_of_them = len(atlas) <= MAX_SEARCHED
        k = len(atlas) if all_of_them else min(count, len(atlas))
        near = nearest(reading.expression, atlas, k, metric=metric, progress=False)
        if all_of_them:
            distances = np.empty(len(atlas))
            distances[near.indices] = near.distances
            shown["distances"] = encode(distances[formulas.rows])
        rows = zip(near.indices.tolist(), near.distances.tolist(), near.labels, strict=True)
        places = {row: place for place, row in enumerate(formulas.rows.tolist())}
        shown["neighbors"] = [
            {"place": places.get(row), "distance": distance, "text": label}
            for _, (row, distance, label) in zip(range(count), rows, strict=False)
        ]
    return shown


def one_formula(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """All there is to say of one formula of a collection."""
    shown: dict[str, Any] = {"problem": None}
    with problems_in(shown):
        formulas = _asked(fields, collections)
        shown |= formulas.describe(fields.whole("place", 0, 0, len(formulas) - 1))
    return shown


def _asked(fields: Fields, collections: OpenCollections) -> ShownFormulas:
    return ShownFormulas.of(collections.get(fields.text("key", 64)))


def _losses(fields: Fields, formulas: ShownFormulas, tables: OpenTables) -> Floats | None:
    if not fields.has("data"):
        return formulas.losses
    data = tables.get(fields.text("data", 64)).data
    errors: Floats = errors_on(data, fields.text("target", 64), formulas.atlas)
    return errors[formulas.rows]


def _preference(n: int, rows: Integers, losses: Floats | None, sizes: Floats) -> Floats:
    """A number for each source of an atlas, the lowest preferred: by loss, then by size."""
    # What has no number is never preferred.
    by_size = np.nan_to_num(sizes, nan=np.inf)
    by_loss = np.zeros(len(rows)) if losses is None else np.nan_to_num(losses, nan=np.inf)
    # What is not shown comes last.
    ranks = np.full(n, float(len(rows)))
    ranks[rows[np.lexsort((by_size, by_loss))]] = np.arange(len(rows))
    return ranks
