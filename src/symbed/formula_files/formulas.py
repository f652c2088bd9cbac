"""The formulas of a file or table, with what the file says of each: all at once, or as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from symbed._export import data_frame
from symbed.errors import DataError, SymbedError
from symbed.formula_files.dialect_choice import (
    PAPER_CONFLICTS,
    PAPER_NAMES,
    Watched,
    choose_dialect,
    has_marks,
    is_too_long,
    joined,
)
from symbed.formula_files.table_rows import Cell, TableRows, is_formula, open_rows
from symbed.language.expression import Expression

if TYPE_CHECKING:
    from symbed._types import Floats
    from symbed.language.definitions import Definitions
    from symbed.language.dialects.translator import Translator


def read_formulas(
    source: Any,
    *,
    dialect: str | None = None,
    constants: str = "keep",
    variables: Iterable[str] | None = None,
    domain: Iterable[str] | None = None,
    errors: Errors = "raise",
    definitions: Definitions | None = None,
) -> Formulas:
    r"""Read the formulas of a file or table.

    Parameters
    ----------
    source : str, path, file, table or sequence
        The path of a file, ``"-"`` for standard input, an open file, or a text with several lines:
        one formula on each line, or a table with separators and a column ``equation``,
        ``expression`` or ``formula``. A pandas table or a mapping of columns. A pandas column, or a
        list of texts, Expressions or SymPy objects.
    dialect : str, optional
        Whose formulas they are, such as ``gplearn``. By default, and for ``auto``, their words and
        names tell: a table with PySR's columns is PySR's; what no other tool writes, or means
        differently, is our own language. Where two tools mean different things by a formula, that
        is an error. Where they differ only in counting variables from 0 or from 1, ``auto`` is an
        error too, while by default names stay as they are.
    constants : {"keep", "lift"}
        ``lift`` makes free parameters of the fitted ones, to compare forms.
    variables : iterable of str, optional
        Names of the tool's numbered variables, in their order.
    domain : iterable of str, optional
        Names of the domain that they will be judged on. If it has the tool's own names (gplearn's
        ``X0``), these stay; else a numbered variable becomes ``x0``, ``x1`` ...
    errors : {"raise", "skip"}
        Whether a formula that cannot be read ends it, or is listed in ``Formulas.skipped``.
    definitions : Definitions, optional
        Functions of your own that the formulas call; see `symbed.define`. Formulas without a
        ``dialect`` are then read as our own language.

    Raises
    ------
    DataError
        There is no formula, or the table cannot be used.
    ParseError
        A formula cannot be read; the error has its ``line``.

    Examples
    --------
    >>> found = read_formulas("Complexity,Loss,Equation\n1,0.5,x0\n3,0.1,square(x0) + 1.5\n")
    >>> found, found.labels, found.losses
    (Formulas(2 read as pysr), ('x0', 'square(x0) + 1.5'), array([0.5, 0.1]))
    >>> read_formulas(["add(X0, X1)", "div(X0, X1)"]).labels
    ('x0 + x1', 'pdiv(x0, x1)')
    """
    listing = list_formulas(source, strict=errors == "raise")
    return listing.read(
        dialect,
        constants,
        None if variables is None else tuple(variables),
        domain=None if domain is None else tuple(domain),
        errors=errors,
        numbered_as_written=dialect is None,
        definitions=definitions,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Formulas(Sequence[Expression]):
    """The formulas of a file or table: a sequence of expressions, and what is known of each.

    Attributes
    ----------
    expressions : tuple of Expression
        What each formula means.
    labels : tuple of str
        Each in our own language, as it was written where that means the same.
    written : tuple of str
        Each as the file has it.
    lines : tuple of int
        Where each stands in its file, or among what was given, from 1.
    columns : mapping of str to tuple
        The other columns of a table, their names in lower case.
    notes : tuple of str
        What must be told of each although it could be read; mostly empty.
    dialect : str
        Whose formulas they were read as.
    reason : str
        Why as these, in words; empty if the dialect was asked for.
    skipped : tuple of Unreadable
        What could not be read, under ``errors="skip"``.
    """

    expressions: tuple[Expression, ...]
    labels: tuple[str, ...]
    written: tuple[str, ...]
    lines: tuple[int, ...]
    columns: Mapping[str, tuple[Cell, ...]]
    notes: tuple[str, ...]
    dialect: str
    reason: str = ""
    skipped: tuple[Unreadable, ...] = ()

    def __len__(self) -> int:
        return len(self.expressions)

    @overload
    def __getitem__(self, index: int) -> Expression: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Expression, ...]: ...
    def __getitem__(self, index: int | slice) -> Expression | tuple[Expression, ...]:
        return self.expressions[index]

    def __repr__(self) -> str:
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"Formulas({len(self)} read as {self.dialect}{skipped})"

    @property
    def losses(self) -> Floats | None:
        """The column ``loss``, NaN where a row has none; None without that column."""
        return self._numbers("loss")

    @property
    def complexities(self) -> Floats | None:
        """The column ``complexity``, NaN where a row has none; None without that column."""
        return self._numbers("complexity")

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes, each of them once."""
        return tuple(dict.fromkeys(filter(None, self.notes)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, one row for each formula."""
        return {
            "dialect": self.dialect,
            "reason": self.reason,
            "notes": list(self.remarks),
            "formulas": [
                {"line": line, "text": label, "written": written}
                | {name: column[row] for name, column in self.columns.items()}
                for row, (line, label, written) in enumerate(
                    zip(self.lines, self.labels, self.written, strict=True)
                )
            ],
            "skipped": [
                {"line": one.line, "text": one.label, "error": str(one.error).split("\n")[0]}
                for one in self.skipped
            ],
        }

    def to_frame(self) -> Any:
        """A pandas table with a row for each formula."""
        return data_frame(self.to_dict()["formulas"])

    def _numbers(self, name: str) -> Floats | None:
        import numpy as np

        column = self.columns.get(name)
        if column is None or any(isinstance(cell, str) for cell in column):
            return None
        return np.array([np.nan if cell is None else cell for cell in column], np.float64)


Errors: TypeAlias = Literal["raise", "skip"]


@dataclass(frozen=True)
class Unreadable:
    """A formula that could not be read: it keeps its place among the others.

    Attributes
    ----------
    label : str
        Its text.
    error : SymbedError
        Why; raised, or listed as skipped, when its turn comes.
    line : int
        Where it stands in its file, from 1; 0 if that is unknown.
    """

    label: str
    error: SymbedError
    line: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Listing:
    """What a file or table lists, before anybody has read a formula of it.

    Attributes
    ----------
    formulas : tuple
        Texts as written, or other things that can be read as an expression.
    lines : tuple of int
        Where each stands.
    columns : mapping of str to tuple
        The other columns of a table.
    is_hall_of_fame : bool
        Whether the table has PySR's columns.
    """

    formulas: tuple[Any, ...]
    lines: tuple[int, ...]
    columns: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)
    is_hall_of_fame: bool = False

    def read(
        self,
        dialect: str | None = None,
        constants: str = "keep",
        variables: tuple[str, ...] | None = None,
        *,
        domain: tuple[str, ...] | None = None,
        errors: Errors = "raise",
        numbered_as_written: bool = False,
        definitions: Definitions | None = None,
    ) -> Formulas:
        """Read all of them; see `read_formulas` and `choose_dialect`."""
        choice = choose_dialect(
            self.formulas, dialect, constants, variables, domain,
            is_hall_of_fame=self.is_hall_of_fame, numbered_as_written=numbered_as_written,
            definitions=definitions,
        )  # fmt: skip
        translator = choice.translator
        kept: list[int] = []
        expressions: list[Expression] = []
        labels: list[str] = []
        skipped: list[Unreadable] = []
        for row, (formula, line) in enumerate(zip(self.formulas, self.lines, strict=True)):
            try:
                expression, label = _read(formula, translator)
            except SymbedError as error:
                if errors == "raise":
                    error.line = line
                    raise
                skipped.append(Unreadable(str(formula), error, line))
            else:
                kept.append(row)
                expressions.append(expression)
                labels.append(label)
        written = tuple(str(self.formulas[row]) for row in kept)
        return Formulas(
            tuple(expressions),
            tuple(labels),
            written,
            tuple(self.lines[row] for row in kept),
            {name: tuple(column[row] for row in kept) for name, column in self.columns.items()},
            tuple(map(translator.note, written)),
            translator.dialect,
            choice.reason,
            tuple(skipped),
        )


def list_formulas(source: Any, *, strict: bool = True) -> Listing:
    """What a source lists; see `read_formulas`.

    Parameters
    ----------
    source : str, path, file, table or sequence
        As `read_formulas` has it.
    strict : bool
        Whether a row of another length than the first is an error; else missing cells are empty.
    """
    with open_rows(source, strict=strict) as rows:
        formulas = list(rows.formulas)
        # Lines of a plain file are counted without end.
        lines = list(islice(rows.lines, len(formulas)))
        columns = {name: list(cells) for name, cells in rows.columns.items()}
    kept = [row for row, formula in enumerate(formulas) if is_formula(formula)]
    if not kept:
        raise DataError("the file has no formulas; write one on each line, or a hall_of_fame.csv")
    return Listing(
        tuple(one.strip() if isinstance(one := formulas[row], str) else one for row in kept),
        tuple(lines[row] for row in kept),
        {name: tuple(cells[row] for row in kept) for name, cells in columns.items()},
        rows.is_hall_of_fame,
    )


def _read(formula: Any, translator: Translator) -> tuple[Expression, str]:
    """What a formula means, and how our own language says it."""
    if isinstance(formula, Expression):
        return formula, str(formula)
    if isinstance(formula, str):
        expression = translator.read(formula)
        return expression, translator.own_text(formula, expression)
    expression = translator.read_object(formula)
    return expression, str(expression)


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
