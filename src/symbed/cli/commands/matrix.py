"""``symbed matrix FILE``: all distances in a file of expressions, or of an atlas."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symbed.cli.inputs import read_atlas
from symbed.cli.options import add_list_options, add_plot_options, measure_settings, open_workers
from symbed.cli.output import draw, print_json, shown_progress
from symbed.errors import MissingExtra, RangeError

if TYPE_CHECKING:
    from symbed import Atlas, DistanceMatrix

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
    add(
        "--screen", type=float, metavar="D",
        help="only distances up to D are exact; larger ones are in single precision, twice as fast",
    )  # fmt: skip
    add_list_options(parser)
    add_plot_options(parser, "the matrix as a heatmap, ordered by a tree where SciPy is installed")


def run_matrix(arguments: argparse.Namespace) -> None:
    """All distances in a file of expressions, or of an atlas."""
    output = arguments.output
    if output and Path(output).suffix not in ENDINGS:
        raise RangeError(f"output must end in .csv, .npy or .parquet, got {output!r}")
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        distances = _measure(atlas, arguments, workers)
    if output:
        if Path(output).suffix == ".csv":
            with open(output, "w", newline="", encoding="utf-8") as file:
                _write_csv(distances, file)
        print(f"{distances!r} written to {output}", file=sys.stderr)
    if arguments.json:
        print_json(_document(distances, atlas, output))
    elif not output:
        _write_csv(distances, sys.stdout, atlas.metadata.get("line") if arguments.csv else None)
    draw(arguments, lambda plots: _heatmap(plots, distances))


def _measure(
    atlas: Atlas, arguments: argparse.Namespace, workers: dict[str, Any]
) -> DistanceMatrix:
    import symbed

    in_memory = not arguments.output or Path(arguments.output).suffix == ".csv"
    return symbed.pairwise(
        atlas, **measure_settings(arguments), screen=arguments.screen,
        progress=shown_progress(arguments), out=None if in_memory else arguments.output, **workers,
    )  # fmt: skip


def _document(distances: DistanceMatrix, atlas: Atlas, output: str | None) -> dict[str, Any]:
    """What ``--json`` prints; the distances themselves only if they went nowhere else."""
    skipped = [vars(line) for line in atlas.skipped]
    if output:
        return {"labels": list(distances.row_labels), "output": output, "skipped": skipped}
    return distances.to_dict() | {"output": None, "skipped": skipped}


def _write_csv(distances: DistanceMatrix, file: TextIO, lines: Any = None) -> None:
    """The matrix with its labels, and the lines of the file in front of them if they are given."""
    first = [[]] * len(distances) if lines is None else [[int(line)] for line in lines]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*(["line"] if lines is not None else []), "", *distances.column_labels])
    for line, label, row in zip(first, distances.row_labels, distances.values, strict=True):
        writer.writerow([*line, label, *map(repr, row.tolist())])


def _heatmap(plots: Any, distances: DistanceMatrix) -> Any:
    try:
        order = plots.arrange(distances)
    except MissingExtra:  # without SciPy, in the order of the file
        order = None
    return plots.heatmap(distances, clusters=order)
