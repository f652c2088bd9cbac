"""The data sets of the clustering experiment: groups of equivalent expressions, and distances.

A data set is sixteen groups of equivalent expressions of two variables, group after group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.observation import observe
from symbed.behavior.surveying import survey
from symbed.distances.matrix.distance_matrix import DistanceMatrix, pairwise
from symbed.language.expression import Expression
from symbed.sampling.probe import Probe
from symbed.workbench import syntactic_measures as syntax
from symbed.workbench.rewriting import BASE_GROUPS, Rewriter

N_GROUPS = len(BASE_GROUPS)
VARIABLES = ("X_0", "X_1")
METRICS = ("wasserstein", "relative", "arcsinh")
# Spellings of the syntactic measures: name, then the row and the settings of ``syntax.pairwise``.
SPELLINGS: dict[str, dict[str, str]] = {
    "edit infix": {"measure": "edit", "notation": "infix"},
    "edit prefix": {"measure": "edit", "notation": "prefix"},
    "edit postfix": {"measure": "edit", "notation": "postfix"},
    "tree edit unit": {"measure": "tree", "relabel": "unit"},
    "tree edit string": {"measure": "tree", "relabel": "string"},
    "Jaro infix": {"measure": "jaro", "notation": "infix"},
    "Jaro prefix": {"measure": "jaro", "notation": "prefix"},
    "Jaro postfix": {"measure": "jaro", "notation": "postfix"},
}


class Setting(NamedTuple):
    """The ranges of variables and of parameters."""

    domain: tuple[float, float] = (1.0, 5.0)
    parameters: tuple[float, float] = (0.2, 5.0)

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The domain of a probe."""
        return dict.fromkeys(VARIABLES, self.domain)


USUAL = Setting()


def make_set(
    n_members: int, seed: int, setting: Setting = USUAL, *, literal: bool = False
) -> list[Expression]:
    """The members of all groups; equivalent on the ranges of the setting.

    Parameters
    ----------
    n_members : int
        Expressions of each group, its base among them.
    seed : int
        Which of the many data sets.
    setting : Setting
        Where the laws must hold.
    literal : bool
        Apply the paper's laws as they are printed, so that an anonymous ``C`` may be copied or
        merged, which changes the behavior: ``C*(A + B)`` becomes ``C*A + C*B``.
    """
    members: list[Expression] = []
    for number, base in enumerate(BASE_GROUPS):
        rewriter = Rewriter(
            base.text, seed=seed, stream=number, variables=len(VARIABLES),
            domain=setting.domain, parameters=setting.parameters,
        )  # fmt: skip
        if literal:  # what is not known as a parameter is treated as a variable is
            rewriter.parameters = frozenset()
        members += [rewriter.base(), *rewriter.take(n_members - 1)]
    return members


def truth_of(n_members: int) -> NDArray[np.int64]:
    """The number of the group of each expression."""
    return np.repeat(np.arange(N_GROUPS), n_members)


def published_sampling(
    expressions: list[Expression],
    seed: int,
    setting: Setting = USUAL,
    *,
    n_draws: int = 32,
    metrics: tuple[str, ...] = METRICS[:1],
) -> list[DistanceMatrix]:
    """BED by the published sampling, for each metric: every expression has draws of its own.

    ``survey`` would give expressions that differ by the order of operands the same draws, since it
    evaluates them once; so each is observed alone.
    """
    probe = Probe.paper(setting.ranges, setting.parameters, n_draws=n_draws, seed=seed)
    behaviors = [observe(one, probe.redrawn(k)) for k, one in enumerate(expressions, start=1)]
    return [pairwise(behaviors, metric=one, workers=1, progress=False) for one in metrics]


def default_design(
    expressions: list[Expression],
    seed: int,
    setting: Setting = USUAL,
    *,
    metrics: tuple[str, ...] = METRICS,
) -> list[DistanceMatrix]:
    """BED by our default design, for each metric."""
    probe = Probe(setting.ranges, setting.parameters, seed=seed)
    atlas = survey(expressions, probe, workers=1, progress=False)
    return [pairwise(atlas, metric=one, workers=1, progress=False) for one in metrics]


def spelled(expressions: list[Expression], name: str) -> DistanceMatrix:
    """A syntactic measure, by a row of ``SPELLINGS``; the mean of both directions.

    Jaro's similarity can depend on the direction by a rounding.
    """
    matrix = syntax.pairwise(expressions, workers=1, **SPELLINGS[name])  # type: ignore[arg-type]
    values = np.asarray(matrix.values)
    return DistanceMatrix(
        (values + values.T) / 2, matrix.row_labels, matrix.column_labels, matrix.measure
    )
