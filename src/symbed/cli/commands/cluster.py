"""``symbed cluster FILE``: clusters of the expressions in a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from symbed.cli.inputs import read_atlas
from symbed.cli.options import (
    add_language_options,
    add_measure_options,
    add_plot_options,
    add_probe_options,
    measure_settings,
)
from symbed.cli.output import draw, print_document, shown_progress, tell
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed import Atlas, Clusters

FEWEST, MOST, PER_CLUSTER = 2, 16, 25  # clusters, if their number is left open
MOST_DRAWN = 4_000  # formulas on a map, which lays out all pairs: told before the work
SHOWN = 12  # members of a cluster that are printed for people; --json has all


def configure_cluster(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed cluster``."""
    add = parser.add_argument
    add("formulas", help="a file of expressions, one per line, a table, or an atlas; - is stdin")
    add("-n", type=int, metavar="N", help="number of clusters (default: one for each 25, 2 to 16)")
    add("--threshold", type=float, metavar="D", help="instead: merge up to this distance")
    add(
        "--method",
        help="average, single, complete, ward or medoids (default: medoids, average for "
        "--threshold, ward for --features)",
    )
    add("--features", choices=["cn"], help="cn: the paper's normalized rows as feature vectors")
    add("--workers", type=int, help="threads (default: all cores)")
    add_language_options(parser)
    add_measure_options(
        parser, metric="relative",
        metrics="relative, in which no outlier outweighs all others, wasserstein or arcsinh",
    )  # fmt: skip
    add_probe_options(parser)
    add_plot_options(parser, "a map of the clusters")


def run_cluster(arguments: argparse.Namespace) -> None:
    """Clusters of the expressions in a file."""
    import symbed

    workers = {"workers": arguments.workers}
    if arguments.n is not None and arguments.threshold is not None:
        raise RangeError("give -n or --threshold, not both")
    atlas = read_atlas(arguments, arguments.formulas, workers, keep="behaviors")
    chosen = _choose(arguments, len(atlas))
    matrix = symbed.pairwise(
        atlas, progress=shown_progress(arguments), **workers, **measure_settings(arguments)
    )  # fmt: skip
    clusters = symbed.cluster(
        matrix, arguments.n, threshold=arguments.threshold, method=arguments.method,
        features=arguments.features,
    )  # fmt: skip
    if chosen:
        tell(f"clustered with --metric {arguments.metric} {' '.join(chosen)}")
    if not print_document(arguments, clusters.to_dict(), _rows(clusters, atlas)):
        _print(clusters)
    draw(arguments, lambda plots: plots.mds(matrix, clusters=clusters))


def _choose(arguments: argparse.Namespace, n: int) -> list[str]:
    """Choose what was left open, so that it works on real runs; gives what is to be told of it."""
    chosen = []
    if arguments.plot and n > MOST_DRAWN:
        raise RangeError(f"--plot draws at most {MOST_DRAWN:,} formulas, the file has {n:,}")
    if arguments.n is None and arguments.threshold is None:
        arguments.n = min(n, max(FEWEST, min(MOST, n // PER_CLUSTER)))
        chosen.append(f"-n {arguments.n}")
    if arguments.method is None:
        arguments.method = "average" if arguments.threshold is not None else "medoids"
        if arguments.features:
            arguments.method = "ward"
        chosen.append(f"--method {arguments.method}")
    return chosen


def _rows(clusters: Clusters, atlas: Atlas) -> list[dict[str, Any]]:
    """A row for each expression: its cluster, and what the file says of it."""
    medoids = set(clusters.medoids.tolist())
    return [
        {"label": label, "cluster": number, "is_medoid": row in medoids} | atlas.metadata_of(row)
        for row, (label, number) in enumerate(
            zip(clusters.labels, clusters.labels_.tolist(), strict=True)
        )
    ]


def _print(clusters: Clusters) -> None:
    print(repr(clusters))
    for number, medoid in enumerate(clusters.medoids.tolist()):
        members = clusters.members(number)
        others = [name for name in members if name != clusters.labels[medoid]]
        more = f"   and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        print(f"{number:4}  {clusters.labels[medoid]}   ({len(members)})")
        if others:
            print(f"      {'   '.join(others[:SHOWN])}{more}")
