"""``symbed distance``, ``matrix`` and ``nearest``: of two formulas, of all pairs, and to one."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symbed.cli._inputs import read_atlas, read_queries, read_typed
from symbed.cli.options import (
    add_dialect_option,
    add_list_options,
    add_measure_options,
    add_plot_options,
    add_probe_options,
    build_probe,
    measure_settings,
    open_workers,
)
from symbed.cli.output import draw, print_document, print_json, shown_progress, tell_redundant
from symbed.errors import MissingExtra, RangeError

if TYPE_CHECKING:
    from symbed import Atlas, Behavior, Comparison, DistanceMatrix, Expression, Probe

MATRIX_FILES = (".csv", ".npy", ".parquet")
DEFAULT_K = 10


def configure_distance(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("f", metavar="F", help="another expression")
    add_dialect_option(parser)
    add_probe_options(parser)
    add_measure_options(parser)
    parser.add_argument(
        "--rtol", type=float, metavar="SHARE",
        help="take more points and draws until the interval is that close, as a share of the BED",
    )  # fmt: skip
    add_plot_options(parser, "both behaviors, their CDFs at a point, and all points", along=True)


def run_distance(arguments: argparse.Namespace) -> None:
    """The distance of two expressions, and how far to trust it."""
    import symbed

    probe = build_probe(arguments)
    texts = [text.strip() for text in (arguments.e, arguments.f)]
    expressions = read_typed(arguments, texts, probe.variables)
    e, f = _observed(expressions, texts, probe)
    comparison = symbed.compare(e, f, rtol=arguments.rtol, **measure_settings(arguments))
    asked = {
        "seed": probe.seed,
        "design": probe.design,
        "variables": [list(expression.variables) for expression in expressions],
        "parameters": [list(expression.parameters) for expression in expressions],
    }
    if not print_document(arguments, comparison.to_dict() | asked):
        _print_comparison(comparison, expressions)
    for name, groups in zip("EF", comparison.redundant, strict=True):
        tell_redundant(groups, name)

    def picture(plots: Any) -> Any:
        fine = _observed(expressions, texts, plots.cross_section(probe, arguments.along))
        return plots.breakdown(comparison, e, f, fine=fine, along=arguments.along).ravel()

    draw(arguments, picture)


def _observed(
    expressions: Sequence[Expression], texts: Sequence[str], probe: Probe
) -> list[Behavior]:
    """Behaviors whose labels are what was typed, not how we would have written it."""
    import symbed

    pairs = zip(expressions, texts, strict=True)
    return [replace(symbed.observe(expression, probe), label=text) for expression, text in pairs]


def _print_comparison(comparison: Comparison, expressions: list[Expression]) -> None:
    low, high = comparison.interval
    print(f"distance     {comparison.distance:.6g}   [{low:.4g}, {high:.4g}]")
    print(f"noise floor  {comparison.noise_floor:.3g}")
    print(f"compared at  {100 * comparison.coverage:.4g}% of {comparison.n_points} points")
    for caution in _cautions(comparison):
        print(f"note         {caution}")
    for name, label, expression in zip("EF", comparison.labels, expressions, strict=True):
        parameters = ", ".join(expression.parameters) or "none"
        print(f"{name}            {label}   (parameters: {parameters})")


def _cautions(comparison: Comparison) -> list[str]:
    """What a reader must know before trusting the number."""
    from symbed.distances.intervals.uncertainty import IN_COMMANDS, remedy

    lines = []
    if comparison.reason:
        helps = remedy(comparison.reason, IN_COMMANDS)
        lines.append(f"unresolved: {comparison.reason}; {helps}")
    if comparison.gave_up:
        size = f"{comparison.n_points} points x {max(comparison.n_draws)} draws"
        lines.append(f"gave up at {size}: not as close as --rtol asks")
    n_points, n_undefined = comparison.n_points, comparison.undefined_points
    if comparison.mismatched_points:
        lines.append(
            f"at {comparison.mismatched_points} of {n_points} points only one side is defined; "
            f"over the others the distance is {comparison.finite_part:.6g}"
        )
    if n_undefined == n_points:
        lines.append("neither expression is defined anywhere: 0 by definition, it says nothing")
    elif n_undefined:
        lines.append(f"neither side is defined at {n_undefined} points; they count 0")
    return lines


def configure_matrix(parser: argparse.ArgumentParser) -> None:
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
    import symbed

    output = arguments.output
    ending = Path(output).suffix if output else ".csv"
    if ending not in MATRIX_FILES:
        raise RangeError(f"output must end in .csv, .npy or .parquet, got {output!r}")
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        distances = symbed.pairwise(
            atlas, **measure_settings(arguments), screen=arguments.screen,
            progress=shown_progress(arguments), out=None if ending == ".csv" else output, **workers,
        )  # fmt: skip
    if output:
        if ending == ".csv":
            with open(output, "w", newline="", encoding="utf-8") as file:
                _write_csv(distances, file)
        print(f"{distances!r} written to {output}", file=sys.stderr)
    if arguments.json:
        print_json(_matrix_document(distances, atlas, output))
    elif not output:
        _write_csv(distances, sys.stdout, atlas.metadata.get("line") if arguments.csv else None)
    draw(arguments, lambda plots: _heatmap(plots, distances))


def _matrix_document(distances: DistanceMatrix, atlas: Atlas, output: str | None) -> dict[str, Any]:
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


def configure_nearest(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("atlas", help="an atlas, or a file of expressions with --domain; - reads stdin")
    add("queries", nargs="+", metavar="E", help="an expression to look for, such as 'a*tanh(x)'")
    add("-k", type=int, help=f"how many (default: {DEFAULT_K}, or all if there are fewer)")
    add("--distinct", action="store_true", help="of formulas that behave alike, only the shortest")
    add_list_options(parser)
    add_plot_options(parser, "the distances")


def run_nearest(arguments: argparse.Namespace) -> None:
    """The nearest expressions of an atlas or a file."""
    from symbed.distances.search.neighbors import nearest, nearest_distinct

    queries = [query.strip() for query in arguments.queries]
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.atlas, workers)
        k = min(DEFAULT_K, len(atlas)) if arguments.k is None else arguments.k
        assert atlas.probe is not None  # of a file or a folder, never of samples
        expressions = read_queries(arguments, queries, atlas.probe.variables)
        search = nearest_distinct if arguments.distinct else nearest
        results = search(
            _observed(expressions, queries, atlas.probe), atlas, k,
            **measure_settings(arguments), **workers,
        )  # fmt: skip
    document = results.to_dict()
    rows = [
        {"query": result["query"], "rank": rank, **row}
        for result in document["results"]
        for rank, row in enumerate(result["neighbors"], start=1)
    ]
    if not print_document(arguments, document, rows):
        for neighbors in results.each:
            if len(queries) > 1:
                print(f"# {neighbors.query}")
            for row in zip(neighbors.indices, neighbors.distances, neighbors.labels, strict=True):
                index, distance, label = row
                print(f"{distance:<12.6g} {index + 1:>8}  {label}")
    draw(arguments, lambda plots: plots.neighbors(results.each[0], query=queries[0]))
