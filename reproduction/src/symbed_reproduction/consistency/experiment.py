"""Consistency (section 4.1): a scale goes in; how alike repeated runs rank expressions comes out.

Random expressions are ranked by their distances to each other, again and again, with other points
and draws each time. Two kinds of sets, see ``consistency_expressions``: ``drawn`` as the published
ones, to compare with the printed heatmaps; ``bounded`` to compare the designs. Whoever has the
published ones can give them, see ``consistency_given``; the printed heatmaps are compared with
theirs then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from symbed_reproduction.consistency.claims import make_claims
from symbed_reproduction.consistency.expressions import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.findings import Findings, Size
from symbed_reproduction.consistency.given_sets import describe_set, read_sets
from symbed_reproduction.consistency.notes import make_notes
from symbed_reproduction.consistency.published import COUNTS, HEATMAPS
from symbed_reproduction.consistency.repeated_runs import OURS, PAPER
from symbed_reproduction.consistency.tables import make_tables
from symbed_reproduction.consistency.units import (
    CODE,
    STRATEGIES,
    score_cells,
    score_chance,
    score_given,
    score_independent,
    score_sets,
)
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.units import Arrays, Scale, Unit

SEED = 0  # of the set of expressions that the heatmaps are of; the first, whatever it shows
AT_ONCE = 64 * sum(COUNTS)  # outputs of an expression in one unit; more are split

SIZES = {
    "small": Size(
        variables=(1, 2), counts=(4, 8, 16), n_expressions=40, n_runs=20, sets=(0, 1),
        set_cell=(16, 8), set_runs=10, checks=((4, 4, 5),),
    ),
    "paper": Size(
        variables=(1, 2, 4, 6, 8), counts=COUNTS, n_expressions=200, n_runs=100,
        sets=(0, 1, 2, 3, 4), set_cell=(64, 32), set_runs=40,
        checks=((4, 4, 25), (16, 16, 25), (64, 32, 10)),
    ),
}  # fmt: skip


def plan(scale: Scale, expressions: str | Path | None = None) -> list[Unit]:
    """Heatmaps row by row, spreads between sets, checks; what has the most points first.

    With a folder of ``expressions`` also the heatmaps that were printed, of the sets in it.
    """
    size = SIZES[scale]
    units = [*_heatmap_units(size), *_set_units(size), *_check_units(size)]
    if expressions is not None:
        sets = read_sets(expressions, size.variables, size.n_expressions)
        units = [*_given_units(size, sets), *units]
    chance = (size.n_expressions, size.n_runs)
    return [*units, Unit("chance", score_chance, chance)]


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """Heatmaps beside the published ones, the designs beside each other, and verdicts."""
    found = Findings.of(SIZES[scale], results)
    data = {"cells": found.cells, "size": found.size}
    return Outcome(make_tables(found), make_claims(found), make_notes(found), data)


@dataclass(frozen=True)
class _Heatmap:
    """One series of heatmaps: a kind of set and a design, with the strategies it is made for."""

    kind: str
    design: str
    published_only: bool

    def strategies(self, n_variables: int) -> tuple[str, ...]:
        return _printed_strategies(n_variables) if self.published_only else STRATEGIES


SERIES = (
    _Heatmap(BOUNDED, PAPER, published_only=False),
    _Heatmap(BOUNDED, OURS, published_only=False),
    _Heatmap(DRAWN, PAPER, published_only=True),
)


def _heatmap_units(size: Size) -> Iterator[Unit]:
    for n_points in reversed(size.counts):
        for series in SERIES:
            for n_variables in size.variables:
                for draws in _portions(n_points, size.counts):
                    name = f"cells-{series.kind}-{series.design}-{n_variables}"
                    yield Unit(
                        f"{name}-{n_points}-{draws[0]}to{draws[-1]}",
                        score_cells,
                        (
                            series.kind, n_variables, series.design, n_points, draws,
                            series.strategies(n_variables), size.n_expressions, size.n_runs, SEED,
                        ),
                    )  # fmt: skip


def _given_units(size: Size, sets: Mapping[int, tuple[str, ...]]) -> Iterator[Unit]:
    for n_points in reversed(size.counts):
        for rules in (PAPER, CODE):
            for n, texts in sets.items():
                for draws in _portions(n_points, size.counts):
                    name = f"cells-{GIVEN}-{rules}-{n}-{n_points}-{draws[0]}to{draws[-1]}"
                    cells = (n_points, draws, _printed_strategies(n), size.n_runs)
                    yield Unit(name, score_given, (texts, n, rules, *cells))
    for n, texts in sets.items():
        yield Unit(f"{GIVEN}-{n}", describe_set, (texts, n))


def _printed_strategies(n_variables: int) -> tuple[str, ...]:
    return tuple(s for s in STRATEGIES if (n_variables, s) in HEATMAPS)


def _portions(n_points: int, counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The numbers of draws that units take on; the last one stands alone where all are too many.

    >>> _portions(128, (4, 8, 128)), _portions(64, (4, 8, 128))
    ([(128,), (4, 8)], [(4, 8, 128)])
    """
    if n_points * counts[-1] >= AT_ONCE:
        return [counts[-1:], counts[:-1]]
    return [counts]


def _set_units(size: Size) -> Iterator[Unit]:
    for n_variables in size.variables:
        for design in (PAPER, OURS):
            name = f"sets-{DRAWN}-{design}-{n_variables}"
            cell = (DRAWN, n_variables, design, *size.set_cell)
            yield Unit(name, score_sets, (*cell, size.n_expressions, size.set_runs, size.sets))


def _check_units(size: Size) -> Iterator[Unit]:
    n_variables = max(n for n in size.variables if n <= 2)
    for n_points, n_draws, n_runs in reversed(size.checks):
        for design in (PAPER, OURS):
            cell = (BOUNDED, n_variables, design, n_points, n_draws)
            name = f"independent-{design}-{n_variables}-{n_points}-{n_draws}"
            yield Unit(name, score_independent, (*cell, size.n_expressions, n_runs, SEED))
