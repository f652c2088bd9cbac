"""Compute, by mpmath, the coefficients that both engines share, and write them as C++ and Python.

Run it after changing a row; it rewrites ``native/elementary/coefficients.h`` and
``src/symbed/engine/reference/elementary/_coefficients.py``. Both files list the same doubles,
printed so that they read back exactly. Developers need mpmath for it, users never run it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from mpmath import mp, mpf

PRECISION = 1700  # bits; the longest number kept is 2/pi to 1216
ROOT = Path(__file__).resolve().parent.parent
C_FILE = ROOT / "native" / "elementary" / "coefficients.h"
PYTHON_FILE = ROOT / "src" / "symbed" / "engine" / "reference" / "elementary" / "coefficients.py"

Row = tuple[str, tuple[float, ...], str]


class Fit(NamedTuple):
    """One polynomial: near-minimax of ``function`` on [low, high] by Chebyshev interpolation."""

    name: str
    function: Callable[[mpf], mpf]
    low: mpf
    high: mpf
    n_coefficients: int
    meaning: str


def main() -> None:
    """Write both files."""
    for path, text in zip((C_FILE, PYTHON_FILE), make(), strict=True):
        path.write_text(text)


def make() -> tuple[str, str]:
    """The text of the C++ file and of the Python file."""
    with mp.workprec(PRECISION):
        rows = [*_constants(), *_polynomials(), *_pairs()]
        words = _two_over_pi()
    return _as_c(rows, words), _as_python(rows, words)


def _fits() -> list[Fit]:
    half_ln2 = mp.log(2) / 2 * mpf("1.0001")
    quarter = (mp.pi / 4) ** 2 * mpf("1.0001")
    narrow = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    eighth = (mp.sqrt(2) - 1) ** 2 * mpf("1.0001")
    tanh_end = mpf("0.55") ** 2
    return [
        Fit("EXP", lambda z: (mp.sqrt(z) * mp.coth(mp.sqrt(z) / 2) - 2) / z, mpf(0), half_ln2**2, 5,
            "exp(r) = 1 + r + r c/(2 - c), c = r - z EXP(z), z = r^2, |r| <= ln(2)/2"),
        Fit("LN", lambda z: _odd(mp.atanh, z, 2), mpf(0), narrow, 7,
            "ln((1 + s)/(1 - s)) = 2 s + s z LN(z), z = s^2, s <= 0.1716"),
        Fit("POW", lambda z: (_odd(mp.atanh, z, 2) / 2 - mpf(1) / 3) / z, mpf(0), narrow, 8,
            "atanh(s) = s + s (z/3 + z^2 POW(z)), z = s^2"),
        Fit("SIN", lambda z: _odd(mp.sin, z, 1), mpf(0), quarter, 6,
            "sin(r) = r + r z SIN(z), z = r^2, |r| <= pi/4"),
        Fit("COS", lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, mpf(0), quarter, 6,
            "cos(r) = 1 - z/2 + z^2 COS(z)"),
        Fit("ASIN", lambda z: _odd(mp.asin, z, 1), mpf(0), mpf("0.25"), 13,
            "asin(s) = s + s z ASIN(z), z = s^2, s <= 1/2"),
        Fit("ATAN", lambda z: _odd(mp.atan, z, 1), mpf(0), eighth, 12,
            "atan(t) = t + t z ATAN(z), z = t^2, |t| <= tan(pi/8)"),
        Fit("SINH", lambda z: _odd(mp.sinh, z, 1), mpf(0), mpf(1), 8,
            "sinh(x) = x + x z SINH(z), z = x^2, |x| <= 1"),
        Fit("TANH", lambda z: _odd(mp.tanh, z, 1), mpf(0), tanh_end, 11,
            "tanh(x) = x + x z TANH(z), z = x^2, |x| <= 0.55"),
        Fit("ERF", lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, mpf("1e-40"), mpf("0.7226"), 13,
            "erf(x) = x + x ERF(z), z = x^2, |x| <= 0.85"),
        Fit("STIRLING", _stirling, 1 / mpf(2) ** 60, mpf("20.4") ** -2, 7,
            "ln gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + STIRLING(z)/x, z = 1/x^2"),
        Fit("CBRT", lambda m: m ** (-mpf(1) / 3), mpf(1), mpf(2), 5,
            "first guess of m^(-1/3), 1 <= m <= 2"),
    ]  # fmt: skip


def _stirling(z: mpf) -> mpf:
    x = 1 / mp.sqrt(z)
    return x * (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def _erfc_series(t: mpf) -> mpf:
    """Shepherd and Laframboise's exp(x^2) erfc(x) (1 + 2x), t = (x - 3.75)/(x + 3.75)."""
    x = mpf("3.75") * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x) * (1 + 2 * x)


