"""The compiler: turn an expression and the roles of its names into a flat program.

A program is postfix stack code in 32-bit words, the same for both engines:

====  ==========  =====================================================
kind  meaning     the rest of the word
====  ==========  =====================================================
0     operator    its place in the operator table
1     variable    its row in the table of inputs
2     parameter   slot (20 bits) and, above it, the range it is drawn from (8 bits)
3     number      nothing; the next two words are the bits of the float64
====  ==========  =====================================================

Operands of commutative operators are put in one order (larger first, then by a key that does not
know names of parameters), and parameters are numbered in that order. So two expressions that are
equal up to commutativity and the naming of their parameters compile to the same bytes, and are
evaluated once; swapping operands changes no bit of their values.
"""

from __future__ import annotations

import itertools
import math
import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from symbed import limits
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.operators import CODES, TABLE, Operator

if TYPE_CHECKING:
    from symbed.sampling.probe import Probe

OPERATOR, VARIABLE, PARAMETER, NUMBER = 0, 1 << 28, 2 << 28, 3 << 28  # kinds of words
REST = (1 << 28) - 1
SLOT_BITS = 20
SLOT_MASK = (1 << SLOT_BITS) - 1
WORD64 = (1 << 64) - 1
CONSTANTS = {"pi": math.pi, "e": math.e}


class Program(NamedTuple):
    """One compiled expression.

    Attributes
    ----------
    words : bytes
        The code, as the bytes of 32-bit integers.
    n_parameters : int
        Number of parameter slots.
    """

    words: bytes
    n_parameters: int


class MalformedProgram(Exception):
    """Words that the compiler cannot have made; says why."""


def decode(words: Iterable[int]) -> Iterator[tuple[int, int, float]]:
    """Kind of each instruction, the rest of its word and, of a number, its value."""
    queue = iter(words)
    for word in queue:
        kind, number = word & ~REST, 0.0
        if kind not in (OPERATOR, VARIABLE, PARAMETER, NUMBER):
            raise MalformedProgram("a word is neither operator, variable, parameter nor number")
        if kind == NUMBER:
            low, high = next(queue, None), next(queue, None)
            if low is None or high is None:
                raise MalformedProgram("a number is cut off")
            (number,) = struct.unpack("=d", struct.pack("=ii", low, high))
        yield kind, word & REST, number


def compile_expression(
    expression: Expression,
    variables: Mapping[str, int],
    range_of: Callable[[str], int],
    *,
    reorder: bool = True,
) -> Program:
    """Compile an expression whose names have been given their roles.

    Parameters
    ----------
    expression : Expression
        What to compile.
    variables : mapping from str to int
        Row of each variable in the table of inputs; every other name is a parameter.
    range_of : callable
        Gives the number of the range that a parameter of this name is drawn from.
    reorder : bool
        Put commutative operands in the canonical order. Without it the program follows the text, as
        the paper's fresh draws for each expression want it.
    """
    words, n_parameters = _ordered_words(expression, variables, range_of, reorder)
    return _number_slots(words, n_parameters)[0]


def parameter_slots(
    expression: Expression, variables: Mapping[str, int], range_of: Callable[[str], int]
) -> tuple[int, ...]:
    """The slot of each free parameter in the compiled program, in order of appearance in the text.

    >>> from symbed.language.parser import parse
    >>> parameter_slots(parse("a + b*x"), {"x": 0}, lambda _: 0)
    (1, 0)
    """
    slots = _number_slots(*_ordered_words(expression, variables, range_of, True))[1]
    # The numbers that _ordered_words gives to names and to anonymous parameters.
    named, anonymous = itertools.count(), itertools.count(-1, -1)
    parameters = (name for name in expression.names if name not in variables)
    return tuple(slots[next(anonymous if n == ANONYMOUS else named)] for n in parameters)


def _ordered_words(
    expression: Expression,
    variables: Mapping[str, int],
    range_of: Callable[[str], int],
    reorder: bool,
) -> tuple[list[int], int]:
    """The words with commutative operands in order, each parameter followed by its number.

    Names are numbered 0, 1 ... and anonymous parameters -1, -2 ..., both in order of appearance.
    """
    stack: list[tuple[int, list[int]]] = []
    names: dict[str, int] = {}
    anonymous = 0
    for item in expression.postfix:
        if isinstance(item, Operator):
            if item.arity == 0:
                stack.append(_number(CONSTANTS[item.name]))
            elif item.arity == 1:
                key, words = stack[-1]
                words.append(CODES[item])
                stack[-1] = mixed(CODES[item], key, 0), words
            else:
                right = stack.pop()
                stack[-1] = _join(item, stack[-1], right, reorder)
        elif isinstance(item, float):
            stack.append(_number(item))
        elif item in variables:
            word = VARIABLE | variables[item]
            stack.append((word, [word]))
        else:
            if item == ANONYMOUS:
                number = -1 - anonymous
                anonymous += 1
            else:
                number = names.setdefault(item, len(names))
            # The key has the range and not the name, so that a*x and b*x are one program.
            drawn = PARAMETER | range_of(item) << SLOT_BITS
            stack.append((drawn, [drawn, number]))
        if len(stack) > limits.STACK.maximum:
            limits.STACK.check(len(stack))
    return stack[0][1], len(names) + anonymous


