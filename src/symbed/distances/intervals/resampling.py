"""Two behaviors observed again with other draws, to see what the draws add to a distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from symbed._types import Booleans, Floats
from symbed.behavior.behavior import Behavior
from symbed.distances.intervals.lower_bounds import Sides
from symbed.sampling.probe import Probe

REDRAWS = 3  # if one draw set serves all points, only drawing again shows the scatter of draws
STUDENT_OF_FOUR = 1.6  # Student's t with 3 degrees of freedom is that much wider than 2 errors
LEAST_DRAWS = 8  # that can be cut into quarters


class Resampling:
    """Two behaviors, and what they become when they are observed again.

    Parameters
    ----------
    a, b : Behavior
        Of the same points.
    told : (n_points,) array of bool
        Where they are compared.
    """

    def __init__(self, a: Behavior, b: Behavior, told: Booleans) -> None:
        self.a, self.b, self.told = a, b, told
        # An expression without parameters has one output for every draw.
        self.drawn = [side for side in (a, b) if len(side.outputs) > 1 or side.n_draws == 1]
        self.per_point = all(getattr(side.origin, "per_point", False) for side in self.drawn)
        self.probe: Probe | None = getattr((a.origin or b.origin), "probe", None)
        self.chosen = self.probe is not None and self.probe.data is None

    @property
    def needs_redraws(self) -> bool:
        """Whether residuals at the points miss the scatter of the draws."""
        return bool(self.drawn) and not (self.per_point and self.chosen)

    @cached_property
    def sets(self) -> list[Sides]:
        """Both sides under independent sets of draws: redrawn, or cut into quarters."""
        if not self.drawn:
            return [(self.a, self.b)]
        if self.redrawn:
            return [(self.a, self.b), *self.redrawn]
        if min(side.n_draws for side in self.drawn) < LEAST_DRAWS:
            return [(self.a, self.b)]
        quarters = [(self._quarter(self.a, k), self._quarter(self.b, k)) for k in range(4)]
        return _known(quarters) or [(self.a, self.b)]

    @cached_property
    def pairs_of_sets(self) -> list[tuple[Sides, Sides]]:
        """Every two of the sets; the first and the last pair have none in common."""
        return list(combinations(self.sets, 2))

    @cached_property
    def redrawn(self) -> list[Sides]:
        """Both with other draws, as often as it takes; empty if one cannot be drawn again."""
        times = range(1, REDRAWS + 1 if self.needs_redraws else 2)
        found = _known([(self._redrawn(self.a, k), self._redrawn(self.b, k)) for k in times])
        return found if len(found) == len(times) else []

    @cached_property
    def selves(self) -> list[Sides]:
        """Each side that has draws, and itself with other draws."""
        if not self.redrawn:
            alone = [(side, self._redrawn(side, 1)) for side in self.drawn]
            return _known(alone)
        again = dict(zip((id(self.a), id(self.b)), self.redrawn[0], strict=True))
        return [(side, again[id(side)]) for side in self.drawn]

    def draw_error(self, repeated: Sequence[Floats]) -> float:
        """Standard error of a mean cost from the choice of draws.

        With draws of its own at each point, one redraw tells as much as there are points; with one
        draw set for all points, the means of a few redraws are all there is.

        Parameters
        ----------
        repeated : sequence of (n_points,) arrays
            The costs under each of the sets, the first of which counts.
        """
        if len(repeated) < 2:
            return math.inf
        if self.redrawn and self.per_point:
            return _gap_error(repeated[0], repeated[1])
        spread = STUDENT_OF_FOUR * _deviation(repeated)
        return spread if self.redrawn else spread / math.sqrt(len(repeated))

    def pair_error(self, repeated: Sequence[Floats]) -> float:
        """Standard error of a mean over pairs of sets."""
        if len(repeated) < 2:
            return math.inf
        if self.redrawn and self.per_point:
            return _gap_error(repeated[0], repeated[-1])
        return STUDENT_OF_FOUR * _deviation(repeated)

    def _redrawn(self, side: Behavior, k: int) -> Behavior | None:
        if all(side is not one for one in self.drawn):
            return side
        return side.origin.redrawn(k) if side.origin else None

    def _quarter(self, side: Behavior, which: int) -> Behavior | None:
        if all(side is not one for one in self.drawn):
            return side
        half = side.origin.half(which // 2) if side.origin else None
        return half.origin.half(which % 2) if half and half.origin else None


def _known(seen: Sequence[tuple[Behavior | None, Behavior | None]]) -> list[Sides]:
    return [(u, v) for u, v in seen if u is not None and v is not None]


def _gap_error(costs: Floats, others: Floats) -> float:
    gaps = (costs - others)[np.isfinite(others)]
    return math.sqrt(float(np.mean(gaps**2)) / (2 * len(costs))) if len(gaps) else math.inf


def _deviation(repeated: Sequence[Floats]) -> float:
    """Standard deviation of some means."""
    means = [float(np.mean(costs[np.isfinite(costs)])) for costs in repeated
             if np.isfinite(costs).any()]  # fmt: skip
    return float(np.std(means, ddof=1)) if len(means) > 1 else math.inf
