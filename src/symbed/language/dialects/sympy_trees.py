"""SymPy's formulas: its objects, their ``srepr`` text and their ``str`` text.

Nothing of SymPy is imported and nothing is evaluated: an object is walked by its ``func`` and
``args``, and the text of ``srepr`` is read by a reader of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symbed.errors import ParseError, RangeError, ShapeError
from symbed.language._token_readers import read_infix
from symbed.language.dialects.templates import (
    BRANCH,
    COMPARISONS,
    Builder,
    Template,
    finish_branches,
    negate,
    plain_sinc,
    step,
)
from symbed.language.dialects.tool_table import SIGNS, Style, Token, Tool, cut_by, cut_formula
from symbed.language.expression import Item, emit, spans
from symbed.language.names import clean_name
from symbed.language.operators import ADD, BY_NAME, DIVIDE, INV, MULTIPLY, POW, Operator
from symbed.language.tokens import Fault, Symbols, brief
from symbed.limits import NESTING, NODES, TOKENS

SREPR = re.compile(
    r"\s*(?:[A-Za-z_]\w*\s*\(.*\b)?(?:Symbol|Dummy|Integer|Float|Rational)\(", re.DOTALL
)
QUOTED = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"|[A-Za-z_]\w*|[-+]?[0-9][0-9.eE+-]*|\S")
CHAINS = {"Add": ADD, "Mul": MULTIPLY, "Max": BY_NAME["max"], "Min": BY_NAME["min"]}
LEAVES: dict[str, Item] = {
    "pi": BY_NAME["pi"], "Pi": BY_NAME["pi"], "E": BY_NAME["e"], "Exp1": BY_NAME["e"],
    "oo": float("inf"), "Infinity": float("inf"), "NegativeInfinity": float("-inf"),
    "Zero": 0.0, "One": 1.0, "NegativeOne": -1.0, "true": 1.0, "BooleanTrue": 1.0,
}  # fmt: skip
TRUTHS = ("And", "Or")  # of any number of conditions
ATOMS = frozenset({"Symbol", "Dummy", "Integer", "Float", "Rational", "Half"})
SQRT = BY_NAME["sqrt"]
BRANCH_WORD = "Piecewise"  # once its pairs are nested
OTHER_TOKENS = {"oo": "1e999", "|": "||"}  # a bar means "or", and no magnitude

WORDS: dict[str, str | Template | Builder] = {
    **SIGNS, **COMPARISONS,
    "Max": "max(a, b)", "Min": "min(a, b)", "frac": "a - floor(a)",
    "acot": "atan(1/a)", "asec": "acos(1/a)", "acsc": "asin(1/a)",
    "acoth": "atanh(1/a)", "asech": "acosh(1/a)", "acsch": "asinh(1/a)",
    "digamma": "polygamma(0, a)", "factorial": "gamma(a + 1)", "sinc": Builder(1, plain_sinc),
    BRANCH_WORD: BRANCH,
    "StrictGreaterThan": COMPARISONS[">"], "GreaterThan": COMPARISONS[">="],
    "StrictLessThan": COMPARISONS["<"], "LessThan": COMPARISONS["<="],
    "And": COMPARISONS["&"], "Or": COMPARISONS["||"], "Not": Builder(1, negate),
    **{word: Builder(2, COMPARISONS[sign].build) for word, sign in (
        ("Eq", "=="), ("Ne", "!="), ("Equality", "=="), ("Unequality", "!="),
        ("Gt", ">"), ("Ge", ">="), ("Lt", "<"), ("Le", "<="))},
}  # fmt: skip


def _quotient(p: int, q: int) -> float:
    try:
        value = p / q
    except OverflowError:
        raise _out_of_range() from None
    # A fraction is never zero: this one was too small for a double.
    if not value:
        raise _out_of_range()
    return value


def _out_of_range() -> RangeError:
    return RangeError("a number of SymPy's is out of the range of floats, 1e-308 to 1.8e308")


class _Builder:
    """Postfix from a tree that is visited from the left: each operator after its operands."""

    def __init__(self, rows: Mapping[str, Operator]) -> None:
        self.rows, self.out = rows, list[Item]()
        self.symbols: dict[str, object] = {}

    def symbol(self, name: str, identity: object) -> None:
        """A symbol; another one of the same name, with other assumptions, is refused."""
        self.leaf(name)
        # To SymPy they are two variables, and by name they would become one.
        if self.symbols.setdefault(name, identity) != identity:
            raise ShapeError(
                f"two different SymPy symbols are called {name!r}, such as with and without "
                "positive=True; rename one, or make both with the same assumptions"
            )

    def leaf(self, item: Item) -> None:
        self.out.append(clean_name(item) if isinstance(item, str) else item)
        NODES.check(len(self.out))

    def rational(self, p: int, q: int) -> None:
        try:
            # A fraction stays a quotient, since 1/3 is no double.
            parts: list[Item] = [float(p)] if q == 1 else [float(p), float(q), DIVIDE]
        except OverflowError:  # the quotient of two that are too large need not be
            parts = [_quotient(p, q)]
        self.out += parts

    def real(self, number: object) -> None:
        try:
            value = float(number)  # type: ignore[arg-type]
        except OverflowError:
            value = math.inf
        if math.isinf(value):
            raise _out_of_range()
        self.leaf(value)

    def after_argument(self, name: str, place: int) -> None:
        if place and name in CHAINS:
            emit(self.out, CHAINS[name])
        elif place and name in TRUTHS:
            self.out.append(self.rows[name])

    def leave(self, name: str, count: int) -> None:
        if not count:
            raise ShapeError(f"{name} without arguments")
        if name in CHAINS or name in TRUTHS or name == "ExprCondPair":
            return
        if name == "Piecewise":
            finish_branches(self.out, count, self.rows[BRANCH_WORD])
            return
        if name == "Pow" and count == 2:
            self._power()
            return
        if name == "Heaviside" and count == 2:
            self._step()
            return
        row = self.rows.get(name)
        if row is None or not row.arity:
            raise ShapeError(f"SymPy's {brief(name)} has no counterpart here")
        if row.arity != count:
            raise ShapeError(f"SymPy's {name} takes {row.arity} arguments here, got {count}")
        emit(self.out, row)

    def _step(self) -> None:
        """SymPy's step has its value at zero as second argument."""
        start = spans(tuple(self.out))[-1]
        middle = self.out[start:]
        del self.out[start:]
        argument = self.out[spans(tuple(self.out))[-1] :]
        del self.out[len(self.out) - len(argument) :]
        # SymPy's own value at zero is the fraction 1/2.
        self.out += step([*argument], [0.5] if middle == [1.0, 2.0, DIVIDE] else middle)

    def _power(self) -> None:
        """A square root is one, though SymPy writes it as a power."""
        exponent = self.out[-3:]
        if exponent[1:] == [2.0, DIVIDE] and exponent[0] in (1.0, -1.0):
            # The exponent of sqrt(x) is the fraction 1/2, three items here.
            self.out[-3:] = [SQRT] if exponent[0] == 1.0 else [SQRT, INV]
        else:
            emit(self.out, POW)


