"""Expressions: an immutable tree, kept flat as its postfix sequence.

The sequence holds operators (rows of the table), names (``str``) and numbers (``float``). Flat is
what makes every walk one loop over a stack: no recursion, whatever strangers nest, and comparing or
hashing two trees is comparing two tuples. The anonymous parameter ``C`` is a name like any other
here; that each occurrence is a parameter of its own is decided where names get their roles.

The canonical form, which all commuted spellings share, uses commutativity only and not
associativity, so the value does not change by one bit. Operands are ordered by keys made of bytes,
never of Python hashes, so the order is the same in every process and on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from struct import pack
from typing import Any, TypeVar

from symbed.errors import ShapeError
from symbed.language.names import clean_name
from symbed.language.operators import BY_NAME, FIXED_POWERS, NEG, POW, TABLE, Operator, is_reserved

Item = Operator | str | float
Postfix = tuple[Item, ...]
T = TypeVar("T")

ANONYMOUS = "C"
CONVENTIONAL_VARIABLE = re.compile(r"[xyzXYZ](_?[0-9]+)?\Z")


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """One mathematical expression.

    Equality and hash are structural: the same operators on the same operands in the same order.

    Parameters
    ----------
    postfix : tuple of str, float or Operator
        Operators, names and numbers in postfix order.
    declared : tuple of str, optional
        Names that are variables; None leaves it to convention (x, y, z, x1, X_0 ...) until a
        probe's domain decides.
    """

    postfix: Postfix
    declared: tuple[str, ...] | None = field(default=None)

    def __post_init__(self) -> None:
        object.__setattr__(self, "postfix", _checked(self.postfix))

    @classmethod
    def unchecked(cls, postfix: Postfix, declared: tuple[str, ...] | None) -> Expression:
        """An expression from a sequence that is known to be one in normal form (see ``emit``)."""
        # A frozen class assigns nothing, and its __post_init__ would check all again.
        made = object.__new__(cls)
        made.__dict__["postfix"] = postfix
        made.__dict__["declared"] = declared
        return made

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name, in order of appearance; ``C`` once for each occurrence."""
        seen: set[str] = set()
        names: list[str] = []
        for item in self.postfix:
            if isinstance(item, str) and (item not in seen or item == ANONYMOUS):
                names.append(item)
                seen.add(item)
        return tuple(names)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names that are variables, in order of appearance."""
        return tuple(dict.fromkeys(name for name in self.names if self._is_variable(name)))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The free parameters, in order of appearance; an anonymous ``C`` counts each time."""
        return tuple(name for name in self.names if not self._is_variable(name))

    @property
    def size(self) -> int:
        """Number of nodes of the tree."""
        return len(self.postfix)

    @cached_property
    def depth(self) -> int:
        """Number of nodes on the longest way from the root to a leaf."""
        return fold(self.postfix, lambda _: 1, lambda _, below: 1 + max(below, default=0))

    @cached_property
    def canonical_hash(self) -> int:
        """A 64-bit number, equal for expressions that are equal up to commutativity.

        It is the same in every process and on every machine.
        """
        from hashlib import blake2b

        # A test holds some of these numbers fixed, for they may not change between versions.
        key, _ = _canonical_keys(self.postfix)
        return int.from_bytes(blake2b(key, digest_size=8).digest(), "little")

    def canonical(self) -> Expression:
        """The same expression with the operands of commutative operators in one fixed order.

        >>> from symbed.language.parser import parse
        >>> parse("y + x*C").canonical() == parse("C*x + y").canonical()
        True
        """
        _, swapped = _canonical_keys(self.postfix)
        ordered = _swap(self.postfix, swapped) if swapped else self.postfix
        return Expression.unchecked(ordered, self.declared)

    def with_variables(self, variables: Iterable[str]) -> Expression:
        """The same tree with these names as its variables."""
        return Expression.unchecked(self.postfix, tuple(map(clean_name, variables)))

    def to_dict(self) -> dict[str, Any]:
        """How it is read, as plain values, ready for JSON."""
        return {
            "text": str(self),
            "variables": list(self.variables),
            "parameters": list(self.parameters),
            "size": self.size,
            "depth": self.depth,
            "tokens": self.tokens(),
            "latex": self.latex(),
            "canonical_hash": f"{self.canonical_hash:016x}",
        }

    def latex(self) -> str:
        """The expression as LaTeX mathematics."""
        from symbed.language.typesetting import latex

        return latex(self)

    def tokens(self, notation: str = "infix") -> list[str]:
        """The expression as the paper's token list, in infix, prefix or postfix notation."""
        from symbed.language.printers import tokens

        return tokens(self, notation)

    def to(self, dialect: str, variables: Iterable[str] | None = None) -> str:
        """The expression as text in a dialect: ``pysr``, ``gplearn``, ``latex``, ``excel`` ...

        With ``variables``, the names of the columns in their order, a tool that numbers its
        variables gets these numbers; without, ``x0`` or ``X_0`` is the first column.
        """
        from symbed.language.dialects.writer import write_text

        return write_text(self, dialect, variables)

    def derivative(self, name: str) -> Expression:
        """The partial derivative with respect to one name."""
        from symbed.language.differentiation import derivative

        return derivative(self, name)

    def _is_variable(self, name: str) -> bool:
        if self.declared is not None:
            return name in self.declared
        return CONVENTIONAL_VARIABLE.match(name) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression) or self.postfix != other.postfix:
            return False
        # 0.0 == -0.0, but 1/0 and 1/-0 are two expressions.
        return 0.0 not in self.postfix or _zero_signs(self.postfix) == _zero_signs(other.postfix)

    def __hash__(self) -> int:
        return hash(self.postfix)  # 0.0 and -0.0 share it, which equality tells apart

    @cached_property
    def _text(self) -> str:
        from symbed.language.printers import text

        return text(self)

    def __str__(self) -> str:
        return self._text  # kept, since every observation of an expression asks for its label

    def __repr__(self) -> str:
        return f"Expression({str(self)!r})"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def arity(item: Item) -> int:
    """How many operands an item of a postfix sequence takes."""
    return item.arity if isinstance(item, Operator) else 0


