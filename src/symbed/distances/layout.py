"""Places in the plane for expressions: near means alike.

Of a few hundred, *multidimensional scaling*: classical scaling gives the start, and SMACOF moves
the places until the stress, the squared error of all distances, stops falling.

Of large collections, *principal components*. Sorted behaviors are vectors already. The two
components of their arcsinh that vary most are a map that costs one evaluation of each formula,
where all distances of 100,000 would be five billion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symbed._types import Counts, Floats, Singles
from symbed.behavior.atlas import Atlas
from symbed.distances.matrix.distance_matrix import pairwise

STEPS = 200  # of SMACOF at most
ENOUGH = 1e-5  # relative fall of the stress below which a step is the last
COINCIDENT = 1e-12  # distance below which two places have no direction from each other
LEVELS = (0.125, 0.375, 0.625, 0.875)  # quantiles of the draws that stand for all of them
MAX_POINTS = 64  # points that are looked at, evenly chosen: a plane needs no more
TAIL = 0.1  # at each end values are cut: the few formulas that explode would be the whole map
UNDEFINED = 0.1  # in standard deviations; at 1 the second component told nothing else
SAMPLE_SIZE = 2_000  # formulas that tell where the tails begin
JUDGED = 200  # formulas whose distances are compared with the map's


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
    stress = _stress_of(wanted, places)
    for _ in range(STEPS):
        moved = _step(wanted, places)
        after = _stress_of(wanted, moved)
        places, before, stress = moved, stress, after
        if before - after <= ENOUGH * before:
            break
    return Layout(_upright(places) * size, stress)


def lay_out_behaviors(atlas: Atlas) -> Layout:
    """Places for all the sources of an atlas, by the principal components of their behaviors.

    Where a formula is undefined it counts as average, and that it is undefined counts a
    little. Each component is in units of its own standard deviation.

    The stress is that of some of the sources under the metric ``relative``, in the unit that suits
    best.

    >>> import symbed
    >>> atlas = symbed.survey(["x", "x + 1", "x + 9"], symbed.Probe({"x": (0, 1)}))
    >>> places = lay_out_behaviors(atlas).places
    >>> bool(abs(places[0] - places[1]).max() < abs(places[0] - places[2]).max())
    True
    """
    features = _features(atlas)
    features -= features.mean(axis=0)
    _, axes = np.linalg.eigh((features.T @ features).astype(np.float64))
    distinct = (features @ axes[:, ::-1][:, :2].astype(np.float32)).astype(np.float64)
    spread = distinct.std(axis=0)
    places = (distinct / np.where(spread > 0, spread, 1.0))[atlas.numbers]
    return Layout(places, _stress(atlas, places), "components")


def _start(wanted: Floats) -> Floats:
    """Classical scaling: the two largest axes of the doubly centered squared distances."""
    squares = wanted**2
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, None] + squares.mean())
    values, vectors = np.linalg.eigh(inner)
    # Distances that are not Euclidean have axes of negative value, which no place can have.
    axes = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    places = np.zeros((len(wanted), 2))
    places[:, : axes.shape[1]] = axes
    return places


def _step(wanted: Floats, places: Floats) -> Floats:
    """One Guttman transform."""
    actual = _distances_between(places)
    ratio = np.divide(wanted, actual, out=np.zeros_like(wanted), where=actual > COINCIDENT)
    # With equal weights the transform's pseudo-inverse is a division by n.
    return np.asarray((ratio.sum(axis=1)[:, None] * places - ratio @ places) / len(places))


def _stress_of(wanted: Floats, places: Floats) -> float:
    """Root of the squared errors of the distances between places over the squared distances."""
    errors = wanted - _distances_between(places)
    return float(np.sqrt((errors**2).sum() / (wanted**2).sum()))


def _distances_between(places: Floats) -> Floats:
    """(n, n) distances between places."""
    x, y = places.T
    return np.asarray(np.hypot(x[:, None] - x, y[:, None] - y))


def _upright(places: Floats) -> Floats:
    """Turned so that the longer side lies flat, the farthest place on its positive half."""
    centered = places - places.mean(axis=0)
    _, vectors = np.linalg.eigh(centered.T @ centered)
    turned: Floats = centered @ vectors[:, ::-1]
    return turned * np.where(turned[np.abs(turned).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)


def _features(atlas: Atlas) -> Singles:
    """(n_distinct, n_features) what each distinct behavior is known by."""
    n_points = len(atlas.points)
    some = np.unique(np.linspace(0, n_points - 1, min(n_points, MAX_POINTS)).astype(np.int64))
    levels = LEVELS if atlas.rows.has_parameters else LEVELS[:1]
    values = np.empty((len(atlas.rows), len(levels) * len(some)), np.float32)
    shares = np.empty((len(atlas.rows), len(some)), np.float32)
    first = 0
    for outputs, counts in atlas.rows.tiles(n_points * atlas.n_draws):
        last = first + len(outputs)
        values[first:last] = _quantiles(outputs[:, :, some], counts[:, some], levels)
        shares[first:last] = 1.0 - counts[:, some] / outputs.shape[1]
        first = last
    _cut_tails(values)
    spread = float(np.sqrt(np.mean(values.var(axis=0)))) or 1.0
    return np.concatenate([values, UNDEFINED * spread * shares], axis=1)


def _quantiles(outputs: Floats, counts: Counts, levels: tuple[float, ...]) -> Floats:
    """(rows, levels x points) arcsinh of quantiles of the defined outputs; NaN without any."""
    rows, columns = np.ogrid[: outputs.shape[0], : outputs.shape[2]]
    taken = []
    for level in levels:
        ranks = np.minimum((level * counts).astype(np.int64), np.maximum(counts - 1, 0))
        quantile = np.arcsinh(outputs[rows, ranks, columns])
        taken.append(np.where(counts > 0, quantile, np.nan))
    return np.concatenate(taken, axis=1)


def _cut_tails(values: Singles) -> None:
    """Cut the tails of each column, and put its mean where nothing is defined; in place."""
    sample = values[:: max(1, len(values) // SAMPLE_SIZE)]
    for column in range(values.shape[1]):
        known = sample[:, column][np.isfinite(sample[:, column])]
        low, high = np.quantile(known, [TAIL, 1.0 - TAIL]) if len(known) else (0.0, 0.0)
        cut = np.clip(values[:, column], low, high)
        missing = np.isnan(cut)
        cut[missing] = cut[~missing].mean() if not missing.all() else 0.0
        values[:, column] = cut


def _stress(atlas: Atlas, places: Floats) -> float:
    """How far the distances of some sources on the map are from those of their behaviors."""
    n = len(atlas)
    some = np.unique(np.linspace(0, n - 1, min(n, JUDGED)).astype(np.int64))
    wanted = pairwise([atlas[row] for row in some.tolist()], metric="relative", progress=False)
    on_map = _distances_between(places[some])
    known = np.isfinite(wanted.values)
    wanted_known, map_known = np.asarray(wanted.values)[known], on_map[known]
    size, covered = float((wanted_known**2).sum()), float((map_known**2).sum())
    if not size or not covered:
        return 0.0 if not size else 1.0
    # Components have a unit of their own; least squares finds the one that suits best.
    unit = float((wanted_known * map_known).sum()) / covered
    return float(np.sqrt(((wanted_known - unit * map_known) ** 2).sum() / size))
