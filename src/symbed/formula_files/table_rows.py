"""Rows of formulas out of files, tables and sequences, before anybody reads a formula."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from functools import partial
from io import StringIO
from itertools import chain, count, islice, tee
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TextIO, TypeAlias

from symbed._text_files import STANDARD_INPUT, open_text
from symbed.errors import DataError, ShapeError
from symbed.language.names import CONVENTIONAL

# Columns that may hold the expressions of a table, the likeliest first.
EXPRESSION_COLUMNS = (
    "equation", "expression", "formula", "infix", "sympy_format", "symbolic_model", "model",
    "program", "individual", "tree", "text", "solution",
)  # fmt: skip
PYSR_COLUMNS = frozenset({"complexity", "loss", "equation"})
COMMENT = "#"
SEPARATORS = (",", "\t", ";")
MAX_LINES_AHEAD = 1000  # below a lone word that are searched for it: is it a title or a formula?
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
BYTE_ORDER_MARK = "\N{BYTE ORDER MARK}"
UNREADABLE = "\N{REPLACEMENT CHARACTER}"
MAX_UNREADABLE = 8  # characters of a line in another encoding; a file that is no text has many more
# Below the titles of a table in Markdown: | --- | :-: |
MARKDOWN_RULE = r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?"  # a text: re compiles it where one is seen

Cell: TypeAlias = str | float | None


class TableRows(NamedTuple):
    """Formulas as they are written, and beside them as streams what is known of each.

    Attributes
    ----------
    formulas : iterator
        Lines of a text, cells of a column, or whatever a list holds.
    lines : iterator of int
        Where each stands, from 1; may go on after the last formula.
    columns : mapping of str to iterator
        The other columns of a table, their names in lower case.
    is_hall_of_fame : bool
        Whether the table has PySR's columns.
    total : int or None
        How many there are, where that is known beforehand.
    """

    formulas: Iterator[Any]
    lines: Iterator[int]
    columns: Mapping[str, Iterator[Cell]] = MappingProxyType({})
    is_hall_of_fame: bool = False
    total: int | None = None


@contextmanager
def open_rows(source: Any, *, strict: bool) -> Iterator[TableRows]:
    """The rows of a file, a table or a sequence; see `symbed.read_formulas` for what it may be.

    Parameters
    ----------
    source : str, path, file, table or sequence
        Where the formulas are.
    strict : bool
        Whether a row of another length than the first is an error; else missing cells are empty.
    """
    if isinstance(source, str) and source == STANDARD_INPUT:
        with open_text(source) as file:
            yield _rows_of_file(file, "standard input", strict=strict)
    elif isinstance(source, str) and "\n" in source:
        text = StringIO(source.removeprefix(BYTE_ORDER_MARK))
        yield _rows_of_file(text, "the text", strict=strict)
    elif isinstance(source, (str, os.PathLike)):
        with open_text(source) as file:
            yield _rows_of_file(file, os.fspath(source), strict=strict)
    elif hasattr(source, "readline"):
        yield _rows_of_file(source, str(getattr(source, "name", "the text")), strict=strict)
    elif isinstance(source, Mapping) or hasattr(source, "columns"):
        source = source.collect() if hasattr(source, "collect") else source  # polars, lazily
        names = source if isinstance(source, Mapping) else source.columns
        yield _rows_of_table({str(name): list(source[name]) for name in names})
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        total = len(source) if isinstance(source, Sized) else None
        yield TableRows(iter(source), count(1), total=total)
    else:
        raise ShapeError(
            "formulas are read from a path, an open file, a table or a list, "
            f"got {type(source).__name__}"
        )


def _rows_of_table(table: Mapping[str, list[Any]]) -> TableRows:
    """The rows of a table in memory."""
    names = _column_names("the table", table)
    place = _expression_column("the table", names)
    columns = dict(zip(names, table.values(), strict=True))
    formulas = columns.pop(names[place])
    plain = {name: map(_plain_cell, column) for name, column in columns.items()}
    return TableRows(iter(formulas), count(1), plain, is_hall_of_fame(names), len(formulas))


def _plain_cell(cell: Any) -> Cell:
    """A cell of a table of pandas as a number, a text or None; what is neither becomes a text."""
    # NumPy's int64, unlike its float64, is no number of Python's.
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, (int, float)):
        return None if cell != cell else float(cell)
    return cell if cell is None or isinstance(cell, str) else str(cell)


def is_hall_of_fame(columns: Iterable[str]) -> bool:
    """Whether a table has the columns of PySR's ``hall_of_fame.csv``."""
    return {name.strip().lower() for name in columns} >= PYSR_COLUMNS