def fold(
    postfix: Sequence[Item],
    leaf: Callable[[Item], T],
    node: Callable[[Operator, list[T]], T],
) -> T:
    """The one traversal: leaves and nodes are turned into values, bottom up.

    >>> from symbed.language.operators import ADD
    >>> fold(("x", 1.0, ADD), str, lambda operator, below: operator.name.join(below))
    'x+1.0'
    """
    stack: list[T] = []
    for item in postfix:
        # Constants are operators without operands, for which [-0:] would take the whole stack.
        if isinstance(item, Operator) and item.arity:
            below = stack[-item.arity :]
            del stack[-item.arity :]
            stack.append(node(item, below))
        else:
            stack.append(leaf(item))
    return stack[-1]


def emit(postfix: list[Item], operator: Operator) -> None:
    """Append an operator to its operands, in the one form that each tree has.

    A literal exponent with a row of its own becomes that row, and a negated number is a number.
    """
    if operator is POW or operator is NEG:
        last = postfix[-1]
        if isinstance(last, float):
            if operator is NEG:
                postfix[-1] = -last
                return
            if last in FIXED_POWERS:
                postfix[-1] = FIXED_POWERS[last]
                return
    postfix.append(operator)


def apply(operator: Operator, operands: Sequence[Postfix]) -> Postfix:
    """An operator on operands, in the one form that each tree has (see ``emit``)."""
    joined = [item for operand in operands for item in operand]
    emit(joined, operator)
    return tuple(joined)


def spans(postfix: Postfix) -> list[int]:
    """For each item, where the subtree that ends there begins."""
    starts: list[int] = []
    stack: list[int] = []
    for place, item in enumerate(postfix):
        count = arity(item)
        start = stack[-count] if count else place
        if count:
            del stack[-count:]
        stack.append(start)
        starts.append(start)
    return starts


