"""Clustering from the command line: a file of expressions goes in, groups come out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbed.cli import plot_files as pictures
from symbed.cli import report
from symbed.cli.inputs import open_formulas, shown_progress, translated
from symbed.cli.options import (
    add_language_options,
    add_measure_options,
    add_probe_options,
    build_probe,
    measure_settings,
)

if TYPE_CHECKING:
    from symbed.distances.clusters.clustering import Clusters

SHOWN = 12  # members of a cluster that are printed for people; --json has all


def configure_cluster(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed cluster``."""
    add = parser.add_argument
    add("formulas", help="a file of expressions, one per line, or a table; - reads stdin")
    add("-n", type=int, metavar="N", help="number of clusters")
    add("--threshold", type=float, metavar="D", help="instead: merge up to this distance")
    add("--method", default="average", help="average (default), single, complete, ward or medoids")
    add("--features", choices=["cn"], help="cn: the paper's normalized rows as feature vectors")
    add("--skip", action="store_true", help="pass over lines that cannot be read")
    add("--workers", type=int, help="threads (default: all cores)")
    add_language_options(parser)
    add_measure_options(parser)
    add_probe_options(parser)
    pictures.add_plot_options(parser, "a map of the clusters")


def cluster(arguments: argparse.Namespace) -> None:
    """``symbed cluster FILE -n 16``."""
    import symbed

    probe = build_probe(arguments)
    with open_formulas(arguments.formulas) as formulas:
        atlas = symbed.survey(
            translated(formulas, arguments), probe, workers=arguments.workers,
            errors="skip" if arguments.skip else "raise", progress=shown_progress(arguments),
        )  # fmt: skip
    report.skipped(atlas)
    matrix = symbed.pairwise(
        atlas, workers=arguments.workers, progress=shown_progress(arguments),
        **measure_settings(arguments),
    )  # fmt: skip
    found = symbed.cluster(
        matrix, arguments.n, threshold=arguments.threshold, method=arguments.method,
        features=arguments.features,
    )  # fmt: skip
    if arguments.json:
        clusters = [
            {"medoid": found.names[medoid], "members": found.members(number)}
            for number, medoid in enumerate(found.medoids.tolist())
        ]
        labels = found.labels_.tolist()
        report.print_json({"n_clusters": len(found), "labels": labels, "clusters": clusters})
    else:
        _print_clusters(found)
    pictures.draw_clusters(arguments, found, matrix)


def _print_clusters(found: Clusters) -> None:
    print(repr(found))
    for number, medoid in enumerate(found.medoids.tolist()):
        members = found.members(number)
        others = [name for name in members if name != found.names[medoid]]
        more = f"   and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        print(f"{number:4}  {found.names[medoid]}   ({len(members)})")
        if others:
            print(f"      {'   '.join(others[:SHOWN])}{more}")
