"""Pseudo-inverses of many small matrices at once, with the same bits on every machine.

LAPACK adds in the order that suits the processor, so the last bits of what it solves depend on it.
Here every sum has one order. The matrices are planes' designs: a few rows and columns each.
"""

from __future__ import annotations

import numpy as np

from symbed._types import Floats

DEPENDENT = 1e-10  # share of a column that is rounding, if so little is left beside the others
ROUNDS = 2  # of Gram and Schmidt, which are as good as reflections (Giraud et al., 2005)


def pseudo_inverse(matrices: Floats) -> Floats:
    """(n, columns, rows) Moore-Penrose inverses of (n, rows, columns) matrices.

    Parameters
    ----------
    matrices : (n, rows, columns) array
        Finite numbers whose squares do not overflow.

    Examples
    --------
    >>> pseudo_inverse(np.array([[[4.0, 0.0], [0.0, 0.0], [0.0, 2.0]]]))
    array([[[0.25, 0.  , 0.  ],
            [0.  , 0.  , 0.5 ]]])
    """
    q, r = _orthogonalized(matrices)
    diagonal = np.diagonal(r, axis1=1, axis2=2)
    if diagonal.all():
        return _solved_upwards(r, q.transpose(0, 2, 1))
    # Of dependent columns the inverse with the smallest numbers: A = Q T' Z', so A+ = Z T'^-1 Q'.
    z, t = _orthogonalized(r.transpose(0, 2, 1))
    return _products(z, _solved_downwards(t, q.transpose(0, 2, 1)))


def _orthogonalized(matrices: Floats) -> tuple[Floats, Floats]:
    """Q with orthonormal columns and R upper triangular, whose product are the matrices.

    A column that depends on those before it has zeros in Q, and a row of zeros in R.
    """
    n, _, columns = matrices.shape
    q, r = np.array(matrices), np.zeros((n, columns, columns))
    for j in range(columns):
        before, column = q[:, :, :j], q[:, :, j]  # views: the column is changed in place
        whole = _sizes(column)
        for _ in range(ROUNDS):
            shares = (before * column[:, :, None]).sum(axis=1)
            column -= (before * shares[:, None, :]).sum(axis=2)
            r[:, :j, j] += shares
        left = _sizes(column)
        left = np.where(left > DEPENDENT * whole, left, 0.0)
        column[...] = np.where(left[:, None] > 0, column / np.where(left, left, 1.0)[:, None], 0.0)
        r[:, j, j] = left
    return q, r


def _solved_upwards(r: Floats, right: Floats) -> Floats:
    """X of R X = B, from the last row to the first."""
    solved = np.array(right)
    for i in reversed(range(r.shape[1])):
        known = (r[:, i, i + 1 :, None] * solved[:, i + 1 :]).sum(axis=1)
        solved[:, i] = (solved[:, i] - known) / r[:, i, i, None]
    return solved


def _solved_downwards(t: Floats, right: Floats) -> Floats:
    """X of T' X = B, from the first row to the last; 0 in the rows of dependent columns."""
    solved = np.array(right)
    for i in range(t.shape[1]):
        known = (t[:, :i, i, None] * solved[:, :i]).sum(axis=1)
        pivot = t[:, i, i, None]
        solved[:, i] = np.where(
            pivot > 0, (solved[:, i] - known) / np.where(pivot, pivot, 1.0), 0.0
        )
    return solved


def _products(a: Floats, b: Floats) -> Floats:
    """Products of matrices, term by term in one order."""
    total = np.zeros((len(a), a.shape[1], b.shape[2]))
    for k in range(a.shape[2]):
        total += a[:, :, k, None] * b[:, k, None, :]
    return total


def _sizes(columns: Floats) -> Floats:
    sizes: Floats = np.sqrt((columns * columns).sum(axis=1))
    return sizes
