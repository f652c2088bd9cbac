"""The atlas on disk: an atlas or a stream of sources goes in, a folder comes out, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.atlas import Atlas, Skipped, label_of
from symbed.behavior.behavior import Behavior
from symbed.behavior.blocks import Block, Recomputed, Stored
from symbed.behavior.collecting import Batch, Collector, Errors, Keep, chunks
from symbed.behavior.family import Family
from symbed.behavior.observation import Observer, Source
from symbed.behavior.packing import Texts, pack_programs, pack_texts, unpack_programs
from symbed.behavior.store import Store
from symbed.engine.threads import count_threads
from symbed.errors import DataError
from symbed.language.parser import parse
from symbed.sampling.plain import probe_from_plain, probe_to_plain
from symbed.sampling.probe import Probe

BATCH_SOURCES = 1 << 17  # sources of one batch at most
BATCH_OUTPUTS = 1 << 25  # outputs of one batch at most: 256 MB

Arrays = dict[str, NDArray[Any]]


def survey_to_disk(
    sources: Iterable[Source],
    probe: Probe,
    path: Path,
    workers: int | None,
    progress: Callable[[int], None] | None,
    errors: Errors,
    keep: Keep,
) -> Atlas:
    """Survey a stream into a folder, batch by batch; goes on where an interrupted call was."""
    store = _store_to_resume(path, probe, keep) if path.exists() else None
    store = store or Store.create(path, _meta(probe, keep))
    store.sweep()
    with ThreadPoolExecutor(count_threads(workers)) as pool:
        collector = _collector(store, Observer(probe), pool, errors, keep)
        digest, behind = hashlib.blake2b(digest_size=16), int(store.meta["lines"])
        for line, chunk in chunks(sources):
            last = line + len(chunk) - 1
            _digest_chunk(digest, chunk)
            if last <= behind:  # observed before the interruption
                _check_resumed(store, digest, last)
                continue
            collector.add(line, chunk)
            if progress:
                progress(last)
            if collector.n_waiting >= BATCH_SOURCES or collector.n_outputs >= BATCH_OUTPUTS:
                mark = {"lines": last, "lines_digest": digest.hexdigest()}
                store = _write_batch(store, collector.flush(), mark)
        batch = collector.flush()
    if len(batch.sources) or batch.skipped:
        store = _write_batch(store, batch, {"complete": True})
    else:
        store = store.append({}, {"complete": True})
    if not store.meta["n_sources"]:
        raise DataError("there is nothing to survey: no expression was given")
    return open_atlas(path, probe)


def save_atlas(atlas: Atlas, path: str | Path) -> Atlas:
    """Write an atlas to a new folder."""
    if atlas.probe is None:
        raise DataError("this atlas was made of samples and has no probe; it cannot be saved")
    keep: Keep = "programs" if isinstance(atlas.varied, Recomputed) else "behaviors"
    store = Store.create(path, _meta(atlas.probe, keep))
    batch = Batch(_sources(atlas), atlas.places, atlas.fixed, atlas.varied, atlas.skipped)
    _write_batch(store, batch, {"complete": True}, atlas.metadata)
    return open_atlas(path, atlas.probe)


def append_to_atlas(
    atlas: Atlas,
    sources: Iterable[Source],
    metadata: Mapping[str, Sequence[Any]],
    workers: int | None,
    errors: Errors,
) -> Atlas:
    """Observe more sources and add them to an atlas on disk, as one batch."""
    if atlas.store is None or atlas.probe is None:
        raise DataError("this atlas is not on disk; write it there with save(path)")
    store = Store.open(atlas.store.path)
    store.sweep()
    with ThreadPoolExecutor(count_threads(workers)) as pool:
        keep = store.meta["keep"]
        collector = _collector(store, Observer(atlas.probe), pool, errors, keep)
        for line, chunk in chunks(sources):
            collector.add(line, chunk)
        batch = collector.flush()
    columns = checked_metadata(metadata, len(batch.sources))
    _write_batch(store, batch, {"complete": True}, columns)
    return open_atlas(store.path, atlas.probe)


def open_atlas(path: str | Path, probe: Probe | None = None) -> Atlas:
    """Open an atlas on disk."""
    store = Store.open(path)
    probe = _probe_of(store, probe)
    batches = range(store.n_batches)
    places = [store.array(batch, "places") for batch in batches if store.has(batch, "places")]
    return Atlas(
        points=probe.points,
        n_draws=probe.n_draws,
        sources=Texts.of(store, "labels"),
        places=np.concatenate(places) if places else np.empty(0, np.int64),
        fixed=_block(store, "fixed", probe),
        varied=_block(store, "varied", probe),
        probe=probe,
        skipped=tuple(Skipped(**line) for line in store.meta["skipped"]),
        metadata=_metadata(store),
        store=store,
    )


def checked_metadata(columns: Mapping[str, Sequence[Any]], count: int) -> Arrays:
    """Columns as arrays of numbers or of texts, one entry for each source."""
    checked: Arrays = {}
    for name, column in columns.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise DataError(f"a column of metadata needs a plain name, got {name!r}")
        array = np.asarray(column)
        if array.shape != (count,):
            raise DataError(
                f"metadata {name!r} needs one entry for each of the {count} sources, "
                f"got shape {array.shape}"
            )
        if array.dtype.kind not in "ifubU":
            raise DataError(f"metadata {name!r} must be numbers or texts, got {array.dtype}")
        checked[name] = array
    return checked


def _meta(probe: Probe, keep: Keep) -> dict[str, Any]:
    return {
        "kind": "symbed atlas", "probe": probe_to_plain(probe), "fingerprint": probe.fingerprint,
        "keep": keep, "n_sources": 0, "n_fixed": 0, "n_varied": 0, "skipped": [], "lines": 0,
        "lines_digest": "", "complete": False,
    }  # fmt: skip


def _collector(
    store: Store, observer: Observer, pool: ThreadPoolExecutor, errors: Errors, keep: Keep
) -> Collector:
    n_fixed, n_varied = store.meta["n_fixed"], store.meta["n_varied"]
    return Collector(observer, pool, errors, keep, n_fixed, n_varied)


def _write_batch(
    store: Store, batch: Batch, mark: Mapping[str, Any], metadata: Mapping[str, Any] | None = None
) -> Store:
    arrays: Arrays = {"places": batch.places} | pack_texts("labels", _texts(batch.sources))
    for name, block in (("fixed", batch.fixed), ("varied", batch.varied)):
        if len(block):
            arrays |= pack_programs(name, block.rows)
            if isinstance(block, Stored):
                arrays[f"{name}_values"] = np.concatenate(block.values)
                arrays[f"{name}_defined"] = np.concatenate(block.defined)
    for name, column in (metadata or {}).items():
        text = column.dtype.kind == "U"
        arrays |= pack_texts(f"meta-{name}", column) if text else {f"meta-{name}": column}
    counts = {
        "n_sources": store.meta["n_sources"] + len(batch.sources),
        "n_fixed": store.meta["n_fixed"] + len(batch.fixed),
        "n_varied": store.meta["n_varied"] + len(batch.varied),
        "skipped": store.meta["skipped"] + [vars(line) for line in batch.skipped],
    }
    return store.append(arrays, {**counts, **mark})


def _texts(sources: Sequence[Source]) -> list[str]:
    """Each source as the text that will be read again; token lists as infix."""
    return [str(parse(s)) if isinstance(s, (list, tuple)) else label_of(s) for s in sources]


def _sources(atlas: Atlas) -> list[Source]:
    sources = list(atlas.sources)
    for source in sources:
        if isinstance(source, (Behavior, Family)):
            raise DataError(
                f"{label_of(source)!r} is not a formula and cannot be saved; "
                "survey formulas only, or keep the atlas in memory"
            )
    return sources  # type: ignore[return-value]


def _probe_of(store: Store, given: Probe | None) -> Probe:
    """The probe that the store was made with, or the one given, if it is the same."""
    if store.meta.get("kind") != "symbed atlas":
        raise DataError(f"{store.path} is no symbed atlas")
    probe = given or probe_from_plain(store.meta["probe"])
    if probe.fingerprint != store.meta["fingerprint"]:
        raise DataError(f"{store.path} was probed differently: {store.meta['probe']['shown']}")
    return probe


def _store_to_resume(path: Path, probe: Probe, keep: Keep) -> Store | None:
    if path.is_dir() and not any(path.iterdir()):
        return None
    store = Store.open(path)
    _probe_of(store, probe)
    if store.meta["complete"]:
        raise DataError(
            f"{path} is complete; add to it with Atlas.open({str(path)!r}).append(sources), "
            "or choose another name"
        )
    if store.meta["keep"] != keep:
        raise DataError(f"{path} was begun with keep={store.meta['keep']!r}; go on with the same")
    return store


def _check_resumed(store: Store, digest: Any, line: int) -> None:
    if line == store.meta["lines"] and digest.hexdigest() != store.meta["lines_digest"]:
        raise DataError(f"{store.path} was begun with other sources; choose another name")


def _digest_chunk(digest: Any, chunk: list[Source]) -> None:
    lines = "\n".join(label_of(source).strip() for source in chunk)
    digest.update(lines.encode("utf-8", "surrogatepass") + b"\n")


def _block(store: Store, name: str, probe: Probe) -> Block:
    programs = unpack_programs(store, name)
    if store.meta["keep"] == "programs":
        return Recomputed(programs, Observer(probe))
    batches = [b for b in range(store.n_batches) if store.has(b, f"{name}_values")]
    values = tuple(store.array(batch, f"{name}_values") for batch in batches)
    defined = tuple(store.array(batch, f"{name}_defined") for batch in batches)
    return Stored(values, defined, programs)


def _metadata(store: Store) -> dict[str, NDArray[Any]]:
    """The columns of all batches; where a batch lacks a number, it is NaN."""
    names = {name for batch in range(store.n_batches) for name in store.names(batch, "meta-")}
    columns = {}
    for name in sorted(names):
        text = name.endswith("-ends")
        parts = [
            _column(store, batch, name.removesuffix("-ends"), text)
            for batch in range(store.n_batches)
        ]
        if f"{name}-ends" not in names:
            columns[name.removesuffix("-ends").removeprefix("meta-")] = np.concatenate(parts)
    return columns


def _column(store: Store, batch: int, name: str, text: bool) -> NDArray[Any]:
    count = len(store.array(batch, "places"))
    if text:
        found = list(Texts.of(store, name, batch))
        return np.array(found or [""] * count, dtype=np.str_)
    return store.array(batch, name) if store.has(batch, name) else np.full(count, np.nan)
