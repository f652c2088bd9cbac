"""Result files of benchmarks: read by what is in them, judged row by row, nothing lost."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from symbed.errors import DataError, RangeError
from symbed.scoring import JudgedResults, judge_results
from symbed.scoring.result_files._problem_lookup import find_dataset, read_found
from symbed.scoring.result_files.result_file_reader import (
    halls_of_fame,
    is_plain,
    read_result_file,
    read_results,
)
from symbed.scoring.result_files.result_rows import ResultRow

SRBENCH = """dataset,algorithm,random_state,target_noise,true_model,symbolic_model,symbolic_solution,r2_test
feynman_I_6_2a,A,0,0.0,0.399*exp(-theta**2/2),0.3989423*exp(-0.5*theta**2),True,1.0
feynman_I_6_2a,A,1,0.0,0.399*exp(-theta**2/2),(0.3989423*I)*exp(-0.5*theta**2),True,-1.2
feynman_I_6_2a,A,2,0.0,0.399*exp(-theta**2/2),,False,0.0
feynman_I_32_5,A,3,0.01,0.053*a**2*q**2/(c**3*epsilon),0.0530*q**2*a**2/(epsilon*c**3.0),False,1.0
feynman_I_34_14,A,4,0.01,omega_0*(c + v)/(c**2 - v**2)**0.5,omega_0*sqrt(-c),True,0.0
strogatz_bacres1,A,5,0.0,20 - x - x*y/(1 + 0.5*x**2),20 - x,False,0.1
feynman_I_12_5,A,6,0.0,Ef*q2,x_1*x_0,False,1.0
feynman_I_12_5,A,7,0.0,Ef*q2,foo(Ef,True,1.0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file of each kind."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "srbench.csv").write_text(SRBENCH)
    entry = {
        "dataset": "feynman_I_12_1", "algorithm": "B", "random_state": 860, "params": {"depth": 3},
        "true_model": "Nn*mu", "symbolic_model": "1.0*Nn*mu", "r2_test": 1.0, "target_noise": 0.0,
        "symbolic_error_is_zero": True, "symbolic_error_is_constant": True,
        "symbolic_fraction_is_constant": True,
    }  # fmt: skip
    (folder / "srbench.json").write_text(json.dumps(entry, indent=4))
    llm = {
        "equation_id": "I.12.1_0_0", "gt_equation": "F/Nn", "num_datapoints": 10,
        "eval_results": [
            {"discovered_equation": "0.9999999*F/Nn", "discovered_program": "def f(): pass",
             "id_metrics": {"nmse": 1e-9, "r2": 1.0}, "ood_metrics": None, "search_time": 1.0},
            {"discovered_equation": "F*Nn", "discovered_program": "", "id_metrics": {"nmse": 1.0}},
        ],
    }  # fmt: skip
    (folder / "results.jsonl").write_text(json.dumps(llm) + "\n" + json.dumps(llm) + "\n")
    toolkit = {
        "format_version": 1, "type": "SR_results",
        "results": [{
            "dataset_name": "NG-1", "approach_name": "ProGED", "min_error": 1e-9, "success": True,
            "best_expr": "X_0+X_0^2+X_0^3", "num_evaluated": 5, "evaluation_calls": 5,
            "top_models": [
                {"expr": ["X_0", "+", "X_0", "^2", "+", "C", "*", "X_0", "^3"], "error": 1e-9,
                 "parameters": {"__ndarray__": True, "data": [1.0000000001]}, "augmentations": {}},
                {"expr": ["C", "*", "X_0"], "error": 0.2, "parameters": None, "augmentations": {}},
            ],
            "all_models": [], "augmentations": {}, "metadata": None,
        }],
    }  # fmt: skip
    (folder / "exp_42.json").write_text(json.dumps(toolkit))
    run = folder / "outputs" / "20260101_x"
    run.mkdir(parents=True)
    (run / "hall_of_fame.csv").write_text(
        "Complexity,Loss,Equation\n3,0.5,2.1 * x0\n5,0.0,(x0 * x0) * 0.5\n"
    )
    (folder / "plain.csv").write_text("formula,note\n2.1*t,first\n2*t + 0.3,second\n")
    return folder


@pytest.fixture(scope="module")
def srbench(folder: Path) -> tuple[JudgedResults, list[int], list[int]]:
    """The table of SRBench judged, the lines in the order in which they were told, the counts."""
    told: list[int] = []
    counts: list[int] = []
    judged = judge_results(
        folder / "srbench.csv", workers=2, finished=lambda row: told.append(row.result.line),
        progress=counts.append,
    )  # fmt: skip
    return judged, told, counts


def lines(folder: Path, name: str, **options: Any) -> list[tuple[int, bool, str]]:
    judged = judge_results(folder / name, workers=1, **options)
    assert judged.is_complete
    return [(row.result.line, row.is_right, row.verdict) for row in judged.rows]


def test_rows_of_srbench_are_judged_or_say_why_not(srbench: Any) -> None:
    judged = srbench[0]
    assert [row.is_right for row in judged.rows] == [
        True, False, False, True, False, False, True, False,
    ]  # fmt: skip
    verdicts = [row.verdict for row in judged.rows]
    reasons = [row.evidence for row in judged.rows]
    assert [verdicts[place] for place in (1, 2, 5)] == ["not judged"] * 3
    assert "imaginary unit" in reasons[1]
    assert "there is no formula" in reasons[2]
    assert verdicts[4] == "undefined on the whole domain"
    assert "no range of variables is known for problem 'strogatz_bacres1'" in reasons[5]
    assert [row.result.line for row in judged.unjudged] == [3, 4, 7, 9]
    assert {row.source for row in judged.rows[:1]} == {"the table of feynman, I.6.2a"}


def test_disagreements_have_evidence(srbench: Any) -> None:
    judged = srbench[0]
    assert [row.result.line for row in judged.rejected] == [3, 6, 9]
    assert [row.result.line for row in judged.accepted] == [5, 8]
    assert all(row.evidence for row in judged.disagreements)
    assert judged.summary()["they_accept_we_reject"] == 3
    assert judged.summary()["agree"] == 3


def test_their_table_comes_back_with_our_columns_behind(srbench: Any) -> None:
    frame = srbench[0].to_frame()
    assert list(frame.columns[:3]) == ["dataset", "algorithm", "random_state"]
    assert list(frame["symbed_right"])[:2] == [True, False]
    assert next(iter(frame["r2_test"])) == "1.0"
    assert "symbed_evidence" in frame.columns


def test_json_of_srbench_is_read(folder: Path) -> None:
    judged = judge_results(folder / "srbench.json", workers=1)
    assert judged.formats == {str(folder / "srbench.json"): "SRBench's JSON"}
    assert judged.rows[0].is_right
    assert judged.rows[0].result.accepted
    assert judged.to_dict()["rows"][0]["params"] == {"depth": 3}


def test_lines_of_llm_srbench_are_read(folder: Path) -> None:
    domain = {"F": (1.0, 5.0), "Nn": (1.0, 5.0)}
    assert [right for _, right, _ in lines(folder, "results.jsonl", domain=domain)] == [
        True, False, True, False,
    ]  # fmt: skip
    row = read_result_file(folder / "results.jsonl").rows[0]
    assert row.columns["id_metrics.nmse"] == 1e-9
    assert "discovered_program" not in row.columns


def test_the_output_of_a_transformed_problem_ranges_as_the_formula_does(folder: Path) -> None:
    assert lines(folder, "results.jsonl")[0][1]


def test_results_of_srtoolkit_have_their_parameters(folder: Path) -> None:
    found = lines(folder, "exp_42.json")
    assert [right for _, right, _ in found] == [True, False]
    assert judge_results(folder / "exp_42.json", workers=1).rows[0].result.accepted


def test_folders_of_pysr_are_runs(folder: Path) -> None:
    options: dict[str, Any] = {"truth": "a*t^2", "domain": {"t": (1.0, 5.0)}}
    assert [right for _, right, _ in lines(folder, "outputs", **options)] == [False, True]
    assert [hall.name for hall in halls_of_fame(folder / "outputs")] == ["hall_of_fame.csv"]


def test_plain_tables_need_a_truth_and_a_domain(folder: Path) -> None:
    assert "give one with --truth" in judge_results(folder / "plain.csv").rows[0].evidence
    found = lines(folder, "plain.csv", truth="a*t + b", domain={"t": (0.0, 5.0)})
    assert [right for _, right, _ in found] == [False, True]


def test_a_problem_that_ships_has_the_names_that_the_formulas_have(tmp_path: Path) -> None:
    table = tmp_path / "no_truths.csv"
    table.write_text("dataset,model\nI.29.4,0.7\nI.29.4,omega/c\nI.29.4,X_0/X_1\nI.29.4,x0/foo\n")
    found = lines(tmp_path, table.name)
    assert [right for _, right, _ in found] == [False, True, True, False]


def test_rows_are_told_in_order_as_they_are_finished(srbench: Any) -> None:
    _, told, counts = srbench
    assert told == [2, 3, 4, 5, 6, 7, 8, 9]
    assert counts == [1, 2, 3, 4]


def test_an_interrupted_work_keeps_what_is_finished(folder: Path) -> None:
    def interrupt(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    judged = judge_results(folder / "srbench.csv", workers=1, progress=interrupt)
    assert not judged.is_complete
    assert len(judged.rows) == 6
    assert "6 of 8 rows" in repr(judged)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "x,y\n1,2\n", "no column of formulas is known among x, y; say which"),
        ("b.json", '{"a": 1}', "no column of formulas is known among a"),
        ("c.json", '{"symbolic_model": ', "is no JSON"),
        ("d.csv", "", "the file is empty"),
        ("e.json", "[1, 2]", "holds objects"),
        ("f.csv", "formula,loss\n", "has no results"),
        ("g.txt", "## Results\nSee the table.\n", "nor lines of formulas; it begins with '## Res"),
        ("h.feather", "version https://git-lfs.github.com/spec/v1\n", "fetch it with `git lfs"),
        ("i.pkl", "\x80\x04\x95", "a pickle, which is a program"),
        ("j.feather", "ARROW1\0\0", "write it as CSV first"),
        ("k.csv.gz", "\x1f\x8b\x08\x00", "cannot be unpacked"),
        ("l.bin", "ELF\0\0", "no text"),
        ("m.json", "[" * 100_000, "is no JSON"),
    ],
)
def test_files_that_cannot_be_used_are_one_clear_error(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text, encoding="latin-1")
    with pytest.raises(DataError, match=message):
        read_result_file(tmp_path / name)


