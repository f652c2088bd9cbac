"""``Selection``, and the verb ``select``: formulas that are good and different."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Source
from symbed.behavior.surveying import as_atlas
from symbed.distances._farthest_first import (
    BehaviorCandidates,
    Candidates,
    MatrixCandidates,
    covered_better,
    farthest_first,
)
from symbed.distances.matrix.distance_matrix import DistanceMatrix
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.errors import DataError, RangeError, ShapeError
from symbed.parallel import open_executor
from symbed.progress import Progress, Shown
from symbed.sampling.probe import Probe

METRIC = "relative"  # by default: losses are compared with each other, not with units of outputs
ROUNDING = 1e-9  # of the largest distance: a given matrix cannot tell what its rounding was


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """Formulas that are good and different, in the order in which they were chosen.

    Attributes
    ----------
    indices : (n,) array
        Their places in the atlas or the matrix; the first has the lowest loss.
    losses : (n,) array
        Their losses.
    distances : (n,) array
        How far each is from the nearest of those before it; infinite for the first.
    radius : float
        The covering radius: no candidate is farther from the nearest selected one.
    candidates : (m,) array
        The places of all that had a loss within the bound.
    candidate_losses : (m,) array
        Their losses.
    owners : (m,) array
        Which selected one is nearest to each candidate, by its place among the selected.
    labels : sequence of str
        What all expressions of the atlas or the matrix are called.
    k : int
        How many were asked for; there are fewer where no more candidates differ.
    within : float or None
        The largest loss that was allowed.
    atlas : Atlas or None
        Where they were selected from.
    measure : object
        How distances were measured.
    """

    indices: Integers
    losses: Floats
    distances: Floats
    radius: float
    candidates: Integers
    candidate_losses: Floats
    owners: Integers
    labels: Sequence[str]
    k: int
    within: float | None = None
    atlas: Atlas | None = None
    measure: object = None

    def __post_init__(self) -> None:
        arrays = (self.indices, self.losses, self.distances)
        for array in (*arrays, self.candidates, self.candidate_losses, self.owners):
            array.setflags(write=False)

    @property
    def selected(self) -> list[str]:
        """The formulas that were selected."""
        return [self.labels[index] for index in self.indices.tolist()]

    def to_dict(self) -> dict[str, Any]:
        """The selected formulas with their columns of the atlas, ready for JSON."""
        return {
            "k": self.k,
            "within": self.within,
            "n_expressions": len(self.labels),
            "n_candidates": len(self.candidates),
            "radius": self.radius,
            "selected": self._listed(),
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each selected formula."""
        rows = self._listed()
        return data_frame({name: [row[name] for row in rows] for name in rows[0]})

    def _listed(self) -> list[dict[str, Any]]:
        n_nearest = np.bincount(self.owners, minlength=len(self)).tolist()
        cells = zip(
            self.indices.tolist(), self.losses.tolist(), self.distances.tolist(), n_nearest,
            strict=True,
        )  # fmt: skip
        return [
            {"index": index, "label": self.labels[index], "loss": loss, "distance": distance,
             "n_nearest": count}
            | self._further(index)
            for index, loss, distance, count in cells
        ]  # fmt: skip

    def _further(self, index: int) -> dict[str, Any]:
        columns = self.atlas.metadata_of(index) if self.atlas is not None else {}
        return {name: cell for name, cell in columns.items() if name != "loss"}

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[str]:
        return iter(self.selected)

    def _repr_html_(self) -> str:
        from symbed._notebook import selection_html

        return selection_html(self)

    def __repr__(self) -> str:
        return (
            f"Selection({len(self):,} of {len(self.candidates):,} candidates, "
            f"covering radius {self.radius:.3g})"
        )


def select(
    atlas: DistanceMatrix | Atlas | Iterable[Source | Behavior],
    k: int,
    loss: str | ArrayLike = "loss",
    within: float | None = None,
    *,
    apart: float | None = None,
    probe: Probe | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    **settings: Unpack[MeasureSettings],
) -> Selection:
    """Choose k formulas that are good and different.

    The formula with the lowest loss is always in. Then, one after the other, comes whoever is
    farthest from all chosen so far among those with a loss within the bound. Every candidate is
    then near a chosen one: the covering radius is at most twice the smallest that k formulas can
    have. Of a few hundred candidates those are taken that leave a smaller radius still, if there
    are such.

    Parameters
    ----------
    atlas : Atlas, DistanceMatrix, or sequence of behaviors or sources
        The formulas. Sources, such as texts, need a ``probe``. A square matrix holds distances of
        any kind, such as those of ``symbed.verdicts.form_distances``.
    k : int
        How many at most. Fewer are chosen where no more candidates differ.
    loss : str or array
        A column of the atlas, or a number for each formula; lower is better. A formula without a
        finite loss is no candidate.
    within : float, optional
        The largest loss of a candidate; by default every loss will do.
    apart : float, optional
        Two that are no farther apart count as one. By default it is measured, as ``duplicates``
        does it: how far apart two spellings of the same formula come out.
    probe, measure, workers, executor, progress, **settings
        As in ``pairwise``, but for the metric, which is ``"relative"`` by default; progress counts
        the formulas chosen so far.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (1, 5)})
    >>> formulas = ["x^2", "1.01*x^2", "x*(x + 0.01)", "5*x - 4", "exp(x)/6", "100*x"]
    >>> losses = [0.01, 0.02, 0.015, 0.4, 0.5, 9.0]
    >>> chosen = symbed.select(formulas, 3, losses, within=1.0, probe=probe)
    >>> chosen.selected
    ['x^2', 'exp(x)/6', '5*x - 4']
    """
    _check_numbers(k, within, apart)
    if isinstance(atlas, DistanceMatrix):
        if settings or any(one is not None for one in (probe, measure, workers, executor)):
            raise RangeError("a DistanceMatrix is measured already; leave out all but its losses")
        return _select_from_matrix(atlas, k, loss, within, apart)
    if measure is None:
        settings.setdefault("metric", METRIC)
    measure = as_measure(measure, settings)
    measure.require_pointwise("select")
    who: dict[str, Any] = {"workers": workers, "executor": executor}
    chosen_from = as_atlas(
        atlas, probe, verb="select", wanted="an Atlas, a DistanceMatrix or behaviors", **who,
        progress=progress,
    )  # fmt: skip
    losses = _losses(loss, chosen_from)
    labels = chosen_from.labels
    with open_executor(**who) as pool, Progress("selection", k, progress) as bar:
        sources = _under_bound(losses, within, labels)
        numbers = np.unique(chosen_from.numbers[sources])
        candidates = BehaviorCandidates(chosen_from, numbers, measure, apart, pool)
        defined = candidates.are_defined()
        if not defined.all():
            numbers = numbers[defined]
            sources = sources[np.isin(chosen_from.numbers[sources], numbers)]
            if not len(sources):
                raise DataError("every formula within the loss bound is undefined at all points")
            candidates = BehaviorCandidates(chosen_from, numbers, measure, apart, pool)
        places = np.searchsorted(numbers, chosen_from.numbers[sources])
        return _selected(
            candidates, places, sources, losses, k, bar.advance,
            labels=labels, within=within, atlas=chosen_from, measure=measure,
        )  # fmt: skip


