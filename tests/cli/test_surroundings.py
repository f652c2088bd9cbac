"""Commands in odd surroundings: readers that go, narrow encodings, full disks, files of others."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FORMULAS = "a*x\nsin(x)\n\N{LATIN SMALL LETTER U WITH DIAERESIS}*x\nx + 1.5\n"
DOMAIN = ["--domain", "x=1:5"]
RANGES = [*DOMAIN, "--parameters", "1:5"]
NARROW = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ESCAPED = "\\xfc*x"
HUGE = 100_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("formulas.txt").write_text(FORMULAS, encoding="utf-8")
    return tmp_path


def symbed(*words: str, **how: object) -> subprocess.CompletedProcess[bytes]:
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    settings["env"] = {**os.environ, **settings.get("env", {})}  # type: ignore[dict-item]
    return subprocess.run([sys.executable, "-m", "symbed", *words], timeout=60, **settings)  # type: ignore[call-overload, no-any-return]


def in_one_line(done: subprocess.CompletedProcess[bytes], said: str) -> bool:
    lines = done.stderr.decode().splitlines()
    complaints = [line for line in lines if "read as" not in line]
    return done.returncode == 1 and len(complaints) == 1 and said in complaints[0]


@pytest.mark.parametrize(
    "words",
    [
        ["sample", "-n", "20000"],
        ["matrix", "formulas.txt", *RANGES, "--csv"],
        ["distance", "--help"],
    ],
)
def test_a_reader_that_goes_is_no_error(words: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "symbed", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1)
        process.stdout.close()
        told = process.stderr.read().splitlines()
    assert all(line.startswith(b"symbed: free parameters: ") for line in told)
    assert process.returncode == 0


def test_closed_streams_are_no_error() -> None:
    command = [sys.executable, "-m", "symbed", "distance", "a*x", "x", *RANGES]
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *command], capture_output=True, timeout=60
        )
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr


def test_closed_standard_input_has_no_formulas() -> None:
    command = [sys.executable, "-m", "symbed", "duplicates", "-", *RANGES]
    done = subprocess.run(["sh", "-c", '"$@" <&-', "sh", *command], capture_output=True, timeout=60)
    assert in_one_line(done, "no expression was given")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
@pytest.mark.parametrize(
    "words",
    [
        ["distance", "a*x", "x", *RANGES],
        ["distance", "a*x", "x", *RANGES, "--json"],
        ["matrix", "formulas.txt", *RANGES, "--csv"],
        ["sample", "-n", "10"],
    ],
)
def test_output_that_finds_no_room_is_told_in_one_line(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        assert in_one_line(symbed(*words, stdout=full), "the output: No space left on device")


@pytest.mark.parametrize("env", [NARROW, {"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX"}])
@pytest.mark.parametrize("how", [["--csv"], ["--json"], []])
def test_letters_that_the_terminal_lacks_are_escaped(env: dict[str, str], how: list[str]) -> None:
    done = symbed("matrix", "formulas.txt", *RANGES, *how, env=env)
    assert done.returncode == 0, done.stderr
    wide = symbed("matrix", "formulas.txt", *RANGES, *how, env={"PYTHONIOENCODING": "utf-8"})
    assert len(done.stdout.splitlines()) == len(wide.stdout.splitlines())


def test_errors_about_letters_that_the_terminal_lacks_are_told() -> None:
    done = symbed(
        "distance", "\N{LATIN SMALL LETTER U WITH DIAERESIS}(x)", "x", *RANGES, env=NARROW
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("piped", [False, True])
def test_text_files_of_other_systems_are_read(encoding: str, piped: bool) -> None:
    mark = "\N{BYTE ORDER MARK}" if encoding[-2:] in ("le", "be") else ""
    content = (mark + FORMULAS.replace("\n", "\r\n")).encode(encoding)
    Path("other.txt").write_bytes(content)
    name = "-" if piped else "other.txt"
    done = symbed("matrix", name, *RANGES, "--csv", input=content if piped else None)
    assert done.stdout == symbed("matrix", "formulas.txt", *RANGES, "--csv").stdout


@pytest.mark.parametrize("piped", [False, True])
def test_text_that_is_no_utf8_is_told_with_its_line(piped: bool) -> None:
    content = FORMULAS.encode("latin-1")
    Path("other.txt").write_bytes(content)
    name = "-" if piped else "other.txt"
    done = symbed("duplicates", name, *RANGES, input=content if piped else None)
    assert in_one_line(done, "line 3: ")
    assert b"save the text as UTF-8" in done.stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a*x\nx\0+1\n", "line 2: unexpected character U+0000"),
        (b"a*x\n" + b"x+" * (HUGE // 2) + b"x\n", "line 2: bytes of text in one expression"),
        (b"equation,loss\na*x,1\n" + b"x" * HUGE + b",2\n", "row 3 cannot be read: field larger"),
        (b"\0" * HUGE, "line 1: bytes of text in one expression"),
    ],
    ids=["NUL", "a sum of 100 MB", "a cell of 100 MB", "100 MB of NUL"],
)
def test_lines_that_are_no_formulas_are_told_soon(content: bytes, said: str) -> None:
    Path("other.csv" if b"loss" in content[:20] else "other.txt").write_bytes(content)
    name = next(Path().glob("other.*")).name
    assert in_one_line(symbed("duplicates", name, *RANGES), said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["survey", "formulas.txt", *RANGES, "-o", "formulas.txt/atlas"], "Not a directory"),
        (["matrix", "formulas.txt", *RANGES, "-o", "formulas.txt/m.csv"], "Not a directory"),
        (["matrix", "folder", *RANGES], "is no atlas"),
        (["duplicates", "formulas.txt/none", *RANGES], "No such file"),
        (["fit", "a*x", "folder"], "folder"),
    ],
)
def test_paths_that_cannot_be_used_are_named(words: list[str], said: str) -> None:
    Path("folder").mkdir()
    assert in_one_line(symbed(*words), said)


def test_turkish_letters_and_decimal_commas_change_nothing() -> None:
    """There ``"I".lower()`` of C is a dotless i, and 1.5 is written 1,5."""
    if shutil.which("localedef"):
        subprocess.run(
            ["localedef", "-i", "tr_TR", "-f", "UTF-8", "./tr_TR.UTF-8"], capture_output=True
        )
    script = (
        "import locale, sys\n"
        "try: locale.setlocale(locale.LC_ALL, '')\n"
        "except locale.Error: pass\n"
        "from symbed.cli import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    Path("titles.csv").write_text('COMPLEXITY,LOSS,EQUATION\n1,0.5,"min(X0, 1.5)"\n3,0.25,1.5*X0\n')
    words = ["duplicates", "titles.csv", "--domain", "X0=1:5", "--csv"]
    said = [
        subprocess.run(
            [sys.executable, "-c", script, *words],
            capture_output=True, timeout=60,
            env={**os.environ, "LOCPATH": os.getcwd(), "LC_ALL": name},
        )
        for name in ("C.UTF-8", "tr_TR.UTF-8")
    ]  # fmt: skip
    assert said[0].returncode == 0, said[0].stderr
    assert said[0].stdout == said[1].stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--foo"], "unknown word --foo (symbed --help tells more)"),
        (["distance"], "missing: E, F (symbed distance --help tells more)"),
        (["distance", "--domian", "x=0:1"], "unknown option --domian; did you mean --domain?"),
        (["score", "f.csv", "--domain", "X0=0:6", "X1=0:1"], "each value: --domain X1=0:1"),
        (["matrix", "--domain=x=0:6", "y=-1:1"], "each value: --domain y=-1:1"),
        (["fit", "a*x", "f.csv", "--bounds", "a=0:6", "b=0:1"], "each value: --bounds b=0:1"),
        (["show", "x", "--define", "f(x) = x", "g(x) = x"], "each value: --define g(x) = x"),
        (["score", "f.csv", "--truth", "x", "y", "--seconds", "1"], "unknown word y (symbed"),
        (["sample", "-Z"], "unknown word -Z (symbed sample --help tells more)"),
        (["completion", "-Z"], "invalid choice: '-Z'"),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], said: str) -> None:
    done = symbed(*words)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert said in done.stderr.decode()


LONG = f"x*1.{'0' * 300}"  # more letters than the name of a file may have


@pytest.mark.parametrize(
    "words",
    [
        ["convert", LONG],
        ["relate", "a*x", LONG, *DOMAIN],
        ["score", LONG, "--truth", "a*x", *DOMAIN],
    ],
)
def test_a_long_formula_is_no_file_with_too_long_a_name(words: list[str]) -> None:
    assert symbed(*words).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["convert", "missing.txt"], "No such file: missing.txt"),
        (["relate", "a*x", "formula.txt", *DOMAIN], "did you mean formulas.txt?"),
        (["score", "missing.csv", "--truth", "a*x", *DOMAIN], "No such file: missing.csv"),
        (["distance", "formulas.txt", "x", *DOMAIN], "formulas.txt is a file; here a formula"),
        (["decide", "x + 1", *DOMAIN], "give a second formula, or a table"),
        (["decide", "blank.csv", *DOMAIN], "needs two columns of formulas"),
        (["decide", "header.csv", *DOMAIN], "has no pairs below its header"),
        (["decide", "header.csv", *DOMAIN, "--define", "f(x) = x"], "are for two formulas"),
        (["matrix", "", *DOMAIN], "No such file or atlas: ''"),
        (["sample", "--grammar", ""], "'': No such file"),
        (["convert", "1e400*x", "--from", "infix"], "write a power, such as 10^400"),
        (["convert", "broken.txt", "--from", "infix"], "line 2: a value is missing"),
        (["cluster", "formulas.txt", *RANGES, "-n", "0"], "-n must be between 1 and"),
    ],
)
def test_what_is_no_file_no_table_or_no_number_is_one_line(words: list[str], said: str) -> None:
    Path("blank.csv").write_text("\n\n# nothing\n")
    Path("header.csv").write_text("e,f\n")
    Path("broken.txt").write_text("x\nx +\n")
    done = symbed(*words)
    assert done.returncode == 1
    assert done.stderr.decode().count("\n") == 1
    assert said in done.stderr.decode()


def test_data_are_read_from_a_pipe() -> None:
    done = symbed("fit", "a*x", "-", "--json", input=b"x,y\n1,2\n2,4\n3,6\n")
    assert json.loads(done.stdout)["values"] == {"a": pytest.approx(2.0)}


@pytest.mark.skipif(os.name == "nt", reason="closed streams are those of POSIX shells")
def test_closed_streams_get_nothing_and_break_nothing() -> None:
    command = shlex.join([sys.executable, "-m", "symbed", "matrix", "formulas.txt", *RANGES])
    for closed, lines in ((">&-", 0), ("2>&-", 1 + len(FORMULAS.splitlines()))):
        done = subprocess.run(f"{command} {closed}", shell=True, capture_output=True)
        assert done.returncode == 0
        assert done.stdout.count(b"\n") == lines  # nothing of what goes to stderr


def test_letters_of_a_command_are_read_where_the_locale_has_none() -> None:
    done = symbed("show", "\N{GREEK SMALL LETTER ALPHA}*x", env=NARROW)
    assert done.stdout.startswith(b"text        \\u03b1*x")
