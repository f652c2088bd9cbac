"""Further tables of the clustering experiment: what the paper's scores depend on."""

from __future__ import annotations

from symbed_reproduction.clustering.protocol_fits import row_misfit
from symbed_reproduction.clustering.protocols import BY_CN
from symbed_reproduction.clustering.published import SCORES
from symbed_reproduction.clustering.results import OTHER_RANGES, SAMPLINGS, Results, Size
from symbed_reproduction.clustering.score_cells import spreads
from symbed_reproduction.clustering.sets import METRICS, SPELLINGS
from symbed_reproduction.core.tables import Cell, Table


def draws(size: Size, results: Results) -> Table:
    """The published protocol with more draws."""
    rows: list[tuple[Cell, ...]] = []
    for k, count in enumerate(size.counts):
        plain, cn = results.drawn[:, k, 0], results.drawn[:, k, 1]
        rows.append(
            (count, *spreads(plain), float(plain[:, 0].min()), *map(float, cn.mean(axis=0)[:2]))
        )
    headings = ("draws", *SCORES, "smallest ARI", "BED-CN ARI", "BED-CN silhouette")
    return Table("draws", "Plain BED as published, with more draws", headings, tuple(rows))


def other_seeds(results: Results) -> Table:
    """Plain BED's row again and again, with other data sets and other draws."""
    every = results.repeated.reshape(-1, *results.repeated.shape[2:])
    rows: list[tuple[Cell, ...]] = []
    names = [*map(str, range(1, len(results.repeated) + 1)), "all"]
    for name, found in zip(names, (*results.repeated, every), strict=True):
        worst = row_misfit("BED", found[:, 0].mean(axis=0))
        rows.append((name, *spreads(found[:, 0]), worst, float(found[:, 1, 0].min())))
    headings = ("row", *SCORES, "worst misfit", "smallest ARI of BED-CN")
    title = "Plain BED's row with other seeds, misfits in paper's deviations"
    return Table("seeds", title, headings, tuple(rows), decimals={"worst misfit": 1})


def ranges(results: Results) -> Table:
    """Other ranges of inputs and parameters."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in OTHER_RANGES.items():
        where = (_interval(setting.domain), _interval(setting.parameters))
        found = results.ranges[name]
        rows.append((*where, "BED-CN", SAMPLINGS[0], *map(float, found["cn"].mean(axis=0))))
        for s, sampling in enumerate(SAMPLINGS):
            for m, metric in enumerate(METRICS):
                means = map(float, found["plain"][:, s, m].mean(axis=0))
                rows.append((*where, f"BED, {metric}", sampling, *means, None))
    headings = ("inputs", "parameters", "measure", "sampling", *BY_CN)
    title = "Other ranges: the mean adjusted Rand index by linkage"
    return Table("ranges", title, headings, tuple(rows))


def literal_laws(results: Results) -> Table:
    """The paper's laws as printed, beside laws that keep the behavior."""
    found = results.literal
    n_all = len(results.maps[0])
    changed = 100.0 * float(found["changed"].mean()) / n_all
    lines = (
        ("BED as published", results.row("BED"), found["rows"][:, 0]),
        ("BED-CN as published", results.row("BED-CN"), found["rows"][:, 1]),
        ("BED, default design, average", results.fair[:, 1, 0, 1], found["plain"][:, 1]),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, kept, copied in lines:
        rows.append((name, "parameters kept", 0.0, *spreads(kept)))
        rows.append((name, "as printed", changed, *spreads(copied)))
    headings = ("measure", "laws", "changed behavior (%)", *SCORES)
    title = "What laws do that copy or merge parameters"
    return Table("laws", title, headings, tuple(rows), decimals=1)


def neighbors(results: Results) -> Table:
    """Whose nearest neighbor is of the same group."""
    names = [*(f"BED, {sampling} sampling" for sampling in SAMPLINGS), *SPELLINGS]
    shares = 100.0 * results.nearest
    rows = tuple(
        (name, float(shares[:, k].mean()), float(shares[:, k].min()))
        for k, name in enumerate(names)
    )
    title = "Expressions whose nearest neighbor is of their own group, in percent"
    return Table("neighbors", title, ("measure", "mean", "smallest"), rows, decimals=1)


def heights(results: Results) -> Table:
    """The discussion's example of scale: which merge comes first."""
    rows: list[tuple[Cell, ...]] = []
    for s, sampling in enumerate(SAMPLINGS):
        meeting, joined = results.heights[:, s].T
        means = float(meeting.mean()), float(joined.mean())
        rows.append((sampling, *means, int((meeting < joined).sum())))
    headings = (
        "sampling", "C and sqrt(C*X_0) meet at", "C*X_0^2 + C*X_1^2 is joined at",
        "data sets in which they meet first",
    )  # fmt: skip
    return Table(
        "heights", "Distances at which groups merge, single linkage", headings, tuple(rows)
    )


def _interval(ends: tuple[float, float]) -> str:
    return f"[{ends[0]:g}, {ends[1]:g}]"