def _rows_of_file(file: TextIO, name: str, *, strict: bool) -> TableRows:
    """The rows of a file: those of a table if its ending or its header says so, else lines."""
    if name.lower().endswith(JSON_ENDINGS):
        return _rows_of_json(file, name)
    head: list[str] = []
    start = file.tell() if file.seekable() else 0
    while not head or not head[-1].strip():
        line = file.readline()
        if not line:
            break
        head.append(line)
    first = head[-1] if head else ""
    separator = _separator(first, name)
    ahead = list(islice(file, MAX_LINES_AHEAD)) if separator else []
    if first.count(UNREADABLE) > MAX_UNREADABLE + len(first) // 20:
        raise DataError(f"{name} is no text; formulas are read from text files and tables")
    if first.lstrip().startswith(("|", "- ")):
        ahead += islice(file, 0 if ahead else 1)
        second = ahead[0].strip() if ahead else ""
        if re.fullmatch(MARKDOWN_RULE, second):
            return _rows_of_markdown(chain(head, ahead, file), name, strict=strict)
        # SymPy's LaTeX has a blank behind a minus in front, so that it is no bullet there.
        if first.lstrip()[0] == "-" and second.startswith("- ") and "\\" not in first + second:
            raise DataError(
                f"{name}: the lines begin with '- ', which can be the bullets of a list or minus "
                "signs; leave the bullets out, or the blanks behind the signs"
            )
    # What was read ahead is put in front again, since a pipe cannot be gone back in.
    head += ahead
    if first and separator and not _is_header(first, separator, name, ahead):
        separator = ""
    if not separator:
        return TableRows(chain(head, file), count(1), total=_count_lines(name))
    if file.seekable():
        file.seek(start)
    else:  # the rows are gone over twice, so that they have to be held
        file = StringIO("".join(chain(head, file)))
    return _rows_of_csv(file, separator, name, strict=strict)


def _rows_of_markdown(lines: Iterable[str], name: str, *, strict: bool) -> TableRows:
    """The rows of a table whose cells stand between bars, as chats and documents have it.

    Read as formulas its lines would be magnitudes: | x - 1 |.
    """
    import csv

    table = StringIO(newline="")
    writer = csv.writer(table, delimiter="\t", lineterminator="\n")
    for line in map(str.strip, lines):
        if not line or re.fullmatch(MARKDOWN_RULE, line):
            table.write("\n")  # so that lines keep their numbers
            continue
        cells = re.split(r"(?<!\\)\|", line.removeprefix("|").removesuffix("|"))
        writer.writerow(cell.strip().strip("`").replace("\\|", "|") for cell in cells)
    table.seek(0)
    return _rows_of_csv(table, "\t", name, strict=strict)


def _is_header(line: str, separator: str, name: str, ahead: list[str]) -> bool:
    """Whether the first line of a table names its columns: a formula alone in it does not.

    A lone word that is no variable's is a title, as tables have one, unless the formulas below
    speak of it too.
    """
    cells = [cell.strip().strip('"') for cell in line.split(separator)]
    word = cells[0]
    if len(cells) > 1 or word.lower() in EXPRESSION_COLUMNS:
        return True
    if not word.isidentifier() or len(word) == 1 or CONVENTIONAL.match(word):
        return False
    if any(word in re.findall(r"[^\W\d]\w*", other) for other in ahead):
        raise DataError(
            f"{name}: the first line, {word!r}, can be a formula or the name of the column; "
            "name the column equation"
        )
    return True


def _rows_of_json(file: TextIO, name: str) -> TableRows:
    """The rows of a list of formulas or records, or of one such on each line."""
    import json  # late, as csv below: most sources are lists

    text = file.read()
    try:
        if name.lower().endswith(".json"):
            records = json.loads(text)
        else:
            # Not splitlines: texts in JSON may hold U+2028 and others that it takes for line ends.
            records = [json.loads(line) for line in text.split("\n") if line.strip()]
    except ValueError as error:
        raise DataError(f"{name} cannot be read as JSON: {error}") from None
    if isinstance(records, list) and records and all(isinstance(one, str) for one in records):
        return TableRows(iter(records), count(1), total=len(records))
    if isinstance(records, list) and records and all(isinstance(one, dict) for one in records):
        titles = dict.fromkeys(title for one in records for title in one)
        return _rows_of_table({t: [one.get(t) for one in records] for t in titles})
    if isinstance(records, dict) and all(isinstance(one, list) for one in records.values()):
        return _rows_of_table(records)
    raise DataError(f"{name} needs a list of formulas, or of records with an equation each")


