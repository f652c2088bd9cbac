"""Reading of other tools' formulas, in our own words and names.

Numbered variables become ``x0, x1, ...``, the columns counted from 0, whatever the tool counts
from; so formulas of two tools can be compared as they are. Where the caller names the variables, a
numbered one is the column of that number. If it is also the name of another column, that is an
error, since both readings make sense.

`Translator` goes through the formulas of a file. A text that our own language reads the same stays
as it was written, so that results show it so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from symbed.errors import ParseError, RangeError, ShapeError, SymbedError, SymbedWarning
from symbed.language.dialects.templates import expand
from symbed.language.dialects.tool_table import WRITTEN_AS_LISTS, Token, Tool, cut_list, find_tool
from symbed.language.expression import ANONYMOUS, Expression, Postfix
from symbed.language.operators import BY_NAME, is_reserved
from symbed.language.parser import DIALECTS, lift, parse
from symbed.language.printers import nesting
from symbed.language.tokens import Fault, Symbols
from symbed.limits import NESTING, PARAMETERS, TEXT, TOKENS

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions

# Not those that may be names too, such as gamma: a tool's variable may be called so.
FUNCTIONS = frozenset(
    name for name, row in BY_NAME.items() if row.arity and name.isidentifier() and is_reserved(name)
)

SPECIAL_FUNCTIONS = frozenset({
    "erfinv", "beta", "zeta", "besselj", "bessely", "besseli", "LambertW", "lambertw", "airyai",
    "airybi", "erfi", "uppergamma", "lowergamma", "Integral", "Derivative", "Sum", "Product",
})  # fmt: skip
FAMILY = "only elementary functions are read; a Python function can be compared as symbed.Family"


CONSTANTS = ("keep", "lift")
# No leading zeros: x01 is x1 to a tool and a name of its own to us. *+ never goes back, so that
# a long text which does not match is refused in linear time.
PLAIN = (  # signs, numbers, numbered variables, and calls of some functions
    r"(?:[-+*/^(), ]|(?<![\w.])(?:x(?:0|[1-9][0-9]*)(?![\w.(])"
    r"|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?(?![\w.])|(?:{calls})\())*+"
)


class LossyConstants(SymbedWarning):
    """The tool rounded the constants of a formula when it wrote them."""


def read(
    source: object,
    tool: Tool,
    variables: tuple[str, ...] | None = None,
    *,
    domain: tuple[str, ...] | None = None,
    quiet: bool = False,
) -> Expression:
    """Read a formula of a tool.

    Parameters
    ----------
    source : object
        Text, a list of tokens, or an object that the tool knows.
    tool : Tool
        Whose formula it is.
    variables : tuple of str, optional
        Names of the columns, or None.
    domain : tuple of str, optional
        Names of the domain, without an order: the tool's own names stay as they are, if it has
        them.
    quiet : bool
        Whether rounded constants are passed over without a warning; see ``lossy_note``.
    """
    postfix, shown = read_as_written(source, tool)
    _check_refused(postfix, tool, variables, shown)
    note = "" if quiet else lossy_note(shown, tool)
    if note:
        warnings.warn(LossyConstants(note), stacklevel=4)
    names = _Names(tool, postfix, variables, shown, domain)
    renamed = tuple(names.new[item] if isinstance(item, str) else item for item in postfix)
    expression = Expression.unchecked(renamed, names.declared())
    # Fewer nodes can neither nest so deeply nor hold so many parameters.
    if len(renamed) > NESTING.maximum:
        NESTING.check(nesting(expression, NESTING.maximum))
        PARAMETERS.check(len(expression.parameters))
    return expression


def read_as_written(source: object, tool: Tool) -> tuple[Postfix, str]:
    """The formula with the names that the tool gave, and its text."""
    if not isinstance(source, str) and tool.prepare is not None:
        return expand(tool.prepare(source), tool.trees), ""
    shown, tokens = _cut(source, tool)
    TOKENS.check(len(tokens))
    try:
        postfix = tool.read([token.text for token in tokens], _symbols(tool))
    except Fault as fault:
        raise _pointed(fault, shown, tokens) from None
    return expand(postfix, tool.trees), shown


def _cut(source: object, tool: Tool) -> tuple[str, list[Token]]:
    if isinstance(source, str):
        TEXT.check(len(source))
        TEXT.check(len(source.encode("utf-8", "surrogatepass")))
        return source, tool.cut(source)
    if not isinstance(source, Sequence) or isinstance(source, (bytes, bytearray)):
        raise ShapeError(f"a {tool.title} formula is text or tokens, got {type(source).__name__}")
    TOKENS.check(len(source))
    for token in source:
        if not isinstance(token, str):
            raise ShapeError(f"a token list holds text, got {token!r}")
    shown = " ".join(source)
    TEXT.check(len(shown))
    return shown, cut_list(shown)


@lru_cache(maxsize=64)
def _symbols(tool: Tool) -> Symbols:
    return Symbols(tool.rows)


def _pointed(fault: Fault, shown: str, tokens: list[Token]) -> ParseError:
    if not tokens:
        return ParseError(fault.problem)
    inside = fault.place < len(tokens)
    place = tokens[fault.place].place + fault.offset if inside else len(shown.rstrip())
    word = tokens[fault.place].text if inside else ""
    if word in SPECIAL_FUNCTIONS and fault.problem.startswith("unknown function"):
        return ParseError(f"there is no operator for {word!r}", shown, place, FAMILY)
    return ParseError(fault.problem, shown, place, fault.hint)


def lossy_note(shown: str, tool: Tool) -> str:
    """What is to be said of constants that the tool rounded when it wrote the formula."""
    is_lossy = tool.lossy is not None and tool.lossy[0].search(shown)
    return f"{tool.title}: {tool.lossy[1]}" if tool.lossy and is_lossy else ""


def _check_refused(
    postfix: Postfix, tool: Tool, variables: tuple[str, ...] | None, shown: str
) -> None:
    """A name that means something to the tool must not become a name of ours."""
    for name in tool.refused.keys() & set(postfix) - set(variables or ()):
        problem = f"{tool.title}'s {name!r} is {tool.refused[name]}"
        raise ParseError(problem, shown, _place_of(name, shown), "only real formulas are read")


def _place_of(name: str, shown: str) -> int:
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", shown)
    return match.start() if match else 0


class _Names:
    """What a tool's names become."""

    def __init__(
        self,
        tool: Tool,
        postfix: Postfix,
        variables: tuple[str, ...] | None,
        shown: str,
        domain: tuple[str, ...] | None = None,
    ) -> None:
        self.tool, self.variables, self.shown, self.domain = tool, variables, shown, domain or ()
        spelled = dict.fromkeys(item for item in postfix if isinstance(item, str))
        numbers = {name: number for name in spelled if (number := self._number(name)) is not None}
        self.new = dict(zip(spelled, spelled, strict=True)) | self._columns(numbers)
        fitted = {name: match for name in spelled if (match := self._parameter(name))}
        # const, or C without a number, is a new parameter each time; C0 is one and the same.
        self.anonymous = {n for n, match in fitted.items() if not (match.re.groups and match[1])}
        for name in spelled:
            if name in self.anonymous:
                self.new[name] = ANONYMOUS
            elif tool.loose and variables is not None and name not in variables:
                self.new[name] = next((v for v in variables if _joined(v) == _joined(name)), name)
        # Columns and anonymous parameters have their new names; this is for the others only.
        self._keep_meaning(postfix)
        self.parameters = {self.new[name] for name in fitted}
        if tool.base is not None and variables is None:
            # A plain name must not be what a numbered variable becomes.
            taken = {self.new[name] for name in numbers}
            for name in spelled:
                if name not in numbers and self.new[name] in taken:
                    problem = f"{name!r} is also the name of column {name.removeprefix('x')}"
                    raise self._error(name, problem, "rename it")
        for name in filter(FUNCTIONS.__contains__, self.new.values()):
            problem = f"{name!r} is the name of a function, but none that {tool.title} has"
            raise self._error(name, problem, "rename it, or say whose formula it is")

    def _keep_meaning(self, postfix: Postfix) -> None:
        """Rename what our text would read otherwise: a tool's symbol ``C``, ``e`` or ``pi``.

        To the tool each is one name like any other; here ``C`` is a new parameter each time and the
        others are numbers. A ``C`` that occurs once is the same in both readings and stays.
        """
        for name in tuple(self.new):
            if self.new[name] != name or name in (self.variables or ()):
                continue
            many = name == ANONYMOUS and name not in self.anonymous and postfix.count(name) > 1
            if many or (name in BY_NAME and not BY_NAME[name].arity):
                taken = set(self.new.values()) | set(self.variables or ())
                self.new[name] = next(free for k in count() if (free := f"{name}_{k}") not in taken)

    def declared(self) -> tuple[str, ...] | None:
        """The names that are variables; None leaves it to convention."""
        if self.variables is not None or self.tool.open_names:
            return self.variables
        renamed = dict.fromkeys(self.new.values())
        return tuple(name for name in renamed if name not in self.parameters)

    def _number(self, name: str) -> int | None:
        if self.tool.variable is None or self.tool.base is None:
            return None
        match = self.tool.variable.fullmatch(name)
        if match is None:
            return None
        column = int(match[1]) - self.tool.base
        if column < 0:
            first = self.tool.spell(self.tool.base)
            raise self._error(
                name, f"{self.tool.title} counts variables from {first}, got {name!r}"
            )
        return column

    def _columns(self, numbers: dict[str, int]) -> dict[str, str]:
        if self.variables is None:
            return self._columns_of_domain(numbers)
        places = len(self.variables)
        # Either reading is taken if it is the only one that works; both are an error below unless
        # they agree.
        by_name = all(name in self.variables for name in numbers)
        beyond = next((name for name, column in numbers.items() if column >= places), None)
        if beyond is not None:
            if by_name:
                return {}
            given = f"{places} variables were given"
            raise self._error(beyond, f"{beyond!r} is column {numbers[beyond] + 1}, but {given}")
        named = {name: self.variables[column] for name, column in numbers.items()}
        differing = [name for name in named if named[name] != name]
        if by_name and differing:
            name = differing[0]
            problem = (
                f"{name!r} is one of the variables, but {self.tool.title}'s {name!r} is column"
            )
            hint = "give the variables other names, or in the order of the columns"
            raise self._error(name, f"{problem} {numbers[name] + 1}, {named[name]!r}", hint)
        return named

    def _columns_of_domain(self, numbers: dict[str, int]) -> dict[str, str]:
        """Our own names, or the tool's where the domain has these."""
        ours = {name: f"x{column}" for name, column in numbers.items()}
        if not any(name in self.domain for name in numbers):
            return ours
        # A domain from x0 on cannot be that of a tool that counts from x1.
        zeroth = self.tool.spell(0)
        if self.tool.base and zeroth in self.domain:
            first = self.tool.spell(self.tool.base)
            problem = (
                f"{self.tool.title} counts variables from {first}, but the domain has {zeroth}"
            )
            raise self._error(next(iter(numbers)), problem, "name them as the tool does")
        return {name: name for name in numbers}

    def _error(self, name: str, problem: str, hint: str = "") -> ParseError:
        return ParseError(problem, self.shown, _place_of(name, self.shown), hint)

    def _parameter(self, name: str) -> re.Match[str] | None:
        return self.tool.parameter.fullmatch(name) if self.tool.parameter else None


def _joined(name: str) -> str:
    """A name without the underscore before its number."""
    return re.sub(r"_(?=[0-9]+\Z)", "", name)


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
