"""A tool: what it declares of its formulas goes in, a row of the table of dialects comes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from symbed.language.dialects.notation import Style
from symbed.language.dialects.templates import Builder, Template, make_row
from symbed.language.dialects.tokenizer import Token, cut_formula
from symbed.language.expression import Item
from symbed.language.infix import read_infix
from symbed.language.operators import Operator
from symbed.language.symbol_table import Symbols

Cut = Callable[[str], list[Token]]
Read = Callable[[list[str], Symbols], list[Item]]


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool's way to write formulas.

    Attributes
    ----------
    name, title : what ``dialect=`` calls it, and what people call it.
    base : the number of its first variable; None if its variables have names, not numbers.
    log : what its word ``log`` means; empty if it has none.
    protected : its words that do not mean the plain function, with what they mean.
    constants : how it writes and rounds constants.
    words : what its words mean: an operator, or a small tree.
    variable : the names of its numbered variables; the first group is the number.
    spelled : how it writes the variable with a number: a text with ``{}``, or a function.
    taken : names that mean something else to it.
    parameter : the names of its free parameters, if it has any.
    parameters : how it writes the free parameter with a number; ``=`` keeps their names, and an
        empty text says that it has none; ``*`` keeps also the anonymous ``C``.
    open_names : whether a name that is neither is a free parameter, as convention has it, and not a
        variable.
    strict : whether detection takes the tool only if every name is one of its own.
    loose : whether ``x_1`` and ``x1`` are one name, as they look the same when typeset.
    cut, read : from text to tokens, from tokens to a postfix sequence.
    style : how it is written; None if it is only read.
    lossy : a pattern of constants that were rounded when written, and what to say about it.
    prepare : turns a source that is no text into tokens, where the tool has such sources.
    refused : names that mean something to it that has no counterpart here, with what they mean.
    """

    name: str
    title: str
    base: int | None
    log: str
    protected: Mapping[str, str]
    constants: str
    words: Mapping[str, Operator | Template | Builder]
    variable: re.Pattern[str] | None = None
    spelled: str | Callable[[int], str] = "x{}"
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

    @cached_property
    def rows(self) -> dict[str, Operator]:
        """What each word is while it is read."""
        return {
            word: meaning if isinstance(meaning, Operator) else make_row(word, meaning)
            for word, meaning in self.words.items()
        }

    @cached_property
    def trees(self) -> dict[Operator, Template | Builder]:
        """The trees of the rows that are in no table."""
        return {
            self.rows[word]: meaning
            for word, meaning in self.words.items()
            if not isinstance(meaning, Operator)
        }

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
