"""The limits of BED that the paper lists, each in numbers, with remedies.

Four parts, one module each: the scale of the outputs, the noise of the draws, undefined outputs,
and fitted against free expressions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symbed_reproduction.core.experiments import Arrays, Scale, Unit
from symbed_reproduction.core.outcomes import ClaimRow, Finding, Outcome, judge_claims
from symbed_reproduction.limits import fitted, noise, scales, undefined

PARTS = (noise, scales, undefined, fitted)

COST = ClaimRow[object](
    "BED costs far more than the edit distance, about as much as tree edit (discussion)",
    "substantially more; comparable",
    lambda _: Finding(
        "not part of this experiment: its tables must not depend on the clock", None,
        "`python -m benchmarks.vs_reference` and `python -m benchmarks.tree_edit` measure times",
    ),
    "report.md",
)  # fmt: skip


def plan(scale: Scale) -> list[Unit]:
    """The units of all parts."""
    return [unit for part in PARTS for unit in part.plan(scale)]


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """The outcomes of all parts in one."""
    parts = [part.conclude(results) for part in PARTS]
    return Outcome(
        tuple(table for part in parts for table in part.tables),
        (*(claim for part in parts for claim in part.claims), *judge_claims([COST], None)),
        "\n".join(part.notes for part in parts),
        {name: value for part in parts for name, value in part.data.items()},
    )


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """One figure for each part."""
    yield "noise", noise.draw(outcome.data["noise"])
    yield "scale", scales.draw(outcome.data)
    yield "undefined", undefined.draw(outcome.data)
    yield "fitted", fitted.draw(outcome.data)
