"""The published heatmaps of section 4.1: a strategy goes in, the printed cells come out.

They were read off the published pictures, which print three digits.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

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
