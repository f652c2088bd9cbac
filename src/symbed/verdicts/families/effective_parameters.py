"""How many parameters a family really has, and which ones act only together.

The rank of the slopes by the parameters, at a generic member, is the number of directions in which
the function can move; parameters that a null vector joins act through a combination alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symbed._types import Floats
from symbed.errors import DataError
from symbed.language.expression import Expression
from symbed.verdicts.arithmetic.elimination import Elimination, eliminate
from symbed.verdicts.arithmetic.values import Value, exact_rational, working_precision
from symbed.verdicts.families._parameter_combinations import (
    joined_parameters,
    recognized_combinations,
)
from symbed.verdicts.families.drawn_members import exact_members
from symbed.verdicts.families.form import (
    EXTRA_ROWS,
    SLOPE_BITS,
    Domain,
    Form,
    Grid,
    Ranges,
    exact_values,
    make_grid,
    read_form,
    slope_matrix,
)
from symbed.workbench.evaluation import Source

N_MEMBERS = 3  # where ranks are taken and combinations recognized
N_PIECEWISE = 12  # the same where a parameter may act in a small part of the domain, or of itself
ROWS_EACH = 4  # points of data for each parameter: pieces of a formula may want their own


@dataclass(frozen=True)
class Effective:
    """The effective parameters of a family.

    Attributes
    ----------
    rank : int
        In how many directions the function can move; a minor that excludes zero proves that there
        are at least so many.
    n_parameters : int
        Number of free parameters as written.
    parameters : tuple of str
        Their names; anonymous ones are numbered.
    redundant : tuple of tuple of str
        Groups of names that act only together, or not at all if alone.
    combinations : tuple of Expression
        What a group acts through, where it is recognized.
    """

    rank: int
    n_parameters: int
    parameters: tuple[str, ...]
    redundant: tuple[tuple[str, ...], ...]
    combinations: tuple[Expression, ...]

    @property
    def n_redundant(self) -> int:
        """How many parameters could be left out."""
        return self.n_parameters - self.rank

    def to_frame(self) -> Any:
        """A pandas table with one row."""
        from symbed._export import data_frame

        return data_frame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """The result in plain types."""
        return {
            **self.__dict__,
            "parameters": list(self.parameters),
            "redundant": [list(group) for group in self.redundant],
            "combinations": [str(combination) for combination in self.combinations],
        }

    def _repr_html_(self) -> str:
        from symbed._notebook import effective_html

        return effective_html(self)

    def __str__(self) -> str:
        names = f" ({', '.join(self.parameters)})" if self.parameters else ""
        count = f"{self.rank} of {self.n_parameters} parameters{names} are effective"
        if not self.redundant:
            return count
        groups = "; ".join(
            f"{', '.join(group)} act only together"
            if len(group) > 1
            else f"{group[0]} does nothing"
            for group in self.redundant
        )
        shown = ", ".join(map(str, self.combinations))
        return f"{count}: {groups}" + (f" (through {shown})" if shown else "")


def effective(e: Source, domain: Domain, parameters: Ranges = None) -> Effective:
    """How many parameters a family really has.

    Parameters
    ----------
    e : str, sequence of str or Expression
        The formula: text, a token list or an Expression.
    domain : mapping from str to range
        The range of each variable.
    parameters : range or mapping from str to range, optional
        The range of all parameters or of each by name, ends may be infinite; None for all real
        numbers.

    Examples
    --------
    >>> print(effective("a*b*x + c", {"x": (0.5, 5)}))
    2 of 3 parameters (a, b, c) are effective: a, b act only together (through a*b)
    """
    form = read_form(e, domain, parameters)
    n = form.n_parameters
    if not n:
        return Effective(0, 0, (), (), ())
    with working_precision(SLOPE_BITS):
        members, eliminations = _generic_members(form, domain)
        rank = eliminations[0].rank
        if rank == n:
            return Effective(n, n, form.parameters, (), ())
        groups = joined_parameters(form, eliminations)
        recognized = [
            combination
            for group in groups
            for combination in recognized_combinations(form, group, members, eliminations)
        ]
    names = tuple(tuple(form.parameters[k] for k in group) for group in groups)
    return Effective(rank, n, form.parameters, names, tuple(recognized))


def effective_rank(e: Source, domain: Domain, parameters: Ranges = None) -> int:
    """How many effective parameters a family has, without what they act through.

    To recognize combinations of a hundred parameters takes minutes and gigabytes, and few ask.

    >>> effective_rank("a*b*x + c", {"x": (0.5, 5)})
    2
    """
    form = read_form(e, domain, parameters)
    if not form.n_parameters:
        return 0
    with working_precision(SLOPE_BITS):
        return _generic_members(form, domain)[1][0].rank


def _generic_members(form: Form, domain: Domain) -> tuple[list[list[Value]], list[Elimination]]:
    """Members of the family's own rank, with the elimination of their slopes."""
    grid = make_grid(domain, [form])
    members, eliminations = [], []
    is_piecewise = form.balls.is_piecewise
    # An analytic function tells at a few points what it is at all of them.
    n_rows = len(grid.points) if is_piecewise else None
    for values in exact_members(form, grid, N_PIECEWISE if is_piecewise else N_MEMBERS):
        matrix = slope_matrix(form, values, grid, n_rows)
        if matrix:
            members.append(values)
            eliminations.append(eliminate(matrix))
            # A minor that excludes zero at one member is a proof; no other is needed.
            if eliminations[-1].rank == form.n_parameters:
                return members[-1:], eliminations[-1:]
    if not eliminations:
        raise DataError(
            f"{str(form.source)!r} is defined nowhere on this domain for the members that "
            "were tried; its effective parameters are not known"
        )
    # A member of lower rank is a special one, and its null vectors are not the family's.
    rank = max(each.rank for each in eliminations)
    kept = [k for k, each in enumerate(eliminations) if each.rank == rank]
    return [members[k] for k in kept], [eliminations[k] for k in kept]


def redundant_at(
    expression: Expression,
    points: Floats,
    variables: Sequence[str],
    members: Sequence[Sequence[float]],
) -> list[tuple[int, ...]]:
    """Groups of parameters that act only together at some members and on some points.

    Parameters
    ----------
    expression : Expression
        The formula.
    points : ndarray of shape (n_points, n_variables)
        Where it is looked at: data, not a domain.
    variables : sequence of str
        Names of the columns.
    members : sequence of sequence of float
        Vectors of its parameters, in order of appearance, at which slopes are taken.

    Returns
    -------
    list of tuple of int
        The places of the parameters of each group, in order of appearance; empty where a minor
        proves that all of them are effective, or where slopes are undefined.
    """
    form = read_form(expression, dict.fromkeys(variables), None)
    rows = points.tolist()
    grid = Grid(points, tuple(exact_values(variables, row) for row in rows))
    n_rows = min(len(rows), ROWS_EACH * form.n_parameters + EXTRA_ROWS)
    eliminations: list[Elimination] = []
    with working_precision(SLOPE_BITS):
        for values in members:
            exact = [exact_rational(float(value)) for value in values]
            matrix = slope_matrix(form, exact, grid, n_rows)
            if matrix:
                eliminations.append(eliminate(matrix))
                if eliminations[-1].rank == form.n_parameters:
                    return []
        rank = max((each.rank for each in eliminations), default=0)
        return joined_parameters(form, [each for each in eliminations if each.rank == rank])
