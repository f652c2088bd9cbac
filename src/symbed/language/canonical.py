"""The canonical form that all commuted spellings of an expression share.

Only commutativity is used, not associativity, so the value does not change by one bit. Operands
are ordered by keys made of bytes, never of Python hashes, so the order is the same in every
process and on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from struct import pack

from symbed.language.expression import Expression, Item, Postfix, spans
from symbed.language.operators import TABLE, Operator

LONGEST = 64  # bytes of a key that is kept as it is; a longer one is replaced by its digest
HEADS = {row: row.name.encode() + b"(" for row in TABLE}
# A name's key has its length, so that none begins another; it fits a byte, as names have at
# most 64 characters of at most two bytes.
NAME, NUMBER, DIGEST = b"\1%c%b", b"\2", b"\3"  # how keys begin that do not begin with a HEAD


def canonical_form(expression: Expression) -> Expression:
    """The expression with the operands of commutative operators in canonical order.

    >>> from symbed.language.parser import parse
    >>> canonical_form(parse("y + x*C")) == canonical_form(parse("C*x + y"))
    True
    """
    ordered = order_commutative(expression.postfix, leaf_key)
    return Expression.unchecked(ordered, expression.declared)


def canonical_hash(expression: Expression) -> int:
    """A 64-bit number, equal for expressions that are equal up to commutativity."""
    # A test holds some of these numbers fixed, for they may not change between versions.
    key, _ = _keys(expression.postfix, leaf_key)
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "little")


def order_commutative(postfix: Postfix, key_of: Callable[[Item], bytes]) -> Postfix:
    """The sequence with the operands of each commutative operator in order of their keys.

    Parameters
    ----------
    postfix : tuple of str, float or Operator
        Operators and leaves.
    key_of : callable
        Gives the key of a leaf; leaves that may be told apart must differ, and no key may be the
        beginning of another.
    """
    _, swapped = _keys(postfix, key_of)
    return _swap(postfix, swapped) if swapped else postfix


def leaf_key(item: Item) -> bytes:
    """The key of a name (all anonymous parameters share one), a number or a constant."""
    if isinstance(item, str):
        name = item.encode()
        return NAME % (len(name), name)
    # The bytes of a double, in one order on every machine, tell 0.0 from -0.0.
    return HEADS[item] if isinstance(item, Operator) else NUMBER + pack("<d", item)


def _keys(postfix: Postfix, key_of: Callable[[Item], bytes]) -> tuple[bytes, dict[int, int]]:
    """The key of the whole, and for each operator to be swapped where its right operand begins.

    A key is an operator's name and the keys of its operands. What would be longer than ``LONGEST``
    is replaced by a digest: small trees, nearly all, are compared without hashing, and huge ones
    cost no more than a constant for each node.
    """
    keys: list[bytes] = []
    starts: list[int] = []
    swapped: dict[int, int] = {}
    for place, item in enumerate(postfix):
        if not isinstance(item, Operator) or not item.arity:
            keys.append(key_of(item))
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
        keys[-1] = key if len(key) <= LONGEST else DIGEST + blake2b(key, digest_size=16).digest()
    return keys[0], swapped


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
