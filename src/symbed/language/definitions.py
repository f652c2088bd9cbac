"""Definitions of users' own functions, such as ``hill(x, n) = x^n/(1 + x^n)``, as a value.

A definition is read, never run: a call is replaced by the formula while a text is read, so nothing
recurses and the published limits hold. There is no registry: who reads a formula gives the
definitions along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from symbed._text_files import read_text
from symbed.errors import ParseError, RangeError
from symbed.language.dialects.templates import Builder, Template, expand
from symbed.language.dialects.tool_table import Tool
from symbed.language.expression import Expression, Item, Postfix, emit, spans
from symbed.language.names import clean_name
from symbed.language.operators import ATOM, BY_NAME, FIXED_POWERS, POW, Operator
from symbed.language.parser import WHERE, parse
from symbed.language.printers import TEXT, call_pieces, write
from symbed.limits import NODES, VARIABLES

# (?!=), since f(x) == y is a comparison.
HEAD = re.compile(r"\s*([^\W\d]\w*)\s*\(([^()]*)\)\s*=(?!=)\s*(.*)\Z", re.DOTALL)
EXPONENTS: dict[Any, float] = {row: exponent for exponent, row in FIXED_POWERS.items()}
EXAMPLE = "write it as hill(x, n) = x^n/(1 + x^n)"


def define(*sources: str | Definitions) -> Definitions:
    """Functions by their formulas, for ``parse`` and the other readers.

    Parameters
    ----------
    *sources : str or Definitions
        Texts such as ``hill(x, n) = x^n/(1 + x^n)``, or earlier definitions. A text may have
        several lines, and may use what was defined before it. Other names in a formula are free
        parameters of whoever calls it.

    Examples
    --------
    >>> own = define("hill(x, n) = x^n/(1 + x^n)", "twice(x) = hill(x, 2)")
    >>> from symbed.language.parser import parse
    >>> parse("a*twice(t)", definitions=own)
    Expression('a*(t^2/(1 + t^2))')
    >>> own.shown(parse("a*(t^2/(1 + t^2))"))
    'a*twice(t)'
    """
    known: dict[str, Definition] = {}
    for source in sources:
        if isinstance(source, Definitions):
            known.update(source)
            continue
        for line in source.splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                made = _read(line, Definitions(known))
                if made.name in known:
                    raise RangeError(f"{made.name!r} is defined twice; leave one out")
                known[made.name] = made
                VARIABLES.check(len(known))
    return Definitions(known)


def read_definitions(words: Iterable[str]) -> Definitions:
    """Definitions from texts and from paths of files of them; a text has a ``=``."""
    texts = [word if "=" in word else read_text(word) for word in words]
    return define(*texts)


@dataclass(frozen=True)
class Definition:
    """One function: its name, the names of its operands, and its formula with these as numbers."""

    name: str
    operands: tuple[str, ...]
    template: Template
    text: str

    @property
    def builder(self) -> Builder:
        """What a call of it is replaced by."""
        return Builder(len(self.operands), self._build)

    def _build(self, *operands: list[Item]) -> list[Item]:
        out: list[Item] = []
        for part in self.template:
            out += operands[part] if isinstance(part, int) else [part]
            NODES.check(len(out))
        return list(Expression(tuple(out)).postfix)


class Definitions(Mapping[str, Definition]):
    """Functions by name; made by ``define``."""

    def __init__(self, known: Mapping[str, Definition]) -> None:
        self._known = dict(known)

    def __getitem__(self, name: str) -> Definition:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return f"Definitions({'; '.join(one.text for one in self.values())})"

    # By identity, as keys of the caches of symbols and of tools.
    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    @cached_property
    def rows(self) -> dict[str, Operator]:
        """What each name is while a text is read."""
        return {name: Operator(name, len(one.operands), "call", ATOM) for name, one in self.items()}

    @cached_property
    def trees(self) -> dict[Operator, Template | Builder]:
        """What becomes of these rows."""
        return {self.rows[name]: one.builder for name, one in self.items()}

    def shown(self, expression: Expression) -> str:
        """The text of an expression in which these functions are called by their names."""
        postfix = _with_plain_powers(expression.postfix)
        # The last first: its formula may hold those of earlier ones, written out.
        for name, one in reversed(self._known.items()):
            postfix = _contracted(postfix, _with_plain_powers(one.template), self.rows[name])
        # Back to the fixed powers, which the printers expect.
        normal: list[Item] = []
        for item in postfix:
            emit(normal, item) if isinstance(item, Operator) else normal.append(item)
        postfix = tuple(normal)
        calls = {row: call_pieces(row.name, row.arity) for row in self.rows.values()}
        return "".join(write(postfix, TEXT._replace(pieces={**TEXT.pieces, **calls})))


@lru_cache(maxsize=64)
def tool_with(tool: Tool, definitions: Definitions) -> Tool:
    """A tool that knows these functions too, as PySR knows its users' operators."""
    for name in definitions:
        if name in tool.meanings:
            raise RangeError(f"{tool.title} has a word {name!r} already; rename the function")
    own = {name: one.builder for name, one in definitions.items()}
    return replace(tool, words={**tool.words, **own})


