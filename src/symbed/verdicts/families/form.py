"""A form: a formula with its variables and free parameters named, ready for fits and for balls; the
points it is looked at; a member of it as the exact target of a search.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
from symbed.verdicts.arithmetic.values import Value, arb, as_ball, exact_rational, is_defined
from symbed.verdicts.domains import Box, require_variables
from symbed.verdicts.functions.piece_points import piece_points
from symbed.workbench.evaluation import Source
from symbed.workbench.fit_problem import Bound, Bounds, FitRoles

Domain = Mapping[str, Any]
Ranges = Bound | Mapping[str, Bound] | None

N_POINTS, N_FRESH = 48, 8
FRESH_SEED = 7919  # so that fresh points are none of the others
POINT_DIGITS = 4  # decimals of a point, relative to the domain: short numbers keep rationals short
SNAPPED = 1e-40  # a parameter this close to a short rational is that rational
SLOPE_BITS = 512  # six exponentials need a hundred digits before their minors exclude zero
EXTRA_ROWS = 3  # of slopes, beyond the parameters: a null vector is then one of the function


@dataclass(frozen=True, eq=False)
class Form:
    """A formula with its roles."""

    source: Expression  # the formula as it was given
    # The same with a name of its own for each anonymous parameter (``C_0``, ``C_1``).
    expression: Expression
    variables: tuple[str, ...]  # the names of the domain
    parameters: tuple[str, ...]  # the names of the free parameters, in order of appearance
    lows: tuple[float, ...]  # the range of each parameter; infinite ends are no ends
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

    def by_name(self, values: Sequence[Value]) -> dict[str, Value]:
        """Values of all parameters, by their names."""
        return dict(zip(self.parameters, values, strict=True))

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
    """Points of a domain, for fits and for checks."""

    points: Floats  # (n_points, n_variables): where fits are made; short decimals
    # The same as exact rationals by name, followed by points that no fit sees.
    exact: tuple[dict[str, Any], ...]
    n_pieces: int = 0  # how many of the last points are in pieces that the others miss

    @property
    def fresh(self) -> range:
        """The places in ``exact`` of the points that no fit sees."""
        return range(len(self.points), len(self.exact))

    def spread(self, places: Sequence[int], wanted: int) -> list[int]:
        """Places of points in an order whose beginning is all over the domain and its pieces."""
        regular = len(self.points) - self.n_pieces
        first = [int(place) for place in places if place >= regular]
        others = [int(place) for place in places if place < regular]
        # Strides over the grid: neighbors of a lattice are far apart in one variable only.
        step = max(1, len(others) // (wanted + 1))
        return first + [place for start in range(step) for place in others[start::step]]


def make_grid(domain: Domain, forms: Sequence[Form] = ()) -> Grid:
    """The points of a domain, and of pieces of forms that these miss.

    The same object for the same domain, where there are no such pieces.
    """
    grid = _grid(tuple((name, _law(domain[name])) for name in domain))
    if not forms or not all(isinstance(domain[name], list | tuple) for name in domain):
        return grid
    more = piece_points([form.expression for form in forms], Box.of(domain), grid.points)
    if not len(more):
        return grid
    exact = [exact_values(tuple(domain), row) for row in more.tolist()]
    regular, fresh = grid.exact[: len(grid.points)], grid.exact[len(grid.points) :]
    # Once more as points that no fit sees: fits see little of a piece that is small.
    return Grid(np.concatenate([grid.points, more]), (*regular, *exact, *fresh, *exact), len(more))


def _law(span: Any) -> Any:
    """A range that can be a key."""
    return tuple(map(float, span)) if isinstance(span, list | tuple) else span


@lru_cache(maxsize=64)  # a lattice takes longer to make than a formula to judge
def _grid(key: tuple[tuple[str, Any], ...]) -> Grid:
    names = [name for name, _ in key]
    parts = [
        _short(Probe(dict(key), n_points=n, seed=s).points, key)
        for n, s in ((N_POINTS, 0), (N_FRESH, FRESH_SEED))
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


class Target:
    """A member of a family, evaluated exactly where it is asked.

    Parameters
    ----------
    form : Form
        The family.
    values : sequence of Value
        Its parameters in that member, as exact numbers or balls.
    grid : Grid
        The points.
    outputs : ndarray
        The member at the points of the grid in floating point; NaN where undefined.
    """

    def __init__(self, form: Form, values: Sequence[Value], grid: Grid, outputs: Floats) -> None:
        self._form, self.grid, self.outputs = form, grid, outputs
        self.places = np.flatnonzero(np.isfinite(outputs))  # of the points where it is defined
        self.typical = float(np.median(np.abs(outputs[self.places])))
        self.parameters = form.by_name(values)
        # At the precision of whoever asks first; `again` is for another one.
        self._known: dict[int, Value] = {}

    @classmethod
    def of_member(cls, form: Form, grid: Grid, values: Floats, outputs: Floats) -> Target:
        """The target that a member drawn in floating point is, exactly."""
        return cls(form, [exact_rational(float(value)) for value in values], grid, outputs)

    def again(self) -> Target:
        """The same target, of which nothing is known: for another precision."""
        return Target(self._form, list(self.parameters.values()), self.grid, self.outputs)

    @property
    def gaps(self) -> list[int]:
        """A few points where the target is undefined: a member is undefined there too."""
        gaps = np.setdiff1d(np.arange(len(self.grid.points)), self.places)
        return [int(place) for place in gaps[:: max(1, len(gaps) // 4)]]

    def at(self, place: int) -> Value:
        """The value at a point of the grid, kept."""
        value = self._known.get(place)
        if value is None:
            names = self.parameters | self.grid.exact[place]
            value = self._known[place] = evaluate_form(self._form, names)
        return value


def evaluate_form(form: Form, values: dict[str, Value]) -> Value:
    """The value of a form for values of all of its names, at the precision of the moment."""
    program = form.balls
    return program.trace(values)[program.roots[0]]


def slope_matrix(
    form: Form, values: Sequence[Value], grid: Grid, n_rows: int | None = None
) -> list[list[Any]]:
    """Rows of slopes by the parameters at points of the grid, as balls at the precision in use.

    A few more rows than parameters, unless ``n_rows`` says how many.
    """
    program = form.slope_balls
    parameters = form.by_name(values)
    wanted = n_rows or form.n_parameters + EXTRA_ROWS + grid.n_pieces
    rows: list[list[Any]] = []
    for place in grid.spread(range(len(grid.points)), wanted):
        trace = program.trace(parameters | grid.exact[place])
        slopes = [trace[root] for root in program.roots[1:]]
        if is_defined(trace[program.roots[0]]) and all(map(is_defined, slopes)):
            rows.append([as_ball(slope) for slope in slopes])
            if len(rows) == wanted:
                break
    return rows


def residual_of_member(form: Form, values: Sequence[Value], target: Target) -> float:
    """How far a member of a form is from a target at points that no fit sees.

    The largest relative residual, also where the target is undefined, as the member must be;
    infinite where a value leaves its range.
    """
    inside = within_ranges(form, list(values))
    if inside is None:
        return math.inf
    parameters = form.by_name(inside)
    return largest_residual(form, parameters, target, [*target.grid.fresh, *target.gaps])


def largest_residual(
    form: Form, parameters: dict[str, Value], target: Target, places: Iterable[int]
) -> float:
    """The largest relative residual at some points; infinite where only one side is defined."""
    worst = 0.0
    for place in places:
        value = evaluate_form(form, parameters | target.grid.exact[place])
        wanted = target.at(int(place))
        if is_defined(wanted) != is_defined(value):
            return math.inf
        if is_defined(wanted):
            exact = as_ball(wanted)
            # In balls: exp(-1e8) is no float, and not zero. Not relative to the near-zeros of a
            # function that changes its sign.
            size = max(abs(exact.mid()), arb(1e-3 * target.typical))
            apart = abs(as_ball(value) - exact)
            worst = max(worst, float((apart / size if size > 0 else apart).upper()))
    return worst


def within_ranges(form: Form, values: list[Value]) -> list[Value] | None:
    """The values inside of their ranges; None where one is outside."""
    kept = []
    for value, low, high in zip(values, form.lows, form.highs, strict=True):
        for end, side in ((low, 1), (high, -1)):
            if math.isfinite(end):
                edge = exact_rational(end)
                over = (as_ball(value) - as_ball(edge)) * side
                if over < 0:
                    # Newton's steps end within rounding of an end that is the solution.
                    if not over > -arb(SNAPPED) * (1 + abs(as_ball(edge))):
                        return None
                    value = edge
        kept.append(value)
    return kept
