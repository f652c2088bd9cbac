"""``Probe.paper`` against the reference's recipe, rebuilt from SciPy: the same statistics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import qmc, wasserstein_distance

from symbed import Probe, distance, observe

N_SEEDS = 120
Function = Callable[[np.ndarray, np.ndarray], np.ndarray]
PAIRS: list[tuple[str, Function, int, str, Function, int]] = [
    ("a*x + b", lambda x, c: c[0] * x + c[1], 2, "a*sin(x)", lambda x, c: c[0] * np.sin(x), 1),
    ("a*x", lambda x, c: c[0] * x, 1, "x*b + 0", lambda x, c: c[0] * x, 1),
    ("exp(a/x)", lambda x, c: np.exp(c[0] / x), 1, "x^2", lambda x, c: x**2, 0),
]


def reference(pair: tuple[str, Function, int, str, Function, int], seed: int) -> float:
    """X by a Latin hypercube; for each expression its own, of constants; SciPy's distance."""
    rng = np.random.default_rng(seed)
    x = 1 + 4 * qmc.LatinHypercube(1, rng=rng).random(64)[:, 0]
    sides = []
    for function, count in ((pair[1], pair[2]), (pair[4], pair[5])):
        constants = 1 + 4 * qmc.LatinHypercube(count, rng=rng).random(32) if count else [[]] * 32
        sides.append(np.array([function(x, np.asarray(c)) for c in constants]).T)
    return float(np.mean([wasserstein_distance(u, v) for u, v in zip(*sides, strict=True)]))


@pytest.mark.no_cover
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0]} / {pair[3]}")
def test_the_published_sampling_has_the_statistics_of_the_reference(pair) -> None:
    theirs = np.array([reference(pair, seed) for seed in range(N_SEEDS)])
    ours = np.empty(N_SEEDS)
    for seed in range(N_SEEDS):
        probe = Probe.paper({"x": (1, 5)}, (1, 5), seed=seed)
        ours[seed] = distance(observe(pair[0], probe), observe(pair[3], probe))
    noise = np.hypot(ours.std(), theirs.std()) / np.sqrt(N_SEEDS)
    assert abs(ours.mean() - theirs.mean()) < 4 * noise
    assert 0.7 < ours.std() / theirs.std() < 1.4
