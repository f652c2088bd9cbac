from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symbed_reproduction import Outcome, reproduce
from symbed_reproduction.core.outcomes import draw_figures
from symbed_reproduction.figures import experiment as figures


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return reproduce("figures", tmp_path_factory.mktemp("figures"), workers=1)


def test_the_closed_form_is_that_of_a_fine_integration() -> None:
    """Quantiles of the sum of two uniforms against twice one, by sorting a grid."""
    low, high = figures.PARAMETERS
    steps = low + (high - low) * (np.arange(1500) + 0.5) / 1500
    sums = np.sort((steps[:, None] + steps).ravel())
    doubles = np.repeat(2 * steps, 1500)
    found = float(np.abs(sums - doubles).mean())
    assert found * 1.25 == pytest.approx(figures.EXACT, rel=1e-4)
    assert found * 2 == pytest.approx(figures.EXACT_AT, rel=1e-4)
    assert pytest.approx(1.0208, abs=5e-5) == figures.EXACT


def test_our_design_is_nearer_to_the_closed_form_than_the_papers_sampling(outcome) -> None:
    table = outcome.table("distance")
    error = {row[:3]: row[table.columns.index("RMSE")] for row in table.rows}
    assert error["lattice", 64, 32] < error["paper", 64, 32] / 4
    assert error["lattice", 65, 512] < 0.001 < error["paper", 65, 512]


def test_the_intervals_hold_the_closed_form(outcome: Outcome) -> None:
    assert min(row[-1] for row in outcome.table("distance").rows) >= 0.9


def test_the_figure_has_a_point_at_minus_two(outcome: Outcome) -> None:
    rows = {round(row[0], 9): row for row in outcome.table("points").rows}
    _, found, exact = rows[-2.0]
    assert exact == pytest.approx(figures.EXACT_AT)
    assert found == pytest.approx(exact, rel=0.01)


def test_mean_outputs_agree_with_their_closed_forms(outcome: Outcome) -> None:
    rows = [row for row in outcome.table("outputs").rows if row[1] == 0.0]
    assert len(rows) == 2
    for *_, mean, exact in rows:
        assert mean == pytest.approx(exact, rel=1e-3)


def test_the_captions_formula_is_found_to_be_no_density(outcome: Outcome) -> None:
    claim = outcome.claims[0]
    assert claim.verdict == "differs"
    assert "0.7071" in claim.ours
    assert "1.0000" in claim.ours
    assert [c.verdict for c in outcome.claims[1:]] == ["confirmed", "confirmed"]


def test_verdicts_follow_the_numbers() -> None:
    results = {u.name: u.function(*u.arguments) for u in figures.plan("small")[::2]}
    results |= {"outputs": figures.measure_outputs(64)}
    for name in ("sum-lattice-64-x-32", "sum-paper-64-x-32"):
        zero = np.zeros(3)
        results[name] = {"distance": zero + 0.5, "low": zero, "high": zero + 2}
    verdicts = [claim.verdict for claim in figures.conclude("small", results).claims]
    assert verdicts == ["differs", "differs", "differs"]


def test_figures_are_drawn(outcome: Outcome, tmp_path: Path) -> None:
    written = draw_figures("figures", outcome, tmp_path)
    assert {path.stem for path in written} == {"behavior", "breakdown"}
