"""Sketches of the behaviors of an atlas: made once, kept in memory and on disk.

A sketch keeps, of the sorted outputs at each point, the means of the lower and of the upper half in
single precision, and three means over all points in double precision. No mean moves by more than
the distance of two behaviors, so what is far apart in a table is far apart: sketches bound
distances from below.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symbed._types import Booleans, Floats, Integers, Singles
from symbed.behavior.atlas import Atlas
from symbed.behavior.distinct_rows import Block, chunked
from symbed.behavior.store.segments import Store, keep_derived
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.engine.backend import active_backend
from symbed.engine.structures.observations import FAR_OUT, Scan, SketchPlan, SortedOutputs
from symbed.parallel import run_blocks

SIZE, MEAN, TILT = range(3)  # columns of the keys

# What rounding can do. Sketches are single precision: relative to the outputs it is 2**-24, and
# adding up bounds loses a few bits more. Keys are double precision.
BOUND_SLACK, MEAN_SLACK, KEY_SLACK = 2.0**-17, 2.0**-22, 2.0**-40
SMALLEST = 1e-36  # smaller floats lose digits

KEPT = 10_000  # rows from which on sketches are kept on disk; fewer are made again in no time
VERSION = 1  # of the sketches on disk; raise it when any number changes
MAX_GROUPS = 64  # of points that are summed up together; up to so many each is its own group
LANES = 32  # groups are filled up to a multiple, so that the core reads whole vectors
DTYPES = {  # of the arrays of a table
    "rows": np.int64, "values": np.float32, "keys": np.float64, "masks": np.uint8,
    "starts": np.int64, "whole": np.bool_,
}  # fmt: skip

Masks = NDArray[np.uint8]  # (k, bytes) at which points behaviors are defined, bit by bit
Advance = Callable[[int], None] | None


def sketches_of(
    atlas: Atlas, measure: Measure, executor: Executor, advance: Advance = None
) -> tuple[SketchTable, SketchTable]:
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
) -> tuple[Singles, Floats, Masks]:
    """Sketches (k, blocks, width), keys (k, 3) and masks (k, bytes) of prepared behaviors."""
    outputs, counts = kernels.undefined_at_zero(side) if measure.undefined == "cemetery" else side
    values, keys = active_backend().sketch((outputs, counts), plan)
    return values, keys, np.packbits(counts > 0, axis=1)


@dataclass(frozen=True, eq=False)
class SketchTable:
    """The sketches of one block of rows.

    They are ordered by where behaviors are defined, then by their mean |output|: whatever can be
    near to a behavior stands in one run of the table.
    """

    plan: SketchPlan  # how outputs were summed up
    rows: Integers  # (n,) the row of the block that each sketch belongs to
    values: Singles  # (n, blocks, width) single-precision means
    keys: Floats  # (n, 3) means of |output|, output and sign * output
    masks: Masks  # (n_masks, bytes), each kind once
    starts: Integers  # (n_masks + 1,) where the sketches of each mask begin; inside, by |output|
    whole: Booleans  # (n,) whether at every point either all draws have outputs, or none

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return sum(getattr(self, name).nbytes for name in DTYPES)

    def zone(self, mask: Masks) -> slice:
        """The sketches of behaviors that are defined at just these points."""
        number = self._mask_numbers.get(mask.tobytes())
        return slice(0, 0) if number is None else slice(*self.starts[number : number + 2].tolist())

    def window(self, zone: slice, size: float, reach: float) -> slice:
        """The sketches in a zone whose mean |output| differs from ``size`` by at most ``reach``."""
        slack = KEY_SLACK * reach + 2 * KEY_SLACK * size + SMALLEST
        sizes = self.keys[zone, SIZE]
        low = np.searchsorted(sizes, size - reach - slack, side="left")
        high = np.searchsorted(sizes, size + (reach + slack), side="right")
        return slice(zone.start + int(low), zone.start + int(high))

    def around(self, zone: slice, size: float, count: int) -> slice:
        """At most so many sketches in a zone, those next to a mean |output|."""
        length = zone.stop - zone.start
        place = int(np.searchsorted(self.keys[zone, SIZE], size))
        first = max(0, min(place - count // 2, length - count))
        return slice(zone.start + first, zone.start + min(length, first + count))

    def one_sided(self, mask: Masks) -> Integers:
        """(n,) number of points at which just one of a sketch and a mask is defined."""
        counts = np.unpackbits(self.masks ^ mask, axis=1).sum(axis=1, dtype=np.int64)
        return np.repeat(counts, np.diff(self.starts))

    def key_bounds(self, rows: slice | Integers, keys: Floats) -> Floats:
        """Lower bounds of distances, in double precision, to the behavior that has these keys.

        They are coarse, but hold on to outputs of any size; less what rounding can do.
        """
        some = self.keys[rows]
        with np.errstate(over="ignore"):
            gaps: Floats = np.abs(some[:, SIZE] - keys[SIZE])
            for key in (MEAN, TILT):
                np.maximum(gaps, np.abs(some[:, key] - keys[key]), out=gaps)
        gaps -= KEY_SLACK * some[:, SIZE] + KEY_SLACK * keys[SIZE]
        return gaps

    def bounds(self, rows: slice | Integers, query: Singles, p: int) -> Floats:
        """Lower bounds of distances to the behavior that has the sketch ``query``."""
        scan = Scan(self.values, rows, query, self.plan.weights, p)
        return active_backend().scan(scan).astype(np.float64) if scan.n_rows else np.empty(0)

    @cached_property
    def places(self) -> Integers:
        """(n,) where the sketch of each row of the block stands."""
        places = np.empty_like(self.rows)
        places[self.rows] = np.arange(len(self.rows))
        return places

    @cached_property
    def _mask_numbers(self) -> dict[bytes, int]:
        return {mask.tobytes(): number for number, mask in enumerate(self.masks)}


def reach(limit: float, norm: float, measure: Measure) -> float:
    """The largest plain distance of anything that a measure puts within a limit.

    ``norm`` is the distance of the query from zero, or more. For the relative measure,
    2d / (a + b + d) with b <= a + d is at least d / (a + d).
    """
    if not measure.row.relative:
        return limit
    # Relative distances are rounded, too.
    limit *= 1 + 1e-12
    if limit >= 1 or (measure.undefined == "strict" and measure.mismatch < math.inf):
        return math.inf
    return limit / (1 - limit) * norm


def passes(limit: float, norm: float, measure: Measure) -> float:
    """The largest bound of anything within a limit, with slack for what rounding can do."""
    # By the query's size alone: what is within the limit is not much larger.
    slack = 2 * MEAN_SLACK * min(norm, FAR_OUT) + SMALLEST
    return reach(limit, norm, measure) * (1 + BOUND_SLACK) + slack


_lock = threading.Lock()
# Weak, so that sketches go when the rows that they are of do.
_tables: WeakKeyDictionary[Block, dict[str, SketchTable]] = WeakKeyDictionary()


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

    @property
    def key(self) -> str:
        """Under which name they are kept on disk."""
        return f"sketches {VERSION} {self.kind}"


def _kept(request: _Request, executor: Executor, advance: Advance) -> SketchTable:
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
                _save(request, tables[kind])
                return tables[kind]
            tables[kind] = table
    if advance and len(table):
        advance(len(table))
    return table


def _load(request: _Request) -> SketchTable | None:
    """The sketches that are kept with an atlas; None if there are none that fit."""
    segment = request.store.derived.get(request.key) if request.store else None
    if segment is None or set(segment) != set(DTYPES):
        return None
    table = SketchTable(request.plan, *(segment[name] for name in DTYPES))
    return table if _fits(table, len(request.block)) else None


def _save(request: _Request, table: SketchTable) -> None:
    """Keep sketches with their atlas, if it is large and can be written to."""
    if request.store and len(request.block) >= KEPT:
        arrays = {name: [np.ascontiguousarray(getattr(table, name))] for name in DTYPES}
        keep_derived(request.store, request.key, arrays)


def _fits(table: SketchTable, n_rows: int) -> bool:
    """Whether arrays from disk are what the core may read, and number each row once."""
    plan = table.plan
    return (
        all(getattr(table, name).dtype == dtype for name, dtype in DTYPES.items())
        and table.rows.shape == table.whole.shape == (n_rows,)
        and table.values.ndim == 3
        and table.values.shape[:1] + table.values.shape[2:] == (n_rows, plan.width)
        and table.keys.shape == (n_rows, 3)
        and table.starts.ndim == 1
        and table.masks.shape == (len(table.starts) - 1, -(-plan.n_points // 8))
        and table.starts[0] == 0
        and table.starts[-1] == n_rows
        and bool((np.diff(table.starts) >= 0).all())
        and (n_rows == 0 or (table.rows.min() >= 0 and table.rows.max() < n_rows))
        and bool((np.bincount(table.rows, minlength=n_rows) == 1).all())
    )


def _build(request: _Request, executor: Executor, advance: Advance) -> SketchTable:
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
    return SketchTable(plan, order, values[order], keys[order], different, starts, whole[order])


def _sketch_block(
    block: Block, plan: SketchPlan, measure: Measure
) -> tuple[Singles, Floats, Masks, Booleans]:
    side = kernels.prepare(block.take(np.arange(len(block))), measure)
    full = (side[1] == 0) | (side[1] == side[0].shape[1])
    return *sketch(side, plan, measure), full.all(axis=1)


def _numbered(masks: Masks) -> tuple[Masks, Integers]:
    """The different masks, and for each row which one it has."""
    whole = masks.view(f"V{masks.shape[1]}").ravel()
    different, numbers = np.unique(whole, return_inverse=True)
    bits = different.view(np.uint8).reshape(len(different), masks.shape[1])
    return bits, numbers.astype(np.int64)


@lru_cache(maxsize=16)
def _plan(points: bytes, n_points: int, n_variables: int) -> SketchPlan:
    # Bytes, since arrays have no hash; all searches at the same points share a plan.
    return sketch_plan(np.frombuffer(points).reshape(n_points, n_variables))


def sketch_plan(points: Floats) -> SketchPlan:
    """Which of (n_points, n_variables) points are summed up together."""
    groups = group_points(points, min(len(points), MAX_GROUPS))
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
