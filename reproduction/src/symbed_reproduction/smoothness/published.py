"""The published numbers of section 4.3: read off its figures, and printed in its text."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

# Mean number of invalid expressions among the 250 nearest.
INVALID = {"bed": 4.66, "edit": 12.83, "tree": 7.61, "jaro": 11.61}
SYNTACTIC_RANKS = (2.5, 3.5)  # where the text says that the other measures lie


@cache
def average_ranks() -> dict[str, dict[str, dict[int, float | None]]]:
    """By aggregation, measure and n, as read off the two figures; None where it is hidden there."""
    source = files("symbed_reproduction") / "published" / "average_rank_curves.json"
    read = json.loads(source.read_text("utf-8"))
    keys = {"BED": "bed", "Edit": "edit", "Tree edit": "tree", "Jaro": "jaro"}
    return {
        aggregation: {
            keys[measure]: {int(n): value for n, value in curve.items()}
            for measure, curve in curves.items()
        }
        for aggregation, curves in read.items()
    }
