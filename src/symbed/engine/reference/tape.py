"""The tape: evaluate a program together with its slopes by the parameters.

The twin of ``native/fit/tape.h``, for all points at once instead of stretch by stretch, with the
same bits. Adjoints are pulled back through the recorded values, so that one pass gives the slopes
by every parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symbed._types import Floats
from symbed.engine.program import (
    CONSTANTS,
    OPERATOR,
    PARAMETER,
    SLOT_BITS,
    SLOT_MASK,
    VARIABLE,
    decode,
)
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.language.differentiation import slopes
from symbed.language.expression import Item, Postfix, fold
from symbed.language.operators import TABLE, Operator

ON_POINTS, ON_PARAMETERS, ON_BOTH = 1, 2, 3  # what a value depends on; bits
FIXED, AFFINE, CURVED = range(3)  # shape as a function of the parameters


@dataclass
class Node:
    """One value: a number, a variable, a parameter or an operator's result.

    Attributes
    ----------
    name : str
        Name of the operator; empty for leaves.
    operands : list of int
        Places of the operands.
    first : int
        Where its subtree begins.
    on : int
        What it depends on, as bits: ``ON_POINTS``, ``ON_PARAMETERS``.
    shape : int
        ``FIXED``, ``AFFINE`` or ``CURVED`` in the parameters.
    slot : int
        Slot of the parameter, or -1.
    value : ndarray
        Its value, (n_points,) or (1,).
    weight : ndarray
        Its adjoint within a subtree of parameters alone.
    """

    name: str
    operands: list[int]
    first: int
    on: int
    shape: int
    slot: int
    value: Floats
    weight: Floats


class Tape:
    """A program on some data, ready to be evaluated for any values of its parameters.

    Attributes
    ----------
    n_slots : int
        Number of parameters.
    ranges : dict from int to int
        The range of each slot.
    is_affine : bool
        Whether the outputs are an affine function of the parameters.
    """

    def __init__(self, words: Sequence[int], variables: Floats) -> None:
        self._variables = variables
        self._nodes: list[Node] = []
        self.ranges: dict[int, int] = {}
        stack: list[int] = []
        for kind, rest, number in decode(words):
            if kind == OPERATOR:
                self._add_operation(rest, stack)
            elif kind == VARIABLE:
                self._add(Node("", [], 0, ON_POINTS, FIXED, -1, variables[rest], ONE), stack)
            elif kind == PARAMETER:
                slot = rest & SLOT_MASK
                self.ranges[slot] = rest >> SLOT_BITS
                self._add(Node("", [], 0, ON_PARAMETERS, AFFINE, slot, ONE, ONE), stack)
            else:
                self._add(Node("", [], 0, 0, FIXED, -1, np.array([number]), ONE), stack)
        self.n_slots = len(self.ranges)
        self.is_affine = self._nodes[-1].shape == AFFINE

    def outputs(self, parameters: Sequence[float]) -> Floats:
        """The outputs for these parameters, (n_points,) or (1,); what slopes are taken at."""
        for node in self._nodes:
            if node.slot >= 0:
                node.value = np.array([parameters[node.slot]])
            elif node.name and node.on & ON_PARAMETERS:
                node.value = FUNCTIONS[node.name](*self._values(node))
        return self._nodes[-1].value

    def slopes(self, seed: float) -> Floats:
        """The slopes of the outputs by each parameter, times ``seed``: (n_slots, n_points)."""
        self._weigh_scalars()
        rows = np.zeros((self.n_slots, self._variables.shape[1]))
        filled: set[int] = set()
        bars = {len(self._nodes) - 1: np.full(rows.shape[1], seed)}
        if self._nodes[-1].on == ON_PARAMETERS:
            self._add_slopes(len(self._nodes) - 1, bars.popitem()[1], rows, filled)
        # Postfix backwards: whoever uses a value comes before it, so its adjoint is complete.
        for place in range(len(self._nodes) - 1, -1, -1):
            node = self._nodes[place]
            if node.on != ON_BOTH:
                continue
            bar = bars.pop(place)
            for side in self._sides(node):
                operand = node.operands[side]
                if not self._nodes[operand].on & ON_PARAMETERS:
                    continue
                pulled = pull(node.name, side, self._values(node), node.value, bar)
                # Set, not added: in a tree every value has one user.
                if self._nodes[operand].on == ON_BOTH:
                    bars[operand] = pulled
                else:
                    self._add_slopes(operand, pulled, rows, filled)
        return rows

    def _add(self, node: Node, stack: list[int], first: int | None = None) -> None:
        node.first = len(self._nodes) if first is None else first
        stack.append(len(self._nodes))
        self._nodes.append(node)

    def _add_operation(self, code: int, stack: list[int]) -> None:
        row = TABLE[code]
        operands = stack[-row.arity :]
        del stack[-row.arity :]
        below = [self._nodes[operand] for operand in operands]
        on = 0
        for node in below:
            on |= node.on
        shape = _combined_shape(row.name, [node.shape for node in below])
        # What does not depend on parameters is computed once, here; the rest has a value when asked
        # for.
        value = ONE if on & ON_PARAMETERS else FUNCTIONS[row.name](*(n.value for n in below))
        self._add(Node(row.name, operands, 0, on, shape, -1, value, ONE), stack, below[0].first)

    def _values(self, node: Node) -> list[Floats]:
        return [self._nodes[operand].value for operand in node.operands]

    def _sides(self, node: Node) -> tuple[int, ...]:
        """The operands in the order in which the native core pulls adjoints to them."""
        if len(node.operands) == 1:
            return (0,)
        return (1, 0) if self._nodes[node.operands[0]].on == ON_BOTH else (0, 1)

    def _weigh_scalars(self) -> None:
        """Adjoints within the subtrees of parameters alone, relative to each subtree's root."""
        for node in self._nodes:
            node.weight = ONE
        for node in reversed(self._nodes):
            if node.on == ON_PARAMETERS and node.name:
                for side, operand in enumerate(node.operands):
                    pulled = pull(node.name, side, self._values(node), node.value, node.weight)
                    self._nodes[operand].weight = pulled

    def _add_slopes(self, place: int, bar: Floats, rows: Floats, filled: set[int]) -> None:
        """Add an adjoint to the slopes by the parameters of a subtree of parameters alone."""
        for leaf in self._nodes[self._nodes[place].first : place + 1]:
            # The first one is set, as in the core: added to zero, -0 would lose its sign.
            if leaf.slot in filled:
                rows[leaf.slot] += bar * leaf.weight
            elif leaf.slot >= 0:
                rows[leaf.slot] = bar * leaf.weight
                filled.add(leaf.slot)


