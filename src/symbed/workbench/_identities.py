"""The laws that keep an expression's meaning, as rows of patterns.

The rows are those of the paper's appendix on equivalent expressions. It states laws as equations,
so a law has a row for each direction and each variant. A pattern is an expression whose names A, B
and D stand for any subtree; a name that occurs twice stands for the same subtree. Three conditions
are read off a row itself:

- a subtree that is copied, merged, dropped or made up must hold no free parameter, because an
  anonymous ``C`` is a new parameter wherever it stands: ``2*C`` and ``C + C`` are two families;
- a subtree that is dropped must be defined on the whole domain;
- a subtree that is made up is defined there too, and not too large.

Interval arithmetic proves that a law may be applied: that a logarithm's argument is positive or a
divisor never zero on the whole domain. What cannot be proven is ``UNKNOWN``, which also stands for
a tree that may be undefined; so finite bounds say that the tree is defined everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from symbed.engine.program import CONSTANTS
from symbed.language.expression import Item, Postfix, apply, arity, fold, spans
from symbed.language.operators import Operator
from symbed.language.parser import parse

if TYPE_CHECKING:
    from symbed.workbench.rewriting import Rewriter

Interval = tuple[float, float]
UNKNOWN: Interval = (-math.inf, math.inf)
MARGIN = 1e-2  # how far from zero is "positive" or "not zero"; rounding errors are far below
TAME = 1e3  # largest made-up subtree: A - A' is then zero to 1e-12, however A' is rewritten


@dataclass(frozen=True)
class Transformation:
    """One direction of one law, from one pattern to another; see ``match``."""

    law: str  # the paper's name for it
    left: str
    right: str
    positive: str = ""  # names whose subtrees must be positive
    nonzero: str = ""  # names whose subtrees must never be zero

    def bind(self, tree: Postfix, rewriter: Rewriter) -> dict[str, Postfix] | None:
        """What the names stand for, if the row may be applied to a tree."""
        bindings = match(self._patterns[0], tree)
        if bindings is None or not self._is_allowed(bindings, rewriter):
            return None
        return bindings

    def apply(self, bindings: Mapping[str, Postfix], rewriter: Rewriter) -> Postfix:
        """The new tree; a name of the right side only becomes a made-up subtree."""
        made_up = {name: rewriter.invent(partial(self._suits, name)) for name in self._made_up}
        return fill(self._patterns[1], {**bindings, **made_up})

    @property
    def root(self) -> Item:
        """The root of the trees that it applies to."""
        return self._patterns[0][-1]

    @cached_property
    def _patterns(self) -> tuple[Postfix, Postfix]:
        return parse(self.left).postfix, parse(self.right).postfix

    @cached_property
    def _counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often each placeholder occurs on the left, and on the right."""
        left, right = (
            Counter(str(n) for n in side if n in PLACEHOLDERS) for side in self._patterns
        )
        return left, right

    @cached_property
    def _moved(self) -> frozenset[str]:
        """Names that occur exactly once on either side: their subtrees just change place."""
        left, right = self._counts
        return frozenset(name for name in left if left[name] == right[name] == 1)

    @cached_property
    def _made_up(self) -> tuple[str, ...]:
        left, right = self._counts
        return tuple(name for name in right if name not in left)

    def _is_allowed(self, bindings: Mapping[str, Postfix], rewriter: Rewriter) -> bool:
        # A subtree is drawn from a grammar, which needs a variable.
        if self._made_up and not rewriter.variables:
            return False
        for name, subtree in bindings.items():
            if name not in self._moved and not rewriter.parameters.isdisjoint(subtree):
                return False
            # What the right side lacks is dropped, and with it where it is undefined.
            restricted = name in self.positive + self.nonzero or name not in self._counts[1]
            if restricted and not self._suits(name, bounds(subtree, rewriter.ranges)):
                return False
        return True

    def _suits(self, name: str, interval: Interval) -> bool:
        if name in self.positive:
            return is_finite(interval) and interval[0] >= MARGIN
        # An interval that is not known has an infinite end, and so fails here too.
        least, most = magnitude(interval)
        return most <= TAME and (name not in self.nonzero or least >= MARGIN)

    def __str__(self) -> str:
        return f"{self.left} -> {self.right}"


