"""Family: any parametrized function of the inputs, given as a Python callable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed._types import Counts, Floats
from symbed.errors import DataError, ShapeError
from symbed.sampling.designs import order_by_effect
from symbed.sampling.probe import Probe


@dataclass(frozen=True)
class Family:
    """A family of functions that symbed knows only by calling it.

    Parameters
    ----------
    function : callable
        Called as ``function(points, vector)`` with the (n_points, n_variables) inputs and one
        parameter vector; returns the n_points outputs. A model with hyper-parameters fits here.
    parameters : tuple of str
        Names of the parameters, in the order of the vector.
    label : str
        What results call it.

    Examples
    --------
    >>> line = Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"), label="line")
    >>> line.outputs(np.array([[1.0], [2.0]]), np.array([3.0, 1.0]))
    array([4., 7.])
    """

    function: Callable[[Floats, Floats], Any]
    parameters: tuple[str, ...] = ()
    label: str = "family"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ShapeError(f"a Family needs a callable, got {type(self.function).__name__}")
        if isinstance(self.parameters, str):
            raise ShapeError(
                f"parameters of a Family are a sequence of names, got {self.parameters!r}; "
                f"write ({self.parameters!r},)"
            )
        object.__setattr__(self, "parameters", tuple(self.parameters))

    def outputs(self, points: Floats, vector: Floats) -> Floats:
        """The outputs at all points for one parameter vector."""
        outputs = np.asarray(self.function(points, vector), dtype=np.float64)
        if outputs.shape != (len(points),):
            raise DataError(
                f"{self.label!r} must return one output for each of the {len(points)} points, "
                f"got shape {outputs.shape}"
            )
        return outputs


def observe_family(family: Family, probe: Probe) -> tuple[Floats, Counts]:
    """Sorted outputs (m, n_points) and counts of a callable.

    A callable takes one parameter vector for all points, so it gets one draw set for all of them.
    """
    vectors = _vectors(family, probe)
    # Adding zero turns -0 into 0, as the engines do, so that sorting cannot change a bit.
    raw = np.stack([family.outputs(probe.points, vector) for vector in vectors]) + 0.0
    # Asked this way round, NaN is undefined; infinity is, too, whatever the limit.
    undefined = ~(np.abs(raw) <= min(probe.limit, np.finfo(np.float64).max))
    outputs = np.sort(np.where(undefined, np.nan, raw), axis=0)
    return outputs, (~undefined).sum(axis=0, dtype=np.int32)


def _vectors(family: Family, probe: Probe) -> Floats:
    """The (m, n_parameters) vectors for a callable; one empty vector if it has no parameters."""
    names = family.parameters
    if not names:
        return np.empty((1, 0))
    shared = probe.with_(design="shared") if probe.row.per_point else probe
    unit_order = _family_order(family, shared) if shared.row.aligned else range(len(names))
    ranges = shared.range_ids(names, family.label)
    columns = shared.columns(len(names), program_key=family.label)
    # Tables of range r start at r * n_columns; the last axis has length 1, as draws are shared.
    chosen = [columns[r * len(names) + a, :, 0] for r, a in zip(ranges, unit_order, strict=True)]
    return np.stack(chosen, axis=1)


def _family_order(family: Family, probe: Probe) -> Sequence[int]:
    """Columns for the parameters of a callable, in order of effect, as the engines do it."""
    moves = probe.moves[list(probe.range_ids(family.parameters, family.label))]
    points = probe.points[probe.sentinels]
    effects = np.empty((len(moves), len(points)))
    for slot, (_, low, high) in enumerate(moves):
        ends = []
        for value in (low, high):
            vector = moves[:, 0].copy()
            vector[slot] = value
            ends.append(family.outputs(points, vector))
        effects[slot] = np.abs(ends[1] - ends[0])
    return order_by_effect(effects)
