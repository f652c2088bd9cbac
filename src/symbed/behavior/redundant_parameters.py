"""Parameters that act only together: ``a*b*x`` has two of them and one degree of freedom.

Fits do not determine such parameters, and draws of a range are not what they seem. Slopes in
floating point are looked at first; what they suspect, exact slopes in balls confirm where
python-flint is installed, since ``a*x + 1e-12*b*x^3`` has two degrees of freedom that no float
tells apart. ``symbed.effective`` names the combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from symbed._types import Floats
from symbed.engine.packed_programs import outputs_at
from symbed.engine.program import Program, compile_expression, parameter_slots
from symbed.errors import SymbedError
from symbed.language.expression import ANONYMOUS, Expression, Item

STEP = 1e-5  # of a parameter, for central differences: errors near 1e-10
DEAD = 1e-10  # share of the outputs that a parameter moves: it does nothing
DEPENDENT = 1e-8  # of the largest singular value of normalized slopes
INVOLVED = 1e-3  # component of a direction in which nothing moves
MAX_POINTS = 48
SIZES = (1e-290, 1e150)  # of outputs; the differences of smaller ones lose digits, or vanish
JITTERS = ((0.0,), (0.131, -0.087, 0.053, -0.117))  # two places: a dependence at one says little


def redundant_parameters(
    expression: Expression, points: Floats, variables: Sequence[str], values: Sequence[float]
) -> tuple[tuple[str, ...], ...]:
    """Groups of parameters with fewer degrees of freedom than members; empty if there are none.

    Parameters
    ----------
    expression : Expression
        The formula.
    points : ndarray of shape (n_points, n_variables)
        Where it is looked at.
    variables : sequence of str
        Names of the columns.
    values : sequence of float
        A vector of its parameters, in order of appearance, around which slopes are taken.

    Examples
    --------
    >>> from symbed import parse
    >>> points = np.linspace(1.0, 5.0, 20)[:, None]
    >>> redundant_parameters(parse("a*b*x + c"), points, ["x"], [1.0, 2.0, 3.0])
    (('a', 'b'),)
    """
    named, shown = _with_names(expression, tuple(variables))
    names = tuple(name for name in named.names if name not in variables)
    if not names:
        return ()
    rows = {name: row for row, name in enumerate(variables)}
    program = compile_expression(named, rows, names.index)
    slots = parameter_slots(named, rows, names.index)
    inputs = np.ascontiguousarray(points[:: -(-len(points) // MAX_POINTS)].T)
    frees, members = [], []
    for jitter in JITTERS:
        at = np.asarray(values, np.float64) * (1.0 + np.resize(jitter, len(names)))
        # Steps are relative: a parameter at 0 would not move, and pass for one that does nothing.
        members.append(np.where(at == 0.0, STEP, at))
        slopes = _slopes(program, slots, inputs, members[-1])
        if slopes is None:
            return ()
        frees.append(_free_directions(slopes))
    # What is free at one place only is a coincidence there, so the place with less decides.
    suspected = _groups(shown, min(frees, key=len))
    if not suspected:
        return ()
    confirmed = _confirmed(named, inputs.T, variables, members)
    if confirmed is None:
        return suspected
    return tuple(tuple(shown[k] for k in group) for group in confirmed)


def _confirmed(
    expression: Expression, points: Floats, variables: Sequence[str], members: Sequence[Floats]
) -> list[tuple[int, ...]] | None:
    """The groups by exact slopes; None where these are not to be had."""
    try:
        # Below this room in the house, and only there is exact arithmetic.
        from symbed.verdicts.families.effective_parameters import redundant_at

        return redundant_at(expression, points, tuple(variables), [m.tolist() for m in members])
    except SymbedError:  # without python-flint, or an operator that has no balls
        return None


def _slopes(program: Program, slots: Sequence[int], inputs: Floats, at: Floats) -> Floats | None:
    """(n_points, n) slopes by the logarithm of each parameter, relative to the outputs' size."""
    n = len(at)
    moves = np.concatenate([np.eye(n), -np.eye(n), np.zeros((1, n))]) * STEP
    vectors = np.empty((2 * n + 1, n))
    # The program has its own order of parameters; values are in order of appearance.
    vectors[:, list(slots)] = at * (1.0 + moves)
    outputs = outputs_at(program, inputs, vectors)
    defined = np.isfinite(outputs).all(axis=0)
    # With no more points than parameters, slopes may be dependent by chance.
    if defined.sum() <= n:
        return None
    outputs = outputs[:, defined]
    size = float(np.abs(outputs[-1]).max())
    if not SIZES[0] < size < SIZES[1]:
        return None
    return ((outputs[:n] - outputs[n : 2 * n]) / (2.0 * STEP * size)).T


def _free_directions(slopes: Floats) -> Floats:
    """Unit vectors of parameters along which the outputs do not move, (k, n)."""
    sizes = np.linalg.norm(slopes, axis=0)
    dead = sizes <= DEAD * np.sqrt(len(slopes))
    frees = [np.eye(len(sizes))[dead]]
    alive = np.flatnonzero(~dead)
    if len(alive) > 1:
        _, values, vectors = np.linalg.svd(slopes[:, alive] / sizes[alive], full_matrices=False)
        free = np.zeros((int((values <= DEPENDENT * values[0]).sum()), len(sizes)))
        free[:, alive] = vectors[values <= DEPENDENT * values[0]]
        frees.append(free)
    return np.concatenate(frees)


def _groups(names: Sequence[str], frees: Floats) -> tuple[tuple[str, ...], ...]:
    """The parameters of each connected set of free directions."""
    groups: list[set[int]] = []
    # The projection onto the free directions does not depend on which of them were chosen.
    shares = np.abs(frees.T @ frees)
    for k in range(len(names)):
        # The diagonal of a projection holds squared lengths.
        if shares[k, k] <= INVOLVED**2:
            continue
        linked = {j for j in range(len(names)) if shares[k, j] > INVOLVED} | {k}
        for group in [group for group in groups if group & linked]:
            groups.remove(group)
            linked |= group
        groups.append(linked)
    ordered = sorted(tuple(sorted(group)) for group in groups)
    return tuple(tuple(names[k] for k in group) for group in ordered)


def _with_names(expression: Expression, variables: tuple[str, ...]) -> tuple[Expression, list[str]]:
    """Each anonymous parameter with a name of its own; and what a fit calls the parameters."""
    taken = set(expression.names)
    fresh = (name for k in itertools.count() if (name := f"{ANONYMOUS}_{k}") not in taken)
    shown: dict[str, str] = {}

    def renamed(item: Item) -> Item:
        name = next(fresh) if item == ANONYMOUS else item
        if isinstance(name, str) and name not in variables and name not in shown:
            n_anonymous = sum(label.startswith(f"{ANONYMOUS}[") for label in shown.values())
            shown[name] = f"{ANONYMOUS}[{n_anonymous}]" if item == ANONYMOUS else name
        return name

    named = Expression(tuple(map(renamed, expression.postfix)), variables)
    return named, list(shown.values())
