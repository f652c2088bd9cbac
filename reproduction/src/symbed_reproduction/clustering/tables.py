"""Tables of the clustering experiment, beside the paper's, and of what its scores depend on."""

from __future__ import annotations

from symbed._types import Floats
from symbed_reproduction.clustering.data_sets import METRICS, SPELLINGS
from symbed_reproduction.clustering.protocols import (
    AS_DISTANCES,
    BY_CN,
    FROM_DISTANCES,
    LINKAGES,
    PLAIN_ROWS,
    ROWS_AS_THEY_ARE,
)
from symbed_reproduction.clustering.published import (
    COSTS,
    ENOUGH,
    FAMILIES,
    NOTATIONS,
    PUBLISHED,
    SCORES,
    best_fits,
    misfit,
    row_misfit,
    spelling_of,
    spread,
    spreads,
)
from symbed_reproduction.clustering.results import (
    CN_VERSIONS,
    OTHER_RANGES,
    ROWS,
    SAMPLINGS,
    SHOWN,
    ClusteringResults,
    Size,
)
from symbed_reproduction.core.outcomes import Cell, Table

IN_TEXT = ("edit", "tree edit", "Jaro", "BED", "BED-CN")  # the rows of the table in section 4.2
IN_APPENDIX = tuple(f"{name}{version}" for name in SHOWN for version in ("", *CN_VERSIONS))


def make_tables(size: Size, results: ClusteringResults) -> tuple[Table, ...]:
    """All tables, in the order of the report."""
    return (
        beside_the_paper(results, "table_main", "Section 4.2, beside the paper's table", IN_TEXT),
        beside_the_paper(
            results, "table_appendix", "The appendix, beside the paper's table", IN_APPENDIX
        ),
        all_scores(results),
        protocols(results),
        silhouettes(results),
        spellings(results),
        fair(results),
        by_set(results),
        draws(size, results),
        other_seeds(results),
        ranges(results),
        literal_laws(results),
        neighbors(results),
        heights(results),
    )  # fmt: skip


def beside_the_paper(
    results: ClusteringResults, name: str, title: str, rows: tuple[str, ...]
) -> Table:
    """Means and deviations as the paper prints them, ours and the paper's."""
    headings = [column for score in SCORES for column in (score, f"{score}, paper")]
    lines = []
    for row in rows:
        scores, printed = results.row(row), PUBLISHED[ROWS[row].published]
        pairs = zip(spreads(scores), printed, strict=True)
        lines.append((row, *(cell for ours, paper in pairs for cell in (ours, spread(*paper)))))
    return Table(name, title, ("measure", *headings), tuple(lines))


def all_scores(results: ClusteringResults) -> Table:
    """Every score of every row in numbers."""
    rows: list[tuple[Cell, ...]] = []
    for name, row in ROWS.items():
        scores = results.row(name)
        for k, score in enumerate(SCORES):
            some, (paper, deviation) = scores[:, k], PUBLISHED[row.published][k]
            mean = float(some.mean())
            ends = float(some.min()), float(some.max())
            off = misfit(row.published, k, mean)
            numbers = (mean, float(some.std()), *ends, paper, deviation, mean - paper, off)
            rows.append((name, score, *numbers))
    headings = (
        "measure", "score", "mean", "deviation", "smallest", "largest", "paper",
        "paper's deviation", "difference", "in paper's deviations",
    )  # fmt: skip
    return Table("scores", "Scores in numbers, with differences", headings, tuple(rows))


