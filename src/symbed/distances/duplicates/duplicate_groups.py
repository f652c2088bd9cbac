"""Duplicates: an atlas goes in; groups of behaviorally equal expressions come out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas, label_of
from symbed.distances.duplicates.partition import Partition
from symbed.distances.measure import Measure, Undefined
from symbed.errors import RangeError, ShapeError
from symbed.parallel import open_executor
from symbed.progress import Progress, Shown


@dataclass(frozen=True, eq=False, repr=False)
class DuplicateGroup:
    """Expressions that behave alike.

    Attributes
    ----------
    representative : index of the preferred one.
    members : indices of all, the representative first, then by distance.
    distances : of the members to the representative.
    labels : of the members.
    is_undefined : whether they are defined nowhere, so that their distance of 0 says nothing.
    """

    representative: int
    members: Integers
    distances: Floats
    labels: Sequence[str]
    is_undefined: bool = False

    def __len__(self) -> int:
        return len(self.members)

    def _repr_html_(self) -> str:
        from symbed._notebook import group_html

        return group_html(self)

    def __repr__(self) -> str:
        note = ", defined nowhere" if self.is_undefined else ""
        return f"DuplicateGroup({self.labels[0]!r}, {len(self)} members{note})"


@dataclass(frozen=True, eq=False, repr=False)
class DuplicateGroups(Sequence[DuplicateGroup]):
    """A partition of an atlas into groups, those with a single member included.

    Attributes
    ----------
    atlas : what was grouped.
    representatives : (n_groups,) index of each group's representative, ascending: the atlas without
        its duplicates.
    groups : (n_sources,) number of the group that each source is in.
    distances : (n_sources,) to the representative.
    tolerances : (n_sources,) what was allowed for each: two are equal if their distance is at most
        the sum. NaN where nothing came so near that it had to be measured.
    within : the threshold that was given, if any.
    undefined : number of the group of expressions that are defined nowhere; None if there is none.
    """

    atlas: Atlas
    representatives: Integers
    groups: Integers
    distances: Floats
    tolerances: Floats
    within: float | None = None
    undefined: int | None = None

    def __post_init__(self) -> None:
        for array in (self.representatives, self.groups, self.distances, self.tolerances):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.representatives)

    def __getitem__(self, number: int) -> DuplicateGroup:  # type: ignore[override]
        number = range(len(self))[number]
        first = int(self.representatives[number])
        members = self._order[self._starts[number] : self._starts[number + 1]]
        rest = members[members != first]
        rest = rest[np.lexsort((rest, self.distances[rest]))]
        members = np.concatenate([[first], rest])
        labels = [label_of(self.atlas.sources[member]) for member in members.tolist()]
        alone = number == self.undefined
        return DuplicateGroup(first, members, self.distances[members], labels, alone)

    @property
    def repeated(self) -> Iterator[DuplicateGroup]:
        """The groups with several members, the largest first."""
        sizes = np.diff(self._starts)
        order = np.argsort(-sizes, kind="stable")
        return (self[number] for number in order[sizes[order] > 1].tolist())

    @property
    def n_duplicates(self) -> int:
        """Number of sources that are not a representative."""
        return len(self.groups) - len(self)

    def _repr_html_(self) -> str:
        from symbed._notebook import duplicates_html

        return duplicates_html(self)

    def __repr__(self) -> str:
        return (
            f"DuplicateGroups({len(self.groups):,} expressions, {len(self):,} groups, "
            f"{self.n_duplicates:,} duplicates)"
        )

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.groups, kind="stable")

    @cached_property
    def _starts(self) -> Integers:
        return np.searchsorted(self.groups[self._order], np.arange(len(self) + 1))


def duplicates(
    atlas: Atlas,
    within: float | None = None,
    *,
    prefer: Literal["shortest"] | ArrayLike = "shortest",
    metric: str = "wasserstein",
    p: int = 1,
    mismatch: float = math.inf,
    undefined: Undefined = "strict",
    penalty: float | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> DuplicateGroups:
    """Groups of expressions that behave the same, each around its preferred member.

    Parameters
    ----------
    atlas : the expressions. It need not keep outputs: ``survey(..., keep="programs")`` does.
    within : the largest distance of a member to its representative. By default it is measured: how
        far apart two spellings of these very expressions come out under this probe. Under the
        default design that is rounding, about 1e-15 of the outputs.
    prefer : which member represents a group: ``"shortest"``, the shortest text; or an array with a
        number for each source, of which the lowest is preferred, such as a loss. Of equal ones the
        first.
    metric, p, mismatch, undefined, penalty : as in ``compare``.
    workers : number of threads; all cores by default. The groups do not depend on it.
    executor : who works, instead of threads; as in ``survey``.

    Examples
    --------
    >>> import symbed
    >>> probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    >>> atlas = symbed.survey(["x*(a + b/x)", "a*x + b", "a*x", "exp(ln(a) + ln(x))"], probe)
    >>> for group in symbed.duplicates(atlas):
    ...     print(group.labels)
    ['a*x + b', 'x*(a + b/x)']
    ['a*x', 'exp(ln(a) + ln(x))']
    """
    measure = Measure(metric, p, mismatch, undefined, penalty)
    measure.require_pointwise("duplicates")
    if not isinstance(atlas, Atlas):
        raise ShapeError(
            f"duplicates are looked for in an Atlas, got {type(atlas).__name__}; "
            "make one with survey(expressions, probe)"
        )
    _check_within(within, measure)
    ranks = _ranks(atlas, prefer)
    total = 2 * atlas.n_distinct  # each is sketched, and gets a leader
    with (
        open_executor(workers, executor) as workshop,
        Progress("duplicates", total, progress) as bar,
    ):
        found = Partition(atlas, measure, within, ranks, workshop, bar.advance)
    return _finished(found, within, ranks)


def _check_within(within: float | None, measure: Measure) -> None:
    if within is None:
        return
    if not isinstance(within, (int, float)) or not 0 <= within < math.inf:
        raise RangeError(f"within must be a finite distance of at least 0, got {within!r}")
    if measure.row.relative and within >= 1:
        raise RangeError(f"no two are farther apart than 1 by this metric; within is {within!r}")


def _ranks(atlas: Atlas, prefer: Literal["shortest"] | ArrayLike) -> Integers:
    """(n_sources,) the place of each source in the order of preference."""
    if isinstance(prefer, str):
        if prefer != "shortest":
            raise RangeError(f"prefer must be 'shortest' or an array of losses, got {prefer!r}")
        losses = np.array([len(label_of(source)) for source in atlas.sources], np.float64)
    else:
        losses = np.asarray(prefer, np.float64)
    if losses.shape != (len(atlas),):
        raise ShapeError(
            f"prefer needs one number for each of the {len(atlas):,} expressions, "
            f"got shape {losses.shape}"
        )
    ranks = np.empty(len(atlas), np.int64)
    ranks[np.argsort(losses, kind="stable")] = np.arange(len(atlas))
    return ranks


def _finished(found: Partition, within: float | None, ranks: Integers) -> DuplicateGroups:
    """From distinct behaviors to sources: each group is known by its preferred source."""
    atlas, numbers = found.atlas, found.atlas.numbers
    order = np.argsort(ranks)[::-1]
    best = np.empty(len(found.leaders), np.int64)
    best[numbers[order]] = order  # the last one written is the most preferred
    representatives, groups = np.unique(best[found.leaders[numbers]], return_inverse=True)
    nowhere = np.flatnonzero(found.is_empty[numbers])
    return DuplicateGroups(
        atlas, representatives, groups.astype(np.int64), found.distances[numbers],
        found.tolerances[numbers], within, int(groups[nowhere[0]]) if len(nowhere) else None,
    )  # fmt: skip
