"""Tables of the consistency experiment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbed._types import Floats
from symbed_reproduction.consistency.expression_sets import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.measurements import CODE, STRATEGIES, with_self_pairs
from symbed_reproduction.consistency.resampling import OURS, PAPER
from symbed_reproduction.consistency.results import ConsistencyResults, Place
from symbed_reproduction.core.outcomes import Cell, Table

CLOSE = 0.01  # how near a cell must be to the published one
PRINTED = 0.001  # the last digit that is printed
SAMPLING = {PAPER: "the paper's", OURS: "ours", CODE: "the paper's, rules of its code"}
NAMES = {"run": "new X per run", "pair": "new X per pair", "all": "one X"}


def make_tables(results: ConsistencyResults) -> tuple[Table, ...]:
    """All tables, in the order of the report."""
    return (
        _headline_table(results),
        *((_given_agreement_table(results), _given_table(results)) if results.given else ()),
        _agreement_table(results),
        _itself_table(results),
        _sets_table(results),
        _designs_table(results),
        _cost_table(results),
        _independent_table(results),
        _chance_table(results),
        *(_cells_table(results, strategy) for strategy in STRATEGIES),
    )


def _headline_table(results: ConsistencyResults) -> Table:
    (n_points, n_draws), (i, j) = results.size.set_cell, results.size.set_place
    series = {
        (DRAWN, PAPER): "as published, paper's",
        (BOUNDED, PAPER): "bounded, paper's",
        (BOUNDED, OURS): "bounded, ours",
    }
    if results.given:
        series = {(GIVEN, PAPER): "given, paper's"} | series
    rows = []
    for n_variables in results.size.variables:
        for strategy in STRATEGIES:
            places = [Place(kind, design, n_variables, strategy) for kind, design in series]
            printed = results.published(places[0])
            row: list[Cell] = [n_variables, NAMES[strategy]]
            row.append(None if printed is None else float(printed[i, j]))
            for place in places:
                scores = results.cells.get(place)
                row.append(None if scores is None else float(results.counted(scores)[i, j]))
                row.append(None if scores is None else float(scores[i, j]))
            rows.append(tuple(row))
    endings = ("", ", no self-pairs")
    columns = [f"{label}{ending}" for label in series.values() for ending in endings]
    return Table(
        "headline",
        f"Consistency at {n_points} points x {n_draws} draws, by set and sampling",
        ("variables", "strategy", "published", *columns),
        rows,
        decimals=4,
    )


def _agreement_table(results: ConsistencyResults) -> Table:
    columns = ("variables", "strategy", "cells", f"within {CLOSE}", "mean difference")
    return Table(
        "agreement",
        "Differences from the published heatmaps (self-pairs counted, as there)",
        (*columns, "largest", "at points x draws"),
        [
            (*place[2:], gaps.size, int((np.abs(gaps) <= CLOSE).sum()), *_extent(results, gaps))
            for place, gaps in _in_order(results.gaps)
        ],
        decimals=4,
    )


def _given_agreement_table(results: ConsistencyResults) -> Table:
    rows = []
    for rules, label in ((PAPER, "as for other sets"), (CODE, "of the published code")):
        for place, gaps in _in_order(results.gaps_of(GIVEN, rules)):
            close, printed = (int((np.abs(gaps) <= most).sum()) for most in (CLOSE, PRINTED))
            cells = (label, gaps.size, close, printed, *_extent(results, gaps))
            rows.append((*place[2:], *cells))
    columns = ("variables", "strategy", "rules", "cells", f"within {CLOSE}", f"within {PRINTED}")
    return Table(
        "given_agreement",
        "Differences from the published heatmaps, on the sets of expressions that were given "
        "(self-pairs counted)",
        (*columns, "mean difference", "largest", "at points x draws"),
        rows,
        decimals=4,
    )


def _in_order(gaps_of: Mapping[Place, Floats]) -> list[tuple[Place, Floats]]:
    """Heatmaps by number of variables and strategy, which has its name for readers."""
    ordered = sorted(gaps_of.items(), key=lambda item: item[0][2:])
    return [(place._replace(strategy=NAMES[place.strategy]), gaps) for place, gaps in ordered]


def _extent(results: ConsistencyResults, gaps: Floats) -> tuple[float, float, str]:
    """The mean and the largest of some differences, and where that is."""
    sizes = np.abs(gaps)
    return float(gaps.mean()), float(sizes.max()), _where(results, sizes.argmax())


def _given_table(results: ConsistencyResults) -> Table:
    return Table(
        "given",
        "The sets of expressions that were given",
        ("variables", "expressions", "with parameters", "start of the SHA-256"),
        [(n, *given) for n, given in results.given.items()],
    )


def _itself_table(results: ConsistencyResults) -> Table:
    """What it changes whether an expression is ranked among its own neighbors."""
    (n_points, n_draws), (i, j) = results.size.set_cell, results.size.set_place
    rows = []
    for place in sorted(results.gaps, key=lambda p: p[2:]):
        scores, others = results.cells[place][i, j], results.others[place][i, j]
        row = (float(scores), float(others), float(others - scores))
        rows.append((place.n_variables, NAMES[place.strategy], *row))
    return Table(
        "itself",
        f"Consistency at {n_points} x {n_draws} with and without the expression itself among those "
        "ranked (no self-pairs)",
        ("variables", "strategy", "with itself", "without", "difference"),
        rows,
        decimals=4,
    )


def _sets_table(results: ConsistencyResults) -> Table:
    (n_points, n_draws), (i, j) = results.size.set_cell, results.size.set_place
    rows = []
    for place, scores in results.sets.items():
        counted = results.counted(scores)
        printed = results.published(place)
        rows.append(
            (
                place.n_variables, NAMES[place.strategy], SAMPLING[place.design],
                None if printed is None else float(printed[i, j]),
                *counted.tolist(), float(counted.mean()), float(counted.std(ddof=1)),
            )
        )  # fmt: skip
    sets = tuple(f"set {seed}" for seed in results.size.sets)
    return Table(
        "sets",
        f"Consistency at {n_points} x {n_draws} of several sets drawn as the published ones "
        f"({results.size.set_runs} runs each)",
        ("variables", "strategy", "sampling", "published", *sets, "mean", "deviation"),
        rows,
        decimals=4,
    )


def _designs_table(results: ConsistencyResults) -> Table:
    rows = []
    for (n_variables, strategy), margins in results.margins.items():
        theirs = results.cells[Place(BOUNDED, PAPER, n_variables, strategy)]
        ours = results.cells[Place(BOUNDED, OURS, n_variables, strategy)]
        lacking = float(np.mean(1.0 - ours) / np.mean(1.0 - theirs))
        rows.append(
            (
                n_variables, NAMES[strategy], margins.size, int((margins >= 0).sum()),
                float(margins.min()), _where(results, margins.argmin()), float(margins.mean()),
                lacking,
            )
        )  # fmt: skip
    columns = ("variables", "strategy", "cells", "ours at least as consistent", "least margin")
    return Table(
        "designs",
        "Our default design against the paper's sampling (bounded sets, no self-pairs)",
        (*columns, "at points x draws", "mean margin", "1 - ours over 1 - theirs"),
        rows,
        decimals=5,
    )


def _cost_table(results: ConsistencyResults) -> Table:
    """What our design needs to be as consistent as the paper's sampling at its dearest."""
    dearest = results.size.counts[-1] ** 2
    rows = []
    for n_variables, strategy in results.margins:
        goal = float(results.cells[Place(BOUNDED, PAPER, n_variables, strategy)][-1, -1])
        best = results.cheapest(n_variables, strategy)
        ours: tuple[Cell, ...] = (None, None, None)
        if best is not None:
            n_points, n_draws, score = best
            ours = (f"{n_points} x {n_draws}", score, n_points * n_draws / dearest)
        rows.append((n_variables, NAMES[strategy], goal, *ours))
    count = results.size.counts[-1]
    return Table(
        "cost",
        f"Our cheapest configuration as consistent as the paper's {count} x {count} "
        "(bounded sets, no self-pairs)",
        ("variables", "strategy", f"paper's {count} x {count}", "ours", "score", "share of cost"),
        rows,
        decimals=5,
    )