def expand_calls(postfix: Postfix, definitions: Definitions | None) -> Postfix:
    """The sequence with calls of ``where`` and of defined functions written out."""
    from symbed.language.dialects.templates import WHERE as CHOICE

    return expand(postfix, {WHERE: CHOICE} | (definitions.trees if definitions else {}))


def _read(text: str, known: Definitions) -> Definition:
    head = HEAD.match(text)
    if head is None:
        raise ParseError("this is no definition", text, 0, EXAMPLE)
    name, listed, body = head.groups()
    name = clean_name(name)
    if name in BY_NAME or name == WHERE.name:
        raise RangeError(f"{name!r} is a function of the language; give yours another name")
    operands = tuple(clean_name(part.strip()) for part in listed.split(",") if part.strip())
    if not operands or len(set(operands)) < len(operands):
        raise ParseError("a function needs names for its operands, each once", text, 0, EXAMPLE)
    try:
        postfix = parse(body, operands, definitions=known).postfix
    except ParseError as error:
        # The error's position is in the formula; the message shows the whole definition.
        place = head.start(3) + (error.position or 0)
        raise ParseError(error.problem, text, place, error.hint) from None
    places = {operand: place for place, operand in enumerate(operands)}
    template = tuple(places.get(i, i) if isinstance(i, str) else i for i in postfix)
    return Definition(name, operands, template, " ".join(text.split()))


def _with_plain_powers(postfix: Template) -> Template:
    """The sequence with ``x^2`` as a power and a number, so that it matches ``x^n``."""
    out: list[Any] = []
    for item in postfix:
        out += (EXPONENTS[item], POW) if item in EXPONENTS else (item,)
    return tuple(out)


def _contracted(postfix: Postfix, template: Template, row: Operator) -> Postfix:
    """The sequence with every tree that a template makes replaced by a call of its row."""
    # A function that is its operand would match every tree, and one that leaves an operand out
    # cannot tell what that was.
    places = {item for item in template if isinstance(item, int)}  # the number 1.0 is no place
    if len(template) < 2 or len(places) < row.arity:
        return postfix
    out: list[Item] = []
    starts: list[int] = []  # of the values that wait
    for item in postfix:
        arity = item.arity if isinstance(item, Operator) else 0
        start = starts[-arity] if arity else len(out)
        out.append(item)
        if arity:
            del starts[-arity:]
        if item == template[-1]:
            operands = _matched(out, start, template, row.arity)
            if operands is not None:
                out[start:] = [*(part for operand in operands for part in operand), row]
        starts.append(start)
    return tuple(out)


def _matched(
    out: list[Item], start: int, template: Template, arity: int
) -> list[list[Item]] | None:
    """The operands of the tree that begins at ``start``, if the template makes it."""
    tree = tuple(out[start:])
    begins = spans(tree)
    operands: list[list[Item] | None] = [None] * arity
    place = len(tree) - 1
    for part in reversed(template):
        if place < 0:
            return None
        if isinstance(part, int):
            operand = list(tree[begins[place] : place + 1])
            # An operand that occurs twice must be the same tree both times.
            if operands[part] not in (None, operand):
                return None
            operands[part] = operand
            place = begins[place] - 1
        elif tree[place] != part:
            return None
        else:
            place -= 1
    return [operand for operand in operands if operand is not None] if place == -1 else None
