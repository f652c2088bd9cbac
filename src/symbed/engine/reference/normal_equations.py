"""Steps of a fit: solve the damped normal equations of slopes and residuals.

The twin of ``native/fit/normal_equations.h``: plain loops in the order of the native core, because
the order of operations is what makes the bits the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from symbed._types import Floats
from symbed.engine.reference.distances import sum_lanes

Row = list[float]


@dataclass(frozen=True)
class Model:
    """The quadratic model of the loss at some parameters: loss + 2 g.s + s.A.s for a step s.

    Attributes
    ----------
    loss : float
        Sum of squared residuals.
    matrix : list of list of float
        A, the products of slopes.
    gradient : list of float
        g, the products of slopes with the residuals.
    """

    loss: float
    matrix: list[Row]
    gradient: Row

    @classmethod
    def of(cls, loss: float, slopes: Floats, residuals: Floats) -> Model | None:
        """The model of these slopes (n_slots, n_points); None if a sum is not finite."""
        products = [sum_lanes(slopes[i] * slopes[i:]).tolist() for i in range(len(slopes))]
        gradient = sum_lanes(slopes * residuals).tolist()
        if not all(map(math.isfinite, [*gradient, *(x for row in products for x in row)])):
            return None
        matrix = [
            [products[min(i, j)][abs(i - j)] for j in range(len(slopes))]
            for i in range(len(slopes))
        ]
        return cls(loss, matrix, gradient)

    def gain(self, step: Row) -> float:
        """By how much the loss should fall."""
        total = 0.0
        for i, move in enumerate(step):
            row = 2.0 * self.gradient[i]
            for slope, other in zip(self.matrix[i], step, strict=True):
                row += slope * other
            total += move * row
        return -total

    def sizes(self) -> Row:
        """The parameters' scales in the damping: the sizes of their columns of slopes."""
        # Of this place, not the largest so far: where the loss falls by orders of magnitude, as
        # with exponentials, earlier scales would hold it up. A column of zeros must not divide.
        return [math.sqrt(row[i]) or 1.0 for i, row in enumerate(self.matrix)]


def solve(model: Model, scale: Row, free: list[int], damping: float, step: Row) -> bool:
    """Set the damped step of the free parameters, where the others make the steps given.

    False if the matrix has no Cholesky factor.
    """
    factor = _factorized(model, scale, free, damping)
    if factor is None:
        return False
    # What is left in the step are the moves of parameters at bounds, which shift the gradient.
    for i in free:
        step[i] = 0.0
    # Forward, then backward substitution, in the order of the core.
    z: Row = []
    for at, i in enumerate(free):
        slope = model.gradient[i]
        for product, other in zip(model.matrix[i], step, strict=True):
            slope += product * other
        total = -slope / scale[i]
        for k in range(at):
            total -= factor[at][k] * z[k]
        z.append(total / factor[at][at])
    for at in range(len(free) - 1, -1, -1):
        for k in range(at + 1, len(free)):
            z[at] -= factor[k][at] * z[k]
        z[at] /= factor[at][at]
    for at, i in enumerate(free):
        step[i] = z[at] / scale[i]
    return True


def _factorized(model: Model, scale: Row, free: list[int], damping: float) -> list[Row] | None:
    """Cholesky's factor of the scaled and damped matrix of the free parameters."""
    factor: list[Row] = []
    for at, row in enumerate(free):
        factor.append([])
        for place, column in enumerate(free[: at + 1]):
            # Scaled to a unit diagonal, so that the damping means the same to every parameter.
            total = model.matrix[row][column] / scale[row] / scale[column]
            if place == at:
                total += damping
            for k in range(place):
                total -= factor[at][k] * factor[place][k]
            if place != at:
                factor[at].append(total / factor[place][place])
            elif 0.0 < total < math.inf:
                factor[at].append(math.sqrt(total))
            else:
                return None
    return factor
