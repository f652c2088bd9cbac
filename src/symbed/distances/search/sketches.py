"""The sketches of an atlas: made once, kept in memory and on disk; they bound distances from below.

A sketch keeps, of the sorted outputs at each point, the means of the lower and of the upper half in
single precision, and three means over all points in double precision. No mean moves by more than
the distance of two behaviors, so what is far apart in a table is far apart.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, chunked
from symbed.behavior.store.segments import Store
from symbed.behavior.store.writer import keep_derived
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.search.sketch_table import SIZE, Sketches
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import SketchPlan, SortedOutputs
from symbed.parallel import run_blocks

KEPT = 10_000  # rows from which on sketches are kept on disk; fewer are made again in no time
VERSION = 1  # of the sketches on disk; raise it when any number changes
MOST_GROUPS = 64  # of points that are summed up together; up to so many each is its own group
LANES = 32  # groups are filled up to a multiple, so that the core reads whole vectors
ARRAYS = ("rows", "values", "keys", "masks", "starts", "whole")

Advance = Callable[[int], None] | None


def sketches_of(
    atlas: Atlas, measure: Measure, executor: Executor, advance: Advance = None
) -> tuple[Sketches, Sketches]:
    """The sketches of an atlas, one table for each block of its rows; made once and kept.

    Those of a large atlas on disk are kept there, beside it. What a measure does to outputs before
    they are compared, is done before they are sketched.
    """
    plan = _plan(atlas.points.tobytes(), *atlas.points.shape)
    sizes = atlas.rows.sizes(len(atlas.points), atlas.n_draws)
    fixed, varied = (
        _kept(_Request(atlas.store, name, block, n_outputs, plan, measure), executor, advance)
        for (name, block), n_outputs in zip(atlas.rows.named_blocks, sizes, strict=True)
    )
    return fixed, varied


def sketch(
    side: SortedOutputs, plan: SketchPlan, measure: Measure
) -> tuple[NDArray[np.float32], Floats, NDArray[np.uint8]]:
    """Sketches (k, blocks, width), keys (k, 3) and masks (k, bytes) of prepared behaviors."""
    outputs, counts = _collapsed(side) if measure.undefined == "cemetery" else side
    values, keys = active_backend().sketch((outputs, counts), plan)
    return values, keys, np.packbits(counts > 0, axis=1)


def _collapsed(side: SortedOutputs) -> SortedOutputs:
    """Undefined outputs moved to zero, where the cemetery is joined: no distance grows by that."""
    outputs, counts = side
    moved = np.sort(np.where(np.isnan(outputs), 0.0, outputs), axis=1)
    return moved, np.full_like(counts, outputs.shape[1])


_lock = threading.Lock()
# Weak, so that sketches go when the rows that they are of do.
_tables: WeakKeyDictionary[Block, dict[str, Sketches]] = WeakKeyDictionary()


class _Request(NamedTuple):
    """Which sketches are asked for."""

    store: Store | None
    name: str
    block: Block
    n_outputs: int
    plan: SketchPlan
    measure: Measure

    @property
    def kind(self) -> str:
        """What tells the sketches of one block apart, by what was done to its outputs."""
        transform = self.measure.row.transform
        done = getattr(transform, "__name__", "plain")
        return f"{self.name} {done} {self.measure.undefined}"


def _kept(request: _Request, executor: Executor, advance: Advance) -> Sketches:
    """The sketches of one block: those in memory, those on disk, or new ones."""
    block, kind = request.block, request.kind
    table = _tables.get(block, {}).get(kind)  # without waiting for somebody who makes others
    if table is None:
        # Held while they are made: other threads wait, and nobody sketches an atlas twice.
        with _lock:
            tables = _tables.setdefault(block, {})
            table = tables[kind] if kind in tables else _load(request)
            if table is None:
                tables[kind] = _build(request, executor, advance)
                if request.store and len(block) >= KEPT:
                    _save(request.store, kind, tables[kind])
                return tables[kind]
            tables[kind] = table
    if advance and len(table):
        advance(len(table))
    return table


def _load(request: _Request) -> Sketches | None:
    """The sketches that are kept with an atlas; None if there are none that fit."""
    segment = request.store.derived.get(_key(request.kind)) if request.store else None
    if segment is None or set(segment) != set(ARRAYS):
        return None
    table = Sketches(request.plan, *(segment[name] for name in ARRAYS))
    return table if _fits(table, len(request.block), request.plan) else None


def _save(store: Store, kind: str, sketches: Sketches) -> None:
    """Keep sketches with their atlas, if it can be written to."""
    arrays = {name: [np.ascontiguousarray(getattr(sketches, name))] for name in ARRAYS}
    keep_derived(store, _key(kind), arrays)


def _key(kind: str) -> str:
    return f"sketches {VERSION} {kind}"


def _fits(table: Sketches, n_rows: int, plan: SketchPlan) -> bool:
    """Whether arrays from disk are what the core may read, and number each row once."""
    n_bytes = -(-plan.n_points // 8)
    types = (table.rows, np.int64), (table.values, np.float32), (table.keys, np.float64)
    others = (table.masks, np.uint8), (table.starts, np.int64), (table.whole, np.bool_)
    return (
        all(array.dtype == dtype for array, dtype in (*types, *others))
        and table.rows.shape == table.whole.shape == (n_rows,)
        and table.values.ndim == 3
        and table.values.shape[:1] + table.values.shape[2:] == (n_rows, plan.width)
        and table.keys.shape == (n_rows, 3)
        and table.starts.ndim == 1
        and table.masks.shape == (len(table.starts) - 1, n_bytes)
        and table.starts[0] == 0
        and table.starts[-1] == n_rows
        and bool((np.diff(table.starts) >= 0).all())
        and (n_rows == 0 or (table.rows.min() >= 0 and table.rows.max() < n_rows))
        and bool((np.bincount(table.rows, minlength=n_rows) == 1).all())
    )


def _build(request: _Request, executor: Executor, advance: Advance) -> Sketches:
    """Evaluate and sum up all rows of a block, then put them in order."""
    block, plan, n = request.block, request.plan, len(request.block)
    values = np.empty((0, 1, plan.width), np.float32)
    keys, masks = np.empty((n, 3)), np.empty((n, -(-plan.n_points // 8)), np.uint8)
    whole = np.empty(n, np.bool_)
    chunks = chunked(np.arange(n), request.n_outputs)
    work = ((block.pick(rows), plan, request.measure) for rows in chunks)
    done = 0
    for some in run_blocks(executor, _sketch_block, work):
        # The first rows tell how many parts a sketch has: one without parameters, else two.
        if not done:
            values = np.empty((n, *some[0].shape[1:]), np.float32)
        here = slice(done, done + len(some[0]))
        values[here], keys[here], masks[here], whole[here] = some
        done = here.stop
        if advance:
            advance(len(some[0]))
    different, numbers = _numbered(masks)
    order = np.lexsort((keys[:, SIZE], numbers))
    starts = np.searchsorted(numbers[order], np.arange(len(different) + 1))
    return Sketches(plan, order, values[order], keys[order], different, starts, whole[order])


def _sketch_block(
    block: Block, plan: SketchPlan, measure: Measure
) -> tuple[NDArray[np.float32], Floats, NDArray[np.uint8], NDArray[np.bool_]]:
    side = kernels.prepare(block.take(np.arange(len(block))), measure)
    full = (side[1] == 0) | (side[1] == side[0].shape[1])
    return *sketch(side, plan, measure), full.all(axis=1)


def _numbered(masks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Integers]:
    """The different masks, and for each row which one it has."""
    whole = masks.view(f"V{masks.shape[1]}").ravel()
    different, numbers = np.unique(whole, return_inverse=True)
    bits = different.view(np.uint8).reshape(len(different), masks.shape[1])
    return bits, numbers.astype(np.int64)


@lru_cache(maxsize=16)
def _plan(points: bytes, n_points: int, n_variables: int) -> SketchPlan:
    return sketch_plan(np.frombuffer(points).reshape(n_points, n_variables))


def sketch_plan(points: Floats) -> SketchPlan:
    """Which of (n_points, n_variables) points are summed up together."""
    groups = group_points(points, min(len(points), MOST_GROUPS))
    n_groups = int(groups.max()) + 1
    width = -(-n_groups // LANES) * LANES
    counts = np.bincount(groups, minlength=width)
    shares = np.divide(1.0, counts, out=np.zeros(width), where=counts > 0)
    weights = (counts / len(points)).astype(np.float32)
    # Any fixed signs will do: a mean with signs moves by no more than the distance, either.
    signs = np.where(np.arange(len(points)) % 2, -1.0, 1.0)
    return SketchPlan(groups, n_groups, shares, weights, signs)


def group_points(points: Floats, n_groups: int) -> NDArray[np.int32]:
    """The number of the group that each point is in: neighbors together, groups of equal size.

    The points are cut in two again and again, across the direction in which they spread most.

    >>> group_points(np.array([[0.0], [9.0], [1.0], [8.0]]), 2).tolist()
    [0, 1, 0, 1]
    """
    spread = np.ptp(points, axis=0)
    scaled = points / np.where(spread > 0, spread, 1.0)
    groups = np.empty(len(points), np.int32)
    waiting = [(np.arange(len(points)), 0, n_groups)]
    while waiting:
        members, first, count = waiting.pop()
        if count == 1:
            groups[members] = first
            continue
        axis = int(np.argmax(np.ptp(scaled[members], axis=0)))
        ordered = members[np.argsort(scaled[members, axis], kind="stable")]
        half = count // 2
        cut = len(members) * half // count
        waiting += [(ordered[:cut], first, half), (ordered[cut:], first + half, count - half)]
    return groups