ONE = np.ones(1)


def _combined_shape(name: str, shapes: list[int]) -> int:
    """How an operator's result depends on the parameters, given that of its operands."""
    largest = max(shapes)
    is_linear = name in ("+", "-", "neg")
    is_scaling = (name == "*" and min(shapes) == FIXED) or (name == "/" and shapes[1] == FIXED)
    return largest if largest == FIXED or is_linear or is_scaling else CURVED


# Slopes of the operators at given operands are those of the operators' table; the native core has
# them as native/fit/slopes.def. Both evaluate them in the same steps and so with the same bits. At
# a kink the slope is the mean of both sides; an infinite slope of a power at zero counts as zero.
Slope = Callable[..., Floats]


def pull(name: str, side: int, operands: list[Floats], y: Floats, bar: Floats) -> Floats:
    """The adjoint of one operand, from the adjoint ``bar`` of the result ``y``.

    >>> pull("*", 0, [np.array([2.0]), np.array([3.0])], np.array([6.0]), np.array([1.0]))
    array([3.])
    """
    return bar * SLOPES[name][side](*operands, y)


def _slope(postfix: Postfix) -> Slope:
    """A function of the operands and the result, from the slope as a postfix sequence."""

    def slope(*values: Floats) -> Floats:
        known = dict(zip("ab", values[:-1], strict=False)) | {"y": values[-1]}

        def leaf(item: Item) -> Floats:
            if isinstance(item, str):
                return known[item]
            number = CONSTANTS[item.name] if isinstance(item, Operator) else item
            return np.asarray(number, np.float64)

        def node(row: Operator, below: list[Floats]) -> Floats:
            return FUNCTIONS[row.name](*below)

        return fold(postfix, leaf, node)

    return slope


SLOPES: dict[str, tuple[Slope, ...]] = {
    row.name: tuple(map(_slope, slopes(row))) for row in TABLE if row.arity
}
