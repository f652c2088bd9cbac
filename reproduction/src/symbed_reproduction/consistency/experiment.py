"""Consistency (section 4.1 of the paper): do repeated runs rank expressions alike?

Random expressions are ranked by their distances to each other, again and again, with other points
and draws each time. Two kinds of sets, see ``expression_sets``: ``drawn`` as the published ones, to
compare with the printed heatmaps; ``bounded`` to compare the designs. Whoever has the published
ones can give them; the printed heatmaps are compared with theirs then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symbed._types import Floats
from symbed.plots.canvas import LARGE, MEDIUM, SEQUENTIAL, SMALL, look, new_figure
from symbed_reproduction.consistency.claims import claim_rows
from symbed_reproduction.consistency.expression_sets import (
    APART,
    BOUNDED,
    DRAWN,
    GIVEN,
    LARGEST,
    LONGEST,
    PLACE,
    REPOSITORY,
    describe_set,
    read_sets,
)
from symbed_reproduction.consistency.measurements import (
    CODE,
    CODE_LIMIT,
    STRATEGIES,
    score_cells,
    score_chance,
    score_given,
    score_independent,
    score_sets,
    with_self_pairs,
)
from symbed_reproduction.consistency.resampling import OURS, PAPER
from symbed_reproduction.consistency.results import (
    COUNTS,
    HEATMAPS,
    ConsistencyResults,
    Place,
    Size,
    published,
)
from symbed_reproduction.consistency.tables import make_tables
from symbed_reproduction.core.experiments import Arrays, Scale, Unit
from symbed_reproduction.core.outcomes import Outcome, judge_claims

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = ["conclude", "draw", "plan"]

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
    gathered = ConsistencyResults.of(SIZES[scale], results)
    data = {"cells": gathered.cells, "size": gathered.size}
    claims = judge_claims(claim_rows(gathered), gathered)
    return Outcome(make_tables(gathered), claims, make_notes(gathered), data)


SERIES = ((BOUNDED, PAPER), (BOUNDED, OURS), (DRAWN, PAPER))  # heatmaps: kinds of sets, designs


def _heatmap_units(size: Size) -> Iterator[Unit]:
    for n_points in reversed(size.counts):
        for kind, design in SERIES:
            for n in size.variables:
                strategies = strategies_of(kind, n)
                for draws in _portions(n_points, size.counts):
                    name = f"cells-{kind}-{design}-{n}-{n_points}-{draws[0]}to{draws[-1]}"
                    cells = (kind, n, design, n_points, draws, strategies)
                    yield Unit(name, score_cells, (*cells, size.n_expressions, size.n_runs, SEED))


def _given_units(size: Size, sets: Mapping[int, tuple[str, ...]]) -> Iterator[Unit]:
    for n_points in reversed(size.counts):
        for rules in (PAPER, CODE):
            for n, texts in sets.items():
                for draws in _portions(n_points, size.counts):
                    name = f"cells-{GIVEN}-{rules}-{n}-{n_points}-{draws[0]}to{draws[-1]}"
                    cells = (n_points, draws, strategies_of(GIVEN, n), size.n_runs)
                    yield Unit(name, score_given, (texts, n, rules, *cells))
    for n, texts in sets.items():
        yield Unit(f"{GIVEN}-{n}", describe_set, (texts, n))


def strategies_of(kind: str, n_variables: int) -> tuple[str, ...]:
    """What heatmaps are made for; of sets like the published ones, only what was printed."""
    return tuple(s for s in STRATEGIES if kind == BOUNDED or (n_variables, s) in HEATMAPS)


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


TEXT = """
**Expressions.** {n_expressions} from the paper's grammar, no text twice, at most {longest} tokens,
defined at every checked point of [1, 5], no larger than {largest:g}, no two closer than {apart:g}
in relative distance. The limits on length and size are those of the published code. The set with
seed 0 is taken, whatever it shows; the table *sets* has others. Sets made so contain some
expressions with poles in the domain, as the published ones do. Their distance to any other
expression is infinite, and the number that a sample gives instead says how near to the pole it
came. The sets called *bounded* are without them: no denominator changes its sign or is zero in a
corner of the domain. The designs are compared on these. This division was made after a look at the
results: on bounded sets some published cells would be farther off, at most where each pair has new
points; the tables *cells* have both.

