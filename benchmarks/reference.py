"""The reference implementation behind two calls; the only module here that imports it.

SRToolkit (PyPI: symbolic-regression-toolkit) is a requirement of the benchmark, not of symbed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.grammar_sampler import Tokens

Matrix = NDArray[np.float64]


class Reference:
    """SRToolkit's BED at given points.

    Parameters
    ----------
    points : (n_points, n_variables); the variables are X_0, X_1, ...
    parameters : the range of the free parameters.
    n_draws : parameter vectors for each expression.
    """

    def __init__(self, points: Matrix, parameters: tuple[float, float], n_draws: int) -> None:
        from SRToolkit.utils import measures, symbol_library

        self._measures: Any = measures
        self._symbols: Any = symbol_library.SymbolLibrary.default_symbols(points.shape[1])
        self._points, self._parameters, self._n_draws = np.array(points), parameters, n_draws

    def behavior(self, tokens: Tokens) -> Matrix:
        """The behavior matrix of one expression, with fresh draws."""
        found: Matrix = self._measures.create_behavior_matrix(
            tokens, self._points, self._n_draws, self._parameters, self._symbols
        )
        return found

    def behaviors(self, expressions: Sequence[Tokens]) -> list[Matrix]:
        """The behavior matrices of some expressions."""
        return [self.behavior(tokens) for tokens in expressions]

    def bed(self, a: Matrix, b: Matrix | Tokens) -> float:
        """BED between a behavior matrix and another one, or an expression."""
        found: float = self._measures.bed(
            a,
            b,
            self._points,
            self._n_draws,
            consts_bounds=self._parameters,
            symbol_library=self._symbols,
        )
        return found
