"""The paper's claims on consistency (section 4.1): one row each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbed._types import Floats
from symbed_reproduction.consistency.expression_sets import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.measurements import CODE
from symbed_reproduction.consistency.ranks import with_self_pairs
from symbed_reproduction.consistency.resampling import PAPER
from symbed_reproduction.consistency.results import CHANCE, ConsistencyResults, Place
from symbed_reproduction.consistency.tables import CLOSE, NAMES
from symbed_reproduction.core.outcomes import Claim, Verdict

SLACK = 1e-3  # what a cell may lose to its neighbor, by chance, where scores should grow
HIGH, MOST = 0.9, 0.75  # "high correlations" and "most configurations"
QUARTER = 0.25
PUBLISHED_RUNS, NEAR_CHANCE = 100, 0.005


def make_claims(found: ConsistencyResults) -> tuple[Claim, ...]:
    """All claims; those on the set cell only where the heatmap was printed."""
    n_points, n_draws = found.size.set_cell
    headlines = [
        _cell_is_as_printed(found, place, n_points, n_draws)
        for place in found.judged_gaps
        if place.n_variables == 2
    ]
    return (
        *headlines,
        _cells_are_as_printed(found),
        _more_samples_help(found),
        _most_are_high(found),
        _variables_do_not_matter(found),
        _chance_is_low(found),
        _ours_is_as_consistent(found),
        _ours_is_cheaper(found),
    )


def _cell_is_as_printed(
    found: ConsistencyResults, place: Place, n_points: int, n_draws: int
) -> Claim:
    printed = found.published(place)
    assert printed is not None
    counts = found.size.counts
    there = float(printed[counts.index(n_points), counts.index(n_draws)])
    here = found.cell(place, n_points, n_draws)
    other = found.counted(found.sets[place._replace(kind=DRAWN)])
    which = "on the set that was given; " if place.kind == GIVEN else ""
    return Claim(
        f"4.1: consistency at {n_points} x {n_draws}, two variables, {NAMES[place.strategy]}",
        f"{there:.3f}",
        f"{here:.4f}",
        _verdict(abs(here - there) <= CLOSE),
        "tables/headline.csv",
        f"{which}other random sets: mean {other.mean():.4f}, deviation {other.std(ddof=1):.4f}",
    )


def _cells_are_as_printed(found: ConsistencyResults) -> Claim:
    if found.given:
        return _given_cells_are_as_printed(found)
    gaps, close = _joined(found.gaps)
    largest = float(np.abs(gaps).max())
    spread = max(float(found.counted(found.sets[place]).std(ddof=1)) for place in found.gaps)
    why = f"largest difference {largest:.4f}, mean {gaps.mean():+.4f}"
    if close < len(gaps):
        why += f"; the expressions are random, and sets differ by up to {spread:.4f} (deviation)"
    return Claim(
        f"4.1 and appendix: the published heatmaps, each cell within {CLOSE}",
        f"{len(gaps)} cells",
        f"{close} of {len(gaps)} cells",
        _verdict(close == len(gaps)),
        "tables/agreement.csv",
        why,
    )


def _given_cells_are_as_printed(found: ConsistencyResults) -> Claim:
    gaps, close = _joined(found.judged_gaps)
    coded, _ = _joined(found.gaps_of(GIVEN, CODE))
    drawn, drawn_close = _joined(found.gaps)
    return Claim(
        f"4.1 and appendix: the published heatmaps, each cell within {CLOSE}",
        f"{len(gaps)} cells",
        f"{close} of {len(gaps)} cells, on the sets that were given",
        _verdict(close == len(gaps)),
        "tables/given_agreement.csv",
        f"largest difference {np.abs(gaps).max():.4f}, mean {gaps.mean():+.4f}; by the rules of "
        f"the published code {np.abs(coded).max():.4f} and {coded.mean():+.4f}; on random sets of "
        f"our own {drawn_close} of {len(drawn)} cells, largest {np.abs(drawn).max():.4f}",
    )


def _joined(gaps_of: Mapping[Place, Floats]) -> tuple[Floats, int]:
    """All differences in a row, and how many of them are small."""
    gaps = np.concatenate([gaps.ravel() for gaps in gaps_of.values()])
    return gaps, int((np.abs(gaps) <= CLOSE).sum())


def _more_samples_help(found: ConsistencyResults) -> Claim:
    maps = [c for p, c in found.cells.items() if (p.kind, p.design) == (BOUNDED, PAPER)]
    steps = np.concatenate([np.diff(cells, axis=axis).ravel() for cells in maps for axis in (0, 1)])
    good = int((steps >= -SLACK).sum())
    return Claim(
        "4.1: consistency improves as |X| and |C| increase",
        "in all heatmaps",
        f"{good} of {len(steps)} steps to the next larger count do not lower it by over {SLACK}; "
        f"the worst changes it by {steps.min():+.4f}",
        _verdict(good >= 0.95 * len(steps)),
        "tables/cells_run.csv, tables/cells_pair.csv, tables/cells_all.csv",
    )


def _most_are_high(found: ConsistencyResults) -> Claim:
    maps = [found.printed(p) for p in found.gaps]
    cells = np.concatenate([cells.ravel() for cells in maps])
    high = int((cells > HIGH).sum())
    return Claim(
        "4.1: high correlations across rankings for most configurations",
        "most configurations",
        f"{high} of {len(cells)} cells are above {HIGH}; the least is {cells.min():.3f}",
        _verdict(high >= MOST * len(cells)),
        "tables/cells_run.csv, tables/cells_pair.csv, tables/cells_all.csv",
    )


def _variables_do_not_matter(found: ConsistencyResults) -> Claim:
    places = [p for p in found.gaps if p.strategy == "run"]
    here = {p.n_variables: found.cell(p, *found.size.set_cell) for p in places}
    there = [_printed_cell(found, p) for p in places]
    spread = max(here.values()) - min(here.values())
    low = {p.n_variables: float(found.printed(p)[0, 0]) for p in places}
    fall = max(low.values()) - min(low.values())
    told = ", ".join(f"{n}: {score:.3f}" for n, score in here.items())
    n_points, n_draws = found.size.set_cell
    least = found.size.counts[0]
    return Claim(
        "appendix: consistency remains effectively unchanged as variables are added",
        f"{min(there):.3f} to {max(there):.3f} at {n_points} x {n_draws}",
        f"at {n_points} x {n_draws}, by number of variables: {told}",
        _verdict(spread <= CLOSE),
        "tables/headline.csv",
        f"it holds where points are many: at {least} x {least} the range over numbers of variables "
        f"is {fall:.3f}",
    )


def _chance_is_low(found: ConsistencyResults) -> Claim:
    n_runs = found.size.n_runs
    counted = with_self_pairs(found.chance, n_runs)
    why = (
        f"it is the share of a run's correlations with itself: of {n_runs * (n_runs + 1) // 2} "
        f"pairs of {n_runs} runs, {n_runs}; rankings by chance have 0"
    )
    if n_runs != PUBLISHED_RUNS:
        why += f"; the paper has {PUBLISHED_RUNS} runs"
    held = _verdict(abs(counted - CHANCE) <= NEAR_CHANCE)
    return Claim(
        "4.1: random rankings have a correlation of about 0.02",
        f"{CHANCE}",
        f"{counted:.4f} with self-pairs, {found.chance:.4f} without",
        held if n_runs == PUBLISHED_RUNS else "not checked",
        "tables/chance.csv",
        why,
    )


def _ours_is_as_consistent(found: ConsistencyResults) -> Claim:
    margins = np.concatenate([m.ravel() for m in found.margins.values()])
    good = int((margins >= 0).sum())
    worst = [
        f"{n} variables, {NAMES[strategy]}: {int((m < 0).sum())} (worst {m.min():+.4f})"
        for (n, strategy), m in found.margins.items()
        if (m < 0).any()
    ]
    return Claim(
        "not in the paper: our default design is at least as consistent at every configuration",
        "",
        f"{good} of {len(margins)} cells; mean margin {margins.mean():+.4f}",
        _verdict(good == len(margins)),
        "tables/designs.csv",
        "cells below: " + "; ".join(worst) if worst else "",
    )


def _ours_is_cheaper(found: ConsistencyResults) -> Claim:
    count = found.size.counts[-1]
    shares = {key: _share(found, *key) for key in found.margins}
    good = sum(share <= QUARTER for share in shares.values())
    above = [f"{n} variables, {NAMES[s]}" for (n, s), v in shares.items() if v > QUARTER]
    dearest = max((share for share in shares.values() if share <= 1), default=1.0)
    return Claim(
        f"not in the paper: our design reaches the paper's {count} x {count} at a quarter of the "
        "cost or less",
        "",
        f"{good} of {len(shares)} heatmaps, there at {dearest:.3f} of the cost at most",
        _verdict(good == len(shares)),
        "tables/cost.csv",
        "dearer, or not reached: " + "; ".join(above) if above else "",
    )


def _share(found: ConsistencyResults, n_variables: int, strategy: str) -> float:
    best = found.cheapest(n_variables, strategy)
    return float("inf") if best is None else best[0] * best[1] / found.size.counts[-1] ** 2


def _printed_cell(found: ConsistencyResults, place: Place) -> float:
    printed = found.published(place)
    assert printed is not None
    i, j = (found.size.counts.index(count) for count in found.size.set_cell)
    return float(printed[i, j])


def _verdict(held: bool) -> Verdict:
    return "confirmed" if held else "differs"
