"""Surveying: any stream of sources goes in, an atlas comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from symbed.behavior.atlas import Atlas
from symbed.behavior.collecting import Collector, Errors, Keep, chunks
from symbed.behavior.observation import Observer, Source
from symbed.engine.threads import count_threads
from symbed.errors import DataError, RangeError
from symbed.sampling.probe import Probe


def survey(
    sources: Iterable[Source],
    probe: Probe,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    errors: Errors = "raise",
    keep: Keep = "behaviors",
    out: str | Path | None = None,
) -> Atlas:
    """Observe many expressions with one probe.

    Parameters
    ----------
    sources : any iterable, read once and only as far as needed; an open file works. Blank lines and
        lines that start with ``#`` are passed over.
    probe : where to look.
    workers : number of threads; all cores by default. The numbers do not depend on it.
    progress : called with the number of sources read so far, now and then.
    errors : ``"raise"`` stops at the first source that cannot be read; the exception carries its
        ``line`` number and, as ``finished``, everything observed before it. ``"skip"`` goes on and
        lists it in ``Atlas.skipped``.
    keep : ``"behaviors"`` evaluates now and keeps the outputs, 16 KB for each distinct expression
        with parameters at 64 x 32. ``"programs"`` keeps a hundred bytes, and outputs are evaluated
        when they are needed.
    out : a folder to write the atlas to, batch by batch, in bounded memory. Killed and called again
        with the same sources, it goes on where it was.

    Examples
    --------
    >>> survey(["a*x + b", "b + a*x", "sin(x)"], Probe({"x": (1, 5)}, parameters=(1, 5)))
    Atlas(3 expressions, 2 distinct, 64 points x 32 draws)
    """
    if errors not in ("raise", "skip"):
        raise RangeError(f"errors must be 'raise' or 'skip', got {errors!r}")
    if keep not in ("behaviors", "programs"):
        raise RangeError(f"keep must be 'behaviors' or 'programs', got {keep!r}")
    if out is not None:
        from symbed.behavior.disk import survey_to_disk

        return survey_to_disk(sources, probe, Path(out), workers, progress, errors, keep)
    with ThreadPoolExecutor(count_threads(workers)) as pool:
        collector = Collector(Observer(probe), pool, errors, keep)
        for line, chunk in chunks(sources):
            collector.add(line, chunk)
            if progress:
                progress(line + len(chunk) - 1)
        atlas = collector.flush().atlas(probe)
    if not len(atlas) and not atlas.skipped:
        raise DataError("there is nothing to survey: no expression was given")
    return atlas