def _select_from_matrix(
    matrix: DistanceMatrix, k: int, loss: str | ArrayLike, within: float | None, apart: float | None
) -> Selection:
    if matrix.shape[0] != matrix.shape[1]:
        raise ShapeError(f"a selection needs a square matrix, got {matrix.shape}")
    if isinstance(loss, str):
        raise DataError("a DistanceMatrix has no columns; give loss=..., a number for each row")
    losses = _checked_losses(loss, len(matrix))
    sources = _under_bound(losses, within, matrix.row_labels)
    distances = np.asarray(matrix.values)
    if apart is None:
        finite = distances[np.isfinite(distances)]
        apart = ROUNDING * float(finite.max(initial=0.0))
    candidates = MatrixCandidates(distances, sources, apart)
    return _selected(
        candidates, np.arange(len(sources)), sources, losses, k, lambda: None,
        labels=list(matrix.row_labels), within=within, measure=matrix.measure,
    )  # fmt: skip


def _selected(
    candidates: Candidates, places: Integers, sources: Integers, losses: Floats, k: int,
    advance: Callable[[], object], **described: Any,
) -> Selection:  # fmt: skip
    """The choice among candidates; ``places`` tells which candidate each source is."""
    best, ranks = _preferred(places, losses[sources], int(places.max()) + 1)
    traversal = farthest_first(candidates, ranks, k, advance)
    traversal = covered_better(traversal, candidates, ranks, k)
    chosen = sources[best[traversal.chosen]]
    return Selection(
        chosen, losses[chosen], traversal.steps, float(traversal.gaps.max()), sources,
        losses[sources], traversal.owners[places], k=k, **described,
    )  # fmt: skip


def _check_numbers(k: int, within: float | None, apart: float | None) -> None:
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise RangeError(f"k must be a positive whole number, got {k!r}")
    if within is not None and (not isinstance(within, (int, float)) or math.isnan(within)):
        raise RangeError(
            f"within must be a number, the largest loss of a candidate, got {within!r}"
        )
    if apart is not None and not (isinstance(apart, (int, float)) and 0 <= apart < math.inf):
        raise RangeError(f"apart must be a finite distance of at least 0, got {apart!r}")


def _losses(loss: str | ArrayLike, atlas: Atlas) -> Floats:
    if not isinstance(loss, str):
        return _checked_losses(loss, len(atlas))
    if loss not in atlas.metadata:
        known = ", ".join(atlas.metadata)
        has = f"it has {known}" if known else "it has none"
        raise DataError(
            f"the atlas has no column {loss!r} ({has}); give loss=..., a column or a number for "
            "each formula"
        )
    return _checked_losses(atlas.metadata[loss], len(atlas), f"the column {loss!r}")


def _checked_losses(given: Any, n: int, what: str = "loss") -> Floats:
    try:
        losses = np.asarray([np.nan if one is None else one for one in given], np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{what} must be numbers") from None
    if losses.shape != (n,):
        raise ShapeError(
            f"{what} needs one number for each of the {n:,} formulas, got shape {losses.shape}"
        )
    return losses


def _under_bound(losses: Floats, within: float | None, labels: Sequence[str]) -> Integers:
    """The sources that are candidates."""
    usable = np.isfinite(losses)
    if not usable.any():
        raise DataError("no formula has a finite loss")
    under = usable if within is None else usable & (losses <= within)
    if not under.any():
        best = int(np.argmin(np.where(usable, losses, np.inf)))
        raise RangeError(
            f"no formula has a loss within {within:g}; the lowest is {losses[best]:g}, "
            f"of {labels[best]!r}"
        )
    return np.flatnonzero(under)


def _preferred(places: Integers, losses: Floats, n: int) -> tuple[Integers, Integers]:
    """For each of n behaviors its source with the lowest loss, and the behavior's rank by it."""
    order = np.argsort(losses, kind="stable")
    best = np.empty(n, np.int64)
    best[places[order[::-1]]] = order[::-1]  # the last one written has the lowest loss
    ranks = np.empty(n, np.int64)
    ranks[np.argsort(losses[best], kind="stable")] = np.arange(n)
    return best, ranks
