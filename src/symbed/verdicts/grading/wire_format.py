"""Expressions, domains and relations as plain JSON values, for processes that judge."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symbed.language.expression import Expression, Item
from symbed.language.operator_row import Operator
from symbed.language.operators import row_named
from symbed.verdicts.domains import Box

if TYPE_CHECKING:
    from symbed.verdicts.families.relation import Relation

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


def encoded_ranges(ranges: Any) -> Any:
    """A range, or ranges by name, as plain values; None for what is none of these."""
    if isinstance(ranges, Mapping):
        encoded = {name: encoded_ranges(each) for name, each in ranges.items()}
        return None if None in encoded.values() else encoded
    if isinstance(ranges, list | tuple) and all(isinstance(end, int | float) for end in ranges):
        return [float(end).hex() for end in ranges]
    return None


def decoded_ranges(encoded: Any) -> Any:
    """The range or the ranges of plain values."""
    if isinstance(encoded, Mapping):
        return {name: decoded_ranges(each) for name, each in encoded.items()}
    return None if encoded is None else tuple(map(float.fromhex, encoded))


def encoded_relation(relation: Relation) -> dict[str, Any]:
    """A relation as plain values, of which nothing is rounded."""
    fields = dict(relation.__dict__)
    for name in ("e", "f"):
        fields[name] = encoded_expression(fields[name])
    for name in ("e_in_f", "f_in_e"):
        half = dict(fields[name].__dict__)
        if half["substitution"] is not None:
            formulas = half["substitution"].items()
            half["substitution"] = {key: encoded_expression(part) for key, part in formulas}
        fields[name] = half
    return fields


def decoded_relation(encoded: Mapping[str, Any]) -> Relation:
    """The relation of plain values."""
    from symbed.verdicts.families.containment import Containment
    from symbed.verdicts.families.relation import Relation

    fields = dict(encoded)
    for name in ("e", "f"):
        fields[name] = decoded_expression(fields[name])
    for name in ("e_in_f", "f_in_e"):
        half = dict(fields[name])
        if half["substitution"] is not None:
            formulas = half["substitution"].items()
            half["substitution"] = {key: decoded_expression(part) for key, part in formulas}
        fields[name] = Containment(**half)
    return Relation(**fields)


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
