"""Sketches: the blocks of an atlas go in; small tables come out that bound distances from below.

A sketch keeps, of the sorted outputs at each point, the means of the lower and of the upper half in
single precision, and three means over all points in double precision. No mean moves by more than
the distance of two behaviors, so what is far apart in a table is far apart.
"""

from __future__ import annotations

import threading
from concurrent.futures import Executor
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas
from symbed.behavior.blocks import Block
from symbed.distances import kernels
from symbed.distances.measure import Measure
from symbed.distances.row_pieces import piece, spans
from symbed.distances.search.sketch_files import keep_sketches, load_sketches
from symbed.distances.search.sketch_plan import N_BLOCKS, Plan
from symbed.distances.search.sketch_table import SIZE, Sketches, sketch_engine
from symbed.parallel import run_blocks

KEPT = 10_000  # rows from which on sketches are kept on disk; fewer are made again in no time


def sketches_of(atlas: Atlas, measure: Measure, executor: Executor) -> tuple[Sketches, Sketches]:
    """The sketches of an atlas, for its fixed and its varied block; made once and kept.

    Those of a large atlas on disk are kept there, beside it.
    """
    plan = _plan(atlas.points.tobytes(), *atlas.points.shape)
    fixed = _kept(atlas, "fixed", plan, measure, executor)
    return fixed, _kept(atlas, "varied", plan, measure, executor)


def sketch(
    side: kernels.Side, plan: Plan, measure: Measure
) -> tuple[NDArray[np.float32], Floats, NDArray[np.uint8]]:
    """Sketches (k, blocks, width), keys (k, 3) and masks (k, bytes) of prepared behaviors."""
    outputs, counts = _collapsed(side) if measure.undefined == "cemetery" else side
    n_blocks = 1 if outputs.shape[1] == 1 else N_BLOCKS
    values = np.empty((len(outputs), n_blocks, plan.width), np.float32)
    keys = np.empty((len(outputs), 3))
    sketch_engine().sketch(outputs, counts, plan, values, keys)
    return values, keys, np.packbits(counts > 0, axis=1)


def _collapsed(side: kernels.Side) -> kernels.Side:
    """Undefined outputs moved to zero, where the cemetery is joined: no distance grows by that."""
    outputs, counts = side
    moved = np.sort(np.where(np.isnan(outputs), 0.0, outputs), axis=1)
    return moved, np.full_like(counts, outputs.shape[1])


_lock = threading.Lock()
_tables: WeakKeyDictionary[Block, dict[str, Sketches]] = WeakKeyDictionary()


def _kept(atlas: Atlas, name: str, plan: Plan, measure: Measure, executor: Executor) -> Sketches:
    """The sketches of one block: those in memory, those on disk, or new ones."""
    block: Block = getattr(atlas, name)
    transform = measure.row.transform
    kind = f"{name} {getattr(transform, '__name__', 'plain')} {measure.undefined}"
    if kind in _tables.get(block, {}):  # without waiting for somebody who makes others
        return _tables[block][kind]
    with _lock:
        tables = _tables.setdefault(block, {})
        if kind not in tables:
            tables[kind] = _found(atlas, block, kind, plan) or _made(
                atlas, block, kind, plan, measure, executor
            )
        return tables[kind]


def _found(atlas: Atlas, block: Block, kind: str, plan: Plan) -> Sketches | None:
    return load_sketches(atlas.store, kind, len(block), plan) if atlas.store else None


def _made(
    atlas: Atlas, block: Block, kind: str, plan: Plan, measure: Measure, executor: Executor
) -> Sketches:
    n_draws = 1 if block is atlas.fixed else atlas.n_draws
    sketches = _build(block, len(atlas.points) * n_draws, plan, measure, executor)
    if atlas.store and len(block) >= KEPT:
        keep_sketches(atlas.store, kind, sketches)
    return sketches


def _build(
    block: Block, n_outputs: int, plan: Plan, measure: Measure, executor: Executor
) -> Sketches:
    """Evaluate and sum up all rows of a block, then put them in order."""
    n = len(block)
    values = np.empty((0, 1, plan.width), np.float32)
    keys, masks = np.empty((n, 3)), np.empty((n, -(-plan.n_points // 8)), np.uint8)
    whole = np.empty(n, np.bool_)
    work = ((piece(block, rows), plan, measure) for rows in spans(np.arange(n), n_outputs))
    done = 0
    for some in run_blocks(executor, _sketch_piece, work):
        if not done:
            values = np.empty((n, *some[0].shape[1:]), np.float32)
        here = slice(done, done + len(some[0]))
        values[here], keys[here], masks[here], whole[here] = some
        done = here.stop
    different, numbers = _numbered(masks)
    order = np.lexsort((keys[:, SIZE], numbers))
    starts = np.searchsorted(numbers[order], np.arange(len(different) + 1))
    return Sketches(
        plan, order, values[order], keys[order], different, starts, whole[order]
    )  # fmt: skip


def _sketch_piece(
    block: Block, plan: Plan, measure: Measure
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
def _plan(points: bytes, n_points: int, n_variables: int) -> Plan:
    return Plan.of(np.frombuffer(points).reshape(n_points, n_variables))
