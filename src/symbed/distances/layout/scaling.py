"""Multidimensional scaling: places in the plane whose distances come close to given ones.

Classical scaling gives the start, and SMACOF moves the places until the stress (the squared error
of all distances) stops falling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbed._types import Floats

STEPS = 200
ENOUGH = 1e-5  # relative fall of the stress below which a step is the last


@dataclass(frozen=True, eq=False)
class Layout:
    """Places in the plane.

    Attributes
    ----------
    places : (n, 2) ndarray
        One row for each expression.
    stress : float
        Root of the squared errors over the squared distances: 0 is perfect, above about 0.3 the
        picture says little.
    method : str
        How they were found: ``"scaling"`` of distances, or ``"components"`` of behaviors.
    """

    places: Floats
    stress: float
    method: str = "scaling"


def lay_out(distances: Floats) -> Layout:
    """Places whose distances are close to the given ones, (n, n), finite and symmetric.

    >>> layout = lay_out(np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]))
    >>> round(float(np.hypot(*(layout.places[1] - layout.places[2]))), 3), round(layout.stress, 3)
    (5.0, 0.0)
    """
    size = float(distances.max(initial=0.0))
    if not size:
        return Layout(np.zeros((len(distances), 2)), 0.0)
    wanted = distances / size
    places = _start(wanted)
    stress = stress_of(wanted, places)
    for _ in range(STEPS):
        moved = _step(wanted, places)
        after = stress_of(wanted, moved)
        places, before, stress = moved, stress, after
        if before - after <= ENOUGH * before:
            break
    return Layout(_upright(places) * size, stress)


def _start(wanted: Floats) -> Floats:
    """Classical scaling: the two largest axes of the doubly centered squared distances."""
    squares = wanted**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(inner)
    axes = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    places = np.zeros((len(wanted), 2))
    places[:, : axes.shape[1]] = axes
    return places


def _step(wanted: Floats, places: Floats) -> Floats:
    """One Guttman transform."""
    actual = distances_between(places)
    ratio = np.divide(wanted, actual, out=np.zeros_like(wanted), where=actual > 1e-12)
    moved: Floats = (ratio.sum(axis=1)[:, None] * places - ratio @ places) / len(places)
    return moved


def stress_of(wanted: Floats, places: Floats) -> float:
    """Root of the squared errors of the distances between places over the squared distances."""
    errors = wanted - distances_between(places)
    return float(np.sqrt((errors**2).sum() / (wanted**2).sum()))


def distances_between(places: Floats) -> Floats:
    """(n, n) distances between places."""
    distances: Floats = np.hypot(
        places[:, None, 0] - places[None, :, 0], places[:, None, 1] - places[None, :, 1]
    )
    return distances


def _upright(places: Floats) -> Floats:
    """Turned so that the longer side lies flat, the farthest place on its positive half."""
    centered = places - places.mean(axis=0)
    _, vectors = np.linalg.eigh(centered.T @ centered)
    turned: Floats = centered @ vectors[:, ::-1]
    return turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
