"""The paper's sixteen base expressions, and groups of equivalents made from them."""

from __future__ import annotations

from typing import NamedTuple

from symbed._types import Seed
from symbed.language.expression import Expression
from symbed.sampling.validation import checked_seed
from symbed.workbench.equivalence.rewriting import Rewriter

N_VARIABLES = 2  # made-up subtrees may use both, also where the base has one


class BaseExpression(NamedTuple):
    """One base expression of X_0 and X_1 and the form that the paper lists it under."""

    form: str
    text: str


BASE_GROUPS = (
    BaseExpression("constant", "C"),
    BaseExpression("linear", "C*X_0"),
    BaseExpression("linear", "C*X_1"),
    BaseExpression("linear", "C + C*X_1"),
    BaseExpression("linear", "C + C*X_0 + C*X_1"),
    BaseExpression("quadratic", "C*X_0^2"),
    BaseExpression("quadratic", "C + C*X_0*X_1"),
    BaseExpression("quadratic", "C*X_0^2 + C*X_1^2"),
    BaseExpression("trigonometric", "C*sin(X_0)"),
    BaseExpression("trigonometric", "cos(C*X_1)"),
    BaseExpression("trigonometric", "C*sin(X_0) + C*cos(X_1)"),
    BaseExpression("square root", "sqrt(C*X_0)"),
    BaseExpression("square root", "C + sqrt(X_0 + X_1)"),
    BaseExpression("logarithmic", "C*ln(X_0)"),
    BaseExpression("logarithmic", "ln(X_1 + C)"),
    BaseExpression("logarithmic", "C*ln(X_0*X_1)"),
)


class EquivalentGroup(NamedTuple):
    """Equivalent expressions: the paper's form, the base, and the members, base first."""

    form: str
    base: Expression
    members: list[Expression]


def equivalent_groups(
    n_per_group: int = 10, *, seed: Seed = 0, named: bool = False
) -> list[EquivalentGroup]:
    """The paper's sixteen groups of equivalent expressions.

    Parameters
    ----------
    n_per_group : int
        Members of each group, the base included.
    seed : int or numpy Generator
        The same seed gives the same expressions.
    named : bool
        Whether each anonymous ``C`` gets a name of its own, see ``equivalents``.

    Returns
    -------
    list of EquivalentGroup
        One for each row of ``BASE_GROUPS``.

    Examples
    --------
    >>> groups = equivalent_groups(3)
    >>> len(groups), groups[1].form, [str(e) for e in groups[1].members]
    (16, 'linear', ['C*X_0', 'X_0*sin(0 + pi/2)*C', 'X_0*C'])
    """
    seed = checked_seed(seed)
    groups = []
    for number, base in enumerate(BASE_GROUPS):
        rewriter = Rewriter(base.text, seed=seed, stream=number, variables=N_VARIABLES)
        members = [rewriter.base(named), *rewriter.take(n_per_group - 1, named=named)]
        groups.append(EquivalentGroup(base.form, members[0], members))
    return groups
