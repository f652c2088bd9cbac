"""Domains with exact ends, points in them, and formulas whose names are their variables.

What a user wrote as ranges becomes a box of rationals. Unlike in a probe's domain, an end may be
infinite, and a range may be one point.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.errors import MissingRange, RangeError
from symbed.language.expression import Expression
from symbed.language.names import find_missing_variable
from symbed.language.parser import check_literals, parse
from symbed.sampling.ranges import Law
from symbed.sampling.validation import checked_names
from symbed.verdicts.arithmetic.values import as_float, exact_rational, fmpq

Point = dict[str, Any]  # an exact value for each name

SHARE = 2**20  # shares are multiples of 2^-20: short rationals, so that exact values stay cheap

# Near the fractional parts of square roots of primes, times 2^20: steps of a Kronecker sequence,
# one for each variable.
STEPS = (434_334, 767_592, 247_530, 677_010, 331_921, 635_086, 129_098, 376_465)

# In order of preference: with several variables, only the first few are combined.
SIMPLE = tuple(
    fmpq(p, q)
    for p, q in (
        (0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1), (3, 1), (-3, 1), (1, 3), (-1, 3),
        (3, 2), (-3, 2), (1, 4), (2, 3), (1, 10), (-1, 10), (4, 1), (-4, 1), (5, 1), (-5, 1),
        (10, 1), (-10, 1), (100, 1),
    )
)  # fmt: skip
MAX_SIMPLE = {1: 24, 2: 6, 3: 4}  # per variable, by the number of variables
MAX_COMBINED = 64  # points made of several variables' values
# Beyond what shares of an infinite range reach, each side of 1e8 and of what people write; as
# decimals, no round numbers.
FAR = (17, 17 * 10**5, 17 * 10**11, 17 * 10**19, 17 * 10**39, 17 * 10**99)


@dataclass(frozen=True)
class Interval:
    """The range of one variable."""

    name: str  # the variable
    low: Any  # its ends as rationals; None where infinite
    high: Any

    @property
    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return self.low is not None and self.high is not None

    @property
    def is_point(self) -> bool:
        """Whether the range is one number."""
        return self.is_finite and bool(self.low == self.high)

    @property
    def scale(self) -> Any:
        """A length that is natural on this range: its width, or 1 where that is infinite."""
        return self.high - self.low if self.is_finite and not self.is_point else fmpq(1)

    def at(self, share: Any) -> Any:
        """The number at a share between 0 and 1 of the range, both ends excluded if infinite."""
        if self.low is not None and self.high is not None:
            return self.low + (self.high - self.low) * share
        if self.low is not None:
            return self.low + share / (1 - share)
        if self.high is not None:
            return self.high - (1 - share) / share
        # c / (1 - c^2) takes (-1, 1) to all reals by rationals alone, so that points stay exact.
        centered = 2 * share - 1
        return centered / (1 - centered * centered)

    def floats(self, shares: Floats) -> Floats:
        """The same for many shares, in floats."""
        if self.is_finite:
            low, high = as_float(self.low), as_float(self.high)
            return low + (high - low) * shares
        # An end that is infinite is no point.
        shares = np.clip(shares, 1e-9, 1 - 1e-9)
        if self.low is not None:
            return as_float(self.low) + shares / (1 - shares)
        if self.high is not None:
            return as_float(self.high) - (1 - shares) / shares
        centered = 2 * shares - 1
        return np.asarray(centered / (1 - centered * centered))

    @property
    def far(self) -> list[Any]:
        """Numbers far out on those sides where the range has no end, in rising order."""
        below = [-fmpq(size) for size in reversed(FAR)] if self.low is None else []
        above = [fmpq(size) for size in FAR] if self.high is None else []
        return [number for number in below + above if self.holds(number)]

    def holds(self, number: Any) -> bool:
        """Whether a rational lies in the range."""
        above = self.low is None or number >= self.low
        return bool(above and (self.high is None or number <= self.high))

    def __str__(self) -> str:
        low = "-inf" if self.low is None else str(self.low)
        return f"{self.name} in ({low}, {'inf' if self.high is None else self.high})"


@dataclass(frozen=True)
class Box:
    """A domain: one range for each variable."""

    sides: tuple[Interval, ...]

    @classmethod
    def of(cls, domain: Mapping[str, Any]) -> Box:
        """The box that a user means by ``{"x": (low, high)}``.

        Raises
        ------
        RangeError
            A range with ends in the wrong order, or that is no pair of numbers.
        MissingRange
            An empty domain.
        """
        if not isinstance(domain, Mapping):
            raise RangeError(
                f"domain must map names to ranges, like {{'x': (1, 5)}}, got {domain!r}"
            )
        if not domain:
            raise MissingRange("the domain is empty; give domain={'x': (low, high)}")
        names = checked_names(tuple(domain))
        return cls(tuple(_side(name, domain[name]) for name in names))

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(side.name for side in self.sides)

    @property
    def free(self) -> tuple[Interval, ...]:
        """The sides that are more than one point."""
        return tuple(side for side in self.sides if not side.is_point)

    @property
    def is_finite(self) -> bool:
        """Whether every side is finite."""
        return all(side.is_finite for side in self.sides)

    def holds(self, point: Point) -> bool:
        """Whether a point lies in the box."""
        return all(side.holds(point[side.name]) for side in self.sides)

    def point(self, shares: Sequence[Any]) -> Point:
        """The point at one share for each free side."""
        remaining = iter(shares)
        return {s.name: s.low if s.is_point else s.at(next(remaining)) for s in self.sides}


def generic_points(box: Box, count: int) -> Iterator[Point]:
    """Points that fill the domain evenly and are special in no way."""
    free = box.free
    for number in range(1, count + 1):
        shares = [
            # Beyond eight variables, steps are multiples of the first ones.
            fmpq((number * STEPS[j % len(STEPS)] * (1 + j // len(STEPS)) + 7919 * j) % SHARE, SHARE)
            for j in range(len(free))
        ]
        # Neither end: infinite ones are no numbers, and ends are tested as simple points.
        yield box.point([share if share != 0 else fmpq(1, SHARE) for share in shares])


def simple_points(box: Box) -> Iterator[Point]:
    """Small integers and fractions, and the domain's ends: where isolated exceptions often are."""
    most = MAX_SIMPLE.get(len(box.free), 2)
    lists = []
    for side in box.sides:
        if side.is_point:
            lists.append([side.low])
            continue
        numbers = [number for number in SIMPLE if side.holds(number)][:most]
        ends = [end for end in (side.low, side.high) if end is not None]
        numbers += [end for end in ends if end not in numbers]
        lists.append(numbers or [side.at(fmpq(1, 2))])
    for values in itertools.islice(itertools.product(*lists), MAX_COMBINED):
        yield dict(zip(box.names, values, strict=True))


