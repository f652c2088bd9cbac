"""What the page shows of a collection: its map, its clusters and duplicates, neighbors.

As everywhere on the page, nothing is decided in silence: whose formulas they were taken for, and
why, is part of the answer, and so is every line that could not be read, with its place in the file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from symbed.behavior.atlas import Atlas, label_of
from symbed.behavior.survey.surveying import survey
from symbed.distances.clusters.clustering import cluster
from symbed.distances.duplicates.duplicate_groups import duplicates
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.distances.search.neighbors import nearest
from symbed.errors import DataError, SymbedError
from symbed.formula_files import Formulas
from symbed.language.dialects.translator import CONSTANTS, title_of
from symbed.language.expression import Expression
from symbed.language.unreadable import Unreadable
from symbed.plots.mds_map import lay_out
from symbed.web.collection import MAX_FILE, Collection, OpenCollections, read_text
from symbed.web.comparison_view import FALLBACK, LONGEST, MAX_DRAWS, MAX_POINTS, check_steps
from symbed.web.formula_names import LANGUAGES, Names, Range, Reading, explain
from symbed.web.json_fields import BadRequest, Fields

MAX_SHOWN = 400  # formulas on the map
MAX_SEARCHED = 200_000  # formulas among which duplicates are looked for
METRICS = ("relative", "wasserstein", "arcsinh")


@dataclass(frozen=True)
class MapRequest:
    """What the page asks of a collection."""

    key: str
    name: str
    text: str | None
    roles: dict[str, str]
    ranges: dict[str, Range]
    fallback: Range
    n_points: int
    n_draws: int
    seed: int
    metric: str
    n_clusters: int
    within: float | None
    dialect: str
    constants: str

    @classmethod
    def of(cls, fields: Fields) -> MapRequest:
        """The request in a JSON document."""
        if fields.has("key") == fields.has("text"):
            raise BadRequest("give the text of a file, or the key of an open collection")
        return cls(
            key=fields.text("key", 64, "") if fields.has("key") else "",
            name=fields.text("name", 256, ""),
            text=fields.text("text", MAX_FILE) if fields.has("text") else None,
            roles=fields.words("roles", ("variable", "parameter")),
            ranges=fields.pairs("ranges"),
            fallback=fields.pair("fallback", FALLBACK),
            n_points=fields.whole("points", 64, 1, MAX_POINTS),
            n_draws=fields.whole("draws", 32, 1, MAX_DRAWS),
            seed=fields.whole("seed", 0, 0, 2**31 - 1),
            metric=fields.choice("metric", METRICS),
            n_clusters=fields.whole("clusters", 4, 1, 24),
            within=fields.number("within") if fields.has("within") else None,
            dialect=fields.choice("dialect", LANGUAGES),
            constants=fields.choice("constants", CONSTANTS),
        )


def chart(request: MapRequest, collections: OpenCollections) -> dict[str, Any]:
    """The map of a collection: where each formula lies, its cluster, and what it duplicates."""
    shown: dict[str, Any] = {"problem": None, "names": [], "formulas": []}
    try:
        if request.text is None:
            collection = collections.get(request.key)
        else:
            collection = read_text(request.text, request.name or "pasted text")
        key = collections.put(collection, request.key)
        shown |= {"key": key, "name": collection.name}
        file = _read(collection, request)
        shown["language"] = _language(file) if file else None
        names, atlas = _observed(collection, file, request)
        shown["names"] = names
        if isinstance(atlas, dict):
            return shown | {"problem": atlas}
        collections.put(replace(collection, atlas=atlas), key)
        return shown | _charted(file, atlas, request)
    except SymbedError as error:
        return shown | {"problem": {"field": "", "message": explain(error)["message"]}}


def neighbors(fields: Fields, collections: OpenCollections) -> dict[str, Any]:
    """The formulas of an opened collection that are nearest to a typed one."""
    text = fields.text("formula", LONGEST)
    count = fields.whole("k", 8, 1, 50)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"reading": None, "problem": None, "neighbors": []}
    try:
        atlas = collections.get(fields.text("key", 64)).atlas
        if atlas is None or atlas.probe is None:
            raise DataError("this collection has no probe to observe a formula with")
        reading = Reading.of(text, atlas.probe.variables)
        shown["reading"] = reading.document()
        if reading.expression is not None:
            check_steps([reading.expression], len(atlas.points), atlas.n_draws)
            near = nearest(reading.expression, atlas, min(count, len(atlas)), metric=metric)
            rows = zip(near.indices.tolist(), near.distances.tolist(), near.labels, strict=True)
            shown["neighbors"] = [{"index": i, "distance": d, "text": t} for i, d, t in rows]
    except SymbedError as error:
        shown["problem"] = {"field": "", "message": explain(error)["message"]}
    return shown


def _read(collection: Collection, request: MapRequest) -> Formulas | None:
    """The formulas of a file; nothing for an atlas, whose formulas are our own."""
    if collection.listing is None:
        return None
    formulas = collection.listing.read(
        request.dialect, request.constants, errors="skip", numbered_as_written=True
    )
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
    collection: Collection, file: Formulas | None, request: MapRequest
) -> tuple[list[dict[str, Any]], Atlas | dict[str, str]]:
    """The names with their ranges, and the atlas; or the range that cannot be."""
    if file is None:
        assert collection.atlas is not None
        return _probe_names(collection.atlas), collection.atlas
    expressions = list(file)
    names = Names.of(expressions, request.roles, request.ranges, request.fallback)
    if problem := names.problem():
        return names.document(), problem
    _check_work(expressions, request)
    probe = names.probe(request.n_points, request.n_draws, request.seed)
    atlas = survey(file.labels, probe, errors="skip")
    if not len(atlas):
        first = atlas.skipped[0]
        raise DataError(f"no formula could be observed: {first.error.splitlines()[0]}")
    return names.document(), atlas


def _check_work(expressions: list[Expression], request: MapRequest) -> None:
    check_steps(expressions[:1], request.n_points, request.n_draws)
    check_steps(expressions, request.n_points, max(1, request.n_draws // 16))


def _probe_names(atlas: Atlas) -> list[dict[str, Any]]:
    """The ranges of an atlas, for the page to show; they cannot be changed."""
    if atlas.probe is None:
        return []
    laws = {name: repr(law) for name, law in atlas.probe.domain.items()}
    rows = [{"name": name, "role": "variable", "law": law} for name, law in laws.items()]
    for number, law in enumerate(atlas.probe.laws):
        rows.append({"name": f"parameters {number + 1}", "role": "parameter", "law": repr(law)})
    return rows


def _charted(file: Formulas | None, atlas: Atlas, request: MapRequest) -> dict[str, Any]:
    shown = _shown_rows(atlas)
    rows = [atlas[row] for row in shown]
    matrix = pairwise(rows, metric=request.metric)
    clusters = cluster(matrix, min(request.n_clusters, len(rows)), method="medoids")
    layout = lay_out(matrix.values)
    extras = _file_rows(file, atlas)
    skipped = _not_shown(file, atlas)
    formulas = [
        {"index": row, "text": label_of(atlas.sources[row]), "x": x, "y": y, "cluster": number}
        | extras.get(row, {})
        for row, (x, y), number in zip(
            shown, layout.places.tolist(), clusters.labels_.tolist(), strict=True
        )
    ]
    return {
        "formulas": formulas,
        "n_formulas": len(atlas),
        "n_distinct": atlas.n_distinct,
        "stress": layout.stress,
        "medoids": [shown[number] for number in clusters.medoids.tolist()],
        "duplicates": _duplicates(atlas, request),
        "skipped": skipped[:100],
        "n_skipped": len(skipped),
        "n_points": len(atlas.points),
        "n_draws": atlas.n_draws,
    }


def _shown_rows(atlas: Atlas) -> list[int]:
    """All the formulas of a small atlas, evenly chosen ones of a large atlas."""
    n = len(atlas)
    return list(range(n)) if n <= MAX_SHOWN else [k * n // MAX_SHOWN for k in range(MAX_SHOWN)]


def _duplicates(atlas: Atlas, request: MapRequest) -> list[dict[str, Any]] | None:
    if len(atlas) > MAX_SEARCHED:
        return None
    groups = duplicates(atlas, request.within, metric=request.metric)
    return [
        {
            "members": group.members.tolist()[:MAX_SHOWN],
            "labels": list(group.labels)[:MAX_SHOWN],
            "distances": group.distances.tolist()[:MAX_SHOWN],
            "undefined": group.is_undefined,
        }
        for _, group in zip(range(MAX_SHOWN), groups.repeated, strict=False)
    ]


def _file_rows(file: Formulas | None, atlas: Atlas) -> dict[int, dict[str, Any]]:
    """What the file tells about each formula: its line and figures, and how it was written."""
    if file is None:
        return {}
    unseen = {line.line for line in atlas.skipped}  # numbered as they were given to the survey
    kept = [row for row in range(len(file)) if row + 1 not in unseen]
    return {
        place: {
            "line": file.lines[row],
            "complexity": _figure(file, "complexity", row),
            "loss": _figure(file, "loss", row),
            "written": file.written[row] if file.written[row] != file.labels[row] else None,
        }
        for place, row in enumerate(kept)
    }


def _figure(file: Formulas, name: str, row: int) -> float | None:
    cell = file.columns[name][row] if name in file.columns else None
    return cell if isinstance(cell, float) and math.isfinite(cell) else None


def _not_shown(file: Formulas | None, atlas: Atlas) -> list[dict[str, Any]]:
    """The lines that could not be read or observed, each with its number in the file."""
    if file is None:
        return [vars(line) | {"position": None} for line in atlas.skipped]
    unseen = [
        vars(line) | {"line": file.lines[line.line - 1], "position": None} for line in atlas.skipped
    ]
    return sorted([*map(_unread, file.skipped), *unseen], key=lambda line: line["line"])


def _unread(one: Unreadable) -> dict[str, Any]:
    told = explain(one.error)
    return {
        "line": one.line, "text": one.label, "error": told["message"], "position": told["position"],
    }  # fmt: skip
