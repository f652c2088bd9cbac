"""The heatmaps of the consistency experiment, published ones and those made here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed_reproduction.consistency.expression_sets import BOUNDED, DRAWN, GIVEN
from symbed_reproduction.consistency.measurements import CODE, STRATEGIES, with_self_pairs
from symbed_reproduction.consistency.resampling import OURS, PAPER
from symbed_reproduction.core.experiments import Arrays

Check = tuple[int, int, int]  # points, draws, runs


@dataclass(frozen=True)
class Size:
    """How large the experiment is.

    Parameters
    ----------
    variables : tuple of int
        Numbers of variables.
    counts : tuple of int
        Numbers of points and of draws.
    n_expressions : int
        Number of expressions in each set.
    n_runs : int
        How often they are ranked.
    sets : tuple of int
        Seeds of the sets whose spread is looked at, in ``set_cell`` with ``set_runs`` runs.
    checks : tuple of (int, int, int)
        Points, draws and runs of the configurations in which runs share nothing.
    """

    variables: tuple[int, ...]
    counts: tuple[int, ...]
    n_expressions: int
    n_runs: int
    sets: tuple[int, ...]
    set_cell: tuple[int, int]
    set_runs: int
    checks: tuple[Check, ...]

    @property
    def set_place(self) -> tuple[int, int]:
        """Where the set cell is in a heatmap."""
        n_points, n_draws = self.set_cell
        return self.counts.index(n_points), self.counts.index(n_draws)


class Place(NamedTuple):
    """Which heatmap: kind of set, design (of given sets: rules), number of variables, strategy."""

    kind: str
    design: str
    n_variables: int
    strategy: str


class Given(NamedTuple):
    """What is told of a given set: its expressions, how many have parameters, and a digest."""

    n_expressions: int
    n_varied: int
    digest: str


@dataclass(frozen=True)
class ConsistencyResults:
    """What was found.

    Attributes
    ----------
    size : Size
        The size of the experiment.
    cells : mapping from Place to ndarray
        Heatmaps (points, draws) of mean scores over different runs, by place.
    others : mapping from Place to ndarray
        The same without the expression itself among those ranked.
    sets : mapping from Place to ndarray
        Mean scores (sets,) at ``set_cell``, by place.
    independent : mapping from (str, (int, int, int)) to (float, float)
        Pairs of mean scores, of runs that share nothing and of the heatmap's, by design and check.
    chance, first : float
        Mean scores of random rankings; the latter where every expression is its own nearest
        neighbor.
    n_infinite : int
        Number of infinite distances in all heatmaps, those by the rules of the published code
        excepted.
    given : mapping from int to Given
        The sets that were given, by number of variables.
    """

    size: Size
    cells: Mapping[Place, Floats]
    others: Mapping[Place, Floats]
    sets: Mapping[Place, Floats]
    independent: Mapping[tuple[str, Check], tuple[float, float]]
    chance: float
    first: float
    n_infinite: int
    given: Mapping[int, Given] = field(default_factory=dict)

    @classmethod
    def of(cls, size: Size, results: Mapping[str, Arrays]) -> ConsistencyResults:
        """Put the arrays of all units together."""
        cells, others = _heatmaps(size, results, ""), _heatmaps(size, results, "_others")
        sets = {
            Place(DRAWN, design, n, strategy): results[f"sets-{DRAWN}-{design}-{n}"][strategy]
            for n in size.variables
            for design in (PAPER, OURS)
            for strategy in STRATEGIES
        }
        infinite = [
            arrays["infinite"].sum()
            for name, arrays in results.items()
            if name.startswith("cells-") and not name.startswith(f"cells-{GIVEN}-{CODE}-")
        ]
        return cls(
            size=size,
            cells=cells,
            others=others,
            sets=sets,
            independent=_independent(size, results, cells),
            chance=float(results["chance"]["scores"].mean()),
            first=float(results["chance"]["first"].mean()),
            n_infinite=int(sum(infinite)),
            given=_given(size, results),
        )

    def printed(self, place: Place) -> Floats:
        """A heatmap as the paper counts, with each run's correlation with itself."""
        return self.counted(self.cells[place])

    def counted(self, scores: Floats) -> Floats:
        """Scores with self-pairs."""
        return np.asarray(with_self_pairs(scores, self.size.n_runs))

    def published(self, place: Place) -> Floats | None:
        """The published heatmap for this place."""
        return published(place.n_variables, place.strategy, self.size.counts)

    def set_cell(self, place: Place) -> float:
        """The set cell of a heatmap, as the paper counts."""
        return float(self.printed(place)[self.size.set_place])

    @property
    def gaps(self) -> dict[Place, Floats]:
        """Differences from the published cells, of the sets drawn as the published ones."""
        return self.gaps_of(DRAWN, PAPER)

    @property
    def judged_gaps(self) -> dict[Place, Floats]:
        """The same of the sets that were given, which printed cells are of, or else of the drawn.

        Given sets follow the same rules as all others here, not those of the published code.
        """
        return self.gaps_of(GIVEN, PAPER) if self.given else self.gaps

    def gaps_of(self, kind: str, design: str) -> dict[Place, Floats]:
        """Differences from the published cells, of one series of heatmaps."""
        gaps = {}
        for place in self.cells:
            there = self.published(place) if (place.kind, place.design) == (kind, design) else None
            if there is not None:
                gaps[place] = self.printed(place) - there
        return gaps

    @property
    def margins(self) -> dict[tuple[int, str], Floats]:
        """Our design's scores less the paper's, by number of variables and strategy."""
        return {
            (n, strategy): self.cells[Place(BOUNDED, OURS, n, strategy)]
            - self.cells[Place(BOUNDED, PAPER, n, strategy)]
            for n in self.size.variables
            for strategy in STRATEGIES
        }

    def cheapest(self, n_variables: int, strategy: str) -> tuple[int, int, float] | None:
        """Our cheapest configuration that is as consistent as the paper's dearest, and its score.

        The cost is the number of evaluations, points times draws.
        """
        goal = self.cells[Place(BOUNDED, PAPER, n_variables, strategy)][-1, -1]
        ours = self.cells[Place(BOUNDED, OURS, n_variables, strategy)]
        counts = self.size.counts
        enough = [
            (counts[i] * counts[j], -ours[i, j], i, j)
            for i, j in np.argwhere(ours >= goal).tolist()
        ]
        if not enough:
            return None
        _, score, i, j = min(enough)
        return counts[i], counts[j], float(-score)


