"""The names of formulas that are to be judged: variables of the domain, parameters, or errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.language.literals import check_literals
from symbed.language.parser import parse
from symbed.language.variable_names import find_missing_variable


def read_formula(source: Any, variables: Sequence[str]) -> Expression:
    """A formula with these names as its variables, from text, tokens, SymPy or an Expression."""
    if isinstance(source, Expression):
        return source.with_variables(variables)
    if isinstance(source, str):
        check_literals(source)
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
        _require_no_parameters(expression, variables)
    return first, second


def require_variables(
    expression: Expression,
    variables: Sequence[str],
    declared: Iterable[str] = (),
    **words: str,
) -> None:
    """Refuse a family whose variable would become a parameter in silence.

    Parameters
    ----------
    expression : Expression
        A formula with free parameters.
    variables : sequence of str
        The names of the domain.
    declared : iterable of str
        Names that were given a range as parameters, whatever they look like.
    **words : str
        ``remedy`` and ``option`` of `find_missing_variable`: how to declare a parameter.

    Raises
    ------
    MissingVariable
        A name that looks like a variable, or misses one by a letter.
    """
    error = find_missing_variable(expression, variables, tuple(declared), **words)
    if error is not None:
        raise error


def _require_no_parameters(expression: Expression, variables: Sequence[str]) -> None:
    require_variables(expression, variables, remedy="", option="")  # decide has no parameters
    for name in expression.names:
        if name not in variables:
            who = f"{name!r} in {str(expression)!r} is a free parameter"
            error = RangeError(
                f"{who}, and decide judges formulas without; relate(e, f, domain) judges families, "
                f"or add {name!r}: (low, high) to the domain"
            )
            error.in_command = (
                f"{who}, and decide judges formulas without; symbed relate judges families, "
                f"or add --domain {name}=low:high"
            )
            raise error
