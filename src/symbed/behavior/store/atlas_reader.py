"""An atlas read from its folder: arrays are mapped, and checked against their limits before use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from symbed._types import Floats, Integers
from symbed.behavior.atlas import Atlas, Skipped, warn_of_unfinished
from symbed.behavior.distinct_rows import Block, DistinctRows, Recomputed, Stored
from symbed.behavior.observation import Family, Observer
from symbed.behavior.store.encoding import (
    VARIED,
    Texts,
    probe_from_plain,
    stored_array,
    unpack_columns,
    unpack_programs,
)
from symbed.behavior.store.segments import Store
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Program
from symbed.engine.structures.observations import SortedOutputs
from symbed.errors import DataError, ShapeError, SymbedError
from symbed.sampling.probe import Probe

KIND = "symbed atlas"
# What the manifest says of an atlas, and as what.
META = {
    "kind": str, "keep": str, "fingerprint": str, "probe": dict, "lines": int, "digest": str,
    "complete": bool, "known_from": list,
}  # fmt: skip


def open_atlas(
    path: str | Path, probe: Probe | None = None, *, verify: bool = False, warned: bool = False
) -> Atlas:
    """Open an atlas on disk; warns of a survey that is unfinished, unless somebody else does."""
    store = Store.open(path)
    if verify:
        store.verify()
    probe = probe_of(store, probe)
    places = _whole(store, "places")
    rows = DistinctRows(_block(store, "fixed", probe), _block(store, "varied", probe))
    texts, metadata = Texts.of(store, "labels"), unpack_columns(store)
    lengths = {len(places), len(texts), *map(len, metadata.values())}
    if len(lengths) > 1 or not rows.has_places(places):
        raise DataError(f"{store.path} is damaged: its arrays do not belong together")
    atlas = Atlas(
        points=probe.points,
        n_draws=probe.n_draws,
        sources=texts,
        # Places are for good; numbers depend on how many rows without parameters there are now.
        numbers=rows.numbers_at(places),
        rows=rows,
        probe=probe,
        skipped=_SkippedLines(store),
        metadata=metadata,
        store=store,
        texts=texts,
        is_unfinished=not store.meta["complete"],
    )
    if not warned:
        warn_of_unfinished(atlas)
    return atlas


def probe_of(store: Store, given: Probe | None) -> Probe:
    """The probe that the store was made with, or the one given, if it is the same.

    Named ranges may be given in another order: the probe returned has that of the store, by which
    its programs number them.
    """
    if store.meta.get("kind") != KIND:
        raise DataError(f"{store.path} is no symbed atlas")
    for name, kind in META.items():
        if not isinstance(store.meta.get(name), kind):
            raise DataError(f"{store.path} is damaged: its manifest does not say {name!r}")
    try:
        plain = store.meta["probe"]
        probe = _in_order_of(plain, given) if given else probe_from_plain(plain)
    except DataError:  # a law that cannot be written down, and what to do
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        reason = f" ({error})" if isinstance(error, SymbedError) else ""
        raise DataError(f"{store.path} is damaged: its probe cannot be read{reason}") from None
    # The manifest has the ranges as they were given; older fingerprints do not tell their order.
    if store.meta["fingerprint"] in (probe.fingerprint, probe.unordered_fingerprint):
        return probe
    if given is None:
        raise DataError(
            f"{store.path} was written by a symbed whose probes gave other numbers; "
            "install that version, or survey again"
        )
    raise DataError(f"{store.path} was probed differently, with {store.meta['probe'].get('shown')}")


def _in_order_of(plain: Mapping[str, Any], given: Probe) -> Probe:
    """A probe with its named ranges in the order of a plain one, if they are the same names."""
    names, ranges = plain.get("parameters"), given.parameters
    if not (isinstance(names, Mapping) and isinstance(ranges, Mapping)):
        return given
    if list(names) == list(ranges) or names.keys() != ranges.keys():
        return given
    return given.with_(parameters={name: ranges[name] for name in names})


def _block(store: Store, name: str, probe: Probe) -> Block:
    programs = ChainedPrograms(unpack_programs(store, name))
    if store.meta["keep"] == "programs":
        return Recomputed(programs, StoredObserver(probe, store.path))
    values, defined = f"{name}_values", f"{name}_defined"
    kept = [batch for batch in store.batches if values in batch]
    n_outputs = probe.n_draws if name == VARIED else 1
    block = Stored(
        tuple(stored_array(batch, values, "<f8", n_outputs, probe.n_points) for batch in kept),
        tuple(stored_array(batch, defined, "<i4", probe.n_points) for batch in kept),
        programs,
    )
    if list(map(len, block.values)) != list(map(len, block.defined)) or len(block) != len(programs):
        raise DataError(f"{store.path} is damaged: its arrays do not belong together")
    return block


def _whole(store: Store, name: str) -> Integers:
    """An array of integers through all batches."""
    parts = (stored_array(batch, name, "<i8") for batch in store.batches if name in batch)
    # The empty one is for an atlas without batches.
    return np.concatenate([np.empty(0, np.int64), *parts])


class StoredObserver(Observer):
    """Evaluates programs from disk: what the engine refuses to run is damage of their folder."""

    def __init__(self, probe: Probe, path: Path) -> None:
        super().__init__(probe)
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.probe, self._path)

    def evaluate(
        self, rows: Sequence[Program | Family], out: SortedOutputs | None = None
    ) -> SortedOutputs:
        """As ``Observer`` does."""
        with told_as_damage(self._path):
            return super().evaluate(rows, out)

    def sweep(
        self, programs: PackedPrograms, targets: SortedOutputs, p: int, mismatch: float
    ) -> Floats:
        """As ``Observer`` does."""
        with told_as_damage(self._path):
            return super().sweep(programs, targets, p, mismatch)


@lru_cache(maxsize=2)
def _revived(probe: Probe, path: Path) -> StoredObserver:
    return StoredObserver(probe, path)


@contextmanager
def told_as_damage(path: Path) -> Iterator[None]:
    """Let what the engine refuses of a folder's programs be told as damage of the folder."""
    try:
        yield
    except ShapeError as error:
        raise DataError(f"{path} is damaged: {error}") from None


class _SkippedLines(Sequence[Skipped]):
    """The lines that could not be read, in a store."""

    def __init__(self, store: Store) -> None:
        self._lines = _whole(store, "skipped_lines")
        self._texts, self._errors = (Texts.of(store, f"skipped_{n}") for n in ("texts", "errors"))
        if not len(self._lines) == len(self._texts) == len(self._errors):
            raise DataError(f"{store.path} is damaged: its arrays do not belong together")

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        line = int(self._lines[number])
        return Skipped(line, self._texts[number], self._errors[number])

    def __iter__(self) -> Iterator[Skipped]:
        return map(Skipped, self._lines.tolist(), self._texts, self._errors)