def _join(
    operator: Operator,
    left: tuple[int, list[int]],
    right: tuple[int, list[int]],
    reorder: bool,
) -> tuple[int, list[int]]:
    """Two operands and their operator; the larger list is extended, so long sums stay linear."""
    # Of 100,000 random expressions of the paper's grammar, 31 % are distinct after this.
    if reorder and operator.commutative and _rank(right) > _rank(left):
        left, right = right, left
    left[1].extend(right[1])
    left[1].append(CODES[operator])
    return mixed(CODES[operator], left[0], right[0]), left[1]


def mixed(code: int, left: int, right: int) -> int:
    """The 64-bit key of an operator on two keys; native/text/line_reader.h computes the same."""
    key = (left * 0x9E3779B97F4A7C15 + right * 0xC2B2AE3D27D4EB4F + code) & WORD64
    key = (key ^ key >> 32) * 0xD6E8FEB86659FD93 & WORD64
    return key ^ key >> 29


def _rank(operand: tuple[int, list[int]]) -> tuple[int, int]:
    # Where keys collide, two commuted spellings may keep two orders: evaluated twice, never wrong.
    return len(operand[1]), operand[0]


def _number(value: float) -> tuple[int, list[int]]:
    bits = struct.pack("=d", value)
    key = mixed(NUMBER, *struct.unpack("=II", bits))
    return key, [NUMBER, *struct.unpack("=ii", bits)]


def _number_slots(words: list[int], n_parameters: int) -> tuple[Program, dict[int, int]]:
    """Give parameters their slots in order of first appearance, and pack the words."""
    limits.PARAMETERS.check(n_parameters)
    if not n_parameters:
        return Program(array("i", words).tobytes(), 0), {}
    slots: dict[int, int] = {}
    packed = array("i")
    place, end = 0, len(words)
    while place < end:
        word = words[place]
        kind = word >> 28
        if kind == 2:
            packed.append(word | slots.setdefault(words[place + 1], len(slots)))
            place += 2
        # The bits of a number can look like any word, and are stepped over.
        elif kind == 3:
            packed.extend(words[place : place + 3])
            place += 3
        else:
            packed.append(word)
            place += 1
    return Program(packed.tobytes(), n_parameters), slots


def listing(expression: Expression) -> list[str]:
    """The instructions of the compiled program, one string each.

    >>> from symbed.language.parser import parse
    >>> listing(parse("2*x"))
    ['number 2.0', 'variable 0', '*']
    """
    rows = {name: row for row, name in enumerate(expression.variables)}
    program = compile_expression(expression, rows, lambda _: 0)
    shown: dict[int, Callable[[int, float], str]] = {
        OPERATOR: lambda rest, _: TABLE[rest].name,
        VARIABLE: lambda rest, _: f"variable {rest}",
        PARAMETER: lambda rest, _: f"parameter {rest & SLOT_MASK}",
        NUMBER: lambda _, number: f"number {number!r}",
    }
    return [shown[kind](rest, number) for kind, rest, number in decode(array("i", program.words))]


class Binding:
    """The roles that one probe gives to names; compiles expressions accordingly.

    Attributes
    ----------
    probe : Probe
        Who gives the roles.
    ranges : dict from str to int
        The number of the range of every parameter name met so far.
    words : mapping of str to str
        How errors call the place of the variables, and the remedies.
    """

    words: ClassVar[Mapping[str, str]] = {}

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self._rows = {name: row for row, name in enumerate(probe.variables)}
        self.ranges: dict[str, int] = {}
        given = probe.parameters
        if given is not None and (not isinstance(given, Mapping) or ANONYMOUS in given):
            self.ranges[ANONYMOUS] = probe.range_ids([ANONYMOUS])[0]

    def compile(self, expression: Expression) -> Program:
        """Compile an expression for the probe; raise if a name has no role."""
        try:
            # A name that was not met before raises KeyError: known ones cost no look beforehand.
            return compile_expression(
                expression, self._rows, self.ranges.__getitem__, reorder=not self.probe.row.fresh
            )
        except KeyError:
            self._learn(expression)
        # Once only: every name has a range now, or an error was raised.
        return self.compile(expression)

    def parameters(self, expression: Expression) -> tuple[str, ...]:
        """The free parameters of an expression under this probe, in order of appearance."""
        return tuple(name for name in expression.names if name not in self._rows)

    def _learn(self, expression: Expression) -> None:
        """Give a range to each parameter that was not met before."""
        parameters = self.parameters(expression)
        self._require_variables(expression)
        ranges = self.probe.range_ids(parameters, str(expression))
        self.ranges.update(zip(parameters, ranges, strict=True))

    def _require_variables(self, expression: Expression) -> None:
        """Refuse a name that must be a variable: as a parameter it would give a wrong number."""
        from symbed.language.names import find_missing_variable  # late: C needs no rule

        given = self.probe.parameters
        named = tuple(given) if isinstance(given, Mapping) else ()
        error = find_missing_variable(
            expression, self.probe.variables, (*named, *self.ranges), **self.words
        )
        if error is not None:
            raise error
