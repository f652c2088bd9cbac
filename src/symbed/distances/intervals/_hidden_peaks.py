"""What a formula may hide between points, by its own account: peaks and holes too narrow to see.

No number of points is sure to meet ``exp(-1e9*(x - 3.1)^2)``. But the *inner argument* ``x - 3.1``
of the power is smooth, and known to vanish at 3.1. So the arguments of operators that can make
something narrow are followed over the points of the finer look; where one vanishes or turns, the
formula is evaluated at distances that shrink by halves, and what it does there beyond its
neighbors is what was hidden. Where it is undefined there it has a hole, as
``sqrt(abs(x - 3) - 1e-6)`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal, NamedTuple, TypeGuard

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.observation import GOLDEN
from symbed.distances.intervals._standard_errors import pseudo_inverse
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import compile_expression
from symbed.engine.structures.observations import Observation
from symbed.language.expression import ANONYMOUS, Expression, Item, Postfix, spans
from symbed.language.operators import BY_NAME, Operator
from symbed.sampling.looks import finer_look
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

Transform = Callable[[Floats], Floats] | None
Kind = Literal[
    "power", "growing", "switch", "jump", "edge", "pole"
]  # what operators do to an argument

# Operators that make nothing narrow of an argument that vanishes or turns. Whatever is not listed
# here or below counts as one with a pole where its argument vanishes, so that a new one is followed
# too often rather than never.
HARMLESS = frozenset({"+", "-", "*", "neg", "sin", "cos", "cbrt", "cond"})
DIVISIONS = frozenset({"/", "pdiv", "mod", "//"})  # what counts is the divisor
TIES = frozenset({"min", "max", ">", ">=", "<", "<=", "==", "!="})  # ... the difference
KINDS: dict[str, Kind] = {
    # These make nothing narrow either, but they tell places.
    **dict.fromkeys(("^2", "^3", "^4", "^5"), "power"),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh", "sech", "gauss", "softplus", "^"), "growing"),
    # On a scale of 1, and on none.
    **dict.fromkeys(("tanh", "atan", "erf", "erfc", "sigmoid"), "switch"),
    **dict.fromkeys(("sign", "abs", "heaviside", "relu", *TIES), "jump"),
    # These make nothing narrow but a hole, where they are undefined.
    **dict.fromkeys(("sqrt", "asin", "acos"), "edge"),
}
# Operators with poles of their own, and what of their argument vanishes there.
_COS, _SIN = (BY_NAME["cos"],), (BY_NAME["sin"],)
# ... or with an end of where they are defined.
_ENDS_AT_ONE = (BY_NAME["^2"], BY_NAME["neg"], 1.0, BY_NAME["+"])
POLES: dict[str, Postfix] = {
    "asin": _ENDS_AT_ONE, "acos": _ENDS_AT_ONE,
    "tan": _COS, "sec": _COS, "cot": _SIN, "csc": _SIN,
    # Their poles are among the zeros of sin(pi*x).
    **dict.fromkeys(("gamma", "lgamma", "polygamma"), (np.pi, BY_NAME["*"], *_SIN)),
}  # fmt: skip

MAX_ARGUMENTS = 16  # of one formula, the innermost first
MAX_PLACES = 48  # of one argument: what vanishes more often is a wave, which points do see
N_MEMBERS = 2  # of a family, with its parameters at fixed levels of their laws
SECANTS, NEWTONS = 5, 3  # steps to a zero, and to a place where an argument turns
STENCIL = 0.25  # distance for slopes, of that between finer points
MIN_LEVELS, MAX_LEVELS = 8, 1024  # of a parameter that moves alone
EXTREMES = 5  # values of an argument that should be close to each other
FAST = 0.3  # by which they differ where an exponential is not resolved
NEAR_ZERO = 0.5  # ratio of the smallest ones where it may vanish between points
HALVINGS = 30  # of the distance to the next point
DIVERGING = 10, 20  # halvings after which heights are compared: well inside, and above rounding
SMALLEST_HOLE = 1e-8  # share of the domain; smaller ones may be rounding or overflow
ROUNDING = 1e-9  # share of the outputs below which nothing is made of a difference


class HiddenPeaks(NamedTuple):
    """Peaks and holes of one formula that a finer look does not see."""

    heights: Floats  # (k,) by how much outputs pass those of neighboring points
    widths: Floats  # (k,) on which share of the domain, mean over the members
    # Where a member is undefined between points at which it is not: share of the domain, and place.
    holes: tuple[tuple[float, ...], ...] = ()
    diverges: bool = False  # whether a peak on a line has no finite mass, as 1/(x - 3) has none

    @classmethod
    def of(cls, parts: Sequence[HiddenPeaks]) -> HiddenPeaks:
        """All of several."""
        *arrays, holes, diverge = zip(NONE, *parts, strict=True)
        heights, widths = (np.concatenate(each) for each in arrays)
        return cls(heights, widths, tuple(chain.from_iterable(holes)), any(diverge))


NONE = HiddenPeaks(np.empty(0), np.empty(0))


@lru_cache(maxsize=256)
def hidden_peaks(
    source: Expression, probe: Probe, transform: Transform = None
) -> tuple[HiddenPeaks, HiddenPeaks]:
    """Peaks of a formula between the points of the finer look at a probe, and between its draws.

    ``transform`` is what a metric does to outputs. The latter are those of arguments that have
    parameters only: each moves alone, over as many values as a sample of draws has.
    """
    postfix = _numbered(source.postfix)
    arguments, variables = inner_arguments(postfix), probe.variables
    look, followed = finer_look(probe), _followed(arguments, variables)
    between_points = NONE
    if look is not None and followed:
        between_points = _Scan(postfix, followed, probe, variables, look.units, transform).peaks()
    n = min(probe.n_draws * (probe.n_points if probe.row.per_point else 1), MAX_LEVELS)
    between_draws: list[HiddenPeaks] = []
    for name in dict.fromkeys(postfix) if n > MIN_LEVELS else ():
        if _is_parameter(name, variables):
            followed = _followed(arguments, (name,), but=variables)
            if followed:
                levels = (np.arange(n)[:, None] + 0.5) / n
                scan = _Scan(postfix, followed, probe, (name,), levels, transform)
                between_draws.append(scan.peaks())
    return between_points, HiddenPeaks.of(between_draws)


def inner_arguments(postfix: Postfix) -> dict[Postfix, Kind]:
    """Arguments of operators that can make something narrow, inner ones before outer ones.

    >>> from symbed.language.parser import parse
    >>> list(inner_arguments(parse("x*exp(-(x - 3)^2)").postfix).values())
    ['power', 'growing']
    """
    starts = spans(postfix)
    arguments: dict[Postfix, Kind] = {}
    for place, item in enumerate(postfix):
        if not isinstance(item, Operator) or item.arity == 0 or item.name in HARMLESS:
            continue
        last = postfix[starts[place - 1] : place]
        first = postfix[starts[place] : starts[place - 1]] if item.arity == 2 else ()
        parts: tuple[Postfix, ...] = (first, last)
        if item.name in TIES:
            parts = ((*first, *last, BY_NAME["-"]),)
        elif item.name in POLES:
            parts = ((*last, *POLES[item.name]),)
        elif item.name in DIVISIONS:
            parts = (last,)
        kind = KINDS.get(item.name, "pole")
        if kind == "edge" and _is_multilinear(last):
            continue
        for part in filter(None, parts):
            # Of two operators with one argument the one counts that can make more of it.
            known = arguments.get(part, "power")
            if known == "power" or (known == "edge" and kind != "power"):
                arguments[part] = kind
    return arguments


def _is_multilinear(argument: Postfix) -> bool:
    """Whether it is linear in each name.

    Such a one is smallest and largest in corners, which are looked at: it hides no hole elsewhere.
    """
    names = [item for item in argument if isinstance(item, str)]
    operators = {item.name for item in argument if isinstance(item, Operator)}
    return len(set(names)) == len(names) and operators <= {"+", "-", "*", "neg"}


def _followed(
    arguments: dict[Postfix, Kind], names: tuple[str, ...], but: tuple[str, ...] = ()
) -> dict[Postfix, Kind]:
    """The first arguments that have some names, ``but`` others; none if all are harmless powers."""
    named = [part for part in arguments if _has(part, names)][:MAX_ARGUMENTS]
    followed = {part: arguments[part] for part in named if not _has(part, but)}
    return followed if set(followed.values()) - {"power"} else {}


def _has(argument: Postfix, names: tuple[str, ...]) -> bool:
    return any(item in names for item in argument)


def _numbered(postfix: Postfix) -> Postfix:
    """With a name of its own for every anonymous parameter; no formula can have such a name."""
    count = iter(range(len(postfix)))
    return tuple(f"{ANONYMOUS}#{next(count)}" if item == ANONYMOUS else item for item in postfix)


class _Scan:
    """One formula over the points of one look, in coordinates of the unit cube."""

    def __init__(
        self, postfix: Postfix, arguments: dict[Postfix, Kind], probe: Probe,
        coordinates: tuple[str, ...], units: Floats, transform: Transform,
    ) -> None:  # fmt: skip
        self.units, self.transform, self.limit = units, transform, probe.limit
        self.kinds = np.array(list(arguments.values()))
        self.laws = [_law(name, probe) for name in coordinates]
        others = [item for item in dict.fromkeys(postfix) if _is_parameter(item, coordinates)]
        # No two parameters at one level: equal values are a special case, where differences vanish.
        levels = np.mod(GOLDEN * np.arange(1.0, 1 + N_MEMBERS * len(others)), 1.0)
        fixed = [_at(levels[k :: len(others)], name, probe) for k, name in enumerate(others)]
        self.members = np.stack(fixed, axis=1) if fixed else np.empty((1, 0))
        # Parameters are inputs as variables are, with one value at all points; nothing is drawn.
        self._rows = {name: row for row, name in enumerate((*coordinates, *others))}
        self._postfix, self.arguments = postfix, self._compiled(arguments)
        # About half of the distance between neighbors.
        self.reach = 0.5 * len(self.units) ** (-1.0 / self.units.shape[1])

    def _compiled(self, parts: Iterable[Postfix]) -> PackedPrograms:
        expressions = (Expression.unchecked(part, None) for part in parts)
        return PackedPrograms.of(
            [compile_expression(each, self._rows, lambda _: 0) for each in expressions]
        )

    def peaks(self) -> HiddenPeaks:
        """Those of all members, each of which is a share of the family."""
        n, n_members = len(self.units), len(self.members)
        # All members at once: a call of the engine costs as much as a thousand points.
        everywhere = np.tile(self.units, (n_members, 1)), self.members.repeat(n, axis=0)
        along = self._evaluated(self.arguments, *everywhere).reshape(-1, n_members, n)
        peaks = HiddenPeaks.of(
            [
                self._member(along[:, number], values)
                for number, values in enumerate(self.members)
                if self._can_hide(along[:, number])
            ]
        )
        return peaks._replace(widths=peaks.widths / n_members)

    def _member(self, along: Floats, values: Floats) -> HiddenPeaks:
        seen = self._outputs(self.units, values)
        find = self._on_a_line if self.units.shape[1] == 1 else self._in_space
        places = np.concatenate([np.empty((0, self.units.shape[1])), *find(along, values)])
        # Several arguments may vanish at one place, which is then followed once.
        places = np.unique(np.round(places[np.isfinite(places).all(axis=1)], 13), axis=0)
        inside = ((places > 0.0) & (places < 1.0)).all(axis=1)
        return self._beyond_neighbors(places[inside], seen, values)

    def _can_hide(self, along: Floats) -> bool:
        """Whether arguments change between points on the scale on which operators do; quick.

        The extreme values of a smooth argument are close to each other, and to what lies between.
        """
        few = min(EXTREMES, along.shape[1]) - 1
        is_growing = self.kinds == "growing"
        if is_growing.any():
            growing = along[is_growing]
            known = np.where(np.isnan(growing), -np.inf, growing)
            tops = np.partition(known, -1 - few, axis=1)[:, -1 - few :]
            with np.errstate(invalid="ignore"):
                # Asked this way round, a spread that is NaN is a fast one.
                if not (np.ptp(tops, axis=1) <= FAST).all():
                    return True
        kinds, others = self.kinds[~is_growing], along[~is_growing]
        sizes = np.where(np.isnan(others), np.inf, np.abs(others))
        lows = np.partition(sizes, few, axis=1)[:, : few + 1]
        least, most = lows.min(axis=1), lows.max(axis=1)
        with np.errstate(invalid="ignore"):
            signs = np.asarray((others > 0).any(axis=1) & (others < 0).any(axis=1))
            close = np.asarray(least < NEAR_ZERO * most)
            steep = np.asarray(most - least > FAST)
        switches = (kinds == "jump") | ((kinds == "switch") & steep)
        # One switch is a step, which points see; two, or one argument that comes near zero and
        # turns, may be a box between two points.
        return bool(
            ((kinds == "pole") & (signs | close)).any()
            or ((switches | (kinds == "edge")) & close & ~signs).any()
            or (switches & signs).sum() > 1
        )

    def _on_a_line(self, along: Floats, values: Floats) -> Iterator[Floats]:
        """Where arguments of one variable vanish or turn."""
        order = np.argsort(self.units[:, 0], kind="stable")
        t = self.units[order, 0]
        for number, curve in enumerate(along[:, order]):
            some = self.arguments.part(number, number + 1)
            # By signs: a product of two slopes may overflow, or be 0 where neither is.
            signs = np.sign(curve)
            ends = np.flatnonzero(signs[:-1] * signs[1:] < 0.0)
            with np.errstate(invalid="ignore", over="ignore"):
                slopes = np.sign(np.diff(curve))
            turns = 1 + np.flatnonzero(slopes[:-1] * slopes[1:] < 0.0)
            if 0 < len(ends) <= MAX_PLACES:
                low, high = t[ends], t[ends + 1]
                yield self._zeros(some, low, high, curve[ends], curve[ends + 1], values)
            if 0 < len(turns) <= MAX_PLACES:
                yield _vertices(t, curve, turns)
            yield t[np.flatnonzero(curve == 0.0)[:MAX_PLACES], None]

    def _zeros(
        self, argument: PackedPrograms, low: Floats, high: Floats, a: Floats, b: Floats,
        values: Floats,
    ) -> Floats:  # fmt: skip
        """Zeros between places of different sign: false position, the kept end's value halved."""
        # Akin to the Illinois algorithm: plain false position would keep one end for good.
        for _ in range(SECANTS):
            with np.errstate(invalid="ignore", divide="ignore"):
                middle = low - a * (high - low) / (b - a)
            c = self._evaluated(argument, middle[:, None], values)[0]
            left = a * c > 0
            b, high = np.where(left, 0.5 * b, c), np.where(left, high, middle)
            low, a = np.where(left, middle, low), np.where(left, c, 0.5 * a)
        return np.concatenate([middle, low, high])[:, None]

    def _in_space(self, along: Floats, values: Floats) -> Iterator[Floats]:
        """In several variables: from the points nearest to it by value, steps of Newton."""
        for number, heights in enumerate(along):
            if np.isfinite(heights).any():
                some = self.arguments.part(number, number + 1)
                starts = [np.nanargmax(heights), np.nanargmin(heights)]
                yield self._turns(some, self.units[starts], values)
                nearest = self.units[[np.nanargmin(np.abs(heights))]]
                yield self._roots(some, nearest, values)

    def _turns(self, argument: PackedPrograms, places: Floats, values: Floats) -> Floats:
        for _ in range(NEWTONS):
            _, slopes, bends = self._derivatives(argument, places, values)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                # A needle may leave a direction open: no step is made along it.
                steps = (pseudo_inverse(bends) * slopes[:, None, :]).sum(axis=2)
            places = np.clip(places - np.where(np.isfinite(steps), steps, 0.0), 0.0, 1.0)
        return places

    def _roots(self, argument: PackedPrograms, places: Floats, values: Floats) -> Floats:
        for _ in range(NEWTONS):
            value, slopes, _ = self._derivatives(argument, places, values)
            size = np.sum(slopes**2, axis=1, keepdims=True)
            with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
                # The shortest step to where the tangent plane vanishes.
                steps = value[:, None] * slopes / size
            places = np.clip(places - np.where(np.isfinite(steps), steps, 0.0), 0.0, 1.0)
        return places

    def _derivatives(
        self, argument: PackedPrograms, places: Floats, values: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Values, gradients and second derivatives by differences."""
        d, h = places.shape[1], STENCIL * self.reach
        axes = h * np.eye(d)
        pairs = axes[:, None] + axes[None, :]
        # 1 + 2d + d^2 places: here, up and down each axis, up two axes at once.
        offsets = np.concatenate([np.zeros((1, d)), axes, -axes, pairs.reshape(-1, d)])
        around = (places[:, None] + offsets).reshape(-1, d)
        seen = self._evaluated(argument, around, values)[0].reshape(len(places), -1)
        at, up, down = seen[:, :1], seen[:, 1 : d + 1], seen[:, d + 1 : 2 * d + 1]
        both = seen[:, 2 * d + 1 :].reshape(-1, d, d)
        bends = (both - up[:, :, None] - up[:, None, :] + at[:, :, None]) / h**2
        diagonal = np.arange(d)
        # Of one axis, central differences: both has two steps up there.
        bends[:, diagonal, diagonal] = (up - 2 * at + down) / h**2
        return at[:, 0], (up - down) / (2 * h), bends

    def _beyond_neighbors(self, places: Floats, seen: Floats, values: Floats) -> HiddenPeaks:
        """By how much outputs around places pass those of the neighboring points, and how wide."""
        if not len(places):
            return NONE
        d = places.shape[1]
        around = seen[self._neighbors(places)]
        # fmin and fmax pass over neighbors that are undefined.
        lowest, highest = np.fmin.reduce(around, axis=1), np.fmax.reduce(around, axis=1)
        radii = self.reach * 0.5 ** np.arange(HALVINGS)
        ways = np.concatenate([np.eye(d), -np.eye(d)])
        spots = places[:, None, None] + radii[:, None, None] * ways  # places, radii, ways, d
        outputs = self._outputs(spots.reshape(-1, d).clip(0.0, 1.0), values)
        outputs = outputs.reshape(len(places), HALVINGS, 2 * d)
        is_known: Booleans = np.asarray(~np.isnan(around).any(axis=1))
        is_lost = np.isnan(outputs).all(axis=2) & is_known[:, None]
        holes = _holes(places, is_lost, (2 * radii) ** d)
        over = np.fmax(outputs - highest[:, None, None], lowest[:, None, None] - outputs)
        size = np.nanmax(np.abs(seen), initial=0.0)
        over = np.where(over > ROUNDING * size, over, 0.0).mean(axis=2)
        # The cube within r has the share (2r)^d; each radius stands for what the next one leaves.
        shells = -np.diff((2 * radii) ** d, append=0.0)
        # Height times width falls with the radius wherever the mass is finite.
        far, near = (over[:, level] * radii[level] for level in DIVERGING)
        diverges = d == 1 and bool(((near > 0.5 * far) & (far > 0.0)).any())
        return HiddenPeaks(over.ravel(), np.tile(shells, len(places)), holes, diverges)

    def _neighbors(self, places: Floats) -> Integers:
        """The 2d + 2 points nearest to each place; on a line, two on each side."""
        n, d = self.units.shape
        if d == 1:
            order = np.argsort(self.units[:, 0], kind="stable")
            right = np.searchsorted(self.units[order, 0], places[:, 0])
            around = np.clip(right[:, None] + np.arange(-2, 2), 0, n - 1)
            return np.asarray(order[around])
        count = min(2 * d + 2, n)
        apart = (np.abs(self.units - place).max(axis=1) for place in places)
        return np.stack([np.argpartition(each, count - 1)[:count] for each in apart])

    def _outputs(self, places: Floats, values: Floats) -> Floats:
        """(n,) outputs of the formula itself; arguments know neither the limit nor the metric."""
        outputs = self._evaluated(self._whole, places, values)[0]
        known = np.where(np.abs(outputs) <= self.limit, outputs, np.nan)
        return self.transform(known) if self.transform else known

    @cached_property
    def _whole(self) -> PackedPrograms:
        return self._compiled([self._postfix])  # when it is asked for: most hide nothing

    def _evaluated(self, programs: PackedPrograms, units: Floats, values: Floats) -> Floats:
        """(k, n) outputs at places of the unit cube, of one member or of one for each place."""
        inputs = np.empty((len(self._rows), len(units)))
        for row, law in enumerate(self.laws):
            inputs[row] = law.at(units[:, row])
        inputs[len(self.laws) :] = values.T if values.ndim == 2 else values[:, None]
        outputs = np.empty((len(programs), 1, len(units)))
        defined = np.empty((len(programs), len(units)), np.int32)
        observation = Observation(
            programs.words, programs.starts, inputs, np.empty((0, 1, 1)),
            np.zeros(len(programs), np.int64), 0, n_draws=1,
        )  # fmt: skip
        active_backend().observe(observation, outputs, defined)
        return outputs[:, 0]


def _at(levels: Floats, name: str, probe: Probe) -> Floats:
    """Values of a variable or a parameter at levels of its law; of given points, quantiles."""
    if name in probe.variables and probe.data is not None:
        column = probe.data[:, probe.variables.index(name)]
        return np.asarray(np.quantile(column, levels))
    return _law(name, probe).at(levels)


def _law(name: str, probe: Probe) -> Law:
    if name in probe.variables:
        return Law.of(probe.domain[name])
    return probe.law_of(name.partition("#")[0])


def _is_parameter(item: Item, others: tuple[str, ...]) -> TypeGuard[str]:
    return isinstance(item, str) and item not in others


def _holes(places: Floats, is_lost: Booleans, shares: Floats) -> tuple[tuple[float, ...], ...]:
    """The holes around some places: the share of each, and where it is.

    Whether outputs are lost is told for each place and radius, the smallest last. Below the rim of
    a hole all are; rounding loses some of them only.
    """
    n_lost = np.logical_and.accumulate(is_lost[:, ::-1], axis=1).sum(axis=1)
    rims = np.where(n_lost > 0, shares[len(shares) - np.maximum(n_lost, 1)], 0.0)
    around = zip(rims.tolist(), places.tolist(), strict=True)
    return tuple((rim, *place) for rim, place in around if rim > SMALLEST_HOLE)


def _vertices(t: Floats, curve: Floats, turns: Integers) -> Floats:
    """Tops of the parabolas through three neighboring samples each."""
    before, after = t[turns - 1] - t[turns], t[turns + 1] - t[turns]
    rise, fall = curve[turns - 1] - curve[turns], curve[turns + 1] - curve[turns]
    with np.errstate(invalid="ignore", divide="ignore"):
        top = 0.5 * (rise * after**2 - fall * before**2) / (rise * after - fall * before)
    return np.asarray(t[turns] + np.clip(top, before, after))[:, None]
