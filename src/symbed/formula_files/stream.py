"""The formulas of a source one after the other, for surveys of more than memory should hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from symbed.errors import SymbedError
from symbed.formula_files.dialect_choice import (
    PAPER_CONFLICTS,
    PAPER_NAMES,
    Watched,
    choose_dialect,
    has_marks,
    is_too_long,
    joined,
)
from symbed.formula_files.formulas import Formulas, Unreadable
from symbed.formula_files.table_rows import Cell, TableRows, is_formula, open_rows

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions
    from symbed.language.dialects.translator import Translator

SAMPLE_SIZE = 5_000  # formulas of a file that are read ahead to find out whose they are
ITERATOR_SAMPLE = 100  # of an iterator, which is to be read only as far as needed


@dataclass(frozen=True, eq=False, repr=False)  # no two streams are equal
class FormulaStream:
    """The formulas of a source one after the other, however many there are.

    Attributes
    ----------
    sources : iterator
        Texts of our own language, blank lines and comments among them, and `Unreadable` ones.
    columns : mapping of str to iterator
        What a table says of each of them.
    dialect : str
        Whose formulas they are read as.
    reason : str
        Why as these, in words; empty if the dialect was asked for.
    differs : bool
        Whether our own language would have meant something else by them.
    notes : list of str
        What must be told of those that were read so far, each note once.
    lines : list of int
        Where those that were read so far stand; empty if source k is line k.
    total : int or None
        How many there are, blank lines included, where that is known beforehand.
    """

    sources: Iterator[Any]
    columns: Mapping[str, Iterator[Cell]]
    dialect: str
    reason: str
    differs: bool
    notes: list[str]
    lines: list[int] = field(default_factory=list)
    total: int | None = None

    def line_of(self, number: int) -> int:
        """The line on which the source with a number (from 1) stands."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else number


@contextmanager
def open_formulas(
    source: Any,
    *,
    dialect: str | None = None,
    constants: str = "keep",
    variables: tuple[str, ...] | None = None,
    domain: tuple[str, ...] | None = None,
    definitions: Definitions | None = None,
) -> Iterator[FormulaStream]:
    """The formulas of a source as a stream, for `symbed.survey`; see `read_formulas`."""
    if isinstance(source, Formulas):
        columns = {name: iter(column) for name, column in source.columns.items()}
        yield FormulaStream(
            iter(source.labels), columns, source.dialect, "", False, [], list(source.lines),
            len(source),
        )  # fmt: skip
        return
    with open_rows(source, strict=True) as rows:
        formulas, seen = _counted(rows)
        as_written = constants == "keep" and variables is None and not definitions
        if dialect == "infix" and as_written:
            # Our own language: no other one need be loaded, and texts go to the engine as they are.
            yield FormulaStream(formulas, rows.columns, dialect, "", False, [], seen, rows.total)
            return
        size = ITERATOR_SAMPLE if rows.total is None else SAMPLE_SIZE
        ahead = list(islice(formulas, size)) if dialect in (None, "auto") else []
        formulas = chain(ahead, formulas)
        # PySR's e is a column and ours a number, so its tables always go through a translator.
        plain = as_written and not rows.is_hall_of_fame
        if dialect is None and plain and not has_marks(text := joined(ahead)):
            # Only those read ahead were searched; a log may come later.
            if PAPER_NAMES in text:
                formulas = Watched(formulas, PAPER_CONFLICTS)
            yield FormulaStream(formulas, rows.columns, "infix", "", False, [], seen, rows.total)
            return
        texts = [one for one in ahead if is_formula(one) and not is_too_long(one)]
        choice = choose_dialect(
            texts, dialect, constants, variables, domain, is_hall_of_fame=rows.is_hall_of_fame,
            numbered_as_written=dialect is None, definitions=definitions,
        )  # fmt: skip
        notes: list[str] = []
        sources: Iterator[Any]
        if plain and choice.translator.dialect == "infix":
            sources = Watched(formulas, choice.watch) if choice.watch else formulas
        else:
            sources = _translated(formulas, choice.translator, notes)
        yield FormulaStream(
            sources, rows.columns, choice.translator.dialect, choice.reason, choice.differs, notes,
            seen, rows.total,
        )  # fmt: skip


def _counted(rows: TableRows) -> tuple[Iterator[Any], list[int]]:
    """The formulas of a table, and the lines of those that were taken; none for plain lines."""
    if not rows.columns:
        return rows.formulas, []
    seen: list[int] = []

    def counted() -> Iterator[Any]:
        for formula, line in zip(rows.formulas, rows.lines, strict=False):
            seen.append(line)
            yield formula

    return counted(), seen


def _translated(formulas: Iterator[Any], translator: Translator, notes: list[str]) -> Iterator[Any]:
    for formula in formulas:
        text = formula.strip() if isinstance(formula, str) else formula
        if not isinstance(text, str) or not is_formula(text):
            yield text
            continue
        try:
            yield translator.own_text(text)
        except SymbedError as error:
            yield Unreadable(text, error)
        else:
            note = translator.note(text)
            if note and note not in notes:
                notes.append(note)
