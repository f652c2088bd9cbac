"""Sketches on disk: those of an atlas go beside it, and come back when it is opened again."""

from __future__ import annotations

import numpy as np

from symbed.behavior.store.segments import Store
from symbed.behavior.store.writer import keep_derived
from symbed.distances.search.sketch_plan import Plan
from symbed.distances.search.sketch_table import Sketches

VERSION = 1  # raise it when any number changes
NAMES = ("rows", "values", "keys", "masks", "starts", "whole")


def load_sketches(store: Store, kind: str, n_rows: int, plan: Plan) -> Sketches | None:
    """The sketches of one kind that are kept with an atlas; None if there are none that fit."""
    segment = store.derived.get(_key(kind))
    if segment is None or set(segment) != set(NAMES):
        return None
    found = Sketches(plan, *(segment[name] for name in NAMES))
    return found if _fits(found, n_rows, plan) else None


def keep_sketches(store: Store, kind: str, sketches: Sketches) -> None:
    """Keep sketches with their atlas, if it can be written to."""
    arrays = {name: [np.ascontiguousarray(getattr(sketches, name))] for name in NAMES}
    keep_derived(store, _key(kind), arrays)


def _key(kind: str) -> str:
    return f"sketches {VERSION} {kind}"


def _fits(found: Sketches, n_rows: int, plan: Plan) -> bool:
    """Whether the arrays are what the core may read."""
    n_bytes = -(-plan.n_points // 8)
    return (
        found.rows.shape == found.whole.shape == (n_rows,)
        and found.values.shape[:1] + found.values.shape[2:] == (n_rows, plan.width)
        and found.values.dtype == np.float32
        and found.keys.shape == (n_rows, 3)
        and found.masks.shape == (len(found.starts) - 1, n_bytes)
        and (n_rows == 0 or (found.rows.min() >= 0 and found.rows.max() < n_rows))
        and found.starts[0] == 0
        and found.starts[-1] == n_rows
    )
