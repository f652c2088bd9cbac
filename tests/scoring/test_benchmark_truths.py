"""Every problem that ships is found by its own formula, and by it with other constants."""

from __future__ import annotations

import pytest

from symbed.scoring.benchmark import Limits, Method
from symbed.scoring.benchmark.benchmark_run import score_run
from symbed.scoring.benchmark.methods import Ending
from symbed.scoring.benchmark.tasks import Task
from symbed.workbench import dataset, datasets

ALWAYS = ("Nguyen-5", "I.29.4", "SRSD I.12.1", "SRSD I.6.20a", "hill", "van-der-waals")


def judged(name: str, *formulas: str) -> list[dict[str, object]]:
    task = Task(name, Method("nobody", "nowhere", "None"), 0.0, 0, 200, Limits())
    ending = Ending("done", tuple({"formula": text} for text in formulas))
    return score_run(task, ending)["formulas"]


@pytest.mark.parametrize("name", ALWAYS)
def test_a_problem_is_found_by_its_own_formula(name: str) -> None:
    (row,) = judged(name, str(dataset(name).formula))
    assert row["right"], row["verdict"]
    assert float(row["error"]) < 1e-9  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("problem", datasets(), ids=lambda problem: problem.name)
def test_every_problem_is_found_by_its_own_formula(problem) -> None:
    (row,) = judged(problem.name, str(problem.formula))
    assert row["right"], row["verdict"]


def test_constants_do_not_matter_to_the_form_but_to_the_function() -> None:
    right, wrong = judged("cooling", "30.5 + 7.5*exp(-0.51*X_0)", "84.7 - 5.7*X_0 + 0.13*X_0^2")
    assert right["right"]
    assert not wrong["right"]
    assert float(right["error"]) > float(wrong["error"])  # type: ignore[arg-type]


def test_what_breaks_the_judgment_is_recorded_and_the_others_are_judged(monkeypatch) -> None:
    from symbed.scoring.benchmark import benchmark_run

    whole = benchmark_run.score

    def breaks(formulas, *arguments, **settings):
        if "X_0^9" in formulas.labels:
            raise ZeroDivisionError("a bug")
        return whole(formulas, *arguments, **settings)

    monkeypatch.setattr(benchmark_run, "score", breaks)
    rows = judged("cooling", "21.4 + 63.1*exp(-0.131*X_0)", "X_0^9")
    assert [row["right"] for row in rows] == [True, False]
    assert rows[1]["verdict"] == "ZeroDivisionError: a bug"
