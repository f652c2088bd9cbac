"""Containment: whether one family of functions lies within another, with grade and evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from symbed.language.expression import Expression

Grade = Literal["matched", "refuted", "searched"]


@dataclass(frozen=True)
class Containment:
    """Whether one family is contained in another.

    Attributes
    ----------
    contained : bool or None
        True, False, or None where neither was established.
    grade : {"matched", "refuted", "searched"}
        ``matched``: random members were reached to sixty digits; not certain. ``refuted``: a proof
        that some member is not in the other family. ``searched``: a member was not found, which
        says something about the search only.
    substitution : mapping from str to Expression or None
        For each parameter of the larger family a formula in those of the smaller one; None where
        none was recognized.
    holds_where : str or None
        Where the substitution holds: ``"everywhere"``, or a condition on the parameters.
    member : mapping from str to str or None
        The parameters of a member that was not reached, as text.
    residual : float or None
        The largest relative residual among the members that were polished.
    limit : bool
        Whether members are limits of the other family without being in it.
    distance : float
        The directed form distance, in [0, 1].
    uncertainty : float
        Its standard error over members.
    n_members, n_starts : int
        Members tried, and starts of the fits for each.
    reason : str
        What the verdict rests on, in words.
    """

    contained: bool | None
    grade: Grade
    substitution: Mapping[str, Expression] | None = None
    holds_where: str | None = None
    member: Mapping[str, str] | None = None
    residual: float | None = None
    limit: bool = False
    distance: float = math.nan
    uncertainty: float = 0.0
    n_members: int = 0
    n_starts: int = 0
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        formulas = self.substitution
        return {
            **self.__dict__,
            "substitution": formulas and {name: str(text) for name, text in formulas.items()},
            "member": self.member and dict(self.member),
        }

    def __str__(self) -> str:
        word = {True: "contained", False: "not contained", None: "not known to be contained"}
        text = f"{word[self.contained]} ({self.grade}): {self.reason}"
        if self.substitution:
            pairs = ", ".join(f"{name} = {formula}" for name, formula in self.substitution.items())
            where = self.holds_where
            text += f"; {pairs}" + (f" where {where}" if where not in (None, "everywhere") else "")
        if self.limit:
            text += "; its members are limits of the other"
        return text
