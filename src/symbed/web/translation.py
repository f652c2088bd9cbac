"""Translation: the formulas of a file and the reader's choice go in; how each was read comes out.

As everywhere on the page, nothing is decided in silence: whose formulas they were taken for, and
why, is part of the answer, and so is every line that could not be read, with its place in the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symbed.behavior.atlas import Atlas
from symbed.errors import DataError, SymbedError
from symbed.language.dialects.detection import Ambiguous
from symbed.language.dialects.tools import READABLE, TOOLS
from symbed.language.dialects.translator import Translator, title_of
from symbed.language.expression import Expression
from symbed.web.formula_files import Listed
from symbed.web.name_ranges import explain

AUTO = "auto"
CHOICES = (AUTO, *READABLE)


def offered() -> list[dict[str, str]]:
    """The languages that the page offers, with what people call them."""
    tools = [{"name": name, "title": TOOLS[name].title} for name in READABLE if name in TOOLS]
    return [{"name": "infix", "title": "symbed"}, *tools]


@dataclass(frozen=True)
class Line:
    """One formula of a file: what it means and how our own language says it, or why not."""

    row: Listed
    expression: Expression | None = None
    text: str = ""
    error: SymbedError | None = None

    def complaint(self) -> dict[str, Any]:
        """What the page shows of a line that could not be read."""
        assert self.error is not None
        told = explain(self.error)
        place = told["position"]
        return {
            "line": self.row.line, "text": self.row.text, "error": told["message"],
            "position": place,
        }  # fmt: skip


@dataclass(frozen=True)
class Translated:
    """The formulas of a file.

    Attributes
    ----------
    translator : whose language they were read in.
    reason : why in that one, in words; empty if it was asked for.
    lines : every formula, in order.
    """

    translator: Translator
    reason: str
    lines: tuple[Line, ...]

    @property
    def read(self) -> list[Line]:
        """The formulas that could be read."""
        return [line for line in self.lines if line.expression is not None]

    @property
    def unread(self) -> list[Line]:
        """The formulas that could not."""
        return [line for line in self.lines if line.error is not None]

    def document(self) -> dict[str, Any]:
        """What the page says about the language."""
        notes = (self.translator.note(line.row.text) for line in self.read)
        return {
            "name": self.translator.dialect,
            "title": title_of(self.translator.dialect),
            "reason": self.reason,
            "notes": list(dict.fromkeys(note for note in notes if note)),
        }


def translate(
    listed: Sequence[Listed], dialect: str, constants: str, *, is_from_pysr: bool
) -> Translated:
    """Read the formulas of a file; ``auto`` finds out whose they are.

    Raises
    ------
    ParseError : two tools that could have written them mean different things.
    DataError : not one formula could be read.
    """
    chosen, reason = (dialect, "")
    if dialect == AUTO:
        chosen, reason = _guess([row.text for row in listed], is_from_pysr=is_from_pysr)
    translator = Translator(chosen, constants)
    found = Translated(translator, reason, tuple(_line(row, translator) for row in listed))
    if not found.read:
        first = found.unread[0].complaint()
        raise DataError(
            f"no formula could be read as {title_of(chosen)} writes them; line {first['line']}: "
            f"{first['error']}"
        )
    return found


def tell_rows(file: Translated | None, atlas: Atlas) -> dict[int, dict[str, Any]]:
    """What the file tells about each formula: its line and figures, and how it was written."""
    if file is None:
        return {}
    skipped = {line.line for line in atlas.skipped}
    kept = [line for number, line in enumerate(file.read, 1) if number not in skipped]
    return {
        number: {
            "line": line.row.line, "complexity": line.row.complexity, "loss": line.row.loss,
            "written": line.row.text if line.row.text != line.text else None,
        }
        for number, line in enumerate(kept)
    }  # fmt: skip


def tell_skipped(file: Translated | None, atlas: Atlas) -> list[dict[str, Any]]:
    """The lines that could not be read or observed, each with its number in the file."""
    if file is None:
        return [vars(line) | {"position": None} for line in atlas.skipped]
    unseen = [
        vars(line) | {"line": file.read[line.line - 1].row.line, "position": None}
        for line in atlas.skipped
    ]
    found = [line.complaint() for line in file.unread] + unseen
    return sorted(found, key=lambda line: line["line"])


def _guess(texts: list[str], *, is_from_pysr: bool) -> tuple[str, str]:
    if is_from_pysr:
        return "pysr", "since the table has PySR's columns"
    try:
        found = Translator.choose(AUTO, texts).dialect
    except Ambiguous as error:
        if not error.only_names:
            raise
        return "infix", "names stay as written: their numbers may count from 0 or from 1"
    return found, "judging by words and names"


def _line(row: Listed, translator: Translator) -> Line:
    try:
        expression = translator.read(row.text)
        return Line(row, expression, translator.own_text(row.text, expression))
    except SymbedError as error:
        return Line(row, error=error)
