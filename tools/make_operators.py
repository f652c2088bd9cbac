"""Makes the native core's tables of the rows of ``symbed.language.operators``.

Run it after changing a row; it rewrites ``native/eval/operators.def``, which lists the operators,
and ``native/fit/slopes.def``, which holds the derivatives as the fitter uses them. Users never run
it, and a test compares its output with the files.
"""

from __future__ import annotations

from pathlib import Path

from symbed.engine.program import CONSTANTS
from symbed.language.differentiation import slopes
from symbed.language.expression import Item, Postfix, fold
from symbed.language.operators import TABLE, Operator

ROOT = Path(__file__).resolve().parent.parent
OPERATORS_FILE = ROOT / "native" / "eval" / "operators.def"
SLOPES_FILE = ROOT / "native" / "fit" / "slopes.def"
MAX_STEPS = 2  # buffers that fit/derivatives.h has for functions within a slope
SIGNS = {"+", "-", "*", "/"}


def operators() -> str:
    """The text of ``operators.def``."""
    lines = [
        "// Made by tools/make_operators.py of the rows of symbed/language/operators.py.",
        "// A row's place is its code in programs.",
        "// OPERATOR(name, arity, what its functions are called, how arrays are gone through)",
    ]
    for row in TABLE:
        lines.append(f'OPERATOR("{row.name}", {row.arity}, {row.identifier}, {row.loop.upper()})')
    return "\n".join(lines) + "\n"


def derivatives() -> str:
    """The text of ``slopes.def``."""
    lines = [
        "// Made by tools/make_operators.py of the rows of symbed/language/operators.py.",
        "// SLOPE(operator, operand, steps that fill s0 and s1, slope) in terms of the operands a",
        "// and b, the result y, and the arrays s0 and s1.",
    ]
    sides = ("first", "second")
    for row in TABLE:
        for side, postfix in zip(sides, slopes(row), strict=False):
            steps, slope = _translated(postfix, row)
            lines.append(f"SLOPE_{row.arity}({row.identifier}, {side}, {steps}, {slope})")
    return "\n".join(lines) + "\n"


def _translated(postfix: Postfix, row: Operator) -> tuple[str, str]:
    """A slope as C++: functions of whole arrays first, then what is done element by element."""
    steps: list[str] = []

    def leaf(item: Item) -> str:
        if isinstance(item, Operator):
            return repr(CONSTANTS[item.name])
        return item if isinstance(item, str) else repr(item)

    def node(operator: Operator, below: list[str]) -> str:
        if operator.name in SIGNS:
            return f"({below[0]} {operator.name} {below[1]})"
        if operator.name == "neg":
            return f"(-{below[0]})"
        if operator.loop == "plain":
            return f"{operator.identifier}_of({', '.join(below)})"
        # Such a function has no kernel for one element that is as fast as the one for arrays.
        if operator.arity != 1 or len(steps) == MAX_STEPS:
            raise SystemExit(f"the slope of {row.name} cannot hold {operator.name} here")
        place = f"s{len(steps)}"
        steps.append(f"STEP({place}, {operator.identifier}, {below[0]})")
        return f"{place}[i]"

    slope = fold(postfix, leaf, node)
    return " ".join(steps) or "NO_STEPS", slope


def main() -> None:
    """Rewrite the files."""
    OPERATORS_FILE.write_text(operators())
    SLOPES_FILE.write_text(derivatives())


if __name__ == "__main__":
    main()