N_PAIRS = 16  # coefficients of 1/gamma(1 + u) that need more than 53 bits


def _pairs() -> list[Row]:
    """Polynomials whose leading coefficients are pairs of doubles."""
    ends = [(x - mpf("3.75")) / (x + mpf("3.75")) for x in (mpf("0.24"), mpf("30.1"))]
    middle, *rest = _interpolate(_erfc_series, ends[0], ends[1], 26)
    rgamma = _interpolate(lambda u: (mp.rgamma(1 + u) - 1) / u, -mpf("0.5"), mpf("0.5"), 32)
    high = [float(c) for c in rgamma[:N_PAIRS]]
    low = [float(c - h) for c, h in zip(rgamma, high, strict=False)]
    bernoulli = [float(mp.bernoulli(2 * k)) for k in range(1, 10)]
    return [
        ("ERFC_MIDDLE", _parts(middle, 53), "exp(x^2) erfc(x) (1 + 2x) at x = 3.75, as a pair"),
        ("ERFC", tuple(map(float, rest)), "the same is ERFC_MIDDLE + t ERFC(t)"),
        ("RGAMMA_HIGH", tuple(high), "1/gamma(1 + u) = 1 + u R(u); the leading terms of R ..."),
        ("RGAMMA_LOW", tuple(low), "... as pairs ..."),
        ("RGAMMA_TAIL", tuple(map(float, rgamma[N_PAIRS:])), "... and the others"),
        ("BERNOULLI", tuple(bernoulli), "B_2, B_4, ..."),
    ]


def _odd(function: Callable[[mpf], mpf], z: mpf, factor: int) -> mpf:
    """(factor * function(x) - factor * x) / x^3 at x = sqrt(z)."""
    x = mp.sqrt(z)
    return factor * (function(x) - x) / (x * z)


def _polynomials() -> list[Row]:
    return [(fit.name, _interpolated(fit), fit.meaning) for fit in _fits()]


def _interpolated(fit: Fit) -> tuple[float, ...]:
    coefficients = _interpolate(fit.function, fit.low, fit.high, fit.n_coefficients)
    return tuple(map(float, coefficients))


