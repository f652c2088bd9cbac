"""Units of the clustering experiment: data sets of equivalent expressions, made and scored.

A data set is sixteen groups of equivalent expressions of two variables, group after group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.behavior.observation import observe
from symbed.behavior.surveying import survey
from symbed.distances.clustering import cluster
from symbed.distances.matrix.distance_matrix import DistanceMatrix, pairwise
from symbed.language.expression import Expression
from symbed.sampling.probe import Probe
from symbed.workbench import syntactic_measures as syntax
from symbed.workbench.rewriting import BASE_GROUPS, Rewriter
from symbed_reproduction.clustering.protocols import (
    AS_DISTANCES,
    BY_CN,
    CN_ROWS,
    PLAIN_ROWS,
    judge,
    judge_by,
    nearest_share,
)
from symbed_reproduction.core.experiments import Arrays

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


MAPPED = ("tree edit unit", "edit postfix", "Jaro postfix")  # drawn beside BED
CONSTANT, ROOT, SQUARES = (
    [base.text for base in BASE_GROUPS].index(text)
    for text in ("C", "sqrt(C*X_0)", "C*X_0^2 + C*X_1^2")
)


def judge_set(seed: int, n_members: int) -> Arrays:
    """One data set by all measures and all protocols.

    Returns
    -------
    mapping from str to ndarray
        ``judged`` (BED by the published sampling, then ``SPELLINGS``; protocols, 4 scores);
        ``fair`` (2 samplings, 3 metrics, linkages, 4 scores) of BED, as distances; ``nearest`` (BED
        by both samplings, then ``SPELLINGS``), shares of nearest neighbors that are of the same
        group; ``heights`` (2 samplings, 2), where groups ``C`` and ``sqrt(C*X_0)`` meet, and where
        the members of ``C*X_0^2 + C*X_1^2`` have all joined.
    """
    truth, expressions = truth_of(n_members), make_set(n_members, seed)
    behaving = _both_samplings(expressions, seed, Setting())
    plain = [matrices[0] for matrices in behaving]
    spellings = [spelled(expressions, name) for name in SPELLINGS]
    every = [*plain, *spellings]
    return {
        "judged": np.stack([judge(matrix, truth) for matrix in (plain[0], *spellings)]),
        "fair": np.array([[_by_linkage(matrix, truth) for matrix in some] for some in behaving]),
        "nearest": np.array([nearest_share(np.asarray(m.values), truth) for m in every]),
        "heights": np.array([_heights(matrix, n_members) for matrix in plain]),
    }


def draw_maps(seed: int, n_members: int) -> Arrays:
    """Distances to be drawn: of BED by both samplings, and of the measures of ``MAPPED``."""
    expressions = make_set(n_members, seed)
    (paper,), (ours,) = _both_samplings(expressions, seed, Setting(), METRICS[:1])
    matrices = (paper, ours, *(spelled(expressions, name) for name in MAPPED))
    return {"maps": np.stack([np.asarray(matrix.values) for matrix in matrices])}


def repeat_rows(seed: int, n_members: int, n_sets: int) -> Arrays:
    """BED and BED-CN as published, on other data sets with other draws: (sets, 2, 4 scores)."""
    seeds = range(seed, seed + n_sets)
    return {"rows": np.stack([_published_rows(make_set(n_members, one), one) for one in seeds])}


def add_draws(seed: int, n_members: int, counts: tuple[int, ...]) -> Arrays:
    """BED and BED-CN as published, with other numbers of draws: (counts, 2, 4 scores)."""
    expressions = make_set(n_members, seed)
    return {"rows": np.stack([_published_rows(expressions, seed, count) for count in counts])}


def change_ranges(
    seed: int, n_members: int, domain: tuple[float, float], parameters: tuple[float, float]
) -> Arrays:
    """Adjusted Rand indices on other ranges.

    Returns
    -------
    mapping from str to ndarray
        ``cn`` (linkages and Ward's,) of BED-CN by the published sampling; ``plain`` (2 samplings,
        3 metrics, linkages) of BED, as distances.
    """
    setting = Setting(domain, parameters)
    truth, expressions = truth_of(n_members), make_set(n_members, seed, setting)
    behaving = _both_samplings(expressions, seed, setting)
    by_linkage = [[_by_linkage(matrix, truth) for matrix in some] for some in behaving]
    return {
        "cn": np.array([judge_by(behaving[0][0], truth, one)[0] for one in BY_CN.values()]),
        "plain": np.array(by_linkage)[..., 0],
    }


def take_literally(seed: int, n_members: int) -> Arrays:
    """What the paper's laws do where they copy or merge parameters.

    Returns
    -------
    mapping from str to ndarray
        ``changed``, the number of expressions that have more or fewer parameters than their base;
        ``rows`` (2, 4 scores) of BED and BED-CN as published; ``plain`` (linkages, 4 scores) of BED
        by our default design, as distances.
    """
    expressions = make_set(n_members, seed, literal=True)
    counts = np.array([len(one.parameters) for one in expressions]).reshape(N_GROUPS, n_members)
    (matrix,) = default_design(expressions, seed, metrics=METRICS[:1])
    return {
        "changed": np.array(int((counts != counts[:, :1]).sum())),
        "rows": _published_rows(expressions, seed),
        "plain": _by_linkage(matrix, truth_of(n_members)),
    }


def _both_samplings(
    expressions: list[Expression],
    seed: int,
    setting: Setting,
    metrics: tuple[str, ...] = METRICS,
) -> tuple[list[DistanceMatrix], list[DistanceMatrix]]:
    return (
        published_sampling(expressions, seed, setting, metrics=metrics),
        default_design(expressions, seed, setting, metrics=metrics),
    )


def _published_rows(expressions: list[Expression], seed: int, n_draws: int = 32) -> Floats:
    (matrix,) = published_sampling(expressions, seed, n_draws=n_draws)
    truth = truth_of(len(expressions) // N_GROUPS)
    return np.stack([judge_by(matrix, truth, one) for one in (PLAIN_ROWS, CN_ROWS)])


def _by_linkage(matrix: DistanceMatrix, truth: NDArray[np.int64]) -> Floats:
    """The scores of distances as they are, for each linkage."""
    return np.stack([judge_by(matrix, truth, one) for one in AS_DISTANCES.values()])


def _heights(matrix: DistanceMatrix, n_members: int) -> tuple[float, float]:
    values = np.asarray(matrix.values)
    groups = np.arange(len(values)).reshape(N_GROUPS, n_members)
    meeting = values[np.ix_(groups[CONSTANT], groups[ROOT])].min()
    own = values[np.ix_(groups[SQUARES], groups[SQUARES])]
    names = [matrix.row_labels[row] for row in groups[SQUARES].tolist()]
    tree = cluster(DistanceMatrix(own, names, names), 1, method="single").tree
    assert tree is not None
    return float(meeting), float(tree[-1, 2])