**Samples.** X and parameters are in [1, 5]. The paper's sampling is that of `Probe.paper`: X is a
Latin hypercube with lowered discrepancy, and every expression has Latin hypercube draws of its own.
Ours is the default design. Runs have different seeds.

**Ranking.** For each expression all are ranked by their distance to it. It is among them itself, as
in the published code; the table *itself* shows what this changes. Ties share their mean rank.
Distances that agree in 12 digits are ties: `x + C` and `x - C` are equally far from `x`, and
rounding alone would decide which comes first.

**Self-pairs.** The published scores count each run's correlation with itself, {n_runs} of {n_pairs}
pairs. Tables say which cells do.

**New X per pair.** All distances of an expression in one run have points and draws of their own,
and a pair never meets the same ones in two runs. They serve again for other pairs in other runs, as
in the published code, where seeds move on by one. Where nothing serves again, scores differ by at
most {difference:.4f} (table *independent*).

**Undefined.** Of all distances in the heatmaps {n_infinite} were infinite.
"""

GIVEN_TEXT = """
**Given sets.** The paper does not print its expressions. Its authors' repository `{repository}` has
files of them, named `expressions_N.txt`, in
`{place}`.
They are not shipped with symbed, since that repository has no license. Files of these names were
given to this run (`--expressions`); the table *given* tells which, by digest. Cells of the
published heatmaps are judged on them. Sets of our own stand beside them, and all other claims are
judged on those alone.

**Rules.** On given sets there are two ways to count, both with the paper's sampling (table *given
agreement*). The first is that of all other sets here. The second is that of the published code,
beside its text: outputs beyond {limit:g} are dropped, so that an expression without any other at
some point is infinitely far from the rest, and ties do not share a rank: the last bit of a distance
decides, and among equal ones the order in the file. The published numbers follow the second way;
what remains between it and them is other random numbers. Verdicts take the first.
"""


def make_notes(results: ConsistencyResults) -> str:
    """What a reader needs to know to judge the tables."""
    size = results.size
    text = TEXT + GIVEN_TEXT * bool(results.given)
    return text.format(
        n_expressions=size.n_expressions,
        longest=LONGEST,
        largest=LARGEST,
        apart=APART,
        n_runs=size.n_runs,
        n_pairs=size.n_runs * (size.n_runs + 1) // 2,
        difference=max(abs(dealt - apart) for apart, dealt in results.independent.values()),
        n_infinite=results.n_infinite,
        repository=REPOSITORY,
        place=PLACE,
        limit=CODE_LIMIT,
    )


TITLES = {"run": "new X per run", "pair": "new X per pair", "all": "one X"}
NAMES = {PAPER: "the paper's sampling", OURS: "our default design"}
LOSSES = (1e-5, 0.3)  # ends of the colors: what is missing to a consistency of 1
DARK = 0.55  # from this place of the colors on, text is black


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Published heatmaps with ours, the two designs by strategy, and the cost of consistency."""
    cells, size = outcome.data["cells"], outcome.data["size"]
    yield "published", _draw_published(cells, size)
    for strategy in STRATEGIES:
        yield f"designs_{strategy}", _draw_designs(cells, size, strategy)
    yield "cost", _draw_cost(cells, size)


def _draw_published(cells: Mapping[Place, Floats], size: Size) -> Any:
    """The printed heatmaps above those made here, on the given sets or on some drawn alike."""
    given = [place for place in cells if (place.kind, place.design) == (GIVEN, PAPER)]
    places = given or [place for place in cells if place.kind == DRAWN]
    where = "here, given set" if given else "here"
    axes = new_figure(3.0 * len(places), 6.6).subplots(2, len(places), squeeze=False)
    for column, place in zip(axes.T, sorted(places, key=lambda p: p[2:]), strict=True):
        printed = published(place.n_variables, place.strategy, size.counts)
        assert printed is not None
        title = f"{_variables(place.n_variables)}, {TITLES[place.strategy]}"
        _draw_heatmap(column[0], printed, size.counts, f"published\n{title}")
        here = with_self_pairs(cells[place], size.n_runs)
        _draw_heatmap(column[1], here, size.counts, f"{where}\n{title}")
    _explain_colors(axes)
    return axes.ravel()


