"""Operators written out by the definitions in their rows, for those who know the others only."""

from __future__ import annotations

from functools import cache

from symbed.language.dialects.templates import Template, expand, read_template
from symbed.language.expression import Expression, Postfix
from symbed.language.operator_row import Operator
from symbed.language.operators import TABLE


def written_out(expression: Expression) -> Expression:
    """The expression without the operators whose rows have a definition.

    As real functions the two are the same; rounded, the operator keeps more digits.

    >>> from symbed.language.parser import parse
    >>> written_out(parse("sec(x) + log1p(x)"))
    Expression('1/cos(x) + ln(1 + x)')
    """
    written = write_out(expression.postfix)
    if written is expression.postfix:
        return expression
    return Expression.unchecked(written, expression.declared)


def write_out(postfix: Postfix) -> Postfix:
    """The sequence without the operators whose rows have a definition."""
    while any(item in DEFINED for item in postfix):
        postfix = expand(postfix, _templates())
    return postfix


@cache
def _templates() -> dict[Operator, Template]:
    return {row: read_template(row.definition) for row in DEFINED}


DEFINED = frozenset(row for row in TABLE if row.definition)
