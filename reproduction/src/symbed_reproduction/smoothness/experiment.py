"""Smoothness (section 4.3 of the paper): a scale goes in; average ranks and error curves come out.

Are candidates that are near the truth good ones? For each of the 100 Feynman equations, 100,000
random candidates are fitted to its data, ordered by their distance to the equation, by BED and by
three measures of spelling, and the errors of the nearest 250 are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symbed.workbench import dataset, datasets
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.units import Arrays, Scale, Unit
from symbed_reproduction.smoothness.claims import make_claims
from symbed_reproduction.smoothness.findings import Findings
from symbed_reproduction.smoothness.notes import make_notes
from symbed_reproduction.smoothness.tables import make_tables
from symbed_reproduction.smoothness.units import Sizes, check_labels, measure_dataset

PICTURED = ("I.43.43", "II.35.18")


@dataclass(frozen=True)
class Settings:
    """How much is done at one scale.

    Attributes
    ----------
    names : the data sets; all of the Feynman collection if empty.
    sizes : of the work on each.
    checked : every so many data sets labels are checked.
    n_checked : candidates that are fitted again on each of these.
    """

    names: tuple[str, ...]
    sizes: Sizes
    checked: int
    n_checked: int


SETTINGS: dict[Scale, Settings] = {
    "small": Settings((*PICTURED, "I.6.2a", "I.12.1"), Sizes(1500, 200, 1000, 3, 32, 250), 2, 50),
    "paper": Settings((), Sizes(100_000, 1000, 10_000, 10, 128, 250), 10, 1000),
}


def plan(scale: Scale) -> list[Unit]:
    """One unit for each data set, and some that fit again."""
    settings, numbers = SETTINGS[scale], _numbers(scale)
    sizes = tuple(settings.sizes)
    # The fewer variables, the more parameters candidates have, and the longer their fits take.
    order = sorted(numbers, key=lambda name: len(dataset(name).laws))
    measured = [
        Unit(f"set-{name}", measure_dataset, (name, numbers[name], sizes)) for name in order
    ]
    return measured + [
        Unit(f"labels-{name}", check_labels, (name, numbers[name], sizes, settings.n_checked))
        for name in list(numbers)[:: settings.checked]
    ]


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """Tables, claims and curves, from the arrays of all units."""
    found = Findings.of(list(_numbers(scale)), SETTINGS[scale].sizes, results)
    return Outcome(
        tables=make_tables(found, PICTURED),
        claims=make_claims(found, PICTURED),
        notes=make_notes(found),
        data={"findings": found, "pictured": PICTURED},
    )


def _numbers(scale: Scale) -> dict[str, int]:
    """The data sets with their numbers in the collection, which are the seeds."""
    every = {one.name: number for number, one in enumerate(datasets("feynman"))}
    return {name: every[name] for name in SETTINGS[scale].names or every}