def _draw_designs(cells: Mapping[Place, Floats], size: Size, strategy: str) -> Any:
    """The paper's sampling above our design, for every number of variables."""
    n_columns = len(size.variables)
    axes = new_figure(3.0 * n_columns, 6.6).subplots(2, n_columns, squeeze=False)
    for row, design in zip(axes, (PAPER, OURS), strict=True):
        for ax, n_variables in zip(row, size.variables, strict=True):
            scores = cells[Place(BOUNDED, design, n_variables, strategy)]
            here = with_self_pairs(scores, size.n_runs)
            title = f"{NAMES[design]}\n{_variables(n_variables)}, {TITLES[strategy]}"
            _draw_heatmap(ax, here, size.counts, title)
    _explain_colors(axes)
    return axes.ravel()


def _draw_heatmap(ax: Axes, cells: Floats, counts: tuple[int, ...], title: str) -> None:
    """One heatmap, |X| growing upward; colors by what is missing to 1, on a log scale."""
    losses = np.clip(1.0 - cells, *LOSSES)
    low, high = np.log10(LOSSES)
    bright = (high - np.log10(losses)) / (high - low)
    ax.imshow(bright, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, origin="lower", aspect="equal")
    size = SMALL - (1.5 if len(counts) > 4 else 0.0)
    for (i, j), value in np.ndenumerate(cells):
        color = "black" if bright[i, j] > DARK else "white"
        ax.text(j, i, _figure(value), ha="center", va="center", fontsize=size, color=color)
    ax.set_xticks(range(len(counts)), [str(count) for count in counts], fontsize=SMALL)
    ax.set_yticks(range(len(counts)), [str(count) for count in counts], fontsize=SMALL)
    ax.set_xlabel("|C|", size=MEDIUM)
    ax.set_ylabel("|X|", size=MEDIUM)
    ax.tick_params(length=0)
    ax.set_title(title, size=MEDIUM)


def _figure(value: float) -> str:
    """Three digits, without the zero before the point.

    >>> _figure(0.9437), _figure(0.9997)
    ('.944', '1.00')
    """
    text = f"{value:.3f}"
    return "1.00" if text.startswith("1") else text[1:]


def _explain_colors(axes: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm

    reversed_colors = f"{SEQUENTIAL}_r"
    shown = ScalarMappable(LogNorm(*LOSSES), reversed_colors)
    figure = axes[0, 0].get_figure(root=True)
    bar = figure.colorbar(shown, ax=list(axes.flat), shrink=0.7, aspect=35, pad=0.01)
    bar.set_label("1 - consistency", size=MEDIUM)


def _draw_cost(cells: Mapping[Place, Floats], size: Size) -> Any:
    """For each budget the best that either design does with it."""
    axes = new_figure(12.0, 4.2).subplots(1, len(STRATEGIES), sharey=True)
    costs = np.outer(size.counts, size.counts)
    for ax, strategy in zip(axes, STRATEGIES, strict=True):
        for number, n_variables in enumerate(size.variables):
            seen = look(number)
            for design, style in ((PAPER, ":"), (OURS, "-")):
                scores = cells[Place(BOUNDED, design, n_variables, strategy)]
                budgets = np.unique(costs)
                best = [1.0 - scores[costs <= budget].max() for budget in budgets]
                ax.plot(
                    budgets, np.maximum(best, LOSSES[0]), color=seen.color, linestyle=style,
                    marker=seen.marker, markersize=4, linewidth=1.6,
                )  # fmt: skip
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_title(TITLES[strategy], size=LARGE)
        ax.set_xlabel("evaluations per expression, |X| |C|", size=MEDIUM)
        ax.grid(alpha=0.3)
    axes[0].set_ylabel("1 - consistency, best within the budget", size=MEDIUM)
    _explain_lines(axes[-1], size.variables)
    return axes


def _explain_lines(ax: Axes, variables: tuple[int, ...]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=look(k).color, marker=look(k).marker, label=_variables(n))
        for k, n in enumerate(variables)
    ]
    handles += [
        Line2D([], [], color="black", linestyle=":", label=NAMES[PAPER]),
        Line2D([], [], color="black", linestyle="-", label=NAMES[OURS]),
    ]
    ax.legend(handles=handles, fontsize=SMALL, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _variables(count: int) -> str:
    return f"{count} variable" + ("s" if count > 1 else "")
