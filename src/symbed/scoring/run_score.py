"""``score``: did a run find the law? Each of its formulas judged by form, function and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symbed._export import data_frame
from symbed._types import Seed
from symbed.errors import DataError, RangeError, SymbedError
from symbed.formula_files.formulas import Formulas, Unreadable, read_formulas
from symbed.language.expression import Expression
from symbed.progress import Progress
from symbed.sampling.validation import checked_seed
from symbed.scoring.formula_judgment import FormulaJudge
from symbed.scoring.scored_formula import ScoredFormula
from symbed.scoring.true_form import read_truth
from symbed.verdicts.families.form import Domain
from symbed.workbench.data.data_files import Data, read_data

# As of relate; searches mostly end by themselves well before, so that scores are repeatable.
DEFAULT_SECONDS = 5.0


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
        table: dict[str, list[Any]] = {
            "line": [row.line for row in self.ranked],
            "right": [row.is_right for row in self.ranked],
            "true_form": [row.true_form for row in self.ranked],
            "relation": [row.relation for row in self.ranked],
            "grade": [row.grade for row in self.ranked],
            "verdict": [row.verdict for row in self.ranked],
            "to_truth": [row.form.to_truth for row in self.ranked],
            "from_truth": [row.form.from_truth for row in self.ranked],
            "function": [row.function for row in self.ranked],
            "domain_error": [row.errors.domain for row in self.ranked],
            "data_error": [row.errors.data for row in self.ranked],
            "size": [row.size for row in self.ranked],
            "effective": [row.n_effective for row in self.ranked],
            "excess": [row.excess for row in self.ranked],
            "dropped": ["; ".join(map(str, row.dropped)) for row in self.ranked],
            "expression": [row.text for row in self.ranked],
        }
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
    samples = _samples(data, target)
    what = read_truth(truth, domain, samples, values)
    formulas = _formulas(run, dialect, tuple(variables) if variables else what.names)
    judge = FormulaJudge(what, seconds, noise, checked_seed(seed))
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
        tuple(rows), what.shown(what.source), what.source.parameters, tuple(unread),
        formulas.dialect, len(formulas) + len(formulas.skipped), what.function is not None,
    )  # fmt: skip


def _samples(data: Any, target: str | int) -> Data | None:
    if data is None or isinstance(data, Data):
        return data
    return read_data(data, target)


def _formulas(run: Any, dialect: str, variables: tuple[str, ...]) -> Formulas:
    """The formulas of a run; what is no list, table or file is one formula."""
    if isinstance(run, Formulas):
        return run
    source = run
    # What has ``func`` is a SymPy object, told without importing SymPy.
    if isinstance(run, Expression) or hasattr(run, "func") or _is_formula_text(run):
        source = [run]
    formulas = read_formulas(source, dialect=dialect, variables=variables, errors="skip")
    if not len(formulas) and not formulas.skipped:
        raise DataError("the run has no formulas")
    return formulas


def _is_formula_text(run: Any) -> bool:
    """Whether a text is one formula and not the path of a file."""
    if not isinstance(run, str) or run == "-" or "\n" in run:
        return False
    from pathlib import Path

    try:
        # A formula may be longer than a file's name can be, which is an OSError.
        return not Path(run).exists()
    except (OSError, ValueError):
        return True
