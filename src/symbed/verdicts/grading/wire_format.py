"""Expressions and domains as plain JSON values, for processes that decide."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symbed.language.expression import Expression, Item
from symbed.language.operators import Operator, row_named
from symbed.verdicts.domains import Box

INFINITE = "inf"


def encoded_expression(expression: Expression) -> dict[str, Any]:
    """An expression as plain values; floats in hexadecimal, so that none is rounded."""
    items = []
    for item in expression.postfix:
        if isinstance(item, Operator):
            items.append(["operator", item.name])
        elif isinstance(item, str):
            items.append(["name", item])
        else:
            items.append(["number", item.hex()])
    return {"postfix": items, "declared": expression.declared}


def decoded_expression(encoded: Mapping[str, Any]) -> Expression:
    """The expression of plain values."""
    items: list[Item] = []
    for kind, text in encoded["postfix"]:
        if kind == "operator":
            items.append(row_named(text))
        else:
            items.append(text if kind == "name" else float.fromhex(text))
    declared = encoded["declared"]
    return Expression(tuple(items), None if declared is None else tuple(declared))


def encoded_domain(box: Box) -> dict[str, list[str]]:
    """A domain as fractions in text."""
    return {
        side.name: [
            f"-{INFINITE}" if side.low is None else str(side.low),
            INFINITE if side.high is None else str(side.high),
        ]
        for side in box.sides
    }


def decoded_domain(encoded: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """The domain of fractions in text."""
    return {name: (_end(low), _end(high)) for name, (low, high) in encoded.items()}


def _end(text: str) -> Any:
    return float(text) if text.endswith(INFINITE) else Fraction(text)
