"""Programs over exact numbers and balls: several formulas, each shared subtree computed once.

Subtrees that are equal up to the order of a commutative operator's operands are one step, so that
two formulas which share a subtree share its ball too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from symbed.errors import MissingVariable, RangeError
from symbed.language.dialects.templates import write_out
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.operators import TABLE, Operator
from symbed.verdicts.arithmetic.ball_operations import BALL_OPERATIONS, LAZY_OPERATIONS
from symbed.verdicts.arithmetic.values import (
    UNDEFINED,
    UNKNOWN,
    Definedness,
    Value,
    exact_rational,
    literal,
    working_precision,
)

DEFAULT_BITS = 128
PIECEWISE = frozenset({"abs", "sign", "min", "max", "cond", "floor", "pdiv", "plog", "pinv"})
SPECIAL = frozenset({"gamma", "polygamma", "erf"})
SLOW = 20  # times the cost of an elementary function, at any number of bits


@dataclass(frozen=True)
class Step:
    """One step of a program: an operator on the results of earlier steps, a name or a number."""

    item: Item
    operands: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class BallProgram:
    """Formulas compiled into steps that exact, ball and series evaluation share."""

    steps: tuple[Step, ...]  # in an order in which operands come first
    roots: tuple[int, ...]  # for each formula the place of its last step
    names: tuple[str, ...]  # the names that need values, in order of appearance
    # Steps whose value is known by algebra wherever they are defined, with that value.
    known: Mapping[int, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, expressions: Sequence[Expression]) -> BallProgram:
        """Compile formulas into one program, operators by their definitions where they have one.

        Raises
        ------
        RangeError
            An anonymous parameter ``C``, which has no name to give a value to.
        """
        places: dict[tuple[object, ...], int] = {}
        steps: list[Step] = []

        def place(item: Item, operands: tuple[int, ...] = ()) -> int:
            # 0.0 and -0.0 are one real number; a float and the name of an operator are not.
            key = (type(item), item, operands)
            known = places.get(key)
            if known is None:
                known = places[key] = len(steps)
                steps.append(Step(item, operands))
            return known

        roots = []
        for expression in expressions:
            stack: list[int] = []
            # Operators with a definition are written out, so that the tables need no row for them.
            for item in write_out(expression.postfix):
                if isinstance(item, Operator) and item.arity:
                    operands = tuple(stack[-item.arity :])
                    del stack[-item.arity :]
                    stack.append(place(item, _ordered(item, operands)))
                else:
                    stack.append(place(item))
            roots.append(stack[-1])
        # Each name is one step, since equal items share theirs.
        names = tuple(step.item for step in steps if isinstance(step.item, str))
        if ANONYMOUS in names:
            raise RangeError(f"each {ANONYMOUS!r} is a parameter of its own; give them names")
        return cls(tuple(steps), tuple(roots), names)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The operators that have no ball version, by name; empty in a complete table."""
        used = {step.item.name for step in self.steps if isinstance(step.item, Operator)}
        return tuple(row.name for row in TABLE if row.name in used - BALL_OPERATIONS.keys())

    @cached_property
    def is_piecewise(self) -> bool:
        """Whether some step may be another function in another part of the domain."""
        return any(isinstance(s.item, Operator) and s.item.name in PIECEWISE for s in self.steps)

    @cached_property
    def n_operations(self) -> int:
        """The work of a trace: its steps, of which special functions count for many."""
        names = (step.item.name for step in self.steps if isinstance(step.item, Operator))
        return len(self.steps) + sum(SLOW for name in names if name in SPECIAL)

    @cached_property
    def variables(self) -> tuple[frozenset[str], ...]:
        """For each step the names that it depends on."""
        names: list[frozenset[str]] = []
        for step in self.steps:
            if isinstance(step.item, str):
                names.append(frozenset({step.item}))
            else:
                names.append(frozenset().union(*(names[place] for place in step.operands)))
        return tuple(names)

    def strict_steps(self, root: int) -> set[int]:
        """The steps without which a formula is undefined: all but operands chosen between."""
        reached: set[int] = set()
        waiting = [root]
        while waiting:
            place = waiting.pop()
            if place in reached:
                continue
            reached.add(place)
            step = self.steps[place]
            name = step.item.name if isinstance(step.item, Operator) else ""
            # cond needs its second operand only where the first one is positive.
            if name in LAZY_OPERATIONS:
                waiting.append(step.operands[0])
            else:
                waiting.extend(step.operands)
        return reached

    @cached_property
    def _plan(self) -> list[tuple[Any, ...]]:
        """Per step: what kind it is, its operation or constant, and its operands."""
        # Kinds: 0 a name, 1 a literal, 2 one operand, 3 two, 4 lazy, 5 without a ball version,
        # 6 a constant, 7 known by algebra.
        plan: list[tuple[Any, ...]] = []
        for place, step in enumerate(self.steps):
            if place in self.known and step.operands:
                plan.append((7, BALL_OPERATIONS.get(step.item.name), (place, *step.operands)))  # type: ignore[union-attr]
            elif isinstance(step.item, str):
                plan.append((0, step.item, ()))
            elif isinstance(step.item, float):
                plan.append((1, literal(step.item), ()))
            else:
                operation = BALL_OPERATIONS.get(step.item.name)
                lazy = step.item.name in LAZY_OPERATIONS
                kind = 5 if operation is None else 4 if lazy else 2 + (len(step.operands) > 1)
                plan.append((kind if step.operands else 6, operation, step.operands))
        return plan

    def trace(self, values: Mapping[str, Value]) -> list[Value]:
        """The value of every step, at the precision of the moment."""
        results: list[Value] = []
        keep = results.append
        for kind, operation, operands in self._plan:
            if kind == 3:
                a, b = results[operands[0]], results[operands[1]]
                if type(a) is Definedness or type(b) is Definedness:
                    # Undefined wins: whatever the unknown operand is, there is no result.
                    keep(UNDEFINED if a is UNDEFINED or b is UNDEFINED else UNKNOWN)
                else:
                    keep(operation(a, b))
            elif kind == 2:
                a = results[operands[0]]
                keep(a if type(a) is Definedness else operation(a))
            elif kind == 1:
                keep(operation)
            elif kind == 0:
                keep(values[operation])
            elif kind == 4:
                keep(operation(*(results[place] for place in operands)))
            elif kind == 6:
                keep(operation() if operation else UNKNOWN)
            elif kind == 7:
                keep(self._known_value(operation, operands, results))
            else:
                keep(UNKNOWN)
        return results

    def _known_value(self, operation: Any, places: tuple[int, ...], results: list[Value]) -> Value:
        """The known value of a step, if the step is defined."""
        place, *operands = places
        known = self.known[place]
        if known is UNDEFINED or operation is None:
            return UNDEFINED
        below = [results[operand] for operand in operands]
        if self.steps[place].item.name not in LAZY_OPERATIONS:  # type: ignore[union-attr]
            for value in below:
                if type(value) is Definedness:
                    return UNDEFINED if UNDEFINED in below else UNKNOWN
        # Computed only to learn whether the step is defined: 0*ln(x) is 0 for positive x alone.
        value = operation(*below)
        return value if type(value) is Definedness else known

    def evaluate(self, values: Mapping[str, Value], bits: int = DEFAULT_BITS) -> tuple[Value, ...]:
        """The value of each formula: exact, a ball, ``UNDEFINED`` or ``UNKNOWN``.

        Parameters
        ----------
        values : tuple or None
            For each name a number (int, float as its shortest decimal, Fraction, fmpq) or a
            ball (arb).
        bits : int
            Precision of balls.
        """
        exact = {
            name: exact_rational(value) if isinstance(value, int | float | Fraction) else value
            for name, value in values.items()
        }
        lacking = [name for name in self.names if name not in exact]
        if lacking:
            raise MissingVariable(f"no value for {lacking[0]!r}; give one for each name")
        with working_precision(bits):
            results = self.trace(exact)
        return tuple(results[root] for root in self.roots)


def evaluate(
    expression: Expression, values: Mapping[str, Value], bits: int = DEFAULT_BITS
) -> Value:
    """The value of one formula at exact values of its names.

    >>> from symbed.language.parser import parse
    >>> evaluate(parse("0.1*x + 0.2*x"), {"x": 3})
    9/10
    >>> evaluate(parse("sqrt(x)"), {"x": -1})
    <Definedness.UNDEFINED: 'undefined'>
    """
    return BallProgram.of([expression]).evaluate(values, bits)[0]


def _ordered(row: Operator, operands: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(operands)) if row.commutative else operands
