"""How far to trust a distance: its standard error, bias, interval and noise floor.

Three things are wrong with a distance from finitely many points and draws. *Scatter*: other points
or draws would have given another value; the standard error says by how much. *Bias*: two samples of
one distribution differ, so the value is too high; the even draws of one side against the odd draws
of the other show by how much. And the *noise floor*: what two equal expressions show that do not
share their draws.

Shared draws hide the bias of close pairs: a small change of every output that leaves their
distribution almost alone is seen in full (``a*x + b`` and ``a*x + 1.02*b - 0.06`` come out four
times too far apart). Even against odd draws uncover it. What no bias can make is a gap between
mean outputs, and no distance is smaller than that: it bounds the interval from below.

Costs are point-wise distances to the power p; their mean is the distance to the power p.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from symbed._types import Booleans, Floats, Integers
from symbed.behavior.behavior import Behavior
from symbed.engine.structures.observations import SortedOutputs
from symbed.sampling.probe import Probe

Between = Callable[[Behavior, Behavior], Floats]
BehaviorPair = tuple[Behavior, Behavior]

WIDTH = 2.0  # standard errors on each side of the interval
BIAS_WIDTH = 2.5  # a bias that falls like draws**-1/2, the slowest, is 2.4 times what halving adds
REDRAWS = 3  # if one draw set serves all points, only drawing again shows the scatter of draws
ROUNDING = 1e-12  # share of the outputs below which a gap of their means is no gap
FEW = 1.6  # Student's t with 3 degrees of freedom is that much wider than 2 standard errors

MANY_POINTS, WATCHED_POINTS = 1024, 512  # beyond many, the residuals at some stand for all
LEAST_WATCHED, SEARCHES = 64, 1 << 25  # of which each looks through all points


@dataclass(frozen=True)
class Uncertainty:
    """What must be told beside a distance.

    Attributes
    ----------
    stderr : float
        Standard error of the distance; infinite where nothing can be said.
    bias : float
        By how much half of the draws, not shared, make the distance grow.
    interval : tuple of two float
        (low, high), made to hold the true value in 95 of 100 cases.
    noise_floor : float
        What equal expressions that share no draws would show.
    """

    stderr: float
    bias: float
    interval: tuple[float, float]
    noise_floor: float


def assess(
    a: Behavior,
    b: Behavior,
    value: float,
    profile: Floats,
    between: Between,
    p: int = 1,
    gaps: Between | None = None,
) -> Uncertainty:
    """How far to trust the distance of two behaviors.

    Parameters
    ----------
    a, b : Behavior
        Their origins let them be observed again with other draws.
    value : float
        Their distance.
    profile : (n_points,) array
        Point-wise distances.
    between : callable
        Gives the profile of any two behaviors at these points.
    p : int
        Order of the Wasserstein distance.
    gaps : callable, optional
        Gives point-wise lower bounds of the distance of any two behaviors (``mean_gaps``), if the
        metric has them.
    """
    told = np.isfinite(profile)
    if not told.any():  # nowhere both defined: infinite by definition, and nothing to be judged
        return Uncertainty(math.inf, 0.0, (math.inf, math.inf), 0.0)
    scale = float(profile[told].max()) or 1.0  # so that squares do not overflow
    resampling = _Resampling(a, b, told, scale, p)
    costs = resampling.costs(between)
    root, error = resampling.judge(costs)
    excess = bias(root, [_root(costs(u, v), p) for u, v in resampling.crossed])
    low, high = interval(root**p, error, excess, p)
    if gaps is not None:
        gap, gap_error = resampling.judge(resampling.costs(gaps))
        low = max(low, interval(min(gap, root) ** p, gap_error, 0.0, p)[0])
    floor = scale * max((_root(costs(u, v), p) for u, v in resampling.selves), default=0.0)
    if not told.all():  # infinite for its mismatches; the finite part bounds it from below
        lowest = scale * low * float(told.mean()) ** (1 / p)
        return Uncertainty(math.inf, scale * excess, (lowest, math.inf), floor)
    lower = max(0.0, value - scale * (root - low)) if low else 0.0
    above = scale * (high - root)
    return Uncertainty(above / WIDTH, scale * excess, (lower, value + above), floor)


def mean_gaps(a: SortedOutputs, b: SortedOutputs) -> Floats:
    """At every point how far apart the mean outputs are: no distance of distributions is smaller.

    Where an output is undefined there is no such bound, and the gap counts 0.

    Parameters
    ----------
    a, b : SortedOutputs
        (1, m, n_points) outputs, as the metric sees them, and (1, n_points) counts.
    """
    (u, u_size, u_whole), (v, v_size, v_whole) = (_means(outputs[0], n[0]) for outputs, n in (a, b))
    sure = np.abs(u - v) - ROUNDING * (u_size + v_size)
    return np.where(u_whole & v_whole, np.maximum(sure, 0.0), 0.0)


def _means(outputs: Floats, counts: NDArray[np.int32]) -> tuple[Floats, Floats, Booleans]:
    """Mean, mean magnitude, and whether all outputs are defined, at every point."""
    shares = np.nan_to_num(outputs) / len(outputs)  # divided first: the sum could overflow
    return shares.sum(axis=0), np.abs(shares).sum(axis=0), counts == len(outputs)


def interval(cost: float, error: float, excess: float, p: int = 1) -> tuple[float, float]:
    """The interval of a distance from its mean cost, that cost's standard error, and the bias.

    >>> interval(1.0, 0.25, 0.0)
    (0.5, 1.5)
    """
    low = max(0.0, cost - WIDTH * error) ** (1 / p) - BIAS_WIDTH * excess
    return max(0.0, low), (cost + WIDTH * error) ** (1 / p)


def bias(whole: float, halves: Sequence[float]) -> float:
    """By how much a distance grows from all draws to half of them.

    >>> bias(1.0, [1.5, 1.0])
    0.25
    """
    known = [half for half in halves if math.isfinite(half)]
    return max(0.0, sum(known) / len(known) - whole) if known else 0.0


def standard_error(costs: Floats, positions: Floats, scatter: str = "even") -> float:
    """Standard error of the mean cost from the choice of points.

    A plane through its 2d + 2 nearest neighbors predicts each cost; what it misses by counts as
    noise. That holds what the draws of a point add by chance, and what the points left out between
    them. The plain standard deviation would blame the sampling for the shape of the function.

    Parameters
    ----------
    costs : (n,) array
        Finite numbers.
    positions : (n, d) array
        Points in the unit cube.
    scatter : {"even", "strata", "free"}
        How they were spread: on a lattice; anywhere in each of n cells of each variable, which adds
        slope times width of a cell; or anywhere.
    """
    n, d = positions.shape
    if n == 1:
        return math.inf
    if scatter == "free":
        return float(costs.std(ddof=1)) / math.sqrt(n)
    watched, near, weights = _planes(np.ascontiguousarray(positions).tobytes(), n, d)
    planes = np.einsum("ijk,ik->ij", weights, costs[near])
    variance = float(np.mean((costs[watched] - planes[:, 0]) ** 2))
    if scatter == "strata":
        variance += float(np.mean(np.sum(planes[:, 1:] ** 2, axis=1))) / (12.0 * n * n)
    return math.sqrt(variance / n)


def draw_error(costs: Floats, redrawn: Sequence[Floats], per_point: bool) -> float:
    """Standard error of the mean cost from the choice of draws, seen by drawing again.

    With draws of its own at each point, one redraw tells as much as there are points; with one draw
    set for all points, the means of a few redraws are all there is.
    """
    if per_point:
        gaps = (costs - redrawn[0])[np.isfinite(redrawn[0])]
        return math.sqrt(float(np.mean(gaps**2)) / (2 * len(costs))) if len(gaps) else math.inf
    return FEW * _deviation([costs, *redrawn])


class _Resampling:
    """Two behaviors, and what they become when they are observed again."""

    def __init__(self, a: Behavior, b: Behavior, told: Booleans, scale: float, p: int) -> None:
        self.a, self.b, self.told, self.scale, self.p = a, b, told, scale, p
        # An expression without parameters has one output for every draw.
        self.drawn = [side for side in (a, b) if len(side.outputs) > 1 or side.n_draws == 1]
        self.per_point = all(getattr(side.origin, "per_point", False) for side in self.drawn)
        self.probe: Probe | None = getattr((a.origin or b.origin), "probe", None)

    def costs(self, between: Between) -> Between:
        """The costs that belong to point-wise distances, at the told points."""
        return lambda u, v: np.asarray((between(u, v)[self.told] / self.scale) ** self.p)

    def judge(self, costs: Between) -> tuple[float, float]:
        """The root of the mean cost, and the standard error of the mean cost.

        It is the error from the points, if they were chosen for us, and from the draws.
        """
        part, spread = costs(self.a, self.b), 0.0
        chosen = self.probe is not None and self.probe.data is None
        if self.probe is not None and chosen:
            positions = self.probe.unit_points[self.told]
            spread = standard_error(part, positions, self.probe.row.scatter)
        if self.drawn and not (self.per_point and chosen):
            spread = math.hypot(spread, self._draw_error(part, costs))
        return _root(part, self.p), spread  # else the residuals hold the scatter of the draws

    @cached_property
    def crossed(self) -> list[BehaviorPair]:
        """The even draws of one against the odd draws of the other, both ways."""
        return _known((_half(self.a, which), _half(self.b, 1 - which)) for which in (0, 1))

    @cached_property
    def quarters(self) -> list[BehaviorPair]:
        """Every fourth draw of both, four times; fewer than 8 draws show nothing."""
        if min(side.n_draws for side in self.drawn) < 8:
            return []
        return _known((_quarter(self.a, which), _quarter(self.b, which)) for which in range(4))

    @cached_property
    def redrawn(self) -> list[BehaviorPair]:
        """Both with other draws, as often as it takes."""
        times = range(1, 2 if self.per_point else REDRAWS + 1)
        return _known((_redrawn(self.a, k), _redrawn(self.b, k)) for k in times)

    @cached_property
    def selves(self) -> list[BehaviorPair]:
        """Each side that has draws, and itself with other draws."""
        return _known((side, _redrawn(side, 1)) for side in self.drawn)

    def _draw_error(self, part: Floats, costs: Between) -> float:
        if self.redrawn:
            return draw_error(part, [costs(u, v) for u, v in self.redrawn], self.per_point)
        if not self.quarters:
            return math.inf
        quarters = [costs(u, v) for u, v in self.quarters]
        return FEW * _deviation(quarters) / math.sqrt(len(quarters))


def _known(seen: Iterable[tuple[Behavior | None, Behavior | None]]) -> list[BehaviorPair]:
    return [(u, v) for u, v in seen if u is not None and v is not None]


def _half(side: Behavior, which: int) -> Behavior | None:
    return side.origin.half(which) if side.origin else None


def _quarter(side: Behavior, which: int) -> Behavior | None:
    half = _half(side, which // 2)
    return _half(half, which % 2) if half else None


def _redrawn(side: Behavior, k: int) -> Behavior | None:
    return side.origin.redrawn(k) if side.origin else None


def _deviation(repeated: Sequence[Floats]) -> float:
    """Standard deviation of some means."""
    return float(np.std([_mean(costs) for costs in repeated], ddof=1))


def _root(costs: Floats, p: int) -> float:
    return math.pow(_mean(costs), 1 / p)


def _mean(costs: Floats) -> float:
    """The mean of the finite costs: other draws can be undefined where these were not."""
    finite = costs[np.isfinite(costs)]
    return float(np.mean(finite)) if len(finite) else math.inf


@lru_cache(maxsize=4)
def _planes(positions: bytes, n: int, d: int) -> tuple[Integers, Integers, Floats]:
    """Which points are watched, their neighbors, and the weights of a plane through these.

    The weights (watched, d + 1, neighbors) give the plane's value at the watched point, then its
    slopes.
    """
    points = np.frombuffer(positions).reshape(n, d)
    some = n if n <= MANY_POINTS else min(WATCHED_POINTS, max(LEAST_WATCHED, SEARCHES // n))
    watched = np.arange(some) * n // some
    near = np.stack([_nearest(points, point) for point in watched.tolist()])
    offsets = points[near] - points[watched][:, None, :]
    design = np.concatenate([np.ones((*near.shape, 1)), offsets], axis=2)
    return watched, near, np.linalg.pinv(design)


def _nearest(points: Floats, point: int) -> Integers:
    """The 2d + 2 nearest other points (fewer if there are not so many)."""
    n, d = points.shape
    count = min(2 * d + 2, n - 1)
    distances = np.sum((points - points[point]) ** 2, axis=1)
    distances[point] = np.inf
    limit = np.partition(distances, count - 1)[count - 1] or 1.0
    close = np.flatnonzero(distances <= limit * (1 + 1e-9))
    # Points of a lattice tie; rounded, they do so on every machine, and the first win.
    order = np.argsort(np.round(distances[close] / limit, 9), kind="stable")
    return close[order[:count]]