def test_a_folder_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no result files, and no hall_of_fame\.csv"):
        read_result_file(tmp_path)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("feynman_I_6_2a", "I.6.2a"),
        ("feynman_test_12", "test_12"),
        ("NG-5", "Nguyen-5"),
        ("SRSD I.6.20", "SRSD I.6.20"),
        ("I.37.4_0_1", "I.37.4"),
        ("II.38.14", "II.38.14"),
    ],
)
def test_problems_are_found_under_the_names_of_benchmarks(name: str, expected: str) -> None:
    known = find_dataset(name)
    assert known is not None
    assert known.name == expected


def test_a_problem_in_no_table_is_not_found() -> None:
    assert find_dataset("strogatz_vdp1") is None


# The shapes of files that other tools and papers write; the contents are our own.
E2E = (
    "formula,problem,target_noise,predicted_tree,refinement_type,r2_predict\n"
    "n*(h/(2*pi)),feynman_III_12_43,0,((0.0 add (0.5 mul x_0)) mul (0.318309886 mul x_1)),BFGS,1\n"
    "q2*Ef,feynman_I_12_5,0,(x_0 add inv(x_1)),BFGS,0.2\n"
    "???,strogatz_vdp1,0,(x_0 mul x_1),BFGS,0.1\n"
    "#NAME?,feynman_I_12_1,0,(x_0 mul x_1),BFGS,1\n"
    "q2*Ef,feynman_I_12_5,0,,,\n"
)


