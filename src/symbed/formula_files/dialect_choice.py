"""Whose formulas they are: marks of other tools, and the choice of the language they are read in.

Every text that is observed or surveyed is searched for marks, and most are our own, so that readers
of other languages are loaded only where one was seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from symbed.errors import ParseError, SymbedWarning
from symbed.language.expression import Expression
from symbed.limits import TEXT

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions
    from symbed.language.dialects.translator import Translator

MAX_HALL_OF_FAME_READ = 16  # formulas in PySR's columns, to see whether another tool wrote them
# What other tools' formulas have and ours mostly have not: names with a number, marks of LaTeX,
# Python and SymPy, words of theirs for constants, numbers and names side by side. The paper's own
# names, X_0 and so on, are ours too.
_MARKS = (  # a text: re compiles it when a search is first needed
    r"(?<=[A-Za-z_])(?<!\bX_)[0-9]|[\\\[{=;?]|\)\s*\(|[0-9]\s+[A-Za-z(]"
)
_MODULES = ("np.", "numpy.", "math.", "np .", "numpy .", "math .")
_WORDS = ("const", "CONSTANT", "lambda", "return", "Symbol", "protected")
MAX_SEARCHED_TEXT = TEXT.maximum
APART = "\0"  # between joined texts: neither a space nor part of a word
# Words by which tools with the paper's names mean something else than we do: SRToolkit's log has
# base 10, and its minus in front of an operand is ``u-``.
PAPER_NAMES, PAPER_CONFLICTS = "X_", ("log",)
_PAPER_WORDS = r"\b(?:log\b|u\s*-)"

# Kinds of characters, a bit each, by which many texts are looked at in few passes.
_LETTER, _DIGIT, _CLOSE, _OPEN, _SPACE, _DOT, _X, _UNDERSCORE = (1 << bit for bit in range(8))
_BITS = np.uint8(1) << np.arange(8, dtype=np.uint8)[:, None]
_MIN_SCANNED = 1000  # characters: for fewer the search itself is quicker


def _kinds_of_characters() -> bytes:
    """What kind each byte is; a table for ``bytes.translate``."""
    # Not of the module string: its import compiles a pattern, in each process that observes.
    kinds, ascii_characters = bytearray(256), [chr(code) for code in range(128)]
    for characters, kind in (
        (filter(str.isalpha, ascii_characters), _LETTER),
        (filter(str.isdigit, ascii_characters), _DIGIT),
        (filter(str.isspace, ascii_characters), _SPACE),
        (")", _CLOSE), ("(", _OPEN), (".", _DOT),
        # Last, since X is among the letters above and this takes the place of what they set.
        ("X", _LETTER | _X), ("_", _LETTER | _UNDERSCORE),
    ):  # fmt: skip
        for character in characters:
            kinds[ord(character)] = kind
    return bytes(kinds)


_KINDS = _kinds_of_characters()


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
            [text], dialect, domain=domain, numbered_as_written=dialect is None,
            definitions=definitions,
        )  # fmt: skip
    except Ambiguous as error:
        note = error.note_if_ours(remedy) if dialect is None else ""
        if not note:
            raise
        return parse(text, domain), "infix", note
    translator = choice.translator
    if translator.dialect == "infix":
        return parse(text, domain, definitions=definitions), "infix", ""
    return translator.read(text), translator.dialect, translator.note(text)


class DialectChoice(NamedTuple):
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
        detected = detect_source(texts[:: 1 + len(texts) // MAX_HALL_OF_FAME_READ], variables)
    except Ambiguous:
        return False  # the columns decide
    # So they do where PySR is one of those that may have written the formulas.
    return detected.dialect != "infix" and "pysr" not in detected.agreeing


def choose_dialect(
    formulas: Sequence[Any],
    dialect: str | None,
    constants: str = "keep",
    variables: tuple[str, ...] | None = None,
    domain: tuple[str, ...] | None = None,
    *,
    is_hall_of_fame: bool = False,
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


def is_suspicious(formula: Any) -> bool:
    """Whether another tool than ours may have written a formula; quick, and says yes too often."""
    return isinstance(formula, str) and not is_too_long(formula) and has_marks(formula)


def is_too_long(formula: Any) -> bool:
    """Whether nobody will read a text anyway; to look through it for words would take long."""
    return isinstance(formula, str) and len(formula) > MAX_SEARCHED_TEXT


def joined(formulas: Iterable[Any]) -> str:
    """The texts among formulas as one, each of them once, those without that nobody will read."""
    # One search for all: what it costs to begin one for each is more than the search itself. And
    # `is_too_long` written out: to call it for each of 5,000 would be 2 % of a survey of 20,000.
    texts = {one for one in formulas if isinstance(one, str) and len(one) <= MAX_SEARCHED_TEXT}
    return APART.join(texts)


def has_marks(text: str) -> bool:
    """Whether another tool than ours may have written one of these joined texts."""
    if (len(text) < _MIN_SCANNED or _may_have_marks(text)) and _marks_of_tools(text):
        return True
    if PAPER_NAMES not in text or not any(word in text for word in ("log", "u-", "u -")):
        return False
    return re.search(_PAPER_WORDS, text) is not None


def _marks_of_tools(text: str) -> bool:
    return bool(re.search(_MARKS, text)) or any(word in text for word in _MODULES + _WORDS)


def _may_have_marks(text: str) -> bool:
    """Whether a search for marks is worth its time; never no where it would find one.

    The search costs 25 ns for a character, these passes over whole arrays a tenth of that: 5 % of
    the time of a survey of 50,000 formulas, or nothing.
    """
    if not text.isascii() or any(mark in text for mark in r"\[{=;?"):
        return True
    # APART in front, so that a name at the very beginning has something before it too.
    kinds = np.frombuffer((APART + text).encode().translate(_KINDS), np.uint8)
    letter, digit, close, opening, space, dot, x, underscore = np.not_equal(kinds & _BITS, 0)
    number = letter[:-1] & digit[1:]
    if PAPER_NAMES in text:
        # number[k] is about characters k and k + 1, paper[k] about k to k + 2: a digit behind X_
        # is that of number[k + 2].
        paper = ~(letter | digit)[:-3] & x[1:-2] & underscore[2:-1]
        number[2:] &= ~paper
    product, module = close[:-1] & opening[1:], letter[:-1] & dot[1:]
    # The same with one space between; of two or more nothing is known here.
    spaced = digit[:-2] & (letter | opening)[2:]
    spaced |= close[:-2] & opening[2:]
    spaced |= letter[:-2] & dot[2:]
    spaced &= space[1:-1]
    if (number | product | module | (space[:-1] & space[1:])).any() or spaced.any():
        return True
    two = letter[:-1] & letter[1:]
    five = two[:-3] & two[2:-1] & letter[4:]  # as long as the shortest word
    return bool(five.any())


class Watched(Iterator[Any]):
    """Formulas that are read as our own; a word by which tools mean something else is an error.

    Only some were looked at to find out whose they are, and such a word may come later.

    Parameters
    ----------
    formulas : iterator
        Texts and other things.
    words : tuple of str
        The words that are watched for.

    Attributes
    ----------
    unchecked : iterator
        The formulas as they come, for those who take many at once and ask `may_be_in` of them.
    """

    def __init__(self, formulas: Iterator[Any], words: tuple[str, ...]) -> None:
        self.unchecked, self._words = formulas, words

    def __next__(self) -> Any:
        return self.checked(next(self.unchecked))

    def may_be_in(self, text: str) -> bool:
        """Whether a word is in a text, which may be that of many formulas."""
        # A letter is found, or not, twenty times as fast as a word.
        return any(all(x in text for x in word) and word in text for word in self._words)

    def checked(self, formula: Any) -> Any:
        """The formula, or why it cannot be read."""
        # Only where it is called: log may also be the end of a name, or a name.
        called = rf"(?<!\w)({'|'.join(self._words)})\s*\("
        word = re.search(called, formula) if isinstance(formula, str) else None
        if word is None:
            return formula
        from symbed.formula_files.formulas import Unreadable  # late: few lists have such a word

        problem = f"tools with such names mean something else by {word[1]!r} than symbed"
        error = ParseError(problem, hint="say whose they are: dialect=...")
        error.in_command = f"{problem}; add --dialect NAME, or --dialect infix for symbed's meaning"
        return Unreadable(formula.strip(), error)
