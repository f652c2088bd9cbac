"""Behavior: what an expression does at the points of a probe, as sorted outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symbed._export import data_frame
from symbed._types import Counts, Floats
from symbed.errors import DataError, PointsMismatch
from symbed.sampling.probe import Probe
from symbed.sampling.validation import checked_points


class Origin(Protocol):
    """Where a behavior came from, so that it can be observed again in another way."""

    @property
    def per_point(self) -> bool:
        """Whether every point has draws of its own."""

    def half(self, which: int) -> Behavior:
        """The behavior under every second draw, starting at ``which`` (0 or 1)."""

    def redrawn(self, k: int) -> Behavior | None:
        """The behavior at the same points under the k-th other draws; None if there are none."""

    def trajectories(self) -> Floats:
        """(m, n_points) outputs, each row of one draw, in no order of their values."""

    def redundant(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters that act only together, as far as slopes tell."""

    def at(self, probe: Probe) -> Behavior | None:
        """The behavior at other points and draws; None if it cannot be observed there."""


@dataclass(frozen=True, eq=False, repr=False)
class Behavior:
    """The outputs of one expression at every point of a probe.

    Attributes
    ----------
    outputs : (m, n_points) array
        Sorted along the draws at each point, undefined last as NaN; m is 1 for an expression
        without parameters, whose outputs are the same for every draw.
    counts : (n_points,) array
        How many of the m are defined.
    n_draws : int
        Number of draws that the m outputs stand for.
    points : (n_points, n_variables) array
        Where it was observed.
    label : str
        What results call it.
    origin : Origin or None
        How to observe it again; None if that is unknown.
    """

    outputs: Floats
    counts: Counts
    n_draws: int
    points: Floats
    label: str = ""
    origin: Origin | None = None

    def __post_init__(self) -> None:
        for part in (self.outputs, self.counts, self.points):
            part.setflags(write=False)

    @classmethod
    def from_samples(cls, samples: ArrayLike, points: ArrayLike, label: str = "") -> Behavior:
        """A behavior from any matrix of outputs that somebody else computed.

        Parameters
        ----------
        samples : (n_points, n_draws) array
            Outputs; NaN and infinity mean undefined.
        points : (n_points, n_variables) array, or (n_points,) for one variable
            Where they were computed.
        label : str
            What results call it.

        Examples
        --------
        >>> Behavior.from_samples([[2.0, 1.0], [np.nan, 3.0]], points=[0.0, 1.0]).values
        array([[ 1.,  2.],
               [ 3., nan]])
        """
        return _from_matrix(_as_samples(samples, label), _as_points(points), label)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def values(self) -> Floats:
        """(n_points, n_draws), rows sorted, undefined last as NaN, read-only."""
        return np.broadcast_to(self.outputs.T, (self.n_points, self.n_draws))

    @property
    def defined(self) -> NDArray[np.int64]:
        """(n_points,), the number of defined outputs at each point."""
        # One output stands for all draws where there are no parameters.
        return self.counts * np.int64(self.n_draws // len(self.outputs))

    @property
    def coverage(self) -> float:
        """Share of the outputs that are defined."""
        return float(self.counts.mean() / len(self.outputs))

    def same_points(self, other: Behavior) -> bool:
        """Whether the other behavior was observed at the same points."""
        return self.points is other.points or np.array_equal(self.points, other.points)

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, ready for JSON but for undefined outputs, which are NaN."""
        return {
            "label": self.label,
            "n_points": self.n_points,
            "n_draws": self.n_draws,
            "coverage": self.coverage,
            "points": self.points.tolist(),
            "values": self.values.tolist(),
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each point: its coordinates, then its sorted outputs."""
        axes = {f"point_{i}": self.points[:, i] for i in range(self.points.shape[1])}
        return data_frame(axes | {f"output_{j}": row for j, row in enumerate(self.values.T)})

    def _repr_html_(self) -> str:
        from symbed._notebook import behavior_html

        return behavior_html(self)

    def __repr__(self) -> str:
        size = f"{self.n_points} points x {self.n_draws} draws"
        return f"Behavior({self.label!r}, {size}, {100 * self.coverage:.3g}% defined)"


def require_same_points(a: Behavior, b: Behavior) -> None:
    """Raise ``PointsMismatch`` unless the two can be compared."""
    if a.n_points != b.n_points:
        raise PointsMismatch(
            f"{a.label!r} was observed at {a.n_points} points and {b.label!r} at {b.n_points}; "
            "observe both with one probe"
        )
    if not a.same_points(b):
        raise PointsMismatch(
            f"{a.label!r} and {b.label!r} were observed at different points; "
            "observe both with one probe"
        )


class Samples(NamedTuple):
    """The origin of a behavior that came as a plain matrix of (n_points, n_draws) samples."""

    samples: Floats
    points: Floats
    label: str
    per_point: bool = False

    def half(self, which: int) -> Behavior:
        """The behavior of every second column (of the one column, if there is just one)."""
        start = min(which, self.samples.shape[1] - 1)
        return _from_matrix(self.samples[:, start::2], self.points, self.label)

    def redrawn(self, k: int = 1) -> None:
        """Samples cannot be drawn again."""

    def redundant(self) -> tuple[tuple[str, ...], ...]:
        """None: samples have no parameters."""
        return ()

    def at(self, probe: Probe) -> None:
        """Samples are known where they were taken only."""

    def trajectories(self) -> Floats:
        """The samples of each draw, NaN where they are undefined."""
        return np.where(np.isfinite(self.samples), self.samples, np.nan).T


def _from_matrix(samples: Floats, points: Floats, label: str) -> Behavior:
    if len(samples) != len(points):
        raise DataError(
            f"samples of {label!r} have {len(samples)} rows for {len(points)} points; "
            "give one row for each point"
        )
    outputs, counts = _sorted(samples.T)
    origin = Samples(samples, points, label)
    return Behavior(outputs, counts, samples.shape[1], points, label, origin)


def _sorted(samples: Floats) -> tuple[Floats, Counts]:
    """Sort (m, n_points) samples along the draws, undefined last as NaN, and count the defined."""
    finite = np.isfinite(samples)
    # np.sort puts NaN last, which is where the counts expect what is undefined.
    outputs = np.sort(np.where(finite, samples, np.nan), axis=0)
    return outputs, finite.sum(axis=0, dtype=np.int32)


def _as_samples(samples: ArrayLike, label: str) -> Floats:
    try:
        matrix = np.array(samples, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"samples of {label!r} must be numbers, one row for each point") from None
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise DataError(
            f"samples of {label!r} must be a matrix (n_points, n_draws), got shape {matrix.shape}"
        )
    return matrix


def _as_points(points: ArrayLike) -> Floats:
    shape = np.shape(points)
    n_variables = shape[1] if len(shape) == 2 else 1
    return checked_points(points, [f"X_{number}" for number in range(n_variables)])
