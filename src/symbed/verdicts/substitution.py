"""Formulas for the parameters of a larger family in those of a smaller one, recognized and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symbed._types import Floats
from symbed.language.expression import Expression
from symbed.verdicts.forms import Domain, Form
from symbed.verdicts.polishing import Polished


@dataclass(frozen=True)
class Substitution:
    """Formulas for parameters, and where they hold.

    Attributes
    ----------
    formulas : one for each parameter of the larger family, in those of the smaller one.
    holds_where : ``"everywhere"``, or a condition on the parameters.
    """

    formulas: Mapping[str, Expression]
    holds_where: str


def find_substitution(
    inner: Form,
    outer: Form,
    domain: Domain,
    values: Floats,
    polished: Mapping[int, Polished],
    deadline: float,
) -> Substitution | None:
    """Recognize the map from the inner family's parameters to the outer one's."""
    return None
