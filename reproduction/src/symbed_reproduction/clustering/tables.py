"""Tables of the clustering experiment, beside the paper's, and of what its scores depend on."""

from __future__ import annotations

from symbed._types import Floats
from symbed_reproduction.clustering.measurements import METRICS, SPELLINGS
from symbed_reproduction.clustering.protocols import (
    AS_DISTANCES,
    BY_CN,
    FROM_DISTANCES,
    LINKAGES,
    PLAIN_ROWS,
    ROWS_AS_THEY_ARE,
)
from symbed_reproduction.clustering.results import (
    CN_VERSIONS,
    COSTS,
    ENOUGH,
    FAMILIES,
    NOTATIONS,
    OTHER_RANGES,
    PUBLISHED,
    ROWS,
    SAMPLINGS,
    SCORES,
    SHOWN,
    ClusteringResults,
    Size,
    best_fits,
    misfit,
    row_misfit,
    spelling_of,
    spread,
    spreads,
)
from symbed_reproduction.core.outcomes import Cell, Table

IN_TEXT = ("edit", "tree edit", "Jaro", "BED", "BED-CN")  # the rows of the table in section 4.2
IN_APPENDIX = tuple(f"{name}{version}" for name in SHOWN for version in ("", *CN_VERSIONS))


def make_tables(size: Size, results: ClusteringResults) -> tuple[Table, ...]:
    """All tables, in the order of the report."""
    return (
        _beside_the_paper(results, "table_main", "Section 4.2, beside the paper's table", IN_TEXT),
        _beside_the_paper(
            results, "table_appendix", "The appendix, beside the paper's table", IN_APPENDIX
        ),
        _all_scores(results),
        _protocols(results),
        _silhouettes(results),
        _spellings(results),
        _fair(results),
        _by_set(results),
        _draws(size, results),
        _other_seeds(results),
        _ranges(results),
        _literal_laws(results),
        _neighbors(results),
        _heights(results),
    )


def _beside_the_paper(
    results: ClusteringResults, name: str, title: str, rows: tuple[str, ...]
) -> Table:
    """Means and deviations as the paper prints them, ours and the paper's."""
    headings = [column for score in SCORES for column in (score, f"{score}, paper")]
    lines = []
    for row in rows:
        pairs = zip(spreads(results.row(row)), PUBLISHED[ROWS[row].published], strict=True)
        lines.append((row, *(cell for ours, paper in pairs for cell in (ours, spread(*paper)))))
    return Table(name, title, ("measure", *headings), lines)


def _all_scores(results: ClusteringResults) -> Table:
    rows = []
    for name, row in ROWS.items():
        for k, score in enumerate(SCORES):
            some, (paper, deviation) = results.row(name)[:, k], PUBLISHED[row.published][k]
            mean = float(some.mean())
            ends = float(some.min()), float(some.max())
            off = misfit(row.published, k, mean)
            numbers = (mean, float(some.std()), *ends, paper, deviation, mean - paper, off)
            rows.append((name, score, *numbers))
    headings = (
        "measure", "score", "mean", "deviation", "smallest", "largest", "paper",
        "paper's deviation", "difference", "in paper's deviations",
    )  # fmt: skip
    return Table("scores", "Scores in numbers, with differences", headings, rows)


def _protocols(results: ClusteringResults) -> Table:
    """Which protocol explains which published rows."""
    rows = []
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
    return Table("protocols", title, headings, rows, decimals=2)


def _silhouettes(results: ClusteringResults) -> Table:
    """The plain rows' silhouettes; the labels are the same."""
    rows = []
    for name in FAMILIES["plain"]:
        for protocol in (PLAIN_ROWS, FROM_DISTANCES):
            scores = results.scores(ROWS[name].matrix, protocol)
            mean, off = spreads(scores)[1], misfit(name, 1, float(scores[:, 1].mean()))
            rows.append((name, str(protocol.taken_in), mean, spread(*PUBLISHED[name][1]), off))
    headings = ("measure", "taken in", "silhouette", "paper", "misfit")
    title = "Silhouettes of the plain rows by where they are taken, misfits in paper's deviations"
    return Table("silhouettes", title, headings, rows, decimals=1)


def _spellings(results: ClusteringResults) -> Table:
    """The two protocols of syntactic rows with each order of tokens and each tree cost."""
    rows: list[tuple[Cell, ...]] = []
    for family, protocol in (("plain", PLAIN_ROWS), ("syntactic -CN", ROWS_AS_THEY_ARE)):
        for published in FAMILIES[family][:3]:
            names = [spelling_of(published, one, cost) for one in NOTATIONS for cost in COSTS]
            for name in dict.fromkeys(names):
                scores = results.scores(name, protocol)
                worst = row_misfit(published, scores.mean(axis=0))
                rows.append((published, name, *spreads(scores), worst))
    headings = ("published row", "spelling", *SCORES, "worst misfit")
    title = "Orders of tokens and costs of trees, misfits in paper's deviations"
    return Table("spellings", title, headings, rows, decimals=1)


