"""The laws that keep an expression's meaning, as rows of patterns.

The rows are those of the paper's appendix on equivalent expressions. It states laws as equations,
so a law has a row for each direction and each variant. A pattern is an expression whose names A, B
and D stand for any subtree; a name that occurs twice stands for the same subtree. Three conditions
are read off a row itself:

- a subtree that is copied, merged, dropped or made up must hold no free parameter, because an
  anonymous ``C`` is a new parameter wherever it stands: ``2*C`` and ``C + C`` are two families;
- a subtree that is dropped must be defined on the whole domain;
- a subtree that is made up is defined there too, and not too large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

from symbed.language.expression import Item, Postfix, apply, arity, fold, spans
from symbed.language.parser import parse
from symbed.workbench.value_checks import Interval, bounds, is_finite, magnitude

MARGIN = 1e-2  # how far from zero is "positive" or "not zero"; rounding errors are far below
TAME = 1e3  # largest made-up subtree: A - A' is then zero to 1e-12, however A' is rewritten


class RewritingContext(Protocol):
    """What a row asks about the expression at hand."""

    ranges: dict[str, Interval]
    parameters: frozenset[str]
    variables: tuple[str, ...]

    def invent(self, suits: Callable[[Interval], bool]) -> Postfix:
        """A random subtree without parameters whose bounds suit."""
        ...


@dataclass(frozen=True)
class Transformation:
    """One direction of one law.

    Attributes
    ----------
    law : str
        The paper's name for it.
    left, right : str
        Patterns; see ``match``.
    positive : str
        Names whose subtrees must be positive.
    nonzero : str
        Names whose subtrees must never be zero.
    """

    law: str
    left: str
    right: str
    positive: str = ""
    nonzero: str = ""

    def bind(self, tree: Postfix, context: RewritingContext) -> dict[str, Postfix] | None:
        """What the names stand for, if the row may be applied to a tree."""
        bindings = match(self._patterns[0], tree)
        if bindings is None or not self._is_allowed(bindings, context):
            return None
        return bindings

    def apply(self, bindings: Mapping[str, Postfix], context: RewritingContext) -> Postfix:
        """The new tree; a name of the right side only becomes a made-up subtree."""
        made_up = {name: context.invent(partial(self._suits, name)) for name in self._made_up}
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
        names = ([n for n in side if n in PLACEHOLDERS] for side in self._patterns)
        left, right = (Counter(map(str, placeholders)) for placeholders in names)
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

    def _is_allowed(self, bindings: Mapping[str, Postfix], context: RewritingContext) -> bool:
        # A subtree is drawn from a grammar, which needs a variable.
        if self._made_up and not context.variables:
            return False
        for name, subtree in bindings.items():
            if name not in self._moved and not context.parameters.isdisjoint(subtree):
                return False
            # What the right side lacks is dropped, and with it where it is undefined.
            restricted = name in self.positive + self.nonzero or name not in self._counts[1]
            if restricted and not self._suits(name, bounds(subtree, context.ranges)):
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
    return (
        Transformation(law, left, right, positive=positive),
        Transformation(law, right, left, positive=positive),
    )


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
