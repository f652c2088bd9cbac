"""The leaderboard's page and tables: complete, escaped, and every number in a CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import statistics
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path

import pytest

from symbed.errors import StorageError
from symbed.scoring.benchmark import Leaderboard, RunResult, Summary, write_report
from symbed.scoring.benchmark.leaderboard import ACCURATE, T_QUANTILES
from symbed.scoring.benchmark.report import markdown_row, page, shown_figure

NASTY = "</script><script>alert('@@DATA@@')</script>"


def formula(text: str, right: bool = False, error: float | str = 0.25) -> dict[str, object]:
    return {
        "formula": text, "expression": text, "read": True, "right": right,
        "true_form": "yes" if right else "special case", "verdict": "the true form" if right else "another form",
        "relation": "same" if right else "neither", "grade": "matched", "form_distance": 0.0 if right else 0.4,
        "error": error, "size": 5, "effective": 2, "excess": 0,
    }  # fmt: skip


def run(
    method: str, problem: str, seed: int, noise: float, *formulas, status: str = "done"
) -> RunResult:
    n = 1 if problem == "cooling" else 2
    return RunResult(f"{method}{problem}{seed}{noise}", problem, "hidden", "a law", "C*x", n, method, noise,
                     seed, status, "" if formulas else NASTY, 1.5, 60.0, formulas)  # fmt: skip


@pytest.fixture
def board() -> Leaderboard:
    runs = []
    for seed in range(3):
        for noise in (0.0, 0.01):
            for problem in ("cooling", "van-der-waals"):
                right = (seed + len(problem)) % 2 == 0
                runs.append(
                    run(
                        "good", problem, seed, noise, formula("2*x", right, 0.0 if right else 0.037)
                    )
                )
                runs.append(run("bad", problem, seed, noise, formula(NASTY, error="inf")))
                runs.append(run("dead", problem, seed, noise, status="timed out"))
    return Leaderboard(tuple(runs), len(runs))


class Page(HTMLParser):
    """The texts of the table cells, and what a page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.loaded: list[str] = []
        self.scripts = 0
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.loaded += [v for k, v in attrs if k in ("src", "href") and v]
        self.scripts += tag == "script"
        if tag == "td":
            self._inside = True
            self.cells.append("")

    def handle_endtag(self, tag) -> None:
        if tag == "td":
            self._inside = False

    def handle_data(self, data) -> None:
        if self._inside:
            self.cells[-1] += data + " "


def test_the_page_needs_nothing_from_elsewhere(board: Leaderboard) -> None:
    read = Page(page(board))
    assert read.loaded == []
    assert read.scripts == 2
    assert "default-src 'none'" in page(board)


def test_what_a_method_says_stays_text(board: Leaderboard) -> None:
    text = page(board, title=NASTY)
    assert "<script>alert" not in text
    data = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert data
    runs = json.loads(data[1])
    assert len(runs) == len(board.runs)
    assert {one["formula"] for run in runs for one in run["formulas"]} == {"2*x", NASTY}


def test_every_number_on_the_page_stands_in_a_csv(board: Leaderboard, tmp_path: Path) -> None:
    written = write_report(board, tmp_path / "report")
    known: set[str] = set()
    for name in ("leaderboard.csv", "runs.csv", "formulas.csv", "statuses.csv"):
        for row in csv.DictReader(io.StringIO(written[name].read_text())):
            for cell in row.values():
                try:
                    value = float(cell)
                except ValueError:
                    continue
                known |= {f"{value:.2f}", f"{value:.1f}", f"{value:g}"}
                known.add("\N{INFINITY}" if math.isinf(value) else f"{value:.1e}")
    cells = Page(written["leaderboard.html"].read_text()).cells
    numbers = [n for cell in cells for n in re.findall(r"\d[\d.]*(?:e[-+]\d+)?|\N{INFINITY}", cell)]
    assert len(numbers) > 60
    assert [n for n in numbers if n not in known] == []


def test_methods_come_by_recovery_and_each_cell_opens_its_runs(board: Leaderboard) -> None:
    text = page(board)
    assert board.methods == ("good", "bad", "dead")
    buttons = re.findall(r'data-method="(\w+)" data-by="(\w+)" data-group="([^"]+)"', text)
    assert ("good", "noise", "0.01") in buttons
    assert ("bad", "problem", "cooling") in buttons
    assert all(board.runs_of(method, by, group) for method, by, group in buttons)


def test_markdown_has_the_same_figures(board: Leaderboard, tmp_path: Path) -> None:
    text = write_report(board, tmp_path)["leaderboard.md"].read_text()
    assert "| good | 0.33 " in text
    assert "**By noise**" in text
    assert "36 runs" in text


