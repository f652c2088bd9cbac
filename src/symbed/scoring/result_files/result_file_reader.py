"""Reads the result files of benchmarks and tools, each told by what is in it.

SRBench's tables and JSON files, LLM-SRBench's and LLM-SR's JSON, SRToolkit's ``exp_{seed}.json``,
E2E's and TPSR's tables, AI Feynman's ``solution_*.txt``, the folder of a run of PySR, plain tables
and lists of formulas. Nothing of a file is ever run, and what cannot be told is an error that says
what would help.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any

from symbed._text_files import STANDARD_INPUT, decoded, read_text
from symbed.errors import DataError, RangeError, SymbedError
from symbed.formula_files.formulas import list_formulas
from symbed.formula_files.table_rows import BYTE_ORDER_MARK, is_hall_of_fame
from symbed.language.parser import parse
from symbed.scoring.result_files._problem_lookup import find_dataset
from symbed.scoring.result_files.result_rows import (
    ROLES,
    ResultFile,
    ResultRow,
    counts_from_zero,
    find_roles,
    read_json,
    row_of,
)

HALLS_OF_FAME = ("hall_of_fame.csv", "hall_of_fame.csv.bak", "hall_of_fame.csv.bkup")
ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".json.gz")
GZIP = b"\x1f\x8b"
LFS_POINTER = "version https://git-lfs.github.com/spec/"
# How files begin that hold results, but not as text: what they are, and what to do.
OTHER_KINDS = {
    b"ARROW1": "a table of Arrow (.feather); write it as CSV first, by pandas.read_feather",
    b"FEA1": "a table of Arrow (.feather); write it as CSV first, by pandas.read_feather",
    b"PAR1": "a table of Parquet; write it as CSV first, by pandas.read_parquet",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save the sheet as CSV",
    b"\x80": "a pickle, which is a program and is never opened; export its formulas as text",
    b"\x89HDF": "an HDF5 file; export its formulas as CSV",
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:inf|nan)"
# AI Feynman: two or five numbers, of which the last are complexity and error, and the formula.
SOLUTION = re.compile(rf"((?:(?:{NUMBER})\s+){{2,5}})(\S.*)", re.IGNORECASE)
_CELL_LIMIT = Lock()  # the csv module has one limit for all that read
MAX_TRIED = 20  # first lines of a text of which one must be a formula


def read_results(
    paths: Iterable[str | os.PathLike[str]], columns: Mapping[str, str] | None = None
) -> tuple[list[ResultFile], dict[str, str]]:
    """The result files among some paths, and why the others are none.

    A folder stands for the run of PySR that it holds, or for all the result files below it.

    Parameters
    ----------
    paths : iterable of path
        Files and folders. If there is one, and it holds no results, that is an error.
    columns : mapping of str to str, optional
        Which column has which role, where the names do not tell: ``formula``, ``truth``,
        ``problem``, ``noise``, ``verdict``.

    Raises
    ------
    DataError
        None of them holds results.
    """
    files, left_out, first = [], {}, None
    for path in (found for one in paths for found in _expanded(one)):
        try:
            files.append(read_result_file(path, columns))
        except DataError as error:
            first = first or error
            left_out[str(path)] = (error.in_command or str(error)).removeprefix(f"{path}: ")
    if not files:
        raise first or DataError("there is no result file")
    return files, left_out


def read_result_file(
    path: str | os.PathLike[str], columns: Mapping[str, str] | None = None
) -> ResultFile:
    """The rows of a result file or of a run's folder.

    A ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` or text file, perhaps compressed (``.gz``), or a
    folder of PySR; if it is of no known kind, the error says what it has.
    """
    place, given = str(path), columns
    for role in given or ():
        if role not in ROLES:
            raise RangeError(f"a column is one of {', '.join(ROLES)}, got {role!r}")
    if Path(place).is_dir():
        halls = [read_result_file(hall) for hall in halls_of_fame(place)]
        if not halls:
            raise DataError(
                f"{place}: the folder has no result files, and no hall_of_fame.csv, which a run of "
                "PySR writes"
            )
        return ResultFile(place, "PySR's run", tuple(row for hall in halls for row in hall.rows))
    text = result_text(place)
    if text.lstrip()[0] in "{[":
        kind, rows = read_json(place, text, given)
    elif _is_solution(text):
        kind, rows = "AI Feynman's solutions", list(_solution_rows(place, text))
    elif given or _is_table(place, text):
        kind, rows = _read_table(place, text, given)
    else:
        kind, rows = "a list of formulas", _listed_rows(place, text)
    if not rows:
        raise DataError(f"{place}: the file has no results")
    if counts_from_zero(row.formula for row in rows):
        rows = [replace(row, counts_from_zero=True) for row in rows]
    return ResultFile(place, kind, tuple(rows))


def result_text(path: str) -> str:
    """The text of a file, unpacked where it is compressed; what is no text is an error."""
    if path == STANDARD_INPUT:
        text = read_text(path)
    else:
        content = Path(path).read_bytes()
        if content.startswith(GZIP):
            try:
                content = gzip.decompress(content)
            except (OSError, EOFError) as error:
                raise DataError(f"{path}: cannot be unpacked ({error}); is it cut off?") from None
        for beginning, words in OTHER_KINDS.items():
            if content.startswith(beginning):
                raise DataError(f"{path}: {words}")
        text = decoded(content)
    text = text.removeprefix(BYTE_ORDER_MARK)
    if not text.strip():
        raise DataError(f"{path}: the file is empty")
    if text.startswith(LFS_POINTER):
        raise DataError(
            f"{path}: a pointer of Git LFS, not the file itself; fetch it with `git lfs pull`"
        )
    if "\0" in text:
        raise DataError(f"{path}: no text; result files are CSV, JSON or lines of formulas")
    return text


def is_plain(file: ResultFile) -> bool:
    """Whether `symbed.read_formulas` finds the same formulas in a file, and their lines."""
    try:
        listed = list_formulas(file.path, strict=False)
    except DataError:
        return False
    return listed.formulas == tuple(row.formula for row in file.rows if row.formula is not None)


def halls_of_fame(folder: str | os.PathLike[str]) -> list[Path]:
    """The tables of a run of PySR, or of the runs below a folder; none where there are none."""
    place = Path(folder)
    below = (hall for run in sorted(place.iterdir()) if run.is_dir() for hall in _halls(run))
    return _halls(place) or list(below)


def _expanded(path: str | os.PathLike[str]) -> list[Path | str]:
    """A file as it is; a folder without a hall of fame as the result files below it."""
    folder = Path(path)
    if not folder.is_dir() or halls_of_fame(folder):
        return [str(path)]
    below = [
        file
        for file in sorted(folder.rglob("*"))
        if file.name.lower().endswith(ENDINGS) or file.name.startswith("solution_")
    ]
    return [file for file in below if file.is_file()] or [str(path)]


def _halls(folder: Path) -> list[Path]:
    """The tables of a run: one, or one for each output; the copy where the table is missing."""
    for name in HALLS_OF_FAME:
        if (folder / name).is_file():
            return [folder / name]
    return sorted(folder.glob("hall_of_fame_output*.csv"))


def _is_solution(text: str) -> bool:
    lines = [line for line in text.splitlines()[:MAX_TRIED] if line.strip()]
    fitting = sum(bool(SOLUTION.fullmatch(line.strip())) for line in lines)
    return 2 * fitting > len(lines)  # a broken line is told, and makes no other file of it


def _solution_rows(path: str, text: str) -> Iterator[ResultRow]:
    for line, words in enumerate(text.splitlines(), 1):
        match = SOLUTION.fullmatch(words.strip())
        if match:
            *_, complexity, loss = match[1].split()
            columns = {"complexity": complexity, "loss": loss, "formula": match[2]}
            yield ResultRow(path, line, match[2], dialect="aifeynman", columns=columns)
        elif words.strip():  # a broken line is a row that says so
            yield ResultRow(path, line, words.strip(), columns={"formula": words.strip()})


def _is_table(path: str, text: str) -> bool:
    titles = {word.strip().strip('"').lower() for word in re.split(r"[,\t;]", _header(text))}
    ending = path.lower().removesuffix(".gz").rpartition(".")[2]
    return ending in ("csv", "tsv") or bool(titles & set(ROLES["formula"]))


def _header(text: str) -> str:
    return text.lstrip().split("\n", 1)[0]


def _read_table(
    path: str, text: str, given: Mapping[str, str] | None
) -> tuple[str, list[ResultRow]]:
    separator = max(",\t;", key=_header(text).count)
    # Line ends only: a tab in front is an empty title, and quoted cells keep their line breaks.
    reader = csv.DictReader(text.lstrip("\r\n").splitlines(keepends=True), delimiter=separator)
    rows: list[tuple[int, dict[str, Any]]] = []
    try:
        with _cells_up_to(len(text)):
            for row in reader:  # cells beyond the last title are under None
                cells = {name.strip(): cell for name, cell in row.items() if isinstance(name, str)}
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise DataError(f"{path}: line {reader.line_num} cannot be read: {error}") from None
    names = [name.strip() for name in reader.fieldnames or []]
    every = [cells for _, cells in rows]
    problems = [name for name in names if _holds_problems(name, every)]
    roles = find_roles(path, names, given, problems)
    if is_hall_of_fame(names):
        kind, dialect = "PySR's hall of fame", "pysr"
    elif roles["formula"] == "predicted_tree":
        kind, dialect = "E2E's table", "e2e"
    else:
        kind, dialect = "SRBench's columns" if "symbolic_model" in names else "a table", "auto"
    return kind, [row_of(path, line, cells, roles, dialect) for line, cells in rows]


@contextmanager
def _cells_up_to(length: int) -> Iterator[None]:
    """Let the csv module read cells of that length: a formula may be longer than its limit.

    The limit is one for the whole process, so it is put back, and two tables wait for each other.
    """
    with _CELL_LIMIT:
        usual = csv.field_size_limit()
        csv.field_size_limit(max(usual, length))
        try:
            yield
        finally:
            csv.field_size_limit(usual)


def _holds_problems(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a column of formulas holds nothing but names of problems that ship."""
    if name.lower() not in ROLES["formula"]:
        return False
    cells = {str(row.get(name) or "").strip() for row in rows} - {""}
    return bool(cells) and all(map(find_dataset, cells))


def _listed_rows(path: str, text: str) -> list[ResultRow]:
    """Lines of formulas; a text without any is no result file."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not any(map(_parses, lines[:MAX_TRIED])):
        raise DataError(
            f"{path}: neither a table, nor JSON, nor lines of formulas; it begins with "
            f"{lines[0][:40]!r}"
        )
    listing = list_formulas(text if "\n" in text else [text], strict=False)
    return [
        ResultRow(path, line, formula, columns={"formula": formula})
        for formula, line in zip(listing.formulas, listing.lines, strict=True)
    ]


def _parses(line: str) -> bool:
    try:
        return bool(parse(line, dialect="auto"))
    except SymbedError:
        return False