def protocols(results: ClusteringResults) -> Table:
    """Which protocol explains which published rows."""
    rows: list[tuple[Cell, ...]] = []
    for family, use, source, fit in best_fits(results):
        by_measure = dict(zip(FAMILIES[family], fit.misfits, strict=True))
        each = [by_measure.get(name, by_measure.get(f"{name}-CN")) for name in IN_TEXT[:4]]
        space, linkage = fit.protocol.labeling
        spelled = (None, None) if family == "BED-CN" else (fit.notation, fit.costs)
        fits = "yes" if fit.worst <= ENOUGH else "no"
        rows.append((family, use, source, space.numbers, linkage, *spelled, *each, fit.worst, fits))
    headings = (
        "published rows", "clustered as", "silhouette from", "numbers", "linkage", "tokens",
        "tree costs", *(f"{name} off" for name in IN_TEXT[:4]), "worst", "fits",
    )  # fmt: skip
    title = "The best protocol of each kind for the published rows, misfits in paper's deviations"
    return Table("protocols", title, headings, tuple(rows), decimals=2)


def silhouettes(results: ClusteringResults) -> Table:
    """The plain rows' silhouettes by where they are taken; the labels are the same."""
    rows: list[tuple[Cell, ...]] = []
    for name in FAMILIES["plain"]:
        for protocol in (PLAIN_ROWS, FROM_DISTANCES):
            scores = results.scores(ROWS[name].matrix, protocol)
            mean, off = spreads(scores)[1], misfit(name, 1, float(scores[:, 1].mean()))
            rows.append((name, str(protocol.taken_in), mean, spread(*PUBLISHED[name][1]), off))
    headings = ("measure", "taken in", "silhouette", "paper", "misfit")
    title = "Silhouettes of the plain rows by where they are taken, misfits in paper's deviations"
    return Table("silhouettes", title, headings, tuple(rows), decimals=1)


def spellings(results: ClusteringResults) -> Table:
    """The two protocols of syntactic rows with each order of tokens and each tree cost."""
    rows: list[tuple[Cell, ...]] = []
    for family, protocol in (("plain", PLAIN_ROWS), ("syntactic -CN", ROWS_AS_THEY_ARE)):
        for published in FAMILIES[family][:3]:
            names = [spelling_of(published, one, cost) for one in NOTATIONS for cost in COSTS]
            for name in dict.fromkeys(names):
                scores = results.scores(name, protocol)
                rows.append(
                    (published, name, *spreads(scores), row_misfit(published, scores.mean(axis=0)))
                )
    headings = ("published row", "spelling", *SCORES, "worst misfit")
    title = "Orders of tokens and costs of trees, misfits in paper's deviations"
    return Table("spellings", title, headings, tuple(rows), decimals=1)


def fair(results: ClusteringResults) -> Table:
    """All measures as distances, by three linkages."""
    rows: list[tuple[Cell, ...]] = []
    for s, sampling in enumerate(SAMPLINGS):
        for m, metric in enumerate(METRICS):
            for k, linkage in enumerate(LINKAGES):
                scores = results.fair[:, s, m, k]
                rows.append((f"BED, {metric}", sampling, linkage, *_fair_cells(scores)))
    for name in SPELLINGS:
        for linkage, protocol in AS_DISTANCES.items():
            rows.append((name, None, linkage, *_fair_cells(results.scores(name, protocol))))
    headings = ("measure", "sampling", "linkage", *SCORES, "smallest ARI")
    title = "A fair comparison: each measure's distances as they are"
    return Table("fair", title, headings, tuple(rows))


def by_set(results: ClusteringResults) -> Table:
    """Each data set on its own."""
    rows: list[tuple[Cell, ...]] = []
    cn, plain = results.row("BED-CN"), results.row("BED")
    for k in range(len(cn)):
        ours = [float(ari) for ari in results.fair[k, 1, 0, :, 0]]
        rows.append((k, *map(float, cn[k]), float(plain[k, 0]), *ours))
    headings = (
        "data set", *(f"BED-CN {score}" for score in SCORES), "BED ARI",
        *(f"BED ARI, default design, {linkage}" for linkage in LINKAGES),
    )  # fmt: skip
    return Table("sets", "Data set by data set", headings, tuple(rows))


def _fair_cells(scores: Floats) -> tuple[Cell, ...]:
    return (*spreads(scores), float(scores[:, 0].min()))


