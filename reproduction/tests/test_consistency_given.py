from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from reproduction.tests.test_running import files
from symbed.errors import DataError, RangeError
from symbed_reproduction import EXPERIMENTS, Outcome, reproduce
from symbed_reproduction.consistency import experiment as consistency
from symbed_reproduction.consistency.expression_sets import (
    DRAWN,
    GIVEN,
    draw_expressions,
    read_expression,
    read_sets,
)
from symbed_reproduction.consistency.measurements import (
    CODE,
    Rankings,
    ordered_ranks,
    score_cells,
    score_given,
)
from symbed_reproduction.consistency.resampling import PAPER
from symbed_reproduction.consistency.results import Size
from symbed_reproduction.core.experiments import Unit, compute

TINY = Size(
    variables=(1, 2), counts=(4, 8), n_expressions=12, n_runs=5, sets=(0, 1),
    set_cell=(8, 4), set_runs=4, checks=((4, 4, 3),),
)  # fmt: skip


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(consistency.SIZES, "small", TINY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve made-up expressions for each number of variables, half of them as tokens."""
    for n in (1, 2):
        last = f"X_{n - 1}"
        lines = [f"{k} * X_0 + C * {last}" for k in range(1, 7)]
        lines += [f"C_0*{last}^2/{k} - sin(C_0*X_0)" for k in range(1, 7)]
        write(tmp_path / "given", n, lines)
    return tmp_path / "given"


def write(folder: Path, n_variables: int, lines: list[str]) -> None:
    folder.mkdir(exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    (folder / f"expressions_{n_variables}.txt").write_text(text, "utf-8")


def run(out: Path, given: Path | None = None) -> Outcome:
    found: Outcome = reproduce("consistency", out, expressions=given, workers=1, progress=False)
    return found


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the units that are computed."""
    seen: list[str] = []

    def note(unit: Unit) -> Any:
        seen.append(unit.name)
        return compute(unit)

    monkeypatch.setattr("symbed_reproduction.core.job_runner.compute", note)
    return seen


def test_given_sets_are_compared_with_the_published_heatmaps(tiny, folder, tmp_path) -> None:
    outcome = run(tmp_path / "out", folder)
    rows = outcome.table("given_agreement").rows
    assert [row[2] for row in rows] == ["as for other sets"] * 4 + ["of the published code"] * 4
    assert all(row[3] == 4 for row in rows)  # cells
    places = {place for place in outcome.data["cells"] if place.kind == GIVEN}
    assert {(place.design, place.n_variables, place.strategy) for place in places} == {
        (rules, n, strategy)
        for rules in (PAPER, CODE)
        for n, strategy in ((1, "run"), (2, "run"), (2, "pair"), (2, "all"))
    }


def test_cells_are_judged_on_given_sets_and_the_claims_say_so(tiny, folder, tmp_path) -> None:
    plain, outcome = run(tmp_path / "out"), run(tmp_path / "out", folder)
    without = {claim.text: claim for claim in plain.claims}
    changed = [claim for claim in outcome.claims if claim != without[claim.text]]
    assert len(changed) == 4
    for claim in changed[:3]:
        assert claim.why.startswith("on the set that was given; other random sets: mean ")
    assert changed[3].ours.endswith("of 16 cells, on the sets that were given")
    assert f"on random sets of our own {without[changed[3].text].ours}" in changed[3].why
    names = {f"tables/{table.name}.csv" for table in outcome.tables}
    assert all(set(claim.source.split(", ")) <= names for claim in outcome.claims)


def test_the_report_tells_where_sets_come_from_and_which_they_were(tiny, folder, tmp_path) -> None:
    outcome = run(tmp_path / "out", folder)
    report = (tmp_path / "out" / "consistency" / "report.md").read_text("utf-8")
    assert "`smeznar/BED`" in report
    assert "has no license" in report
    assert "--scale small --expressions FOLDER -o results`" in report
    assert str(tmp_path) not in report
    digests = [
        hashlib.sha256((folder / f"expressions_{n}.txt").read_bytes()).hexdigest() for n in (1, 2)
    ]
    assert outcome.table("given").rows == tuple(
        (n, 12, 12, digest[:16]) for n, digest in zip((1, 2), digests, strict=True)
    )


def test_a_run_without_them_gives_the_same_bytes_before_and_after(tiny, folder, tmp_path) -> None:
    run(tmp_path / "plain")
    for given in (folder, None):
        run(tmp_path / "both", given)
    assert files(tmp_path / "both") == files(tmp_path / "plain")


def test_units_know_their_texts_and_not_their_folder(tiny, folder, tmp_path, computed) -> None:
    run(tmp_path / "out", folder)
    before = files(tmp_path / "out")
    computed.clear()
    other = tmp_path / "other"
    for n in (1, 2):
        lines = (folder / f"expressions_{n}.txt").read_text("utf-8").splitlines()
        write(other, n, ["# made up", "", *lines])
    run(tmp_path / "out", other)
    assert (computed, files(tmp_path / "out")) == ([], before)
    write(other, 1, [*lines_of(folder, 1)[:-1], "cos(X_0)"])
    run(tmp_path / "out", other)
    assert computed
    assert all(name == "given-1" or name.startswith("cells-given-") for name in computed)
    assert not any("-2-" in name for name in computed)


def lines_of(folder: Path, n_variables: int) -> list[str]:
    return (folder / f"expressions_{n_variables}.txt").read_text("utf-8").splitlines()


def test_a_drawn_set_given_as_text_scores_the_same() -> None:
    texts = tuple(str(expression) for expression in draw_expressions(DRAWN, 2, 10, 0))
    drawn = score_cells(DRAWN, 2, PAPER, 4, (4, 8), ("run", "pair", "all"), 10, 4, 0)
    given = score_given(texts, 2, PAPER, 4, (4, 8), ("run", "pair", "all"), 4)
    assert all(np.array_equal(drawn[name], given[name]) for name in drawn)


def test_the_published_code_drops_what_is_beyond_its_limit() -> None:
    texts = ("exp(20*X_0*X_0)", "X_0", "C*X_0", "C")
    by_rules = {
        rules: score_given(texts, 1, rules, 4, (4,), ("run",), 3) for rules in (PAPER, CODE)
    }
    assert by_rules[PAPER]["infinite"].tolist() == [0]
    assert by_rules[CODE]["infinite"].tolist() == [3 * 6]  # both ways, in every run


def test_ordered_ranks_are_those_of_scipy() -> None:
    values = np.random.default_rng(3).integers(1, 6, (4, 12, 12)).astype(float)
    assert np.array_equal(ordered_ranks(values), rankdata(values, axis=-1, method="ordinal"))
    values[:, range(12), range(12)] = 0.0
    first, second = ordered_ranks(values)[:2, 0]
    found = Rankings.of(values[:2], ordered_ranks).scores[0]
    assert found == pytest.approx(np.corrcoef(first, second)[0, 1])


def test_lines_are_tokens_if_they_can_be_and_text_if_not() -> None:
    assert read_expression("log ( X_0 ) * C", 1) == read_expression("log10(X_0)*C", 1)
    assert read_expression("log(X_0)*C", 1) == read_expression("ln ( X_0 ) * C", 1)


def test_constants_and_repeated_parameters_are_no_unknown_names() -> None:
    assert read_expression("C_0*X_0 + C_0 + pi + C", 1).parameters == ("C_0", "C")


Spoil = Callable[[Path], object]
BAD: list[tuple[Spoil, str]] = [
    (lambda folder: (folder / "expressions_2.txt").unlink(),
     r"expressions_2\.txt is not there; .* a file expressions_N\.txt for each number N of "
     r"variables, such as results/consistency/expressions of the repository smeznar/BED"),
    (lambda folder: write(folder, 1, [*lines_of(folder, 1)[:-1], "X_0 + sn(C)"]),
     r"expressions_1\.txt, line 12: unknown function 'sn' at column 7; did you mean"),
    (lambda folder: write(folder, 2, ["", *lines_of(folder, 2)[:-1], "X_0 + X_2"]),
     r"expressions_2\.txt, line 13: unknown name 'X_2'; variables are X_0, X_1, parameters are C"),
    (lambda folder: write(folder, 1, [*lines_of(folder, 1), "X_0"]),
     r"expressions_1\.txt has 13 expressions; it needs an even number of them, at least 12"),
    (lambda folder: write(folder, 1, lines_of(folder, 1)[:-2]),
     r"expressions_1\.txt has 10 expressions; it needs an even number"),
    (lambda folder: (folder / "expressions_1.txt").write_bytes(b"\xff\xfe\n"),
     r"expressions_1\.txt, line 1: "),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "message"), BAD)
