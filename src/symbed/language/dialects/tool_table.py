"""The table of tools: what each declares of its formulas, and how to find a tool by its name.

A tool's row lies in a module of its own or beside similar ones, and that module is loaded when the
tool is asked for; so a file of plain formulas pays for none of them. What many of them cut their
texts with lies here: one pass of one regular expression in which no branch can fail after it has
matched a character, so cutting is linear. Each token knows where it begins, for errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from itertools import islice
from typing import NamedTuple

from symbed.language._token_readers import read_infix
from symbed.language.dialects.templates import Builder, Template, make_row, read_template
from symbed.language.expression import Item
from symbed.language.operators import BY_NAME, TABLE, Operator
from symbed.language.printers import Pieces, number
from symbed.language.tokens import TOKEN, Symbols
from symbed.limits import TOKENS

LISTED = re.compile(r"[^\s,]+")


class Token(NamedTuple):
    """One token: its text and where it begins in the source."""

    text: str
    place: int


_new = tuple.__new__


def cut_formula(source: str) -> list[Token]:
    """The tokens of infix text or of calls."""
    return cut_by(TOKEN, source)


def cut_list(source: str) -> list[Token]:
    """The tokens of a list that is separated by commas or white space."""
    return cut_by(LISTED, source)


def cut_by(pattern: re.Pattern[str], source: str) -> list[Token]:
    """The matches of a pattern, as far as the published limit allows."""
    matches = list(islice(pattern.finditer(source), TOKENS.maximum + 1))
    TOKENS.check(len(matches))
    # As `Token(...)` does, without the call of Python code for each.
    return [_new(Token, (token[0], token.start())) for token in matches]


def insert_products(tokens: Iterable[Token], functions: Collection[str]) -> list[Token]:
    """The tokens with a ``*`` between a value and the value or parenthesis that follows it.

    >>> " ".join(token.text for token in insert_products(cut_formula("2x(sin(y))"), {"sin"}))
    '2 * x * ( sin ( y ) )'
    """
    filled: list[Token] = []
    for token in tokens:
        last = filled[-1].text if filled else ""
        # Behind a function's name the parenthesis is that of its call.
        if last and last not in functions and ends_value(last) and _begins_value(token.text):
            filled.append(Token("*", token.place))
        filled.append(token)
    return filled


def ends_value(text: str) -> bool:
    """Whether a token may be the last of a value."""
    return text == ")" or text[0].isalnum() or text[0] == "_"


def _begins_value(text: str) -> bool:
    return text == "(" or text[0].isalnum() or text[0] == "_"


Cut = Callable[[str], list[Token]]
Read = Callable[[list[str], Symbols], list[Item]]

SIGNS = {sign: sign for sign in ("+", "-", "*", "/", "^", "**")}  # of tools that write infix text


@dataclass(frozen=True)
class Style:
    """How a tool's formulas are written.

    Attributes
    ----------
    form : str
        ``infix`` text, ``calls`` only, a ``prefix`` list, or ``latex``.
    power : str
        The sign of powers, in infix text.
    joint : str
        What stands between tokens, in a list.
    head : str
        What stands before the formula.
    module : str
        What stands before the name of a function.
    only : frozenset of str, optional
        Signs that it has, if not all; operators without a sign or word are written by others.
    number : callable
        Writes a number.
    """

    form: str = "infix"
    power: str = "^"
    joint: str = ""
    head: str = ""
    module: str = ""
    only: frozenset[str] | None = None
    number: Callable[[float], str] = number


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool's way to write formulas.

    Attributes
    ----------
    name, title : str
        What ``dialect=`` calls it, and what people call it.
    base : int, optional
        The number of its first variable; None if its variables have names, not numbers.
    words : mapping of str to str, Template or Builder
        Its words beside those that the table of operators has for it: the name of an operator, or
        a small tree, as text in terms of ``a``, ``b`` and ``c``.
    constants : str
        How it writes and rounds constants.
    log : str
        What its word ``log`` means; empty if it has none.
    protected : mapping of str to str
        Its words that do not mean the plain function, with what they mean.
    vocabulary : str
        What the table of operators calls it, if not by its name.
    spelled : str or callable
        How it writes the variable with a number: a text with ``{}``, or a function.
    variable : Pattern, optional
        The names of its numbered variables, if these are not just as ``spelled`` has them; the
        first group is the number.
    taken : Pattern, optional
        Names that mean something else to it.
    parameter : Pattern, optional
        The names of its free parameters, if it has any.
    parameters : str
        How it writes the free parameter with a number; ``=`` keeps their names, and an empty text
        says that it has none.
    open_names : bool
        Whether a name that is neither is a free parameter, as convention has it, and not a
        variable.
    strict : bool
        Whether detection takes the tool only if every name is one of its own.
    loose : bool
        Whether ``x_1`` and ``x1`` are one name, as they look the same when typeset.
    cut, read : callable
        From text to tokens, from tokens to a postfix sequence.
    style : Style, optional
        How it is written; None if it is only read.
    lossy : tuple of Pattern and str, optional
        A pattern of constants that were rounded when written, and what to say about it.
    reads : bool
        Whether its formulas can be read.
    prepare : callable, optional
        Turns a source that is no text into a postfix sequence, where the tool has such sources.
    refused : mapping of str to str
        Names that mean something to it that has no counterpart here, with what they mean.
    """

    name: str
    title: str
    base: int | None
    words: Mapping[str, str | Template | Builder]
    constants: str = "all digits, as numbers in the text"
    log: str = "natural"
    protected: Mapping[str, str] = field(default_factory=dict)
    vocabulary: str = ""
    spelled: str | Callable[[int], str] = "x{}"
    variable: re.Pattern[str] | None = None
    taken: re.Pattern[str] | None = None
    parameter: re.Pattern[str] | None = None
    parameters: str = ""
    open_names: bool = False
    strict: bool = True
    loose: bool = False
    cut: Cut = cut_formula
    read: Read = read_infix
    style: Style | None = None
    lossy: tuple[re.Pattern[str], str] | None = None
    reads: bool = True
    prepare: Callable[[object], list[Item]] | None = None
    refused: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.variable is None and self.base is not None and isinstance(self.spelled, str):
            pattern = re.compile(self.spelled.replace("{}", "([0-9]+)"))
            object.__setattr__(self, "variable", pattern)

    @cached_property
    def meanings(self) -> dict[str, Operator | Template | Builder]:
        """What each of its words means: an operator, or a small tree."""
        meanings: dict[str, Operator | Template | Builder] = dict(
            _table_words(self.vocabulary or self.name)
        )
        # The table of operators comes first: a row takes over a tool's word for a tree.
        for word, meaning in self.words.items():
            if word in meanings:
                continue  # it got a row of its own
            if not isinstance(meaning, str):
                meanings[word] = meaning
            else:
                meanings[word] = BY_NAME.get(meaning) or read_template(meaning)
        return meanings

    @cached_property
    def rows(self) -> dict[str, Operator]:
        """What each word is while it is read."""
        return {
            word: meaning if isinstance(meaning, Operator) else make_row(word, meaning)
            for word, meaning in self.meanings.items()
        }

    @cached_property
    def trees(self) -> dict[Operator, Template | Builder]:
        """The trees of the rows that are in no table."""
        return {
            self.rows[word]: meaning
            for word, meaning in self.meanings.items()
            if not isinstance(meaning, Operator)
        }

    def written(self, row: Operator) -> Pieces:
        """How it writes an operator where that is neither by a sign nor by a word."""
        from symbed.language.typesetting import template_pieces

        return template_pieces(row.written.get(self.vocabulary or self.name, ""))

    def spell(self, number: int) -> str:
        """The variable with a number, counted from ``base``."""
        return (
            self.spelled.format(number) if isinstance(self.spelled, str) else self.spelled(number)
        )

    def describe(self) -> dict[str, object]:
        """What it declares, for people and for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "index_base": self.base,
            "log": self.log,
            "protected": dict(self.protected),
            "constants": self.constants,
            "reads": self.reads,
            "writes": self.style is not None,
        }


@cache
def _table_words(vocabulary: str) -> dict[str, Operator]:
    """The words that the table of operators lists for a tool."""
    words: dict[str, Operator] = {}
    for row in TABLE:
        for entry in row.dialects.split():
            tool, _, spelled = entry.partition("=")
            if tool == vocabulary:
                words |= dict.fromkeys((spelled or row.name).split(","), row)
    return words


# Which module holds a tool's row, and under what name; in the order in which
# detection prefers them where they agree.
_PLACES = {
    "pysr": "source_code.PYSR",
    "srjl": "source_code.SRJL",
    "gplearn": "text_tools.GPLEARN",
    "operon": "text_tools.OPERON",
    "dso": "list_tools.DSO",
    "srtoolkit": "list_tools.SRTOOLKIT",
    "proged": "text_tools.PROGED",
    "e2e": "list_tools.E2E",
    "aifeynman": "text_tools.FEYNMAN",
    "esr": "text_tools.ESR",
    "bingo": "text_tools.BINGO",
    "srtree": "text_tools.SRTREE",
    "deap": "text_tools.DEAP",
    "pysindy": "text_tools.PYSINDY",
    "feyn": "text_tools.FEYN",
    "eureqa": "text_tools.EUREQA",
    "python": "source_code.PYTHON",
    "sympy": "sympy_trees.SYMPY",
    "latex": "latex.LATEX",
    "excel": "text_tools.EXCEL",
}
ALIASES = {
    "symbolicregression.jl": "srjl", "symbolicregression": "srjl", "pyoperon": "operon",
    "snip": "e2e", "aif": "aifeynman", "reggression": "srtree", "eggp": "srtree",
    "srepr": "sympy", "sindy": "pysindy", "abzu": "feyn", "formulize": "eureqa",
}  # fmt: skip
WRITTEN_AS_LISTS = frozenset({"dso", "srtoolkit", "e2e"})
ONLY_WRITTEN = frozenset({"excel"})  # known here, so that no tool is loaded to be listed


class _Tools(Mapping[str, Tool]):
    """The tools by name, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> Tool:
        module, _, attribute = _PLACES[name].partition(".")
        tool: Tool = getattr(import_module(f"{__package__}.{module}"), attribute)
        return tool

    def __iter__(self) -> Iterator[str]:
        return iter(_PLACES)

    def __len__(self) -> int:
        return len(_PLACES)

    def __contains__(self, name: object) -> bool:
        return name in _PLACES


TOOLS: Mapping[str, Tool] = _Tools()
READABLE = ("infix", *(name for name in TOOLS if name not in ONLY_WRITTEN))  # offered to people


def find_tool(name: object) -> Tool | None:
    """The tool with a name or another name of it; None if there is none."""
    if not isinstance(name, str):
        return None
    return TOOLS.get(ALIASES.get(name.lower(), name))
