"""The names of formulas that are to be judged: variables of the domain, or an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from symbed.errors import MissingVariable, RangeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.language.symbol_table import suggest

LOOKS_LIKE_A_VARIABLE = re.compile(r"[xyztXYZT](_?[0-9]+)?\Z")


def read_formula(source: Any, variables: Sequence[str]) -> Expression:
    """A formula with these names as its variables, from text, tokens, SymPy or an Expression."""
    if isinstance(source, Expression):
        return source.with_variables(variables)
    return parse(source, variables)


def checked_formulas(
    sources: tuple[Any, Any], variables: Sequence[str]
) -> tuple[Expression, Expression]:
    """Two formulas whose names are all variables.

    Raises
    ------
    MissingVariable
        A name that looks like a variable, or misses one by a letter.
    RangeError
        A free parameter.
    """
    first, second = (read_formula(source, variables) for source in sources)
    for expression in (first, second):
        for name in expression.names:
            if name not in variables:
                raise _misplaced(name, expression, variables)
    return first, second


def _misplaced(name: str, expression: Expression, variables: Sequence[str]) -> Exception:
    near = suggest(name, [v.lower() for v in variables]) if len(name) > 1 else ""
    same = [v for v in variables if v.lower() == name.lower() or v.lower() == near]
    listed = ", ".join(variables)
    if same:
        return MissingVariable(
            f"{name!r} in {str(expression)!r} is not in the domain, which has {listed}; "
            f"did you mean {same[0]!r}?"
        )
    if LOOKS_LIKE_A_VARIABLE.match(name):
        return MissingVariable(
            f"{name!r} in {str(expression)!r} looks like a variable, but the domain has only "
            f"{listed}; add {name!r}: (low, high) to the domain"
        )
    return RangeError(
        f"{name!r} in {str(expression)!r} is a free parameter, and decide judges formulas without; "
        f"relate(e, f, domain) judges families, or add {name!r}: (low, high) to the domain"
    )