def _independent_table(results: ConsistencyResults) -> Table:
    """Whether it matters that runs share samples in the strategy ``pair``."""
    rows = [
        (f"{n_points} x {n_draws}", SAMPLING[design], n_runs, apart, dealt, dealt - apart)
        for (design, (n_points, n_draws, n_runs)), (apart, dealt) in results.independent.items()
    ]
    columns = ("points x draws", "sampling", "runs", "nothing shared", "as in the heatmap")
    title = "New X per pair: runs that share no sample, and runs that share those of other pairs"
    return Table("independent", title, (*columns, "difference"), rows, decimals=4)


def _chance_table(results: ConsistencyResults) -> Table:
    n_runs = results.size.n_runs
    scores = {
        "random": results.chance,
        "random, but each expression nearest to itself": results.first,
    }
    rows = [
        (name, n_runs, score, with_self_pairs(score, n_runs), 2.0 / (n_runs + 1))
        for name, score in scores.items()
    ]
    columns = ("rankings", "runs", "no self-pairs", "with self-pairs", "share of self-pairs")
    return Table("chance", "Consistency of random rankings", columns, rows, decimals=4)


def _cells_table(results: ConsistencyResults, strategy: str) -> Table:
    """All heatmaps of one strategy, with the published cells above ours."""
    rows: list[tuple[Cell, ...]] = []
    for n_variables in results.size.variables:
        for n_points in reversed(results.size.counts):
            for label, heatmap in _heatmaps(results, n_variables, strategy):
                cells = heatmap[results.size.counts.index(n_points)].tolist()
                rows.append((n_variables, n_points, *label, *cells))
    counts = tuple(f"|C| = {count}" for count in results.size.counts)
    columns = ("variables", "|X|", "set", "sampling", "self-pairs", *counts)
    title = f"Heatmaps, {NAMES[strategy]}"
    return Table(f"cells_{strategy}", title, columns, rows)


def _heatmaps(
    results: ConsistencyResults, n_variables: int, strategy: str
) -> list[tuple[tuple[str, str, str], Floats]]:
    """The heatmaps for one number of variables, with what tells them apart."""
    listed = []
    printed = results.published(Place(DRAWN, PAPER, n_variables, strategy))
    if printed is not None:
        listed.append((("published", "published", "yes"), printed))
    for place, scores in results.cells.items():
        if (place.n_variables, place.strategy) == (n_variables, strategy):
            name = "as published" if place.kind == DRAWN else place.kind
            listed.append(((name, SAMPLING[place.design], "yes"), results.counted(scores)))
            listed.append(((name, SAMPLING[place.design], "no"), scores))
    return listed


def _where(results: ConsistencyResults, place: np.intp) -> str:
    """A cell by its place in a flattened heatmap."""
    counts = results.size.counts
    i, j = divmod(int(place), len(counts))
    return f"{counts[i]} x {counts[j]}"