def walk(source: object) -> list[Item]:
    """The postfix sequence of a SymPy object."""
    builder = _Builder(SYMPY.rows)
    # Still to do, the next last: a node, or (a parent's name, how many of its arguments are done).
    waiting: list[tuple[object, str, int, int]] = [(source, "", 0, 0)]
    while waiting:
        node, name, place, count = waiting.pop()
        if node is None:
            if place == count:
                builder.leave(name, count)
            else:
                builder.after_argument(name, place)
            continue
        NODES.check(len(waiting))
        _visit(node, builder, waiting)
    return builder.out


def _visit(node: object, builder: _Builder, waiting: list[tuple[object, str, int, int]]) -> None:
    args, func = getattr(node, "args", None), getattr(node, "func", None)
    kind = getattr(func, "__name__", "")
    if not isinstance(args, tuple) or not kind:
        raise ShapeError(f"a SymPy expression is needed, got {type(node).__name__}")
    if args:
        waiting.append((None, kind, len(args), len(args)))
        for place in range(len(args) - 1, -1, -1):
            if place:
                waiting.append((None, kind, place, -1))
            waiting.append((args[place], "", 0, 0))
        return
    p, q, name = (getattr(node, field, None) for field in ("p", "q", "name"))
    if isinstance(name, str):
        builder.symbol(name, node)
    elif isinstance(p, int) and isinstance(q, int) and kind not in LEAVES:
        builder.rational(p, q)
    elif kind in LEAVES:
        builder.leaf(LEAVES[kind])
    elif kind == "Float":
        builder.real(node)
    else:
        raise ShapeError(f"SymPy's {brief(kind)} has no counterpart here")