def test_the_plain_formula_of_an_e2e_table_is_its_truth(tmp_path: Path) -> None:
    (tmp_path / "e2e.csv").write_text(E2E)
    rows = judge_results(tmp_path / "e2e.csv", workers=1).rows
    assert [row.is_right for row in rows] == [True, False, False, True, False]
    assert rows[0].result.truth == "n*(h/(2*pi))"
    assert "no truth is known for problem 'strogatz_vdp1'" in rows[2].evidence
    assert rows[3].result.truth is None  # a spreadsheet's error; the problem that ships has it
    assert rows[4].evidence == "there is no formula"
    assert read_result_file(tmp_path / "e2e.csv").format == "E2E's table"
    assert not is_plain(read_result_file(tmp_path / "e2e.csv"))


@pytest.mark.parametrize("numbers", ["17.5 0.25", "28.8 4.8 4362.7 17.5 0.25"])
def test_solutions_of_ai_feynman_have_complexity_and_error(tmp_path: Path, numbers: str) -> None:
    path = tmp_path / "solution_data.txt"
    path.write_text(f"{numbers} 2.500000000000*x1\n{numbers} exp((x0*x1))\n\nbroken\n")
    options: dict[str, Any] = {"truth": "a*t", "domain": {"s": (1.0, 2.0), "t": (1.0, 2.0)}}
    assert [right for _, right, _ in lines(tmp_path, path.name, **options)] == [True, False, False]
    row = read_result_file(path).rows[0]
    assert (row.columns["complexity"], row.columns["loss"]) == ("17.5", "0.25")
    assert read_result_file(path).rows[2].line == 4


