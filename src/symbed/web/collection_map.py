"""Charting: a collection of formulas goes in; its map, groups and neighbors come out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from symbed.behavior.atlas import Atlas, label_of
from symbed.behavior.survey.surveying import survey
from symbed.distances.clusters.clustering import cluster
from symbed.distances.duplicates.duplicate_groups import duplicates
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.distances.search.neighbors import nearest
from symbed.errors import DataError, SymbedError
from symbed.language.dialects.translator import CONSTANTS
from symbed.language.expression import Expression
from symbed.plots.mds_map import lay_out
from symbed.web.collection import MAX_FILE, Collection, Shelf, read_text
from symbed.web.comparison_answer import FALLBACK, LONGEST, MAX_DRAWS, MAX_POINTS, check_steps
from symbed.web.fields import BadRequest, Fields
from symbed.web.name_ranges import Names, Range, Reading, explain
from symbed.web.translation import CHOICES, Translated, tell_rows, tell_skipped, translate

MAX_SHOWN = 400  # formulas on the map
MAX_SEARCHED = 200_000  # formulas among which duplicates are looked for
METRICS = ("relative", "wasserstein", "arcsinh")


@dataclass(frozen=True)
class Request:
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
    def of(cls, fields: Fields) -> Request:
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
            dialect=fields.choice("dialect", CHOICES),
            constants=fields.choice("constants", CONSTANTS),
        )


def chart(request: Request, shelf: Shelf) -> dict[str, Any]:
    """The map of a collection: where each formula lies, its cluster, and what it duplicates."""
    shown: dict[str, Any] = {"problem": None, "names": [], "formulas": []}
    try:
        if request.text is None:
            collection = shelf.get(request.key)
        else:
            collection = read_text(request.text, request.name or "pasted text")
        key = shelf.put(collection, request.key)
        shown |= {"key": key, "name": collection.name}
        file = _translated(collection, request)
        shown["language"] = file.document() if file else None
        names, atlas = _observed(collection, file, request)
        shown["names"] = names
        if isinstance(atlas, dict):
            return shown | {"problem": atlas}
        shelf.put(replace(collection, atlas=atlas), key)
        return shown | _charted(file, atlas, request)
    except SymbedError as error:
        return shown | {"problem": {"field": "", "message": explain(error)["message"]}}


def neighbors(fields: Fields, shelf: Shelf) -> dict[str, Any]:
    """The formulas of an opened collection that are nearest to a typed one."""
    text = fields.text("formula", LONGEST)
    count = fields.whole("k", 8, 1, 50)
    metric = fields.choice("metric", METRICS)
    shown: dict[str, Any] = {"reading": None, "problem": None, "neighbors": []}
    try:
        atlas = shelf.get(fields.text("key", 64)).atlas
        if atlas is None or atlas.probe is None:
            raise DataError("this collection has no probe to observe a formula with")
        reading = Reading.of(text, atlas.probe.variables)
        shown["reading"] = reading.document()
        if reading.expression is not None:
            check_steps([reading.expression], len(atlas.points), atlas.n_draws)
            found = nearest(reading.expression, atlas, min(count, len(atlas)), metric=metric)
            rows = zip(found.indices.tolist(), found.distances.tolist(), found.labels, strict=True)
            shown["neighbors"] = [{"index": i, "distance": d, "text": t} for i, d, t in rows]
    except SymbedError as error:
        shown["problem"] = {"field": "", "message": explain(error)["message"]}
    return shown


def _translated(collection: Collection, request: Request) -> Translated | None:
    """How the formulas of a file were read; nothing for an atlas, whose formulas are our own."""
    if not collection.listed:
        return None
    return translate(
        collection.listed, request.dialect, request.constants, is_from_pysr=collection.is_from_pysr
    )


def _observed(
    collection: Collection, file: Translated | None, request: Request
) -> tuple[list[dict[str, Any]], Atlas | dict[str, str]]:
    """The names with their ranges, and the atlas; or the range that cannot be."""
    if file is None:
        assert collection.atlas is not None
        return _probe_names(collection.atlas), collection.atlas
    expressions = [line.expression for line in file.read if line.expression is not None]
    names = Names.of(expressions, request.roles, request.ranges, request.fallback)
    if problem := names.problem():
        return names.document(), problem
    _check_work(expressions, request)
    probe = names.probe(request.n_points, request.n_draws, request.seed)
    atlas = survey([line.text for line in file.read], probe, errors="skip")
    if not len(atlas):
        first = atlas.skipped[0]
        raise DataError(f"no formula could be observed: {first.error.splitlines()[0]}")
    return names.document(), atlas


def _check_work(expressions: list[Expression], request: Request) -> None:
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


def _charted(file: Translated | None, atlas: Atlas, request: Request) -> dict[str, Any]:
    shown = _shown_rows(atlas)
    rows = [atlas[row] for row in shown]
    matrix = pairwise(rows, metric=request.metric)
    clusters = cluster(matrix, min(request.n_clusters, len(rows)), method="medoids")
    layout = lay_out(matrix.values)
    extras = tell_rows(file, atlas)
    skipped = tell_skipped(file, atlas)
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


def _duplicates(atlas: Atlas, request: Request) -> list[dict[str, Any]] | None:
    if len(atlas) > MAX_SEARCHED:
        return None
    found = duplicates(atlas, request.within, metric=request.metric)
    return [
        {
            "members": group.members.tolist()[:MAX_SHOWN],
            "labels": list(group.labels)[:MAX_SHOWN],
            "distances": group.distances.tolist()[:MAX_SHOWN],
            "undefined": group.is_undefined,
        }
        for _, group in zip(range(MAX_SHOWN), found.repeated, strict=False)
    ]