def _both(law: str, left: str, right: str, positive: str = "") -> tuple[Transformation, ...]:
    """A law in both directions."""
    sides = ((left, right), (right, left))
    return tuple(Transformation(law, *pair, positive=positive) for pair in sides)


def _each(law: str, left: str, *rights: str) -> tuple[Transformation, ...]:
    """A law with several right sides."""
    return tuple(Transformation(law, left, right) for right in rights)


# The order of rows is the order in which random numbers choose among them: new ones come last in
# their law, or every seed gives other expressions.
TABLE: tuple[Transformation, ...] = (
    Transformation("commutativity of +", "A + B", "B + A"),
    *_both("associativity of +", "(A + B) + D", "A + (B + D)"),
    *_both("factoring", "A + A", "2*A"),
    Transformation("trigonometric identity", "sin(A)^2 + cos(A)^2", "1"),
    Transformation("trigonometric identity", "cos(A)^2 + sin(A)^2", "1"),
    *_both("logarithm combination", "ln(A) + ln(B)", "ln(A*B)", positive="AB"),
    Transformation("commutativity of *", "A*B", "B*A"),
    *_both("associativity of *", "(A*B)*D", "A*(B*D)"),
    *_both("distributivity", "A*(B + D)", "A*B + A*D"),
    *_both("distributivity", "(B + D)*A", "B*A + D*A"),
    *_both("minus removal", "A - B", "A + (-1)*B"),
    Transformation("minus removal", "-A", "(-1)*A"),
    *_both("division removal", "A/B", "A*B^-1"),
    *_both("sine/cosine identity", "sin(A)", "cos(A - pi/2)"),
    *_both("sine/cosine identity", "cos(A)", "sin(A + pi/2)"),
    *_each("power expansion", "A^2", "A*A"),
    *_each("power expansion", "A^3", "A*A*A", "A*A^2", "A^2*A"),
    *_each("power expansion", "A^4", "A*A*A*A", "A*A^3", "A^2*A^2"),
    *_each("power expansion", "A^5", "A*A*A*A*A", "A*A^4", "A^2*A^3"),
    *_each("zero", "0", "cos(pi/2)", "sin(0)", "A - A"),
    Transformation("zero", "A - A", "0"),
    *_each("one", "1", "sin(pi/2)", "cos(0)"),
    Transformation("one", "1", "A/A", nonzero="A"),
    Transformation("one", "A/A", "1", nonzero="A"),
    Transformation("one", "1", "sin(A)^2 + cos(A)^2"),
)

BY_ROOT: dict[Item, tuple[Transformation, ...]] = {
    root: tuple(row for row in TABLE if row.root == root) for root in {row.root for row in TABLE}
}

IDENTITIES: tuple[Transformation, ...] = (
    Transformation("additive identity", "A", "A + 0"),
    Transformation("multiplicative identity", "A", "A*1"),
)


PLACEHOLDERS = frozenset("ABD")  # C is the anonymous parameter


def match(pattern: Postfix, tree: Postfix) -> dict[str, Postfix] | None:
    """What the pattern's names stand for in a tree, or None if it does not fit.

    >>> from symbed.language.operators import ADD
    >>> match(("A", "A", ADD), ("x", "x", ADD)), match(("A", "A", ADD), ("x", "y", ADD))
    ({'A': ('x',)}, None)
    """
    if not _same(pattern[-1], tree[-1]):  # most patterns fail here
        return None
    bindings: dict[str, Postfix] = {}
    outer, inner = spans(pattern), spans(tree)
    # Pairs of places: a node of the pattern, and the node of the tree that it must fit.
    waiting = [(len(pattern) - 1, len(tree) - 1)]
    while waiting:
        end, place = waiting.pop()
        wanted = pattern[end]
        if wanted in PLACEHOLDERS:
            subtree = tree[inner[place] : place + 1]
            if bindings.setdefault(str(wanted), subtree) != subtree:
                return None
        elif not _same(wanted, tree[place]):
            return None
        else:
            below = zip(_operands(pattern, outer, end), _operands(tree, inner, place), strict=True)
            waiting.extend(below)
    return bindings


def fill(pattern: Postfix, bindings: Mapping[str, Postfix]) -> Postfix:
    """The pattern with its names replaced by what they stand for.

    >>> from symbed.language.operators import ADD
    >>> fill(("B", "A", ADD), {"A": ("x",), "B": (2.0,)})
    (2.0, 'x', <+>)
    """

    def leaf(item: Item) -> Postfix:
        return bindings[str(item)] if item in PLACEHOLDERS else (item,)

    return fold(pattern, leaf, apply)


