"""What the page shows of two formulas: how they were read, their distance, and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symbed import Behavior, Expression, Measure, Probe, compare, observe
from symbed._types import Floats
from symbed.distances import kernels
from symbed.distances.intervals.uncertainty import remedy
from symbed.errors import LimitError
from symbed.language.dialects.tool_table import READABLE
from symbed.web._densities import N_COLUMNS, N_PICTURE_DRAWS, picture
from symbed.web._formula_names import AUTO, Names, Range, Reading, problems_in
from symbed.web._json_fields import Fields, encode

IN_PAGE = {"n_points": "Points", "n_draws": "Draws", "metric": "the metric arcsinh in Python"}

MAX_POINTS, MAX_DRAWS = 512, 512
MAX_OUTPUTS = 1 << 17  # points x draws of one behavior
MAX_STEPS = 1 << 28  # points x draws x nodes of all formulas: a second or so of work
MAX_FORMULA = 16_384  # characters of a formula
FALLBACK = (1.0, 5.0)


@dataclass(frozen=True)
class ComparisonRequest:
    """What the page asks: two formulas, ranges, the size of the probe, and where to look along."""

    formulas: list[str]
    dialects: list[str]
    roles: dict[str, str]
    ranges: dict[str, Range]
    fallback: Range
    n_points: int
    n_draws: int
    p: int
    seed: int
    axis: str
    held: dict[str, float]

    @classmethod
    def of(cls, fields: Fields) -> ComparisonRequest:
        """The request in a JSON document."""
        return cls(
            formulas=fields.texts("formulas", 2, MAX_FORMULA),
            dialects=fields.choices("dialects", 2, (*READABLE, AUTO)),
            roles=fields.words("roles", ("variable", "parameter")),
            ranges=fields.pairs("ranges"),
            fallback=fields.pair("fallback", FALLBACK),
            n_points=fields.whole("points", 64, 1, MAX_POINTS),
            n_draws=fields.whole("draws", 32, 1, MAX_DRAWS),
            p=fields.whole("p", 1, 1, 2),
            seed=fields.whole("seed", 0, 0, 2**31 - 1),
            axis=fields.text("axis", 64, ""),
            held=fields.numbers("held"),
        )

    def read(self) -> tuple[list[Reading], list[Expression], Names]:
        """How each formula was read; those that could be, and their names with roles and ranges."""
        # In two steps: roles belong to names, and these are known only when both are read.
        first = [
            Reading.of(text, dialect=dialect)
            for text, dialect in zip(self.formulas, self.dialects, strict=True)
        ]
        expressions = [one.expression for one in first if one.expression is not None]
        names = Names.of(expressions, self.roles, self.ranges, self.fallback)
        readings = [reading.with_variables(names.domain) for reading in first]
        return readings, [one.expression for one in readings if one.expression], names


def answer(request: ComparisonRequest) -> dict[str, Any]:
    """How both formulas were read, and their comparison if both could be."""
    readings, expressions, names = request.read()
    shown: dict[str, Any] = {
        "readings": [reading.document() for reading in readings],
        "names": names.document(),
        "problem": names.problem(),
        "result": None,
    }
    if len(expressions) == 2 and shown["problem"] is None:
        with problems_in(shown):
            shown["result"] = _result(expressions, names, request)
    return shown


def check_steps(
    expressions: Sequence[Expression], n_points: int, n_draws: int, most: int = MAX_STEPS
) -> None:
    """Refuse work that would keep the page waiting."""
    outputs = n_points * n_draws
    if outputs > MAX_OUTPUTS:
        raise LimitError(
            f"{n_points} points x {n_draws} draws are more than the {MAX_OUTPUTS:,} outputs that "
            "the page computes; take fewer"
        )
    steps = outputs * sum(expression.size for expression in expressions)
    if steps > most:
        raise LimitError(
            "these formulas are too long for so many points and draws on a page; take fewer, or "
            "use the command line"
        )


def _result(
    expressions: list[Expression], names: Names, request: ComparisonRequest
) -> dict[str, Any]:
    check_steps(expressions, request.n_points, request.n_draws)
    check_steps(expressions, N_COLUMNS, N_PICTURE_DRAWS)
    probe = names.probe(request.n_points, request.n_draws, request.seed)
    e, f = (observe(expression, probe) for expression in expressions)
    comparison = compare(e, f, p=request.p)
    axis = request.axis if request.axis in names.domain else next(iter(names.domain))
    line = CrossSection(names, axis, _held(names, request, axis))
    sides, profile = [e, f], comparison.profile
    if line.held:  # among several variables the points are spread; the CDFs need a line of them
        steps = line.probe(line.steps(request.n_points), request.n_draws, request.seed)
        sides = [observe(expression, steps) for expression in expressions]
        profile = _profile(sides, request.p)
    place = probe.variables.index(axis)
    return comparison.to_dict() | {
        "remedy": remedy(comparison.reason, IN_PAGE),
        "seed": probe.seed,
        "axis": axis,
        "bounds": list(names.domain[axis]),
        "held": line.held,
        "line": _line(sides, profile, place),
        "cloud": {"at": encode(comparison.points[:, place]), "profile": encode(comparison.profile)},
        "picture": picture(
            [line.observing(expression, request.seed) for expression in expressions],
            line.steps(N_COLUMNS),
        ),
    }


def _held(names: Names, request: ComparisonRequest, axis: str) -> dict[str, float]:
    """Where the other variables stand while one is looked along: in the middle, if not told."""
    return {
        name: min(max(request.held.get(name, (low + high) / 2), low), high)
        for name, (low, high) in names.domain.items()
        if name != axis
    }


@dataclass(frozen=True)
class CrossSection:
    """A line through the domain: one variable runs through its range, the others stand still."""

    names: Names
    axis: str
    held: dict[str, float]

    def steps(self, count: int) -> Floats:
        """The midpoints of equal steps along the axis."""
        low, high = self.names.domain[self.axis]
        share = (np.arange(count) + 0.5) / count
        # Not low + (high - low) * share: the width of a huge range overflows.
        return np.asarray(low * (1.0 - share) + high * share)

    def observing(self, expression: Expression, seed: int) -> Callable[[Floats], Behavior]:
        """What observes an expression at places of the axis, for a picture.

        One draw set for all places: each draw is a curve, so the picture is smooth along the axis.
        """
        return lambda steps: observe(
            expression, self.probe(steps, N_PICTURE_DRAWS, seed, design="shared")
        )

    def probe(self, steps: Floats, n_draws: int, seed: int, design: str = "lattice") -> Probe:
        """A probe at places of the axis."""
        columns = [self.held.get(name, steps) for name in self.names.domain]
        return Probe.at(
            np.stack(np.broadcast_arrays(*columns, steps)[:-1], axis=1), list(self.names.domain),
            parameters=self.names.parameters or None, n_draws=n_draws, seed=seed, design=design,
        )  # fmt: skip


def _profile(sides: list[Behavior], p: int) -> Floats:
    """The point-wise distances alone: of a line nobody asks how far to trust it."""
    measure = Measure(p=p)
    u, v = (kernels.prepare((side.outputs[None], side.counts[None]), measure) for side in sides)
    return kernels.profile(u, v, measure)


def _line(sides: list[Behavior], profile: Floats, place: int) -> dict[str, Any]:
    """The sorted outputs at each step of the axis, (draws, steps), and the distances there."""
    return {
        "at": encode(sides[0].points[:, place]),
        "profile": encode(profile),
        "outputs": [encode(side.outputs) for side in sides],
        "counts": [side.counts.tolist() for side in sides],
    }
