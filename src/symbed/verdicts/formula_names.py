"""The names of formulas that are to be judged: variables of the domain, parameters, or errors."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from symbed.errors import MissingVariable, RangeError, SymbedError
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


def require_variables(
    expression: Expression, variables: Sequence[str], declared: Container[str] = ()
) -> None:
    """Refuse a family whose variable would become a parameter in silence.

    Parameters
    ----------
    expression : Expression
        A formula with free parameters.
    variables : sequence of str
        The names of the domain.
    declared : container of str
        Names that were given a range as parameters, whatever they look like.

    Raises
    ------
    MissingVariable
        A name that looks like a variable, or misses one by a letter.
    """
    for name in expression.names:
        if name not in variables and name not in declared:
            error = _misplaced(name, expression, variables)
            if isinstance(error, MissingVariable):
                raise error


def _misplaced(name: str, expression: Expression, variables: Sequence[str]) -> SymbedError:
    near = suggest(name, [v.lower() for v in variables]) if len(name) > 1 else ""
    same = [v for v in variables if v.lower() == name.lower() or v.lower() == near]
    listed, where = ", ".join(variables), f"{name!r} in {str(expression)!r}"
    if same:
        return MissingVariable(
            f"{where} is not in the domain, which has {listed}; did you mean {same[0]!r}?"
        )
    error: SymbedError
    if LOOKS_LIKE_A_VARIABLE.match(name):
        problem = f"{where} looks like a variable, but the domain has only {listed}"
        error = MissingVariable(f"{problem}; add {name!r}: (low, high) to the domain")
        error.in_command = f"{problem}; add --domain {name}=low:high"
        return error
    problem = f"{where} is a free parameter, and decide judges formulas without"
    error = RangeError(
        f"{problem}; relate(e, f, domain) judges families, "
        f"or add {name!r}: (low, high) to the domain"
    )
    error.in_command = f"{problem}; symbed relate judges families, or add --domain {name}=low:high"
    return error