def _same(wanted: Item, item: Item) -> bool:
    if wanted in PLACEHOLDERS or wanted != item:
        return wanted in PLACEHOLDERS
    return wanted != 0.0 or repr(wanted) == repr(item)  # 0 is not -0


def _operands(postfix: Postfix, starts: list[int], end: int) -> list[int]:
    """Where the operands of the node at ``end`` end, the last one first."""
    ends: list[int] = []
    for _ in range(arity(postfix[end])):
        end = end - 1 if not ends else starts[ends[-1]] - 1
        ends.append(end)
    return ends


def bounds(postfix: Postfix, ranges: Mapping[str, Interval]) -> Interval:
    """An interval that holds every value of a tree while its names stay in their ranges.

    >>> from symbed.language.parser import parse
    >>> bounds(parse("x*ln(y)").postfix, {"x": (-1.0, 2.0), "y": (1.0, math.e)})
    (-1.0, 2.0)
    >>> bounds(parse("1/x").postfix, {"x": (-1.0, 2.0)})
    (-inf, inf)
    """

    def leaf(item: Item) -> Interval:
        if isinstance(item, Operator):
            return CONSTANTS[item.name], CONSTANTS[item.name]
        return ranges.get(item, UNKNOWN) if isinstance(item, str) else (item, item)

    return fold(postfix, leaf, _bound)


def is_finite(interval: Interval) -> bool:
    """Whether both ends are."""
    return -math.inf < interval[0] and interval[1] < math.inf


def magnitude(interval: Interval) -> Interval:
    """Interval of the absolute value."""
    low, high = interval
    least = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return least, max(abs(low), abs(high))


def _bound(operator: Operator, below: list[Interval]) -> Interval:
    rule = RULES.get(operator.name)
    # An operand that may be undefined makes the tree so.
    if rule is None or not all(map(is_finite, below)):
        return UNKNOWN
    try:
        interval = rule(*below)
    # Python's own ** and exp raise where a product is inf.
    except OverflowError:
        return UNKNOWN
    return interval if is_finite(interval) else UNKNOWN


# No rule rounds its ends outward: what rounding does to them is far below the MARGIN of the laws.
def _product(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _inverse(a: Interval) -> Interval:
    return UNKNOWN if a[0] <= 0 <= a[1] else (1 / a[1], 1 / a[0])


def _quotient(a: Interval, b: Interval) -> Interval:
    inverse = _inverse(b)
    return _product(a, inverse) if is_finite(inverse) else UNKNOWN


def _power(a: Interval, b: Interval) -> Interval:
    if a[0] <= 0:
        return UNKNOWN
    # Of a positive base a power is monotone in base and exponent, so its extremes are at corners.
    corners = [x**y for x in a for y in b]
    return min(corners), max(corners)


def _even(exponent: int) -> Callable[[Interval], Interval]:
    def rule(a: Interval) -> Interval:
        low, high = magnitude(a)
        return low**exponent, high**exponent

    return rule


def _rising(
    function: Callable[[float], float], least: float = -math.inf
) -> Callable[[Interval], Interval]:
    """The rule of a function that grows, and is defined above ``least`` only."""
    return lambda a: (function(a[0]), function(a[1])) if a[0] > least else UNKNOWN


def _wave(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    """The rule of sine or cosine: exact for a constant, else all of [-1, 1]."""
    return lambda a: (function(a[0]), function(a[0])) if a[0] == a[1] else (-1.0, 1.0)


RULES: dict[str, Callable[..., Interval]] = {
    "+": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "-": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "*": _product,
    "/": _quotient,
    "^": _power,
    "neg": lambda a: (-a[1], -a[0]),
    "^-1": _inverse,
    "^2": _even(2),
    "^3": _rising(lambda x: x**3),
    "^4": _even(4),
    "^5": _rising(lambda x: x**5),
    "sin": _wave(math.sin),
    "cos": _wave(math.cos),
    "sqrt": _rising(math.sqrt, least=0.0),
    "exp": _rising(math.exp),
    "ln": _rising(math.log, least=0.0),
    "abs": magnitude,
}
