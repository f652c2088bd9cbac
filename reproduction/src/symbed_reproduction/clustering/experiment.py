"""The clustering experiment: do equivalent expressions end up in one cluster?

Section 4.2 of the paper and its appendix. Data sets of sixteen groups of equivalent expressions are
clustered by BED and by syntactic measures, once in the way that explains the published tables, once
in a way that is the same for all measures.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symbed.workbench.equivalence.base_groups import BASE_GROUPS
from symbed_reproduction.clustering.claims import make_claims
from symbed_reproduction.clustering.notes import make_notes
from symbed_reproduction.clustering.results import OTHER_RANGES, SIZES, Results
from symbed_reproduction.clustering.sets import truth_of
from symbed_reproduction.clustering.tables import make_tables
from symbed_reproduction.clustering.units import (
    add_draws,
    change_ranges,
    draw_maps,
    judge_set,
    repeat_rows,
    take_literally,
)
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.units import Arrays, Scale, Unit

MAPS = (
    "BED, paper's sampling",
    "BED, default design",
    "tree edit distance",
    "edit distance",
    "Jaro distance",
)
OTHER_SEEDS = 1000  # repeated rows use the seeds from here on


def plan(scale: Scale) -> list[Unit]:
    """The units of work, long ones first."""
    size = SIZES[scale]
    n, sets = size.n_members, range(size.n_sets)
    units = [Unit(f"draws-{k}", add_draws, (k, n, size.counts)) for k in sets]
    units += [Unit(f"set-{k}", judge_set, (k, n)) for k in sets]
    for k in range(size.n_rows):
        first = OTHER_SEEDS + k * size.n_sets
        units.append(Unit(f"row-{k}", repeat_rows, (first, n, size.n_sets)))
    for name, setting in OTHER_RANGES.items():
        units += [Unit(f"{name}-{k}", change_ranges, (k, n, *setting)) for k in sets]
    units += [Unit(f"literal-{k}", take_literally, (k, n)) for k in sets]
    units.append(Unit("maps", draw_maps, (0, n)))
    return units


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """The outcome, from the arrays of all units."""
    size = SIZES[scale]
    found = Results.gather(size, results)
    return Outcome(
        make_tables(size, found),
        make_claims(scale, found),
        make_notes(scale, found),
        {
            "maps": dict(zip(MAPS, found.maps, strict=True)),
            "groups": truth_of(size.n_members),
            "names": [base.text for base in BASE_GROUPS],
            "draws": np.array(size.counts),
            "drawn": found.drawn,
            "default": found.fair[:, 1, 0, 0, 0],
        },
    )
