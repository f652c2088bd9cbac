"""``symbed cluster FILE``: clusters of the expressions in a file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_atlas
from symbed.cli.options import (
    add_language_options,
    add_measure_options,
    add_plot_options,
    add_probe_options,
    measure_settings,
)
from symbed.cli.output import print_json, save_plot, shown_progress

if TYPE_CHECKING:
    from symbed.distances.clusters.clustering import Clusters

SHOWN = 12  # members of a cluster that are printed for people; --json has all


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("formulas", help="a file of expressions, one per line, a table, or an atlas; - is stdin")
    add("-n", type=int, metavar="N", help="number of clusters")
    add("--threshold", type=float, metavar="D", help="instead: merge up to this distance")
    add("--method", default="average", help="average (default), single, complete, ward or medoids")
    add("--features", choices=["cn"], help="cn: the paper's normalized rows as feature vectors")
    add("--workers", type=int, help="threads (default: all cores)")
    add_language_options(parser)
    add_measure_options(parser)
    add_probe_options(parser)
    add_plot_options(parser, "a map of the clusters")


def _run(arguments: argparse.Namespace) -> None:
    import symbed

    workers = {"workers": arguments.workers}
    atlas = read_atlas(arguments, arguments.formulas, workers, keep="behaviors")
    matrix = symbed.pairwise(
        atlas, progress=shown_progress(arguments), **workers, **measure_settings(arguments)
    )  # fmt: skip
    clusters = symbed.cluster(
        matrix, arguments.n, threshold=arguments.threshold, method=arguments.method,
        features=arguments.features,
    )  # fmt: skip
    if arguments.json:
        print_json(clusters.to_dict())
    else:
        _print(clusters)
    if arguments.plot:
        from symbed import plots

        save_plot(arguments, plots.mds(matrix, clusters=clusters))


def _print(clusters: Clusters) -> None:
    print(repr(clusters))
    for number, medoid in enumerate(clusters.medoids.tolist()):
        members = clusters.members(number)
        others = [name for name in members if name != clusters.labels[medoid]]
        more = f"   and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        print(f"{number:4}  {clusters.labels[medoid]}   ({len(members)})")
        if others:
            print(f"      {'   '.join(others[:SHOWN])}{more}")


COMMAND = Command("cluster", "clusters of the expressions in a file", _configure, _run)
