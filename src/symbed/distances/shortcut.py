"""The shortcut: two expressions and where to look go in, one number comes out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from symbed.behavior.family import Family
from symbed.behavior.observation import Source, observe
from symbed.distances.comparison import distance
from symbed.errors import DataError, MissingRange, RangeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Range


def bed(
    e: Source,
    f: Source,
    *,
    domain: Mapping[str, Range] | None = None,
    points: ArrayLike | Mapping[str, ArrayLike] | None = None,
    parameters: Range | Mapping[str, Range] | None = None,
    n_points: int = 64,
    n_draws: int = 32,
    p: int = 1,
    mismatch: float = math.inf,
    seed: int = 0,
) -> float:
    """The BED of two expressions, as one number.

    Parameters
    ----------
    e, f : text, token lists, Expressions or Families.
    domain : range of each variable, such as ``{"x": (1, 5)}``. Give this or ``points``.
    points : inputs from a data set: a mapping from variables to columns, or an array with a column
        for each variable of the two expressions in natural order (``x, y``, ``X_2, X_10``).
    parameters : range of the free parameters, or a mapping from names to ranges.
    n_points, n_draws, seed : size and seed of the probe.
    p, mismatch : as in ``compare``.

    Examples
    --------
    >>> bed("x", "x + 2", domain={"x": (0, 1)})
    2.0
    """
    probe = _probe(e, f, domain, points, parameters, n_points, n_draws, seed)
    return distance(observe(e, probe), observe(f, probe), p=p, mismatch=mismatch)


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
    if isinstance(points, Mapping):
        variables = list(points)
        inputs = np.column_stack([np.asarray(points[name], np.float64) for name in variables])
    else:
        inputs = np.asarray(points, np.float64)
        variables = _variables(e, f, 1 if inputs.ndim < 2 else inputs.shape[1])
    return Probe.at(inputs, variables, parameters=parameters, n_draws=n_draws, seed=seed)


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
