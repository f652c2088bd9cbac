"""Time the core alone: evaluating, sorting and comparing programs.

Reading, compiling and gathering the programs is done before the clock starts. Nothing is kept of
their outputs, as in a search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence

from symbed import Probe, observe
from symbed.behavior.observation import Observer
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Program
from symbed.language.expression import Expression

BLOCK = 512  # programs in one call


def core_seconds(programs: Sequence[Program], target: str, probe: Probe) -> float:
    """Seconds on one core for these programs, each evaluated, sorted and compared with a target."""
    goal, observer = observe(target, probe), Observer(probe)
    targets = goal.outputs[None], goal.counts[None]
    kinds = [[p for p in programs if bool(p.n_parameters) is varied] for varied in (False, True)]
    packs = [
        PackedPrograms.of(kind[i : i + BLOCK]) for kind in kinds for i in range(0, len(kind), BLOCK)
    ]
    began = time.perf_counter()
    for packed in packs:
        observer.sweep(packed, targets, 1, math.inf)
    return time.perf_counter() - began


def compiled(texts: Iterable[str], probe: Probe) -> dict[str, Program]:
    """The program of each distinct text."""
    observer = Observer(probe)
    read = ((text, observer.read(text)) for text in dict.fromkeys(texts))
    return {text: observer.roles.compile(e) for text, e in read if isinstance(e, Expression)}
