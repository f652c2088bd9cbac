"""A form: a formula with its variables and free parameters named, ready for fits and for balls."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.engine.packed_programs import outputs_at
from symbed.engine.program import Program, compile_expression, parameter_slots
from symbed.engine.reference.tape import Tape
from symbed.errors import RangeError
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.parser import check_literals
from symbed.sampling.probe import Probe
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import exact_rational
from symbed.verdicts.domains import require_variables
from symbed.workbench.evaluation import Source
from symbed.workbench.fit_problem import Bound, Bounds, FitRoles

Domain = Mapping[str, Any]
Ranges = Bound | Mapping[str, Bound] | None

N_POINTS, N_FRESH = 48, 8
FRESH_SEED = 7919  # so that fresh points are none of the others
POINT_DIGITS = 4  # decimals of a point, relative to the domain: short numbers keep rationals short


@dataclass(frozen=True, eq=False)
class Form:
    """A formula with its roles.

    Attributes
    ----------
    source : Expression
        The formula as it was given.
    expression : Expression
        The same with a name of its own for each anonymous parameter (``C_0``, ``C_1``).
    variables : tuple of str
        The names of the domain.
    parameters : tuple of str
        The names of the free parameters, in order of appearance.
    lows, highs : tuple of float
        The range of each parameter; infinite ends are no ends.
    """

    source: Expression
    expression: Expression
    variables: tuple[str, ...]
    parameters: tuple[str, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]

    @property
    def n_parameters(self) -> int:
        """Number of free parameters."""
        return len(self.parameters)

    @property
    def is_bounded(self) -> bool:
        """Whether some parameter has a range that is not all real numbers."""
        return any(map(math.isfinite, self.lows + self.highs))

    @cached_property
    def program(self) -> Program:
        """The compiled form; each parameter has a range of its own, so that it can be pinned."""
        return compile_expression(self.expression, self._rows, self.parameters.index)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slot of each parameter in the program."""
        return parameter_slots(self.expression, self._rows, self.parameters.index)

    @cached_property
    def balls(self) -> BallProgram:
        """The form for exact numbers and balls."""
        return BallProgram.of([self.expression])

    @cached_property
    def slope_balls(self) -> BallProgram:
        """The form and its partial derivatives by the parameters, for exact numbers and balls."""
        slopes = [self.expression.derivative(name) for name in self.parameters]
        return BallProgram.of([self.expression, *slopes])

    def tape(self, points: Floats) -> Tape:
        """The form on some points, (n_points, n_variables), in floating point; kept."""
        # Arrays are no keys. The points are kept beside their tape, so that their id stays theirs.
        known = self._tapes.get(id(points))
        if known is None or known[0] is not points:
            words = np.frombuffer(self.program.words, np.int32).tolist()
            known = self._tapes[id(points)] = points, Tape(words, np.ascontiguousarray(points.T))
        return known[1]

    @cached_property
    def _tapes(self) -> dict[int, tuple[Floats, Tape]]:
        return {}

    def outputs(self, points: Floats, values: Floats) -> Floats:
        """The outputs (n_members, n_points) for parameters (n_members, n); NaN where undefined."""
        # The compiler orders operands of commutative operators, and numbers slots in that order.
        by_slot = np.empty((len(values), self.n_parameters))
        by_slot[:, list(self.slots)] = values
        return outputs_at(self.program, np.ascontiguousarray(points.T), by_slot)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.variables)}


def read_form(source: Source, domain: Domain, parameters: Ranges) -> Form:
    """A formula with the roles that a domain and parameter ranges give its names.

    Ranges are one for all parameters or one for each by name; None for all real numbers.
    """
    if not domain:
        raise RangeError("the domain is empty; give the range of each variable, {'x': (1, 5)}")
    bounds = _bounds(parameters)
    roles = FitRoles(tuple(domain), bounds)
    if isinstance(source, str):
        check_literals(source)
    expression = roles.read(source)
    declared = parameters if isinstance(parameters, Mapping) else ()
    require_variables(expression, tuple(domain), declared)
    roles.compile(expression)  # names without a role are refused here
    named = _with_names(expression, tuple(domain))
    names = tuple(name for name in named.names if name not in domain)
    # Ranges go by the names that the user wrote: all anonymous ones share that of C.
    original = [name for name in expression.names if name not in domain]
    ends = [bounds.ranges[bounds.range_of(name)] for name in original]
    lows, highs = (tuple(end[side] for end in ends) for side in (0, 1))
    return Form(expression, named, tuple(domain), names, lows, highs)


def _bounds(parameters: Ranges) -> Bounds:
    """The ranges of parameters; an error names them as the verdicts do."""
    try:
        return Bounds(parameters)
    except RangeError as error:
        raise RangeError(str(error).replace("bounds", "parameters", 1)) from None


def _with_names(expression: Expression, variables: tuple[str, ...]) -> Expression:
    """Each anonymous parameter with a name of its own."""
    taken = set(expression.names)
    fresh = (name for k in range(10**9) if (name := f"{ANONYMOUS}_{k}") not in taken)

    def renamed(item: Item) -> Item:
        return next(fresh) if item == ANONYMOUS else item

    return Expression(tuple(map(renamed, expression.postfix)), variables)


@dataclass(frozen=True, eq=False)
class Grid:
    """Points of a domain, for fits and for checks.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_variables)
        Where fits are made; short decimals.
    exact : tuple of dict from str to fmpq
        The same as exact rationals by name, followed by points that no fit sees.
    """

    points: Floats
    exact: tuple[dict[str, Any], ...]

    @property
    def fresh(self) -> range:
        """The places in ``exact`` of the points that no fit sees."""
        return range(len(self.points), len(self.exact))


def make_grid(domain: Domain, seed: int = 0) -> Grid:
    """The points of a domain; the same object for the same domain."""
    return _grid(tuple((name, _law(domain[name])) for name in domain), seed)


def _law(given: Any) -> Any:
    """A range that can be a key."""
    return tuple(map(float, given)) if isinstance(given, list | tuple) else given


@lru_cache(maxsize=64)  # a lattice takes longer to make than a formula to judge
def _grid(key: tuple[tuple[str, Any], ...], seed: int) -> Grid:
    names = [name for name, _ in key]
    parts = [
        _short(Probe(dict(key), n_points=n, seed=s).points, key)
        for n, s in ((N_POINTS, seed), (N_FRESH, seed + FRESH_SEED))
    ]
    exact = tuple(exact_values(names, row) for part in parts for row in part.tolist())
    # The cache hands the same array to everybody.
    parts[0].setflags(write=False)
    return Grid(parts[0], exact)


def _short(points: Floats, key: tuple[tuple[str, Any], ...]) -> Floats:
    """Points as decimals that are short for the width of the domain."""
    points = points.copy()
    for column, (_, law) in enumerate(key):
        width = points[:, column].max() - points[:, column].min()
        if width > 0.0:
            short = np.round(points[:, column], POINT_DIGITS - math.floor(math.log10(width)))
            # Rounding may step over an end, where the formula need not be defined.
            points[:, column] = np.clip(short, *law) if isinstance(law, tuple) else short
    return points


def exact_values(names: Sequence[str], values: Sequence[float]) -> dict[str, Any]:
    """Numbers as the rationals that their shortest decimals are, by name."""
    return {name: exact_rational(float(value)) for name, value in zip(names, values, strict=True)}
