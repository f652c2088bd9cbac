"""``symbed score RUN``: did a run find the law? Also for the result files of benchmarks."""

from __future__ import annotations

import argparse
import csv
import math
import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli._inputs import is_file
from symbed.cli.options import add_plot_options, parse_column, parse_domain, parse_names
from symbed.cli.output import draw, print_document, print_json, shown_progress, tell
from symbed.errors import DataError, RangeError

if TYPE_CHECKING:
    from symbed.scoring.result_files.judged_results import JudgedResults, JudgedRow
    from symbed.scoring.result_files.result_rows import ResultFile
    from symbed.scoring.scores import Score, ScoredFormula

MAX_ROWS_TOLD = 20  # of a kind, one by one; tables and JSON have all of them
MAX_TERMS_NAMED = 3  # spare terms of a formula; a bloated one has dozens
MAX_FILES_TOLD = 5  # one by one; benchmarks write one for each run
MAX_FORMULA_WIDTH = 100  # characters of a formula on screen
TABLE_WIDTH = 110  # columns of a terminal that has room for a formula behind its numbers
ONE_RUN_OPTIONS = ("target", "data", "values", "variables")


def configure_score(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "runs", metavar="RUN", nargs="+",
        help="a formula, a file of formulas, the folder of a run, or a benchmark's result files",
    )  # fmt: skip
    add(
        "--truth", metavar="E",
        help="the true form, such as 'A*exp(-g*t)', or the true formula; result files that name "
        "their truths or problems need none",
    )  # fmt: skip
    add(
        "--domain", action="append", metavar="t=0:8",
        help="range of a variable; repeat, or commas (default: the data's, or the problem's)",
    )  # fmt: skip
    add("--data", metavar="FILE", help="samples, to tell errors and noise on them")
    add("--target", metavar="y", help="the column of the samples to predict (default: the last)")
    add("--values", metavar="A=2,g=0.3", help="true values of the truth's parameters")
    add(
        "--noise", type=float, metavar="S",
        help="noise of what the run was fitted to, by the spread of the outputs",
    )  # fmt: skip
    add(
        "--dialect", "--from", default="auto", metavar="NAME",
        help="whose formulas these are (default: find out)",
    )  # fmt: skip
    add("--variables", metavar="x,y", help="names of the tool's numbered variables, in their order")
    add(
        "--seconds", type=float, default=5.0, metavar="S",
        help="how long to search for one relation (default: 5)",
    )  # fmt: skip
    add(
        "--columns", metavar="formula=NAME,truth=NAME",
        help="which column of result files is the formula, truth, problem, noise or verdict "
        "(default: by their names)",
    )  # fmt: skip
    add("--workers", type=int, metavar="N", help="processes for result files (default: all cores)")
    add("--csv", action="store_true", help="print the table as CSV, rows as they are finished")
    add_plot_options(parser, "error against size, marked by relation")


def run_score(arguments: argparse.Namespace) -> None:
    """Judge the formulas of a run, or the result files of a benchmark."""
    runs = [word.strip() for word in arguments.runs]
    domain = parse_domain(arguments) if arguments.domain else None
    missing = [word for word in runs if len(runs) > 1 and not os.path.exists(word)]
    if missing:
        raise DataError(f"{missing[0]}: no such file; several runs must be files or folders")
    if len(runs) == 1 and arguments.truth and not _holds_many_runs(runs[0]):
        is_file(runs[0])  # tells of a path that is none
        _score_run(arguments, runs[0], domain)
    elif len(runs) == 1 and not os.path.exists(runs[0]) and runs[0] != "-":
        raise DataError(
            f"{runs[0]}: no such file; to score a formula give --truth and --domain x=low:high"
        )
    else:
        _judge_files(arguments, runs, domain)


def _holds_many_runs(run: str) -> bool:
    """Whether a folder has other result files than the one table of a run of PySR."""
    if not os.path.isdir(run):
        return False
    from symbed.scoring.result_files.result_file_reader import halls_of_fame

    return len(halls_of_fame(run)) != 1


def _score_run(arguments: argparse.Namespace, run: str, domain: Any) -> None:
    from symbed.scoring.run_score import score

    source, dialect = _run_source(arguments, run)
    judged = score(
        source, arguments.truth, domain, data=arguments.data,
        target=parse_column(arguments.target), values=_values(arguments.values),
        noise=arguments.noise, dialect=dialect, variables=parse_names(arguments.variables),
        progress=shown_progress(arguments), seconds=arguments.seconds,
    )  # fmt: skip
    _tell_run(judged)
    columns = judged.to_columns()
    rows = zip(*columns.values(), strict=True)
    table = [dict(zip(columns, cells, strict=True)) for cells in rows]
    if not print_document(arguments, judged.to_dict(), table):
        _print_run(judged)
    draw(arguments, lambda plots: plots.scored(judged))
    if not judged.is_complete:
        tell(f"{len(judged.rows) + len(judged.unread)} of {judged.n_expected} formulas judged")
        raise KeyboardInterrupt


