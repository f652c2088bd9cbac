from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from symbed_reproduction import Outcome, reproduce
from symbed_reproduction.core.outcomes import draw_figures
from symbed_reproduction.taylor import experiment as taylor


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return reproduce("taylor", tmp_path_factory.mktemp("taylor"), workers=1)


def naive_errors(end: float) -> tuple[list[float], list[float]]:
    x = np.linspace(0, end, 1000)
    gaps = [np.sin(x) - y for y in (x, x - x**3 / 6, x - x**3 / 6 + x**5 / 120)]
    return [float(np.sqrt(np.mean(g**2))) for g in gaps], [float(np.mean(abs(g))) for g in gaps]


def naive_edit(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (left != right))
    return row[-1]


@pytest.mark.parametrize(("name", "end"), list(taylor.ENDS.items()))
def test_errors_are_those_of_plain_numpy(outcome: Outcome, name: str, end: float) -> None:
    table = outcome.table("dissimilarities")
    title = taylor.TITLES[name]
    rmse, mae = naive_errors(end)
    for kind, expected in (("RMSE", rmse), ("BED", mae)):
        column = table.columns.index(f"{kind} {title}")
        np.testing.assert_allclose([row[column] for row in table.rows], expected, rtol=1e-12)


def test_edit_distances_are_those_of_a_plain_loop(outcome: Outcome) -> None:
    rows = {row[0]: row[1:] for row in outcome.table("spellings").rows}
    for name, (truth, *expansions) in taylor.SPELLINGS.items():
        expected = tuple(naive_edit(truth.split(), text.split()) for text in expansions)
        assert rows[name] == expected
    assert rows["denominators as factorials"] == rows["the paper's table"] == (1, 7, 14)


def test_the_papers_last_column_is_found_to_be_of_another_domain(outcome: Outcome) -> None:
    first, second, edits, *orders = outcome.claims
    assert first.verdict == "confirmed"
    assert (second.verdict, second.why) == ("differs", "the printed numbers are those of [0, 20]")
    assert edits.verdict == "differs"
    assert "denominators as factorials" in edits.why
    assert [claim.verdict for claim in orders] == ["confirmed"] * 3


def test_verdicts_follow_the_numbers() -> None:
    results = {unit.name: dict(unit.function(*unit.arguments)) for unit in taylor.plan("small")}
    results["domain-6pi"] = results["domain-20"]
    results["domain-pi"] = {k: v[:, ::-1] for k, v in results["domain-pi"].items() if v.ndim == 2}
    verdicts = [claim.verdict for claim in taylor.conclude("small", results).claims]
    assert verdicts == ["differs", "confirmed", "differs", "differs", "confirmed", "confirmed"]


def test_every_claim_names_a_table_that_was_written(outcome: Outcome) -> None:
    names = {f"tables/{table.name}.csv" for table in outcome.tables}
    assert {claim.source for claim in outcome.claims} <= names
    assert all(dataclasses.asdict(claim)["ours"] for claim in outcome.claims)


def test_both_scales_have_the_same_units() -> None:
    assert [u.name for u in taylor.plan("small")] == [u.name for u in taylor.plan("paper")]


def test_figures_are_drawn(outcome: Outcome, tmp_path: Path) -> None:
    written = draw_figures("taylor", outcome, tmp_path)
    assert {path.name for path in written} == {
        f"{name}{ending}" for name in ("curves", "errors") for ending in (".png", ".svg")
    }
