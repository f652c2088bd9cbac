"""``symbed fit E FILE``: the free parameters of an expression fitted to data."""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Any

from symbed.cli._inputs import read_table, read_typed
from symbed.cli.options import add_dialect_option, add_plot_options, parse_column, parse_ranges
from symbed.cli.output import draw, print_document, tell_redundant

STRONG_CORRELATION = 0.95  # from here on it is told


def configure_fit(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E", help="an expression, such as 'C*x + C'")
    add("data", metavar="FILE", help="a table with names: .csv, .tsv, .parquet, .npy, .npz")
    add("--target", metavar="y", help="the column to fit to, by name or number (default: the last)")
    add(
        "--bounds", action="append", metavar="-5:5",
        help="range of the parameters, or a=0:inf for one of them; repeat, or commas",
    )  # fmt: skip
    add(
        "--missing", choices=("error", "drop"), default="error",
        help="what happens to rows with empty cells: an error (default), or they are left out",
    )  # fmt: skip
    add("--starts", type=int, default=8, metavar="N", help="number of descents (default: 8)")
    add("--iterations", type=int, default=100, metavar="N", help="most steps of each")
    add("--seed", type=int, default=0, help="seed of the starts (default: 0)")
    add_dialect_option(parser)
    add_plot_options(parser, "data, fit and residuals", along=True)


def run_fit(arguments: argparse.Namespace) -> None:
    """The free parameters of an expression fitted to data."""
    from symbed.workbench import fit

    target = parse_column(arguments.target)
    data = read_table(arguments.data, target=target, missing=arguments.missing)
    (expression,) = read_typed(arguments, [arguments.e], data.names)
    fitted = fit(
        expression, data.X, data.y, variables=data.names, n_starts=arguments.starts,
        bounds=parse_ranges(arguments.bounds, "--bounds"), seed=arguments.seed,
        max_iterations=arguments.iterations,
    )  # fmt: skip
    errors = fitted.standard_errors(data.X, data.y)
    settings = {"n_starts": arguments.starts, "seed": arguments.seed}
    document = fitted.to_dict() | errors.to_dict() | settings
    rows = [
        {"parameter": name, "value": value, "stderr": errors.stderr[name]}
        for name, value in fitted.values.items()
    ]
    if not print_document(arguments, document, rows):
        _print(fitted, errors)
    tell_redundant(fitted.redundant, "the expression")
    draw(arguments, lambda plots: plots.fitted(fitted, data.X, data.y, along=arguments.along))


def _print(fitted: Any, errors: Any) -> None:
    for name, value in fitted.values.items():
        print(f"{name:<11} {value:<16.10g} +- {errors.stderr[name]:.3g}")
    for (i, one), (j, other) in combinations(enumerate(errors.stderr), 2):
        correlation = float(errors.correlations[i, j])
        if abs(correlation) >= STRONG_CORRELATION:  # the data hardly tell them apart
            print(f"correlated  {one} and {other}: {correlation:.4f}")
    print(f"rmse        {fitted.rmse:.6g}")
    print(f"mae         {fitted.mae:.6g}")
    print(f"r2          {fitted.r2:.6g}")
    print(f"rows        {fitted.n_points}")
    print(f"fitted      {fitted.expression}")
    if fitted.rmse == float("inf"):
        print("note        no start has outputs at every row; --starts or --bounds may help")
    elif not fitted.converged:
        print("note        the best descent did not come to rest; --iterations may help")
