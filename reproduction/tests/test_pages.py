from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symbed.errors import DataError, StorageError
from symbed_reproduction import EXPERIMENTS, Claim, Experiment, Outcome, Table
from symbed_reproduction.core import pages
from symbed_reproduction.core.experiments import Cost
from symbed_reproduction.core.outcomes import write_outcome
from symbed_reproduction.core.pages import publish, write_page

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\((?!https?://|#)(?P<target>[^)#]+)")


def make_results(folder: Path, name: str = "taylor", scale: str = "paper", n_rows: int = 3) -> None:
    """ResultsFolder of an experiment that was never run."""
    tables = (
        Table("sums", "Sums of n*x", ("n", "sum"), tuple((n, n / 7) for n in range(n_rows))),
        Table("texts", "Texts", ("a",), (("x|y",),)),
    )
    claims = (
        Claim("sums grow", "yes", "3*x", "confirmed", "tables/sums.csv"),
        Claim("texts shrink", "by 2|3", "by 1", "differs", "tables/texts.csv", "too short"),
        Claim("it is fast", "yes", "unknown", "not checked", "report.md", "no clock"),
    )
    outcome = Outcome(tables, claims, "First note.\n\n## A heading\n\nSecond note.")
    costs = {"a": Cost(2.0, 1.5, 50_000_000, 100.0), "b": Cost(1.0, 0.5, 10, 101.5)}
    write_outcome(folder / name, EXPERIMENTS[name], scale, outcome, costs, 0.25)
    (folder / name / "figures").mkdir()
    for figure in ("curves.png", "curves.svg"):
        (folder / name / "figures" / figure).write_bytes(b"picture")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    make_results(tmp_path / "results")
    make_results(tmp_path / "results", "limits")
    return tmp_path / "results"


def test_the_page_counts_verdicts_over_all_experiments(results: Path) -> None:
    text = write_page(results)
    assert "| [taylor](#taylor) | 1 | 1 | 1 |" in text
    assert "| all | 2 | 2 | 2 |" in text


def test_each_claim_has_a_plain_verdict_and_a_link_to_its_numbers(results: Path) -> None:
    text = write_page(results)
    assert r"| sums grow | **confirmed** | yes | 3\*x ([sums](taylor/sums.csv)) |  |" in text
    assert r"| texts shrink | **differs** | by 2\|3 | by 1 ([texts](limits/texts.csv)) |" in text
    assert "| it is fast | **not checked** | yes | unknown | no clock |" in text


def test_sections_have_command_cost_notes_figures_and_tables(results: Path) -> None:
    text = write_page(results)
    section = text[text.index("\n## taylor\n") : text.index("\n## limits\n")]
    assert EXPERIMENTS["taylor"].question in section
    assert "`symbed reproduce taylor --scale paper -o results`: 2 s of CPU, 3 s on" in section
    assert "First note." in section
    assert "![taylor: curves](taylor/curves.png)" in section
    assert r"### Sums of n\*x" in section
    assert "[sums.csv](taylor/sums.csv)" in section
    assert "| 2 | 0.286 |" in section


def test_headings_of_notes_stand_below_the_experiments(results: Path) -> None:
    text = write_page(results)
    assert "\n#### A heading\n\nSecond note." in text
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "Verdicts", "What it cost", "taylor", "limits",
    ]  # fmt: skip


def test_costs_are_added_up_and_the_machine_is_named_once(results: Path) -> None:
    text = write_page(results)
    peak = json.loads((results / "taylor" / "cost.json").read_text())["peak_bytes_of_a_process"]
    assert (
        f"| taylor | `symbed reproduce taylor --scale paper -o results` | 2.0 | 2.8 | {peak / 1e6:.0f} |"
        in text
    )
    assert re.search(r"^\| all \|  \| 4.0 \| 5.5 \| \d+ \|$", text, re.MULTILINE)
    assert len(re.findall(r"^All: .* cores, ", text, re.MULTILINE)) == 1


def test_long_tables_are_linked_to_and_not_shown(tmp_path: Path) -> None:
    make_results(tmp_path, n_rows=pages.SHOWN_ROWS + 1)
    text = write_page(tmp_path)
    assert f"{pages.SHOWN_ROWS + 1} rows in [sums.csv](taylor/sums.csv)." in text
    assert "| 2 | 0.286 |" not in text


def test_of_many_figures_a_selection_is_shown(results: Path, monkeypatch) -> None:
    for number in range(8):
        (results / "taylor" / "figures" / f"map-{number}.png").write_bytes(b"picture")
    text = write_page(results)
    assert text.count("![taylor: ") == pages.SHOWN_FIGURES
    assert "More figures: " in text
    monkeypatch.setitem(pages.SELECTED, "taylor", ("map-7", "cur*"))
    text = write_page(results)
    assert "![taylor: map-7](taylor/map-7.png)" in text
    assert text.count("![taylor: ") == 2
    assert "[map-3](taylor/map-3.png)" in text


def test_small_scale_is_said_aloud(tmp_path: Path) -> None:
    make_results(tmp_path, scale="small")
    assert "**Small scale, not the paper's: taylor.**" in write_page(tmp_path)


def test_the_cost_of_the_reference_is_included_if_it_is_there(results: Path, tmp_path) -> None:
    assert "reference implementation" not in write_page(results)
    (results / "reference_cost.md").write_text("# Cost\n\nSeveral days.\n")
    (results / "reference_cost.csv").write_text("a\n1\n")
    text = write_page(results)
    assert "Several days." in text
    assert "\n# Cost" not in text
    publish(results, tmp_path / "page")
    assert (tmp_path / "page" / "reference_cost.csv").exists()


def test_every_link_of_a_published_page_leads_somewhere(results: Path, tmp_path: Path) -> None:
    page = publish(results, tmp_path / "page")
    assert page.read_text() == write_page(results)
    targets = {match["target"] for match in LINK.finditer(page.read_text())}
    assert {"taylor/sums.csv", "limits/curves.png"} <= targets
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_publishing_again_removes_what_is_no_longer_there(results: Path, tmp_path: Path) -> None:
    stale = tmp_path / "page" / "taylor" / "stale.csv"
    stale.parent.mkdir(parents=True)
    stale.write_text("")
    publish(results, tmp_path / "page")
    assert not stale.exists()
    assert not list((tmp_path / "page").rglob("*.svg"))


def test_a_folder_without_results_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no results; make some with: symbed reproduce all"):
        write_page(tmp_path)


def test_a_page_that_cannot_be_written_is_a_clear_error(results: Path, tmp_path: Path) -> None:
    (tmp_path / "page").write_text("a file")
    with pytest.raises(StorageError, match="cannot write"):
        publish(results, tmp_path / "page")


def test_the_tool_publishes_and_complains_in_one_line(results: Path, tmp_path: Path) -> None:
    tool = [sys.executable, str(ROOT / "reproduction" / "tools" / "publish.py")]
    run = {"capture_output": True, "text": True, "env": {"PYTHONPATH": ":".join(sys.path)}}
    done = subprocess.run([*tool, str(results), str(tmp_path / "page")], **run)
    assert (done.returncode, done.stdout.strip()) == (0, str(tmp_path / "page" / "index.md"))
    done = subprocess.run([*tool, str(tmp_path / "none"), str(tmp_path / "page")], **run)
    assert done.returncode == 1
    assert "has no results" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_committed_page_links_to_files_that_exist() -> None:
    page = ROOT / "docs" / "reproduction" / "index.md"
    if not page.exists():
        pytest.skip("no run has been published")
    targets = [match["target"] for match in LINK.finditer(page.read_text())]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_experiment_can_have_a_section() -> None:
    assert all(isinstance(row, Experiment) and row.question for row in EXPERIMENTS.values())
