"""What the page shows of a collection at first: its map.

As everywhere on the page, nothing is decided in silence: whose formulas they were taken for, and
why, is part of the answer, and so is every line that could not be read, with its place in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbed import Atlas, Formulas, pairwise, survey
from symbed.distances.layout import Layout, lay_out, lay_out_behaviors
from symbed.errors import DataError
from symbed.formula_files.formulas import Unreadable
from symbed.language.dialects.reader import CONSTANTS, title_of
from symbed.web._collection import Collection, OpenCollections, ShownFormulas, read_collection
from symbed.web._comparison_view import FALLBACK, MAX_DRAWS, MAX_POINTS, check_steps
from symbed.web._formula_names import LANGUAGES, Names, Range, explain, problems_in
from symbed.web._group_view import METRICS
from symbed.web._json_fields import Fields, encode
from symbed.web._open_files import key_or_text

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
