"""``Score``: the formulas of a run, each with what its form, function and size are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from symbed._export import data_frame
from symbed.formula_files.formulas import Unreadable
from symbed.formula_files.table_rows import Cell
from symbed.language.expression import Expression
from symbed.scoring._form_judgment import FormDistances
from symbed.scoring.spare_terms import COARSEST, SpareTerm
from symbed.verdicts.families.containment import Containment
from symbed.verdicts.families.nearest_members import REACHED

COLUMNS = (
    "line", "right", "true_form", "relation", "grade", "verdict", "to_truth", "from_truth",
    "function", "domain_error", "data_error", "size", "effective", "excess", "dropped",
    "expression",
)  # fmt: skip
RIGHT, CONTAINING, SPECIAL, OTHER, UNJUDGED = range(5)

TrueForm = Literal["yes", "contains it", "special case", "no", "undecided"]
# What a relation says of a form that is not the true one.
TRUE_FORMS: dict[str, TrueForm] = {
    "e_in_f": "contains it", "f_in_e": "special case", "neither": "no",
}  # fmt: skip


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
        How far the formula, as found, is from the nearest member of the true form: the form
        distance, or the RMSE by the spread of the outputs where that is larger.
    tolerance : float
        What counts as rounding or noise for this formula.
    e_in_f, f_in_e : Containment
        The evidence of the relation: witnesses and parameter maps.
    reason : str
        Why the form could not be judged; empty if it could.
    columns : mapping of str to Cell
        What the run's file says of the formula.
    truth_nearest : float
        How far the true function is from the nearest member of the found form, where that form is a
        special case of the true one; NaN elsewhere, and where the true constants are not known.
    frees_whole_numbers : bool
        Whether it is the true form only if whole numbers of the truth are free.
    as_printed : bool
        Whether a formula that contains the true form is a member of that, to its printed digits; or
        one that neither contains it nor is a special case is one, with all that are around it.
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
    truth_nearest: float = math.nan
    frees_whole_numbers: bool = False
    as_printed: bool = False

    @property
    def function(self) -> float:
        """The relative error with the constants as found: on the data, or over the domain."""
        return self.errors.shown

    @property
    def is_right(self) -> bool:
        """Whether the form is the true one.

        What contains it is right if it is a member of it to the digits that were printed: noise
        is no such excuse. So is what overlaps with it and is the same around the constants that
        were found. A special case is right if the true constants are known to be its own.
        """
        if self.reason or self.errors.undefined == 1.0:
            return False
        if self.relation == "same" or (self.relation in ("e_in_f", "f_in_e") and not self.excess):
            return True
        if self.relation == "f_in_e":  # no tolerance here: what the truth has is never spare
            # A law whose dependence on some inputs was 1e-7 of its outputs was found without them.
            return self.truth_nearest <= REACHED
        return self.as_printed

    @property
    def true_form(self) -> TrueForm:
        """Whether the formula has the true form, in a word.

        ``contains it`` has parameters too many, ``special case`` is right for some constants of the
        true form and wrong for others; ``undecided`` was not judged, or not found to be anything.
        """
        if self.is_right:
            return "yes"
        if self.reason:
            return "undecided"
        if self.errors.undefined == 1.0:
            return "no"
        return TRUE_FORMS.get(self.relation, "undecided")

    @property
    def contains_truth(self) -> bool:
        """Whether the true form is the found one or a special case of it."""
        return self.is_right or self.true_form == "contains it"

    @property
    def may_be_right(self) -> bool:
        """Whether it is a special case, and nothing tells that the true constants are others."""
        is_open = math.isnan(self.truth_nearest) or self.truth_nearest <= self.tolerance
        return self.true_form == "special case" and is_open

    @property
    def verdict(self) -> str:
        """The answer in words."""
        if self.reason:
            return f"not judged: {self.reason}"
        if self.errors.undefined == 1.0:
            return "undefined on the whole domain"
        if self.is_right:
            return self._right_verdict
        within = ", which the noise does not tell from it"
        if self.relation == "e_in_f":
            wider = f"contains it, with {_too_many(self.excess)}"
            # Digits excuse COARSEST at most: a larger tolerance is one of noise.
            return wider + within * (self.nearest <= self.tolerance > COARSEST)
        if self.relation == "f_in_e":
            return "a special case of it" + within * (self.truth_nearest <= self.tolerance)
        return "another form" if self.relation == "neither" else "not found to be the true form"

    @property
    def _right_verdict(self) -> str:
        if self.frees_whole_numbers:
            return "the true form, if its whole numbers are free"
        if self.relation == "same":
            return "the true form"
        if self.excess == 0:
            return "the true form, but for the ranges of its parameters"
        if self.relation == "f_in_e":
            return "the true form at its true constants"
        return f"the true form as printed; with free numbers it has {_too_many(self.excess)}"

    @property
    def grade(self) -> str:
        """What the relation rests on: the weaker of both directions."""
        grades = {self.e_in_f.grade, self.f_in_e.grade}
        if self.relation != "same" and self.is_right:
            return "matched"
        if self.relation == "undecided":
            return "searched"
        return next(one for one in ("searched", "matched", "refuted") if one in grades)

    @property
    def order(self) -> tuple[int, int, float, float, int]:
        """The key by which rows are sorted, best first: form before function before size."""
        # Without true constants and data no row has an error, and NaN has no place in an order.
        error = self.function if not math.isnan(self.function) else 0.0
        if self.is_right:
            return RIGHT, max(self.excess, 0), 0.0, error, self.size
        if self.reason or self.errors.undefined == 1.0:
            return UNJUDGED, 0, 1.0, error, self.size
        if self.relation == "e_in_f":
            return CONTAINING, self.excess, 0.0, error, self.size
        return SPECIAL if self.may_be_right else OTHER, 0, self.form.mean, error, self.size

    def _cells(self) -> dict[str, Any]:
        """The row of a table: what a reader looks for first."""
        terms = "; ".join(map(str, self.dropped))
        cells = {**self.to_dict(), **self.form._asdict(), "dropped": terms, "expression": self.text}
        return {name: cells[name] for name in COLUMNS}

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "line": self.line,
            "text": self.text,
            "expression": str(self.expression),
            "right": self.is_right,
            "true_form": self.true_form,
            "verdict": self.verdict,
            "relation": self.relation,
            "grade": self.grade,
            "form": self.form._asdict(),
            "function": self.function,
            "domain_error": self.errors.domain,
            "data_error": self.errors.data,
            "undefined": self.errors.undefined,
            "nearest": self.nearest,
            "truth_nearest": self.truth_nearest,
            "size": self.size,
            "effective": self.n_effective,
            "excess": self.excess,
            "tolerance": self.tolerance,
            "as_printed": self.as_printed,
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


def _too_many(excess: int) -> str:
    return f"{excess} parameter{'s' if excess != 1 else ''} too many"


@dataclass(frozen=True, eq=False, repr=False)
class Score:
    """The formulas of a run, judged against a truth.

    Attributes
    ----------
    rows : tuple of ScoredFormula
        One for each formula, in the run's order.
    truth : Expression
        The truth as it was given.
    parameters : tuple of str
        Its free parameters; every name that is no variable is one.
    unread : tuple of Unreadable
        Formulas that could not be read or have names that are no variables, with their lines.
    dialect : str
        Whose formulas they were read as.
    n_expected : int
        How many formulas the run has; more than are here where the work was interrupted.
    has_true_constants : bool
        Whether the true constants are known, so that a special case can be told from the truth.
    """

    rows: tuple[ScoredFormula, ...]
    truth: Expression
    parameters: tuple[str, ...] = ()
    unread: tuple[Unreadable, ...] = ()
    dialect: str = "infix"
    n_expected: int = 0
    has_true_constants: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every formula was judged, or is listed as unread."""
        return len(self.rows) + len(self.unread) >= self.n_expected

    @cached_property
    def ranked(self) -> tuple[ScoredFormula, ...]:
        """The rows, best first: right forms, then what contains them, then by form distance.

        Where the true constants are not known, special cases come before other forms.
        """
        return tuple(sorted(self.rows, key=lambda row: (*row.order, row.line)))

    @property
    def best(self) -> ScoredFormula | None:
        """The best row; None where no formula could be read."""
        return self.ranked[0] if self.rows else None

    @property
    def is_found(self) -> bool:
        """Whether a formula of the run has the true form."""
        return any(row.is_right for row in self.rows)

    @cached_property
    def front(self) -> tuple[ScoredFormula, ...]:
        """The rows that no smaller one beats, by size: the Pareto front of error and size.

        Error is the file's ``loss`` or the function's, size its ``complexity`` or the nodes.
        """
        best, front = float("inf"), []
        for row in sorted(self.rows, key=lambda row: (size_of(row), loss_of(row))):
            if loss_of(row) < best:
                best = loss_of(row)
                front.append(row)
        return tuple(front)

    @property
    def appearance(self) -> str:
        """Where the truth appears on the Pareto front, in words."""
        places = [place for place, row in enumerate(self.front, 1) if row.is_right]
        if places:
            row = self.front[places[0] - 1]
            return (
                f"the true form appears on the Pareto front at place {places[0]} of "
                f"{len(self.front)} (size {size_of(row):g}, line {row.line})"
            )
        right = [row for row in self.rows if row.is_right]
        if right:
            lines = ", ".join(str(row.line) for row in right[:5])
            where = ", but is not on the Pareto front" if self.front else ""
            return f"the true form was found (line {lines}){where}"
        wider = [row for row in self.ranked if row.contains_truth]
        if wider:
            return f"the true form was not found; line {wider[0].line} {wider[0].verdict}"
        special = [row for row in self.ranked if row.may_be_right]
        if special:
            return f"the true form was not found; line {special[0].line} is {special[0].verdict}"
        return "the true form was not found"

    def to_dict(self) -> dict[str, Any]:
        """All rows as plain values for JSON, best first."""
        return {
            "truth": str(self.truth),
            "parameters": list(self.parameters),
            "dialect": self.dialect,
            "complete": self.is_complete,
            "found": self.is_found,
            "appearance": self.appearance,
            "rows": [row.to_dict() for row in self.ranked],
            "front": [row.line for row in self.front],
            "unread": [
                {"line": one.line, "text": one.label, "error": str(one.error).split("\n")[0]}
                for one in self.unread
            ],
        }

    def to_frame(self) -> Any:
        """A pandas table with a row for each formula, best first."""
        return data_frame(self.to_columns())

    def to_columns(self) -> dict[str, list[Any]]:
        """The table as columns: the run's own behind ours."""
        rows = [row._cells() for row in self.ranked]
        table = {name: [cells[name] for cells in rows] for name in COLUMNS}
        for name in dict.fromkeys(name for row in self.rows for name in row.columns):
            table.setdefault(name, [row.columns.get(name) for row in self.ranked])
        return table

    def __len__(self) -> int:
        return len(self.rows)

    def _repr_html_(self) -> str:
        from symbed._notebook import score_html

        return score_html(self)

    def __repr__(self) -> str:
        right = sum(row.is_right for row in self.rows)
        unread = f", {len(self.unread)} unread" if self.unread else ""
        return f"Score({len(self.rows)} formulas, {right} with the true form{unread})"


def size_of(row: ScoredFormula) -> float:
    """The complexity that the run's file says, or the number of nodes."""
    return _number(row, "complexity", float(row.size))


def loss_of(row: ScoredFormula) -> float:
    """The loss that the run's file says, or the function's error."""
    loss = _number(row, "loss", row.function)
    # NaN has no place in an order.
    return float("inf") if loss != loss else loss


def _number(row: ScoredFormula, name: str, otherwise: float) -> float:
    cell = row.columns.get(name)
    return float(cell) if isinstance(cell, int | float) else otherwise
