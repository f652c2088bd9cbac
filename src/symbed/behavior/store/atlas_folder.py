"""An atlas written to a folder: saved, appended to, or surveyed into batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from symbed.behavior.atlas import Atlas, Skipped, label_of
from symbed.behavior.behavior import Behavior
from symbed.behavior.collector import (
    BATCH_OUTPUTS,
    BATCH_SOURCES,
    MAX_KNOWN,
    Batch,
    Collector,
    Keep,
)
from symbed.behavior.distinct_rows import Stored
from symbed.behavior.observation import Family, Observer, Source
from symbed.behavior.store.atlas_reader import KIND, open_atlas, probe_of, told_as_damage
from symbed.behavior.store.encoding import (
    Column,
    Texts,
    check_columns,
    pack_columns,
    pack_programs,
    pack_texts,
    probe_to_plain,
    unpack_programs,
)
from symbed.behavior.store.segments import Pieces, Staged, Store, Writer, open_writer
from symbed.behavior.surveying import Chunk, Options, SourceStream
from symbed.errors import DataError, SymbedError
from symbed.formula_files.formulas import FormulaStream
from symbed.language.parser import parse
from symbed.parallel import open_executor
from symbed.sampling.probe import Probe

Arrays = dict[str, Pieces]


def survey_to_disk(
    formulas: FormulaStream,
    probe: Probe,
    path: Path,
    metadata: Mapping[str, Iterable[Any]],
    options: Options,
    keep: Keep,
) -> Atlas:
    """Survey a stream into a folder, batch by batch; goes on where an interrupted call was.

    ``keep`` is what was asked for, or chosen for a new folder: one that was begun with something
    else is gone on with as it is, unless ``options.keep`` asks.
    """
    with (
        options.counter(formulas.total) as counter,
        open_writer(path, _new(probe, keep)) as writer,
    ):
        probe = _resumed_probe(writer, probe, keep, options.keep)
        stream = SourceStream(formulas.sources, probe, metadata, counter.advance, digested=True)
        if not stream.skip(writer.store.meta["lines"], writer.store.meta["digest"]):
            raise DataError(f"{path} was begun with other sources; choose another name")

        def write(arrays: Arrays, meta: dict[str, Any]) -> None:
            # Committed with the batch, so that a survey taken up again skips just what is there.
            mark = {"lines": stream.lines, "digest": stream.digest}
            writer.commit([writer.stage(arrays)] if arrays else [], meta | mark)

        with _keeping_what_is_finished(path, probe):
            _collect(stream, writer.store, probe, options, write)
            if not writer.store.batches:
                raise DataError("there is nothing to survey: no expression was given")
            writer.commit([], {"complete": True})
    return open_atlas(path, probe)


@contextmanager
def _keeping_what_is_finished(path: Path, probe: Probe) -> Iterator[None]:
    """Let an error carry the atlas as it is on disk: everything that was committed before."""
    try:
        yield
    except SymbedError as error:
        error.finished = open_atlas(path, probe, warned=True)
        raise


def accept_survey(path: str | Path) -> None:
    """End a survey that was interrupted: what was committed counts as the whole."""
    with open_writer(path) as writer:
        if writer.store.meta.get("complete") is False:
            writer.commit([], {"complete": True})


def append_to_atlas(
    atlas: Atlas,
    formulas: FormulaStream,
    metadata: Mapping[str, Iterable[Any]],
    options: Options,
) -> Atlas:
    """Observe more sources and add them to an atlas on disk, all of them or none."""
    if atlas.store is None or atlas.probe is None:
        raise DataError("this atlas is not on disk; write it there with save(path)")
    staged: list[Staged] = []
    meta: dict[str, Any] = {}
    path = atlas.store.path
    with (
        options.counter(formulas.total) as counter,
        open_writer(path) as writer,
        _keeping_what_is_finished(path, atlas.probe),
    ):
        probe = probe_of(writer.store, atlas.probe)
        stream = SourceStream(formulas.sources, probe, metadata, counter.advance)
        if not writer.store.meta["complete"]:
            raise DataError(
                f"{path} holds an unfinished survey; survey the same sources again to go on, or "
                "end it first: Atlas.open(path, accept=True), or symbed survey --accept"
            )

        def write(arrays: Arrays, said: dict[str, Any]) -> None:
            staged.extend([writer.stage(arrays)] if arrays else [])
            meta.update(said)

        _collect(stream, writer.store, probe, options, write)
        writer.commit(staged, meta)
    return open_atlas(writer.store.path, probe)


def save_atlas(atlas: Atlas, path: str | Path) -> Atlas:
    """Write an atlas to a new folder."""
    if atlas.probe is None:
        raise DataError("this atlas was made of samples and has no probe; it cannot be saved")
    if Path(path).exists() and (not Path(path).is_dir() or any(Path(path).iterdir())):
        raise DataError(f"{path} exists already; append to it, or choose another name")
    with open_writer(path, _new(atlas.probe, atlas.keep)) as writer:
        staged = [writer.stage(arrays) for arrays in _slices(atlas, writer.store)]
        counts = tuple(map(len, atlas.rows.blocks))
        # As in the collector: so many are not remembered, and later appends know none of them.
        known_from = counts if sum(counts) > MAX_KNOWN else (0, 0)
        writer.commit(staged, {**_progress(atlas), "known_from": known_from})
    return open_atlas(path, atlas.probe)


def _progress(atlas: Atlas) -> dict[str, Any]:
    """How far a survey has come; the copy of an unfinished one can be gone on with, too."""
    if not atlas.is_unfinished or atlas.store is None:
        return {"complete": not atlas.is_unfinished}
    return {name: atlas.store.meta[name] for name in ("complete", "lines", "digest")}


def _new(probe: Probe, keep: Keep) -> dict[str, Any]:
    """What the manifest says of an empty atlas."""
    return {
        "kind": KIND, "keep": keep, "fingerprint": probe.fingerprint,
        "probe": probe_to_plain(probe), "lines": 0, "digest": "", "complete": False,
        "known_from": [0, 0],
    }  # fmt: skip


def _collect(
    stream: SourceStream,
    store: Store,
    probe: Probe,
    options: Options,
    write: Callable[[Arrays, dict[str, Any]], None],
) -> None:
    """Write the arrays of each batch, and what is then to be said of the whole."""
    with (
        open_executor(options.workers, options.executor) as executor,
        closing(
            Collector(Observer(probe), executor, options.errors, store.meta["keep"])
        ) as collector,
    ):
        n_fixed, n_varied = store.meta["known_from"]
        packs = unpack_programs(store, "fixed"), unpack_programs(store, "varied")
        with told_as_damage(store.path):
            collector.resume((n_fixed, n_varied), packs)
        for batch in collector.batches(map(_formulas, stream)):
            columns = check_columns(batch.columns, len(batch.sources))
            write(_arrays(batch, columns, store), {"known_from": batch.known_from})
            del batch, columns  # so that no two batches are in memory


def _formulas(chunk: Chunk) -> Chunk:
    """The chunk, if it can be written down."""
    _require_formulas(chunk.sources)
    return chunk


def _require_formulas(sources: Sequence[Source | Behavior]) -> None:
    for source in sources:
        if isinstance(source, (Behavior, Family)):
            raise DataError(
                f"{label_of(source)!r} is not a formula and cannot be written to disk; "
                "survey formulas only, or keep the atlas in memory"
            )


def _arrays(batch: Batch, columns: Mapping[str, Column], store: Store) -> Arrays:
    """What the segment of a batch holds; nothing for an empty one."""
    if not (batch.sources or batch.skipped or len(batch.rows)):
        return {}
    arrays: Arrays = {"places": batch.places, **pack_texts("labels", _texts(batch.sources))}
    arrays |= pack_columns(columns, store) | _skipped(batch.skipped)
    for name, block in batch.rows.named_blocks:
        if len(block):
            arrays |= pack_programs(name, block.rows)
        if isinstance(block, Stored) and len(block):
            arrays |= {f"{name}_values": block.values, f"{name}_defined": block.defined}
    return arrays


def _skipped(lines: Sequence[Skipped]) -> Arrays:
    if not lines:
        return {}
    return {
        "skipped_lines": np.array([skipped.line for skipped in lines], np.int64),
        **pack_texts("skipped_texts", [skipped.text for skipped in lines]),
        **pack_texts("skipped_errors", [skipped.error for skipped in lines]),
    }


def _texts(sources: Sequence[Source]) -> list[str]:
    """Sources as texts that can be read again; token lists as infix."""
    return [str(parse(s)) if isinstance(s, (list, tuple)) else label_of(s) for s in sources]


def _slices(atlas: Atlas, store: Store) -> Iterator[Arrays]:
    """An atlas in segments of bounded size; rows need not be in the segment of their sources."""
    _require_formulas([] if isinstance(atlas.sources, Texts) else atlas.sources)
    most_rows = max(1, min(BATCH_SOURCES, BATCH_OUTPUTS // (len(atlas.points) * atlas.n_draws)))
    n_listed = max(len(atlas.sources), len(atlas.skipped))
    n_rows = max(map(len, atlas.rows.blocks))
    n_segments = max(-(-n_listed // BATCH_SOURCES), -(-n_rows // most_rows))
    for number in range(n_segments):
        some = slice(number * BATCH_SOURCES, (number + 1) * BATCH_SOURCES)
        rows = slice(number * most_rows, (number + 1) * most_rows)
        sources: Any = atlas.sources[some]
        places = atlas.rows.places_of(atlas.numbers[some])
        new = atlas.rows.slice_blocks(rows)
        batch = Batch(sources, places, new, atlas.skipped[some], {}, (0, 0))
        columns = {name: column[some] for name, column in atlas.metadata.items()}
        yield _arrays(batch, columns, store)


def _resumed_probe(writer: Writer, probe: Probe, keep: Keep, asked: Keep | None) -> Probe:
    """The folder's own probe; an error unless what was begun there is to be surveyed now."""
    store = writer.store
    if not store.batches and not store.meta.get("complete"):
        store = writer.commit([], _new(probe, keep))  # nothing came of it before
    probe = probe_of(store, probe)
    if store.meta["complete"]:
        raise DataError(
            f"{store.path} is complete; append to it (Atlas.append, or symbed survey --append), "
            "or choose another name"
        )
    if asked and store.meta["keep"] != asked:
        begun = store.meta["keep"]
        raise DataError(f"{store.path} was begun with keep={begun!r}; go on with the same")
    return probe