def test_an_unfinished_leaderboard_says_so() -> None:
    board = Leaderboard((run("good", "cooling", 0, 0.0, formula("2*x")),), 9)
    assert "Unfinished: 1 of 9 runs" in page(board)


def test_a_report_that_cannot_be_written_is_one_error(board: Leaderboard, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_report(board, tmp_path / "file")


DOCS = Path(__file__).parents[2] / "docs"


def read_csv(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((DOCS / "leaderboard" / name).read_text())))


def summary(row: dict[str, str]) -> Summary:
    """A row of ``leaderboard.csv`` as it was written."""
    kinds = {"str": str, "int": int, "float": lambda cell: float(cell) if cell else math.nan}
    return Summary(**{f.name: kinds[str(f.type)](row[f.name]) for f in fields(Summary)})


def test_every_number_in_the_document_stands_in_its_tables() -> None:
    text = (DOCS / "benchmark.md").read_text()
    summaries = [summary(row) for row in read_csv("leaderboard.csv")]
    for one in summaries:
        if one.by == "all":
            assert markdown_row(one) in text
    groups = {(one.method, one.group): one for one in summaries if one.by == "collection"}
    names = sorted({group for _, group in groups})
    for method in {method for method, _ in groups}:
        cells = [shown_figure(groups[method, name], "recovery") for name in names]
        assert "| " + " | ".join([method, *cells]) + " |" in text


def test_the_sentences_below_the_leaderboard_count_its_runs() -> None:
    text = (DOCS / "benchmark.md").read_text()
    told = re.search(
        r"R² > 0.999 in (\d+) of (\d+) runs and the true form in (\d+): in the other (\d+) "
        r"a formula of (\d+) to (\d+) nodes", text,
    )  # fmt: skip
    assert told
    runs = [row for row in read_csv("runs.csv") if row["method"] == "pyoperon"]
    accurate = [row for row in runs if float(row["error"]) <= ACCURATE]
    wrong = [row for row in accurate if row["recovered"] == "0"]
    sizes = [int(row["size"]) for row in wrong]
    right = sum(row["recovered"] == "1" for row in runs)
    counted = [len(accurate), len(runs), right, len(wrong), min(sizes), max(sizes)]
    assert list(map(int, told.groups())) == counted
    assert all(row["done"] == "90" for row in read_csv("statuses.csv")) == ("No run failed" in text)
    hidden = [
        r for r in read_csv("runs.csv") if (r["method"], r["collection"]) == ("gplearn", "hidden")
    ]
    assert not any(row["recovered"] == "1" for row in hidden)


def mean_over(*seeds: list[float]) -> tuple[float, float, float]:
    """The mean form distance with its interval, of answers whose distances are given by seed."""
    runs = tuple(
        run("any", f"problem {k}", seed, 0.0, {**formula("x"), "form_distance": distance})
        for seed, distances in enumerate(seeds)
        for k, distance in enumerate(distances)
    )
    (one,) = Leaderboard(runs, len(runs)).summaries("all")
    return one.form_distance, one.form_distance_low, one.form_distance_high


def test_intervals_are_over_seeds() -> None:
    center, low, high = mean_over([0.2, 0.4], [0.5, 0.7])
    assert center == pytest.approx(0.45)
    assert (low, high) == (0.0, 1.0)
    center, low, high = mean_over([0.5], [0.5], [0.53])
    assert high - center == pytest.approx(4.303 * 0.01, rel=1e-6)
    assert center - low == pytest.approx(4.303 * 0.01, rel=1e-6)
    assert all(map(math.isnan, mean_over([0.5])[1:]))


def quantile(freedom: int) -> float:
    """Student's t behind an interval over one seed more than there are degrees of freedom."""
    means = [0.5 + 1e-3 * (-1) ** seed for seed in range(freedom + 1)]
    center, _, high = mean_over(*([mean] for mean in means))
    return (high - center) * math.sqrt(len(means)) / statistics.stdev(means)


def test_the_quantiles_of_student_are_right_for_any_number_of_seeds() -> None:
    # A table in print: 11 to 20, 30, 60 and 120 degrees of freedom.
    known = {
        11: 2.201, 12: 2.179, 13: 2.160, 14: 2.145, 15: 2.131, 16: 2.120, 17: 2.110, 18: 2.101,
        19: 2.093, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980,
    }  # fmt: skip
    assert {freedom: round(quantile(freedom), 3) for freedom in known} == known
    assert [quantile(freedom) for freedom in range(1, 11)] == pytest.approx(T_QUANTILES)