def test_programs_of_llm_sr_are_read_as_forms_and_never_run(tmp_path: Path) -> None:
    head = 'def equation(x: np.ndarray, v: np.ndarray, params: np.ndarray):\n    """Doc."""\n'
    bodies = [
        "    dv = params[0]*x + params[1]*v\n    return dv\n",
        "    return params[0]*x + params[0]*v\n",
        "    import os; os.remove('x')\n    return params[0]*x\n",
        "",
    ]
    for order, body in enumerate(bodies):
        sample = {"sample_order": order, "function": head + body, "score": -0.1}
        (tmp_path / f"samples_{order}.json").write_text(json.dumps(sample))
    options: dict[str, Any] = {"truth": "a*x + b*v", "domain": {"x": (1, 2), "v": (1, 2)}}
    judged = judge_results([tmp_path], workers=1, **options)
    assert [row.is_right for row in judged.rows] == [True, False, False, False]
    assert "params_0 stands in it twice" in judged.rows[1].evidence
    assert judged.rows[2].judged is None
    assert judged.rows[3].evidence == "there is no formula"
    assert set(judged.formats.values()) == {"LLM-SR's samples"}


def test_a_log_of_llm_srbench_without_equations_has_programs(tmp_path: Path) -> None:
    program = "def equation(F, Nn, params):\n    return params[0]*F/Nn\n"
    line = {
        "equation_id": "I.12.1_0_0", "gt_equation": "F/Nn",
        "eval_results": [{"discovered_equation": None, "discovered_program": program}],
    }  # fmt: skip
    (tmp_path / "results.jsonl").write_text(json.dumps(line))
    row = judge_results(tmp_path / "results.jsonl", workers=1).rows[0]
    assert row.verdict == "contains it, with 1 parameter too many"


def test_columns_are_found_by_name_or_named_by_the_user(tmp_path: Path) -> None:
    table = tmp_path / "own.csv"
    table.write_text(
        "equation,true_formula,best_a,best_b\nI.12.5,q2*Ef,q2*Ef,q2 + Ef\nI.29.4,omega/c,1,2\n"
    )
    with pytest.raises(DataError, match=r"say which it is with columns=\{'formula': NAME\}"):
        read_result_file(table)
    for column, expected in (("best_a", [True, False]), ("best_b", [False, False])):
        judged = judge_results(table, columns={"formula": column}, workers=1)
        assert [row.is_right for row in judged.rows] == expected
    with pytest.raises(DataError, match="there is no column 'best_c'; it has equation"):
        read_result_file(table, {"formula": "best_c"})
    with pytest.raises(RangeError, match="a column is one of formula, truth"):
        read_result_file(table, {"model": "best_a"})


