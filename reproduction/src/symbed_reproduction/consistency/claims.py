"""The paper's claims on consistency (section 4.1): one row each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from symbed._types import Floats
from symbed_reproduction.consistency.expression_sets import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.measurements import CODE, with_self_pairs
from symbed_reproduction.consistency.resampling import PAPER
from symbed_reproduction.consistency.results import CHANCE, ConsistencyResults, Place
from symbed_reproduction.consistency.tables import CLOSE, NAMES
from symbed_reproduction.core.outcomes import ClaimRow, Finding, missed

SLACK = 1e-3  # what a cell may lose to its neighbor, by chance, where scores should grow
HIGH, MOST = 0.9, 0.75  # "high correlations" and "most configurations"
QUARTER = 0.25
GROWING = 0.95  # share of the steps to a larger count that must not lower the score
PUBLISHED_RUNS, NEAR_CHANCE = 100, 0.005


Row = ClaimRow[ConsistencyResults]
CELLS = "tables/cells_run.csv, tables/cells_pair.csv, tables/cells_all.csv"


def _set_cell(place: Place, results: ConsistencyResults) -> Finding:
    here = results.set_cell(place)
    other = results.counted(results.sets[place._replace(kind=DRAWN)])
    which = "on the set that was given; " if place.kind == GIVEN else ""
    return Finding(
        f"{here:.4f}",
        abs(here - _printed_cell(results, place)),
        f"{which}other random sets: mean {other.mean():.4f}, deviation {other.std(ddof=1):.4f}",
    )


def _drawn_cells(results: ConsistencyResults) -> Finding:
    gaps, close = _joined(results.gaps)
    spread = max(float(results.counted(results.sets[p]).std(ddof=1)) for p in results.gaps)
    return Finding(
        f"{close} of {len(gaps)} cells",
        len(gaps) - close,
        f"largest difference {np.abs(gaps).max():.4f}, mean {gaps.mean():+.4f}",
        f"; the expressions are random, and sets differ by up to {spread:.4f} (deviation)",
    )


def _given_cells(results: ConsistencyResults) -> Finding:
    gaps, close = _joined(results.judged_gaps)
    coded, _ = _joined(results.gaps_of(GIVEN, CODE))
    drawn, drawn_close = _joined(results.gaps)
    return Finding(
        f"{close} of {len(gaps)} cells, on the sets that were given",
        len(gaps) - close,
        f"largest difference {np.abs(gaps).max():.4f}, mean {gaps.mean():+.4f}; by the rules of "
        f"the published code {np.abs(coded).max():.4f} and {coded.mean():+.4f}; on random sets of "
        f"our own {drawn_close} of {len(drawn)} cells, largest {np.abs(drawn).max():.4f}",
    )


def _joined(gaps_of: Mapping[Place, Floats]) -> tuple[Floats, int]:
    """All differences in a row, and how many of them are small."""
    gaps = np.concatenate([gaps.ravel() for gaps in gaps_of.values()])
    return gaps, int((np.abs(gaps) <= CLOSE).sum())


def _larger_counts(results: ConsistencyResults) -> Finding:
    maps = [c for p, c in results.cells.items() if (p.kind, p.design) == (BOUNDED, PAPER)]
    steps = np.concatenate([np.diff(cells, axis=axis).ravel() for cells in maps for axis in (0, 1)])
    good = int((steps >= -SLACK).sum())
    return Finding(
        f"{good} of {len(steps)} steps to the next larger count do not lower it by over {SLACK}; "
        f"the worst changes it by {steps.min():+.4f}",
        missed(good >= GROWING * len(steps)),
    )


def _high_cells(results: ConsistencyResults) -> Finding:
    cells = np.concatenate([results.printed(place).ravel() for place in results.gaps])
    high = int((cells > HIGH).sum())
    return Finding(
        f"{high} of {len(cells)} cells are above {HIGH}; the least is {cells.min():.3f}",
        missed(high >= MOST * len(cells)),
    )


def _numbers_of_variables(results: ConsistencyResults) -> Finding:
    places, least = _places_per_run(results), results.size.counts[0]
    here = {p.n_variables: results.set_cell(p) for p in places}
    low = [float(results.printed(p)[0, 0]) for p in places]
    told = ", ".join(f"{n}: {score:.3f}" for n, score in here.items())
    return Finding(
        f"at {_set_cell_text(results)}, by number of variables: {told}",
        max(here.values()) - min(here.values()),
        f"it holds where points are many: at {least} x {least} the range over numbers of variables "
        f"is {max(low) - min(low):.3f}",
    )


def _chance(results: ConsistencyResults) -> Finding:
    n_runs = results.size.n_runs
    counted = with_self_pairs(results.chance, n_runs)
    why = (
        f"it is the share of a run's correlations with itself: of {n_runs * (n_runs + 1) // 2} "
        f"pairs of {n_runs} runs, {n_runs}; rankings by chance have 0"
    )
    if n_runs != PUBLISHED_RUNS:
        why += f"; the paper has {PUBLISHED_RUNS} runs"
    return Finding(
        f"{counted:.4f} with self-pairs, {results.chance:.4f} without",
        abs(counted - CHANCE) if n_runs == PUBLISHED_RUNS else None,
        why,
    )


def _margins(results: ConsistencyResults) -> Finding:
    margins = np.concatenate([m.ravel() for m in results.margins.values()])
    good = int((margins >= 0).sum())
    below = [
        f"{n} variables, {NAMES[strategy]}: {int((m < 0).sum())} (worst {m.min():+.4f})"
        for (n, strategy), m in results.margins.items()
        if (m < 0).any()
    ]
    return Finding(
        f"{good} of {len(margins)} cells; mean margin {margins.mean():+.4f}",
        len(margins) - good,
        why_not="cells below: " + "; ".join(below),
    )


def _costs(results: ConsistencyResults) -> Finding:
    shares = {key: _share(results, *key) for key in results.margins}
    good = sum(share <= QUARTER for share in shares.values())
    above = [f"{n} variables, {NAMES[s]}" for (n, s), v in shares.items() if v > QUARTER]
    dearest = max((share for share in shares.values() if share <= 1), default=1.0)
    return Finding(
        f"{good} of {len(shares)} heatmaps, there at {dearest:.3f} of the cost at most",
        len(shares) - good,
        why_not="dearer, or not reached: " + "; ".join(above),
    )


def _share(results: ConsistencyResults, n_variables: int, strategy: str) -> float:
    best = results.cheapest(n_variables, strategy)
    return float("inf") if best is None else best[0] * best[1] / results.size.counts[-1] ** 2


def _printed_cell(results: ConsistencyResults, place: Place) -> float:
    printed = results.published(place)
    assert printed is not None
    return float(printed[results.size.set_place])


def _places_per_run(results: ConsistencyResults) -> list[Place]:
    return [place for place in results.gaps if place.strategy == "run"]


def _set_cell_text(results: ConsistencyResults) -> str:
    return "{} x {}".format(*results.size.set_cell)


def claim_rows(results: ConsistencyResults) -> list[Row]:
    """The claims in the order of the paper, with the counts of this run in their texts.

    Those on the set cell are only there where the heatmap was printed.
    """
    cell, count = _set_cell_text(results), results.size.counts[-1]
    n_cells = sum(gaps.size for gaps in results.judged_gaps.values())
    there = [_printed_cell(results, place) for place in _places_per_run(results)]
    return [
        *(
            Row(
                f"4.1: consistency at {cell}, two variables, {NAMES[place.strategy]}",
                f"{_printed_cell(results, place):.3f}", partial(_set_cell, place),
                "tables/headline.csv", tolerance=CLOSE,
            )
            for place in results.judged_gaps
            if place.n_variables == 2
        ),
        Row(
            f"4.1 and appendix: the published heatmaps, each cell within {CLOSE}",
            f"{n_cells} cells", _given_cells if results.given else _drawn_cells,
            f"tables/{'given_' * bool(results.given)}agreement.csv",
        ),
        Row(
            "4.1: consistency improves as |X| and |C| increase",
            "in all heatmaps", _larger_counts, CELLS,
        ),
        Row(
            "4.1: high correlations across rankings for most configurations",
            "most configurations", _high_cells, CELLS,
        ),
        Row(
            "appendix: consistency remains effectively unchanged as variables are added",
            f"{min(there):.3f} to {max(there):.3f} at {cell}", _numbers_of_variables,
            "tables/headline.csv", tolerance=CLOSE,
        ),
        Row(
            "4.1: random rankings have a correlation of about 0.02",
            f"{CHANCE}", _chance, "tables/chance.csv", tolerance=NEAR_CHANCE,
        ),
        Row(
            "not in the paper: our default design is at least as consistent at every configuration",
            "", _margins, "tables/designs.csv",
        ),
        Row(
            f"not in the paper: our design reaches the paper's {count} x {count} at a quarter of "
            "the cost or less",
            "", _costs, "tables/cost.csv",
        ),
    ]  # fmt: skip
