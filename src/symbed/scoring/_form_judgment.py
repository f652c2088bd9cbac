"""Judges the form of a found formula: how it relates to the true form, by each of its readings.

Which numbers of a formula are free is read in more than one way (`symbed.scoring._true_form`), with
and without its spare terms. The reading that comes nearest to the truth counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.errors import SymbedError
from symbed.language.expression import Expression
from symbed.scoring._form_pruning import FittedForm, Pruning, prunings
from symbed.scoring._true_form import READINGS, Truth
from symbed.scoring.spare_terms import Tolerance, spread
from symbed.verdicts.families.containment import Containment
from symbed.verdicts.families.drawn_members import Members
from symbed.verdicts.families.effective_parameters import effective_rank
from symbed.verdicts.families.form import make_grid, read_form
from symbed.verdicts.families.nearest_members import form_distances_of, nearest_members
from symbed.verdicts.families.relation import Relation, relate
from symbed.workbench.parametrization import parametrize

# What is added to a reading, behind a comma: `FormJudgment.numbers` is what stands before it.
AS_PRINTED = ", as printed"
WITHOUT_SPARE = ", without what is spare"
NOT_RELATED = Containment(None, "searched")
MAX_SPARE = 3  # parameters too many in a form whose relation is looked for among prunings


class FormDistances(NamedTuple):
    """The directed form distances, in [0, 1]: 0 where contained.

    Attributes
    ----------
    to_truth : float
        From the found form to the true one: 0 where every member of it is a member of the truth.
    from_truth : float
        From the true form to the found one: 0 where the found form contains the truth.
    """

    to_truth: float
    from_truth: float

    @property
    def mean(self) -> float:
        """The symmetric form distance."""
        return (self.to_truth + self.from_truth) / 2


@dataclass(frozen=True)
class FormJudgment:
    """How the form of a found formula relates to the true form, by one reading of its numbers.

    Attributes
    ----------
    reading : str
        Which numbers are free, a key of ``READINGS``; "as printed" is added where spare terms were
        not left out.
    form : Expression
        The found form.
    relation : str
        As `symbed.Relation` has it; E is the true form, F the found one.
    e_in_f, f_in_e : Containment
        The evidence.
    distances : FormDistances
        The form distances both ways.
    rank, excess : int
        Effective parameters of the found form, and how many more than the truth's these are.
    reason : str
        Why there is no relation; empty if there is one.
    """

    reading: str
    form: Expression
    relation: str
    e_in_f: Containment
    f_in_e: Containment
    distances: FormDistances
    rank: int
    excess: int
    reason: str = ""

    @property
    def numbers(self) -> str:
        """The reading of the numbers alone, a key of ``READINGS``."""
        return self.reading.split(",")[0]

    @property
    def is_same(self) -> bool:
        """Whether it is the true form, but perhaps for the ranges of parameters."""
        # One inside the other, of the same dimension: only ranges of parameters differ.
        contained = self.relation in ("e_in_f", "f_in_e")
        return self.relation == "same" or (contained and self.excess == 0)

    @property
    def contains_truth(self) -> bool:
        """Whether the true form is a special case of it, or the same."""
        return self.relation in ("same", "e_in_f") or self.is_same

    @property
    def order(self) -> tuple[int, int, float]:
        """The nearer to the truth, the smaller."""
        if self.is_same:
            return 0, 0, self.distances.mean
        if self.contains_truth:
            return 1, self.excess, self.distances.mean
        return 2 if self.relation == "f_in_e" else 3, 0, self.distances.mean


@dataclass(eq=False)
class FormJudge:
    """Judges found forms against one truth, as ``FormulaJudge`` does; remembers what it judged."""

    truth: Truth
    seconds: float
    seed: int
    _known: dict[tuple[Expression, Expression], Relation | str] = field(default_factory=dict)
    _ranks: dict[Expression, int] = field(default_factory=dict)

    def judge(
        self, found: Expression, without_spare: Expression
    ) -> tuple[FormJudgment, Mapping[str, FormJudgment]]:
        """The judgment that counts, and those by all readings, of a formula with its numbers."""
        made: dict[str, FormJudgment] = {}
        self._judge_readings(without_spare, "", made)
        if without_spare != found and not any(one.relation == "same" for one in made.values()):
            self._judge_readings(found, AS_PRINTED, made)
        elif without_spare != found:  # for the reader; it cannot be nearer
            self._judge_reading(found, AS_PRINTED, next(iter(READINGS)), made)
        best = min(made.values(), key=lambda judgment: judgment.order)
        return best, made

    def _judge_readings(
        self, expression: Expression, suffix: str, made: dict[str, FormJudgment]
    ) -> None:
        """The judgments by the readings that may come nearer to the truth."""
        contains = False
        for place, reading in enumerate(READINGS):
            # The last reading frees less than the others, and holds no form that they lack (a truth
            # with numbers is read along); nor does a formula as printed by a second reading.
            is_last = self.truth.is_form and place == len(READINGS) - 1
            if not contains and (is_last or (place and suffix)):
                return
            judgment = self._judge_reading(expression, suffix, reading, made)
            if judgment.relation == "same":
                return
            contains = contains or judgment.contains_truth

    def _judge_reading(
        self, expression: Expression, suffix: str, reading: str, made: dict[str, FormJudgment]
    ) -> FormJudgment:
        """The judgment by one reading; not noted where it is that of another reading."""
        form = parametrize(expression, READINGS[reading])[0]
        judgment = self._judged(reading, suffix, form)
        known = {(self.truth.form(one.numbers), one.form) for one in made.values()}
        if (self.truth.form(reading), form) not in known:
            made[judgment.reading] = judgment
        return judgment

    def settle(
        self, judgment: FormJudgment, expression: Expression, tolerance: Tolerance
    ) -> tuple[FormJudgment, Pruning]:
        """The judgment of a formula that may have terms and constants to spare, without these.

        A form that contains the truth is the truth if what it has too much does nothing: each term
        that is left out and each constant that is put where the truth has it is named, all of them
        move the outputs by no more than the tolerance, and what remains is the true form. Parts
        that cancel each other are nothing of the kind, however well they do. If the truth is not
        what remains, the judgment is the one given, and nothing is pruned.
        """
        reading = judgment.numbers
        begin = Pruning(FittedForm.of(expression, READINGS[reading]))
        before = begin.fitted.outputs(tolerance)
        rank = self.truth.rank(reading)

        def judged(fitted: FittedForm) -> FormJudgment:
            return self._judged(reading, WITHOUT_SPARE, fitted.form)

        def contains(fitted: FittedForm) -> bool:
            # Fewer constants than the truth has dimensions cannot hold it; no search is needed.
            return len(fitted.constants) >= rank and judged(fitted).contains_truth

        is_known = judgment.contains_truth
        # If nothing is known, special cases are only asked whether they contain the truth: if one
        # does, so does the form itself, however far outputs move on the way.
        farthest = tolerance.size if is_known else np.inf
        path = [begin, *prunings(
            begin, before, tolerance, farthest, leaves_out_terms=is_known)]  # fmt: skip
        path = [step for step in path if len(step.fitted.constants) >= rank]
        near = [step for step in path[1:] if len(step.fitted.constants) <= rank + MAX_SPARE]
        # Each step is a special case of those before it, so the last that contains it tells of all.
        last = next((step for step in reversed(near) if contains(step.fitted)), None)
        if last is not None and not is_known:
            way = judged(last.fitted).e_in_f
            reason = f"contains {self.truth.shown(last.fitted.form)}: {way.reason}"
            judgment = replace(
                judgment, relation="e_in_f", e_in_f=replace(way, reason=reason, substitution=None),
                distances=FormDistances(judgment.distances.to_truth, way.distance),
            )  # fmt: skip
        if not judgment.contains_truth:
            return judgment, begin
        spare = [step for step in path if step.effect <= tolerance.size]
        known = path.index(last) if last is not None else 0
        least = spare[min(known, len(spare) - 1)]
        for step in prunings(
            least, before, tolerance, tolerance.size, self.truth.numbers, keeps=contains,
            rank=lambda fitted: self._rank(fitted.form),
        ):  # fmt: skip
            least = step
        if least.spare and judged(least.fitted).is_same:
            return judged(least.fitted), least
        return judgment, begin

    def judge_form(self, form: Expression) -> FormJudgment:
        """The judgment of a found form, whose free parameters are written in it."""
        return self._judged(next(iter(READINGS)), "", form)

    def nearest(
        self, outputs: Floats, form: Expression, careful: bool = True
    ) -> tuple[float, Floats]:
        """How far a function is from the nearest member of a form, and the values of that.

        Measured as by `apart`. It is what a search finds, and so an upper bound.

        Parameters
        ----------
        outputs : ndarray of shape (n_points,)
            Its values on the grid of the domain.
        form : Expression
            The form: the true one by some reading, or the found one.
        careful : bool
            Whether to search on where the first descents did not reach it.
        """
        family = read_form(form, self.truth.domain, self.truth.parameters)
        targets = Members(np.empty((1, 0)), np.where(np.isfinite(outputs), outputs, np.nan)[None])
        if not np.isfinite(targets.outputs).any():
            return 1.0, np.full(family.n_parameters, np.nan)
        points = make_grid(self.truth.domain).points
        found = nearest_members(family, points, targets, careful)
        with np.errstate(all="ignore"):
            member = family.outputs(points, found.values)[0]
        return max(float(found.distances[0]), apart(outputs, member)), found.values[0]

    def _judged(self, reading: str, suffix: str, form: Expression) -> FormJudgment:
        related = self._relation(self.truth.form(reading), form)
        rank = self._rank(form)
        sizes = rank, rank - self.truth.rank(reading)
        if isinstance(related, str):
            nothing = NOT_RELATED, NOT_RELATED, FormDistances(1.0, 1.0)
            return FormJudgment(reading + suffix, form, "undecided", *nothing, *sizes, related)
        distances = FormDistances(related.f_in_e.distance, related.e_in_f.distance)
        e_in_f, f_in_e = (
            replace(way, reason=self.truth.shown_text(way.reason))
            for way in (related.e_in_f, related.f_in_e)
        )
        return FormJudgment(
            reading + suffix, form, related.relation, e_in_f, f_in_e, distances, *sizes
        )

    def _relation(self, truth: Expression, form: Expression) -> Relation | str:
        """The relation of two forms, or why there is none."""
        pair = truth, form
        if pair not in self._known:
            try:
                with np.errstate(all="ignore"):  # found constants overflow what members do not
                    self._known[pair] = relate(
                        truth, form, self.truth.domain, self.truth.parameters,
                        seconds=self.seconds, seed=self.seed,
                    )  # fmt: skip
            except SymbedError as error:
                self._known[pair] = self.truth.shown_text(str(error).split("\n")[0])
            except RecursionError:  # products of thousands of factors, in algebra that recurses
                self._known[pair] = "nested too deeply"
            except MemoryError:  # one long formula must not end the judgment of the others
                self._known[pair] = "its relation to the truth needs more memory than there is"
        return self._known[pair]

    def _rank(self, form: Expression) -> int:
        if form not in self._ranks:
            try:
                rank = effective_rank(form, self.truth.domain) if form.parameters else 0
            except SymbedError:  # undefined wherever it was looked at
                rank = len(form.parameters)
            self._ranks[form] = rank
        return self._ranks[form]


def apart(outputs: Floats, others: Floats) -> float:
    """How far two functions are apart, by their outputs at the same points.

    The form distance, or the RMSE by the spread of the outputs where that is larger: beside an
    offset of 1000 a wave of 1 is no small thing. 1 where the others are undefined.
    """
    defined = np.isfinite(outputs)
    if not defined.any():
        return 1.0
    with np.errstate(all="ignore"):
        off = others[defined] - outputs[defined]
        error = float(np.sqrt(np.mean(off**2))) / spread(outputs)
    distance = float(form_distances_of(outputs[None], others[None])[0])
    return max(distance, error if np.isfinite(error) else 1.0)