def far_points(box: Box) -> Iterator[Point]:
    """Points far out on infinite ranges: one variable at a time, and all of them alike."""
    middle = box.point([fmpq(1, 2)] * len(box.free))
    endless = [side for side in box.free if not side.is_finite]
    for side in endless:
        for number in side.far:
            yield {**middle, side.name: number}
    if len(endless) > 1:
        for number in dict.fromkeys(number for side in endless for number in side.far):
            yield middle | {side.name: number for side in endless if side.holds(number)}


def _side(name: str, written: object) -> Interval:
    ends = written.tolist() if isinstance(written, np.ndarray) else written
    # A uniform law is its range; the ends of others are NaN, and refused as no numbers.
    if isinstance(ends, Law):
        ends = (ends.low, ends.high)
    if not isinstance(ends, tuple | list) or len(ends) != 2 or not all(map(_is_number, ends)):
        raise RangeError(f"domain of {name!r} needs (low, high), got {written!r}")
    low, high = (_end(end) for end in ends)
    infinite = (low is None and ends[0] > 0) or (high is None and ends[1] < 0)
    if infinite or (low is not None and high is not None and low > high):
        raise RangeError(f"domain of {name!r} needs low <= high, got {written!r}")
    return Interval(name, low, high)


def _is_number(end: object) -> bool:
    real = isinstance(end, Real) and not isinstance(end, bool | np.bool_)
    return (real and not math.isnan(end)) or type(end) is fmpq  # type: ignore[arg-type]


def _end(end: Any) -> Any | None:
    """An end as a rational, None if infinite; a NumPy number as the Python one that it shows."""
    if type(end) is fmpq:
        return end
    # A rational is taken as it is: 1/3 has no float.
    number = end if isinstance(end, Rational) else float(end)
    if isinstance(number, float) and math.isinf(number):
        return None
    return exact_rational(number if isinstance(number, float) else Fraction(number))


def read_formula(source: Any, variables: Sequence[str]) -> Expression:
    """A formula with these names as its variables, from text, tokens, SymPy or an Expression."""
    if isinstance(source, Expression):
        return source.with_variables(variables)
    if isinstance(source, str):
        # Before parsing, where 1e-400 would become 0 and long decimals be cut.
        check_literals(source)
    return parse(source, variables)


def checked_formulas(
    sources: tuple[Any, Any], variables: Sequence[str]
) -> tuple[Expression, Expression]:
    """Two formulas whose names are all variables.

    Raises
    ------
    MissingVariable
        A name that looks like a variable, or misses one by a letter.
    RangeError
        A free parameter.
    """
    first, second = (read_formula(source, variables) for source in sources)
    for expression in (first, second):
        _require_no_parameters(expression, variables)
    return first, second


def require_variables(
    expression: Expression,
    variables: Sequence[str],
    declared: Iterable[str] = (),
    **words: str,
) -> None:
    """Refuse a family whose variable would become a parameter in silence, with ``MissingVariable``.

    ``declared`` names were given a range as parameters, whatever they look like; ``words`` are
    those of `find_missing_variable`: how to declare a parameter.
    """
    error = find_missing_variable(expression, variables, tuple(declared), **words)
    if error is not None:
        raise error


def _require_no_parameters(expression: Expression, variables: Sequence[str]) -> None:
    require_variables(expression, variables, remedy="", option="")  # decide has no parameters
    for name in expression.names:
        if name not in variables:
            who = f"{name!r} in {str(expression)!r} is a free parameter"
            error = RangeError(
                f"{who}, and decide judges formulas without; relate(e, f, domain) judges families, "
                f"or add {name!r}: (low, high) to the domain"
            )
            error.in_command = (
                f"{who}, and decide judges formulas without; symbed relate judges families, "
                f"or add --domain {name}=low:high"
            )
            raise error
