"""Comparisons and choices of other tools, in our own comparisons, ``cond`` and ``unless``.

A truth is a tree whose root is a comparison; as a number it is 1 or 0, as Python and Julia have it.
A choice is ``cond(t, u) + unless(t, v)``: the first where ``t > 0``, the second elsewhere, each
whatever the other is there. So ``x > 0`` is tested by ``x`` itself.
"""

from __future__ import annotations

from collections.abc import Iterable

from symbed.errors import ParseError
from symbed.language.dialects.templates import Builder
from symbed.language.dialects.tokenizer import Token
from symbed.language.expression import Item
from symbed.language.operator_row import COMPARISON, Operator
from symbed.language.operators import ADD, BY_NAME, DIVIDE

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
BRANCH_WORD = "Piecewise"  # once its pairs are nested


def join_signs(tokens: Iterable[Token], *, bars: bool = False) -> list[Token]:
    """The tokens with ``>`` and ``=`` side by side as one; with ``bars``, ``|`` means "or".

    >>> from symbed.language.dialects.tokenizer import cut_formula
    >>> [token.text for token in join_signs(cut_formula("x >= 2"))]
    ['x', '>=', '2']
    """
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        if token.text == "=" and last and last.text in "<>=!" and last.place + 1 == token.place:
            joined[-1] = Token(last.text + "=", last.place)
        elif token.text == "|" and bars:
            joined.append(Token("||", token.place))
        else:
            joined.append(token)
    return joined


def nest_branches(tokens: list[Token]) -> list[Token]:
    """``Piecewise((a, s), (b, True))`` as a call of three: value, condition, what else.

    >>> from symbed.language.dialects.tokenizer import cut_formula
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


class _Group:
    """An open parenthesis: of Piecewise, of one of its pairs, or any other.

    ``start`` is its place among the tokens; ``waiting`` counts calls that are closed at the end;
    ``is_total`` says that the last condition was ``True``.
    """

    def __init__(self, kind: str, start: int = 0) -> None:
        self.kind, self.start = kind, start
        self.waiting, self.is_total = 0, False


def _close(group: _Group, token: Token, out: list[Token], open_groups: list[_Group]) -> None:
    place = token.place
    if group.kind == "branches":
        if not group.waiting and not group.is_total:
            raise ParseError("Piecewise without a branch", hint="write Piecewise((a, x > 0))")
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


def finish_branches(out: list[Item], count: int, branch: Operator) -> None:
    """End a Piecewise of ``count`` pairs whose values and conditions lie at the end of ``out``."""
    if out[-1] == 1.0:  # a condition is never a number but where it says True
        out.pop()
        count -= 1
    else:
        out += UNDEFINED
    out += [branch] * count