def _run_source(arguments: argparse.Namespace, run: str) -> tuple[Any, str]:
    """What ``score`` reads of a run, and whose formulas they are."""
    from symbed.scoring.result_files import result_file_reader as reader

    if run == "-" or not os.path.exists(run):
        return run, arguments.dialect
    if os.path.isdir(run):
        return reader.halls_of_fame(run)[0], arguments.dialect
    reader.result_text(run)  # what is no text is an error at once
    try:
        file = reader.read_result_file(run, _columns(arguments.columns))
    except DataError:
        if arguments.columns:
            raise
        return run, arguments.dialect  # a list of another shape, which `read_formulas` knows
    rows = [row for row in file.rows if row.formula is not None]
    if not rows:
        raise DataError(f"{run}: no row has a formula")
    if reader.is_plain(file):
        return run, arguments.dialect
    tell(f"{run}: read as {file.format}")
    table: dict[str, list[Any]] = {"equation": [row.formula for row in rows]}
    for name in ("loss", "complexity"):
        if all(name in row.columns for row in rows):
            table[name] = [float(row.columns[name]) for row in rows]
    own = {row.dialect for row in rows} - {"auto"}
    is_theirs = arguments.dialect == "auto" and len(own) == 1
    return table, own.pop() if is_theirs else arguments.dialect


def _tell_run(judged: Score) -> None:
    """What was assumed, and what could not be read, on stderr."""
    tell(f"read as {judged.dialect}")
    if judged.parameters:
        tell(f"free parameters of the truth: {', '.join(dict.fromkeys(judged.parameters))}")
    for one in judged.unread[:MAX_ROWS_TOLD]:
        tell(f"line {one.line} not read: {str(one.error).splitlines()[0]}")
    if len(judged.unread) > MAX_ROWS_TOLD:
        tell(f"{len(judged.unread) - MAX_ROWS_TOLD} more lines not read")


def _print_run(judged: Score) -> None:
    if not judged.rows:
        raise DataError("no formula of the run could be read")
    is_narrow = (_width() or TABLE_WIDTH) < TABLE_WIDTH  # formulas stand below their numbers
    head = "true form?   relation   to truth from truth  error    size par. line"
    print(head if is_narrow else f"{head} formula")
    for row in judged.ranked:
        numbers = (
            f"{row.true_form:12} {row.relation:9} "
            f"{_short(row.form.to_truth):>9} {_short(row.form.from_truth):>10} "
            f"{_short(row.function):>8} {row.size:5} {row.n_effective:4} {row.line:4}"
        )
        print(numbers if is_narrow else f"{numbers} {_cut(row.text)}")
        for note in [_cut(row.text)] * is_narrow + _notes(row):
            _print_folded(f"      {note}")
    print(judged.appearance)
    if any(row.may_be_right for row in judged.rows) and not judged.has_true_constants:
        print("a special case is right if the true constants are its own: --values or --data tell")


def _notes(row: ScoredFormula) -> list[str]:
    notes = []
    if row.verdict not in ("the true form", "another form"):
        notes.append(row.verdict)
    if row.dropped:
        named = [str(term) for term in row.dropped[:MAX_TERMS_NAMED]]
        if len(row.dropped) > MAX_TERMS_NAMED:
            named.append(f"{len(row.dropped) - MAX_TERMS_NAMED} more terms too")
        notes.append(f"{'; '.join(named)}; then it is {_cut(str(row.kept))}")
    if len(set(row.readings.values())) > 1:
        notes.append("; ".join(f"{name}: {relation}" for name, relation in row.readings.items()))
    return notes


def _judge_files(arguments: argparse.Namespace, runs: list[str], domain: Any) -> None:
    from symbed.scoring.result_files.result_file_reader import read_results
    from symbed.scoring.result_files.results_judging import judge_results

    misplaced = [f"--{name}" for name in ONE_RUN_OPTIONS if getattr(arguments, name)]
    if misplaced:
        raise RangeError(f"{misplaced[0]} is for one run with --truth, not for result files")
    files, left_out = read_results(runs, _columns(arguments.columns))
    _tell_files(files)
    for path, reason in list(left_out.items())[:MAX_ROWS_TOLD]:
        tell(f"{path}: left out: {reason}")
    if len(left_out) > MAX_ROWS_TOLD:
        tell(f"{len(left_out) - MAX_ROWS_TOLD} more files left out")
    stream = _CsvStream(files) if arguments.csv and not arguments.json else None
    judged = judge_results(
        files, truth=arguments.truth, domain=domain, noise=arguments.noise,
        workers=arguments.workers, progress=shown_progress(arguments),
        finished=None if stream is None else stream.write, seconds=arguments.seconds,
    )  # fmt: skip
    if judged.rows and len(judged.unjudged) == judged.n_expected:
        error = DataError(f"no row could be judged: {judged.rows[0].problem}")
        error.in_command = str(error)  # rows say what helps in the words of commands
        raise error
    if arguments.json:
        print_json(judged.to_dict())
    elif stream is None:
        _print_files(judged)
    draw(arguments, lambda plots: plots.scored(judged))
    if not judged.is_complete:
        tell(f"{len(judged.rows):,} of {judged.n_expected:,} rows judged")
        raise KeyboardInterrupt