def read_srepr(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of ``srepr`` text."""
    builder = _Builder(symbols.rows)
    open_calls: list[tuple[str, int]] = []  # name, arguments done
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.isidentifier() and tokens[place + 1 : place + 2] == ["("]:
            if token in ATOMS:
                place = _atom(token, tokens, place + 2, builder)
            else:
                open_calls.append((token, 0))
                NESTING.check(len(open_calls))
                place += 2
                continue
        elif token in LEAVES:
            builder.leaf(LEAVES[token])
        else:
            raise Fault(place, f"unexpected {brief(token)}")
        place = _after_value(tokens, place + 1, open_calls, builder)
    if open_calls or not tokens:
        raise Fault(len(tokens), "the text ends too early")
    return builder.out


def _after_value(
    tokens: list[str], place: int, open_calls: list[tuple[str, int]], builder: _Builder
) -> int:
    """Take the commas and closing parentheses behind a value."""
    while open_calls:
        name, done = open_calls[-1]
        builder.after_argument(name, done)
        open_calls[-1] = (name, done + 1)
        sign = tokens[place] if place < len(tokens) else ""
        if sign == ",":
            return place + 1
        if sign != ")":
            raise Fault(min(place, len(tokens)), "',' or ')' is missing")
        builder.leave(*open_calls.pop())
        place += 1
    if place < len(tokens):
        raise Fault(place, f"{brief(tokens[place])} after the end of the expression")
    return place


def _atom(kind: str, tokens: list[str], place: int, builder: _Builder) -> int:
    """Read the arguments of a symbol or number; return the place of its closing parenthesis."""
    inside: list[str] = []
    while place < len(tokens) and tokens[place] != ")":
        inside.append(tokens[place])
        place += 1
    if place == len(tokens) or not inside:
        raise Fault(place, f"{kind} is not complete")
    first = inside[0].strip("'\"")
    try:
        if kind in ("Symbol", "Dummy"):
            builder.symbol(clean_name(first), (kind, *inside[1:]))
        elif kind == "Float":
            builder.real(first)
        else:
            builder.rational(int(first), int(inside[2]) if len(inside) > 2 else 1)
    except (ValueError, IndexError) as error:
        raise Fault(place, str(getattr(error, "problem", f"{kind} of {brief(first)}"))) from None
    return place


def cut_sympy(source: str) -> list[Token]:
    """The tokens of ``str`` or ``srepr`` text."""
    if SREPR.match(source):
        return cut_by(QUOTED, source)
    tokens = cut_formula(source)
    return nest_branches([Token(OTHER_TOKENS.get(text, text), place) for text, place in tokens])


def nest_branches(tokens: list[Token]) -> list[Token]:
    """``Piecewise((a, s), (b, True))`` as a call of three: value, condition, what else.

    >>> tokens = nest_branches(cut_formula("Piecewise((a, s), (b, True))"))
    >>> " ".join(token.text for token in tokens)
    'Piecewise ( a , s , + ( b ) )'
    """
    out: list[Token] = []
    open_groups: list[_Group] = []
    steps = iter(range(len(tokens)))
    for k in steps:
        token, top = tokens[k], open_groups[-1] if open_groups else None
        if token.text == "Piecewise" and k + 1 < len(tokens) and tokens[k + 1].text == "(":
            open_groups.append(_Group("branches"))
            next(steps)
        elif token.text == "(":
            is_pair = top is not None and top.kind == "branches"
            open_groups.append(_Group("pair" if is_pair else "", len(out)))
            out += [Token(BRANCH_WORD, token.place)] * is_pair + [token]
        elif token.text == ")" and top is not None:
            open_groups.pop()
            _close(top, token, out, open_groups)
        elif token.text != "," or top is None or top.kind != "branches":
            out.append(token)
    return out


@dataclass
class _Group:
    """An open parenthesis: of Piecewise, of one of its pairs, or any other."""

    kind: str
    start: int = 0  # its place among the tokens
    waiting: int = 0  # calls that are closed at the end
    is_total: bool = False  # whether the last condition was True


def _close(group: _Group, token: Token, out: list[Token], open_groups: list[_Group]) -> None:
    place = token.place
    if group.kind == "branches":
        if not group.waiting and not group.is_total:
            raise ParseError("Piecewise without a branch", hint="write Piecewise((a, x > 0))")
        # Where no condition holds, SymPy's Piecewise is undefined.
        rest = [] if group.is_total else ["(", "0", "/", "0", ")"]
        out += [Token(text, place) for text in rest + [")"] * group.waiting]
    elif group.kind == "pair":
        owner = open_groups[-1]
        if owner.is_total:
            raise ParseError("a branch after the one that is always taken", hint="leave it out")
        if [last.text for last in out[-2:]] == [",", "True"]:
            del out[-2:]
            out[group.start] = Token("+", out[group.start].place)  # a sign that does nothing
            out.append(token)
            owner.is_total = True
        else:
            out.append(Token(",", place))
            owner.waiting += 1
    else:
        out.append(token)


def read_sympy(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read ``srepr`` text, which has quoted names or the names of classes, or infix text."""
    TOKENS.check(len(tokens))
    # Only srepr spells out the classes of symbols and numbers.
    is_srepr = any(token in ATOMS for token in tokens)
    read: Callable[[list[str], Symbols], list[Item]] = read_srepr if is_srepr else read_infix
    return read(tokens, symbols)


SYMPY = Tool(
    name="sympy",
    title="SymPy",
    base=None,
    constants="all digits, as numbers in the text; integers and fractions are exact",
    words=WORDS,
    parameters="=",
    open_names=True,
    strict=False,
    cut=cut_sympy,
    read=read_sympy,
    prepare=walk,
    refused={"I": "the imaginary unit", "zoo": "complex infinity"},
    style=Style(power="**"),
)
