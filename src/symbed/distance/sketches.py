"""Sketches: the blocks of an atlas go in; small tables come out that bound distances from below.

A sketch keeps, of the sorted outputs at each point, the means of the lower and of the upper half in
single precision, and three means over all points in double precision. No mean moves by more than
the distance of two behaviors, so what is far apart in a table is far apart. The rows of a table are
ordered by where they are defined, then by their mean |output|: whatever can be near to a behavior
stands in one run of rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.atlas import Atlas
from symbed.behavior.behavior import Counts, Floats
from symbed.behavior.blocks import Block
from symbed.distance import kernels, sketch_native, sketch_twin
from symbed.distance.metrics import Measure
from symbed.distance.sketch_plan import N_BLOCKS, Plan
from symbed.engine.backends import backend
from symbed.engine.threads import count_threads

Places = NDArray[np.int64]

AT_ONCE = 256  # rows evaluated and summed up in one call; their outputs stay in the cache
SIZE, MEAN, TILT = range(3)  # columns of the keys

# What rounding can do. Sketches are single precision: relative to the outputs it is 2**-24, and
# adding up bounds loses a few bits more. Keys are double precision.
BOUND_SLACK, MEAN_SLACK, KEY_SLACK = 2.0**-17, 2.0**-22, 2.0**-40
LEAST = 1e-36  # smaller floats lose digits


@dataclass(frozen=True, eq=False)
class Sketches:
    """The sketches of one block, in an order of their own.

    Attributes
    ----------
    plan : how outputs were summed up.
    rows : (n,) the row of the block that each sketch belongs to.
    values : (n, blocks, width) single-precision means.
    keys : (n, 3) means of |output|, output and sign * output.
    masks : (n_masks, bytes) where behaviors are defined, bit by bit; each kind once.
    starts : (n_masks + 1,) where the sketches of each mask begin; inside, by mean |output|.
    whole : (n,) whether at every point either all draws have outputs, or none.
    """

    plan: Plan
    rows: Places
    values: NDArray[np.float32]
    keys: Floats
    masks: NDArray[np.uint8]
    starts: Places
    whole: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = (self.rows, self.values, self.keys, self.masks, self.starts, self.whole)
        return sum(array.nbytes for array in arrays)

    def zone(self, mask: NDArray[np.uint8]) -> slice:
        """The sketches of behaviors that are defined at just these points."""
        found = self._mask_numbers.get(mask.tobytes())
        return slice(0, 0) if found is None else slice(*self.starts[found : found + 2].tolist())

    def window(self, zone: slice, size: float, reach: float) -> slice:
        """The sketches in a zone whose mean |output| differs from ``size`` by at most ``reach``."""
        slack = KEY_SLACK * (reach + 2 * size) + LEAST
        sizes = self.keys[zone, SIZE]
        low = np.searchsorted(sizes, size - reach - slack, side="left")
        high = np.searchsorted(sizes, size + reach + slack, side="right")
        return slice(zone.start + int(low), zone.start + int(high))

    def around(self, zone: slice, size: float, count: int) -> slice:
        """At most so many sketches in a zone, those next to a mean |output|."""
        length = zone.stop - zone.start
        place = int(np.searchsorted(self.keys[zone, SIZE], size))
        first = max(0, min(place - count // 2, length - count))
        return slice(zone.start + first, zone.start + min(length, first + count))

    def one_sided(self, mask: NDArray[np.uint8]) -> Places:
        """(n,) number of points at which just one of a sketch and a mask is defined."""
        counts = np.unpackbits(self.masks ^ mask, axis=1).sum(axis=1, dtype=np.int64)
        return np.repeat(counts, np.diff(self.starts))

    def bounds(self, rows: slice | Places, query: NDArray[np.float32], p: int) -> Floats:
        """Lower bounds of distances to the behavior that has the sketch ``query``."""
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        found = np.empty(count, np.float32)
        if count:
            _engine().scan(self.values, rows, query, self.plan.weights, p, found)
        return found.astype(np.float64)

    @cached_property
    def _mask_numbers(self) -> dict[bytes, int]:
        return {mask.tobytes(): number for number, mask in enumerate(self.masks)}


def sketches_of(
    atlas: Atlas, measure: Measure, workers: int | None = None
) -> tuple[Sketches, Sketches]:
    """The sketches of an atlas, for its fixed and its varied block; made once and kept."""
    plan = _plan(atlas.points.tobytes(), *atlas.points.shape)
    fixed, varied = (_kept(b, plan, measure, workers) for b in (atlas.fixed, atlas.varied))
    return fixed, varied


def sketch(
    side: kernels.Side, plan: Plan, measure: Measure
) -> tuple[NDArray[np.float32], Floats, NDArray[np.uint8]]:
    """Sketches (k, blocks, width), keys (k, 3) and masks (k, bytes) of prepared behaviors."""
    outputs, counts = _collapsed(side) if measure.undefined == "cemetery" else side
    values = np.empty((len(outputs), 1 if outputs.shape[1] == 1 else N_BLOCKS, plan.width), np.float32)
    keys = np.empty((len(outputs), 3))
    _engine().sketch(outputs, counts, plan, values, keys)
    return values, keys, np.packbits(counts > 0, axis=1)


def _collapsed(side: kernels.Side) -> kernels.Side:
    """Undefined outputs moved to zero, where the cemetery is joined: no distance grows by that."""
    outputs, counts = side
    moved = np.sort(np.where(np.isnan(outputs), 0.0, outputs), axis=1)
    return moved, np.full_like(counts, outputs.shape[1])


_Kind = tuple[Callable[[Any], Any] | None, str]
_lock = threading.Lock()
_tables: WeakKeyDictionary[Block, dict[_Kind, Sketches]] = WeakKeyDictionary()


def _kept(block: Block, plan: Plan, measure: Measure, workers: int | None) -> Sketches:
    kind = (measure.row.transform, measure.undefined)
    with _lock:
        tables = _tables.setdefault(block, {})
        if kind not in tables:
            tables[kind] = _build(block, plan, measure, workers)
        return tables[kind]


def _build(block: Block, plan: Plan, measure: Measure, workers: int | None) -> Sketches:
    """Evaluate and sum up all rows of a block, then put them in order."""
    n = len(block)
    keys, masks = np.empty((n, 3)), np.empty((n, -(-plan.n_points // 8)), np.uint8)
    whole = np.empty(n, np.bool_)
    values = np.empty((0, 1, plan.width), np.float32)

    def fill(first: int) -> None:
        some = np.arange(first, min(first + AT_ONCE, n))
        here = slice(first, first + AT_ONCE)
        side = kernels.prepare(block.take(some), measure)
        values[here], keys[here], masks[here] = sketch(side, plan, measure)
        whole[here] = ((side[1] == 0) | (side[1] == side[0].shape[1])).all(axis=1)

    if n:
        shape = sketch(kernels.prepare(block.take(np.zeros(1, np.int64)), measure), plan, measure)
        values = np.empty((n, *shape[0].shape[1:]), np.float32)
    with ThreadPoolExecutor(count_threads(workers)) as pool:
        for _ in pool.map(fill, range(0, n, AT_ONCE)):
            pass
    different, numbers = _numbered(masks)
    order = np.lexsort((keys[:, SIZE], numbers))
    starts = np.searchsorted(numbers[order], np.arange(len(different) + 1))
    return Sketches(
        plan, order, values[order], keys[order], different, starts, whole[order]
    )


def _numbered(masks: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], Places]:
    """The different masks, and for each row which one it has."""
    whole = masks.view(f"V{masks.shape[1]}").ravel()
    different, numbers = np.unique(whole, return_inverse=True)
    return different.view(np.uint8).reshape(len(different), -1), numbers.astype(np.int64)


@lru_cache(maxsize=16)
def _plan(points: bytes, n_points: int, n_variables: int) -> Plan:
    return Plan.of(np.frombuffer(points).reshape(n_points, n_variables))


def _engine() -> ModuleType:
    return sketch_native if backend().name == "native" else sketch_twin
