"""The pairs of the accuracy benchmark: formulas with their domain, and their true distance.

One to four variables, none to four parameters. The true distances are exact where a closed form or
a quadrature is known (error 0), 0 for equal pairs, and else from at least 3e7 samples
(``python -m benchmarks.accuracy --truth``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

Ends = tuple[float, float]


class Pair(NamedTuple):
    """Two formulas, where they are compared, and how far apart they are.

    ``truth`` is the distance for p = 1 with its error, ``truth_squared`` the one for p = 2.
    """

    kind: str
    e: str
    f: str
    domain: dict[str, Ends]
    parameters: Ends | None
    truth: float
    truth_squared: float
    truth_error: float


def _domain(names: str, low: float, high: float) -> dict[str, Ends]:
    return dict.fromkeys(names.split(), (low, high))


FULL_TURN = (0.0, 2 * math.pi)

PAIRS: tuple[Pair, ...] = (
    Pair("fixed", "x^2", "x^3/3",
         _domain("x", 0, 2), None, 0.666666667, 0.8125992, 0.0),
    Pair("fixed", "sin(x)", "x - x^3/6",
         _domain("x", 0, 3), None, 0.288330832, 0.511223322, 0.0),
    Pair("fixed", "exp(x)", "1 + x + x^2/2",
         _domain("x", 0, 2), None, 0.527861383, 0.836083655, 0.0),
    Pair("fixed", "x*y", "x + y",
         _domain("x y", 1, 5), None, 3.26703689, 4.63081466, 1.6e-08),
    Pair("fixed", "sqrt(x + y)", "ln(x*y)",
         _domain("x y", 1, 5), None, 0.403261026, 0.492669455, 3.8e-10),
    Pair("fixed", "x*sin(y)", "y*sin(x)",
         _domain("x y", 1, 5), None, 2.72099303, 3.36360008, 6.9e-09),
    Pair("fixed", "x*y*z", "x + y + z",
         _domain("x y z", 0, 2), None, 2.00847918, 2.09054308, 4.3e-07),
    Pair("fixed", "abs(x - y)", "1",
         _domain("x y", 0, 2), None, 0.5, 0.577350269, 0.0),
    Pair("poly", "a*x", "a",
         _domain("x", 1, 5), (1, 5), 6, 7.42368493, 0.0),
    Pair("smooth", "a*x", "sin(a*x)",
         _domain("x", 1, 5), (1, 5), 9.04441366, 10.1581786, 9.7e-10),
    Pair("poly", "a*x^2", "a*x",
         _domain("x", 1, 5), (1, 5), 22, 30.2463858, 0.0),
    Pair("smooth", "exp(a*x)", "a*x + 1",
         _domain("x", 0, 1), (0, 1), 0.0679021316, 0.128386886, 7.9e-11),
    Pair("smooth", "x^a", "a^x",
         _domain("x", 1, 2), (1, 3), 0.748678774, 0.917313026, 6.4e-10),
    Pair("smooth", "a*sin(x)", "sin(a*x)",
         _domain("x", 1, 5), (1, 5), 2.1595302, 2.35111918, 1.5e-09),
    Pair("smooth", "a/x", "a - x",
         _domain("x", 1, 5), (1, 5), 1.24442884, 1.55496069, 2.9e-10),
    Pair("smooth", "a*x + b", "a*sin(x) + b",
         _domain("x", 1, 5), (1, 5), 8.80751979, 10.8170572, 6.9e-15),
    Pair("poly", "a*x + b", "a*x^2 + b",
         _domain("x", 1, 5), (1, 5), 22, 30.2181457, 0.0),
    Pair("smooth", "a*exp(-b*x)", "a/(1 + b*x)",
         _domain("x", 0, 2), (0, 2), 0.100662625, 0.125272184, 8.7e-09),
    Pair("poly", "a*x + b*x", "2*a*x",
         _domain("x", -2.5, 2.5), (0.1, 5), 1.02083431, 1.29128178, 4.1e-08),
    Pair("smooth", "a*sin(b*x)", "a*cos(b*x)",
         _domain("x", 1, 5), (1, 5), 0.301380337, 0.46937557, 5.6e-06),
    Pair("equal", "a*x + b", "b + x*a",
         _domain("x", 1, 5), (1, 5), 0, 0, 0.0),
    Pair("near", "a*x + b", "a*x + 1.02*b",
         _domain("x", 1, 5), (1, 5), 0.06, 0.0608963533, 0.0),
    Pair("smooth", "a*tanh(b*x)", "a*b*x/(1 + b*x)",
         _domain("x", 0, 2), (0, 2), 0.172079172, 0.236386644, 1.6e-08),
    Pair("poly", "a*x*y + b", "a*x + b*y",
         _domain("x y", 1, 5), (1, 5), 12.0000099, 17.5329169, 6.4e-05),
    Pair("heavy", "a*exp(b*x)", "a*x^b",
         _domain("x", 1, 3), (1, 3), 500.20721, 1438.41254, 3.2e-04),
    Pair("smooth", "a/(b - x)", "a/x",
         _domain("x", 1, 5), (5.5, 9), 1.76844208, 2.38270037, 1.3e-07),
    Pair("smooth", "ln(a*x + b*y)", "ln(a + b)",
         _domain("x y", 1, 5), (1, 5), 1.05418906, 1.09535054, 9.5e-07),
    Pair("poly", "a*x^2 + b*x + c", "a*x^2 + b*x",
         _domain("x", -2, 2), (-5, 5), 0.945832316, 1.38153152, 5.9e-05),
    Pair("poly", "a*x + b*y + c", "a*x*y + b + c",
         _domain("x y", 1, 5), (1, 5), 12.0000844, 17.5150289, 5.7e-05),
    Pair("smooth", "a*sin(b*x + c)", "a*cos(b*x) + c",
         _domain("x", 1, 5), (1, 5), 2.83083086, 2.86762495, 5.3e-06),
    Pair("smooth", "a*exp(b*x) + c", "a*x^2 + b*x + c",
         _domain("x", 0, 1), (0, 2), 1.02966255, 1.35627988, 2.9e-06),
    Pair("equal", "(a + b)*x + c", "c + a*x + x*b",
         _domain("x", 1, 5), (1, 5), 0, 0, 0.0),
    Pair("smooth", "(a*x + b)/(c + x)", "a + b/(c + x)",
         _domain("x", 1, 5), (1, 5), 1.5, 1.59803863, 0.0),
    Pair("poly", "a*x*y + b*z + c", "a*x + b*y*z + c",
         _domain("x y z", 1, 5), (1, 5), 8.00009436, 12.4523494, 2.7e-05),
    Pair("near", "a*x + b*y + c*z", "a*x + b*y + 1.05*c*z",
         _domain("x y z", 1, 5), (1, 5), 0.45, 0.498134, 0.0),
    Pair("poly", "a*x^3 + b*x^2 + c*x + d", "a*x^2 + b*x + c",
         _domain("x", -1, 2), (-5, 5), 1.53487638, 3.74531066, 4.1e-05),
    Pair("smooth", "a*sin(b*x) + c*cos(d*x)", "a*sin(b*x) + c",
         _domain("x", 1, 5), (1, 5), 3.1166818, 3.20346326, 1.1e-06),
    Pair("poly", "a*x + b*y + c*z + d", "a*x*y + b*z + c*d",
         _domain("x y z", 1, 5), (1, 5), 15.0013252, 19.787933, 8.1e-05),
    Pair("smooth", "a*w + b*x + c*y + d*z", "a*w + b*x + c*y + tanh(d*z)",
         _domain("w x y z", 1, 5), (1, 5), 8.0029446, 8.80606114, 1.2e-08),
    Pair("equal", "a*w + b*x + c*y + d*z", "z*a + y*b + x*c + w*d",
         _domain("w x y z", 1, 5), (1, 5), 0, 0, 0.0),
    Pair("smooth", "(a*x + b)/(c*y + d)", "a*x/(c*y + d)",
         _domain("x y", 1, 5), (1, 5), 0.304921568, 0.334025605, 6.3e-08),
    Pair("poly", "a*x*y*z*w", "b*(x + y + z + w)",
         _domain("w x y z", 1, 5), (1, 5), 207.074176, 310.500659, 8.9e-03),
    Pair("poly", "x*y + z*w", "a*x + b*w",
         _domain("w x y z", 1, 5), (1, 5), 5.82311545, 7.42355505, 3.7e-04),
    Pair("mixed", "a*x + b", "x^2",
         _domain("x", 1, 5), (1, 5), 4.72846405, 5.59563232, 2.3e-07),
    Pair("mixed", "a*sin(x)", "sin(x)",
         _domain("x", 1, 5), (1, 5), 1.41198268, 1.77513589, 7.5e-16),
    Pair("smooth", "exp(a*x)*sin(b*y)", "a*x*sin(b*y)",
         {'x': (0, 1), 'y': (1, 5)}, (0, 2), 0.861669605, 1.0390203, 4.0e-07),
    Pair("heavy", "exp(exp(a*x))", "exp(a*x)",
         _domain("x", 0, 1), (0, 1.5), 4.51556996, 7.6597521, 1.4e-08),
    Pair("heavy", "1/(a*x)", "1/(a*x + 0.1)",
         _domain("x", 1, 5), (0.02, 5), 0.0959293272, 0.790570933, 6.0e-07),
    Pair("smooth", "a*x^2/(b^2 + x^2)", "a*x/(b + x)",
         _domain("x", 1, 5), (1, 5), 0.22146151, 0.27439904, 8.2e-07),
    Pair("smooth", "sqrt(a*x + b)", "a*sqrt(x) + b",
         _domain("x", 1, 5), (1, 5), 4.70658289, 5.05596127, 8.9e-09),
    Pair("smooth", "ln(a*x) + b", "a*ln(x) + b",
         _domain("x", 1, 5), (1, 5), 1.16602129, 1.44988664, 3.0e-07),
    Pair("poly", "a*abs(x - b)", "(x - b)^2",
         _domain("x", 1, 5), (1, 5), 1.33913558, 1.56206965, 1.4e-06),
    Pair("poly", "max(a*x, b)", "a*x + b",
         _domain("x", 0, 1), (1, 5), 1.33620957, 1.55197851, 1.4e-07),
    Pair("near", "a*x + b", "a*x + 1.1*b - 0.3",
         _domain("x", 1, 5), (1, 5), 0.0281632854, 0.0530559342, 0.0),
    Pair("near", "a*x + b", "a*x + 1.02*b - 0.06",
         _domain("x", 1, 5), (1, 5), 0.00541843347, 0.0104098916, 0.0),
    Pair("near", "a*x + b", "a*x + b + 0.1",
         _domain("x", 1, 5), (1, 5), 0.1, 0.1, 0.0),
    Pair("near", "a*sin(x) + b", "a*(x - x^3/6) + b",
         _domain("x", 0, 1), (1, 5), 0.0040930824, 0.00760038357, 0.0),
    Pair("smooth", "a*cos(x*y) + b", "a*sin(x*y) + b",
         _domain("x y", 0, 2), (1, 5), 2.18402817, 2.50806348, 1.7e-04),
    Pair("near", "a*exp(b*x)", "a*(1 + b*x + b^2*x^2/2 + b^3*x^3/6)",
         _domain("x", 0, 1), (0, 1), 0.000964951369, 0.00275517, 5.4e-10),
    Pair("near", "a*x*y + b*x + c", "a*x*y + b*x + c + 0.02*x^2",
         _domain("x y", 1, 5), (1, 5), 0.206666667, 0.249959922, 0.0),
    Pair("heavy", "a*tan(b*x)", "a*b*x",
         _domain("x", 0, 1), (0, 1.5), 0.105510898, 0.410127075, 8.4e-07),
    Pair("equal", "sin(x + a)", "sin(a)",
         _domain("x", 0, 3), FULL_TURN, 0, 0, 0.0),
)  # fmt: skip
