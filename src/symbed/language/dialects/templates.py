"""Templates: words of other tools that stand for a small tree of ours, such as ``logabs``.

A template is a postfix sequence in which integers stand for operands: ``(0, ABS, LN)`` is the
logarithm of a magnitude. It is given as text in our own language, with ``a``, ``b`` and ``c`` for
the operands, and read when its tool is first used. While a formula is read or written, such a word
has a row of its own that is in no table; ``expand`` replaces these rows by their trees,
``contract`` finds the trees again. Operators are written out in the same way by the definitions in
their rows, for those who know the others only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from symbed.errors import ParseError
from symbed.language.expression import Item, Postfix, emit, spans
from symbed.language.operators import (
    ADD,
    ATOM,
    BY_NAME,
    COMPARISON,
    DIVIDE,
    MULTIPLY,
    SUBTRACT,
    TABLE,
    Form,
    Operator,
)
from symbed.language.parser import parse
from symbed.limits import NODES

Template = tuple[int | Operator | str | float, ...]

TRUNCATE = "sign(a)*floor(abs(a))"


@dataclass(frozen=True, eq=False)
class Builder:
    """A word whose tree depends on what its operands are.

    Attributes
    ----------
    arity : int
        How many operands it has.
    build : callable
        From the sequences of its operands to that of the whole.
    precedence : int
        Below ``ATOM``, the word is a sign between its operands.
    """

    arity: int
    build: Callable[..., Sequence[Item]]
    precedence: int = ATOM


def step(a: Sequence[Item], b: Sequence[Item]) -> list[Item]:
    """NumPy's and SymPy's step of ``a``, which is ``b`` at zero."""
    ours = [*a, BY_NAME["heaviside"]]
    if list(b) == [0.5]:
        return ours
    # Our step is 0.5 at zero; what is missing there is added where a == 0.
    return [*ours, *b, 0.5, SUBTRACT, *a, 0.0, BY_NAME["=="], MULTIPLY, ADD]


def plain_sinc(a: Sequence[Item]) -> list[Item]:
    """SymPy's and LaTeX's sinc, sin(a)/a; of ``pi*a`` it is our ``sinc`` of ``a``."""
    # A product whose right operand begins behind the first item has that item as its left one.
    if a[0] is BY_NAME["pi"] and a[-1] is MULTIPLY and spans(tuple(a))[-2] == 1:
        return [*a[1:-1], BY_NAME["sinc"]]
    return list(expand([*a, _SINC_ROW], {_SINC_ROW: read_template(_SINC)}))


_SINC = "cond(abs(a), sin(a)/a) + (a == 0)"
_SINC_ROW = Operator("sinc", 1, "call", ATOM)


@cache
def read_template(text: str) -> Template:
    """A template from its text.

    >>> read_template("ln(abs(a))")
    (0, <abs>, <ln>)
    """
    places = {"a": 0, "b": 1, "c": 2}
    postfix = parse(text, variables=tuple(places)).postfix
    return tuple(places.get(item, item) if isinstance(item, str) else item for item in postfix)


@cache
def detours(row: Operator) -> tuple[Template, ...]:
    """How to say an operator that a tool has no word for, the best first."""
    return tuple(
        read_template(way)
        if isinstance(way, str)
        else tuple(BY_NAME[part] if isinstance(part, str) else part for part in way)
        for way in (*row.detours, *[row.definition] * bool(row.definition))
    )


def make_row(word: str, template: Template | Builder) -> Operator:
    """The row that stands for a word while it is read or written."""
    if isinstance(template, Builder):
        form: Form = "call" if template.precedence == ATOM else "infix"
        return Operator(word, template.arity, form, template.precedence)
    arity = 1 + max(part for part in template if isinstance(part, int))
    last = template[-1]
    # A word for a commutative operator alone, as SymPy's Max, may be called with more operands.
    chains = len(template) == 3 and isinstance(last, Operator) and last.commutative
    return Operator(word, arity, "call", ATOM, chains=chains)


def is_operand(part: int | Operator | str | float) -> bool:
    """Whether a part of a template stands for an operand; numbers are floats."""
    return isinstance(part, int)


def expand(
    postfix: Iterable[Item], trees: Mapping[Operator, Template | Builder], *, normal: bool = True
) -> Postfix:
    """The sequence with each row of ``trees`` replaced by its tree.

    ``normal`` gives every tree its one form (see ``emit``); without it, ``x`` to the power 2 stays
    a power, for those who must write it as one.

    >>> from symbed.language.operators import BY_NAME
    >>> tree = (0, BY_NAME["abs"], BY_NAME["ln"])
    >>> row = make_row("logabs", tree)
    >>> expand(("x", row), {row: tree})
    ('x', <abs>, <ln>)
    """
    out: list[Item] = []
    starts: list[int] = []  # of the values that wait
    for item in postfix:
        arity = item.arity if isinstance(item, Operator) else 0
        start = starts[-arity] if arity else len(out)
        template = trees.get(item) if isinstance(item, Operator) else None
        if template is not None:
            bounds = [*starts[-arity:], len(out)]
            if isinstance(template, Builder):
                _append_built(out, bounds, template)
            else:
                _append_tree(out, bounds, template, normal)
        elif isinstance(item, Operator) and normal:
            emit(out, item)
        else:
            out.append(item)
        if arity:
            del starts[-arity:]
        starts.append(start)
    return tuple(out)


def contract(postfix: Postfix, trees: Mapping[Operator, Template | Builder]) -> Postfix:
    """The sequence with the trees that end in a known tail replaced by their rows.

    Only templates that begin with their operands in order have such a tail. Longer tails first.

    >>> from symbed.language.operators import BY_NAME
    >>> tree = (0, BY_NAME["abs"], BY_NAME["ln"])
    >>> row = make_row("logabs", tree)
    >>> contract(("x", *tree[1:]), {row: tree})
    ('x', <logabs>)
    """
    tails = [(row, tail) for row, template in trees.items() if (tail := _tail(template))]
    # A short tail may be the end of a longer one.
    tails.sort(key=lambda pair: -len(pair[1]))
    ends = {tail[-1] for _, tail in tails}
    out: list[Item] = []
    for item in postfix:
        out.append(item)
        if item not in ends:
            continue
        for row, tail in tails:
            if len(out) > len(tail) and tuple(out[-len(tail) :]) == tail:
                out[-len(tail) :] = [row]
                break
    return tuple(out)


def _tail(template: Template | Builder) -> Postfix:
    """What follows the operands, if they come first, in order, and once each."""
    if isinstance(template, Builder):
        return ()
    count = sum(map(is_operand, template))
    leading = all(
        template[place] == place and is_operand(template[place]) for place in range(count)
    )
    return template[count:] if leading else ()


def _append_built(out: list[Item], bounds: Sequence[int], builder: Builder) -> None:
    operands = [out[a:b] for a, b in pairwise(bounds)]
    del out[bounds[0] :]
    out.extend(builder.build(*operands))
    NODES.check(len(out))


def _append_tree(out: list[Item], bounds: Sequence[int], template: Template, normal: bool) -> None:
    """Replace the operands at the end of ``out``, which begin at ``bounds``, by the tree."""
    tail = _tail(template)
    # With a tail the operands already lie where they belong, and nothing is copied.
    operands = [] if tail else [out[a:b] for a, b in pairwise(bounds)]
    if not tail:
        del out[bounds[0] :]
    for part in tail or template:
        if isinstance(part, int):
            out.extend(operands[part])
            NODES.check(len(out))
        elif isinstance(part, Operator) and normal:
            emit(out, part)
        else:
            out.append(part)


def write_out(postfix: Postfix) -> Postfix:
    """The sequence without the operators whose rows have a definition.

    As real functions the two are the same; rounded, the operator keeps more digits.

    >>> write_out(parse("sec(x)").postfix) == parse("1/cos(x)").postfix
    True
    """
    while any(item in DEFINED for item in postfix):
        postfix = expand(postfix, _definitions())
    return postfix


@cache
def _definitions() -> dict[Operator, Template]:
    return {row: read_template(row.definition) for row in DEFINED}


DEFINED = frozenset(row for row in TABLE if row.definition)


# ---- comparisons and choices, in our own comparisons, cond and unless ----
#
# A truth is a tree whose root is a comparison; as a number it is 1 or 0, as in Python and Julia. A
# choice is ``cond(t, u) + unless(t, v)``: the first where ``t > 0``, the second elsewhere, each
# whatever the other is there. So ``x > 0`` is tested by ``x`` itself.

COND, UNLESS, MIN, MAX = (BY_NAME[name] for name in ("cond", "unless", "min", "max"))
BOTH, EITHER = -1, -2  # precedences: looser than a comparison
UNDEFINED: list[Item] = [0.0, 0.0, DIVIDE]
OPPOSITES = {
    BY_NAME[one]: BY_NAME[other]
    for pair in ((">", "<="), ("<", ">="), ("==", "!="))
    for one, other in (pair, pair[::-1])
}

Values = list[Item]


def compare(sign: str, a: Values, b: Values) -> Values:
    """The truth of ``a > b`` or another comparison."""
    for side in (a, b):
        if is_truth(side):
            raise ParseError("a comparison of a comparison", hint="write (a < b) & (b < c)")
    return [*a, *b, BY_NAME[sign]]


def negate(truth: Values) -> Values:
    """The opposite of a truth."""
    _require(truth)
    root = truth[-1]
    assert isinstance(root, Operator)
    return [*truth[:-1], OPPOSITES[root]]


def both(a: Values, b: Values) -> Values:
    """The truth that two truths hold."""
    # The smaller of two tests is positive exactly where both are.
    return [*_test(a), *_test(b), MIN, 0.0, BY_NAME[">"]]


def either(a: Values, b: Values) -> Values:
    """The truth that one of two truths holds."""
    return [*_test(a), *_test(b), MAX, 0.0, BY_NAME[">"]]


def choose(truth: Values, value: Values, other: Values) -> Values:
    """One value where a truth holds, another elsewhere.

    >>> from symbed.language.expression import Expression
    >>> print(Expression(tuple(choose(["x", 1.0, BY_NAME["<"]], ["y"], ["z"]))))
    cond(x < 1, y) + unless(x < 1, z)
    """
    test = _test(truth)
    if other == [0.0]:
        # A truth is 1 or 0 itself, and cond is 0 elsewhere by itself.
        return truth if value == [1.0] else [*test, *value, COND]
    second = [*test, *other, UNLESS]
    return second if value == [0.0] else [*test, *value, COND, *second, ADD]


def is_truth(value: Values) -> bool:
    """Whether a tree is a comparison."""
    root = value[-1]
    return isinstance(root, Operator) and root.precedence == COMPARISON


def _require(truth: Values) -> None:
    if not is_truth(truth):
        raise ParseError("a condition must be a comparison", hint="write x > 0 or x != 0")


def _test(truth: Values) -> Values:
    """What is positive exactly where a truth holds."""
    _require(truth)
    # So x > 0 is tested by x, and our own cond(x, y) comes back as itself.
    return truth[:-2] if truth[-1] is BY_NAME[">"] and truth[-2] == 0.0 else truth


def _comparison(sign: str) -> Builder:
    return Builder(2, lambda a, b: compare(sign, a, b), COMPARISON)


COMPARISONS = {
    **{sign: _comparison(sign) for sign in (">", "<", ">=", "<=", "==", "!=")},
    "&": Builder(2, both, BOTH),
    "||": Builder(2, either, EITHER),
}
WHERE = Builder(3, choose)  # the condition first
BRANCH = Builder(3, lambda value, truth, other: choose(truth, value, other))  # the value first


def finish_branches(out: list[Item], count: int, branch: Operator) -> None:
    """End a Piecewise of ``count`` pairs whose values and conditions lie at the end of ``out``."""
    if out[-1] == 1.0:  # a condition is never a number but where it says True
        out.pop()
        count -= 1
    else:
        out += UNDEFINED
    out += [branch] * count
