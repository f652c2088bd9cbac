"""The paper's claims on clustering: one row each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from symbed._types import Floats
from symbed_reproduction.clustering.measurements import SPELLINGS
from symbed_reproduction.clustering.protocols import AS_DISTANCES, BY_CN, FROM_DISTANCES
from symbed_reproduction.clustering.results import (
    CN_VERSIONS,
    ENOUGH,
    FAMILIES,
    PUBLISHED,
    ROWS,
    SCORES,
    SIZES,
    ClusteringResults,
    row_misfit,
    spreads,
)
from symbed_reproduction.core.experiments import Scale
from symbed_reproduction.core.outcomes import Claim, ClaimRow, Finding, judge_claims, missed

CLOSE = 0.01  # to a printed silhouette of BED-CN
NEAR_ZERO = 0.05  # an adjusted Rand index that is hardly better than chance
PERFECT = 1.0 - 1e-9
# Shares of nearest neighbors from their own group, in percent, that look tight and scattered.
TIGHT, SCATTERED = 99.0, 80.0
SMALL = "small scale: fewer and smaller data sets than the paper's"


Row = ClaimRow[ClusteringResults]


def make_claims(scale: Scale, results: ClusteringResults) -> tuple[Claim, ...]:
    """All claims of section 4.2, its appendix and the discussion on clustering."""
    claims = judge_claims(claim_rows(SIZES[scale].counts), results)
    if scale == "paper":
        return claims
    # The printed numbers of these rows are those of the paper's scale.
    return tuple(
        replace(claim, verdict="not checked", why=SMALL) if claim.text in AT_ITS_SCALE else claim
        for claim in claims
    )


def _perfect(results: ClusteringResults) -> Finding:
    smallest = results.row("BED-CN")[:, [0, 2, 3]].min()
    by_linkage = [results.scores("BED", protocol)[:, 0].min() for protocol in BY_CN.values()]
    anyhow = "whichever linkage is used, Ward's included" if min(by_linkage) >= PERFECT else ""
    return Finding(f"smallest of all data sets {smallest:.3f}", missed(smallest >= PERFECT), anyhow)


def _silhouette(results: ClusteringResults) -> Finding:
    scores = results.row("BED-CN")
    return Finding(
        spreads(scores)[1],
        abs(float(scores[:, 1].mean()) - PUBLISHED["BED-CN"][1][0]),
        "taken between rows of log10(1 + d) that were scaled to unit length; scaled columns, which "
        "the name says, would give another number (see protocols)",
    )


def _plain_row(name: str, results: ClusteringResults) -> Finding:
    scores = results.row(name)
    worst = row_misfit(ROWS[name].published, scores.mean(axis=0))
    other = results.scores(ROWS[name].matrix, FROM_DISTANCES)[:, 1].mean()
    # Where the silhouette is taken was chosen by these very numbers, which a reader must know.
    why = (
        f"the farthest score is off by {worst:.1f} of the paper's deviations; the paper does not "
        "say where its silhouette is taken, and rows of log10(1 + d) were chosen because they fit: "
        f"from the distances it is {other:.3f}"
    )
    if name == "BED":
        near = sum(row_misfit(name, one[:, 0].mean(axis=0)) <= ENOUGH for one in results.repeated)
        why += f"; on other data sets, which had no part in that, {near} of {len(results.repeated)}"
        why += f" such rows are within {ENOUGH:g} deviations"
    return Finding(_in_words(scores), worst, why)


def _row_labeled_cn(published: str, results: ClusteringResults) -> Finding:
    """Does a syntactic row with the label CN come from the procedure of BED-CN?"""
    measure = published.removesuffix("-CN")
    names = [f"{measure}{version}" for version in CN_VERSIONS]
    off, rows, columns = (row_misfit(published, results.row(one).mean(axis=0)) for one in names)
    why = (
        f"off by {off:.1f} of the paper's deviations; with the rows of the matrix as they are "
        f"{_in_words(results.row(names[1]))}, off by {rows:.1f}; with its columns scaled, off by "
        f"{columns:.1f}"
    )
    other = min(rows, columns) <= ENOUGH
    why_not = ": the printed row is not from the procedure of BED-CN" if other else ""
    return Finding(_in_words(results.row(published)), off, why, why_not)


def _effect_of_cn(results: ClusteringResults) -> Finding:
    names = FAMILIES["plain"][:3]
    change = max(_ari(results, f"{name}-CN") - _ari(results, name) for name in names)
    gains = [
        float((results.scores(m, BY_CN[one]) - results.scores(m, AS_DISTANCES[one]))[:, 0].mean())
        for m in (ROWS[name].matrix for name in names)
        for one in AS_DISTANCES
    ]
    return Finding(
        f"ARI rises by at most {change:.3f} with single linkage",
        change,
        f"with other linkages the scaled rows change ARI by {min(gains):+.2f} to {max(gains):+.2f}",
    )


def _syntactic_scores(results: ClusteringResults) -> Finding:
    highest = max(_ari(results, name) for name in FAMILIES["plain"][:3])
    by_linkage = {
        (name, linkage): float(results.scores(name, protocol)[:, 0].mean())
        for name in SPELLINGS
        for linkage, protocol in AS_DISTANCES.items()
    }
    (name, linkage), best = max(by_linkage.items(), key=lambda item: item[1])
    bed = float(results.fair[:, 1, 0, :, 0].min())
    return Finding(
        f"ARI at most {highest:.3f}",
        highest,
        f"single linkage makes it look worse than it is: {name} reaches {best:.3f} with {linkage} "
        f"linkage, where BED reaches {bed:.3f} with our default design",
    )


def _cause(counts: tuple[int, ...], results: ClusteringResults) -> Finding:
    few, most = results.drawn[:, 0, 0, 0].mean(), results.drawn[:, -1, 0, 0].mean()
    aligned, relative = results.fair[:, 1, 0, :, 0].min(), results.fair[:, 0, 1, :, 0].mean()
    cured = bool(aligned > (few + 1.0) / 2)  # more than half way to a perfect score
    return Finding(
        f"ARI {few:.3f} with {counts[0]} draws of each expression's own, {most:.3f} with "
        f"{counts[-1]}, at least {aligned:.3f} with {counts[0]} aligned ones",
        missed(not cured),
        why_not="without noise the score is high and the scale is the same, so scale alone is not "
        "the cause: draws of their own put equal expressions apart, the more the larger their "
        "outputs; with a metric that is free of scale (relative) and the same noise ARI is "
        f"{relative:.3f}",
    )


def _merge_order(results: ClusteringResults) -> Finding:
    meeting, joined = results.heights[:, 0].T
    first, n, ours = int((meeting < joined).sum()), len(meeting), results.heights[:, 1, 1].max()
    return Finding(
        f"in {first} of {n} data sets, at {meeting.mean():.2f} and {joined.mean():.2f}",
        n - first,
        f"with our default design the latter has joined at {ours:.1e}, so not there",
    )


def _nearest_neighbors(results: ClusteringResults) -> Finding:
    bed, others = 100 * results.nearest[:, 0], 100 * results.nearest[:, 2:].mean(axis=0)
    return Finding(
        f"the nearest neighbor is of the same group for {bed.mean():.1f} % by BED and "
        f"{others.min():.1f} to {others.max():.1f} % by spelling",
        missed(bed.min() > TIGHT and others.max() < SCATTERED),
    )


def _ari(results: ClusteringResults, name: str) -> float:
    return float(results.row(name)[:, 0].mean())


def _printed(name: str) -> str:
    return ", ".join(f"{mean:.3f}" for mean, _ in PUBLISHED[name])


def _in_words(scores: Floats) -> str:
    return ", ".join(f"{mean:.3f}" for mean in scores.mean(axis=0))


SILHOUETTE = Row(
    "The silhouette of BED-CN (4.2)",
    "0.939 (± 0.001)", _silhouette, "tables/scores.csv", tolerance=CLOSE,
)  # fmt: skip
PLAIN = [
    Row(
        f"The row of {name}: {', '.join(SCORES)} (4.2)", _printed(name), partial(_plain_row, name),
        "tables/scores.csv, tables/silhouettes.csv" + ", tables/seeds.csv" * (name == "BED"),
        tolerance=ENOUGH,
    )
    for name in ("BED", *FAMILIES["plain"][:3])
]  # fmt: skip
LABELED_CN = [
    Row(
        f"The row {name}: {', '.join(SCORES)} (appendix)", _printed(name),
        partial(_row_labeled_cn, name), "tables/scores.csv", tolerance=ENOUGH,
    )
    for name in FAMILIES["syntactic -CN"]
]  # fmt: skip
AT_ITS_SCALE = {row.text for row in (SILHOUETTE, *PLAIN, *LABELED_CN)}


def claim_rows(counts: tuple[int, ...]) -> tuple[Row, ...]:
    """The claims in the order of the paper; ``counts`` are the numbers of draws that were tried."""
    return (
        Row(
            "BED-CN finds every group: ARI, V-measure and Fowlkes-Mallows 1 (4.2)",
            "1.000 (± 0.000) each", _perfect, "tables/sets.csv",
        ),
        SILHOUETTE,
        *PLAIN,
        *LABELED_CN,
        Row(
            "Column-normalizing syntactic distances has little effect (4.2, appendix)",
            "ARI at most 0.009", _effect_of_cn, "tables/scores.csv", tolerance=NEAR_ZERO,
        ),
        Row(
            "Syntactic measures score near zero (4.2)",
            "ARI 0.002 to 0.004", _syntactic_scores, "tables/fair.csv", tolerance=NEAR_ZERO,
        ),
        Row(
            "Plain BED scores low because it depends on scale (4.2, discussion)",
            "ARI 0.203, for reasons of scale", partial(_cause, counts),
            "tables/draws.csv, tables/fair.csv",
        ),
        Row(
            "C and sqrt(C*X_0) merge before C*X_0^2 + C*X_1^2 has joined (discussion)",
            "yes", _merge_order, "tables/heights.csv",
        ),
        Row(
            "BED's map has tight, separate groups, the syntactic ones are scattered (figures)",
            "seen in the pictures", _nearest_neighbors, "tables/neighbors.csv",
        ),
    )  # fmt: skip
