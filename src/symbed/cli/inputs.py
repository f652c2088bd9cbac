"""Inputs: the name of a file goes in; its expressions, and what it says of each, come out."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import tee
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symbed.cli import report
from symbed.cli.options import build_probe
from symbed.errors import DataError

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas

# Columns that may hold the expressions of a table, the likeliest first.
EXPRESSION_COLUMNS = ("equation", "expression", "formula", "infix", "sympy_format", "model")

Cell = str | float | None


@dataclass(frozen=True)
class Formulas:
    """Expressions as a stream, and columns with an entry for each of them, also as streams."""

    sources: Iterator[str]
    columns: Mapping[str, Iterator[Cell]] = field(default_factory=dict)


def read_atlas(arguments: argparse.Namespace, path: str, workers: dict[str, Any]) -> Atlas:
    """The atlas in a folder, or one made of a file of expressions."""
    import symbed

    if path != "-" and Path(path).is_dir():
        given = build_probe(arguments) if arguments.domain or arguments.data else None
        return symbed.Atlas.open(path, given)
    probe = build_probe(arguments)
    with open_formulas(path) as formulas:
        atlas = symbed.survey(
            formulas.sources, probe, metadata=formulas.columns, keep="programs",
            errors="skip" if arguments.skip else "raise",
            progress=shown_progress(arguments), **workers,
        )  # fmt: skip
    report.skipped(atlas)
    return atlas


def shown_progress(arguments: argparse.Namespace) -> bool | None:
    """What ``progress`` a command asks for: nothing but the document, if that is wanted."""
    return False if arguments.json else None


@contextmanager
def open_formulas(path: str) -> Iterator[Formulas]:
    """The expressions of a file: one per line, or in a column of a ``.csv`` or ``.tsv`` table.

    ``-`` is standard input, which is read as lines. The other columns of a table are given in lower
    case: PySR's ``Complexity,Loss,Equation`` gives ``complexity`` and ``loss``.
    """
    if path == "-":
        yield Formulas(iter(sys.stdin))
        return
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        if path.endswith((".csv", ".tsv")):
            yield _table(path, file)
        else:
            yield Formulas(iter(file))


def _table(path: str, file: TextIO) -> Formulas:
    rows = _rows(path, file)
    names = [name.strip().lower() for name in next(rows, [])]
    place = _expression_column(path, names)
    numeric = _numeric(rows, len(names))
    file.seek(0)
    again = _rows(path, file)
    next(again)
    streams = tee((_cells(row, numeric, place) for row in again), len(names))
    cells = {name: map(itemgetter(k), streams[k]) for k, name in enumerate(names)}
    return Formulas(map(str, cells.pop(names[place])), cells)


def _rows(path: str, file: TextIO) -> Iterator[list[str]]:
    """The rows of a table that have cells, the first one included, all of one length."""
    length = None
    reader = csv.reader(file, delimiter="\t" if path.endswith(".tsv") else ",")
    try:
        for row in reader:
            length = length or len(row)
            if row and len(row) != length:
                raise DataError(
                    f"{path}: row {reader.line_num} has {len(row)} cells, the first one {length}"
                )
            if row:
                yield row
    except csv.Error as error:
        raise DataError(f"{path}: row {reader.line_num}: {error}") from None


def _expression_column(path: str, names: list[str]) -> int:
    if len(names) == 1:
        return 0
    for name in EXPRESSION_COLUMNS:
        if name in names:
            return names.index(name)
    raise DataError(
        f"{path} needs a column of expressions named {', '.join(EXPRESSION_COLUMNS)}; "
        f"it has {', '.join(names) or 'none'}"
    )


def _numeric(rows: Iterable[list[str]], width: int) -> list[bool]:
    """Which columns hold numbers, or nothing, in every row."""
    numeric = [True] * width
    for row in rows:
        for place, cell in enumerate(row):
            numeric[place] = numeric[place] and _is_number(cell)
    return numeric


def _is_number(cell: str) -> bool:
    try:
        return not cell.strip() or float(cell) is not None
    except ValueError:
        return False


def _cells(row: list[str], numeric: list[bool], place: int) -> list[Cell]:
    """A row with its numbers as numbers and missing ones as None; the expression stays a text."""
    return [
        (float(cell) if cell.strip() else None) if is_number and column != place else cell
        for column, (cell, is_number) in enumerate(zip(row, numeric, strict=True))
    ]
