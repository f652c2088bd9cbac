"""Reports: results go in; text for people, or one JSON document, comes out."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.distances.comparison import Comparison
    from symbed.language.expression import Expression
    from symbed.sampling.probe import Probe


def comparison(found: Comparison, probe: Probe, *, as_json: bool) -> None:
    """Print a comparison."""
    from symbed.engine.binding import Binding
    from symbed.language.parser import parse

    expressions = [parse(label, probe.variables) for label in found.labels]
    parameters = [list(Binding(probe).parameters(expression)) for expression in expressions]
    variables = [list(expression.variables) for expression in expressions]
    if as_json:
        print_json(
            {
                "distance": found.distance,
                "stderr": found.stderr,
                "interval": list(found.interval),
                "noise_floor": found.noise_floor,
                "coverage": found.coverage,
                "mismatched_points": found.mismatched_points,
                "undefined_points": found.undefined_points,
                "finite_part": found.finite_part,
                "n_points": found.n_points,
                "n_draws": probe.n_draws,
                "seed": probe.seed,
                "design": probe.design,
                "p": found.measure.p,
                "expressions": list(found.labels),
                "variables": variables,
                "parameters": parameters,
            }
        )
        return
    low, high = found.interval
    print(f"distance     {found.distance:.6g}   [{low:.4g}, {high:.4g}]")
    print(f"noise floor  {found.noise_floor:.3g}")
    print(f"compared at  {100 * found.coverage:.4g}% of {found.n_points} points")
    for line in _cautions(found):
        print(f"note         {line}")
    for name, label, symbols in zip("EF", found.labels, parameters, strict=True):
        print(f"{name}            {label}   (parameters: {', '.join(symbols) or 'none'})")


def reading(expression: Expression, *, as_json: bool) -> None:
    """Print how an expression was read."""
    from symbed.engine.program import listing

    program = listing(expression)
    if as_json:
        print_json(
            {
                "text": str(expression),
                "variables": list(expression.variables),
                "parameters": list(expression.parameters),
                "size": expression.size,
                "depth": expression.depth,
                "tokens": expression.tokens(),
                "latex": expression.latex(),
                "canonical_hash": f"{expression.canonical_hash:016x}",
                "program": program,
            }
        )
        return
    from symbed.language.printers import tree

    print(f"text        {expression}")
    print(f"variables   {', '.join(expression.variables) or 'none'}")
    print(f"parameters  {', '.join(expression.parameters) or 'none'}")
    print(f"LaTeX       {expression.latex()}")
    print(f"tokens      {' '.join(expression.tokens())}")
    print(f"program     {' ; '.join(program)}")
    print(tree(expression))


def skipped(atlas: Atlas) -> None:
    """Tell on stderr which lines were passed over."""
    for line in atlas.skipped:
        print(f"symbed: line {line.line} skipped: {line.error}", file=sys.stderr)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; infinities are the string "inf"."""
    print(json.dumps(_plain(document), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _cautions(found: Comparison) -> list[str]:
    """What a reader must know before trusting the number."""
    lines = []
    if found.mismatched_points:
        lines.append(
            f"at {found.mismatched_points} of {found.n_points} points only one side is defined; "
            f"over the others the distance is {found.finite_part:.6g}"
        )
    if found.undefined_points == found.n_points:
        lines.append("neither expression is defined anywhere: 0 by definition, it says nothing")
    elif found.undefined_points:
        lines.append(f"neither side is defined at {found.undefined_points} points; they count 0")
    return lines
