"""``symbed distance E F``: the distance of two expressions, and how far to trust it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symbed.cli.inputs import read_typed
from symbed.cli.options import (
    add_dialect_option,
    add_measure_options,
    add_plot_options,
    add_probe_options,
    build_probe,
    measure_settings,
)
from symbed.cli.output import draw, print_document, tell_redundant

if TYPE_CHECKING:
    from symbed import Comparison, Expression


def configure_distance(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed distance``."""
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("f", metavar="F", help="another expression")
    add_dialect_option(parser)
    add_probe_options(parser)
    add_measure_options(parser)
    parser.add_argument(
        "--rtol",
        type=float,
        metavar="SHARE",
        help="take more points and draws until the interval is that close, as a share of the BED",
    )
    add_plot_options(parser, "both behaviors, their CDFs at a point, and all points", along=True)


def run_distance(arguments: argparse.Namespace) -> None:
    """The distance of two expressions, and how far to trust it."""
    import symbed

    probe = build_probe(arguments)
    texts = [text.strip() for text in (arguments.e, arguments.f)]
    expressions = read_typed(arguments, texts, probe.variables)
    # Results show what was typed, not how we would have written it.
    e, f = (
        replace(symbed.observe(expression, probe), label=text)
        for expression, text in zip(expressions, texts, strict=True)
    )
    comparison = symbed.compare(e, f, rtol=arguments.rtol, **measure_settings(arguments))
    asked = {
        "seed": probe.seed,
        "design": probe.design,
        "variables": [list(expression.variables) for expression in expressions],
        "parameters": [list(expression.parameters) for expression in expressions],
    }
    if not print_document(arguments, comparison.to_dict() | asked):
        _print(comparison, expressions)
    for name, groups in zip("EF", comparison.redundant, strict=True):
        tell_redundant(groups, name)

    def picture(plots: Any) -> Any:
        line = plots.cross_section(probe, arguments.along)
        fine = [replace(symbed.observe(expression, line), label=text)
                for expression, text in zip(expressions, texts, strict=True)]  # fmt: skip
        return plots.breakdown(comparison, e, f, fine=fine, along=arguments.along).ravel()

    draw(arguments, picture)


def _print(comparison: Comparison, expressions: list[Expression]) -> None:
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
