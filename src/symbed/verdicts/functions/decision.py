"""``decide``: are two formulas without free parameters the same function on a domain?

Differences are looked for where they are likely, at exact points: generic ones with rising
precision, simple ones, and on, beside and between the places where the formulas switch their form.
A difference that holds on a small box is a region and decides; one that does not is an exception.
Where none is found, a rigorous bound of the difference is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any

from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.language.operators import Operator
from symbed.verdicts._budgets import Budget, BudgetSpent
from symbed.verdicts.algebra.normal_forms import Algebra, analyze
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    Definedness,
    Value,
    as_ball,
    is_defined,
    is_exact,
    set_precision,
    working_precision,
)
from symbed.verdicts.domains import (
    Box,
    Interval,
    Point,
    checked_formulas,
    far_points,
    generic_points,
    simple_points,
)
from symbed.verdicts.functions._bounds import Bound, prove_bound, whole_ranges
from symbed.verdicts.functions._comparisons import (
    LEVELS,
    Comparer,
    Outcome,
)
from symbed.verdicts.functions._events import Event, around_events, combined, find_events
from symbed.verdicts.functions._point_exceptions import exact_exceptions, irrational_exceptions
from symbed.verdicts.functions._switches import Switch, extremal_points, find_switches
from symbed.verdicts.functions.verdict import PointException, Verdict

N_GENERIC = 32
N_FINE = (12, 5, 3)  # of these, how many are compared at the second, third and fourth precision
N_SLOPES = 2  # of these, where slopes are compared too
N_LINES = 2  # lines along each variable, where a switch depends on several
EVENT_BITS = LEVELS[1]
ENCLOSURE_DIGITS = 15
LEAST_SHOWN = 1e-13  # of a value: a smaller difference is not seen in so many digits
MAX_UNKNOWN = 12  # points without a result that are tried again with more bits
LEAST_KNOWN = 0.25  # of the generic points: fewer say nothing about the whole
N_SIMPLE_TRIED = 8
EXACTLY_EQUAL = (Outcome.IDENTICAL, Outcome.NEITHER)
DEFAULT_SECONDS = 5.0
# Operations of about 1 us, for the search and as many for the bound: the clock ends a decision only
# where it gets less than half of a core. Of what five seconds allow, the hardest of 553 labeled
# pairs takes a twelfth for its search, and another one a third for its bound.
WORK_PER_SECOND = 200_000


def decide(
    e: Any,
    f: Any,
    domain: Mapping[str, Any],
    *,
    seconds: float = DEFAULT_SECONDS,
    bound: bool = True,
) -> Verdict:
    """Whether two formulas are the same function on a domain.

    Formulas are functions of real numbers, not of floats, and a literal is the decimal that it
    shows: ``0.1*x + 0.2*x`` is ``0.3*x``. A point where only one of them is defined is a
    difference; one where neither is, is none.

    Parameters
    ----------
    e, f : str, Expression or SymPy object
        Formulas without free parameters: text, an ``Expression`` or a SymPy object.
    domain : mapping
        For each variable its range ``(low, high)``; an end may be infinite, and a range may
        be one point.
    seconds : float
        How long to try at most; what was established by then is returned. The search ends by the
        work that these seconds allow, which is the same on every machine, and by the clock only
        where that takes longer.
    bound : bool
        Whether a rigorous bound of the difference is tried where none is found.

    Returns
    -------
    Verdict
        ``equal``, ``different`` or ``undecided``, with its grade and evidence.

    Raises
    ------
    RangeError
        A formula with free parameters (see ``relate``), or a range that cannot be.
    MissingVariable
        A name that looks like a variable which the domain lacks.
    MissingRange
        An empty domain.

    Examples
    --------
    >>> print(decide("ln(x^2)", "2*ln(x)", {"x": (-5, 5)}).witness)
    {'x': Fraction(-1, 1)}
    >>> decide("x/x", "1", {"x": (-1, 1)}).exceptions[0].point
    {'x': '0'}
    """
    box = Box.of(domain)
    formulas = checked_formulas((e, f), box.names)
    if not seconds > 0:
        raise RangeError(f"seconds must be a positive number, got {seconds!r}")
    work = WORK_PER_SECOND * seconds
    return decide_within(formulas, box, Budget(seconds, work), work if bound else 0.0)


def decide_within(
    formulas: tuple[Expression, Expression], box: Box, budget: Budget, bound_work: float = 0.0
) -> Verdict:
    """``decide`` for formulas and a domain that were read already, within a budget.

    A bound is looked for with ``bound_work`` beyond that, and not at all without.
    """
    with working_precision(LEVELS[0]):
        return _Decision(formulas, box, budget, bound_work).verdict()


class _Decision:
    """One call of ``decide``."""

    def __init__(
        self, formulas: tuple[Expression, Expression], box: Box, budget: Budget, bound_work: float
    ) -> None:
        self.program = BallProgram.of(formulas)
        self.box, self.budget, self.bound_work = box, budget, bound_work
        self.comparer = Comparer(self.program, box, budget)
        self.fillers = list(generic_points(box, N_GENERIC if box.free else 1))
        self.events: list[tuple[Interval, Point, Event]] = []
        self.irrational: list[PointException] = []
        self.searched = False
        self.algebra = Algebra()

    def verdict(self) -> Verdict:
        """Look for a difference, then for a bound."""
        if self.program.missing:
            return self._undecided(f"{self.program.missing[0]!r} has no ball version")
        note = ""
        try:
            witness = self._difference()
            if witness is not None:
                return self._different(witness)
            self.searched = True
            self.irrational = irrational_exceptions(self.program, self.events)
        except BudgetSpent:
            why = "time was up" if self.budget.is_late else "the work that seconds allows was done"
            note = f"{why} before every place was looked at"
        if not self._known():
            return self._undecided(note or self._obstacle())
        return self._equal(note)

    def _difference(self) -> Point | None:
        """A point around which the formulas differ on a region."""
        comparer = self.comparer
        if not self.box.free:
            # A domain of one point has no smaller regions: a difference there is one on all of it.
            point = self.fillers[0]
            return point if comparer.at(point, LEVELS[-1]).differs else None
        witness = comparer.first_region(self.fillers, LEVELS[0])
        if witness is not None:
            return witness
        # Not before: what differs at the cheap points needs no algebra.
        self._use_algebra()
        # The finest level costs ten times the one before: it waits until all events were looked at.
        *fine, finest = zip(N_FINE, LEVELS[1:], strict=True)
        witness = self._difference_in_detail(fine)
        if witness is None:
            places = chain(simple_points(self.box), far_points(self.box))
            witness = self.comparer.first_region(places, EVENT_BITS)
        # A needle is a better witness than the thousandth digit beside it.
        if witness is None or not self.comparer.is_visible(witness):
            witness = self._difference_at_events() or witness
        if witness is None:
            witness = self._difference_in_detail([finest])
        if witness is None and not self.algebra.identical:
            ends = islice(simple_points(self.box), N_SIMPLE_TRIED)
            witness = self.comparer.first_by_slopes([*self.fillers[:N_SLOPES], *ends])
        return witness

    def _difference_in_detail(self, levels: Iterable[tuple[int, int]]) -> Point | None:
        """A difference at generic points with more bits; for each level how many, and the bits."""
        comparer = self.comparer
        for count, bits in levels:
            if self.algebra.identical and not comparer.n_unknown:
                break  # their values cannot differ; only where they are defined is left to see
            # Where fewer bits told nothing, more may.
            points = self.fillers[:count] + comparer.unknown(self.fillers[count:])[:MAX_UNKNOWN]
            witness = comparer.first_region(points, bits)
            if witness is not None:
                return witness
        return None

    def _use_algebra(self) -> None:
        """Look for identities by algebra, which also tell hidden zeros."""
        set_precision(LEVELS[0])
        # Enclosures over the whole domain: where they have one sign, abs and powers have one form.
        traced = self.program.trace(whole_ranges(self.box))
        low = {side.name: side.low for side in self.box.sides}
        nonnegative = frozenset(n for n, end in low.items() if end is not None and end >= 0)
        self.algebra = analyze(self.program, nonnegative, traced)
        known = {**self.algebra.constants, **dict.fromkeys(self.algebra.nowhere, UNDEFINED)}
        if known:
            self.program = replace(self.program, known=known)
            # A comparer remembers outcomes and does not try again with the same bits: where some
            # are unknown that algebra may tell now, a fresh one starts over.
            unknown = self.comparer.n_unknown
            self.comparer.program = self.program
            if unknown:
                self.comparer = Comparer(self.program, self.box, self.budget)
                self.comparer.first_region(self.fillers, LEVELS[0])

    def _difference_at_events(self) -> Point | None:
        switches = find_switches(self.program)
        places: dict[str, list[Any]] = {}
        for side in self.box.free:
            # Of one variable alone: its places are the same on every line along that variable.
            alone = [switch for switch in switches if switch.names(self.program) == {side.name}]
            places[side.name], witness = self._along(side, self.fillers[0], alone)
            if witness is not None:
                return witness
        if len(self.box.free) == 1:
            return None
        witness = self.comparer.first_region(combined(self.box, places, self.fillers), EVENT_BITS)
        if witness is not None:
            return witness
        # An island in several variables, as max(0, 1e-7 - x^2 - y^2) has, is missed by generic
        # lines; its top is where the switch's function is largest.
        extremal = extremal_points(self.program, self.box, switches, self.budget)
        witness = self.comparer.first_region(extremal, EVENT_BITS)
        return self._difference_on_lines(switches) if witness is None else witness

    def _along(
        self, side: Interval, base: Point, switches: list[Switch], turns: bool = True
    ) -> tuple[list[Any], Point | None]:
        """The places of events on a line, and a difference on, beside or between them."""
        events = find_events(self.program, switches, side, base, self.budget, turns)
        self.events += [(side, base, event) for event in events]
        points = ({**base, side.name: place} for place in around_events(side, events))
        places = list(dict.fromkeys(event.place for event in events))
        return places, self.comparer.first_region(points, EVENT_BITS)

    def _difference_on_lines(self, switches: list[Switch]) -> Point | None:
        """Events of switches that depend on several variables, along lines."""
        # The first filler was the base of the events above.
        for base in self.fillers[1 : 1 + N_LINES]:
            for side in self.box.free:
                _, witness = self._along(side, base, switches, turns=False)
                if witness is not None:
                    return witness
        return None

    def _known(self) -> bool:
        """Whether enough of the generic points could be compared to say anything."""
        try:
            # Outcomes are looked up unless the budget ended among these points: then it ends again.
            return self.comparer.share_known(self.fillers) >= LEAST_KNOWN
        except BudgetSpent:
            return False

    def _obstacle(self) -> str:
        place = self.comparer.where_unknown(self.fillers[0])
        if place is None:
            return "values are too large to be enclosed"
        row = self.program.steps[place].item
        name = row.name if isinstance(row, Operator) else str(row)
        return f"{name!r} of a number that cannot be told from the edge of its domain"

    # Verdicts

    def _simplest(self, witness: Point) -> Point:
        """A witness that is easy to read, if one of a few simple points is one too."""
        try:
            for point in islice(simple_points(self.box), N_SIMPLE_TRIED):
                differs = self.comparer.at(point, LEVELS[0]).differs
                # Beside a needle they differ too, by 1e-1000: the needle is the better witness.
                differs = differs and self.comparer.is_visible(point)
                if differs and self.comparer.differs_on_box(point):
                    return point
        except BudgetSpent:
            pass
        return witness

    def _different(self, witness: Point) -> Verdict:
        witness = self._simplest(witness)
        outcome = self.comparer.at(witness, LEVELS[-1])
        values = self.comparer.enclosures(witness, max(self.comparer.bits, LEVELS[0]))
        return Verdict(
            "different",
            "witnessed",
            witness={name: _fraction(value) for name, value in witness.items()},
            values=(_shown(values[0]), _shown(values[1])),
            reason=outcome.reason,
            note=_small_difference(*values, self.comparer.bits),
            **self._counts(),
        )

    def _undecided(self, note: str) -> Verdict:
        return Verdict("undecided", note=note, **self._counts())

    def _equal(self, note: str) -> Verdict:
        exceptions = tuple(exact_exceptions(self.comparer) + self.irrational)
        if not self.comparer.n_defined:
            said = "neither formula is defined at any of the points compared"
            note = f"{said}; {note}" if note else said
        proven: Bound | None = None
        if self.bound_work and self.searched:
            proven = self._bound()
            if proven is not None and proven.witness is not None:
                # A difference that the search did not see; it still has to be one on a region.
                region = self.comparer.region_near(proven.witness)
                if region is not None:
                    return self._different(region)
                proven = None
        return Verdict(
            "equal",
            "sampled" if proven is None else "bounded",
            exceptions=exceptions,
            bound=None if proven is None else proven.largest,
            uncovered=None if proven is None else proven.uncovered,
            note=note,
            **self._counts(),
        )

    def _bound(self) -> Bound | None:
        if not self.box.free:
            outcome = self.comparer.at(self.fillers[0], LEVELS[0])
            return Bound(0.0, 0.0) if outcome in EXACTLY_EQUAL else None
        # Turning points and places of needles are no obstacle to a Taylor series.
        sharp = [(s, e) for s, _, e in self.events if e.switch is not None and e.switch.sharp]
        budget = self.budget.within(self.bound_work)
        return prove_bound(self.program, self.box, self.algebra, sharp, self.fillers[0], budget)

    def _counts(self) -> dict[str, Any]:
        comparer = self.comparer
        known = comparer.n_points - comparer.n_unknown
        return {
            "n_points": comparer.n_points,
            "bits": comparer.bits,
            "coverage": comparer.n_defined / known if known else 0.0,
            "domain": ", ".join(map(str, self.box.sides)),
        }


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _small_difference(e: Value, f: Value, bits: int) -> str:
    """By how much two values differ, if the digits of them that are shown do not tell."""
    if not (is_defined(e) and is_defined(f)):
        return ""
    # Exact values may be told apart by far more bits than points were compared with.
    with working_precision(max(bits, LEVELS[-1])):
        a, b = as_ball(e), as_ball(f)
        difference = abs(a - b)
        if not difference < LEAST_SHOWN * abs(a):
            return ""
        return f"they differ by {difference.str(2, radius=False)} there"


def _shown(value: Value) -> str:
    if type(value) is Definedness:
        return value.value
    return str(value) if is_exact(value) else str(value.str(ENCLOSURE_DIGITS))
