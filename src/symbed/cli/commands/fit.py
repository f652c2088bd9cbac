"""``symbed fit E FILE``: the free parameters of an expression fitted to data."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import add_dialect_option, add_plot_options, parse_ranges
from symbed.cli.output import print_json, save_plot, tell_redundant

if TYPE_CHECKING:
    from symbed.workbench.fitting.results import Fit


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E", help="an expression, such as 'C*x + C'")
    add("data", metavar="FILE", help="a table with names: .csv, .tsv, .parquet, .npy, .npz")
    add("--target", metavar="y", help="the column to fit to, by name or number (default: the last)")
    add(
        "--bounds", action="append", metavar="-5:5",
        help="range of the parameters, or a=0:inf for one of them; repeat, or commas",
    )  # fmt: skip
    add("--starts", type=int, default=8, metavar="N", help="number of descents (default: 8)")
    add("--iterations", type=int, default=100, metavar="N", help="most steps of each")
    add("--seed", type=int, default=0, help="seed of the starts (default: 0)")
    add_dialect_option(parser)
    add_plot_options(parser, "data, fit and residuals", along=True)


def _run(arguments: argparse.Namespace) -> None:
    from symbed.workbench.data.data_files import read_data
    from symbed.workbench.fitting.fitter import fit

    data = read_data(arguments.data, _target(arguments.target))
    (expression,) = read_typed(arguments, [arguments.e], data.names)
    fitted = fit(
        expression,
        data.X,
        data.y,
        variables=data.names,
        bounds=parse_ranges(arguments.bounds, "--bounds"),
        n_starts=arguments.starts,
        seed=arguments.seed,
        max_iterations=arguments.iterations,
    )
    if arguments.json:
        print_json(_document(fitted, arguments))
    else:
        _print(fitted)
    tell_redundant(fitted.redundant, "the expression")
    if arguments.plot:
        from symbed import plots

        assert data.y is not None  # nothing can be fitted without a target
        save_plot(arguments, plots.fitted(fitted, data.X, data.y, along=arguments.along))


def _target(given: str | None) -> str | int:
    if given is None:
        return -1
    try:
        return int(given)
    except ValueError:
        return given.strip()


def _document(fitted: Fit, arguments: argparse.Namespace) -> dict[str, object]:
    return {
        "expression": str(fitted.source),
        "fitted": str(fitted.expression),
        "values": dict(fitted.values),
        "rmse": fitted.rmse,
        "mae": fitted.mae,
        "r2": fitted.r2,
        "converged": fitted.converged,
        "redundant": [list(names) for names in fitted.redundant],
        "n_points": fitted.n_points,
        "n_evaluations": fitted.n_evaluations,
        "variables": list(fitted.variables),
        "n_starts": arguments.starts,
        "seed": arguments.seed,
    }


def _print(fitted: Fit) -> None:
    for name, value in fitted.values.items():
        print(f"{name:<11} {value:.10g}")
    print(f"rmse        {fitted.rmse:.6g}")
    print(f"mae         {fitted.mae:.6g}")
    print(f"r2          {fitted.r2:.6g}")
    print(f"rows        {fitted.n_points}")
    print(f"fitted      {fitted.expression}")
    if fitted.rmse == float("inf"):
        print("note        no start has outputs at every row; --starts or --bounds may help")
    elif not fitted.converged:
        print("note        the best descent did not come to rest; --iterations may help")


COMMAND = Command("fit", "free parameters fitted to data", _configure, _run)
