"""``symbed decide E F``: whether two formulas are the same function, with the evidence."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import Any, TextIO

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import add_dialect_option, add_seconds_option, parse_domain
from symbed.cli.output import print_document, shown_progress
from symbed.errors import DataError, SymbedError

N_COLUMNS = 2  # of a file of pairs that names no columns


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E|FILE", help="a formula without parameters, or a table of pairs")
    add("f", metavar="F", nargs="?", help="another formula; left out for a table of pairs")
    add("--domain", action="append", metavar="x=-5:5", help="range of a variable; repeat")
    add("--columns", metavar="E,F", help="the two columns of the table (default: the first two)")
    add("--workers", type=int, metavar="N", help="processes for a table (default: all cores)")
    add_dialect_option(parser)
    add_seconds_option(parser)


def _run(arguments: argparse.Namespace) -> None:
    domain = parse_domain(arguments)
    seconds: dict[str, Any] = {} if arguments.seconds is None else {"seconds": arguments.seconds}
    if arguments.f is None:
        _run_pairs(arguments, domain, seconds)
        return
    from symbed.verdicts.functions.decision import decide

    e, f = read_typed(arguments, (arguments.e, arguments.f), domain)
    verdict = decide(e, f, domain, **seconds)
    if not print_document(arguments, verdict.to_dict()):
        print(verdict)


def _run_pairs(
    arguments: argparse.Namespace, domain: dict[str, tuple[float, float]], seconds: dict[str, Any]
) -> None:
    from symbed.verdicts.functions.pair_decisions import decide_pairs

    es, fs, lines = _pairs(arguments.e, arguments.columns)
    try:
        verdicts = decide_pairs(
            es, fs, domain, workers=arguments.workers, progress=shown_progress(arguments), **seconds
        )
    except SymbedError as error:
        if error.line is not None:  # of the pairs; a person looks for it in the file
            error.line = lines[error.line - 1]
        raise
    rows = [
        {"line": line, "e": e, "f": f} | verdict.to_dict()
        for line, e, f, verdict in zip(lines, es, fs, verdicts, strict=False)
    ]
    if print_document(arguments, verdicts.to_dict(), rows):
        return
    for e, f, verdict in zip(es, fs, verdicts, strict=False):
        print(f"{verdict.verdict:10} {verdict.grade:10} {e}   {f}")


def _pairs(path: str, columns: str | None) -> tuple[list[str], list[str], list[int]]:
    """The two columns of a table, and the lines of its rows."""
    from symbed._text_files import open_text
    from symbed.cli.options import parse_names

    with open_text(path) as file:
        rows, lines = _rows(file)
    names = parse_names(columns) or tuple(rows[0] if rows else ())[:N_COLUMNS]
    if len(names) != N_COLUMNS or not rows or any(name not in rows[0] for name in names):
        known = ", ".join(rows[0]) if rows else "none"
        raise DataError(f"{path} needs two columns of formulas; add --columns E,F; it has {known}")
    es, fs = ([row[name] or "" for row in rows] for name in names)
    return es, fs, lines


def _rows(file: TextIO) -> tuple[list[dict[str, str]], list[int]]:
    """The rows of a table by column, and their lines."""
    import csv

    header = file.readline()
    separator = max((",", "\t", ";"), key=header.count)
    reader = csv.DictReader(chain([header], file), delimiter=separator)
    numbered = [(row, reader.line_num) for row in reader]
    return [row for row, _ in numbered], [line for _, line in numbered]


COMMAND = Command("decide", "whether two formulas are the same function", _configure, _run)
