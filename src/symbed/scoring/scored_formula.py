"""One row of a score: a found formula with what its form, its function and its size are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from symbed.formula_files.table_rows import Cell
from symbed.language.expression import Expression
from symbed.scoring.form_judgment import FormDistances
from symbed.scoring.spare_terms import SpareTerm
from symbed.verdicts.families.containment import Containment

RIGHT, CONTAINING, OTHER, UNJUDGED = range(4)


@dataclass(frozen=True)
class FunctionErrors:
    """Errors with the constants as found: RMSE by the spread of the true outputs, sqrt(1 - R2).

    Attributes
    ----------
    domain, data : float
        Over the domain and on the data; NaN where the true constants or data are missing, and
        infinite where the formula is undefined at a point that counts.
    undefined : float
        The share of points of the domain where the formula is undefined and the truth is not.
    """

    domain: float = math.nan
    data: float = math.nan
    undefined: float = 0.0

    @property
    def shown(self) -> float:
        """The error on the data, or over the domain without them."""
        return self.domain if math.isnan(self.data) else self.data

    @property
    def r2(self) -> float:
        """The coefficient of determination that belongs to the error."""
        return 1.0 - self.shown**2


@dataclass(frozen=True)
class ScoredFormula:
    """A found formula, judged by form, function and size.

    Attributes
    ----------
    expression : Expression
        The formula with its constants, as it was found.
    text : str
        As it was written.
    line : int
        Its place in the run, from 1.
    relation : str
        How the found form F relates to the true form E: ``same``, ``e_in_f``, ``f_in_e``,
        ``neither`` or ``undecided``.
    form : FormDistances
        The form distances ``to_truth`` and ``from_truth``, in [0, 1].
    function : float
        The relative error with the constants as found: on the data, or over the domain.
    errors : FunctionErrors
        Both errors.
    size : int
        Nodes of the formula as found.
    n_effective : int
        Effective parameters of the found form.
    excess : int
        How many more effective parameters it has than the true form.
    dropped : tuple of SpareTerm
        Terms that do nothing beyond rounding; form and relation are those without them.
    kept : Expression
        What the formula is without them.
    found_form : Expression
        The found form, its constants free.
    reading : str
        Which numbers were taken as free.
    readings : mapping of str to str
        The relation by every reading that was made.
    nearest : float
        How far the formula, as found, is from the nearest member of the true form, in [0, 1].
    tolerance : float
        What counts as rounding or noise for this formula.
    e_in_f, f_in_e : Containment
        The evidence of the relation: witnesses and parameter maps.
    reason : str
        Why the form could not be judged; empty if it could.
    columns : mapping of str to Cell
        What the run's file says of the formula.
    """

    expression: Expression
    text: str
    line: int
    relation: str
    form: FormDistances
    errors: FunctionErrors
    size: int
    n_effective: int
    excess: int
    dropped: tuple[SpareTerm, ...]
    kept: Expression
    found_form: Expression
    reading: str
    readings: Mapping[str, str]
    nearest: float
    tolerance: float
    e_in_f: Containment
    f_in_e: Containment
    reason: str = ""
    columns: Mapping[str, Cell] = field(default_factory=dict)

    @property
    def function(self) -> float:
        """The relative error with the constants as found: on the data, or over the domain."""
        return self.errors.shown

    @property
    def is_right(self) -> bool:
        """Whether the form is the true one, spare parameters at values that do nothing aside."""
        if self.reason or self.errors.undefined == 1.0:
            return False
        contained = self.relation in ("e_in_f", "f_in_e")
        if self.relation == "same" or (contained and self.excess == 0):
            return True
        return self.relation == "e_in_f" and self.nearest <= self.tolerance

    @property
    def contains_truth(self) -> bool:
        """Whether the true form is the found one or a special case of it."""
        return self.is_right or (not self.reason and self.relation == "e_in_f")

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if self.reason:
            return f"not judged: {self.reason}"
        if self.errors.undefined == 1.0:
            return "undefined on the whole domain"
        extra = f"{self.excess} parameter{'s' if self.excess != 1 else ''} too many"
        if self.relation == "same":
            return "the true form"
        if self.is_right and self.excess == 0:
            return "the true form, but for the ranges of its parameters"
        if self.is_right:
            return f"the true form, with {extra} that {'do' if self.excess > 1 else 'does'} nothing"
        if self.relation == "e_in_f":
            return f"contains it, with {extra}"
        if self.relation == "f_in_e":
            return "a special case of it"
        return {"neither": "another form", "undecided": "not found to be the true form"}[
            self.relation
        ]

    @property
    def grade(self) -> str:
        """What the relation rests on: the weaker of both directions."""
        grades = {self.e_in_f.grade, self.f_in_e.grade}
        if self.relation == "undecided":
            return "searched"
        if self.relation in ("e_in_f", "f_in_e") and self.is_right:
            return "matched"
        return next(one for one in ("searched", "matched", "refuted") if one in grades)

    @property
    def order(self) -> tuple[int, int, float, float, int]:
        """The key by which rows are sorted, best first: form before function before size."""
        error = self.function if not math.isnan(self.function) else 0.0
        if self.is_right:
            return RIGHT, max(self.excess, 0), 0.0, error, self.size
        if self.reason or self.errors.undefined == 1.0:
            return UNJUDGED, 0, 1.0, error, self.size
        if self.relation == "e_in_f":
            return CONTAINING, self.excess, 0.0, error, self.size
        return OTHER, 0, self.form.mean, error, self.size

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "line": self.line,
            "text": self.text,
            "expression": str(self.expression),
            "right": self.is_right,
            "verdict": self.verdict,
            "relation": self.relation,
            "grade": self.grade,
            "form": {"to_truth": self.form.to_truth, "from_truth": self.form.from_truth},
            "function": self.function,
            "domain_error": self.errors.domain,
            "data_error": self.errors.data,
            "undefined": self.errors.undefined,
            "nearest": self.nearest,
            "size": self.size,
            "effective": self.n_effective,
            "excess": self.excess,
            "tolerance": self.tolerance,
            "dropped": [
                {"term": term.text, "effect": term.effect, "kept": term.kept}
                for term in self.dropped
            ],
            "kept": str(self.kept),
            "found_form": str(self.found_form),
            "reading": self.reading,
            "readings": dict(self.readings),
            "e_in_f": self.e_in_f.to_dict(),
            "f_in_e": self.f_in_e.to_dict(),
            "reason": self.reason,
            "columns": dict(self.columns),
        }
