"""Problems whose fronts by real tools are judged: truths, ranges and samples by seed.

``PROBLEMS`` are the twelve that scores were developed with, ``FRESH_PROBLEMS`` ten others, made
later, with longer formulas and more noise: what was mended on the one is reported on the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

N_SAMPLES = 120
NOISES = (0.0, 0.01)
FRESH_NOISES = (0.0, 0.01, 0.05)


class FrontProblem(NamedTuple):
    """A law with hidden constants: its form, its values, and the ranges of its variables."""

    name: str
    truth: str
    values: dict[str, float]
    domain: dict[str, tuple[float, float]]

    def sample(self, noise: float, n: int = N_SAMPLES) -> tuple[Any, Any]:
        """Inputs (n, n_variables) and outputs (n,), with noise by the spread of the outputs."""
        rng = np.random.default_rng([len(self.name), *self.name.encode(), round(1000 * noise)])
        lows, highs = np.array(list(self.domain.values())).T
        X = lows + (highs - lows) * rng.random((n, len(self.domain)))
        columns = dict(zip(self.domain, X.T, strict=True))
        y = LAWS[self.name](**columns, **self.values)
        return X, y + noise * np.std(y) * rng.standard_normal(n)


LAWS: dict[str, Any] = {
    "oscillator": lambda t, A, g, w: A * np.exp(-g * t) * np.cos(w * t),
    "line": lambda x, a, b: a * x + b,
    "kinetic": lambda m, v, k: k * m * v**2,
    "saturation": lambda s, V, K: V * s / (K + s),
    "nguyen": lambda x: x**3 + x**2 + x,
    "gravity": lambda m1, m2, r, G: G * m1 * m2 / r**2,
    "decay": lambda t, A, k: A * np.exp(-k * t),
    "wave": lambda x, A, w, p: A * np.sin(w * x + p),
    "parabola": lambda x, a, b, d: a * x**2 + b * x + d,
    "mixture": lambda x, y, z, a: x * y + a * np.sin(z),
    "resonance": lambda x, a, b: a / (b + x**2),
    "length": lambda x, y, a: a * np.sqrt(x**2 + y**2),
    "pendulum": lambda d, g, a: a * np.sqrt(d / g),
    "gas": lambda n, T, V, k: k * n * T / V,
    "logistic": lambda x, L, k, m: L / (1.0 + np.exp(-k * (x - m))),
    "bell": lambda x, A, s: A * np.exp(-(x**2) / s),
    "lens": lambda x, y, a: a * x * y / (x + y),
    "throw": lambda v, t, g: v * t - g * t**2,
    "hyperbola": lambda x, a, b: a + b / x,
    "swell": lambda x, a, b: a * np.sin(x) + b * x,
    "drag": lambda v, a, b: a * v + b * v**2,
    "torus": lambda x, y, a, b: x * (a + b * np.cos(y)),
}

PROBLEMS = (
    FrontProblem(
        "oscillator", "A*exp(-g*t)*cos(w*t)", {"A": 2.0, "g": 0.3, "w": 2.5}, {"t": (0.0, 8.0)}
    ),
    FrontProblem("line", "a*x + b", {"a": 2.5, "b": 1.3}, {"x": (0.0, 5.0)}),
    FrontProblem("kinetic", "k*m*v^2", {"k": 0.5}, {"m": (1.0, 5.0), "v": (1.0, 5.0)}),
    FrontProblem("saturation", "V*s/(K + s)", {"V": 3.2, "K": 1.7}, {"s": (0.1, 10.0)}),
    FrontProblem("nguyen", "x^3 + x^2 + x", {}, {"x": (-1.0, 1.0)}),
    FrontProblem(
        "gravity", "G*m1*m2/r^2", {"G": 6.67}, {"m1": (1.0, 5.0), "m2": (1.0, 5.0), "r": (1.0, 5.0)}
    ),
    FrontProblem("decay", "A*exp(-k*t)", {"A": 4.1, "k": 0.8}, {"t": (0.0, 5.0)}),
    FrontProblem("wave", "A*sin(w*x + p)", {"A": 1.5, "w": 2.2, "p": 0.4}, {"x": (0.0, 6.0)}),
    FrontProblem(
        "parabola", "a*x^2 + b*x + d", {"a": 1.2, "b": -0.7, "d": 0.4}, {"x": (-2.0, 3.0)}
    ),
    FrontProblem(
        "mixture", "x*y + a*sin(z)", {"a": 0.8}, {"x": (1.0, 3.0), "y": (1.0, 3.0), "z": (0.0, 6.0)}
    ),
    FrontProblem("resonance", "a/(b + x^2)", {"a": 2.0, "b": 0.6}, {"x": (-2.0, 2.0)}),
    FrontProblem("length", "a*sqrt(x^2 + y^2)", {"a": 1.3}, {"x": (0.5, 4.0), "y": (0.5, 4.0)}),
)

FRESH_PROBLEMS = (
    FrontProblem("pendulum", "a*sqrt(d/g)", {"a": 6.28}, {"d": (0.2, 3.0), "g": (1.5, 12.0)}),
    FrontProblem("gas", "k*n*T/V", {"k": 8.3}, {"n": (0.5, 3.0), "T": (2.0, 4.0), "V": (1.0, 6.0)}),
    FrontProblem(
        "logistic", "L/(1 + exp(-k*(x - m)))", {"L": 5.2, "k": 1.4, "m": 0.6}, {"x": (-4.0, 4.0)}
    ),
    FrontProblem("bell", "A*exp(-x^2/s)", {"A": 3.4, "s": 2.3}, {"x": (-3.0, 3.0)}),
    FrontProblem("lens", "a*x*y/(x + y)", {"a": 1.0}, {"x": (0.5, 5.0), "y": (0.5, 5.0)}),
    FrontProblem("throw", "v*t - g*t^2", {"g": 4.9}, {"v": (2.0, 15.0), "t": (0.0, 2.0)}),
    FrontProblem("hyperbola", "a + b/x", {"a": -1.3, "b": 2.7}, {"x": (0.4, 6.0)}),
    FrontProblem("swell", "a*sin(x) + b*x", {"a": 1.6, "b": 0.45}, {"x": (-5.0, 5.0)}),
    FrontProblem("drag", "a*v + b*v^2", {"a": 0.37, "b": 1.15}, {"v": (0.0, 4.0)}),
    FrontProblem(
        "torus", "x*(a + b*cos(y))", {"a": 2.1, "b": 0.9}, {"x": (0.5, 3.0), "y": (0.0, 6.28)}
    ),
)
