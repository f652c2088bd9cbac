"""Second looks at what a probe may have missed: between its points, and beyond its draws.

A probe's points can all lie beside a needle or in step with a wave, and its draws can miss a tail.
No number at these points and draws tells; other points and draws do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.limits import POINTS
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law, Range

FINER = 16  # times as many points
MIN_FINER, MAX_FINER = 256, 16_384  # of them, if the probe has no more than half as many
N_MEMBERS = 2  # members of each family that are followed from point to point
N_EDGES = 32  # draws at the edges of the parameters' ranges
CORNER = 1e-6  # how near to the corners of the domain, as a share of it
MAX_CORNERS = 8  # of 2**d
LOOK_STREAM = 3  # which random numbers: 1 and 2 are those of points and draws


@dataclass(frozen=True)
class FinerLook:
    """A few members of each family at many more points.

    Attributes
    ----------
    probe : Probe
        The points of the probe that is looked after, then finer ones, then corners of the domain;
        one set of draws for all.
    units : (n, d) array
        All of them in the unit cube.
    n_points, n_finer : int
        How many there are of the first two.
    """

    probe: Probe
    units: Floats
    n_points: int
    n_finer: int

    def parts(self, costs: Floats) -> tuple[Floats, Floats, Floats]:
        """Costs at the probe's own points, at the finer ones and at the corners."""
        cuts = [self.n_points, self.n_points + self.n_finer]
        own, finer, corners = np.split(costs, cuts)
        return own, finer, corners


@lru_cache(maxsize=16)
def finer_look(probe: Probe) -> FinerLook | None:
    """Where to look for what lies between the points; None if these are given or many already."""
    n, d = probe.n_points, len(probe.variables)
    # MAX_FINER bounds the work but must not make the look coarser than twice the points.
    n_finer = max(min(max(FINER * n, MIN_FINER), MAX_FINER), 2 * n)
    if probe.data is not None or n + n_finer + MAX_CORNERS > POINTS.maximum:
        return None
    finer = probe.row.points(n_finer, d, (probe.seed, LOOK_STREAM))
    units = np.concatenate([probe.unit_points, finer, _corners(d)])
    shared = _at(probe, _scaled(units, probe), probe.parameters, N_MEMBERS)
    return FinerLook(shared, units, n, n_finer)


def probe_at(probe: Probe, units: Floats) -> Probe:
    """A probe at other places of the same domain, (n, d) in the unit cube."""
    return _at(probe, _scaled(units, probe), probe.parameters, probe.n_draws)


@lru_cache(maxsize=16)
def edge_look(probe: Probe) -> Probe | None:
    """A probe at some of the points whose draws lie where the probe's own hardly ever do.

    Each parameter has one of two values: the levels that one of 8 n m draws is expected beyond.
    """
    if probe.parameters is None:
        return None
    beyond = 1.0 / (8 * probe.n_points * probe.n_draws)
    ranges: Any = probe.parameters
    if isinstance(ranges, Mapping):
        ranges = {name: _Edges(Law.of(law), beyond) for name, law in ranges.items()}
    else:
        ranges = _Edges(Law.of(ranges), beyond)
    return _at(probe, probe.points[probe.sentinels], ranges, N_EDGES)


@dataclass(frozen=True)
class _Edges:
    """A law with two outcomes, far out on both sides of another."""

    law: Law
    beyond: float

    def ppf(self, levels: Floats) -> Floats:
        """The low outcome for the lower half of the levels."""
        return self.law.at(np.where(np.asarray(levels) < 0.5, self.beyond, 1.0 - self.beyond))


def _scaled(units: Floats, probe: Probe) -> Floats:
    """Places of the unit cube as points of a probe's domain."""
    laws = [Law.of(law) for law in probe.domain.values()]
    return np.stack([law.at(units[:, j]) for j, law in enumerate(laws)], axis=1)


def _at(
    probe: Probe, points: Floats, parameters: Range | Mapping[str, Range] | None, n_draws: int
) -> Probe:
    """A probe at given points with one set of draws for all of them."""
    return Probe.at(
        points,
        probe.variables,
        parameters=parameters,
        n_draws=n_draws,
        design="shared",
        limit=probe.limit,
        seed=probe.seed,
    )


def _corners(d: int) -> Floats:
    """Beside the corners of the unit cube, (2**d, d); of many, eight that lie opposite in pairs."""
    numbers, columns = np.arange(2 ** min(d, 3))[:, None], np.arange(d)
    if d <= 3:
        bits = numbers >> columns & 1
    else:
        # All variables low, every second one, two of four, four of eight; and the reverse of each.
        halves = np.concatenate([np.zeros((1, d), np.int64), columns >> np.arange(3)[:, None] & 1])
        bits = np.concatenate([halves, 1 - halves])
    return np.where(bits == 1, 1.0 - CORNER, CORNER)
