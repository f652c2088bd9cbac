"""Labeled pairs of families, and redundant families, that verdicts are tested and measured on."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

INF = math.inf
POSITIVE = (0.0, INF)
ONE, SYMMETRIC, TWO = (
    {"x": (0.5, 5.0)},
    {"x": (-2.0, 2.0)},
    {"x": (0.5, 5.0), "y": (0.5, 5.0)},
)


class FamilyPair(NamedTuple):
    """Two families and how they relate."""

    e: str
    f: str
    label: str
    domain: dict[str, tuple[float, float]]
    parameters: Any


def _pairs(text: str, domain: dict[str, tuple[float, float]], parameters: Any) -> list[FamilyPair]:
    rows = [line.split("|") for line in text.strip().splitlines()]
    return [FamilyPair(e.strip(), f.strip(), r.strip(), domain, parameters) for e, f, r in rows]


FAMILY_PAIRS: list[FamilyPair] = [
    *_pairs(
        """
        a*x + b | a*(x - b) | same
        a*x + b | a + b*x | same
        a*x | a*x + b | e_in_f
        a*x^2 + b*x + c | a*(x - b)^2 + c | same
        a*exp(b*x) | exp(a + b*x) | f_in_e
        a*exp(b*x) | a*b^x | same
        a/x | a*x^b | e_in_f
        a/(x + b) | a/(b*x + 1) | same
        a/(b*x + c) | a/(x + b) | same
        (a*x + b)/(c*x + d) | (a*x + b)/(x + c) | same
        (a*x + b)/(x + c) | a + b/(x + c) | same
        a*sin(x) + b*cos(x) | a*sin(x + b) | same
        a*sin(b*x) | a*sin(b*x + c) | e_in_f
        a*cos(b*x) | a*sin(b*x + c) | e_in_f
        a*sinh(x) + b*cosh(x) | a*exp(x) + b*exp(-x) | same
        a*cosh(x) | a*exp(x) + b*exp(-x) | e_in_f
        a*tanh(x) | a*(exp(2*x) - 1)/(exp(2*x) + 1) | same
        a*tanh(b*x) | a*(1 - exp(b*x))/(1 + exp(b*x)) | same
        a/(1 + exp(-b*x)) | a*(1 + tanh(b*x)) | same
        a*ln(x) + b | a*ln(x) + ln(b) | same
        a*ln(x) + b | a*log10(x) + b | same
        a*ln(b*x) | ln(x^a) + b | same
        a*sqrt(b*x) | a*sqrt(x) | same
        a*sqrt(x + b) | sqrt(a*x + b) | neither
        a*x^b | a*x^(b + 1) | same
        a*x^b | a*x^(2*b) | same
        a*x^b | a*x^(b^2) | f_in_e
        a*x^b*x^c | a*x^b | same
        a*x + b*x | a*x | same
        a*exp(-(x - b)^2/c) | exp(a + b*x + c*x^2) | f_in_e
        a*exp(-(x - b)^2/c) | a*exp(b*x + c*x^2) | same
        a*x*exp(-b*x) | a*x^c*exp(-b*x) | e_in_f
        a*exp(-b*x) + c | a*exp(-b*x) | f_in_e
        a*(1 - exp(-b*x)) | a - a*exp(-b*x) | same
        a*(1 - exp(-b*x)) | a - c*exp(-b*x) | e_in_f
        a*x | a*x^1.01 | neither
        a*x^2 | a*x^3 | neither
        a*sin(x) | a*x | neither
        a*exp(x) | a*exp(1.001*x) | neither
        a*x + b | a*x + b*x^1.001 | neither
        a*x + b*x^2 | a*x + b*x^3 | neither
        a*tanh(x) | a*atan(x) | neither
        a/(x + 1) | a/(x + 2) | neither
        a*x/(1 + x) | a*x/(1 + x^2) | neither
        a*exp(b*x) | a*x^b | neither
        a*ln(x + b) | a*ln(x) + b | neither
        C*x | C^3*x | same
        C*x | cbrt(C)*x | same
        C*x | sqrt(C)*x | f_in_e
        C*x | abs(C)*x | f_in_e
        C*x | tan(C)*x | same
        x^C | x^(-C) | same
        a*floor(x) | a*floor(x) + b | e_in_f
        a*min(x, 2) | a*(x + 2 - abs(x - 2))/2 | same
        a*max(x, b) | a*(x + b + abs(x - b))/2 | same
        a*x + cos(b) | a*x + sin(b) | same
        a*x + exp(b) | a*x + b^2 | same
        a*x^3 + b | a*x^3 + b*x + c | e_in_f
        1/(a*x + b) | a/(x + b) | same
        x/(a + b*x) | 1/(a + b/x) | same
        a*x/(b + x) | a*(1 - b/(b + x)) | same
        sin(a*x) | cos(a*x) | neither
        sin(a*x) | sin(a*x + b) | e_in_f
        sin(x + a) | cos(x + a) | same
        a*2^x | a*exp(x) | neither
        a*2^(b*x) | a*3^(b*x) | same
        a*x | a*x + exp(b) | neither
        """,
        ONE,
        None,
    ),
    *_pairs(
        """
        a*sqrt(x + b) | sqrt(a*x + b) | same
        C*x | C^2*x | same
        C*x | C*x/2 | same
        x^C | x^(-C) | neither
        C*x | exp(C)*x | f_in_e
        """,
        ONE,
        POSITIVE,
    ),
    *_pairs(
        """
        C*x | (C + 1)*x | neither
        C*x | (1 - C)*x | same
        a*x + b | a*x + b | same
        """,
        ONE,
        (0.0, 1.0),
    ),
    *_pairs("a*abs(x - b) | abs(a*x - b) | f_in_e", SYMMETRIC, None),
    *_pairs(
        """
        a*x + b*y | a*(x + b*y) | same
        a*x*y | a*x*y + b | e_in_f
        a*(x + y)^2 | a*x^2 + b*x*y + c*y^2 | e_in_f
        (a*x + b*y)^2 | a*x^2 + b*x*y + c*y^2 | e_in_f
        a*x^2 + b*y^2 | a*x^2 + b*y^2 + c*x*y | e_in_f
        a*x^2*y | a*x*y^2 | neither
        """,
        TWO,
        None,
    ),
]

# Families and how many of their parameters are effective.
REDUNDANT: list[tuple[str, int]] = [
    ("C*C*x", 1), ("a*b*x + c", 2), ("a*b^2*x", 1), ("a*exp(b)*x + c", 2), ("a/b*x", 1),
    ("(a + b)*x", 1), ("a*exp(b + c*x)", 2), ("a*sqrt(b)*x", 1), ("x^(a*b)", 1),
    ("exp(a - 2*b + x)", 1), ("a*(b + c)*x", 1), ("a*ln(b)*x", 1), ("a*x/(b*x + c)", 2),
    ("max(a, b)*x", 1), ("abs(a)*x + sign(b)", 1), ("a*x + 1e-9*b*x^2", 2), ("a*b*x + a/b*x^2", 2),
    ("a*exp(-b*x) + c*exp(-d*x)", 4),
]  # fmt: skip


def family_pairs() -> list[dict[str, Any]]:
    """The pairs in the shape of a case file."""
    return [
        {"id": f"f{k:03}", "kind": "family", "e": p.e, "f": p.f, "domain": p.domain,
         "parameters": p.parameters, "label": p.label}
        for k, p in enumerate(FAMILY_PAIRS)
    ]  # fmt: skip
