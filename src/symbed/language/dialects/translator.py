"""Translation of a whole file's formulas, all of one dialect, into expressions and our own text.

A text that our own language reads the same stays as it was written, so that results show it so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symbed.errors import ParseError, RangeError, SymbedError
from symbed.language.dialects.reader import lossy_note, read
from symbed.language.dialects.tool_table import WRITTEN_AS_LISTS, Tool, find_tool
from symbed.language.expression import Expression
from symbed.language.operators import BY_NAME
from symbed.language.parser import DIALECTS, lift, parse

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions

CONSTANTS = ("keep", "lift")
# No leading zeros: x01 is x1 to a tool and a name of its own to us. *+ never goes back, so that
# a long text which does not match is refused in linear time.
PLAIN = (  # signs, numbers, numbered variables, and calls of some functions
    r"(?:[-+*/^(), ]|(?<![\w.])(?:x(?:0|[1-9][0-9]*)(?![\w.(])"
    r"|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?![\w.])|(?:{calls})\())*+"
)


def title_of(dialect: str) -> str:
    """What people call a dialect.

    >>> title_of("srjl"), title_of("infix")
    ('SymbolicRegression.jl', 'symbed')
    """
    tool = find_tool(dialect)
    return tool.title if tool else "symbed"


@dataclass(frozen=True)
class Conversion:
    """A formula of one dialect in the words of another.

    Attributes
    ----------
    source : str
        As it was written.
    text : str
        In the other dialect.
    expression : Expression
        What it means.
    note : str
        What must be told of it although it could be read; mostly empty.
    """

    source: str
    text: str
    expression: Expression
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "source": self.source,
            "text": self.text,
            "infix": str(self.expression),
            "variables": list(self.expression.variables),
            "parameters": list(self.expression.parameters),
            "notes": [self.note] if self.note else [],
        }


@dataclass(frozen=True)
class Translator:
    """Reads the formulas of one dialect.

    Attributes
    ----------
    dialect : str
        Whose they are; not ``auto``.
    constants : {"keep", "lift"}
        ``keep``, or ``lift`` to make free parameters of the fitted ones.
    variables : tuple of str, optional
        Names of the columns, or None.
    domain : tuple of str, optional
        Names of the domain; those of the tool's own that are in it stay as they are.
    definitions : Definitions, optional
        Functions of the user's own.

    Examples
    --------
    >>> gplearn = Translator("gplearn")
    >>> gplearn.own_text("div(X0, X1)"), gplearn.own_text("0.5")
    ('pdiv(x0, x1)', '0.5')
    """

    dialect: str = "infix"
    constants: str = "keep"
    variables: tuple[str, ...] | None = None
    domain: tuple[str, ...] | None = None
    definitions: Definitions | None = None

    def __post_init__(self) -> None:
        if self.constants not in CONSTANTS:
            raise RangeError(f"constants must be 'keep' or 'lift', got {self.constants!r}")
        tool = find_tool(self.dialect)
        if self.dialect not in DIALECTS and (tool is None or not tool.reads):
            parse("0", dialect=self.dialect)  # says which there are

    def read(self, text: str) -> Expression:
        """The expression that a text means."""
        if self._tool is None:
            return parse(text, self.variables, self.dialect, self.constants, self.definitions)
        if self.domain is None and self.is_plain(text):
            try:
                own = parse(text)  # twice as fast, for files of 100,000
            except SymbedError:
                pass  # told below, in the words of the tool
            else:
                # PySR has no free parameters: every name is a column.
                return Expression.unchecked(own.postfix, tuple(dict.fromkeys(own.names)))
        expression = read(text, self._tool, self.variables, domain=self.domain, quiet=True)
        self._require_columns(expression)
        return expression if self.constants == "keep" else lift(expression, self.constants)

    def _require_columns(self, expression: Expression) -> None:
        """Numbered variables need names where the domain has only names of another kind."""
        numbered = [name for name in expression.declared or () if name not in (self.domain or ())]
        # "-" counts as one, so that a formula without variables passes.
        if not self.domain or self.variables or len(numbered) < len(expression.variables or "-"):
            return
        listed = ",".join(self.domain)
        problem = f"{title_of(self.dialect)} numbers its variables, and the domain has {listed}"
        error = ParseError(problem, hint="name the columns in their order: variables=(...)")
        error.in_command = f"{problem}; name its columns in their order: --variables {listed}"
        raise error

    def read_object(self, source: object) -> Expression:
        """The expression that a SymPy object means, or a list of tokens."""
        if hasattr(source, "func") or (self._tool and self._tool.name not in WRITTEN_AS_LISTS):
            return parse(source, self.variables, constants=self.constants)
        return self.read(source)  # type: ignore[arg-type]

    def own_text(self, text: str, expression: Expression | None = None) -> str:
        """The text in our own language; ``expression`` spares reading it again."""
        if self.is_plain(text):
            return text
        meant = expression or self.read(text)
        if _means(text, meant):
            return text
        own = str(meant)
        if not _means(own, meant):
            # Only a variable that is declared e or pi can be meant and not be said.
            taken = " and ".join(sorted({"e", "pi"} & set(meant.names)))
            raise ParseError(f"{taken} is a number in our own language", hint="rename the variable")
        return own

    def convert(self, text: str, target: str) -> Conversion:
        """A text in the words of another dialect."""
        expression = self.read(text)
        written = expression.to(target, self.variables)
        return Conversion(text, written, expression, self.note(text))

    def note(self, text: str) -> str:
        """What must be told of a text although it can be read; mostly nothing."""
        return lossy_note(text, self._tool) if self._tool else ""

    def is_plain(self, text: str) -> bool:
        """Whether a text is certainly of our own language, and means the same there.

        Of PySR's, those with numbered variables: a column may be called ``e``.
        """
        if self.constants != "keep" or self.variables is not None or self.definitions:
            return False
        if self.dialect == "infix":
            return True
        return self.dialect == "pysr" and self._shared.fullmatch(text) is not None

    @cached_property
    def _shared(self) -> re.Pattern[str]:
        """What both languages write, and mean the same by."""
        words = self._tool.meanings if self._tool else {}
        calls = "|".join(
            word for word, row in words.items() if row is BY_NAME.get(word) and word.isidentifier()
        )
        return re.compile(PLAIN.format(calls=calls), re.ASCII)

    @cached_property
    def _tool(self) -> Tool | None:
        tool = find_tool(self.dialect)
        if tool is None or not self.definitions:
            return tool
        from symbed.language.definitions import tool_with

        return tool_with(tool, self.definitions)


def _means(text: str, expression: Expression) -> bool:
    """Whether our own language means the expression by a text."""
    try:
        return parse(text).postfix == expression.postfix
    except SymbedError:
        return False
