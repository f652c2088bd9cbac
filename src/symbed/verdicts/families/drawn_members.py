"""Members of a family: parameter values that cover their ranges, both signs and the corners.

Usual members have parameters between a tenth and forty, and of few digits: on these ``a*x`` is
contained in ``1000*tanh(b)*x``, and in ``floor(1000*b)/1000*x``. So there are far members, too, at
which a containment that was found must hold as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.errors import DataError
from symbed.sampling.counter_rng import uniforms
from symbed.verdicts.arithmetic.values import (
    Value,
    arb,
    as_ball,
    exact_rational,
    is_defined,
    working_precision,
)
from symbed.verdicts.families.form import Form, Grid, Target

MEMBERS = 16  # eight miss what few members show (AUC 0.986 instead of 1)
MEMBER_KEY = 0x3E3B  # keeps the numbers of members apart from other uses of a seed
FACTOR_AROUND = 2.0  # by which members differ at most from values that they are drawn around
SPREAD = math.log(4.0)  # free parameters have magnitudes between 1/4 and 4, each factor alike
WIDE = math.log(10.0)  # the magnitude of one parameter of a member at the edge
WIDER = tuple(math.log(10.0) * decades for decades in (2, 5, 10, 20, 40))
FEWEST_SHARE = 0.4  # of members that must be defined
MORE, MOST = 8, 256  # times as many members are drawn where few are defined, or none
N_WIDE = 4  # members of which one parameter is large, at the end of the list
DIGITS = 3  # significant digits: short decimals keep exact arithmetic short
FEWEST_POINTS = 8  # a member that is defined at fewer says too little
ZERO_SHARE = 1e-12  # of the median norm: a member so small is zero up to rounding
NUDGE = 1e-3  # of a parameter, to see whether the outputs move
UNMOVED = 1e-13  # of a member's largest output: less is rounding
FEWEST_SHOWN = 0.25  # share of members that must show what each parameter does


@dataclass(frozen=True, eq=False)
class Members:
    """Members of one form on some points."""

    values: Floats  # (n_members, n_parameters): the parameters of each member
    outputs: Floats  # (n_members, n_points): its values at the points; NaN where undefined
    # How many that were drawn are zero at every point, most likely by underflow: they were left
    # out, unless there is no other.
    n_zero: int = 0

    def __len__(self) -> int:
        return len(self.values)


def draw_members(
    form: Form,
    points: Floats,
    n_members: int = MEMBERS,
    seed: int = 0,
    around: Floats | None = None,
) -> Members:
    """Members of a form that are defined at enough of the points and are not zero.

    They follow the ranges of the parameters, or are drawn log-uniformly around given values. There
    may be fewer than ``n_members``.
    """
    if not form.n_parameters:
        return _kept(form, points, np.empty((1, 0)), n_members)
    if around is not None:
        units = _units(n_members, form.n_parameters, seed)
        values = np.clip(around * FACTOR_AROUND ** (2.0 * units - 1.0), form.lows, form.highs)
        return _kept(form, points, _rounded(values), n_members)
    members = _kept(form, points, _drawn(form.lows, form.highs, n_members, seed), n_members)
    for more_often, spread in itertools.product((MORE, MOST), WIDER):
        if len(members) >= FEWEST_SHARE * n_members and not members.n_zero:
            break
        if more_often == MOST and len(members):
            break  # few members are enough to go on with, and none is not
        # Inputs of other magnitudes want other parameters: sqrt(C - C*x^2) for x near 1e8.
        wider = _drawn(form.lows, form.highs, more_often * n_members, seed, spread)
        more = _kept(form, points, wider, n_members)
        if members.n_zero:
            members = _filled(members, more, n_members)
        elif len(more) > len(members):
            members = more
    return _shown(form, points, members, n_members, seed)


def require_members(form: Form, members: Members) -> None:
    """Refuse a form of which no member was found, with ``DataError``."""
    if not len(members):
        raise DataError(
            f"{str(form.source)!r} is undefined almost everywhere on this domain for the members "
            "that were tried; give another domain or other parameter ranges"
        )


def exact_members(form: Form, grid: Grid, n: int) -> list[list[Value]]:
    """The exact parameters of some members that are defined at most points of the grid."""
    # More than asked for, to choose from.
    members = draw_members(form, grid.points, 2 * n + 6)
    defined = np.isfinite(members.outputs).sum(axis=1)
    order = np.argsort(-defined, kind="stable")[:n]
    return [[exact_rational(float(value)) for value in members.values[k]] for k in order]


def shown_parameters(form: Form, points: Floats, members: Members) -> Booleans:
    """Which parameters of which members move the outputs, (n_members, n_parameters).

    One that does not is hidden at that member: ``b`` in ``exp(b*x) + c`` for ``b*x`` below -1e5.
    """
    n_members, n = members.values.shape
    nudged = np.repeat(members.values[:, None, :], n, axis=1)
    places = np.arange(n)
    own = nudged[:, places, places]
    moved = np.where(own == 0.0, NUDGE, own * (1.0 + NUDGE))
    back = own - (moved - own)
    nudged[:, places, places] = np.where(moved > form.highs, back, moved)
    outputs = form.outputs(points, nudged.reshape(-1, n)).reshape(n_members, n, -1)
    plain = members.outputs[:, None, :]
    with np.errstate(all="ignore"):
        size = np.nanmax(np.abs(plain), axis=2)
        moves = np.nanmax(np.abs(outputs - plain), axis=2, initial=0.0)
    # A parameter may show in nothing but where the formula is defined.
    changed = np.isfinite(outputs) != np.isfinite(plain)
    return np.asarray((moves > UNMOVED * size) | changed.any(axis=2))


def _shown(form: Form, points: Floats, members: Members, n_members: int, seed: int) -> Members:
    """Members of which enough show what each parameter does, where such ones are found.

    Inputs near 1e8 want parameters near 1e-8: at others ``exp(b*x)`` is nothing beside a constant,
    and every member of the family looks like one of a smaller family.
    """
    # A spread has no effect on ranges with two ends, so there is nothing else to draw.
    if not len(members) or all(map(math.isfinite, form.lows + form.highs)):
        return members
    shown = shown_parameters(form, points, members)
    if (shown.mean(axis=0) >= FEWEST_SHOWN).all():
        return members
    for spread in WIDER:
        wider = _drawn(form.lows, form.highs, MORE * n_members, seed, spread)
        more = _kept(form, points, wider, MORE * n_members)
        if not len(more):
            continue
        places = np.flatnonzero(shown_parameters(form, points, more).all(axis=1))
        if len(places) >= n_members // 2:
            keep = np.flatnonzero(shown.all(axis=1))
            values = np.concatenate([members.values[keep], more.values[places]])
            outputs = np.concatenate([members.outputs[keep], more.outputs[places]])
            return Members(values[:n_members], outputs[:n_members], members.n_zero)
    return members


def _filled(members: Members, more: Members, n_members: int) -> Members:
    """Members without those that are zero by underflow, where others can take their place."""
    parts = [each for each in (members, more) if np.nanmax(np.abs(each.outputs), initial=0.0) > 0]
    if not parts:
        return members
    values = np.concatenate([part.values for part in parts])[:n_members]
    outputs = np.concatenate([part.outputs for part in parts])[:n_members]
    n_zero = members.n_zero if len(values) < n_members else 0
    return Members(values, outputs, n_zero)


def _kept(form: Form, points: Floats, values: Floats, n_members: int) -> Members:
    """The first members that are defined at enough points and are not zero."""
    outputs = form.outputs(points, values)
    defined = np.isfinite(outputs)
    with np.errstate(all="ignore"):
        sizes = np.nanmax(np.where(defined, np.abs(outputs), 0.0), axis=1)
    enough = defined.sum(axis=1) >= min(FEWEST_POINTS, len(points))
    typical = float(np.median(sizes[enough])) if enough.any() else 0.0
    # Degenerate members do not count: C*x has the zero function, and x/C has not.
    kept = enough & (sizes > ZERO_SHARE * typical)
    if not kept.any():
        kept = enough
    places = np.flatnonzero(kept)[:n_members]
    n_zero = int((enough & (sizes == 0.0)).sum())
    return Members(values[places], outputs[places], n_zero)


@lru_cache(maxsize=256)
def _drawn(
    lows: tuple[float, ...],
    highs: tuple[float, ...],
    n_members: int,
    seed: int,
    spread: float = SPREAD,
) -> Floats:
    n = len(lows)
    units = _units(n_members, n, seed)
    values = np.empty((n_members, n))
    for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
        column = units[:, place]
        if math.isfinite(low) and math.isfinite(high):
            values[:, place] = low + (high - low) * column
            continue
        sizes = np.exp(spread * (2.0 * column - 1.0))
        # The last members take turns, counted from the end: one parameter of each is wide.
        for wide in range(n_members - N_WIDE, n_members):
            if (wide - n_members) % n == place:
                sizes[wide] = math.exp(WIDE) * sizes[wide] ** 0.5
        signs = _signs(n_members, place, seed)
        if math.isfinite(low):
            values[:, place] = low + sizes
        elif math.isfinite(high):
            values[:, place] = high - sizes
        else:
            values[:, place] = signs * sizes
    values = np.clip(_rounded(values), lows, highs)
    _set_corners(values, lows, highs)
    # The cache hands the same array to everybody.
    values.setflags(write=False)
    return values


def _set_corners(values: Floats, lows: tuple[float, ...], highs: tuple[float, ...]) -> None:
    """Two members at opposite corners of the finite ranges, where a smaller range shows first."""
    if len(values) < FEWEST_POINTS:
        return
    for place, (low, high) in enumerate(zip(lows, highs, strict=True)):
        if math.isfinite(low) and math.isfinite(high):
            ends = (low, high) if place % 2 else (high, low)
            # Not at the very corner: a value like zero there is a member of its own kind.
            for member, end, other in ((2, *ends), (3, *ends[::-1])):
                values[member, place] = _rounded(np.array([end + (other - end) / 64]))[0]


def _signs(n_members: int, place: int, seed: int) -> Floats:
    """Signs of one parameter, so that few members have all patterns of few parameters."""
    members = np.arange(n_members)
    # The bits of the member's number: sixteen members have all patterns of four signs.
    if place < 4:
        return np.where(members >> place & 1, -1.0, 1.0)
    return np.where(uniforms(n_members, seed, MEMBER_KEY, 1, place) < 0.5, -1.0, 1.0)


@lru_cache(maxsize=256)
def _units(n_members: int, n: int, seed: int) -> Floats:
    return np.stack([uniforms(n_members, seed, MEMBER_KEY, 0, k) for k in range(n)], axis=1)


def _rounded(values: Floats) -> Floats:
    """Values of few significant digits."""
    with np.errstate(divide="ignore"):
        digits = np.floor(np.log10(np.abs(values)))
    digits = np.where(np.isfinite(digits), digits, 0.0)
    unit = 10.0 ** (digits - DIGITS + 1)
    # Through text, so that the float is the one that its short decimal names.
    short = [float(f"{value:.{DIGITS}g}") for value in (np.round(values / unit) * unit).flat]
    return np.array(short).reshape(values.shape)


# Of one parameter at a time; no round numbers. The largest shows where 1e20*tanh(b) ends.
MAGNITUDES = (1370.0, 1.73e6, 1.37e-4, 117.0, 1.37e12, 1.73e40)
WIDE_SIZES = (12.7, 7.31, 23.3)  # beyond most usual members; each beside others of them
END_SHARE = 2.0**-20  # of a range: how near to its ends members are looked at
UNEVEN = 1.0 + math.sqrt(2.0) / 100.0  # a factor with all the digits that a float has
MAX_FAR = 16


def far_members(form: Form, grid: Grid, usual: Members) -> tuple[Members, Members]:
    """Members with one parameter large, small or beside an end of its range, from usual ones.

    Some have parameters of many digits. Those that hide another parameter, as ``a*x + b`` does for
    a large ``b``, come second: fits say nothing about them, proofs do. Those that are no floats
    are left out.
    """
    none = Members(np.empty((0, form.n_parameters)), np.empty((0, len(grid.points))))
    if not form.n_parameters or not len(usual):
        return none, none
    rows = [_uneven(form, usual.values[k % len(usual)]) for k in range(2)]
    rows += _with_one_moved(form, usual, MAGNITUDES)
    return _by_what_they_show(form, grid, usual, np.stack(rows))


def wide_members(form: Form, grid: Grid, usual: Members) -> Members:
    """Members with one parameter beyond those of usual ones, of either sign: fits still find them.

    Of few usual members not each parameter is wide in both directions.
    """
    rows = _with_one_moved(form, usual, WIDE_SIZES) if len(usual) else []
    if not rows:
        return Members(np.empty((0, form.n_parameters)), np.empty((0, len(grid.points))))
    return _by_what_they_show(form, grid, usual, np.stack(rows))[0]


def _with_one_moved(form: Form, usual: Members, sizes: Sequence[float]) -> list[Floats]:
    rows = []
    for turn, place in itertools.product(range(2 * len(sizes)), range(form.n_parameters)):
        value = _far_value(form.lows[place], form.highs[place], turn, sizes)
        if value is not None:
            row = usual.values[(turn + place) % len(usual)].copy()
            row[place] = value
            rows.append(row)
    return rows


def _by_what_they_show(
    form: Form, grid: Grid, usual: Members, values: Floats
) -> tuple[Members, Members]:
    """Members that show what each parameter does, and those that hide one."""
    none = Members(np.empty((0, form.n_parameters)), np.empty((0, len(grid.points))))
    members = Members(values, form.outputs(grid.points, values))
    defined = np.isfinite(members.outputs)
    enough = defined.sum(axis=1) >= len(grid.points) // 2
    largest = np.max(np.where(defined, np.abs(members.outputs), 0.0), axis=1)
    members = _only(members, np.flatnonzero(enough & (largest > 0.0)))
    if not len(members):
        return none, none
    shown = shown_parameters(form, grid.points, members)
    # A parameter that does nothing anywhere is not hidden by being far.
    usually = shown_parameters(form, grid.points, usual).any(axis=0)
    shows_all = (shown | ~usually).all(axis=1)
    first, second = (
        _only(members, np.flatnonzero(mask)[:MAX_FAR]) for mask in (shows_all, ~shows_all)
    )
    return first, second


def _far_value(low: float, high: float, turn: int, sizes: Sequence[float]) -> float | None:
    """A number of each magnitude in turn, of either sign where the range has both.

    Of a range with two ends a number beside one and the other, in the first turns.
    """
    size, is_negative = sizes[turn // 2], turn % 2
    if math.isfinite(low) and math.isfinite(high):
        # Where 1..5 is compared with 1.01..5.05, only the outermost hundredths tell. Not the end
        # itself: a value like zero there is a member of its own kind.
        beside = (low + (high - low) * END_SHARE, high - (high - low) * END_SHARE)
        return beside[turn] if turn < len(beside) else None
    if math.isfinite(low) or math.isfinite(high):
        if is_negative:
            return None  # the range has one side only
        return low + size if math.isfinite(low) else high - size
    return -size if is_negative else size


def _uneven(form: Form, row: Floats) -> Floats:
    """Values of many digits, inside of their ranges."""
    moved = row * UNEVEN
    outside = (moved > form.highs) | (moved < form.lows)
    return np.where(outside, row / UNEVEN, moved)


def _only(members: Members, places: Integers) -> Members:
    return Members(members.values[places], members.outputs[places])


NOISE_BITS = 128
NOISE = 1e-6  # relative error of an output that is no use to a fit
HARDLY = 1e-14  # relative change of parameters


def without_cancellation(form: Form, grid: Grid, members: Members) -> Members:
    """The members that floats can evaluate; all of them where those are fewer than half.

    ``cosh(b*x) + sinh(b*x)`` is noise in floats for ``b*x`` below -40: fits to it lead nowhere.
    """
    noisy = []
    with working_precision(NOISE_BITS):
        for k in np.flatnonzero(_is_restless(form, grid, members)):
            outputs = members.outputs[k]
            sizes = np.where(np.isfinite(outputs), np.abs(outputs), np.nan)
            target = Target.of_member(form, grid, members.values[k], outputs)
            places = {int(np.nanargmax(sizes)), int(np.nanargmin(sizes))}
            largest = float(np.nanmax(sizes))
            if not all(_agrees(float(outputs[j]), target.at(j), largest) for j in places):
                noisy.append(k)
    if not noisy or 2 * len(noisy) > len(members):
        return members
    kept = np.setdiff1d(np.arange(len(members)), noisy)
    return Members(members.values[kept], members.outputs[kept], members.n_zero)


def _is_restless(form: Form, grid: Grid, members: Members) -> Booleans:
    """Which members change much when their parameters hardly do: noise does, and little else."""
    if not form.n_parameters:
        return np.zeros(len(members), bool)
    # In the last digits: rounding comes out otherwise, and a smooth function hardly moves.
    outputs = form.outputs(grid.points, members.values * (1.0 + HARDLY))
    with np.errstate(all="ignore"):
        moved = np.abs(outputs - members.outputs) > NOISE * np.abs(members.outputs)
    return np.asarray(moved.any(axis=1))


def _agrees(output: float, value: Value, largest: float) -> bool:
    """Whether an output is its exact value, up to what rounding does to sums of larger terms."""
    if not is_defined(value):
        return False
    ball = as_ball(value)
    return bool(abs(ball - arb(output)) <= NOISE * abs(ball) + arb(NOISE**2 * largest))