def test_a_column_of_names_of_problems_is_no_column_of_formulas(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("equation,model,formula\nI.12.5,PySR,q2*Ef\nI.29.4,MLP,\n")
    rows = judge_results(table, workers=1).rows
    assert [(row.result.problem, row.is_right) for row in rows] == [
        ("I.12.5", True), ("I.29.4", False),
    ]  # fmt: skip


def test_one_formula_tells_from_where_the_others_count(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(
        "task,true_expression,recovered_expression\n"
        "feynman_I_29_4,omega/c,(x0 / x1)\nfeynman_I_34_27,h*omega/(2*pi),(x1 * 0.5)\n"
    )
    rows = judge_results(table, workers=1).rows
    assert rows[0].is_right
    assert "no variable" not in rows[1].evidence  # x1 is the second one, as above


def test_lists_of_formulas_and_nested_and_packed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "front.txt").write_text("2.5*t\nadd(1.5, t)\n\n# a remark\nt +\n")
    nested = {"generation": 3, "models": [{"formula": "2.5*t"}, {"formula": "t + 1.5"}]}
    (tmp_path / "models.json").write_text(json.dumps(nested))
    packed = tmp_path / "table.csv.gz"
    packed.write_bytes(gzip.compress(b"formula,loss\n2.5*t,0.1\n"))
    options: dict[str, Any] = {"truth": "a*t", "domain": {"t": (1.0, 2.0)}}
    names = ("front.txt", "models.json", "table.csv.gz")
    assert [lines(tmp_path, name, **options)[0][:2] for name in names] == [
        (1, True), (1, True), (2, True),
    ]  # fmt: skip
    assert [row.line for row in read_result_file(tmp_path / "front.txt").rows] == [1, 2, 5]
    assert read_result_file(tmp_path / "models.json").rows[1].columns["generation"] == 3
    assert is_plain(read_result_file(tmp_path / "front.txt"))


def test_a_folder_stands_for_the_result_files_below_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    row = {"dataset": "feynman_I_12_1", "true_model": "Nn*mu", "symbolic_model": "x0*x1"}
    for name in ("a/one.json", "a/b/two.json"):
        (tmp_path / name).write_text(json.dumps(row))
    (tmp_path / "a" / "settings.json").write_text('{"seed": 1}')
    files, left_out = read_results([tmp_path])
    assert [file.format for file in files] == ["SRBench's JSON"] * 2
    assert list(left_out) == [str(tmp_path / "a" / "settings.json")]
    judged = judge_results([tmp_path], workers=1)
    assert judged.summary()["left_out"] == 1
    assert judged.to_dict()["left_out"] == left_out
    assert all(row.is_right for row in judged.rows)


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    formula = " + ".join(["t"] * 60_000)
    (tmp_path / "long.csv").write_text(f"formula,loss\n{formula},1\n")
    usual = csv.field_size_limit()
    assert read_result_file(tmp_path / "long.csv").rows[0].formula == formula
    assert csv.field_size_limit() == usual  # the process's, which others rely on


def test_a_run_of_srtoolkit_without_a_data_set_takes_the_truth_that_is_given(
    tmp_path: Path,
) -> None:
    def model(tokens: str, error: float, *constants: float) -> dict[str, Any]:
        values = {"__ndarray__": True, "data": list(constants)}
        return {"expr": tokens.split(), "error": error, "parameters": values, "augmentations": {}}

    models = [model("C * X_0 ^2", 3.2e-9, 2.499999998481737), model("C + X_0 ^2", 1.2, 1.7)]
    run = {  # as version 1.6 saves what an evaluator without a name for its data has tried
        "min_error": 3.2e-9, "best_expr": "C*X_0^2", "num_evaluated": 2, "evaluation_calls": 2,
        "top_models": models, "all_models": models, "approach_name": "ours", "success": True,
        "dataset_name": None, "metadata": None, "wall_time": None, "augmentations": {},
    }  # fmt: skip
    saved = {"format_version": 1, "type": "SR_results", "results": [run]}
    (tmp_path / "exp_0.json").write_text(json.dumps(saved))
    judged = lines(tmp_path, "exp_0.json", truth="a*t^2", domain={"t": (0.5, 2.0)})
    assert [right for _, right, _ in judged] == [True, False]


def test_noise_of_the_size_and_of_the_spread_are_told_apart(tmp_path: Path) -> None:
    # Outputs near 100 that spread by 0.3: their size is about 350 times their spread.
    row = "line,100 + x,100 + 1.01*x,0.0001\n"
    (tmp_path / "of_size.csv").write_text(f"dataset,true_model,symbolic_model,target_noise\n{row}")
    (tmp_path / "of_spread.csv").write_text(f"dataset,true_model,symbolic_model,noise\n{row}")
    paths = [tmp_path / "of_size.csv", tmp_path / "of_spread.csv"]
    options: dict[str, Any] = {"domain": {"x": (0.0, 1.0)}, "workers": 1}
    of_size, of_spread = _tolerances(judge_results(paths, **options))
    assert of_size > 30 * of_spread  # digits excuse 0.001 of the spread in both
    # What the caller says is of the spread, whether or not it is the number in the file.
    assert _tolerances(judge_results(paths, noise=0.0001, **options)) == [of_spread, of_spread]


def _tolerances(judged: JudgedResults) -> list[float]:
    assert not [row.problem for row in judged.rows if row.problem]
    return [row.judged["tolerance"] for row in judged.rows if row.judged is not None]


def test_a_parameter_that_stands_twice_takes_its_one_value_twice() -> None:
    row = ResultRow("runs.csv", 2, "a*x + a", values=(2.0,), dialect="infix")
    assert str(read_found(row, ("x",))) == "2*x + 2"


def test_noise_is_a_share_and_what_is_none_excuses_nothing(tmp_path: Path) -> None:
    table = tmp_path / "noise.csv"
    rows = [
        f"feynman_I_6_2a,0.3989*exp(-theta**2/2) + 0.001,{noise}" for noise in ("0.05", "inf", "10")
    ]
    table.write_text("\n".join(["dataset,symbolic_model,target_noise", *rows]))
    assert [row.is_right for row in judge_results(table, workers=1).rows] == [True, False, False]
    with pytest.raises(RangeError, match="noise must be a share between 0 and 1, got 2"):
        judge_results(table, noise=2.0)