def _count_lines(path: str) -> int | None:
    """The number of lines of a file, for a bar that knows its end; None if it is no file."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _separator(header: str, name: str) -> str:
    """What separates the cells of a table; empty if the file is none."""
    for separator in SEPARATORS:
        names = [word.strip().strip('"').lower() for word in header.split(separator)]
        # One name alone is a header whatever separates it; a comma stands for all of them.
        if set(names) & set(EXPRESSION_COLUMNS) and (len(names) > 1 or separator == ","):
            return separator
    ending = os.path.splitext(name)[1].lower()
    if ending == ".csv":  # whatever separates its titles, none of which we know
        return max(SEPARATORS, key=header.count)
    return "\t" if ending == ".tsv" else ""


def _rows_of_csv(file: TextIO, separator: str, name: str, *, strict: bool) -> TableRows:
    """The rows of a table in a file, which is gone over twice: for its columns of numbers first."""
    start = file.tell()
    rows = _cell_rows(file, separator, name, strict=strict)
    _, header = next(rows, (0, []))
    names = _column_names(name, header)
    place = _expression_column(name, names)
    numeric, n_rows = [True] * len(names), 0
    for _, row in rows:
        n_rows += 1
        for column, cell in enumerate(row):
            numeric[column] = numeric[column] and _is_number(cell, separator)
    numeric[place] = False  # a formula may be a number, and stays a text
    file.seek(start)
    again = islice(_cell_rows(file, separator, name, strict=strict), 1, None)
    read_cell = partial(_cell, separator=separator)
    values = ([line, *map(read_cell, row, numeric)] for line, row in again)
    # A row is held until each stream has passed it.
    lines, *streams = tee(values, 1 + len(names))
    columns = {
        title: map(itemgetter(1 + column), streams[column]) for column, title in enumerate(names)
    }
    formulas = columns.pop(names[place])
    return TableRows(formulas, map(itemgetter(0), lines), columns, is_hall_of_fame(names), n_rows)


def _cell_rows(
    file: TextIO, separator: str, name: str, *, strict: bool
) -> Iterator[tuple[int, list[str]]]:
    """The rows that have cells, the header included, each with the line on which it ends."""
    import csv

    width = 0
    reader = csv.reader(file, delimiter=separator)
    try:
        for row in reader:
            if not any(cell.strip() for cell in row) and not width:
                continue  # blank lines before the header
            width = width or len(row)
            if width == 1 and len(row) > 1:  # nothing separates one column: add(X0, X1) is one cell
                row = [separator.join(row)]
            if row and strict and len(row) != width:
                raise DataError(
                    f"{name}: row {reader.line_num} has {len(row)} cells, the first one {width}"
                )
            if row:
                yield reader.line_num, (row + [""] * width)[:width]
    except csv.Error as error:
        raise DataError(f"{name}: row {reader.line_num} cannot be read: {error}") from None


def _expression_column(name: str, names: list[str]) -> int:
    if len(names) == 1:
        return 0
    for title in EXPRESSION_COLUMNS:
        if title in names:
            return names.index(title)
    raise DataError(
        f"{name} needs a column of expressions named {', '.join(EXPRESSION_COLUMNS)}; "
        f"it has {', '.join(names) or 'none'}"
    )


def _column_names(name: str, titles: Iterable[str]) -> list[str]:
    """The titles in lower case; a column that is there twice could be read as the other one."""
    names = [title.strip().lower() for title in titles]
    twice = next((one for place, one in enumerate(names) if one and one in names[:place]), None)
    if twice is not None:
        raise DataError(f"{name} has two columns named {twice!r}; rename one of them")
    return names


def _is_number(cell: str, separator: str) -> bool:
    try:
        return not cell.strip() or _number(cell, separator) is not None
    except ValueError:
        return False


def _cell(cell: str, is_number: bool, separator: str) -> Cell:
    if not is_number:
        return cell
    return _number(cell, separator) if cell.strip() else None


def _number(cell: str, separator: str) -> float:
    """A number; where semicolons separate, a comma is the decimal point, as Excel writes it."""
    return float(cell.replace(",", ".") if separator == ";" and cell.count(",") == 1 else cell)


def is_formula(formula: Any) -> bool:
    """Whether something is neither a blank line nor a comment nor an empty cell."""
    if isinstance(formula, str):
        text = formula.strip()
        return bool(text) and not text.startswith(COMMENT)
    return formula is not None and formula == formula  # a missing cell of pandas is NaN
