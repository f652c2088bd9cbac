"""Judges one found formula against a truth: function, spare terms, form, size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError, MissingVariable
from symbed.formula_files.table_rows import Cell
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.names import looks_like_a_variable, meant_variable
from symbed.scoring.form_judgment import (
    AS_PRINTED,
    NOT_RELATED,
    FormDistances,
    FormJudge,
    FormJudgment,
)
from symbed.scoring.form_pruning import Pruning
from symbed.scoring.printed_digits import COARSEST, is_member_to_its_digits, rounding
from symbed.scoring.scored_formula import FunctionErrors, ScoredFormula
from symbed.scoring.spare_terms import Tolerance, drop_spare_terms, spread
from symbed.scoring.true_form import STRICTEST, Truth
from symbed.verdicts.families.form import make_grid
from symbed.workbench.evaluation import evaluate

MOST_NOISE = 0.05  # noise beyond this excuses no spare term
LEAST_DEFINED = 0.05  # share of the points that a formula must be defined at, to be judged
NO_NUMBER_FREE = "no number free"
STANDARD_ERRORS = 3.0  # what a fit to noisy data may be off by


@dataclass(eq=False)
class FormulaJudge:
    """Judges found formulas against one truth.

    Attributes
    ----------
    truth : Truth
        The truth.
    seconds : float
        How long one relation may be searched for.
    noise : float or None
        The noise of the data that formulas were fitted to, by the spread of the outputs; None takes
        what the truth leaves of the data.
    seed : int
        Seed of the members that are tried.
    """

    truth: Truth
    seconds: float = 5.0
    noise: float | None = None
    seed: int = 0

    @cached_property
    def forms(self) -> FormJudge:
        """Who judges the forms."""
        return FormJudge(self.truth, self.seconds, self.seed)

    def judge(
        self,
        expression: Expression,
        text: str = "",
        line: int = 1,
        columns: Mapping[str, Cell] | None = None,
    ) -> ScoredFormula:
        """The row of one found formula.

        Parameters
        ----------
        expression : Expression
            The formula in the user's names. With anonymous parameters it is a form, and judged as
            one: it has no function.
        text : str
            As it was written.
        line : int
            Its place in the run.
        columns : mapping of str to Cell, optional
            What the run's file says of it.

        Raises
        ------
        MissingVariable
            A name that is no variable of the domain.
        DataError
            A name that is a free parameter.
        """
        found = self._read(expression)
        if found.parameters:
            return self._judge_form(expression, found, text or str(expression), line, columns)
        variables = tuple(self.truth.domain)
        outputs = evaluate(found, self.truth.points, variables)
        errors = self._errors(found, outputs)
        label = text or str(expression)
        if np.isfinite(outputs).mean() < LEAST_DEFINED:
            return self._unjudged(expression, label, line, errors, columns)
        tolerance = self._tolerance(found)
        kept, dropped = drop_spare_terms(found, tolerance)
        best, made = self.forms.judge(found, kept)
        if best.reading.endswith(AS_PRINTED):  # the truth has what looked spare
            kept, dropped = found, ()
        best, pruning = self._settled(best, made, found, tolerance)
        if pruning is not None:
            kept, dropped = pruning.fitted.expression, pruning.spare
        true_form = self.truth.form(best.reading.split(",")[0])
        careful = best.relation == "e_in_f"  # elsewhere nothing depends on it
        nearest, member = self.forms.nearest(self._on_grid(found), true_form, careful)
        # Any wider form that is fitted to noisy data ends within the noise of the truth: here only
        # digits excuse.
        rounded = replace(tolerance, noise=0.0)
        as_printed = best.relation == "e_in_f" and nearest <= COARSEST and is_member_to_its_digits(
            found, true_form, member, rounded.inputs, variables
        )  # fmt: skip
        return ScoredFormula(
            expression, label, line, best.relation, best.distances, errors, expression.size,
            best.rank, best.excess, dropped, self.truth.shown(kept),
            self.truth.shown(best.form), best.reading,
            self._readings(best, made, as_printed),
            nearest, tolerance.size, best.e_in_f, best.f_in_e, best.reason, columns or {},
            self._truth_nearest(best), self._frees_whole_numbers(best, found, tolerance.size),
            as_printed,
        )  # fmt: skip

    def _settled(
        self,
        best: FormJudgment,
        made: Mapping[str, FormJudgment],
        found: Expression,
        tolerance: Tolerance,
    ) -> tuple[FormJudgment, Pruning | None]:
        """The judgment without what is spare in the form; no pruning where nothing is."""
        if best.reason or best.is_same or best.relation not in ("e_in_f", "undecided"):
            return best, None
        # Where nothing was found, a reading that is farther from the truth may contain it.
        others = [] if best.contains_truth else list(made.values())
        for judgment in [best, *others]:
            settled, pruning = self.forms.settle(judgment, found, tolerance)
            if settled.contains_truth:
                return settled, pruning if pruning.spare else None
        return best, None

    @staticmethod
    def _readings(
        best: FormJudgment, made: Mapping[str, FormJudgment], as_printed: bool
    ) -> dict[str, str]:
        """The relation by each reading; a formula that is a member as printed is a special case."""
        relations = {name: judgment.relation for name, judgment in made.items()}
        relations[best.reading] = best.relation
        return {**relations, **({NO_NUMBER_FREE: "f_in_e"} if as_printed else {})}

    def _truth_nearest(self, best: FormJudgment) -> float:
        """How far the true function is from the found form, where that is a special case."""
        if best.relation != "f_in_e" or self.truth.function is None:
            return math.nan
        return self.forms.nearest(self._on_grid(self.truth.function), best.form)[0]

    def _frees_whole_numbers(self, best: FormJudgment, found: Expression, tolerance: float) -> bool:
        """Whether a formula is the true form only if the truth's whole numbers are free."""
        if self.truth.is_form or not best.is_same:
            return False
        strict = self.truth.form(STRICTEST)
        if strict == self.truth.form(best.reading.split(",")[0]):
            return False
        return self.forms.nearest(self._on_grid(found), strict)[0] > tolerance

    def _read(self, expression: Expression) -> Expression:
        names = self.truth.names
        declared = expression.with_variables(names)
        unknown = [one for one in declared.names if one not in names and one != ANONYMOUS]
        if unknown:
            meant = meant_variable(unknown[0], names)
            is_variable = meant or looks_like_a_variable(unknown[0], names)
            raise (MissingVariable if is_variable else DataError)(
                f"{str(expression)!r} has a name that is no variable: {unknown[0]!r}; "
                f"the variables are {', '.join(names)}"
                + (f"; did you mean {meant!r}?" if meant else "")
            )
        return self.truth.safe(declared)

    def _tolerance(self, found: Expression) -> Tolerance:
        """What counts as rounding: of the printed digits, or what noise leaves open."""
        truth, variables = self.truth, tuple(self.truth.domain)
        printed = rounding(found, truth.points, variables)
        noise = self.noise
        if noise is None:
            n_numbers = sum(isinstance(item, float) for item in found.postfix) + 1
            n_samples = 1 if truth.data is None else len(truth.data.X)
            # A fit of k constants to n samples is off by sigma sqrt(k/n), as a root mean square.
            noise = STANDARD_ERRORS * truth.noise * math.sqrt(n_numbers / n_samples)
        return Tolerance(truth.points, truth.corners, variables, printed, min(noise, MOST_NOISE))

    def _errors(self, found: Expression, outputs: Floats) -> FunctionErrors:
        domain = data = math.nan
        undefined = float(np.mean(~np.isfinite(outputs)))
        if self.truth.outputs is not None:
            defined = np.isfinite(self.truth.outputs)
            domain = relative_error(outputs[defined], self.truth.outputs[defined])
            if defined.any():
                undefined = float(np.mean(~np.isfinite(outputs[defined])))
        samples = self.truth.data
        if samples is not None and samples.y is not None:
            data = relative_error(evaluate(found, samples.X, tuple(self.truth.domain)), samples.y)
        return FunctionErrors(domain, data, undefined)

    def _on_grid(self, found: Expression) -> Floats:
        return evaluate(found, make_grid(self.truth.domain).points, tuple(self.truth.domain))

    def _judge_form(
        self,
        expression: Expression,
        found: Expression,
        text: str,
        line: int,
        columns: Mapping[str, Cell] | None,
    ) -> ScoredFormula:
        made = self.forms.judge_form(found)
        return ScoredFormula(
            expression, text, line, made.relation, made.distances, FunctionErrors(),
            expression.size, made.rank, made.excess, (), expression, expression, "as written",
            {"as written": made.relation}, 1.0, 0.0, made.e_in_f, made.f_in_e, made.reason,
            columns or {},
        )  # fmt: skip

    def _unjudged(
        self,
        expression: Expression,
        text: str,
        line: int,
        errors: FunctionErrors,
        columns: Mapping[str, Cell] | None,
    ) -> ScoredFormula:
        errors = FunctionErrors(
            math.inf if not math.isnan(errors.domain) else math.nan,
            math.inf if not math.isnan(errors.data) else math.nan,
            1.0,
        )
        return ScoredFormula(
            expression, text, line, "neither", FormDistances(1.0, 1.0), errors, expression.size,
            0, 0, (), expression, expression, "", {}, 1.0, 0.0, NOT_RELATED, NOT_RELATED,
            "", columns or {},
        )  # fmt: skip


def relative_error(outputs: Floats, targets: Floats) -> float:
    """The RMSE by the spread of the targets; infinite where an output is undefined.

    >>> relative_error(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    0.7071067811865476
    """
    if not len(targets) or not np.isfinite(outputs).all():
        return math.inf
    with np.errstate(over="ignore"):
        rmse = float(np.sqrt(np.mean((outputs - targets) ** 2)))
    return rmse / spread(targets)