def draws(size: Size, results: ClusteringResults) -> Table:
    """The published protocol with more draws."""
    rows: list[tuple[Cell, ...]] = []
    for k, count in enumerate(size.counts):
        plain, cn = results.drawn[:, k, 0], results.drawn[:, k, 1]
        rows.append(
            (count, *spreads(plain), float(plain[:, 0].min()), *map(float, cn.mean(axis=0)[:2]))
        )
    headings = ("draws", *SCORES, "smallest ARI", "BED-CN ARI", "BED-CN silhouette")
    return Table("draws", "Plain BED as published, with more draws", headings, tuple(rows))


def other_seeds(results: ClusteringResults) -> Table:
    """Plain BED's row again and again, with other data sets and other draws."""
    every = results.repeated.reshape(-1, *results.repeated.shape[2:])
    rows: list[tuple[Cell, ...]] = []
    names = [*map(str, range(1, len(results.repeated) + 1)), "all"]
    for name, scores in zip(names, (*results.repeated, every), strict=True):
        worst = row_misfit("BED", scores[:, 0].mean(axis=0))
        rows.append((name, *spreads(scores[:, 0]), worst, float(scores[:, 1, 0].min())))
    headings = ("row", *SCORES, "worst misfit", "smallest ARI of BED-CN")
    title = "Plain BED's row with other seeds, misfits in paper's deviations"
    return Table("seeds", title, headings, tuple(rows), decimals={"worst misfit": 1})


def ranges(results: ClusteringResults) -> Table:
    """Other ranges of inputs and parameters."""
    rows: list[tuple[Cell, ...]] = []
    for name, setting in OTHER_RANGES.items():
        where = (_interval(setting.domain), _interval(setting.parameters))
        scores = results.ranges[name]
        rows.append((*where, "BED-CN", SAMPLINGS[0], *map(float, scores["cn"].mean(axis=0))))
        for s, sampling in enumerate(SAMPLINGS):
            for m, metric in enumerate(METRICS):
                means = map(float, scores["plain"][:, s, m].mean(axis=0))
                rows.append((*where, f"BED, {metric}", sampling, *means, None))
    headings = ("inputs", "parameters", "measure", "sampling", *BY_CN)
    title = "Other ranges: the mean adjusted Rand index by linkage"
    return Table("ranges", title, headings, tuple(rows))


def literal_laws(results: ClusteringResults) -> Table:
    """The paper's laws as printed, beside laws that keep the behavior."""
    literal = results.literal
    n_all = len(results.maps[0])
    changed = 100.0 * float(literal["changed"].mean()) / n_all
    lines = (
        ("BED as published", results.row("BED"), literal["rows"][:, 0]),
        ("BED-CN as published", results.row("BED-CN"), literal["rows"][:, 1]),
        ("BED, default design, average", results.fair[:, 1, 0, 1], literal["plain"][:, 1]),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, kept, copied in lines:
        rows.append((name, "parameters kept", 0.0, *spreads(kept)))
        rows.append((name, "as printed", changed, *spreads(copied)))
    headings = ("measure", "laws", "changed behavior (%)", *SCORES)
    title = "What laws do that copy or merge parameters"
    return Table("laws", title, headings, tuple(rows), decimals=1)


def neighbors(results: ClusteringResults) -> Table:
    """Whose nearest neighbor is of the same group."""
    names = [*(f"BED, {sampling} sampling" for sampling in SAMPLINGS), *SPELLINGS]
    shares = 100.0 * results.nearest
    rows = tuple(
        (name, float(shares[:, k].mean()), float(shares[:, k].min()))
        for k, name in enumerate(names)
    )
    title = "Expressions whose nearest neighbor is of their own group, in percent"
    return Table("neighbors", title, ("measure", "mean", "smallest"), rows, decimals=1)


def heights(results: ClusteringResults) -> Table:
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
