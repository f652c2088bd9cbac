"""Looking along one variable of several: fine probes on a line, and the names of the axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.errors import RangeError
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

TAILS = (0.005, 0.995)  # where a law without ends is cut


def cross_section(
    probe: Probe,
    along: str | int | None = None,
    *,
    at: Mapping[str, float] | None = None,
    n_points: int = 160,
    n_draws: int = 256,
) -> Probe:
    """A probe on a straight line through the domain of another, fine enough for a picture.

    Parameters
    ----------
    probe : Probe
        Where expressions were observed.
    along : str or int, optional
        The variable that moves, by name or number; the first by default.
    at : mapping from str to float, optional
        Values of the others; each stays at the median of the probe's points by default.
    n_points, n_draws : int
        How fine; never fewer draws than the probe has.

    Examples
    --------
    >>> line = cross_section(Probe({"x": (1, 5), "y": (0, 2)}), along="y", n_points=3)
    >>> line.points
    array([[3., 0.],
           [3., 1.],
           [3., 2.]])
    """
    axis = pick_axis(along, probe.variables)
    middle = np.median(probe.points, axis=0)
    for name, value in (at or {}).items():
        middle[pick_axis(name, probe.variables)] = value
    points = np.tile(middle, (n_points, 1))
    points[:, axis] = np.linspace(*_ends(probe, axis), n_points)
    return Probe.at(
        points,
        probe.variables,
        parameters=probe.parameters,
        n_draws=max(n_draws, probe.n_draws),
        design=probe.design,
        limit=probe.limit,
        seed=probe.seed,
    )


def pick_axis(along: str | int | None, names: Sequence[str]) -> int:
    """The number of the variable to look along; the first where none was asked for."""
    if along is None:
        return 0
    if isinstance(along, str) and along in names:
        return list(names).index(along)
    if isinstance(along, int) and -len(names) <= along < len(names):
        return along % len(names)
    raise RangeError(f"along must be one of the variables {', '.join(names)}, got {along!r}")


def names_of(behavior: Behavior) -> tuple[str, ...]:
    """The names of a behavior's variables; X_0, X_1 ... where its samples came without names."""
    probe = getattr(behavior.origin, "probe", None)
    if isinstance(probe, Probe) and len(probe.variables) == behavior.points.shape[1]:
        return probe.variables
    return default_names(behavior.points)


def default_names(points: Floats) -> tuple[str, ...]:
    """X_0, X_1 ... for points that came without names."""
    return tuple(f"X_{number}" for number in range(points.shape[1]))


def others_text(points: Floats, axis: int, names: Sequence[str]) -> str:
    """What the other variables do: ``y = 2``, or nothing where they vary."""
    others = [column for column in range(points.shape[1]) if column != axis]
    if not others or np.ptp(points[:, others], axis=0).any():
        return ""
    return ", ".join(f"{names[column]} = {points[0, column]:.4g}" for column in others)


def _ends(probe: Probe, axis: int) -> tuple[float, float]:
    law = probe.domain[probe.variables[axis]]
    if law is None:
        column = probe.points[:, axis]
        return float(column.min()), float(column.max())
    checked = Law.of(law)
    # A plain range has no source, and its ends are finite; a law's may not be.
    low, high = checked.at(np.array([0.0, 1.0] if checked.source is None else TAILS))
    return float(low), float(high)
