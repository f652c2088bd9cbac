"""The distance of two behaviors, or of two expressions, as one number.

What a process asks first and most often, so it imports nothing of what only ``compare`` needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Seed
from symbed.behavior.behavior import Behavior, require_same_points
from symbed.behavior.observation import Family, Source, observe
from symbed.distances import kernels
from symbed.distances.kernels import prepare_one
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.errors import DataError, MissingRange, RangeError, ShapeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Range
from symbed.sampling.validation import checked_seed, column_names


def distance(
    a: Behavior,
    b: Behavior,
    *,
    measure: Measure | None = None,
    **settings: Unpack[MeasureSettings],
) -> float:
    """The distance of two behaviors: exactly ``compare(a, b).distance``, without the rest.

    Parameters
    ----------
    a, b, measure, **settings
        As in ``compare``.

    Examples
    --------
    >>> one = Behavior.from_samples([[0.0, 1.0]], points=[0.0])
    >>> distance(one, Behavior.from_samples([[2.0, 3.0]], points=[0.0]))
    2.0
    """
    measure = as_measure(measure, settings)
    require_comparable(a, b)
    return pair_distance(a, b, measure)


def bed(
    e: Source,
    f: Source,
    *,
    domain: Mapping[str, Range] | None = None,
    points: ArrayLike | Mapping[str, ArrayLike] | None = None,
    parameters: Range | Mapping[str, Range] | None = None,
    n_points: int = 64,
    n_draws: int = 32,
    seed: Seed = 0,
    measure: Measure | None = None,
    **settings: Unpack[MeasureSettings],
) -> float:
    """The BED of two expressions, as one number.

    Parameters
    ----------
    e, f : str, token list, Expression or Family
        The expressions.
    domain : mapping of str to range, optional
        Range of each variable, such as ``{"x": (1, 5)}``. Give this or ``points``.
    points : mapping of str to column, or array, optional
        Inputs from a data set; an array has a column for each variable of the two expressions in
        natural order (``x, y``, ``X_2, X_10``).
    parameters : range, or mapping of str to range, optional
        Range of the free parameters, or of each by name.
    n_points, n_draws : int
        Size of the probe.
    seed : int or numpy Generator
        Its seed.
    measure : Measure, optional
        How to measure.
    **settings
        Instead of ``measure``, any of its settings; see ``Measure``.

    Examples
    --------
    >>> bed("x", "x + 2", domain={"x": (0, 1)})
    2.0
    """
    measure = as_measure(measure, settings)
    probe = _probe(e, f, domain, points, parameters, n_points, n_draws, checked_seed(seed))
    return distance(observe(e, probe), observe(f, probe), measure=measure)


def require_comparable(a: Behavior, b: Behavior) -> None:
    """Raise unless these are two behaviors, observed at the same points."""
    for side in (a, b):
        if not isinstance(side, Behavior):
            raise ShapeError(
                f"compare and distance take behaviors, got {type(side).__name__}; "
                "make one with observe(expression, probe), or use bed(e, f, ...)"
            )
    require_same_points(a, b)


def pair_distance(a: Behavior, b: Behavior, measure: Measure) -> float:
    """The distance of two behaviors that are comparable."""
    if measure.row.whole:
        return kernels.power_mean(pair_profile(a, b, measure), measure.p)
    return float(kernels.cross(prepare_one(a, measure), prepare_one(b, measure), measure)[0, 0])


def pair_profile(a: Behavior, b: Behavior, measure: Measure) -> Floats:
    """(n_points,) point-wise distances of two behaviors that are comparable, read-only."""
    if measure.row.whole:
        from symbed.distances import _trajectories as trajectories  # late: few ask for them

        return trajectories.profile(a, b, measure)
    distances = kernels.profile(prepare_one(a, measure), prepare_one(b, measure), measure)
    distances.setflags(write=False)
    return distances


def _probe(
    e: Source,
    f: Source,
    domain: Mapping[str, Range] | None,
    points: ArrayLike | Mapping[str, ArrayLike] | None,
    parameters: Range | Mapping[str, Range] | None,
    n_points: int,
    n_draws: int,
    seed: int,
) -> Probe:
    if domain is not None and points is not None:
        raise RangeError("give domain=... or points=..., not both")
    if domain is not None:
        return Probe(domain, parameters, n_points=n_points, n_draws=n_draws, seed=seed)
    if points is None:
        raise MissingRange("BED needs to know where to look; give domain={'x': (low, high)}")
    named = column_names(points)
    shape = np.shape(points) if named is None else ()  # type: ignore[arg-type]
    variables = named or _variables(e, f, 1 if len(shape) < 2 else shape[1])
    return Probe.at(points, variables, parameters=parameters, n_draws=n_draws, seed=seed)


def _variables(e: Source, f: Source, count: int) -> list[str]:
    """Names for the columns of a bare array, from the variables of the two expressions."""
    names = sorted({name for source in (e, f) for name in _conventional(source)}, key=_natural)
    if len(names) == count:
        return names
    raise DataError(
        f"points have {count} columns, the expressions have variables "
        f"{', '.join(names) or 'none'}; "
        "give points as a mapping {'x': column, ...}"
    )


def _conventional(source: Source) -> tuple[str, ...]:
    if isinstance(source, Family):
        return ()
    return (source if isinstance(source, Expression) else parse(source)).variables


def _natural(name: str) -> list[tuple[int, str]]:
    """A key that puts X_2 before X_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
