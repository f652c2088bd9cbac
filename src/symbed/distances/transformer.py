"""A scikit-learn transformer: formulas as feature vectors whose distances are their BED.

Needs scikit-learn (``pip install 'symbed[cluster]'``); nothing else in symbed imports this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.behavior.observation import Source
from symbed.behavior.surveying import survey
from symbed.distances.kernels import prepare_one
from symbed.distances.measure import METRICS, POINTWISE, Measure
from symbed.errors import DataError, MissingExtra, RangeError
from symbed.sampling.probe import Probe

try:
    from sklearn.base import BaseEstimator, TransformerMixin
except ImportError:
    raise MissingExtra(
        "estimators need scikit-learn; install it with: pip install 'symbed[cluster]'"
    ) from None


class BehaviorTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns formulas into vectors whose distances are their BED.

    With p = 1 the L1 distance of two rows is the BED of their formulas, with p = 2 the Euclidean
    one. So every estimator that works on vectors with such a metric works on formulas, and the
    transformer can sit in a ``Pipeline``.

    Parameters
    ----------
    probe : Probe
        Where to look.
    metric : {"wasserstein", "arcsinh"}
        A row of the metric table; other metrics are no distances of vectors.
    p : {1, 2}
        Order of the distance.

    Examples
    --------
    >>> probe = Probe({"x": (0, 1)}, n_points=16)
    >>> rows = BehaviorTransformer(probe).fit_transform(["x", "x + 2"])
    >>> float(np.abs(rows[0] - rows[1]).sum())
    2.0
    """

    def __init__(self, probe: Probe, metric: str = "wasserstein", p: int = 1) -> None:
        self.probe, self.metric, self.p = probe, metric, p

    def fit(self, formulas: Sequence[Source], y: object = None) -> BehaviorTransformer:
        """Check the settings; there is nothing to learn from the formulas."""
        measure = Measure(self.metric, self.p)
        if measure.row.relative or measure.row.whole:
            usable = ", ".join(name for name in POINTWISE if not METRICS[name].relative)
            raise RangeError(
                f"metric {self.metric!r} is no distance of vectors; use one of {usable}, or "
                "pairwise(...) with metric='precomputed'"
            )
        self.n_features_out_ = self.probe.n_points * self.probe.n_draws
        return self

    def transform(self, formulas: Sequence[Source]) -> Floats:
        """(n_formulas, n_points * n_draws) scaled sorted outputs."""
        atlas, measure = survey(formulas, self.probe), Measure(self.metric, self.p)
        # The p-norm of scaled differences is their p-mean over points and draws, which is BED.
        scale = (self.probe.n_points * self.probe.n_draws) ** (-1.0 / self.p)
        rows = np.empty((len(atlas), self.probe.n_points * self.probe.n_draws))
        for number, behavior in enumerate(atlas):
            if behavior.coverage < 1.0:
                raise DataError(
                    f"{behavior.label!r} is undefined at some points and has no vector; use "
                    "pairwise(...) with metric='precomputed', or leave it out"
                )
            side = prepare_one(behavior, measure)
            # A formula without parameters has one row of outputs, which stands for every draw.
            shape = (self.probe.n_draws, self.probe.n_points)
            rows[number] = scale * np.broadcast_to(side[0][0], shape).ravel()
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags
