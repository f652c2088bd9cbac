"""``read_formulas``: every kind of source gives the same formulas, with what is known of each."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symbed
from symbed import read_formulas
from symbed.errors import DataError, ParseError, ShapeError, SymbedError

HALL_OF_FAME = """Complexity,Loss,Equation
1,5.2,"x0"
5,0.9,"(x0 * 1.98) + 0.53"
6,,"max(x0, 1)"
"""


def as_path(text: str, folder: Path) -> Path:
    path = folder / "hall_of_fame.csv"
    path.write_text(text)
    return path


def as_table(text: str, folder: Path) -> object:
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(io.StringIO(text))


def as_mapping(text: str, folder: Path) -> object:
    return {
        "Complexity": [1.0, 5.0, 6.0],
        "Loss": [5.2, 0.9, None],
        "Equation": ["x0", "(x0 * 1.98) + 0.53", "max(x0, 1)"],
    }


@pytest.mark.parametrize(
    "source_of",
    [as_path, as_table, as_mapping, lambda text, _: text, lambda text, _: io.StringIO(text)],
    ids=["path", "pandas", "mapping", "text", "file"],
)
def test_a_hall_of_fame_is_read_alike_from_every_source(source_of, tmp_path: Path) -> None:
    formulas = read_formulas(source_of(HALL_OF_FAME, tmp_path))
    assert (len(formulas), formulas.dialect) == (3, "pysr")
    assert formulas.labels == ("x0", "(x0 * 1.98) + 0.53", "max(x0, 1)")
    assert formulas[1] == symbed.parse("x0*1.98 + 0.53")
    assert formulas.losses is not None
    np.testing.assert_array_equal(formulas.losses, [5.2, 0.9, np.nan])
    assert formulas.complexities is not None
    assert formulas.complexities.tolist() == [1, 5, 6]


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("x\n# no\n\nx^2\n"))
    formulas = read_formulas("-")
    assert (formulas.labels, formulas.lines) == (("x", "x^2"), (1, 4))


def test_a_table_on_a_pipe_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.StringIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdin", Pipe(HALL_OF_FAME))
    assert read_formulas("-").lines == (2, 3, 4)


def test_lists_may_hold_anything_that_can_be_parsed() -> None:
    sympy = pytest.importorskip("sympy")
    sources = ["x + 1", ["x", "+", "C"], symbed.parse("a*x"), sympy.Symbol("x") ** 2]
    assert read_formulas(sources).labels == ("x + 1", "x + C", "a*x", "x^2")


def test_a_pandas_column_is_a_list() -> None:
    pandas = pytest.importorskip("pandas")
    assert read_formulas(pandas.Series(["x", None, "2*x"])).lines == (1, 3)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("\ufeffloss;equation\n0.5;x + 1\n", ("x + 1",)),
        ("equation\tloss\nx + 1\tnan\n", ("x + 1",)),
        ("expression\nx\n", ("x",)),
        ("# title\n\n  a*x + b \n# more\nmax(x, y)", ("a*x + b", "max(x, y)")),
    ],
)
def test_separators_marks_blank_lines_and_comments(text: str, labels: tuple[str, ...]) -> None:
    assert read_formulas(text).labels == labels


def test_the_tool_is_found_out_and_named_with_the_reason() -> None:
    formulas = read_formulas(["add(X0, 0.125)", "div(X0, X1)"], dialect="auto")
    assert (formulas.dialect, formulas.reason) == ("gplearn", "judging by words and names")
    assert formulas.labels[1] == "pdiv(x0, x1)"
    assert formulas.written[1] == "div(X0, X1)"
    assert "three decimals" in formulas.remarks[0]
    assert "PySR's columns" in read_formulas(HALL_OF_FAME, dialect="auto").reason
    with pytest.raises(ParseError, match="from 0, the other from 1"):
        read_formulas(["x1 + x2"], dialect="auto")


def test_constants_are_lifted_and_columns_named() -> None:
    formulas = read_formulas(["2.5 * X1"], dialect="operon", constants="lift", variables=["mass"])
    assert formulas.labels == ("C*mass",)


def test_what_cannot_be_read_is_told_with_its_line_or_skipped() -> None:
    text = "x\nsn(x)\nx + 1\n"
    with pytest.raises(ParseError, match="unknown function 'sn'") as caught:
        read_formulas(text)
    assert caught.value.line == 2
    formulas = read_formulas(text, errors="skip")
    assert (formulas.lines, [one.line for one in formulas.skipped]) == ((1, 3), [2])
    document = formulas.to_dict()
    assert [row["text"] for row in document["formulas"]] == ["x", "x + 1"]
    assert document["skipped"][0]["text"] == "sn(x)"


def test_a_row_of_another_length_is_told_or_filled() -> None:
    text = "loss,equation,note\n1,x\n2,x + 1,b\n"
    with pytest.raises(DataError, match="row 2 has 2 cells, the first one 3"):
        read_formulas(text)
    assert read_formulas(text, errors="skip").columns["note"] == ("", "b")


def test_a_table_in_markdown_is_a_table_and_no_list_of_magnitudes() -> None:
    text = "| Complexity | Equation |\n|---:|:---|\n| 1 | `x - 1` |\n\n| 3 | \\|x\\| |\n"
    found = read_formulas(text)
    assert found.labels == ("x - 1", "|x|")
    assert found.lines == (3, 5)
    assert found.columns["complexity"] == (1.0, 3.0)
    assert read_formulas(io.StringIO("| formula |\n| --- |\n| x - 1 |\n")).labels == ("x - 1",)
    assert read_formulas("|x| + 1\n|x - 1|\n").labels == ("|x| + 1", "|x - 1|")


def test_bullets_and_what_is_no_text_are_told_before_they_are_read() -> None:
    with pytest.raises(DataError, match="bullets of a list or minus signs"):
        read_formulas("- x + 1\n- x^2\n")
    assert read_formulas("-x + 1\n-x^2\n").labels == ("-x + 1", "-x^2")
    assert len(read_formulas("- x + 1\nx^2\n")) == 2
    assert len(read_formulas("- \\frac{x}{2}\n- x\n")) == 2
    with pytest.raises(DataError, match="is no text"):
        read_formulas(io.StringIO("\ufffdP" * 20 + "\nx\n"))


def test_a_table_in_pandas_again() -> None:
    pytest.importorskip("pandas")
    frame = read_formulas(HALL_OF_FAME).to_frame()
    assert list(frame["loss"])[:2] == [5.2, 0.9]


@pytest.mark.parametrize("text", ["\n\n", "# nothing\n", "Complexity,Loss,Equation\n"])
def test_a_source_without_formulas_is_an_error(text: str) -> None:
    with pytest.raises(DataError, match="no formulas"):
        read_formulas(text)


def test_what_is_no_source_is_told() -> None:
    with pytest.raises(ShapeError, match="got int"):
        read_formulas(3)
    with pytest.raises(FileNotFoundError):
        read_formulas("x + 1")


def test_a_plain_file_loads_no_dialect(tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "f.txt").write_text("x\nx^2\n")
    script = (
        "import sys; from symbed.cli import main\n"
        "main(['duplicates', sys.argv[1], '--domain', 'x=1:5'])\n"
        "assert not [m for m in sys.modules if m.startswith('symbed.language.dialects.')]"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "f.txt")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_survey_takes_a_path_a_table_and_formulas_with_their_columns(tmp_path: Path) -> None:
    probe = symbed.Probe({"x0": (1, 5)})
    path = as_path(HALL_OF_FAME, tmp_path)
    for source in (path, as_table(HALL_OF_FAME, tmp_path), read_formulas(path)):
        atlas = symbed.survey(source, probe)
        assert list(atlas.labels) == ["x0", "(x0 * 1.98) + 0.53", "max(x0, 1)"]
        np.testing.assert_array_equal(atlas.metadata["loss"], [5.2, 0.9, np.nan])


@pytest.mark.parametrize(
    ("name", "content", "labels", "losses"),
    [
        ("excel.csv", b"\xef\xbb\xbfequation;loss\r\nx^2;0,5\r\nsin(x);1,25\r\n",
         ("x^2", "sin(x)"), [0.5, 1.25]),
        ("unicode.txt", "equation\tloss\nx\t2\n".encode("utf-16"), ("x",), [2.0]),
        ("plain.csv", b"x^2\nsin(x)\n", ("x^2", "sin(x)"), None),
        ("lines.jsonl", b'{"equation": "x^2", "loss": 1}\n{"equation": "x", "loss": 2}\n',
         ("x^2", "x"), [1.0, 2.0]),
        ("list.json", b'["x^2", "x"]', ("x^2", "x"), None),
        ("title.csv", b"eq\nx^2\n", ("x^2",), None),
        ("no_title.csv", b"x0\nx0^2\n", ("x0", "x0^2"), None),
        ("quoted.csv", b'equation,loss\n"max(x, 1)",1\n', ("max(x, 1)",), [1.0]),
    ],
)  # fmt: skip
def test_what_other_programs_export_is_read_as_they_mean_it(
    tmp_path: Path, name, content, labels, losses
) -> None:
    (tmp_path / name).write_bytes(content)
    formulas = read_formulas(tmp_path / name)
    assert formulas.labels == labels
    assert (None if formulas.losses is None else formulas.losses.tolist()) == losses


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("twice.csv", b"equation,loss,Loss\nx,1,2\n", "two columns named 'loss'"),
        ("german.csv", b"Gleichung;Verlust\nx^2;0,5\n", "it has gleichung, verlust"),
        ("eq.csv", b"eq\nx^2\neq*x\n", "can be a formula or the name of the column"),
        ("latin.txt", b"x\xe9\n", "save the text as UTF-8"),
        ("broken.json", b"[x", "cannot be read as JSON"),
        ("number.json", b"3", "needs a list of formulas"),
        ("commas.csv", b"equation,loss\nmax(x, 1),1\n", "row 2 has 3 cells"),
    ],
)
def test_what_could_be_read_in_two_ways_is_one_clear_error(
    tmp_path: Path, name, content, said
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SymbedError, match=said):
        read_formulas(tmp_path / name)


def test_anothers_formulas_in_pysrs_columns_are_read_as_that_tools() -> None:
    table = 'equation,loss,complexity\n"div(sin(add(X0, 0.425)), X0)",0.4,8\nlog(X0),0.9,2\n'
    formulas = read_formulas(table)
    assert formulas.dialect == "gplearn"
    assert formulas.labels[1] == "plog(x0)"
    assert (
        read_formulas(
            table.replace("X0", "x0").replace('"div(sin(add(x0, 0.425)), x0)"', "x0*x1")
        ).dialect
        == "pysr"
    )


def test_formulas_with_commas_stand_below_a_lone_title() -> None:
    formulas = read_formulas('equation\nadd(X0, X1)\n"div(X0, X1)"\nX0\n')
    assert formulas.labels == ("x0 + x1", "pdiv(x0, x1)", "x0")
    assert formulas.lines == (2, 3, 4)


def test_the_paper_s_names_are_ours_until_a_word_means_something_else() -> None:
    from symbed.formula_files.dialect_choice import PAPER_CONFLICTS, is_suspicious
    from symbed.language.dialects.detection import detect_source

    plain = ["C*X_0 + sin(X_1)", "X_0^2 - X_10/sqrt(C)", "-exp(X_2)**3"]
    assert not any(map(is_suspicious, plain))
    detected = detect_source(plain)
    assert detected.is_ours
    assert tuple(detected.conflicting_words()) == PAPER_CONFLICTS
    for other in ("log(X_0)", "u- X_1", "X_0 + X1", "C_0*X_0", "x_0", "(X_0)(X_1)"):
        assert is_suspicious(other)


def test_a_word_of_other_tools_is_seen_however_late_it_comes() -> None:
    probe = symbed.Probe({"X_0": (1, 5)}, n_points=8)
    texts = [f"X_0 + {k}" for k in range(6000)]
    assert len(symbed.survey(texts, probe)) == 6000
    with pytest.raises(SymbedError, match="say whose they are"):
        symbed.survey([*texts, "log(X_0)"], probe)


PADDING = [
    f"C*y^2 + {k}.5*sin(y) - X_0" for k in range(100)
]  # so long that a quick look comes first
PIECES = (
    "x",
    "X",
    "X_",
    "_",
    "0",
    "17",
    "1.5",
    ".",
    " ",
    "  ",
    "\t",
    "\x1c",
    "(",
    ")",
    ")(",
    ") (",
)
WORDS = ("sin(", "floor(", "np", "numpy.", "math .", "const", "CONSTANT", "lambda", "Symbol", "\0")
SIGNS = (
    "+",
    "-",
    "*",
    "^",
    ",",
    "=",
    "[",
    "{",
    "\\",
    ";",
    "?",
    "é",
    "\u2009",
    "u-",
    "log",
    "return",
)


@given(st.lists(st.sampled_from(PIECES + WORDS + SIGNS), max_size=12).map("".join))
def test_the_quick_look_at_many_texts_sees_every_mark_that_is_seen_in_one(text: str) -> None:
    from symbed.formula_files.dialect_choice import has_marks, is_suspicious, joined

    alone = any(map(is_suspicious, text.split("\0")))
    assert has_marks(joined([*PADDING, *text.split("\0")])) or not alone
    # A text among others is no more suspicious than alone, but for log beside the names X_0.
    if "log" not in text and "u" not in text:
        assert has_marks(joined([*PADDING, *text.split("\0")])) == alone


def test_plain_texts_are_not_searched_for_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    from symbed.formula_files import dialect_choice

    monkeypatch.setattr(dialect_choice, "_marks_of_tools", None)  # to call it would be an error
    assert not dialect_choice.has_marks(dialect_choice.joined(PADDING))


def test_what_is_no_text_or_too_long_has_no_marks() -> None:
    from symbed.formula_files.dialect_choice import MAX_SEARCHED_TEXT, has_marks, joined

    long = "x1 + " * MAX_SEARCHED_TEXT
    assert joined(["x", ["x", "+", "1"], None, 3, "x"]) == "x"
    assert not has_marks(joined([*PADDING, long]))
    assert has_marks(joined([*PADDING, long, "x1"]))


@pytest.mark.parametrize("kind", ["list", "iterator", "file", "with tokens"])
@pytest.mark.parametrize("place", [0, 1, 2047, 2048, 5999])
def test_a_late_word_of_other_tools_is_seen_in_every_kind_of_source(
    tmp_path: Path, kind: str, place: int
) -> None:
    probe = symbed.Probe({"X_0": (1, 5)}, n_points=8)
    texts: list[object] = [f"X_0 + {k}" for k in range(6000)]
    texts[place] = "2*log (X_0)"
    if kind == "file":
        path = tmp_path / "formulas.txt"
        path.write_text("\n".join(map(str, texts)))
        source: object = path
    elif kind == "with tokens":
        source = [*texts, ["X_0", "+", "1"]]
    else:
        source = texts if kind == "list" else iter(texts)
    with pytest.raises(SymbedError, match=r"log is base 10 for one|something else by 'log'"):
        symbed.survey(source, probe)  # type: ignore[arg-type]


def test_a_word_that_only_later_formulas_have_is_an_error_of_its_line() -> None:
    probe = symbed.Probe({"X_0": (1, 5)}, n_points=8)
    texts = [f"X_0 + {k}" for k in range(6000)]
    atlas = symbed.survey([*texts, "log(X_0)", "X_0"], probe, errors="skip")
    assert [one.line for one in atlas.skipped] == [6001]
    assert len(atlas) == 6001


def test_a_name_that_ends_like_a_watched_word_is_a_name() -> None:
    probe = symbed.Probe({"X_0": (1, 5)}, parameters=(1, 2), n_points=8, n_draws=4)
    texts = [f"X_0 + {k}" for k in range(6000)]
    atlas = symbed.survey([*texts, "catalog*X_0"], probe)
    assert len(atlas) == 6001
    assert not atlas.skipped
