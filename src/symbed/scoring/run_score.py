"""``score``: did a run find the law? Each of its formulas judged by form, function and size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from symbed._types import Floats, Seed
from symbed.errors import DataError, MissingVariable, RangeError, SymbedError
from symbed.formula_files.formulas import Formulas, Unreadable, read_formulas
from symbed.formula_files.table_rows import Cell
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.names import looks_like_a_variable, meant_variable
from symbed.language.operators import DIVIDE, Operator
from symbed.progress import Progress
from symbed.sampling.counter_rng import uniforms
from symbed.sampling.validation import checked_seed
from symbed.scoring._form_judgment import (
    AS_PRINTED,
    NOT_RELATED,
    FormDistances,
    FormJudge,
    FormJudgment,
    apart,
)
from symbed.scoring._form_pruning import Pruning
from symbed.scoring._true_form import READINGS, STRICTEST, Truth, read_truth
from symbed.scoring.scores import FunctionErrors, Score, ScoredFormula
from symbed.scoring.spare_terms import (
    COARSEST,
    Tolerance,
    drop_spare_terms,
    is_member_to_its_digits,
    rounding,
    spread,
)
from symbed.verdicts.families.form import Domain, make_grid
from symbed.verdicts.families.nearest_members import REACHED
from symbed.workbench.data_files import Data, read_data
from symbed.workbench.evaluation import evaluate
from symbed.workbench.parametrization import parametrize

# As of relate; searches mostly end by themselves well before, so that scores are repeatable.
DEFAULT_SECONDS = 5.0
MAX_NOISE = 0.05  # noise beyond this excuses no spare term
MIN_DEFINED = 0.05  # share of the points that a formula must be defined at, to be judged
NO_NUMBER_FREE, AS_WRITTEN = "no number free", "as written"  # readings that need no relation
N_NEARBY, NEARBY, NEARBY_KEY = 3, 0.2, 0x6E656172  # members around a found one, and how far off
PROTECTED = 1e-3  # gplearn's: its functions are protected where a size is at most this
# What they are elsewhere: what goes before their last operand, and the plain operator.
PLAIN: dict[str, tuple[tuple[Item, ...], Operator]] = {
    "pdiv": ((), DIVIDE), "pinv": ((1.0,), DIVIDE),
}  # fmt: skip
STANDARD_ERRORS = 3.0  # what a fit to noisy data may be off by


def score(
    run: Any,
    truth: Any,
    domain: Domain | None = None,
    *,
    data: Any = None,
    target: str | int = -1,
    values: Mapping[str, float] | Sequence[float] | None = None,
    noise: float | None = None,
    dialect: str = "auto",
    variables: Sequence[str] | None = None,
    seconds: float = DEFAULT_SECONDS,
    seed: Seed = 0,
    progress: bool | Callable[[int], None] | None = None,
) -> Score:
    r"""Judge the formulas of a run against a true form.

    Which numbers of a found formula are free: every one that is not whole, exponents included, and
    whole ones where a fitted number would stand (in front of a product, as a term of a sum). Where
    it matters, a formula is read both ways; the reading nearer to the truth counts, and
    ``ScoredFormula.readings`` has both.

    Parameters
    ----------
    run : formula, sequence, path or table
        What was found: one formula, a list, a result file, or whatever ``read_formulas`` takes.
    truth : str, Expression or SymPy object
        The true form with free parameters, such as ``"A*exp(-g*t)*cos(w*t)"``; or the true formula
        with its numbers, which are then free by the same rule.
    domain : mapping from str to range, optional
        The range of each variable; by default those of the data's columns.
    data : path, table or array, optional
        Samples: as ``symbed.workbench.read_data`` takes them.
    target : str or int
        The column of the data to predict, the last by default.
    values : mapping of str to float or sequence of float, optional
        The true values of the truth's parameters; without them they are fitted to the data.
    noise : float, optional
        The noise in what the run was fitted to, by the spread of the outputs. Terms with less of an
        effect do nothing; by default what the truth leaves of the data.
    dialect : str
        Whose formulas they are; ``"auto"`` finds out.
    variables : sequence of str, optional
        Names of the tool's numbered variables, in their order; by default the domain's.
    seconds : float
        How long the relation of one formula may be searched for.
    seed : int or numpy Generator
        Seed of the members that are tried.
    progress : bool or callable, optional
        Whether a bar is shown, or what is called with the number of formulas done.

    Returns
    -------
    Score
        After Ctrl+C, with the formulas that were judged; ``is_complete`` tells.

    Examples
    --------
    >>> found = ["-3e-6 + 1.9988*cos(2.501*t)*exp(-0.2998*t)", "1.9*cos(2.5*t)"]
    >>> judged = score(found, "A*exp(-g*t)*cos(w*t)", {"t": (0, 8)})
    >>> [(row.relation, row.verdict) for row in judged.rows]
    [('same', 'the true form'), ('f_in_e', 'a special case of it')]
    >>> print(*judged.best.dropped)
    -3e-6 left out (changes 5e-06)
    """
    if not seconds > 0:
        raise RangeError(f"seconds must be a positive number, got {seconds!r}")
    if noise is not None and not 0 <= noise < 1:
        raise RangeError(f"noise must be a share between 0 and 1, got {noise!r}")
    samples = data if data is None or isinstance(data, Data) else read_data(data, target)
    true = read_truth(truth, domain, samples, values)
    formulas = _formulas(run, dialect, tuple(variables) if variables else true.names)
    judge = FormulaJudge(true, seconds, noise, checked_seed(seed))
    rows, unread = [], list(formulas.skipped)
    try:
        with Progress("formulas", len(formulas), progress) as bar:
            for place, expression in enumerate(formulas):
                columns = {name: column[place] for name, column in formulas.columns.items()}
                line, text = formulas.lines[place], formulas.written[place]
                try:
                    rows.append(judge.judge(expression, text, line, columns))
                except SymbedError as error:
                    unread.append(Unreadable(text, error, line))
                bar.advance()
    except KeyboardInterrupt:
        if not rows:
            raise  # else what is finished is kept, and the score says that it is not complete
    unread.sort(key=lambda one: one.line)
    return Score(
        tuple(rows), true.shown(true.source), true.source.parameters, tuple(unread),
        formulas.dialect, len(formulas) + len(formulas.skipped), true.function is not None,
    )  # fmt: skip


def _formulas(run: Any, dialect: str, variables: tuple[str, ...]) -> Formulas:
    """The formulas of a run; what is no list, table or file is one formula."""
    if isinstance(run, Formulas):
        return run
    # What has ``func`` is a SymPy object, told without importing SymPy.
    is_one = isinstance(run, Expression) or hasattr(run, "func") or _is_formula_text(run)
    source = [run] if is_one else run
    formulas = read_formulas(source, dialect=dialect, variables=variables, errors="skip")
    if not len(formulas) and not formulas.skipped:
        raise DataError("the run has no formulas")
    return formulas


def _is_formula_text(run: Any) -> bool:
    """Whether a text is one formula and not the path of a file."""
    if not isinstance(run, str) or run == "-" or "\n" in run:
        return False
    try:
        # A formula may be longer than a file's name can be, which is an OSError.
        return not Path(run).exists()
    except (OSError, ValueError):
        return True


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
        row = partial(_row, expression, text or str(expression), line, columns or {})
        if found.parameters:
            return row(FunctionErrors(), replace(self.forms.judge_form(found), reading=AS_WRITTEN))
        variables = tuple(self.truth.domain)
        outputs = evaluate(found, self.truth.points, variables)
        errors = self._errors(found, outputs)
        if np.isfinite(outputs).mean() < MIN_DEFINED:
            # NaN stays: there it has no error, not an infinite one.
            errors = FunctionErrors(math.inf + errors.domain, math.inf + errors.data, 1.0)
            far = FormDistances(1.0, 1.0)
            unknown = FormJudgment("", found, "neither", NOT_RELATED, NOT_RELATED, far, 0, 0)
            return row(errors, unknown, readings={})
        tolerance = self._tolerance(found, errors.data)
        kept, dropped = drop_spare_terms(found, tolerance)
        best, made = self.forms.judge(found, kept)
        if best.reading.endswith(AS_PRINTED):  # the truth has what looked spare
            kept, dropped = found, ()
        best, pruning = self._settled(best, made, found, tolerance)
        if pruning is not None:
            kept, dropped = pruning.fitted.expression, pruning.spare
        true_form = self.truth.form(best.numbers)
        careful = best.relation == "e_in_f"  # elsewhere nothing depends on it
        nearest, member = self._nearest_true(found, true_form, careful)
        # Any wider form that is fitted to noisy data ends within the noise of the truth: here only
        # digits excuse.
        rounded = replace(tolerance, noise=0.0)
        as_printed = careful and nearest <= COARSEST and is_member_to_its_digits(
            found, true_form, member, rounded.inputs, variables
        )  # fmt: skip
        if best.relation in ("undecided", "neither") and nearest <= REACHED:
            nearby = next((one for one in made.values() if self._is_true_nearby(one, kept)), None)
            as_printed, best = nearby is not None, nearby or best
        readings = {name: judgment.relation for name, judgment in made.items()}
        readings[best.reading] = best.relation
        if as_printed:  # a member of the true form, as it stands
            readings[NO_NUMBER_FREE] = "f_in_e"
        return row(
            errors, best, dropped=dropped, kept=self.truth.shown(kept),
            found_form=self.truth.shown(best.form), readings=readings, nearest=nearest,
            tolerance=tolerance.size, truth_nearest=self._truth_nearest(best, kept),
            frees_whole_numbers=self._frees_whole_numbers(best, found, tolerance.size),
            as_printed=as_printed,
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

    def _nearest_true(
        self, found: Expression, form: Expression, careful: bool = True
    ) -> tuple[float, Floats]:
        """How far a formula is from the nearest member of a true form, and what a search found."""
        outputs = self._on_grid(found)
        distance, values = self.forms.nearest(outputs, form, careful)
        if self.truth.function is not None:
            # A member that needs no search, which many waves on the domain lead astray.
            distance = min(distance, apart(outputs, self._on_grid(self.truth.function)))
        return distance, values

    def _is_true_nearby(self, judgment: FormJudgment, kept: Expression) -> bool:
        """Whether the found form is the true one near the constants that were found.

        ``a*sqrt(x^2 + b*y^2)`` and ``c*sqrt(d*x^2 + y^2)`` are one form where b and d are positive,
        and neither contains the other: where one of them is negative, they differ. As many
        parameters, and all members around the found one in the true form: then it is that there.
        """
        form, values = parametrize(kept, READINGS[judgment.numbers])
        if judgment.excess or judgment.reason or form != judgment.form or not values:
            return False
        true_form = self.truth.form(judgment.numbers)
        variables = tuple(self.truth.domain)
        points = make_grid(self.truth.domain).points
        for number in range(N_NEARBY):
            moves = NEARBY * (2.0 * uniforms(len(values), self.seed, NEARBY_KEY, number) - 1.0)
            outputs = evaluate(form, points, variables, (np.array(values) * np.exp(moves)).tolist())
            if not np.isfinite(outputs).all():
                return False
            if self.forms.nearest(outputs, true_form)[0] > REACHED:
                return False
        return True

    def _truth_nearest(self, best: FormJudgment, kept: Expression) -> float:
        """How far the true function is from the found form, where that is a special case.

        ``kept`` is the found formula without what is spare: a member of that form.
        """
        if best.relation != "f_in_e" or self.truth.function is None:
            return math.nan
        outputs = self._on_grid(self.truth.function)
        return min(self.forms.nearest(outputs, best.form)[0], apart(outputs, self._on_grid(kept)))

    def _frees_whole_numbers(self, best: FormJudgment, found: Expression, tolerance: float) -> bool:
        """Whether a formula is the true form only if the truth's whole numbers are free."""
        if self.truth.is_form or not best.is_same:
            return False
        strict = self.truth.form(STRICTEST)
        if strict == self.truth.form(best.numbers):
            return False
        return self._nearest_true(found, strict)[0] > tolerance

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
        return self.truth.safe(_without_idle_protection(declared))

    def _tolerance(self, found: Expression, data_error: float) -> Tolerance:
        """What counts as rounding: of the printed digits, or what noise leaves open."""
        truth, variables = self.truth, tuple(self.truth.domain)
        printed = rounding(found, truth.points, variables)
        noise = self.noise
        if noise is None:
            n_numbers = sum(isinstance(item, float) for item in found.postfix) + 1
            n_samples = 1 if truth.data is None else len(truth.data.X)
            # What a formula leaves of the data is no less noise than there is, but for what its own
            # constants fit; a truth may leave more, where its fit did not find the best constants.
            own = data_error * math.sqrt(n_samples / max(n_samples - n_numbers, 1))
            left = min(truth.noise, own) if math.isfinite(own) else truth.noise
            # A fit of k constants to n samples is off by sigma sqrt(k/n), as a root mean square.
            noise = STANDARD_ERRORS * left * math.sqrt(n_numbers / n_samples)
        return Tolerance(truth.points, truth.corners, variables, printed, min(noise, MAX_NOISE))

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


