"""``symbed fit``: an expression and a data file go in; fitted parameters and errors come out."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbed.cli.options import parse_range
from symbed.cli.plot_files import add_plot_options, draw_fit
from symbed.cli.report import print_json
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.workbench.fitting.results import Fit

Bound = tuple[float, float]


def configure_fit(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``symbed fit``."""
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
    add_plot_options(parser, "data, fit and residuals", along=True)


def fit(arguments: argparse.Namespace) -> None:
    """``symbed fit E FILE``."""
    from symbed.workbench.data.data_files import read_data
    from symbed.workbench.fitting.fitter import fit

    data = read_data(arguments.data, _target(arguments.target))
    found = fit(
        arguments.e.strip(),
        data.X,
        data.y,
        variables=data.names,
        bounds=_bounds(arguments.bounds or []),
        n_starts=arguments.starts,
        seed=arguments.seed,
        max_iterations=arguments.iterations,
    )
    if arguments.json:
        print_json(_document(found, arguments))
    else:
        _print(found)
    draw_fit(arguments, found, data)


def _target(given: str | None) -> str | int:
    if given is None:
        return -1
    try:
        return int(given)
    except ValueError:
        return given.strip()


def _bounds(given: list[str]) -> Bound | dict[str, Bound] | None:
    words = [word.strip() for text in given for word in text.split(",") if word.strip()]
    if not any("=" in word for word in words):
        if len(words) > 1:
            raise RangeError(f"--bounds needs one range, or name=low:high for each, got {words}")
        return parse_range(words[0], "--bounds") if words else None
    named = {}
    for word in words:
        name, equals, ends = word.partition("=")
        if not equals:
            raise RangeError(f"--bounds needs name=low:high beside others of that form, got {word}")
        named[name.strip()] = parse_range(ends, f"--bounds {name.strip()}")
    return named


def _document(found: Fit, arguments: argparse.Namespace) -> dict[str, object]:
    return {
        "expression": str(found.source),
        "fitted": str(found.expression),
        "values": dict(found.values),
        "rmse": found.rmse,
        "mae": found.mae,
        "r2": found.r2,
        "converged": found.converged,
        "n_points": found.n_points,
        "n_evaluations": found.n_evaluations,
        "variables": list(found.variables),
        "n_starts": arguments.starts,
        "seed": arguments.seed,
    }


def _print(found: Fit) -> None:
    for name, value in found.values.items():
        print(f"{name:<11} {value:.10g}")
    print(f"rmse        {found.rmse:.6g}")
    print(f"mae         {found.mae:.6g}")
    print(f"r2          {found.r2:.6g}")
    print(f"rows        {found.n_points}")
    print(f"fitted      {found.expression}")
    if found.rmse == float("inf"):
        print("note        no start has outputs at every row; --starts or --bounds may help")
    elif not found.converged:
        print("note        the best descent did not come to rest; --iterations may help")