def _heatmaps(size: Size, results: Mapping[str, Arrays], ending: str) -> dict[Place, Floats]:
    """Mean scores over the expressions, from the rows and portions that units have."""
    rows: dict[tuple[Place, int], dict[int, float]] = {}
    for name, arrays in results.items():
        if not name.startswith("cells-"):
            continue
        _, kind, design, n_variables, n_points, draws = name.split("-")
        first, last = (size.counts.index(int(end)) for end in draws.split("to"))
        for strategy in STRATEGIES:
            if strategy in arrays:
                place = Place(kind, design, int(n_variables), strategy)
                means = arrays[strategy + ending].mean(axis=1).tolist()
                row = rows.setdefault((place, int(n_points)), {})
                row.update(zip(range(first, last + 1), means, strict=True))
    places = sorted({place for place, _ in rows})
    return {
        place: np.array([[rows[place, n][k] for k in range(len(size.counts))] for n in size.counts])
        for place in places
    }


def _given(size: Size, results: Mapping[str, Arrays]) -> dict[int, Given]:
    sets = {n: results.get(f"{GIVEN}-{n}") for n in size.variables}
    return {
        n: Given(int(arrays["count"]), int(arrays["varied"]), str(arrays["digest"]))
        for n, arrays in sets.items()
        if arrays is not None
    }


def _independent(
    size: Size, results: Mapping[str, Arrays], cells: Mapping[Place, Floats]
) -> dict[tuple[str, Check], tuple[float, float]]:
    n_variables = max(n for n in size.variables if n <= 2)
    independent = {}
    for check in size.checks:
        i, j = size.counts.index(check[0]), size.counts.index(check[1])
        for design in (PAPER, OURS):
            arrays = results[f"independent-{design}-{n_variables}-{check[0]}-{check[1]}"]
            dealt = cells[Place(BOUNDED, design, n_variables, "pair")][i, j]
            independent[design, check] = (float(arrays["pair"].mean()), float(dealt))
    return independent


COUNTS = (4, 8, 16, 32, 64, 128)  # of points and of draws
# Which heatmaps there are: number of variables and strategy, and their name in the file.
HEATMAPS = {
    (1, "run"): "1",
    (2, "run"): "2",
    (2, "pair"): "2_pair",
    (2, "all"): "2_all",
    (4, "run"): "4",
    (6, "run"): "6",
    (8, "run"): "8",
}
CHANCE = 0.02  # what the text says that random rankings get


def published(
    n_variables: int, strategy: str, counts: tuple[int, ...] = COUNTS
) -> NDArray[np.float64] | None:
    """Cells (points, draws) at these counts; None if there is no such heatmap."""
    name = HEATMAPS.get((n_variables, strategy))
    if name is None:
        return None
    places = [COUNTS.index(count) for count in counts]
    rows = [_tables()[name][str(count)] for count in counts]
    return np.array(rows, np.float64)[:, places]


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, list[float]]]:
    source = files("symbed_reproduction").joinpath("published", "consistency_heatmaps.json")
    tables: dict[str, dict[str, list[float]]] = json.loads(source.read_text("utf-8"))["tables"]
    return tables
