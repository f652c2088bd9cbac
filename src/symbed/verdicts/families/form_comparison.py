"""The form distance: how far the members of one family are from another, whatever the parameters.

Each member of E is compared with the nearest member of F, found by a fit. The distance is zero
exactly when E is contained in F (or a limit of it), however either is parametrized.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from symbed._types import Floats, Seed
from symbed.errors import DataError
from symbed.parallel import open_executor, run_blocks
from symbed.sampling.validation import checked_seed
from symbed.verdicts.families._formula_matching import structural_substitution
from symbed.verdicts.families._polishing import settled_distances
from symbed.verdicts.families._refutation import Refuter
from symbed.verdicts.families._substitution import Substitution, SubstitutionCheck
from symbed.verdicts.families.drawn_members import (
    MEMBERS,
    Members,
    draw_members,
    far_members,
    require_members,
)
from symbed.verdicts.families.form import Domain, Form, Grid, Ranges, Target, make_grid, read_form
from symbed.verdicts.families.nearest_members import FLOOR, Nearest, nearest_members
from symbed.workbench.evaluation import Source


@dataclass(frozen=True)
class FormComparison:
    """The form distance between two families, both ways.

    Attributes
    ----------
    distance : float
        The mean of both directed distances, in [0, 1].
    e_to_f, f_to_e : float
        The directed distances: zero where E is contained in F, and the reverse.
    uncertainty : float
        Standard error of ``distance`` over members.
    e_reached, f_reached : float
        The shares of E's members that are in F, and the reverse, as floats tell.
    """

    distance: float
    e_to_f: float
    f_to_e: float
    uncertainty: float
    e_reached: float
    f_reached: float

    def to_dict(self) -> dict[str, float]:
        """All fields as plain values for JSON."""
        return dict(self.__dict__)

    def __str__(self) -> str:
        return (
            f"form distance {self.distance:.4g} +- {self.uncertainty:.2g} "
            f"(E to F {self.e_to_f:.4g}, F to E {self.f_to_e:.4g})"
        )


@dataclass(frozen=True, eq=False)
class FormDistances:
    """Form distances between all pairs of some families.

    ``np.asarray`` gives the symmetric matrix, ``condensed()`` what SciPy's clustering takes.

    Attributes
    ----------
    directed : ndarray of shape (n, n)
        ``directed[i, j]`` is the distance from family i to family j.
    uncertainties : ndarray of shape (n, n)
        Standard errors over members, of the directed distances.
    sources : tuple of formulas
        The formulas as they were given.
    """

    directed: Floats
    uncertainties: Floats
    sources: tuple[Source, ...]

    @property
    def matrix(self) -> Floats:
        """The symmetric distances, (n, n)."""
        return (self.directed + self.directed.T) / 2

    def condensed(self) -> Floats:
        """The symmetric distances above the diagonal, row by row."""
        return self.matrix[np.triu_indices(len(self.directed), 1)]

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "sources": [str(source) for source in self.sources],
            "matrix": self.matrix.tolist(),
            "directed": self.directed.tolist(),
            "uncertainties": self.uncertainties.tolist(),
        }

    def __len__(self) -> int:
        return len(self.directed)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.matrix, dtype=dtype)

    def __repr__(self) -> str:
        return f"FormDistances({len(self)} families)"


def form_distance(
    e: Source,
    f: Source,
    domain: Domain,
    parameters: Ranges = None,
    *,
    n_members: int = MEMBERS,
    seed: Seed = 0,
) -> float:
    """The symmetric form distance between two families, in [0, 1].

    Only zero does not depend on the parametrization: a larger value is a mean over members, which
    are drawn from the parameter ranges.

    Parameters
    ----------
    e, f : str, sequence of str or Expression
        The formulas: text, token lists or Expressions.
    domain : mapping from str to range
        The range of each variable.
    parameters : range or mapping from str to range, optional
        The range of all parameters or of each by name, ends may be infinite; None for all real
        numbers.
    n_members : int
        How many members of each family are drawn.
    seed : int or numpy Generator
        Seed of the draws.

    Examples
    --------
    >>> form_distance("C*ln(x^2)", "C*ln(x)", {"x": (1, 5)}) < 1e-12
    True
    >>> form_distance("C*x", "C*x^1.02", {"x": (1, 5)}) > 1e-3
    True
    """
    return compare_forms(e, f, domain, parameters, n_members=n_members, seed=seed).distance


def compare_forms(
    e: Source,
    f: Source,
    domain: Domain,
    parameters: Ranges = None,
    *,
    n_members: int = MEMBERS,
    seed: Seed = 0,
    e_values: Sequence[float] | None = None,
    f_values: Sequence[float] | None = None,
) -> FormComparison:
    """The form distance between two families, both ways, with its uncertainty.

    Parameters
    ----------
    e, f : str, sequence of str or Expression
        As in ``form_distance``.
    domain : mapping from str to range
        As in ``form_distance``.
    parameters : range or mapping from str to range, optional
        As in ``form_distance``.
    n_members, seed : int
        As in ``form_distance``.
    e_values, f_values : sequence of float, optional
        Values of the parameters in order of appearance, around which members are drawn (by factors
        of up to 2): a found formula's own constants.
    """
    forms = [read_form(source, domain, parameters) for source in (e, f)]
    seed, grid = checked_seed(seed), make_grid(domain, forms)
    members = [
        _members(form, grid, n_members, seed, values)
        for form, values in zip(forms, (e_values, f_values), strict=True)
    ]
    ways = [
        _way(inner, outer, domain, grid, own)
        for inner, outer, own in zip(forms, forms[::-1], members, strict=True)
    ]
    means = [float(way.distances.mean()) for way in ways]
    errors = [_standard_error(way) for way in ways]
    reached = [float(way.reached.mean()) for way in ways]
    return FormComparison(
        sum(means) / 2, means[0], means[1], math.hypot(*errors) / 2, reached[0], reached[1]
    )


def form_distances(
    families: Iterable[Source],
    domain: Domain,
    parameters: Ranges = None,
    *,
    n_members: int = MEMBERS,
    seed: Seed = 0,
    careful: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FormDistances:
    """Form distances between all pairs of some families.

    Parameters
    ----------
    families : iterable of formulas
        Each one text, a token list or an Expression.
    domain : mapping from str to range
        As in ``form_distance``.
    parameters : range or mapping from str to range, optional
        As in ``form_distance``.
    n_members, seed : int
        As in ``form_distance``.
    careful : bool
        Whether members that a few descents do not reach are searched with more; without, it is
        several times faster, and some distances are too large.
    workers : int, optional
        Number of threads; all cores by default. The numbers do not depend on it.
    executor : Executor, optional
        Who computes, instead of threads; the numbers do not depend on it either.
    progress : callable, optional
        Called with the number of columns done and the number of all.
    """
    sources = tuple(families)
    if not sources:
        raise DataError("there is nothing to compare: no family was given")
    seed, grid = checked_seed(seed), make_grid(domain)
    forms = [read_form(source, domain, parameters) for source in sources]
    # What is equal up to commutativity and names of parameters is the same family.
    keys = [(form.program.words, form.lows, form.highs) for form in forms]
    first = {key: keys.index(key) for key in keys}
    distinct = list(first.values())
    row_of = np.array([distinct.index(first[key]) for key in keys])
    kept = [forms[k] for k in distinct]
    members = [draw_members(form, grid.points, n_members, seed) for form in kept]
    # By distinct families; rows are from, columns to. A column is one block: its fits share a form.
    directed, errors = (np.zeros((len(kept), len(kept))) for _ in range(2))
    with open_executor(workers, executor) as pool:
        blocks = [(kept[j], grid, members, j, careful) for j in range(len(kept))]
        for j, (column, column_errors) in enumerate(run_blocks(pool, _column, blocks)):
            directed[:, j], errors[:, j] = column, column_errors
            if progress:
                progress(j + 1, len(kept))
    return FormDistances(directed[np.ix_(row_of, row_of)], errors[np.ix_(row_of, row_of)], sources)


def _way(inner: Form, outer: Form, domain: Domain, grid: Grid, members: Members) -> Nearest:
    """The nearest members of one family to those of another; itself where they correspond."""
    check = SubstitutionCheck(inner, outer, domain, grid)
    substitution = structural_substitution(check)
    if substitution is not None:
        n = len(members)
        # No fit was made, so there are no parameters to tell; only distances are read.
        nearest = Nearest(np.zeros((n, outer.n_parameters)), np.zeros(n))
    else:
        nearest = nearest_members(outer, grid.points, members)

        def target_of(k: int) -> Target:
            return Target.of_member(inner, grid, members.values[k], members.outputs[k])

        distances = settled_distances(outer, nearest.values, nearest.distances, target_of)
        nearest = replace(nearest, distances=distances)
    # Far members matter only where the answer would be zero, which claims a containment.
    if nearest.distances.any() or not inner.n_parameters:
        return nearest
    apart = _apart_from_afar(check, substitution, members)
    return replace(nearest, distances=np.concatenate([nearest.distances, apart]))


def _apart_from_afar(
    check: SubstitutionCheck, substitution: Substitution | None, members: Members
) -> Floats:
    """The distance of the first far member that is proven to be no member of the outer family.

    Floats say which ones may be apart, but only proofs count: fits to far members lose their way in
    families that do contain them.
    """
    inner, outer, grid = check.inner, check.outer, check.grid
    far, _ = far_members(inner, grid, members)
    if not len(far):
        return np.empty(0)
    if substitution is None:
        near = nearest_members(outer, grid.points, far, careful=False).reached
    else:
        near = check.is_near(list(substitution.formulas.values()), far)
    refuter: Refuter | None = None
    for k in np.flatnonzero(~near):
        refuter = refuter or Refuter(outer, grid)
        target = Target.of_member(inner, grid, far.values[k], far.outputs[k])
        if refuter.by_member(target, far.outputs[k]) is not None:
            one = Members(far.values[[k]], far.outputs[[k]])
            return np.maximum(nearest_members(outer, grid.points, one).distances, FLOOR)
    return np.empty(0)


def _column(
    form: Form, grid: Grid, members: Sequence[Members], own: int, careful: bool
) -> tuple[Floats, Floats]:
    """The distances from every family to one; its own is zero."""
    distances, errors = np.zeros(len(members)), np.zeros(len(members))
    for k, targets in enumerate(members):
        if k != own and not len(targets):
            distances[k] = 1.0  # a family without members is far from every other
        elif k != own:
            way = nearest_members(form, grid.points, targets, careful)
            distances[k], errors[k] = way.distances.mean(), _standard_error(way)
    return distances, errors


def _members(
    form: Form, grid: Grid, n_members: int, seed: int, values: Sequence[float] | None
) -> Members:
    around = None if values is None else np.asarray(values, np.float64)
    if around is not None and around.shape != (form.n_parameters,):
        raise DataError(
            f"{str(form.source)!r} has {form.n_parameters} parameters, got {around.size} values"
        )
    members = draw_members(form, grid.points, n_members, seed, around)
    require_members(form, members)
    return members


def _standard_error(way: Nearest) -> float:
    return float(way.distances.std() / math.sqrt(len(way.distances)))
