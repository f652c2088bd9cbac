"""``DuplicateGroups``, and the verb ``duplicates``: groups of expressions that behave the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from symbed._export import data_frame
from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Behavior
from symbed.behavior.observation import Source
from symbed.behavior.surveying import as_atlas
from symbed.distances.duplicates._confirmation import Judge
from symbed.distances.duplicates._leader_clustering import Partition, in_runs
from symbed.distances.measure import Measure, MeasureSettings, as_measure
from symbed.distances.pair_distance import distance
from symbed.errors import DataError, RangeError, ShapeError
from symbed.parallel import open_executor
from symbed.progress import Progress, Shown
from symbed.sampling.probe import Probe


@dataclass(frozen=True, eq=False, repr=False)
class DuplicateGroup:
    """Expressions that behave alike.

    Attributes
    ----------
    representative : int
        Index of the preferred one.
    members : (n,) array
        Indices of all, the representative first, then by distance.
    distances : (n,) array
        Of the members to the representative.
    labels : sequence of str
        Of the members.
    is_undefined : bool
        Whether they are defined nowhere, so that their distance of 0 says nothing.
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
    atlas : Atlas
        What was grouped.
    representatives : (n_groups,) array
        Index of each group's representative, ascending: the atlas without its duplicates.
    groups : (n_sources,) array
        Number of the group that each source is in.
    distances : (n_sources,) array
        To the representative.
    tolerances : (n_sources,) array
        What was allowed for each: two are equal if their distance is at most the sum. NaN where
        nothing came so near that it had to be measured.
    within : float or None
        The threshold that was given, if any.
    undefined : int or None
        Number of the group of expressions that are defined nowhere; None if there is none.
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
        labels = [self.atlas.label(member) for member in members.tolist()]
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

    def to_dict(self) -> dict[str, Any]:
        """All groups with their members, ready for JSON.

        With what the columns of the atlas say of them.
        """
        return {
            "n_expressions": len(self.groups),
            "n_groups": len(self),
            "n_duplicates": self.n_duplicates,
            "within": self.within,
            "groups": [self._group_to_dict(group) for group in self],
            "skipped": [vars(line) for line in self.atlas.skipped],
        }

    def _group_to_dict(self, group: DuplicateGroup) -> dict[str, Any]:
        members = zip(group.members.tolist(), group.labels, group.distances.tolist(), strict=True)
        return {
            "representative": group.representative,
            "label": group.labels[0],
            "undefined_everywhere": group.is_undefined,
            "members": [
                {"index": index, "label": label, "distance": distance}
                | self.atlas.metadata_of(index)
                for index, label, distance in members
            ],
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each source: its group, representative and distance."""
        return data_frame(
            {
                "label": list(self.atlas.labels),
                "group": self.groups,
                "representative": self.representatives[self.groups],
                "distance": self.distances,
                **self.atlas.metadata,
            }
        )

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
    atlas: Atlas | Iterable[Source | Behavior],
    within: float | None = None,
    *,
    prefer: str | ArrayLike = "shortest",
    confirm: Literal["points", "decide"] = "points",
    probe: Probe | None = None,
    measure: Measure | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
    **settings: Unpack[MeasureSettings],
) -> DuplicateGroups:
    """Groups of expressions that behave the same, each around its preferred member.

    What looks equal is looked at again, at points and draws that had no part in finding it, before
    it is merged. Samples and given points cannot be had anew; of given points the draws are.

    Parameters
    ----------
    atlas : Atlas, or sequence of behaviors or sources
        The expressions. It need not keep outputs: ``survey(..., keep="programs")`` does. Sources,
        such as texts, need a ``probe``.
    within : float, optional
        The largest distance of a member to its representative. By default it is measured: how far
        apart two spellings of these very expressions come out under this probe. Under the default
        design that is rounding, about 1e-15 of the outputs.
    prefer : "shortest", str, or array
        Which member represents a group: the shortest text; the lowest number in a column of the
        atlas, such as ``"loss"``, and of equal numbers the shortest text; or the lowest number of
        an array with one for each source. Of equal ones the first.
    confirm : {"points", "decide"}
        ``"points"`` merges what is equal on a second look, too: within the rounding there, or
        within twice the threshold given. ``"decide"`` asks ``symbed.verdicts`` besides: only what
        `decide` calls equal (or `relate` the same family) is merged, and what it cannot decide is
        kept apart. Some ten milliseconds for each pair.
    probe, measure, workers, executor, progress, **settings
        As in ``pairwise``; progress counts two steps for each distinct expression.

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
    measure = as_measure(measure, settings)
    measure.require_pointwise("duplicates")
    _check_within(within, measure)
    if confirm not in ("points", "decide"):
        raise RangeError(f"confirm must be 'points' or 'decide', got {confirm!r}")
    who: dict[str, Any] = {"workers": workers, "executor": executor}
    grouped = as_atlas(atlas, probe, verb="duplicates", **who, progress=progress)
    ranks = _ranks(grouped, prefer)
    steps = 2 * grouped.n_distinct  # each is sketched, and gets a leader
    with open_executor(**who) as pool, Progress("duplicates", steps, progress) as bar:
        partition = Partition(grouped, measure, within, ranks, pool, bar.advance)
    # Ranks are a permutation, whose inverse names the source of each rank.
    preferred = np.argsort(ranks)[partition.ranks]  # the source of each distinct behavior
    if confirm == "decide":
        _prove(partition, measure, preferred, progress)
    return _by_source(partition, within, preferred)


def _prove(partition: Partition, measure: Measure, sources: Integers, progress: Shown) -> None:
    """Take out of groups what no verdict calls equal to its leader; leaders are chosen as before.

    What is taken out is grouped among itself. ``sources`` are those that stand for the distinct
    behaviors.
    """
    atlas, judge = partition.atlas, Judge(partition.atlas)
    n_pairs = int((partition.leaders != np.arange(len(sources))).sum())
    with Progress("proving", n_pairs, progress) as bar:
        for group in list(in_runs(partition.leaders)):
            waiting = group[np.argsort(partition.ranks[group])].tolist()
            is_new = False  # whether the leader was taken out of a larger group
            while waiting:
                leader, apart = waiting.pop(0), []
                if is_new:
                    partition.lead(leader, leader, 0.0)
                for member in waiting:
                    pair = int(sources[leader]), int(sources[member])
                    if not judge.are_equal(*(atlas.sources[source] for source in pair)):
                        apart.append(member)
                    elif is_new:
                        near = distance(*(atlas[source] for source in pair), measure=measure)
                        partition.lead(leader, member, near)
                    bar.advance(1)
                waiting, is_new = apart, True


def _check_within(within: float | None, measure: Measure) -> None:
    if within is None:
        return
    if not isinstance(within, (int, float)) or not 0 <= within < math.inf:
        raise RangeError(f"within must be a finite distance of at least 0, got {within!r}")
    if measure.row.relative and within >= 1:
        raise RangeError(f"no two are farther apart than 1 by this metric; within is {within!r}")


def _ranks(atlas: Atlas, prefer: str | ArrayLike) -> Integers:
    """(n_sources,) the place of each source in the order of preference."""
    if not isinstance(prefer, str):
        try:
            keys = [np.asarray(prefer, np.float64)]
        except (TypeError, ValueError):
            raise DataError("prefer must be numbers, one for each expression") from None
    else:
        keys = [np.array([len(label) for label in atlas.labels])]
        if prefer != "shortest":
            keys.append(_column(atlas, prefer))
    if keys[-1].shape != (len(atlas),):
        raise ShapeError(
            f"prefer needs one number for each of the {len(atlas):,} expressions, "
            f"got shape {keys[-1].shape}"
        )
    ranks = np.empty(len(atlas), np.int64)
    ranks[np.lexsort(keys)] = np.arange(len(atlas))  # the last key counts first
    return ranks


def _column(atlas: Atlas, name: str) -> Floats:
    """A column of the atlas; one of texts, such as error messages, cannot be compared."""
    column = atlas.metadata.get(name)
    if not hasattr(column, "dtype"):
        raise RangeError(
            "prefer must be 'shortest', a column of numbers of the atlas or an array of losses, "
            f"got {name!r}"
        )
    return np.asarray(column, np.float64)


def _by_source(partition: Partition, within: float | None, preferred: Integers) -> DuplicateGroups:
    """From distinct behaviors to sources: each group is known by its preferred source."""
    atlas, numbers = partition.atlas, partition.atlas.numbers
    leaders = preferred[partition.leaders[numbers]]
    representatives, groups = np.unique(leaders, return_inverse=True)
    nowhere = np.flatnonzero(partition.is_empty[numbers])
    return DuplicateGroups(
        atlas, representatives, groups.astype(np.int64), partition.distances[numbers],
        partition.tolerances[numbers], within, int(groups[nowhere[0]]) if len(nowhere) else None,
    )  # fmt: skip