def _interpolate(function: Callable[[mpf], mpf], low: mpf, high: mpf, n: int) -> list[mpf]:
    middle, half = (high + low) / 2, (high - low) / 2
    nodes = [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    powers = mp.matrix([[node**j for j in range(n)] for node in nodes])
    return list(mp.lu_solve(powers, mp.matrix([function(node) for node in nodes])))


def _constants() -> list[Row]:
    ln2, half_pi = mp.log(2), mp.pi / 2
    return [
        ("LOG2_E", (float(1 / ln2),), "1 / ln(2)"),
        ("TWO_OVER_PI", (float(2 / mp.pi),), "2 / pi"),
        ("LN2", _parts(ln2, 42), "ln(2); the first part times an exponent is exact"),
        ("HALF_PI", _parts(half_pi, 35, 35), "pi/2; a part of 35 bits times n < 2^18 is exact"),
        ("PI_2", _parts(half_pi, 53), "pi/2 as a pair"),
        ("PI_4", _parts(half_pi / 2, 53), "pi/4 as a pair"),
        ("PI_2_SPLIT", _parts(half_pi, 26, 27), "pi/2, leading parts for exact products"),
        ("THIRD_NEAREST", (1 / 3,), "1/3"),
        ("THIRD", _parts(mpf(1) / 3, 26), "1/3 as a pair"),
        ("PER_LN2", _parts(1 / ln2, 26), "1 / ln(2)"),
        ("PER_LN10", _parts(1 / mp.log(10), 26), "1 / ln(10)"),
        ("HALF_LN_2PI", _parts(mp.log(2 * mp.pi) / 2, 53), "ln(2 pi)/2 as a pair"),
        ("LG2", _parts(mp.log10(2), 42), "log10(2)"),
        ("CBRT2", (float(mp.cbrt(2)), float(1 / mp.cbrt(2))), "2^(1/3) and its inverse"),
    ]


def _parts(value: mpf, *bits: int) -> tuple[float, ...]:
    """``value`` as a sum of doubles, each but the last cut to so many bits."""
    parts, rest = [], value
    for count in bits:
        scale = mpf(2) ** (count - mp.frexp(rest)[1])
        part = mp.floor(rest * scale) / scale if count < 53 else mpf(float(rest))
        parts.append(float(part))
        rest -= part
    return (*parts, float(rest))


LEADING_ZEROS, N_WORDS = 64, 20  # zeros in front stand for the integer bits of 2/pi
WORDS_MEANING = f"bits of 2/pi after {LEADING_ZEROS} zeros, most significant word first"
WIDTH = 100  # of a line


def _two_over_pi() -> list[int]:
    length = 64 * N_WORDS - LEADING_ZEROS
    digits = int(mp.floor(2 / mp.pi * mpf(2) ** length))
    return [(digits >> (64 * (N_WORDS - 1 - i))) & (2**64 - 1) for i in range(N_WORDS)]


def _as_c(rows: list[Row], words: list[int]) -> str:
    lines = [
        "// Made by tools/elementary_coefficients.py; the Python file of that name is the twin.",
        "#pragma once",
        "#include <cstdint>",
        "",
        "namespace symbed_coefficients {",
        "",
    ]
    for name, values, meaning in rows:
        lines.append(f"// {meaning}")
        if len(values) == 1:
            lines.append(f"constexpr double {name} = {values[0]!r};")
        else:
            lines += _filled(f"constexpr double {name}[] = {{", map(repr, values), "};")
    lines.append(f"// {WORDS_MEANING}")
    in_hexadecimal = (f"0x{word:016x}u" for word in words)
    lines += _filled("constexpr uint64_t TWO_OVER_PI_WORDS[] = {", in_hexadecimal, "};")
    return "\n".join([*lines, "", "}  // namespace symbed_coefficients", ""])


def _as_python(rows: list[Row], words: list[int]) -> str:
    lines = [
        '"""The numbers of the elementary functions: constants in parts, and polynomials.',
        "",
        "Made by ``tools/elementary_coefficients.py``; the twin of the header of that name.",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "# fmt: off",
    ]
    for name, values, meaning in rows:
        lines.append(f"# {meaning}")
        if len(values) == 1:
            lines.append(f"{name} = {values[0]!r}")
        else:
            lines += _filled(f"{name} = (", map(repr, values), ")")
    lines.append(f"# {WORDS_MEANING}")
    in_hexadecimal = (f"0x{word:016X}" for word in words)
    lines += _filled("TWO_OVER_PI_WORDS = (", in_hexadecimal, ")")
    return "\n".join([*lines, ""])


def _filled(begin: str, numbers: Iterable[str], end: str) -> list[str]:
    """A list of numbers in one line, or in as many as it takes, between its brackets."""
    listed = ", ".join(numbers)
    if len(whole := f"{begin}{listed}{end}") <= WIDTH:
        return [whole]
    lines = wrap(listed, WIDTH - 4, break_on_hyphens=False)  # a minus stays with its number
    return [begin, *(f"    {line}" for line in lines), end]


if __name__ == "__main__":
    main()
