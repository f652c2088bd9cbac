"""What parameters that act only together act through: ``a*b``, ``a*exp(b)``, ``a + b^2``.

Null vectors of the slopes join parameters. What a group acts through is a function that no null
vector changes: a part of the formula itself, or a sum or product of functions of one parameter
each, with exponents that are simple fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations as subsets
from typing import Any

from symbed.language.expression import Expression, Postfix, spans
from symbed.language.parser import parse
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.elimination import Elimination, eliminate
from symbed.verdicts.arithmetic.values import Value, arb, as_ball, is_defined
from symbed.verdicts.families.form import Form

ZERO = 1e-40  # a relative number below it is zero
SIMPLEST = (2, 3, 4)  # denominators of exponents that are looked for

Vector = tuple[Any, ...]


def joined_parameters(form: Form, eliminations: Sequence[Elimination]) -> list[tuple[int, ...]]:
    """Parameters that null vectors join, in their order."""
    group_of = list(range(form.n_parameters))
    touched: set[int] = set()
    supports = [[_support(v) for v in elimination.null_space] for elimination in eliminations]
    dead: list[set[int]] = [
        {support[0] for support in of_one if len(support) == 1} for of_one in supports
    ]
    # Dead at one member and not at another: it takes turns with others, as in max(a, b).
    turns = sorted({k for one in dead for k in one if not all(k in other for other in dead)})
    if turns:
        supports.append([turns])
    for of_one in supports:
        for support in of_one:
            touched.update(support)
            target = min(group_of[k] for k in support)
            merged = {group_of[k] for k in support}
            group_of = [target if group in merged else group for group in group_of]
    labels = sorted({group_of[k] for k in touched})
    return [tuple(k for k in sorted(touched) if group_of[k] == label) for label in labels]


def _support(vector: Vector) -> list[int]:
    """The places of a vector that are not zero."""
    largest = max(float(abs(entry).upper()) for entry in vector)
    # The upper end: an entry that is not certainly negligible joins its parameter to the others.
    return [k for k, entry in enumerate(vector) if float(abs(entry).upper()) > ZERO * largest]


def recognized_combinations(
    form: Form,
    group: tuple[int, ...],
    members: Sequence[Sequence[Value]],
    eliminations: Sequence[Elimination],
) -> list[Expression]:
    """Combinations that a group acts through, each checked against the null vectors."""
    if len(group) == 1:
        return []
    null_vectors = [
        [v for v in elimination.null_space if set(_support(v)) <= set(group)]
        for elimination in eliminations
    ]
    # k parameters that move along m null vectors without effect act through k - m functions.
    missing = len(group) - min(map(len, null_vectors))
    recognized: list[Expression] = []
    gradients: list[list[Vector]] = []
    for candidate in _candidates(form, group, members, null_vectors):
        if missing <= len(recognized):
            break
        slopes = _gradients(candidate, form, members)
        if slopes is None or not _is_invariant(slopes, null_vectors):
            continue
        # Gradients that are independent at one member prove that it is no function of the others.
        first = [list(of_members[0]) for of_members in [*gradients, slopes]]
        if eliminate(first).rank == len(first):
            recognized.append(candidate)
            gradients.append(slopes)
    # Some of them would not say what the group acts through.
    return recognized if missing == len(recognized) else []


def _candidates(
    form: Form,
    group: tuple[int, ...],
    members: Sequence[Sequence[Value]],
    null_vectors: Sequence[Sequence[Vector]],
) -> Iterator[Expression]:
    names = [form.parameters[k] for k in group]
    yield from _shorter_first(_subtrees(form, set(names)))
    for subset in subsets(range(len(group)), 2):
        places = [group[k] for k in subset]
        yield from _dictionary(form, places, members, null_vectors)
    if len(group) > 2:
        yield from _dictionary(form, list(group), members, null_vectors)


def _shorter_first(expressions: Iterator[Expression]) -> list[Expression]:
    return sorted(expressions, key=lambda expression: expression.size)


def _subtrees(form: Form, names: set[str]) -> Iterator[Expression]:
    """Parts of the formula that are made of these parameters alone, two of them at least."""
    postfix = form.expression.postfix
    for end, start in enumerate(spans(postfix)):
        part: Postfix = postfix[start : end + 1]
        used = {item for item in part if isinstance(item, str)}
        if len(used) > 1 and used <= names:
            yield Expression(part, form.variables)


@dataclass(frozen=True)
class Coordinate:
    """A function of one parameter, of which sums are taken: its slope, and how it is written."""

    slope: Callable[[Any], Any]  # its derivative, from the parameter
    plain: str  # how it is written as a term of a sum; empty if it is a logarithm
    # How its exponential is written as a factor of a product; empty if it has no short one.
    factor: str


# The order is that of preference: for each parameter the first that fits is taken.
COORDINATES = (
    Coordinate(lambda p: 1 / p, "", "{}"),
    Coordinate(lambda p: arb(1), "{}", "exp({})"),
    Coordinate(lambda p: p.cos() / p.sin(), "", "sin({})"),
    Coordinate(lambda p: -p.sin() / p.cos(), "", "cos({})"),
    Coordinate(lambda p: 2 * p, "{}^2", "exp({}^2)"),
    Coordinate(lambda p: p.exp(), "exp({})", ""),
    Coordinate(lambda p: -1 / (p * p), "1/{}", "exp(1/{})"),
    Coordinate(lambda p: p.cos(), "sin({})", ""),
    Coordinate(lambda p: -p.sin(), "cos({})", ""),
    Coordinate(lambda p: 1 + p.tan() ** 2, "tan({})", ""),
    Coordinate(lambda p: 1 / (p * p.log()), "", "ln({})"),
)


def _dictionary(
    form: Form,
    places: Sequence[int],
    members: Sequence[Sequence[Value]],
    null_vectors: Sequence[Sequence[Vector]],
) -> Iterator[Expression]:
    """Sums and products of functions of one parameter each whose slopes the null vectors allow."""
    # sum of share_i * c_i(p_i) is what the group acts through if its gradient, share_i * c_i'(p_i),
    # is parallel to the one direction that the null vectors leave, at every member.
    directions = [_orthogonal(vectors, places) for vectors in null_vectors]
    if any(direction is None for direction in directions):
        return
    values = [[as_ball(member[k]) for k in places] for member in members]
    for first in COORDINATES:
        chosen: list[tuple[Coordinate, Fraction]] = [(first, Fraction(1))]
        for place in range(1, len(places)):
            for other in COORDINATES:
                share = _constant_ratio(first, other, place, values, directions)
                if share is not None:
                    chosen.append((other, share))
                    break
            else:
                break
        if len(chosen) == len(places):
            yield from _written([form.parameters[k] for k in places], chosen)


def _orthogonal(vectors: Sequence[Vector], places: Sequence[int]) -> list[Any] | None:
    """The direction on some places that is orthogonal to all null vectors, the first entry 1."""
    rows = [[vector[k] for k in places] for vector in vectors]
    rows = [row for row in rows if any(float(abs(entry).upper()) > ZERO for entry in row)]
    if not rows:
        return None
    elimination = eliminate(rows)
    # One direction must be left: of several, any could be that of a combination.
    if elimination.rank != len(places) - 1:
        return None
    direction = elimination.null_space[0]
    if not (direction[0] > 0 or direction[0] < 0):
        return None
    return [entry / direction[0] for entry in direction]


def _constant_ratio(
    first: Coordinate,
    other: Coordinate,
    place: int,
    values: Sequence[Sequence[Any]],
    directions: Sequence[list[Any] | None],
) -> Fraction | None:
    """The rational factor of a coordinate beside the first one, if it is the same everywhere."""
    shares = []
    for row, direction in zip(values, directions, strict=True):
        slope = other.slope(row[place])
        if direction is None or not slope.is_finite() or slope.contains(0):
            return None
        # direction[0] and the first share are 1, so direction[i] = share_i * c_i' / c_0'.
        share = direction[place] * first.slope(row[0]) / slope
        if not share.is_finite():
            return None
        shares.append(share)
    # Guessed from one member as a float, then held against all of them in balls.
    near = Fraction(float(shares[0].mid())).limit_denominator(max(SIMPLEST))
    if near == 0 or any(
        float(abs(share - arb(near.numerator) / near.denominator).upper()) > ZERO
        for share in shares
    ):
        return None
    return near


def _written(
    names: Sequence[str], chosen: Sequence[tuple[Coordinate, Fraction]]
) -> Iterator[Expression]:
    """A sum or a product as an expression."""
    # A sum with a logarithm in it is shown as its exponential: a product of powers.
    if all(coordinate.plain for coordinate, _ in chosen):
        text = " + ".join(
            f"({share})*{c.plain.format(name)}" if share != 1 else c.plain.format(name)
            for name, (c, share) in zip(names, chosen, strict=True)
        )
        yield _tidy(text)
    elif all(coordinate.factor for coordinate, _ in chosen):
        over: list[str] = []
        under: list[str] = []
        for name, (c, share) in zip(names, chosen, strict=True):
            power = abs(share)
            inside = c.factor.format(name)
            if c.factor.startswith("exp"):
                inside = _exponential(c.factor.format(name), share)
                over.append(inside)
                continue
            (over if share > 0 else under).append(inside if power == 1 else f"{inside}^({power})")
        text = "*".join(over) or "1"
        yield _tidy(text + (f"/({'*'.join(under)})" if under else ""))


def _exponential(text: str, share: Fraction) -> str:
    inside = text[len("exp(") : -1]
    if share == 1:
        return text
    return f"exp(-{inside})" if share == -1 else f"exp({share}*{inside})"


def _tidy(text: str) -> Expression:
    return parse(text.replace("+ (-1)*", "- "), variables=())


def _gradients(
    candidate: Expression, form: Form, members: Sequence[Sequence[Value]]
) -> list[Vector] | None:
    """The slopes of a combination by all parameters, one row for each member."""
    slopes = [candidate.derivative(name) for name in form.parameters]
    program = BallProgram.of([candidate, *slopes])
    rows = []
    for values in members:
        trace = program.trace(form.by_name(values))
        row = [trace[root] for root in program.roots[1:]]
        if not all(map(is_defined, row)):
            return None
        rows.append(tuple(map(as_ball, row)))
    return rows


def _is_invariant(gradients: Sequence[Vector], null_vectors: Sequence[Sequence[Vector]]) -> bool:
    """Whether a combination does not change along any null vector, and changes otherwise."""
    for gradient, vectors in zip(gradients, null_vectors, strict=True):
        size = max(float(abs(entry).upper()) for entry in gradient)
        if not size > ZERO:
            return False
        for vector in vectors:
            total = sum((g * v for g, v in zip(gradient, vector, strict=True)), arb(0))
            length = max(float(abs(v).upper()) for v in vector)
            if float(abs(total).upper()) > ZERO * size * length:
                return False
    return True