def _tell_files(files: list[ResultFile]) -> None:
    """What each file was read as; many of them together."""
    if len(files) <= MAX_FILES_TOLD:
        for file in files:
            tell(f"{file.path}: {_counted(len(file.rows), 'row')}, read as {file.format}")
        return
    for kind, count in Counter(file.format for file in files).items():
        n_rows = sum(len(file.rows) for file in files if file.format == kind)
        tell(f"{_counted(count, 'file')}, {_counted(n_rows, 'row')}, read as {kind}")


class _CsvStream:
    """Their table with our columns, row by row: what was finished is there if the rest never is."""

    def __init__(self, files: list[Any]) -> None:
        self._names = dict.fromkeys(
            name for file in files for row in file.rows for name in row.columns
        )
        self._has_files = len(files) > 1
        self._writer: csv.DictWriter[str] | None = None

    def write(self, row: JudgedRow) -> None:
        cells = {**dict.fromkeys(self._names), **row.result.columns, **row.to_columns()}
        if self._has_files:
            cells = {"file": row.result.file, **cells}
        if self._writer is None:
            self._writer = csv.DictWriter(sys.stdout, list(cells), lineterminator="\n")
            self._writer.writeheader()
        self._writer.writerow(cells)
        sys.stdout.flush()


def _print_files(judged: JudgedResults) -> None:
    summary = judged.summary()
    print(f"{_counted(summary['rows'], 'row')}, {summary['right']:,} with the true form")
    for verdict, count in summary["verdicts"].items():
        print(f"  {count:6,}  {verdict}")
    for source, count in summary["domains"].items():
        print(f"domain of {_counted(count, 'row')} from {source}")
    if summary["they_say"]:
        print(
            f"the files accept {summary['they_accept']:,}; we agree on {summary['agree']:,} of "
            f"{summary['they_say']:,} rows"
        )
    right = [] if summary["they_say"] else [row for row in judged.rows if row.is_right]
    kinds = {
        "they accept, we reject": judged.rejected,
        "they reject, we accept": judged.accepted,
        "the true form": right,
        "not judged": [row for row in judged.unjudged if not row.disagrees],
    }
    for title, rows in kinds.items():
        if rows:
            _print_rows(title, rows, is_one_file=len(judged.formats) == 1)


def _print_rows(title: str, rows: Sequence[JudgedRow], *, is_one_file: bool) -> None:
    print(f"{title}: {len(rows):,}")
    for row in rows[:MAX_ROWS_TOLD]:
        line, name = row.result.line, Path(row.result.file).name
        place = f"line {line}" if is_one_file else f"{name}:{line}"
        formula = " ".join(str(row.result.formula).split())  # programs have lines
        _print_folded(f"  {' '.join(filter(None, (place, row.result.problem)))}  {_cut(formula)}")
        _print_folded(f"      {row.verdict}: {row.evidence}")
    if len(rows) > MAX_ROWS_TOLD:
        print(f"  and {len(rows) - MAX_ROWS_TOLD:,} more; --csv and --json have all")


def _values(words: str | None) -> Mapping[str, float] | None:
    if words is None:
        return None
    values = {}
    for word in words.split(","):
        name, equals, number = word.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise RangeError(f"--values needs name=number, such as A=2,g=0.3, got {word!r}")
    return values


def _columns(words: str | None) -> Mapping[str, str] | None:
    if words is None:
        return None
    pairs = [word.partition("=") for word in words.split(",")]
    if not all(equals and name.strip() for _, equals, name in pairs):
        raise RangeError(f"--columns needs role=name, such as formula=best,truth=y, got {words!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def _width() -> int | None:
    """The columns of the terminal; None where no terminal reads along."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _print_folded(line: str) -> None:
    """A line, folded on a terminal below its own beginning: in a pipe a line stays one."""
    width = _width()
    if width is None or len(line) <= width:
        print(line)
        return
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    print(*textwrap.wrap(line, max(width, 40), subsequent_indent=indent), sep="\n")


def _short(number: float) -> str:
    if math.isnan(number):
        return "-"
    return "0" if abs(number) < 1e-12 else f"{number:.3g}"


def _cut(text: str) -> str:
    return text if len(text) <= MAX_FORMULA_WIDTH else text[: MAX_FORMULA_WIDTH - 3] + "..."
