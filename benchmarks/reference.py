"""The reference implementation behind two calls; the only module here that imports it.

SRToolkit (PyPI: symbolic-regression-toolkit) is a requirement of the benchmark, not of symbed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.grammar_sampler import Tokens

Matrix = NDArray[np.float64]


class Reference:
    """SRToolkit's BED at given points.

    Parameters
    ----------
    points : ndarray
        (n_points, n_variables); the variables are X_0, X_1, ...
    parameters : (float, float)
        The range of the free parameters.
    n_draws : int
        Parameter vectors for each expression.
    """

    def __init__(self, points: Matrix, parameters: tuple[float, float], n_draws: int) -> None:
        from SRToolkit.utils import measures, symbol_library

        self._measures: Any = measures
        self._symbols: Any = symbol_library.SymbolLibrary.default_symbols(points.shape[1])
        self._points, self._parameters, self._n_draws = np.array(points), parameters, n_draws

    def behavior(self, tokens: Tokens) -> Matrix:
        """The behavior matrix of one expression, with fresh draws."""
        outputs: Matrix = self._measures.create_behavior_matrix(
            tokens, self._points, self._n_draws, self._parameters, self._symbols
        )
        return outputs

    def behaviors(self, expressions: Sequence[Tokens]) -> list[Matrix]:
        """The behavior matrices of some expressions."""
        return [self.behavior(tokens) for tokens in expressions]

    def bed_at_new_points(self, a: Tokens, b: Tokens, domain: tuple[float, float]) -> float:
        """BED of two expressions at points that are drawn for this one comparison."""
        n_points, n_variables = self._points.shape
        distance: float = self._measures.bed(
            a,
            b,
            num_consts_sampled=self._n_draws,
            num_points_sampled=n_points,
            domain_bounds=[domain] * n_variables,
            consts_bounds=self._parameters,
            symbol_library=self._symbols,
        )
        return distance

    def tree_edit(self, a: Tokens, b: Tokens) -> int:
        """The tree edit distance, by the package zss."""
        distance: int = self._measures.tree_edit_distance(a, b, self._symbols)
        return distance

    def fitter(self, X: Matrix, y: Matrix) -> Callable[[Tokens], float]:
        """What fits an expression to data by one start of L-BFGS-B and gives its RMSE."""
        from SRToolkit.evaluation.parameter_estimator import ParameterEstimator

        estimator: Any = ParameterEstimator(X, y, symbol_library=self._symbols, seed=0)
        return lambda tokens: float(estimator.estimate_parameters(tokens)[0])

    def bed(self, a: Matrix, b: Matrix | Tokens) -> float:
        """BED between a behavior matrix and another one, or an expression."""
        distance: float = self._measures.bed(
            a,
            b,
            self._points,
            self._n_draws,
            consts_bounds=self._parameters,
            symbol_library=self._symbols,
        )
        return distance
