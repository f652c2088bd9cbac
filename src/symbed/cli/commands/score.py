"""``symbed score RUN``: did a run find the law? Also for the result files of benchmarks."""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.options import add_plot_options, parse_domain, parse_names
from symbed.cli.output import draw, print_csv, print_json, shown_progress
from symbed.errors import DataError, RangeError

if TYPE_CHECKING:
    from symbed.scoring.result_files.judged_results import JudgedResults, JudgedRow
    from symbed.scoring.run_score import Score
    from symbed.scoring.scored_formula import ScoredFormula

MOST_TOLD = 20  # rows of a kind that are told one by one; tables and JSON have all of them
MOST_NAMED = 3  # spare terms of a formula; a bloated one has dozens
WIDEST = 100  # characters of a formula on screen
NUMBER_OPTIONS = ("target", "data", "values", "variables")


def configure_score(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed score``."""
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
    add("--workers", type=int, metavar="N", help="processes for result files (default: all cores)")
    add("--csv", action="store_true", help="print the table as CSV, rows as they are finished")
    add_plot_options(parser, "error against size, marked by relation")


def run_score(arguments: argparse.Namespace) -> None:
    """Judge the formulas of a run, or the result files of a benchmark."""
    runs = [word.strip() for word in arguments.runs]
    domain = parse_domain(arguments) if arguments.domain else None
    missing = [word for word in runs if len(runs) > 1 and not Path(word).exists()]
    if missing:
        raise DataError(f"{missing[0]}: no such file; several runs must be files or folders")
    if len(runs) == 1 and arguments.truth:
        _score_run(arguments, runs[0], domain)
    elif len(runs) == 1 and not Path(runs[0]).exists() and runs[0] != "-":
        raise DataError(
            f"{runs[0]}: no such file; to score a formula give --truth and --domain x=low:high"
        )
    else:
        _judge_files(arguments, runs, domain)


def _score_run(arguments: argparse.Namespace, run: str, domain: Any) -> None:
    from symbed.scoring.run_score import score

    source: Any = run
    if run != "-" and Path(run).is_dir():
        from symbed.scoring.result_files.result_file_reader import hall_of_fame

        source = hall_of_fame(run)
    judged = score(
        source, arguments.truth, domain,
        data=arguments.data, target=_target(arguments.target), values=_values(arguments.values),
        noise=arguments.noise, dialect=arguments.dialect,
        variables=parse_names(arguments.variables), progress=shown_progress(arguments),
        seconds=arguments.seconds,
    )  # fmt: skip
    _tell_run(judged)
    if arguments.json:
        print_json(judged.to_dict())
    elif arguments.csv:
        columns = judged.to_columns()
        print_csv([dict(zip(columns, cells, strict=True))
                   for cells in zip(*columns.values(), strict=True)])  # fmt: skip
    else:
        _print_run(judged)
    draw(arguments, lambda plots: plots.scored(judged))
    if not judged.is_complete:
        _tell(f"{len(judged.rows) + len(judged.unread)} of {judged.n_expected} formulas judged")
        raise KeyboardInterrupt


def _tell_run(judged: Score) -> None:
    """What was assumed, and what could not be read, on stderr."""
    _tell(f"read as {judged.dialect}")
    if judged.parameters:
        _tell(f"free parameters of the truth: {', '.join(dict.fromkeys(judged.parameters))}")
    for one in judged.unread[:MOST_TOLD]:
        _tell(f"line {one.line} not read: {str(one.error).splitlines()[0]}")
    if len(judged.unread) > MOST_TOLD:
        _tell(f"{len(judged.unread) - MOST_TOLD} more lines not read")


def _print_run(judged: Score) -> None:
    if not judged.rows:
        raise DataError("no formula of the run could be read")
    print("true form?   relation   to truth from truth  error    size par. line formula")
    for row in judged.ranked:
        print(
            f"{row.true_form:12} {row.relation:9} "
            f"{_short(row.form.to_truth):>9} {_short(row.form.from_truth):>10} "
            f"{_short(row.function):>8} {row.size:5} {row.n_effective:4} {row.line:4} "
            f"{_cut(row.text)}"
        )
        for note in _notes(row):
            print(f"      {note}")
    print(judged.appearance)
    if any(row.may_be_right for row in judged.rows) and not judged.has_true_constants:
        print("a special case is right if the true constants are its own: --values or --data tell")


def _notes(row: ScoredFormula) -> list[str]:
    notes = []
    if row.verdict not in ("the true form", "another form"):
        notes.append(row.verdict)
    if row.dropped:
        named = [str(term) for term in row.dropped[:MOST_NAMED]]
        if len(row.dropped) > MOST_NAMED:
            named.append(f"{len(row.dropped) - MOST_NAMED} more terms too")
        notes.append(f"{'; '.join(named)}; then it is {_cut(str(row.kept))}")
    if len(set(row.readings.values())) > 1:
        notes.append("; ".join(f"{name}: {relation}" for name, relation in row.readings.items()))
    return notes


def _judge_files(arguments: argparse.Namespace, runs: list[str], domain: Any) -> None:
    from symbed.scoring.result_files.result_file_reader import read_result_file
    from symbed.scoring.result_files.results_judging import judge_results

    given = [f"--{name}" for name in NUMBER_OPTIONS if getattr(arguments, name)]
    if given:
        raise RangeError(f"{given[0]} is for one run with --truth, not for result files")
    files = [read_result_file(path) for path in runs]
    for file in files:
        _tell(f"{file.path}: {len(file.rows)} rows, read as {file.format}")
    stream = _CsvStream(files) if arguments.csv and not arguments.json else None
    judged = judge_results(
        files, truth=arguments.truth, domain=domain, noise=arguments.noise,
        workers=arguments.workers, progress=shown_progress(arguments),
        finished=None if stream is None else stream.write, seconds=arguments.seconds,
    )  # fmt: skip
    if judged.rows and len(judged.unjudged) == judged.n_expected:
        raise DataError(f"no row could be judged: {judged.rows[0].problem}")
    if arguments.json:
        print_json(judged.to_dict())
    elif stream is None:
        _print_files(judged)
    draw(arguments, lambda plots: plots.scored(judged))
    if not judged.is_complete:
        _tell(f"{len(judged.rows):,} of {judged.n_expected:,} rows judged")
        raise KeyboardInterrupt


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
    print(f"{summary['rows']:,} rows, {summary['right']:,} with the true form")
    for verdict, count in summary["verdicts"].items():
        print(f"  {count:6,}  {verdict}")
    for source, count in summary["domains"].items():
        print(f"domain of {count:,} rows from {source}")
    if summary["they_say"]:
        print(
            f"the files accept {summary['they_accept']:,}; we agree on {summary['agree']:,} of "
            f"{summary['they_say']:,} rows"
        )
        _print_rows("they accept, we reject", judged.rejected)
        _print_rows("they reject, we accept", judged.accepted)
    else:
        _print_rows("the true form", tuple(row for row in judged.rows if row.is_right))
    _print_rows("not judged", tuple(row for row in judged.unjudged if not row.disagrees))


def _print_rows(title: str, rows: tuple[JudgedRow, ...]) -> None:
    if not rows:
        return
    print(f"{title}: {len(rows):,}")
    for row in rows[:MOST_TOLD]:
        place = f"{Path(row.result.file).name}:{row.result.line}"
        print(f"  {place} {row.result.problem}  {_cut(str(row.result.formula))}")
        print(f"      {row.verdict}: {row.evidence}")
    if len(rows) > MOST_TOLD:
        print(f"  and {len(rows) - MOST_TOLD:,} more; --csv and --json have all")


def _target(given: str | None) -> str | int:
    if given is None:
        return -1
    return int(given) if given.strip().lstrip("-").isdecimal() else given.strip()


def _values(given: str | None) -> Mapping[str, float] | None:
    if given is None:
        return None
    values = {}
    for word in given.split(","):
        name, equals, number = word.partition("=")
        try:
            values[name.strip()] = float(number)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise RangeError(f"--values needs name=number, such as A=2,g=0.3, got {word!r}")
    return values


def _tell(sentence: str) -> None:
    print(f"symbed: {sentence}", file=sys.stderr)


def _short(number: float) -> str:
    if math.isnan(number):
        return "-"
    return "0" if abs(number) < 1e-12 else f"{number:.3g}"


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."
