"""Two formulas at exact points and on tiny boxes: same, different, or one of them undefined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any

from symbed.language.operators import Operator
from symbed.verdicts._budgets import Budget
from symbed.verdicts.arithmetic.ball_operations import near_zero
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.power_series import (
    line,
    series,
    trace_series,
)
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    Definedness,
    PiSum,
    Value,
    arb,
    as_ball,
    fmpq,
    is_defined,
    is_exact,
    set_precision,
    sign_of,
    working_precision,
)
from symbed.verdicts.domains import Box, Point
from symbed.verdicts.functions.verdict import Reason

LEVELS = (64, 192, 640, 4096)  # bits; the last sees differences down to 1e-1200
COSTS = {64: 1, 192: 2, 512: 3, 640: 3, 4096: 30}  # of an operation, by bits; measured

# A difference that holds on a box of this radius (in widths of the domain) holds on a region.
BOX_RADIUS = fmpq(1, 2**120)
BOX_BITS = 512

# Where a difference was met at a point that may be an isolated one, boxes at these distances (in
# widths of the domain) tell; a jump on one side shows on that side only.
BESIDE = (fmpq(1, 2**60), fmpq(1, 2**100))
DIRECTIONS = ((1, 1, 1), (-1, -1, -1), (1, -1, 2), (-1, 1, -2), (2, 1, -1), (-2, -1, 1))

# A little above the smallest normal float, 2.2e-308.
VISIBLE = 1e-300

# What an enclosure must be for an overlap to count: so many correct bits, or that close to zero.
NARROW_BITS = 20
NARROW_RADIUS = 2.0**-40

SLOPE_BITS = LEVELS[2]  # at which slopes are told from zero
SPARE_BITS = 256  # beyond the size of a slope
# Bits times operations: half a second of work, 2^19 bits for formulas of a few steps.
MAX_SLOPE_WORK = 2**22


class Outcome(Enum):
    """What two values at one point say."""

    IDENTICAL = "identical"  # exactly equal
    OVERLAP = "overlap"  # the enclosures overlap
    NEITHER = "neither"  # both undefined
    VALUES = "values"
    ONLY_E = "only_e_defined"
    ONLY_F = "only_f_defined"
    UNKNOWN = "unknown"

    @property
    def differs(self) -> bool:
        """Whether the formulas differ there for certain."""
        return self in _DIFFERENT

    @property
    def reason(self) -> Reason:
        """The reason of a verdict."""
        return self.value if self in _DIFFERENT else ""  # type: ignore[return-value]


_DIFFERENT = frozenset({Outcome.VALUES, Outcome.ONLY_E, Outcome.ONLY_F})


def compare_values(e: Value, f: Value) -> Outcome:
    """What two values of one point say about the formulas."""
    if type(e) is Definedness or type(f) is Definedness:
        # "Undefined" is certain, "unknown" is not: a number differs from the first only.
        if e is UNDEFINED:
            if f is UNDEFINED:
                return Outcome.NEITHER
            return Outcome.UNKNOWN if type(f) is Definedness else Outcome.ONLY_F
        if f is UNDEFINED and type(e) is not Definedness:
            return Outcome.ONLY_E
        return Outcome.UNKNOWN
    if is_exact(e) and is_exact(f):
        return Outcome.IDENTICAL if _equal(e, f) else Outcome.VALUES
    first, second = as_ball(e), as_ball(f)
    if not first.overlaps(second):
        return Outcome.VALUES
    # Enclosures that say next to nothing overlap with everything: that is no agreement.
    return Outcome.OVERLAP if _is_narrow(first) and _is_narrow(second) else Outcome.UNKNOWN


def _is_narrow(ball: Any) -> bool:
    return ball.rel_accuracy_bits() >= NARROW_BITS or bool(ball.rad() < NARROW_RADIUS)


def _equal(e: Value, f: Value) -> bool:
    if type(e) is PiSum and type(f) is PiSum:
        return bool(e.rational == f.rational and e.turns == f.turns)
    return type(e) is type(f) and bool(e == f)  # a rational is never a multiple of pi


def is_continuous(program: BallProgram, results: list[Value]) -> bool:
    """Whether all formulas are continuous on the box that a program was traced over.

    Every value must be defined, and every operator that jumps be on one side of its jump. A base
    of zero counts as a jump, since 0^0 is 1.
    """
    for place, step in enumerate(program.steps):
        if not isinstance(step.item, Operator):
            continue
        name, value = step.item.name, results[place]
        if not is_defined(value):
            return False
        operands = [results[operand] for operand in step.operands]
        # Over a box these are exact only where the whole box is on one step.
        if name in ("sign", "floor") and not is_exact(value):
            return False
        if name == "cond" and sign_of(operands[0]) is None:
            return False
        if name == "^" and not sign_of(operands[0]) and not _is_natural(operands[1]):
            return False
        if name in ("pdiv", "plog", "pinv") and near_zero(operands[-1]) is None:
            return False
    return True


def _is_natural(value: Value) -> bool:
    return type(value) is fmpq and bool(value.q == 1 and value > 0)


class Comparer:
    """Compares two formulas at points, and keeps count; to be used inside ``working_precision``.

    Attributes
    ----------
    n_points, n_defined, n_unknown : int
        Points compared; where both are defined; where nothing could be told at the precision tried.
    bits : int
        The highest precision used.
    """

    def __init__(self, program: BallProgram, box: Box, budget: Budget) -> None:
        self.program, self.box, self.budget = program, box, budget
        self.e, self.f = program.roots
        self.n_points = self.n_defined = self.n_unknown = self.bits = 0
        # By point: numerators and denominators in the box's order of names, which all makers of
        # points keep and `isolated` reads back. With each outcome the bits that were allowed.
        self._seen: dict[tuple[int, ...], tuple[Outcome, int]] = {}

    def at(self, point: Point, most_bits: int) -> Outcome:
        """Compare at one point, with rising precision while enclosures overlap."""
        key = self._key(point)
        outcome, tried = self._seen.get(key, (Outcome.UNKNOWN, 0))
        # What is certain stays so with more bits; an overlap or an unknown may become a difference.
        before = outcome if tried else None
        if tried >= most_bits or (tried and outcome not in (Outcome.OVERLAP, Outcome.UNKNOWN)):
            return outcome
        self.budget.spend()
        for bits in LEVELS:
            if bits <= tried:
                continue
            if bits > most_bits:
                break
            results = self._trace(point, bits)
            outcome = compare_values(results[self.e], results[self.f])
            self.bits = max(self.bits, bits)
            if outcome not in (Outcome.OVERLAP, Outcome.UNKNOWN):
                break
        self._count(outcome, before)
        self._seen[key] = outcome, most_bits
        return outcome

    def _key(self, point: Point) -> tuple[int, ...]:
        # Plain integers: hashing a python-flint rational takes longer than comparing.
        return tuple(part for value in point.values() for part in (int(value.p), int(value.q)))

    def _trace(self, values: dict[str, Value], bits: int) -> list[Value]:
        self.budget.count(self.program.n_operations * COSTS[bits])
        set_precision(bits)
        return self.program.trace(values)

    def _count(self, outcome: Outcome, before: Outcome | None) -> None:
        """Count a point's outcome in place of what was known of it before."""
        for known, step in ((before, -1), (outcome, 1)):
            if known is not None:
                self.n_points += step
                self.n_unknown += step * (known is Outcome.UNKNOWN)
                self.n_defined += step * (known not in (Outcome.UNKNOWN, Outcome.NEITHER))

    def differs_on_box(self, center: Point) -> bool:
        """Whether the formulas differ on a region around a point, for certain.

        Either their enclosures over a tiny box exclude each other, or they differ at the point and
        are continuous on the box; that is how a difference of 1e-200 shows, for which E and F would
        need a box of that size.
        """
        self.budget.spend()
        results = self._over_box(center)
        outcome = compare_values(results[self.e], results[self.f])
        if outcome.differs:
            return True
        if not is_continuous(self.program, results):
            return False
        # Continuous functions that differ at the center differ on a neighborhood of it.
        return self.at(center, LEVELS[-1]) is Outcome.VALUES

    def _over_box(self, center: Point) -> list[Value]:
        """The steps' values over a tiny box."""
        set_precision(BOX_BITS)
        # The box may reach beyond an end of the domain: what holds on all of it holds inside.
        ranges = dict(center)
        for side in self.box.free:
            ranges[side.name] = arb(center[side.name]) + arb(0, 1) * BOX_RADIUS * side.scale
        return self._trace(ranges, BOX_BITS)

    def first_by_slopes(self, points: Iterable[Point]) -> Point | None:
        """A point where values agree to all digits that were tried, and slopes do not.

        ``tanh(1e4*x)`` is 1 to thousands of digits for x from 1 on, but has a slope; its size tells
        how many bits show the difference. The point is the one that needs the fewest.
        """
        needed = {}
        for number, point in enumerate(candidates := list(points)):
            bits = self._bits_by_slope(point)
            if bits is not None and bits * self.program.n_operations <= MAX_SLOPE_WORK:
                needed[number] = bits
        if not needed:
            return None
        number = min(needed, key=lambda place: needed[place])
        point, bits = candidates[number], needed[number]
        set_precision(bits)
        results = self.program.trace(point)
        outcome = compare_values(results[self.e], results[self.f])
        if outcome is not Outcome.VALUES or not is_continuous(self.program, self._over_box(point)):
            return None
        self.bits = max(self.bits, bits)
        self._seen[self._key(point)] = outcome, bits
        return point

    def _bits_by_slope(self, point: Point) -> int | None:
        """How many bits show a difference whose size is that of a slope; None without a slope."""
        self.budget.spend(self.program.n_operations * COSTS[SLOPE_BITS])
        with working_precision(SLOPE_BITS, 2):
            for side in self.box.free:
                along = {**point, side.name: line(point[side.name], 1)}
                traced = trace_series(self.program, along)
                e, f = traced[self.e], traced[self.f]
                if is_defined(e) and is_defined(f):
                    slope = abs(series(e)[1] - series(f)[1])
                    if slope > 0 and slope.is_finite():
                        return int(-float(slope.log() / arb(2).log())) + SPARE_BITS
        return None

    def is_visible(self, point: Point) -> bool:
        """Whether the values at a point differ by a number that a float holds, or one is missing.

        Beside a needle all is a difference of 1e-1000 and less, which is one and shows nothing.
        """
        results = self._trace(point, LEVELS[1])
        e, f = results[self.e], results[self.f]
        if not (is_defined(e) and is_defined(f)):
            return True
        return bool(abs(as_ball(e) - as_ball(f)) > VISIBLE)

    def region_near(self, point: Point) -> Point | None:
        """A point at or near the given one around which the formulas differ on a region."""
        for center in self._neighborhood(point):
            if self.differs_on_box(center):
                return center
        return None

    def _neighborhood(self, point: Point) -> Iterator[Point]:
        yield point
        for distance in BESIDE:
            # No entry is zero, so that each variable moves; unequal ones leave planes like x = y.
            for direction in DIRECTIONS if len(self.box.free) > 1 else DIRECTIONS[:2]:
                moved = dict(point)
                for place, side in enumerate(self.box.free):
                    step = distance * side.scale * direction[place % 3]
                    moved[side.name] = point[side.name] + step
                if self.box.holds(moved):
                    yield moved

    def first_region(self, points: Iterable[Point], bits: int) -> Point | None:
        """The first point where they differ on a region; isolated differences are kept apart."""
        for point in points:
            if self.at(point, bits).differs:
                witness = self.region_near(point)
                if witness is not None:
                    return witness
        return None

    def unknown(self, points: Iterable[Point]) -> list[Point]:
        """Those of points already compared where nothing could be told so far."""
        # At the lowest level nothing is computed again: each of them was tried with it.
        return [point for point in points if self.at(point, LEVELS[0]) is Outcome.UNKNOWN]

    def share_known(self, points: Sequence[Point]) -> float:
        """The share of points where something could be told."""
        outcomes = [self.at(point, LEVELS[0]) for point in points]
        return sum(outcome is not Outcome.UNKNOWN for outcome in outcomes) / len(outcomes)

    def isolated(self) -> list[tuple[Point, Outcome]]:
        """Points where they differ, once it is known that no region does."""
        names = self.box.names
        return [
            ({name: fmpq(key[2 * j], key[2 * j + 1]) for j, name in enumerate(names)}, outcome)
            for key, (outcome, _) in self._seen.items()
            if outcome.differs
        ]

    def enclosures(self, point: Point, bits: int) -> tuple[Value, Value]:
        """Both values at a point."""
        with working_precision(bits):
            results = self.program.trace(point)
        return results[self.e], results[self.f]

    def where_unknown(self, point: Point) -> int | None:
        """The first step at a point whose value is unknown although its operands are known."""
        with working_precision(LEVELS[-1]):
            results = self.program.trace(point)
        for place, step in enumerate(self.program.steps):
            if results[place] is Definedness.UNKNOWN and all(
                results[operand] is not Definedness.UNKNOWN for operand in step.operands
            ):
                return place
        return None
