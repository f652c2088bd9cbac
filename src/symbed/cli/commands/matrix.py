"""Matrices from the command line: expressions or an atlas go in, all distances come out."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symbed.cli import plot_files as pictures
from symbed.cli import report
from symbed.cli.inputs import read_atlas, shown_progress
from symbed.cli.options import (
    add_language_options,
    add_measure_options,
    add_probe_options,
    add_worker_options,
    measure_settings,
    open_workers,
)
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.distances.matrix.distance_matrix import DistanceMatrix

ENDINGS = (".csv", ".npy", ".parquet")


def configure_matrix(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed matrix``."""
    add = parser.add_argument
    add("formulas", help="a file of expressions, one per line, or an atlas; - reads stdin")
    add(
        "-o", "--output", metavar="FILE",
        help="write .csv, .npy or .parquet; the last two may be larger than memory, and an "
        "interrupted command goes on with them",
    )  # fmt: skip
    add("--skip", action="store_true", help="pass over lines that cannot be read")
    add(
        "--screen", type=float, metavar="D",
        help="only distances up to D are exact; larger ones are in single precision, twice as fast",
    )  # fmt: skip
    add_language_options(parser)
    add_measure_options(parser)
    add_worker_options(parser)
    add_probe_options(parser)
    pictures.add_plot_options(
        parser, "the matrix as a heatmap, ordered by a tree where SciPy is installed"
    )


def matrix(arguments: argparse.Namespace) -> None:
    """``symbed matrix FILE -o distances.npy``."""
    output = arguments.output
    if output and Path(output).suffix not in ENDINGS:
        raise RangeError(f"output must end in .csv, .npy or .parquet, got {output!r}")
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        found = _measure(atlas, arguments, workers)
    if output:
        if Path(output).suffix == ".csv":
            with open(output, "w", newline="", encoding="utf-8") as file:
                _write_csv(found, file)
        print(f"{found!r} written to {output}", file=sys.stderr)
    if arguments.json:
        report.print_json(_document(found, atlas, output))
    elif not output:
        _write_csv(found, sys.stdout)
    pictures.draw_matrix(arguments, found)


def _measure(
    atlas: Atlas, arguments: argparse.Namespace, workers: dict[str, Any]
) -> DistanceMatrix:
    import symbed

    in_memory = not arguments.output or Path(arguments.output).suffix == ".csv"
    return symbed.pairwise(
        atlas, **measure_settings(arguments), screen=arguments.screen,
        progress=shown_progress(arguments), out=None if in_memory else arguments.output, **workers,
    )  # fmt: skip


def _document(found: DistanceMatrix, atlas: Atlas, output: str | None) -> dict[str, Any]:
    """What ``--json`` prints; the distances themselves only if they went nowhere else."""
    document: dict[str, Any] = {"labels": list(found.rows), "output": output}
    if not output:
        document["distances"] = found.values.tolist()
    return document | {"skipped": [vars(line) for line in atlas.skipped]}


def _write_csv(found: DistanceMatrix, file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["", *found.columns])
    for label, row in zip(found.rows, found.values, strict=True):
        writer.writerow([label, *map(repr, row.tolist())])
