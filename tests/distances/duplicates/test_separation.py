"""BED itself, without any trick, tells the paper's sixteen groups apart."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from symbed import Probe, cluster, pairwise, survey
from symbed.workbench import equivalent_groups

MEMBERS = 6


@pytest.fixture(scope="module")
def atlas():
    groups = equivalent_groups(MEMBERS, seed=3)
    probe = Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(0.2, 5))
    return survey([member for group in groups for member in group.members], probe)


@pytest.mark.parametrize("metric", ["wasserstein", "relative", "arcsinh"])
@pytest.mark.parametrize("method", ["single", "average", "complete"])
def test_equivalent_expressions_are_together_and_others_apart(atlas, metric, method) -> None:
    found = cluster(pairwise(atlas, metric=metric), 16, method=method)
    truth = np.repeat(np.arange(16), MEMBERS)
    assert adjusted_rand_score(truth, found.labels_) == 1.0
