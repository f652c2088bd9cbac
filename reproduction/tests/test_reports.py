from __future__ import annotations

import json
from pathlib import Path

import pytest

from symbed_reproduction import Experiment, Outcome, Table, reproduce
from symbed_reproduction.core.experiments import Cost
from symbed_reproduction.core.outcomes import describe_machine, write_outcome


@pytest.fixture
def results(toy: Experiment, tmp_path: Path) -> Path:
    reproduce("toy", tmp_path, workers=1)
    return tmp_path / "toy"


def test_the_report_has_the_question_the_command_claims_notes_and_tables(results: Path) -> None:
    text = (results / "report.md").read_text()
    parts = ["# toy", "What do squares add up to?", "symbed reproduce toy --scale small"]
    parts += ["## Claims", "| sums grow | yes | yes | confirmed |", "## Notes", "A note."]
    parts += ["## Sums", "`tables/sums.csv`", "| n = 1 | 0.429 |"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_an_outcome_without_claims_or_notes_has_no_such_sections(toy, tmp_path: Path) -> None:
    table = Table("t", "A table", ("a",), ((1,),))
    write_outcome(tmp_path, toy, "small", Outcome((table,)), {})
    text = (tmp_path / "report.md").read_text()
    assert "## Claims" not in text
    assert "## Notes" not in text
    assert json.loads((tmp_path / "cost.json").read_text())["cpu_seconds"] == 0


def test_the_cost_names_command_time_memory_and_machine(results: Path) -> None:
    cost = json.loads((results / "cost.json").read_text())
    assert cost["command"] == "symbed reproduce toy --scale small -o results"
    assert cost["scale"] == "small"
    assert set(cost["units"]) == {f"square-{n}" for n in range(5)}
    assert cost["peak_bytes_of_a_process"] > 1e6
    assert 0 <= cost["conclude_seconds"] <= cost["wall_seconds"]
    assert cost["machine"] == describe_machine()


def test_the_wall_clock_counts_overlapping_units_once_and_gaps_not_at_all(toy, tmp_path) -> None:
    costs = {
        "a": Cost(10.0, 9.0, 1, began=100.0),
        "b": Cost(2.0, 2.0, 1, began=103.0),  # within a
        "c": Cost(5.0, 5.0, 1, began=108.0),  # until 113
        "d": Cost(4.0, 4.0, 1, began=1000.0),  # after an interruption
    }
    write_outcome(tmp_path, toy, "small", Outcome(()), costs, 1.5)
    cost = json.loads((tmp_path / "cost.json").read_text())
    assert cost["wall_seconds"] == 13.0 + 4.0 + 1.5
    assert cost["cpu_seconds"] == 20.0
    assert cost["seconds_of_units"] == 21.0


def test_the_machine_is_described_without_its_name() -> None:
    machine = describe_machine()
    assert set(machine) == {"processor", "cores", "system", "python", "numpy", "symbed"}
    assert machine["processor"]
