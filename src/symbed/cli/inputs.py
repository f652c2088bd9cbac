"""Inputs: the name of a file goes in; its expressions, and what it says of each, come out."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice, tee
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from symbed.cli.options import build_probe, parse_names
from symbed.cli.output import shown_progress, tell_skipped
from symbed.errors import DataError, RangeError, SymbedError

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.behavior.observation import Unreadable

# Columns that may hold the expressions of a table, the likeliest first.
EXPRESSION_COLUMNS = ("equation", "expression", "formula", "infix", "sympy_format", "model")
LOOKED_AT = 5_000  # formulas that are read ahead to find out whose they are

Cell = str | float | None


@dataclass(frozen=True)
class Formulas:
    """Expressions as a stream, and columns with an entry for each of them, also as streams.

    Attributes
    ----------
    sources : as written, one after the other.
    columns : what a table says of each of them.
    is_hall_of_fame : whether the columns are those of PySR.
    """

    sources: Iterator[str]
    columns: Mapping[str, Iterator[Cell]] = field(default_factory=dict)
    is_hall_of_fame: bool = False


def read_atlas(arguments: argparse.Namespace, path: str, workers: dict[str, Any]) -> Atlas:
    """The atlas in a folder, or one made of a file of expressions."""
    import symbed

    if path != "-" and Path(path).is_dir():
        if arguments.dialect or arguments.constants != "keep" or arguments.variables:
            raise RangeError(f"{path} is an atlas: its formulas were read when it was made")
        given = build_probe(arguments) if arguments.domain or arguments.data else None
        return symbed.Atlas.open(path, given)
    probe = build_probe(arguments)
    with open_formulas(path) as formulas:
        atlas = symbed.survey(
            translated(formulas, arguments), probe, metadata=formulas.columns, keep="programs",
            errors="skip" if arguments.skip else "raise",
            progress=shown_progress(arguments), **workers,
        )  # fmt: skip
    tell_skipped(atlas)
    return atlas


def columns_of(atlas: Atlas, index: int) -> dict[str, Any]:
    """What the columns of a table said of one expression of an atlas."""
    facts = {name: column[index] for name, column in atlas.metadata.items()}
    return {name: fact if isinstance(fact, str) else fact.item() for name, fact in facts.items()}


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


def translated(formulas: Formulas, arguments: argparse.Namespace) -> Iterator[str | Unreadable]:
    """The expressions in our own language, whoever wrote them; see ``add_language_options``."""
    from symbed.behavior.observation import Unreadable
    from symbed.language.dialects.translator import Translator

    dialect = arguments.dialect or ("pysr" if formulas.is_hall_of_fame else "infix")
    variables = parse_names(arguments.variables)
    first = list(islice(formulas.sources, LOOKED_AT)) if dialect == "auto" else []
    known = [text for line in first if _is_formula(text := line.strip())]
    translator = Translator.choose(dialect, known, arguments.constants, variables)
    if dialect == "auto":
        print(f"symbed: read as {translator.dialect}", file=sys.stderr)
    notes: set[str] = set()
    for line in chain(first, formulas.sources):
        text = line.strip()
        try:
            yield translator.own_text(text) if _is_formula(text) else text
        except SymbedError as error:
            yield Unreadable(text, error)
        else:
            _tell_once(translator.note(text), notes)


def _is_formula(text: str) -> bool:
    return bool(text) and not text.startswith("#")


def _tell_once(note: str, told: set[str]) -> None:
    if note and note not in told:
        told.add(note)
        print(f"symbed: {note}", file=sys.stderr)


def _table(path: str, file: TextIO) -> Formulas:
    from symbed.language.dialects.translator import is_hall_of_fame

    rows = _rows(path, file)
    names = [name.strip().lower() for name in next(rows, [])]
    place = _expression_column(path, names)
    numeric = _numeric(rows, len(names))
    file.seek(0)
    again = _rows(path, file)
    next(again)
    streams = tee((_cells(row, numeric, place) for row in again), len(names))
    cells = {name: map(itemgetter(k), streams[k]) for k, name in enumerate(names)}
    return Formulas(map(str, cells.pop(names[place])), cells, is_hall_of_fame(names))


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
