"""Reading of other tools' formulas, in our own words and names.

Numbered variables become ``x0, x1, ...``, the columns counted from 0, whatever the tool counts
from; so formulas of two tools can be compared as they are. Where the caller names the variables, a
numbered one is the column of that number. If it is also the name of another column, that is an
error, since both readings make sense.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from itertools import count

from symbed.errors import ParseError, ShapeError, SymbedWarning
from symbed.language.dialects.templates import expand
from symbed.language.dialects.tool_table import Token, Tool, cut_list
from symbed.language.expression import ANONYMOUS, Expression, Postfix
from symbed.language.operators import BY_NAME, is_reserved
from symbed.language.printers import nesting
from symbed.language.tokens import Fault, Symbols
from symbed.limits import NESTING, PARAMETERS, TEXT, TOKENS

# Not those that may be names too, such as gamma: a tool's variable may be called so.
FUNCTIONS = frozenset(
    name for name, row in BY_NAME.items() if row.arity and name.isidentifier() and is_reserved(name)
)

SPECIAL_FUNCTIONS = frozenset({
    "erfinv", "beta", "zeta", "besselj", "bessely", "besseli", "LambertW", "lambertw", "airyai",
    "airybi", "erfi", "uppergamma", "lowergamma", "Integral", "Derivative", "Sum", "Product",
})  # fmt: skip
FAMILY = "only elementary functions are read; a Python function can be compared as symbed.Family"


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
    _check_refused(postfix, tool, (*(variables or ()), *(domain or ())), shown)
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


def _check_refused(postfix: Postfix, tool: Tool, declared: tuple[str, ...], shown: str) -> None:
    """A name that means something to the tool must not become a name of ours."""
    written = set(postfix)
    for name in tool.refused.keys() & written - set(declared):
        problem = f"{tool.title}'s {name!r} is {tool.refused[name]}"
        raise ParseError(problem, shown, _place_of(name, shown), "only real formulas are read")
    # The letters of a column that is called age are a product to LaTeX, but not to its writer.
    for name in declared if tool.loose else ():
        run = rf"(?<![A-Za-z\\]){re.escape(name)}(?![A-Za-z])"
        # An e among them is Euler's number by now.
        is_product = len(name) > 1 and name not in written and set(name) - {"e"} <= written
        if is_product and re.search(run, shown):
            hint = rf"write \mathrm{{{name}}}"
            problem = f"the letters of {name!r} are a product to {tool.title}"
            raise ParseError(problem, shown, _place_of(name, shown), hint)


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
