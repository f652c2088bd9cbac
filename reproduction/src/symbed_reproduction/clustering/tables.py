"""Tables of the clustering experiment: results go in, tables beside the paper's come out."""

from __future__ import annotations

from symbed._types import Floats
from symbed_reproduction.clustering.checks import (
    draws,
    heights,
    literal_laws,
    neighbors,
    other_seeds,
    ranges,
)
from symbed_reproduction.clustering.protocol_fits import (
    COSTS,
    ENOUGH,
    FAMILIES,
    NOTATIONS,
    best_fits,
    row_misfit,
    spelling_of,
)
from symbed_reproduction.clustering.protocols import (
    AS_DISTANCES,
    FROM_DISTANCES,
    LINKAGES,
    PLAIN_ROWS,
    ROWS_AS_THEY_ARE,
)
from symbed_reproduction.clustering.published import PUBLISHED, SCORES, misfit
from symbed_reproduction.clustering.results import (
    CN_VERSIONS,
    ROWS,
    SAMPLINGS,
    SHOWN,
    Results,
    Size,
)
from symbed_reproduction.clustering.score_cells import spread, spreads
from symbed_reproduction.clustering.sets import METRICS, SPELLINGS
from symbed_reproduction.core.tables import Cell, Table

IN_TEXT = ("edit", "tree edit", "Jaro", "BED", "BED-CN")  # the rows of the table in section 4.2
IN_APPENDIX = tuple(f"{name}{version}" for name in SHOWN for version in ("", *CN_VERSIONS))


def make_tables(size: Size, results: Results) -> tuple[Table, ...]:
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


def beside_the_paper(results: Results, name: str, title: str, rows: tuple[str, ...]) -> Table:
    """Means and deviations as the paper prints them, ours and the paper's."""
    headings = [column for score in SCORES for column in (score, f"{score}, paper")]
    lines = []
    for row in rows:
        found, printed = results.row(row), PUBLISHED[ROWS[row].published]
        pairs = zip(spreads(found), printed, strict=True)
        lines.append((row, *(cell for ours, paper in pairs for cell in (ours, spread(*paper)))))
    return Table(name, title, ("measure", *headings), tuple(lines))


def all_scores(results: Results) -> Table:
    """Every score of every row in numbers."""
    rows: list[tuple[Cell, ...]] = []
    for name, row in ROWS.items():
        found = results.row(name)
        for k, score in enumerate(SCORES):
            some, (paper, deviation) = found[:, k], PUBLISHED[row.published][k]
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


def protocols(results: Results) -> Table:
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


def silhouettes(results: Results) -> Table:
    """The plain rows' silhouettes by where they are taken; the labels are the same."""
    rows: list[tuple[Cell, ...]] = []
    for name in FAMILIES["plain"]:
        for protocol in (PLAIN_ROWS, FROM_DISTANCES):
            found = results.scores(ROWS[name].matrix, protocol)
            mean, off = spreads(found)[1], misfit(name, 1, float(found[:, 1].mean()))
            rows.append((name, str(protocol.taken_in), mean, spread(*PUBLISHED[name][1]), off))
    headings = ("measure", "taken in", "silhouette", "paper", "misfit")
    title = "Silhouettes of the plain rows by where they are taken, misfits in paper's deviations"
    return Table("silhouettes", title, headings, tuple(rows), decimals=1)


def spellings(results: Results) -> Table:
    """The two protocols of syntactic rows with each order of tokens and each tree cost."""
    rows: list[tuple[Cell, ...]] = []
    for family, protocol in (("plain", PLAIN_ROWS), ("syntactic -CN", ROWS_AS_THEY_ARE)):
        for published in FAMILIES[family][:3]:
            names = [spelling_of(published, one, cost) for one in NOTATIONS for cost in COSTS]
            for name in dict.fromkeys(names):
                found = results.scores(name, protocol)
                rows.append(
                    (published, name, *spreads(found), row_misfit(published, found.mean(axis=0)))
                )
    headings = ("published row", "spelling", *SCORES, "worst misfit")
    title = "Orders of tokens and costs of trees, misfits in paper's deviations"
    return Table("spellings", title, headings, tuple(rows), decimals=1)


def fair(results: Results) -> Table:
    """All measures as distances, by three linkages."""
    rows: list[tuple[Cell, ...]] = []
    for s, sampling in enumerate(SAMPLINGS):
        for m, metric in enumerate(METRICS):
            for k, linkage in enumerate(LINKAGES):
                found = results.fair[:, s, m, k]
                rows.append((f"BED, {metric}", sampling, linkage, *_fair_cells(found)))
    for name in SPELLINGS:
        for linkage, protocol in AS_DISTANCES.items():
            rows.append((name, None, linkage, *_fair_cells(results.scores(name, protocol))))
    headings = ("measure", "sampling", "linkage", *SCORES, "smallest ARI")
    title = "A fair comparison: each measure's distances as they are"
    return Table("fair", title, headings, tuple(rows))


def by_set(results: Results) -> Table:
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


def _fair_cells(found: Floats) -> tuple[Cell, ...]:
    return (*spreads(found), float(found[:, 0].min()))