def _checked(items: Sequence[Item]) -> Postfix:
    """The sequence in normal form, or an error if it is no expression."""
    postfix: list[Item] = []
    values = 0
    for item in items:
        if isinstance(item, Operator):
            if item.arity > values:
                raise ShapeError(f"{item.name!r} needs {item.arity} operands, got {values}")
            values -= item.arity
            emit(postfix, item)
        else:
            postfix.append(_checked_leaf(item))
        values += 1
    if values != 1:
        raise ShapeError(f"a postfix sequence must leave one value, this one leaves {values}")
    return tuple(postfix)


def _checked_leaf(item: object) -> Item:
    if isinstance(item, str):
        # Not so pi and e: a variable may be declared by these names.
        if is_reserved(item) and BY_NAME[item].arity:
            raise ShapeError(f"{item!r} is an operator; give its row of the table, not its name")
        return clean_name(item)
    # The last condition refuses NaN, with which equal trees would not compare equal.
    if isinstance(item, (int, float)) and not isinstance(item, bool) and item == item:
        try:
            return float(item)
        except OverflowError:
            raise ShapeError("an expression holds no integer beyond every float") from None
    raise ShapeError(f"an expression holds operators, names and numbers, got {item!r}")


def _zero_signs(postfix: Postfix) -> list[float]:
    return [math.copysign(1.0, item) for item in postfix if isinstance(item, float) and item == 0]


HEADS = {row: row.name.encode() + b"(" for row in TABLE}  # how keys of trees begin
MAX_KEY_LENGTH = 64  # bytes of a key that is kept as it is; a longer one is replaced by its digest
# A name's key has its length, so that none begins another; it fits a byte, as names have at
# most 64 characters of at most two bytes.
NAME, NUMBER, DIGEST = b"\1%c%b", b"\2", b"\3"  # no HEAD begins so


def _canonical_keys(postfix: Postfix) -> tuple[bytes, dict[int, int]]:
    """The key of the whole, and for each operator to be swapped where its right operand begins.

    A key is an operator's name and the keys of its operands. What would be longer than
    ``MAX_KEY_LENGTH`` is replaced by a digest: small trees, nearly all, are compared without
    hashing, and huge ones cost no more than a constant for each node.
    """
    from hashlib import blake2b  # late: reading and comparing formulas needs no key

    keys: list[bytes] = []
    starts: list[int] = []
    swapped: dict[int, int] = {}
    for place, item in enumerate(postfix):
        if not isinstance(item, Operator) or not item.arity:
            keys.append(_leaf_key(item))
            starts.append(place)
            continue
        if item.arity == 1:
            key = HEADS[item] + keys[-1]
        else:
            right, start = keys.pop(), starts.pop()
            left = keys[-1]
            if item.commutative and right < left:
                left, right = right, left
                swapped[place] = start
            key = HEADS[item] + left + right
        is_short = len(key) <= MAX_KEY_LENGTH
        keys[-1] = key if is_short else DIGEST + blake2b(key, digest_size=16).digest()
    return keys[0], swapped


def _leaf_key(item: Item) -> bytes:
    """The key of a name (all anonymous parameters share one), a number or a constant."""
    if isinstance(item, str):
        name = item.encode()
        return NAME % (len(name), name)
    # The bytes of a double, in one order on every machine, tell 0.0 from -0.0.
    return HEADS[item] if isinstance(item, Operator) else NUMBER + pack("<d", item)


def _swap(postfix: Postfix, swapped: dict[int, int]) -> Postfix:
    """Exchange the operands of the marked operators, writing from the end."""
    backwards: list[Item] = []
    starts = spans(postfix)
    stretches = [(0, len(postfix))]  # still to be copied, the next one last
    while stretches:
        begin, end = stretches.pop()
        while end > begin:
            end -= 1
            backwards.append(postfix[end])
            if end in swapped:
                # First the left operand, as it now comes last; then the right one; then the rest.
                first, middle = starts[end], swapped[end]
                stretches += [(begin, first), (middle, end), (first, middle)]
                break
    return tuple(reversed(backwards))
