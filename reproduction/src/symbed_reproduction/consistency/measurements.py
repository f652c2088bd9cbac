"""Units of the consistency experiment: how alike runs rank expressions in a configuration.

A run ranks all expressions by their distances to each of them. An expression's score is the mean
Spearman correlation of its rankings over all pairs of different runs.

Three strategies. ``run``: points and draws are new in each run. ``all``: one set of points serves
all runs, draws are new. ``pair``: points and draws are new for each pair of expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from symbed._types import Floats
from symbed.sampling.counter_rng import uniforms
from symbed_reproduction.consistency.expression_sets import draw_expressions, read_expression
from symbed_reproduction.consistency.resampling import PAPER, Resampler, SampleKey

Arrays = dict[str, NDArray[np.float64]]

STRATEGIES = ("run", "pair", "all")
STREAM = 0x72616E6B  # of the rankings by chance
CODE = "code"  # the paper's design, with what the published code does beside the text
CODE_LIMIT = 1e20  # outputs beyond it are dropped there


def score_cells(
    kind: str,
    n_variables: int,
    design: str,
    n_points: int,
    draw_counts: tuple[int, ...],
    strategies: tuple[str, ...],
    n_expressions: int,
    n_runs: int,
    seed: int,
) -> Arrays:
    """Scores of one set of expressions at some numbers of draws, one for each configuration.

    Kind and seed of the set are those of ``draw_expressions``. Its size is an even number, so that
    all can meet in rounds, and there are fewer runs than expressions.

    Returns
    -------
    dict from str to ndarray
        For each strategy the scores (draw_counts, expressions), with ``_others`` after its name
        those without the expression itself, and ``infinite``, the number of infinite distances.
    """
    expressions = draw_expressions(kind, n_variables, n_expressions, seed)
    n_samples = n_expressions - 1 if "pair" in strategies else n_runs
    resampler = Resampler(expressions, n_variables, design, n_points, n_samples)
    return _score(resampler, draw_counts, strategies, n_samples, n_runs)


def score_given(
    texts: tuple[str, ...],
    n_variables: int,
    rules: str,
    n_points: int,
    draw_counts: tuple[int, ...],
    strategies: tuple[str, ...],
    n_runs: int,
) -> Arrays:
    """The same for a set that was given, under the paper's sampling.

    It is given by its texts, so that a unit knows its set whatever file it came from. Rules are
    ``"paper"`` as for all other sets, or ``"code"``: outputs beyond 1e20 are undefined, and the
    last bit of a distance decides its rank.
    """
    expressions = [read_expression(text, n_variables) for text in texts]
    n_samples = len(texts) - 1 if "pair" in strategies else n_runs
    limit, rank = (CODE_LIMIT, ordered_ranks) if rules == CODE else (np.inf, None)
    resampler = Resampler(expressions, n_variables, PAPER, n_points, n_samples, limit)
    return _score(resampler, draw_counts, strategies, n_samples, n_runs, rank)


def _score(
    resampler: Resampler,
    draw_counts: tuple[int, ...],
    strategies: tuple[str, ...],
    n_samples: int,
    n_runs: int,
    rank: Ranker | None = None,
) -> Arrays:
    scores: dict[str, list[Floats]] = {"infinite": []}
    for n_draws in draw_counts:
        matrices = _matrices(resampler, n_draws, strategies, n_samples, n_runs)
        scores["infinite"].append(sum(np.isinf(runs).sum() for runs in matrices.values()))
        for strategy, runs in matrices.items():
            rankings = Rankings.of(runs, rank)
            scores.setdefault(strategy, []).append(rankings.scores)
            scores.setdefault(f"{strategy}_others", []).append(rankings.other_scores)
    return {name: np.array(rows, np.float64) for name, rows in scores.items()}


def _matrices(
    resampler: Resampler, n_draws: int, strategies: tuple[str, ...], n_samples: int, n_runs: int
) -> dict[str, Floats]:
    """The distance matrices (runs, n, n) of each strategy."""
    matrices = {}
    own = np.stack([resampler.matrix(SampleKey(k, 0), n_draws) for k in range(n_samples)])
    if "run" in strategies:
        matrices["run"] = own[:n_runs]
    if "pair" in strategies:
        matrices["pair"] = deal(own, n_runs)
    if "all" in strategies:
        samples = [SampleKey(0, 1 + k) for k in range(n_runs)]
        matrices["all"] = np.stack([resampler.matrix(sample, n_draws) for sample in samples])
    return matrices


def score_sets(
    kind: str,
    n_variables: int,
    design: str,
    n_points: int,
    n_draws: int,
    n_expressions: int,
    n_runs: int,
    seeds: tuple[int, ...],
) -> Arrays:
    """Mean scores (sets,) of several sets of expressions at one configuration, by strategy."""
    size = (n_expressions, n_runs)
    sets = [
        score_cells(kind, n_variables, design, n_points, (n_draws,), STRATEGIES, *size, seed)
        for seed in seeds
    ]
    return {name: np.array([scores[name].mean() for scores in sets]) for name in STRATEGIES}


def score_independent(
    kind: str,
    n_variables: int,
    design: str,
    n_points: int,
    n_draws: int,
    n_expressions: int,
    n_runs: int,
    seed: int,
) -> Arrays:
    """Scores of the strategy ``pair`` where no sample serves two runs: what dealing leaves out."""
    expressions = draw_expressions(kind, n_variables, n_expressions, seed)
    n_samples = n_expressions - 1
    resampler = Resampler(expressions, n_variables, design, n_points, n_samples * n_runs)
    rankings = []
    for run in range(n_runs):
        numbers = range(run * n_samples, (run + 1) * n_samples)
        own = np.stack([resampler.matrix(SampleKey(number, 0), n_draws) for number in numbers])
        rankings.append(Rankings.of(deal(own, 1)))
    total = sum(rankings[1:], rankings[0])
    return {"pair": total.scores, "pair_others": total.other_scores}


def score_chance(n_expressions: int, n_runs: int) -> Arrays:
    """Scores of random rankings; ``first`` where every expression is its own nearest neighbor."""
    size = n_runs * n_expressions**2
    matrices = uniforms(size, 0, STREAM).reshape(n_runs, n_expressions, n_expressions)
    scores = Rankings.of(matrices).scores
    np.einsum("rii->ri", matrices)[:] = 0.0
    return {"scores": scores, "first": Rankings.of(matrices).scores}


def deal(samples: Floats, n_runs: int) -> Floats:
    """Matrices (runs, n, n) in which no two pairs with a common expression share a sample.

    Samples are rounds of a tournament, in which each of n expressions meets one other. In a run
    pair (i, j) has the sample of its round; in the next run every round takes the next sample. So
    all distances of an expression in a run have points and draws of their own, and a pair never
    meets the same ones again. What two runs share are samples of different pairs, as in the
    published code, whose seeds move on by one from run to run. ``score_independent`` shares none.
    There are n - 1 samples, n is even, and at most n - 1 runs.
    """
    rounds = tournament(samples.shape[1])
    n = len(rounds)
    rows, columns = np.arange(n)[:, None], np.arange(n)[None, :]
    dealt = np.empty((n_runs, n, n))
    for run in range(n_runs):
        dealt[run] = samples[(rounds + run) % (n - 1), rows, columns]
        np.fill_diagonal(dealt[run], 0.0)
    return dealt


def tournament(n: int) -> NDArray[np.int64]:
    """(n, n): the round, 0 .. n - 2, in which two of n players meet; n even.

    >>> tournament(4)
    array([[0, 1, 2, 0],
           [1, 2, 0, 2],
           [2, 0, 1, 1],
           [0, 2, 1, 0]])
    """
    players = np.arange(n)
    rounds = (players[:, None] + players[None, :]) % (n - 1)
    rounds[n - 1, :] = rounds[:, n - 1] = 2 * players % (n - 1)
    rounds[n - 1, n - 1] = 0  # nobody plays against themselves
    return rounds


Score = TypeVar("Score", float, Floats)
Ranker = Callable[[Floats], Floats]
HALF = np.int64(1 << 12)  # of the last bit that rounding keeps


@dataclass(frozen=True)
class Rankings:
    """What is known of the rankings of some runs; more runs can be added.

    The mean correlation over all pairs of runs follows from sums over the runs: with unit vectors
    z_1 .. z_R, the sum of z_r.z_s over r < s is (|z_1 + .. + z_R|^2 - R)/2.

    Attributes
    ----------
    n_runs : int
        Number of runs.
    whole : ndarray
        (n, n + 1) sums of the standardized ranks of each row. A row in which everything is tied has
        no direction; its runs agree among themselves, and are counted in the last column.
    others : ndarray
        The same where an expression itself is not ranked among its neighbors.
    """

    n_runs: int
    whole: Floats
    others: Floats

    @classmethod
    def of(cls, matrices: Floats, rank: Ranker | None = None) -> Rankings:
        """The rankings by the rows of distance matrices (runs, n, n).

        Entries in the diagonal must be the smallest of their rows. Distances that agree in 12
        digits are ties: ``x + C`` and ``x - C`` are equally far from ``x``, and rounding alone
        would decide which of them comes first. Another ``rank``, such as ``ordered_ranks``, may
        decide otherwise.
        """
        n = matrices.shape[-1]
        ranked = ranks(rounded(matrices)) if rank is None else rank(matrices)
        squares = np.einsum("rij,rij->ri", ranked, ranked)
        whole = _sum(ranked, np.full(squares.shape, (n + 1) / 2), squares - n * (n + 1) ** 2 / 4)
        # An expression is its own nearest neighbor, so the others have the ranks 2 .. n.
        own = np.einsum("rii->ri", ranked).copy()
        np.einsum("rii->ri", ranked)[:] = means = (n * (n + 1) / 2 - own) / (n - 1)
        others = _sum(ranked, means, squares - own**2 - (n - 1) * means**2)
        return cls(len(matrices), whole, others)

    def __add__(self, more: Rankings) -> Rankings:
        return Rankings(
            self.n_runs + more.n_runs, self.whole + more.whole, self.others + more.others
        )

    @property
    def scores(self) -> Floats:
        """(n,) mean Spearman correlation over pairs of different runs, for each expression."""
        return _mean_correlation(self.whole, self.n_runs)

    @property
    def other_scores(self) -> Floats:
        """The same over the other expressions only, without the expression itself."""
        return _mean_correlation(self.others, self.n_runs)


def with_self_pairs(score: Score, n_runs: int) -> Score:
    """The mean that also counts each run's correlation with itself, which is 1.

    Of 5050 pairs of 100 runs, 100 are such: rankings by chance get 0.0198 instead of 0.

    >>> round(with_self_pairs(0.0, 100), 4)
    0.0198
    """
    share = 2.0 / (n_runs + 1)
    return share + (1.0 - share) * score


def rounded(values: Floats) -> Floats:
    """Distances rounded to 40 bits, which are 12 digits.

    >>> bool(rounded(np.array(0.1 + 0.2)) == rounded(np.array(0.3)))
    True
    """
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    return ((bits + HALF) & ~(2 * HALF - 1)).view(np.float64)


def ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis; equal values share the mean of their ranks.

    >>> ranks(np.array([0.3, 0.1, 0.3, 9.0]))
    array([2.5, 1. , 2.5, 4. ])
    """
    return np.asarray(rankdata(values, axis=-1), np.float64)


def ordered_ranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis, by the last bit; equal values rank as they stand.

    >>> ordered_ranks(np.array([0.3, 0.1, 0.3, 9.0]))
    array([2., 1., 3., 4.])
    """
    return np.asarray(rankdata(values, "ordinal", axis=-1), np.float64)


def _sum(ranked: Floats, means: Floats, squares: Floats) -> Floats:
    """Over the runs, the sum of ranks around their means, scaled to length one."""
    flat = squares < 0.25  # two different ranks are at least a half apart
    scales = np.where(flat, 0.0, 1.0 / np.sqrt(np.where(flat, 1.0, squares)))
    total = np.einsum("rij,ri->ij", ranked, scales)
    total -= np.einsum("ri,ri->i", means, scales)[:, None]
    return np.concatenate([total, flat.sum(axis=0, dtype=np.float64)[:, None]], axis=1)


def _mean_correlation(total: Floats, n_runs: int) -> Floats:
    squares = np.square(total).sum(axis=1)
    return np.asarray((squares - n_runs) / (n_runs * (n_runs - 1)))
