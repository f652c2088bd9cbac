"""Whose formulas they are is found out by every verb and command, told, and never guessed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed.cli import main
from symbed.errors import MissingVariable, ParseError
from symbed.formula_files.dialect_choice import ReadAs
from symbed.formula_files.formulas import read_formulas
from symbed.language.dialects.detection import Ambiguous
from symbed.language.dialects.tool_table import TOOLS

GPLEARN = ["div(X0, X1)", "add(X0, X1)", "sqrt(X0)", "log(X1)", "inv(X1)", "sub(X1, X0)"]
OPERON = ["(0.500000 * X1)", "((-1.250000) * X2) + 0.000000", "sin((2.000000 * X1))"]
BOX = {"X0": (-1.0, 1.0), "X1": (-1.0, 1.0)}
DOMAIN = ["--domain", "X0=-1:1,X1=-1:1"]


@pytest.fixture
def gplearn_file(tmp_path: Path) -> str:
    path = tmp_path / "run.txt"
    path.write_text("\n".join(GPLEARN) + "\n")
    return str(path)


def run(capsys, *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def protected_division(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(y) > 0.001, x / y, 1.0)


class TestVerbs:
    def test_a_list_of_another_tools_texts_is_read_as_the_tool_means_them(self) -> None:
        probe = symbed.Probe(BOX)
        with pytest.warns(ReadAs, match="read as gplearn"):
            atlas = symbed.survey(GPLEARN, probe)
        x, y = probe.points.T
        assert np.allclose(atlas[0].values[:, 0], protected_division(x, y), rtol=1e-15)
        assert np.allclose(atlas[2].values[:, 0], np.sqrt(np.abs(x)), rtol=1e-15)
        assert list(atlas.labels)[:2] == ["pdiv(X0, X1)", "add(X0, X1)"]

    @pytest.mark.parametrize("verb", [symbed.pairwise, symbed.duplicates])
    def test_every_verb_on_many_reads_a_list_so(self, verb) -> None:
        with pytest.warns(ReadAs, match="read as gplearn"):
            verb(GPLEARN, probe=symbed.Probe(BOX))

    def test_one_formula_is_read_as_its_tool_means_it(self) -> None:
        with pytest.warns(ReadAs, match=r"'div\(X0, X1\)' was read as gplearn"):
            behavior = symbed.observe("div(X0, X1)", symbed.Probe.at([[1.0, 0.0]], ["X0", "X1"]))
        assert behavior.outputs.tolist() == [[1.0]]

    def test_our_own_language_is_read_without_a_word(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            symbed.survey(["C*X_0 + sqrt(X_1)", "x0*x1"], _probe("X_0", "X_1", "x0", "x1"))
            symbed.observe("sqrt(X_0)*X_1", _probe("X_0", "X_1"))

    def test_our_own_language_can_be_asked_for(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            atlas = symbed.survey(["div(X0, X1)"], symbed.Probe(BOX), dialect="infix")
        assert atlas.labels == ["div(X0, X1)"]

    def test_what_was_asked_for_stays_when_an_item_is_observed_again(self) -> None:
        probe = symbed.Probe.at([[4.0, 0.0]], ["X0", "X1"])
        atlas = symbed.survey(["div(X0, X1)"], probe, dialect="infix")
        origin = atlas[0].origin
        assert origin is not None
        assert np.isnan(origin.redrawn().values).all()  # and not gplearn's 1

    def test_two_tools_that_mean_different_things_are_an_error(self) -> None:
        with pytest.raises(ParseError, match="SRToolkit would mean"):
            symbed.survey(["log(X_0)"], _probe("X_0"))

    @pytest.mark.parametrize(
        ("text", "name", "same", "told"),
        [
            ("log(X_2)", "X_2", "ln(X_2)",
             "log is the natural logarithm here, as ProGED has it; SRToolkit's is base 10: "
             "symbed.parse(..., dialect='srtoolkit')"),
            ("sqrt(X1)", "X1", "sqrt(X1 + 0)",
             "sqrt is the plain root here, as Operon has it; gplearn's is protected: the root of "
             "|x|: symbed.parse(..., dialect='gplearn')"),
            ("log(X1)", "X1", "ln(X1)",
             "log is the natural logarithm here, as Operon has it; gplearn's is protected: ln|x|, "
             "and 0 where |x| <= 0.001: symbed.parse(..., dialect='gplearn')"),
        ],
    )  # fmt: skip
    def test_one_formula_that_a_tool_means_as_we_do_is_ours_and_the_others_are_told(
        self, text: str, name: str, same: str, told: str
    ) -> None:
        probe = _probe(name)
        with pytest.warns(ReadAs) as caught:
            behavior = symbed.observe(text, probe)
        assert [str(one.message) for one in caught] == [told]
        assert behavior.label == text
        own = symbed.observe(symbed.parse(text, [name]), probe)
        assert np.array_equal(behavior.values, own.values)
        with pytest.warns(ReadAs, match="here, as"):
            assert symbed.bed(text, same, domain={name: (1, 2)}) == 0
        with pytest.raises(ParseError, match="would mean"):
            symbed.survey([text], probe)  # a list is some tool's
        with pytest.raises(ParseError, match="would mean"):
            symbed.parse(text, dialect="auto")  # who asks for a tool gets one, or an error

    def test_one_formula_that_nobody_means_as_we_do_is_refused(self) -> None:
        error = Ambiguous("two tools")
        error.formula = "log(X_0)"
        tools = TOOLS["srtoolkit"], TOOLS["gplearn"]
        error.readings = tuple(
            zip(tools, map(symbed.parse, ("log10(x0)", "plog(x0)")), strict=True)
        )
        assert not error.note_if_ours("{}")
        error.readings += ((TOOLS["proged"], symbed.parse("ln(x0)")),)
        assert error.note_if_ours("--dialect {}") == (
            "log is the natural logarithm here, as ProGED has it; SRToolkit's is base 10: "
            "--dialect srtoolkit; gplearn's is protected: ln|x|, and 0 where |x| <= 0.001: "
            "--dialect gplearn"
        )

    def test_a_word_that_comes_after_those_looked_at_is_an_error_too(self) -> None:
        texts = [f"X_0*{k}" for k in range(5_100)] + ["log(X_0)"]
        with pytest.raises(ParseError, match="something else by 'log'"):
            symbed.survey(texts, _probe("X_0"))

    def test_names_may_count_from_0_or_1_if_the_domain_says_which(self) -> None:
        assert list(symbed.survey(["x1*x2"], _probe("x1", "x2")).labels) == ["x1*x2"]
        with pytest.raises(MissingVariable, match="'x2'"):
            symbed.survey(["x1*x2"], _probe("x0", "x1"))

    def test_a_domain_that_counts_otherwise_than_the_tool_is_an_error(self) -> None:
        with pytest.raises(ParseError, match="Operon counts variables from X1"):
            symbed.survey(["(0.5000000001 * X1)"], _probe("X0", "X1"), dialect="operon")

    def test_tables_and_columns_of_pandas_are_read(self) -> None:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"program": GPLEARN, "fitness": range(6)})
        for given in (frame, frame["program"]):
            with pytest.warns(ReadAs, match="gplearn"):
                assert len(symbed.survey(given, symbed.Probe(BOX))) == 6

    def test_tables_and_columns_of_polars_are_read(self) -> None:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"equation": ["x", "x + 1"], "loss": [0.5, 0.25]})
        atlas = symbed.survey(frame, symbed.Probe({"x": (1, 2)}))
        assert atlas.metadata["loss"].tolist() == [0.5, 0.25]
        assert len(symbed.survey(frame["equation"], symbed.Probe({"x": (1, 2)}))) == 2

    def test_paths_and_sympy_are_read_by_every_verb(self, tmp_path: Path) -> None:
        sympy = pytest.importorskip("sympy")
        x = sympy.Symbol("x")
        probe = symbed.Probe({"x": (1, 2)})
        path = tmp_path / "two.txt"
        path.write_text("x\nx + 1\n")
        assert symbed.bed(x, x + 1, domain={"x": (1, 2)}) == 1.0
        for given in (path, str(path), [x, x + 1]):
            assert symbed.pairwise(given, probe=probe).values[0, 1] == 1.0
        symbed.survey(path, probe).save(tmp_path / "two.atlas")
        assert len(symbed.duplicates(tmp_path / "two.atlas")) == 2


class TestCommands:
    @pytest.mark.parametrize("command", ["duplicates", "matrix"])
    def test_a_file_is_read_as_its_tools_and_told_once(self, capsys, gplearn_file, command) -> None:
        code, _, err = run(capsys, command, gplearn_file, *DOMAIN)
        assert code == 0
        assert err.count("read as gplearn") == 1

    def test_protected_functions_keep_their_meaning(self, capsys, gplearn_file) -> None:
        as_tool = json.loads(run(capsys, "matrix", gplearn_file, *DOMAIN, "--json")[1])
        as_ours = json.loads(
            run(capsys, "matrix", gplearn_file, *DOMAIN, "--json", "--dialect", "infix")[1]
        )
        assert as_tool["distances"] != as_ours["distances"]
        assert as_tool["labels"][0] == "pdiv(X0, X1)"

    @pytest.mark.parametrize("names", ["X0=-1:1,X1=-1:1", "x0=-1:1,x1=-1:1"])
    def test_a_tools_own_names_work_in_the_domain_as_ours_do(
        self, capsys, gplearn_file, names
    ) -> None:
        code, out, _ = run(
            capsys, "nearest", gplearn_file, "div(X0, X1)", "-k", "1", "--domain", names
        )
        assert code == 0
        assert out.split()[0] == "0"

    def test_a_query_is_read_as_the_file_is(self, capsys, gplearn_file) -> None:
        _, out, _ = run(capsys, "nearest", gplearn_file, "sqrt(X0)", "-k", "1", *DOMAIN)
        assert out.split() == ["0", "3", "sqrt(abs(X0))"]

    def test_a_query_honors_the_dialect(self, capsys, gplearn_file) -> None:
        words = ("nearest", gplearn_file, "sqrt(X0)", "-k", "1", *DOMAIN, "--dialect", "gplearn")
        assert run(capsys, *words)[1].split() == ["0", "3", "sqrt(abs(X0))"]

    def test_operons_names_and_rounding_are_known(self, capsys, tmp_path) -> None:
        path = tmp_path / "operon.txt"
        path.write_text("\n".join(OPERON))
        code, _, err = run(capsys, "duplicates", str(path), "--domain", "X1=0:1,X2=0:1")
        assert code == 0
        assert "read as operon" in err
        assert "0.000000 is a small one, not zero" in err

    def test_columns_of_other_names_need_to_be_told(self, capsys, gplearn_file) -> None:
        code, _, err = run(capsys, "duplicates", gplearn_file, "--domain", "a=0:1,b=0:1")
        assert code == 1
        assert "--variables a,b" in err
        words = ("duplicates", gplearn_file, "--domain", "a=0:1,b=0:1", "--variables", "a,b")
        assert run(capsys, *words)[0] == 0

    @pytest.mark.parametrize("command", ["distance", "decide", "relate"])
    def test_a_pasted_formula_is_read_as_its_tools_and_told(self, capsys, command) -> None:
        code, _, err = run(capsys, command, "div(X0, X1)", "X0/X1", *DOMAIN)
        assert code == 0
        assert "'div(X0, X1)' was read as gplearn" in err

    @pytest.mark.parametrize("command", ["distance", "decide"])
    def test_a_typed_formula_that_a_tool_means_as_we_do_is_ours(self, capsys, command) -> None:
        words = (command, "log(X_0)", "ln(X_0)", "--domain", "X_0=1:2")
        code, out, err = run(capsys, *words)
        assert code == 0
        assert err.count("log is the natural logarithm here, as ProGED has it; SRToolkit's is") == 1
        assert "base 10: --dialect srtoolkit\n" in err
        assert out == run(capsys, *words, "--dialect", "infix")[1]
        assert out != run(capsys, *words, "--dialect", "srtoolkit")[1]
        code, _, err = run(capsys, *words, "--dialect", "auto")
        assert code == 1
        assert "add --dialect srtoolkit or --dialect proged" in err

    def test_an_ambiguous_file_is_refused_in_the_words_of_the_command(
        self, capsys, tmp_path
    ) -> None:
        path = tmp_path / "logs.txt"
        path.write_text("log(X_0)\nX_0*C\n")
        code, _, err = run(capsys, "duplicates", str(path), "--domain", "X_0=1:2")
        assert code == 1
        assert "add --dialect srtoolkit or --dialect proged" in err

    def test_a_missing_file_is_said_before_a_missing_domain(self, capsys, tmp_path) -> None:
        code, _, err = run(capsys, "nearest", str(tmp_path / "missing.atlas"), "x")
        assert code == 1
        assert "No such file or atlas" in err
        (tmp_path / "runs.txt").write_text("x\n")
        _, _, err = run(capsys, "nearest", str(tmp_path / "run.txt"), "x")
        assert "did you mean" in err

    def test_errors_in_a_table_name_its_line(self, capsys, tmp_path) -> None:
        path = tmp_path / "t.csv"
        path.write_text('loss,equation\n1,x\n2,"x +"\n')
        _, _, err = run(capsys, "duplicates", str(path), "--domain", "x=0:1")
        assert err.startswith("symbed: line 3: ")


class TestNames:
    """One rule in every verb: a variable that is missing is an error with a suggestion."""

    def test_fit_does_not_fit_a_variable(self, capsys, tmp_path) -> None:
        path = tmp_path / "osc.csv"
        path.write_text("t,y\n0,1\n1,2\n2,1.5\n3,0.2\n")
        code, _, err = run(capsys, "fit", "A*exp(-g*x)*cos(w*x)", str(path))
        assert code == 1
        assert "'x'" in err
        assert "has only t" in err
        assert "--bounds x=low:high" in err

    def test_distance_does_not_take_variables_for_parameters(self, capsys) -> None:
        code, _, err = run(
            capsys, "distance", "a*x", "b*z", "--domain", "t=0:1", "--parameters", "1:2"
        )
        assert code == 1
        assert "--parameters x=low:high" in err

    @pytest.mark.parametrize(
        ("name", "domain", "meant"),
        [("T", "t", "t"), ("temperatur", "temperature", "temperature"), ("Mass", "mass", "mass"),
         ("velocty", "velocity", "velocity"), ("x_1", "x1", "x1"), ("tehta", "theta", "theta"),
         ("xx", "x", "x")],
    )  # fmt: skip
    def test_a_name_that_misses_a_variable_by_little_is_an_error(self, name, domain, meant) -> None:
        probe = symbed.Probe({domain: (0, 1)}, parameters=(1, 2))
        with pytest.raises(MissingVariable, match=f"did you mean '{meant}'"):
            symbed.observe(f"a*{name} + {domain}", probe)
        with pytest.raises(MissingVariable, match=f"did you mean '{meant}'"):
            symbed.survey([f"a*{name} + {domain}"], probe)

    @pytest.mark.parametrize(
        ("name", "domain"),
        [("k", "t"), ("mu", "nu"), ("eta", "beta"), ("omega0", "omega"), ("v0", "v"), ("a1", "x1"),
         ("t0", "x0"), ("tau", "t"), ("temp", "t")],
    )  # fmt: skip
    def test_other_names_are_parameters(self, name, domain) -> None:
        probe = symbed.Probe({domain: (0, 1)}, parameters=(1, 2))
        assert symbed.observe(f"{name}*{domain}", probe).n_draws == 32

    def test_a_name_that_was_given_a_range_is_a_parameter(self) -> None:
        probe = symbed.Probe({"t": (0, 1)}, parameters={"T": (1, 2)})
        assert symbed.observe("exp(-t/T)", probe).n_draws == 32


def test_formulas_read_without_a_domain_get_our_names() -> None:
    assert read_formulas(["div(X0, X1)"]).labels == ("pdiv(x0, x1)",)
    assert read_formulas(["X_0*C"]).labels == ("X_0*C",)
    assert read_formulas(["div(X0, X1)"], domain=["X0", "X1"]).labels == ("pdiv(X0, X1)",)


def _probe(*names: str) -> symbed.Probe:
    return symbed.Probe(dict.fromkeys(names, (1.0, 2.0)), parameters=(1, 2))
