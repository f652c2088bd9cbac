"""Opening: a folder goes in, the atlas that was written to it comes out, memory-mapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symbed.behavior.atlas import Atlas, Skipped
from symbed.behavior.blocks import Block, Recomputed, Stored
from symbed.behavior.observation import Observer
from symbed.behavior.store.encoding import Texts, unpack_columns, unpack_programs
from symbed.behavior.store.segments import Store
from symbed.engine.packed_programs import ChainedPrograms
from symbed.errors import DataError
from symbed.sampling.probe import Probe
from symbed.sampling.serialization import probe_from_plain

KIND = "symbed atlas"
# What the manifest says of an atlas, and as what.
META = {
    "kind": str, "keep": str, "fingerprint": str, "probe": dict, "lines": int, "digest": str,
    "complete": bool, "known_from": list,
}  # fmt: skip


def open_atlas(path: str | Path, probe: Probe | None = None, *, verify: bool = False) -> Atlas:
    """Open an atlas on disk."""
    store = Store.open(path)
    if verify:
        store.verify()
    probe = probe_of(store, probe)
    places = [part[0] for part in store.parts("places")]
    texts = Texts.of(store, "labels")
    atlas = Atlas(
        points=probe.points,
        n_draws=probe.n_draws,
        sources=texts,
        places=np.concatenate(places) if places else np.empty(0, np.int64),
        fixed=_block(store, "fixed", probe),
        varied=_block(store, "varied", probe),
        probe=probe,
        skipped=_SkippedLines(store),
        metadata=unpack_columns(store),
        store=store,
        texts=texts,
    )
    _check_whole(atlas, store)
    return atlas


def _check_whole(atlas: Atlas, store: Store) -> None:
    """See that the arrays of an atlas belong together."""
    rows = atlas.places.max(initial=-1), -1 - atlas.places.min(initial=0)
    columns = atlas.metadata.values()
    if (
        rows[0] >= len(atlas.fixed)
        or rows[1] >= len(atlas.varied)
        or any(len(column) != len(atlas.places) for column in (atlas.sources, *columns))
    ):
        raise DataError(f"{store.path} is damaged: its arrays do not belong together")


def probe_of(store: Store, given: Probe | None) -> Probe:
    """The probe that the store was made with, or the one given, if it is the same."""
    if store.meta.get("kind") != KIND:
        raise DataError(f"{store.path} is no symbed atlas")
    for name, kind in META.items():
        if not isinstance(store.meta.get(name), kind):
            raise DataError(f"{store.path} is damaged: its manifest does not say {name!r}")
    try:
        probe = given or probe_from_plain(store.meta["probe"])
    except (KeyError, TypeError, AttributeError):
        raise DataError(f"{store.path} is damaged: its probe cannot be read") from None
    if probe.fingerprint == store.meta["fingerprint"]:
        return probe
    if given is None:
        raise DataError(
            f"{store.path} was written by a symbed whose probes gave other numbers; "
            "install that version, or survey again"
        )
    raise DataError(f"{store.path} was probed differently, with {store.meta['probe'].get('shown')}")


def _block(store: Store, name: str, probe: Probe) -> Block:
    programs = ChainedPrograms(unpack_programs(store, name))
    if store.meta["keep"] == "programs":
        return Recomputed(programs, Observer(probe))
    parts = store.parts(f"{name}_values", f"{name}_defined")
    return Stored(tuple(part[0] for part in parts), tuple(part[1] for part in parts), programs)


class _SkippedLines(Sequence[Skipped]):
    """The lines that could not be read, in a store."""

    def __init__(self, store: Store) -> None:
        self._lines = [part[0] for part in store.parts("skipped_lines")]
        self._texts, self._errors = (Texts.of(store, f"skipped_{n}") for n in ("texts", "errors"))

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[n] for n in range(*number.indices(len(self)))]
        line = int(np.concatenate(self._lines)[number])
        return Skipped(line, self._texts[number], self._errors[number])

    def __iter__(self) -> Iterator[Skipped]:
        lines = (line for part in self._lines for line in part.tolist())
        return map(Skipped, lines, self._texts, self._errors)