def test_bad_files_are_one_clear_error(tiny, folder, tmp_path, spoil: Spoil, message: str) -> None:
    spoil(folder)
    with pytest.raises(DataError, match=message):
        run(tmp_path / "out", folder)
    assert not (tmp_path / "out").exists()


def test_a_file_or_nothing_is_no_folder(folder: Path) -> None:
    for wrong in (folder / "expressions_1.txt", folder / "missing"):
        with pytest.raises(DataError, match="is not there; expressions are read from a folder"):
            read_sets(wrong, (1, 2), 12)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "consistency"])
def test_other_experiments_take_no_expressions(name: str, folder: Path, tmp_path: Path) -> None:
    message = f"experiment '{name}' takes no expressions; give them to consistency"
    with pytest.raises(RangeError, match=message):
        reproduce(name, tmp_path / "out", expressions=folder)


def test_the_papers_scale_adds_the_printed_heatmaps_only(tmp_path: Path) -> None:
    for n in consistency.SIZES["paper"].variables:
        write(tmp_path, n, [f"{k} * X_0" for k in range(200)])
    more = consistency.plan("paper", tmp_path)[: -len(consistency.plan("paper"))]
    scored = [unit for unit in more if unit.function is score_given]
    assert len(scored) == 2 * 5 * (6 + 1)  # rules, numbers of variables, rows; one is halved
    assert {unit.arguments[5] for unit in scored} == {("run",), ("run", "pair", "all")}


def test_the_figure_shows_the_sets_that_are_judged(tiny, folder, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    from symbed_reproduction.consistency.experiment import draw

    for given, title in ((None, "here\n"), (folder, "here, given set\n")):
        axes = dict(draw(run(tmp_path / "out", given)))["published"]
        assert len(axes) == 8
        assert all(ax.get_title().startswith(title) for ax in axes[4:])
