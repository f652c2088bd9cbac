"""What a survey keeps of its sources where nobody says: outputs of a few, programs of many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, Literal

from symbed import limits
from symbed.errors import SymbedError
from symbed.formula_files.stream import FormulaStream
from symbed.sampling.probe import Probe

Keep = Literal["behaviors", "programs"]
LEAST_OUTPUTS = 64  # that a source counts for: the outputs of fewer are smaller than its text


def choose_kept(formulas: FormulaStream, probe: Probe) -> tuple[Keep, FormulaStream]:
    """Outputs while those of all sources would fit ``limits.KEPT``, else programs.

    Sources count, not what is distinct among them, so that the choice is made before the work. A
    stream of unknown length is read ahead as far as the choice needs; the stream that is given
    back has what was read in front.
    """
    n_draws = probe.n_draws if probe.laws else 1
    most = limits.KEPT.maximum // max(LEAST_OUTPUTS, probe.n_points * n_draws)
    total = formulas.total
    if total is None:
        head, rest = _read_ahead(formulas.sources, most + 1)
        total, formulas = len(head), replace(formulas, sources=chain(head, rest))
    return "behaviors" if total <= most else "programs", formulas


def _read_ahead(sources: Iterator[Any], n: int) -> tuple[list[Any], Iterator[Any]]:
    """At most n sources, and the rest; an error comes where it belongs, after what is before it."""
    head: list[Any] = []
    try:
        head.extend(islice(sources, n))
    except SymbedError as error:
        return head, _raising(error)
    return head, sources


def _raising(error: SymbedError) -> Iterator[Any]:
    raise error
    yield