def _without_idle_protection(expression: Expression) -> Expression:
    """A formula in which protected functions of numbers are plain ones, where that is the same.

    Nothing protects ``pdiv(x, 4.6)``. But with the 4.6 free, it would be 1 wherever that is small,
    and a family with such members is a special case of no law.
    """
    items: list[Item] = []
    for item in expression.postfix:
        operand = items[-1] if items else None
        if isinstance(operand, float) and abs(operand) > PROTECTED and isinstance(item, Operator):
            before, item = PLAIN.get(item.name, ((), item))
            items[-1:] = [*before, operand]
        items.append(item)
    return Expression(tuple(items), expression.declared)


def _row(
    expression: Expression,
    text: str,
    line: int,
    columns: Mapping[str, Cell],
    errors: FunctionErrors,
    judged: FormJudgment,
    **known: Any,
) -> ScoredFormula:
    """The row of a formula: the judgment of its form, and what else is known of it."""
    fields: dict[str, Any] = {
        "dropped": (), "kept": expression, "found_form": expression, "reading": judged.reading,
        "readings": {judged.reading: judged.relation}, "nearest": 1.0, "tolerance": 0.0,
    }  # fmt: skip
    return ScoredFormula(
        expression, text, line, judged.relation, judged.distances, errors, expression.size,
        judged.rank, judged.excess, e_in_f=judged.e_in_f, f_in_e=judged.f_in_e,
        reason=judged.reason, columns=columns, **(fields | known),
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