def _fair(results: ClusteringResults) -> Table:
    def line(measure: str, sampling: str | None, linkage: str, scores: Floats) -> tuple[Cell, ...]:
        return measure, sampling, linkage, *spreads(scores), float(scores[:, 0].min())

    rows = [
        line(f"BED, {metric}", sampling, linkage, results.fair[:, s, m, k])
        for s, sampling in enumerate(SAMPLINGS)
        for m, metric in enumerate(METRICS)
        for k, linkage in enumerate(LINKAGES)
    ] + [
        line(name, None, linkage, results.scores(name, protocol))
        for name in SPELLINGS
        for linkage, protocol in AS_DISTANCES.items()
    ]
    headings = ("measure", "sampling", "linkage", *SCORES, "smallest ARI")
    return Table("fair", "A fair comparison: each measure's distances as they are", headings, rows)


def _by_set(results: ClusteringResults) -> Table:
    cn, plain = results.row("BED-CN").tolist(), results.row("BED").tolist()
    ours = results.fair[:, 1, 0, :, 0].tolist()
    rows = [(k, *cn[k], plain[k][0], *ours[k]) for k in range(len(cn))]
    headings = (
        "data set", *(f"BED-CN {score}" for score in SCORES), "BED ARI",
        *(f"BED ARI, default design, {linkage}" for linkage in LINKAGES),
    )  # fmt: skip
    return Table("sets", "Data set by data set", headings, rows)


def _draws(size: Size, results: ClusteringResults) -> Table:
    rows = []
    for k, count in enumerate(size.counts):
        plain, cn = results.drawn[:, k, 0], results.drawn[:, k, 1].mean(axis=0).tolist()
        rows.append((count, *spreads(plain), float(plain[:, 0].min()), *cn[:2]))
    headings = ("draws", *SCORES, "smallest ARI", "BED-CN ARI", "BED-CN silhouette")
    return Table("draws", "Plain BED as published, with more draws", headings, rows)


def _other_seeds(results: ClusteringResults) -> Table:
    """Plain BED's row again and again, with other data sets and other draws."""
    every = results.repeated.reshape(-1, *results.repeated.shape[2:])
    names = [*map(str, range(1, len(results.repeated) + 1)), "all"]
    rows: list[tuple[Cell, ...]] = []
    for name, scores in zip(names, (*results.repeated, every), strict=True):
        worst = row_misfit("BED", scores[:, 0].mean(axis=0))
        rows.append((name, *spreads(scores[:, 0]), worst, float(scores[:, 1, 0].min())))
    headings = ("row", *SCORES, "worst misfit", "smallest ARI of BED-CN")
    title = "Plain BED's row with other seeds, misfits in paper's deviations"
    return Table("seeds", title, headings, rows, decimals={"worst misfit": 1})


def _ranges(results: ClusteringResults) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, setting in OTHER_RANGES.items():
        where = [f"[{low:g}, {high:g}]" for low, high in setting]
        means = {
            kind: scores.mean(axis=0).tolist() for kind, scores in results.ranges[name].items()
        }
        rows.append((*where, "BED-CN", SAMPLINGS[0], *means["cn"]))
        rows += [
            (*where, f"BED, {metric}", sampling, *means["plain"][s][m], None)
            for s, sampling in enumerate(SAMPLINGS)
            for m, metric in enumerate(METRICS)
        ]
    headings = ("inputs", "parameters", "measure", "sampling", *BY_CN)
    title = "Other ranges: the mean adjusted Rand index by linkage"
    return Table("ranges", title, headings, rows)


def _literal_laws(results: ClusteringResults) -> Table:
    """The paper's laws as printed, beside laws that keep the behavior."""
    literal = results.literal
    changed = 100.0 * float(literal["changed"].mean()) / len(results.maps[0])
    lines = (
        ("BED as published", results.row("BED"), literal["rows"][:, 0]),
        ("BED-CN as published", results.row("BED-CN"), literal["rows"][:, 1]),
        ("BED, default design, average", results.fair[:, 1, 0, 1], literal["plain"][:, 1]),
    )
    rows: list[tuple[Cell, ...]] = [
        (name, laws, share, *spreads(scores))
        for name, kept, copied in lines
        for laws, share, scores in (
            ("parameters kept", 0.0, kept),
            ("as printed", changed, copied),
        )
    ]
    headings = ("measure", "laws", "changed behavior (%)", *SCORES)
    title = "What laws do that copy or merge parameters"
    return Table("laws", title, headings, rows, decimals=1)


def _neighbors(results: ClusteringResults) -> Table:
    names = [*(f"BED, {sampling} sampling" for sampling in SAMPLINGS), *SPELLINGS]
    shares = 100.0 * results.nearest
    rows = [
        (name, float(shares[:, k].mean()), float(shares[:, k].min()))
        for k, name in enumerate(names)
    ]
    title = "Expressions whose nearest neighbor is of their own group, in percent"
    return Table("neighbors", title, ("measure", "mean", "smallest"), rows, decimals=1)


def _heights(results: ClusteringResults) -> Table:
    """The discussion's example of scale: which merge comes first."""
    rows = []
    for s, sampling in enumerate(SAMPLINGS):
        meeting, joined = results.heights[:, s].T
        first = int((meeting < joined).sum())
        rows.append((sampling, float(meeting.mean()), float(joined.mean()), first))
    headings = (
        "sampling", "C and sqrt(C*X_0) meet at", "C*X_0^2 + C*X_1^2 is joined at",
        "data sets in which they meet first",
    )  # fmt: skip
    return Table("heights", "Distances at which groups merge, single linkage", headings, rows)
