"""Whose formulas they are: the choice of the tool in whose language formulas are read, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symbed.errors import SymbedWarning
from symbed.formula_files.foreign_marks import is_suspicious
from symbed.language.expression import Expression

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions
    from symbed.language.dialects.translator import Translator

LOOKED_AT = 16  # formulas in PySR's columns, to see whether another tool wrote them


class ReadAs(SymbedWarning):
    """Formulas were read in another tool's language, which means something else than our own."""


def read_pasted(
    text: str,
    domain: tuple[str, ...] | None,
    dialect: str | None = None,
    definitions: Definitions | None = None,
    *,
    remedy: str = "symbed.parse(..., dialect={!r})",
) -> tuple[Expression, str, str]:
    """One formula that a user typed or pasted: what it means, its dialect, and what to tell of it.

    Where tools differ on a word of it, and one of them means what we do, it is our own, and what
    the others mean is told. A single formula is mostly typed by a person who knows what symbed
    means by it, while a file of them is some tool's, and is refused.

    Parameters
    ----------
    text : str
        The formula.
    domain : tuple of str or None
        The names that are variables; None leaves it to convention.
    dialect : str, optional
        Whose it is; found out by default, as `read_formulas` does.
    definitions : Definitions, optional
        Functions of the user's own that it calls.
    remedy : str
        How the asker names another dialect, with ``{}`` in place of its name.
    """
    from symbed.language.parser import parse

    if dialect == "infix" or (dialect is None and (definitions or not is_suspicious(text))):
        return parse(text, domain, definitions=definitions), "infix", ""
    from symbed.language.dialects.detection import Ambiguous  # late: most are our own

    try:
        choice = choose_dialect(
            [text], dialect, "keep", None, domain, is_hall_of_fame=False,
            numbered_as_written=dialect is None, definitions=definitions,
        )  # fmt: skip
    except Ambiguous as error:
        note = error.told_as_ours(remedy) if dialect is None else ""
        if not note:
            raise
        return parse(text, domain), "infix", note
    translator = choice.translator
    if translator.dialect == "infix":
        return parse(text, domain, definitions=definitions), "infix", ""
    return translator.read(text), translator.dialect, translator.note(text)


@dataclass(frozen=True)
class DialectChoice:
    """Who reads, why, whether our own language would mean something else, and its tell-tales."""

    translator: Translator
    reason: str = ""
    differs: bool = False
    watch: tuple[str, ...] = ()


def _are_others(formulas: Sequence[Any], variables: tuple[str, ...] | None) -> bool:
    """Whether formulas in a table with PySR's columns are clearly another tool's."""
    from symbed.language.dialects.detection import Ambiguous, detect_source

    texts = [one for one in formulas if isinstance(one, str)]
    try:
        detected = detect_source(texts[:: 1 + len(texts) // LOOKED_AT], variables)
    except Ambiguous:
        return False
    return detected.dialect != "infix" and "pysr" not in detected.agreeing


def choose_dialect(
    formulas: Sequence[Any],
    dialect: str | None,
    constants: str,
    variables: tuple[str, ...] | None,
    domain: tuple[str, ...] | None,
    *,
    is_hall_of_fame: bool,
    numbered_as_written: bool = False,
    definitions: Definitions | None = None,
) -> DialectChoice:
    """Who reads these formulas, and why; see `symbed.read_formulas`.

    Parameters
    ----------
    formulas : sequence
        Some or all of them: texts, or other things that can be read as an expression.
    dialect, constants, variables, domain
        As `symbed.read_formulas` has them.
    is_hall_of_fame : bool
        Whether they stand in a table with PySR's columns.
    numbered_as_written : bool
        What ``auto`` does where two tools differ only in counting variables from 0 or from 1:
        keep the names as they are, or raise an error.
    definitions : Definitions, optional
        Functions of the user's own. No tool can be told by such words, so that formulas with them
        are our own language unless ``dialect`` says otherwise.
    """
    from symbed.language.dialects.detection import Ambiguous, detect_source
    from symbed.language.dialects.translator import Translator

    if definitions:
        whose = "infix" if dialect in (None, "auto") else dialect
        return DialectChoice(Translator(whose, constants, variables, domain, definitions))
    if is_hall_of_fame and dialect in (None, "auto") and not _are_others(formulas, variables):
        reason = "since the table has PySR's columns"
        return DialectChoice(Translator("pysr", constants, variables, domain), reason)
    if dialect not in (None, "auto"):
        return DialectChoice(Translator(dialect, constants, variables, domain))
    told = str if dialect is None else object  # only texts are anybody's by default
    texts = [one for one in formulas if isinstance(one, told) and not isinstance(one, Expression)]
    try:
        detected = detect_source(texts, variables, domain)
    except Ambiguous as error:
        if not (numbered_as_written and error.only_names):
            raise
        reason = "names stay as written: their numbers may count from 0 or from 1"
        return DialectChoice(Translator("infix", constants, variables), reason)
    if numbered_as_written and detected.is_ours and len(detected.agreeing) != 1:
        # Several tools write such names, and none of them means anything else than we do.
        return DialectChoice(
            Translator("infix", constants, variables), watch=tuple(detected.conflicting_words())
        )
    translator = Translator(detected.dialect, constants, variables, domain)
    return DialectChoice(translator, "judging by words and names", not detected.is_ours)
