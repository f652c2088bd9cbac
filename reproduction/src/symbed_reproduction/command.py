"""The command ``symbed reproduce``, which symbed finds by the entry point of this package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.command_table import Command
from symbed.cli.options import add_worker_options, open_workers
from symbed.cli.output import print_json, shown_progress

if TYPE_CHECKING:
    from symbed_reproduction.core.outcomes import Outcome

ALL = "all"
DEFAULT_FOLDER = "results"


def configure_reproduce(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed reproduce``."""
    from symbed_reproduction.core.experiments import EXPERIMENTS, SCALES

    add = parser.add_argument
    add("name", choices=[*EXPERIMENTS, ALL], help="which experiment, or all of them")
    add(
        "-o", "--output", default=DEFAULT_FOLDER, metavar="FOLDER",
        help=f"where results go; a run that was stopped goes on there (default: {DEFAULT_FOLDER})",
    )  # fmt: skip
    add(
        "--scale", choices=SCALES, default="small",
        help="small (default) takes minutes, paper is the paper's own size: up to two hours",
    )  # fmt: skip
    add(
        "--expressions", metavar="FOLDER",
        help="for consistency: expressions_N.txt with the sets that the published heatmaps are of",
    )  # fmt: skip
    add("--no-figures", action="store_true", help="tables only; needs no matplotlib")
    add_worker_options(parser)


def reproduce(arguments: argparse.Namespace) -> None:
    """``symbed reproduce clustering -o results/``."""
    from symbed_reproduction.core.experiments import EXPERIMENTS

    if not arguments.no_figures:
        from symbed.plots.canvas import require_matplotlib

        require_matplotlib()
    names = list(EXPERIMENTS) if arguments.name == ALL else [arguments.name]
    if arguments.name == ALL and arguments.expressions is not None:
        for name in names:  # before hours of work, not after them
            EXPERIMENTS[name].plan(arguments.scale, **_given(name, arguments))
    documents = []
    with open_workers(arguments) as workers:
        for name in names:
            documents.append(_run(name, arguments, workers))
    if arguments.json:
        print_json({"scale": arguments.scale, "experiments": documents})


def _run(name: str, arguments: argparse.Namespace, workers: dict[str, Any]) -> dict[str, Any]:
    import symbed_reproduction

    outcome = symbed_reproduction.reproduce(
        name, arguments.output, scale=arguments.scale, progress=shown_progress(arguments),
        **_given(name, arguments), **workers,
    )  # fmt: skip
    folder = Path(arguments.output) / name
    figures: list[Path] = []
    if not arguments.no_figures:
        from symbed_reproduction.core.outcomes import draw_figures

        figures = draw_figures(name, outcome, folder / "figures")
    if not arguments.json:
        _print_claims(name, outcome)
        print(f"{name}: tables and figures are in {folder}", file=sys.stderr)
    return {
        "name": name,
        "report": str(folder / "report.md"),
        "tables": [str(folder / "tables" / f"{table.name}.csv") for table in outcome.tables],
        "figures": [str(path) for path in figures],
        "claims": [vars(claim) for claim in outcome.claims],
    }


def _given(name: str, arguments: argparse.Namespace) -> dict[str, str]:
    """The expressions for an experiment; of ``all``, only for those that take some."""
    from symbed_reproduction.core.experiments import EXPERIMENTS

    wanted = arguments.name != ALL or EXPERIMENTS[name].takes_expressions
    if arguments.expressions is None or not wanted:
        return {}
    return {"expressions": arguments.expressions}


def _print_claims(name: str, outcome: Outcome) -> None:
    print(name)
    for claim in outcome.claims:
        print(f"  {claim.verdict:12} {claim.text}")
        print(f"  {'':12} paper: {claim.paper}; here: {claim.ours}")
        if claim.why:
            print(f"  {'':12} {claim.why}")


COMMAND = Command(
    "reproduce",
    "the paper's experiments, at a small scale or the paper's own",
    configure_reproduce,
    reproduce,
)
