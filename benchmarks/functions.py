"""Every operator of the language against mpmath: errors in units of the last place, extremes too.

``python -m benchmarks.functions`` takes 100,000 arguments for each operator; ``--n 2000`` is quick,
and names choose some. A bound is 2 units, and 8 for the family of the gamma function. Both engines
are asked at all arguments, and must give the same bits. All of it takes about four minutes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf

from symbed import Probe, observe
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.language.operators import BY_NAME, TABLE

# polygamma is a derivative of the family; its error is bounded absolutely, by the tests.
BOUND = 2.0
# A fifth power is three products, each rounded; stored behaviors hold its numbers.
BOUNDS = {"gamma": 8.0, "lgamma": 8.0, "^5": 3.0}
SPECIAL = (
    0.0, 0.25, 0.5, 0.85, 1.0, 1.5, 2.0, 3.0, 3.75, 20.5, 22.0, 25.0, 30.0, 171.6, 700.0, 709.78,
    745.1, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-20, 2.0**-54, 2.0**-28, 2.0**28, 2.0**52,
    2.0**53, 1e16, 1e22, 1e150, 1e300, 1.7976931348623157e308,
)  # fmt: skip
NEAR_ZERO = mpf(0.001)  # gplearn's protected functions have a fixed value up to here
# Zeros of lgamma between the poles, near which its digits cancel.
ROOTS = (-2.4570247382208006, -2.7476826467274126, -3.1435808883499800, -3.9552942848585979)


def arguments(n: int, seed: int) -> np.ndarray:
    """Numbers of every size, ordinary ones, and neighbors of the special ones."""
    rng = np.random.default_rng(seed)
    part = n // 6 + 1 + n // 100  # some of the first are no numbers, or infinite
    special = np.array(SPECIAL + tuple(-v for v in SPECIAL) + ROOTS)
    with np.errstate(over="ignore", invalid="ignore"):
        near = rng.choice(special, part) * (
            1 + rng.normal(size=part) * 2.0 ** rng.uniform(-53, -1, part)
        )
    parts = [
        rng.integers(0, 2**64, part, dtype=np.uint64).view(np.float64),
        rng.uniform(-30, 30, part),
        rng.uniform(-1.1, 1.1, part),
        rng.normal(size=part) * 10.0 ** rng.uniform(-12, 6, part),
        rng.uniform(-760, 760, part),
        near,
    ]
    values = np.concatenate([special, *parts])
    finite = values[np.isfinite(values)]
    wanted = rng.permutation(finite)[: n - len(special)]
    return _without_negative_zeros(np.concatenate([special, wanted]))


def operands_of(name: str, n: int, seed: int) -> list[np.ndarray]:
    """Arguments for each operand of an operator; of two, half are of like size."""
    arity = BY_NAME[name].arity
    if arity == 1:
        return [arguments(n, seed)]
    rng = np.random.default_rng(seed + 9)
    one, other = arguments(n, seed), rng.permutation(arguments(n, seed + 1))
    with np.errstate(all="ignore"):
        alike = _exponents(one, rng) if name == "^" else one * rng.normal(size=n)
    other = np.where(rng.random(n) < 0.5, other, alike)
    other = np.where(np.isfinite(other), other, one)
    return [one, _without_negative_zeros(other)]


def _exponents(bases: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Exponents that use all of the range of floats; whole ones for bases below zero."""
    exponents = rng.uniform(-750, 715, len(bases)) / np.log(np.abs(bases))
    whole = (bases < 0) | (rng.random(len(bases)) < 0.2)
    return np.asarray(np.where(whole, np.round(exponents), exponents))


def _without_negative_zeros(values: np.ndarray) -> np.ndarray:
    return np.where(values == 0.0, 0.0, values)  # mpmath has none


def _real(function: Callable[..., mpf]) -> Callable[..., mpf | None]:
    """A function that is None where it has no real, finite value."""

    def real(*values: mpf) -> mpf | None:
        try:
            value = function(*values)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None
        if isinstance(value, mp.mpc):
            return None if value.imag != 0 else value.real
        return value if mp.isfinite(value) else None

    return real


def _floor_mod(a: mpf, b: mpf) -> mpf:
    with mp.workprec(2300):
        return a - b * mp.floor(a / b)


def _floor_div(a: mpf, b: mpf) -> mpf:
    with mp.workprec(2300):
        return mp.floor(a / b)


def _angled(function: Callable[[mpf], mpf]) -> Callable[[mpf], mpf]:
    def angled(x: mpf) -> mpf:
        with mp.workprec(1300 if abs(x) > 2**18 else 250):
            return function(x)

    return angled


def _softplus(x: mpf) -> mpf:
    return mp.log1p(mp.exp(x)) if x < 200 else x + mp.exp(-x)


def _logistic(x: mpf) -> mpf:
    return 1 / (1 + mp.exp(-x)) if x > -2000 else mpf(0)


def _lgamma(x: mpf) -> mpf:
    if x > 1e6:
        return mp.loggamma(x)
    return mp.log(abs(mp.gamma(x))) if x > -1e5 else mp.loggamma(x).real


def _gamma(x: mpf) -> mpf:
    if x > 200:
        raise OverflowError
    return mp.gamma(x) if x > -400 else mpf(0) if x != mp.floor(x) else mp.gamma(x)


def _erfc(x: mpf) -> mpf:
    return mpf(0) if x > 200 else mp.erfc(x)


def _sinc(x: mpf) -> mpf:
    return mpf(1) if x == 0 else mp.sinpi(x) / (mp.pi * x)


def _round(x: mpf) -> mpf:
    return mpf(round(float(x)))  # Python's, of halves to the even one


def _sign(x: mpf) -> mpf:
    return mpf(mp.sign(x))


def _power(x: mpf, y: mpf) -> mpf:
    if x == 0 or x == 1 or y == 0:
        return x**y
    bits = y * mp.log(abs(x), 2)
    if bits > 2000:
        raise OverflowError
    return mpf(0) if bits < -2000 and (x > 0 or y == mp.floor(y)) else mp.power(x, y)


def _protected_division(x: mpf, y: mpf) -> mpf:
    return x / y if abs(y) > NEAR_ZERO else mpf(1)  # gplearn's


def _protected_logarithm(x: mpf) -> mpf:
    return mp.log(abs(x)) if abs(x) > NEAR_ZERO else mpf(0)


def _truth(holds: bool) -> mpf:
    return mpf(int(holds))


def _step(x: mpf) -> mpf:
    return (1 + _sign(x)) / 2


TRUTHS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: mp.fadd(a, b, exact=True), "-": lambda a, b: mp.fsub(a, b, exact=True),
    "*": lambda a, b: a * b, "/": lambda a, b: a / b, "neg": lambda x: -x, "^": _power,
    "^2": lambda x: x**2, "^3": lambda x: x**3, "^4": lambda x: x**4, "^5": lambda x: x**5,
    "^-1": lambda x: 1 / x,
    "sin": _angled(mp.sin), "cos": _angled(mp.cos), "tan": _angled(mp.tan),
    "sec": _angled(mp.sec), "csc": _angled(mp.csc), "cot": _angled(mp.cot),
    "asin": mp.asin, "acos": mp.acos, "atan": mp.atan, "atan2": mp.atan2,
    "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh,
    "sech": mp.sech, "csch": mp.csch, "coth": mp.coth,
    "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
    "sqrt": mp.sqrt, "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "hypot": mp.hypot,
    "exp": mp.exp, "expm1": mp.expm1, "gauss": lambda x: mp.exp(-x * x),
    "ln": mp.log, "log10": mp.log10, "log2": lambda x: mp.log(x, 2), "log1p": mp.log1p,
    "logit": lambda x: mp.log(x / (1 - x)), "sigmoid": _logistic, "softplus": _softplus,
    "relu": lambda x: max(x, mpf(0)), "sinc": _sinc,
    "erf": mp.erf, "erfc": _erfc, "gamma": _gamma, "lgamma": _lgamma,
    "floor": mp.floor, "ceil": mp.ceil, "round": _round, "mod": _floor_mod, "//": _floor_div,
    "abs": abs, "sign": _sign, "heaviside": _step, "min": min, "max": max,
    ">": lambda a, b: _truth(a > b), ">=": lambda a, b: _truth(a >= b),
    "<": lambda a, b: _truth(a < b), "<=": lambda a, b: _truth(a <= b),
    "==": lambda a, b: _truth(a == b), "!=": lambda a, b: _truth(a != b),
    "cond": lambda a, b: b if a > 0 else mpf(0), "unless": lambda a, b: mpf(0) if a > 0 else b,
    "pdiv": _protected_division, "plog": _protected_logarithm,
    "pinv": lambda x: 1 / x if abs(x) > NEAR_ZERO else mpf(0),
}  # fmt: skip


def errors(name: str, n: int, seed: int = 1) -> tuple[float, list[float], int]:
    """The largest error in units of the last place, where, and how many arguments were compared.

    A value that should be defined and is not, or the other way around, counts as infinite.
    """
    operands = operands_of(name, n, seed)
    got = FUNCTIONS[name](*operands)
    truth = _real(TRUTHS[name])
    worst, where, compared = 0.0, [], 0
    largest = mpf(sys.float_info.max)
    rows = zip(*(operand.tolist() for operand in operands), got.tolist(), strict=True)
    for *values, value in rows:
        with mp.workprec(260):
            exact = truth(*map(mpf, values))
            if exact is None:
                error = 0.0 if not math.isfinite(value) else math.inf
            elif not math.isfinite(value):
                # The edge of overflow itself may round either way.
                error = math.inf if abs(exact) < largest * (1 - mpf(2) ** -50) else 0.0
            else:  # of an exact value beyond the largest number, too: it may round to that
                error = float(abs(mpf(value) - exact) / _last_place(exact))
        compared += 1
        if error > worst:
            worst, where = error, values
    return worst, where, compared


def _last_place(exact: mpf) -> mpf:
    """The unit of the last place of the doubles around a number."""
    exponent = mp.frexp(exact)[1] - 53 if exact else -1074
    return mpf(2) ** min(max(exponent, -1074), 971)


def engines_agree(name: str, n: int) -> bool:
    """Whether the native core and the reference give the same bits."""
    row = BY_NAME[name]
    columns = dict(zip("xy", operands_of(name, n, 20), strict=False))
    text = f"{row.identifier}({', '.join(columns)})" if row.form != "infix" else f"x {name} y"
    points = np.column_stack(list(columns.values()))
    outputs = np.asarray(observe(text, Probe.at(points, list(columns))).outputs).ravel()
    expected = FUNCTIONS[name](*columns.values())
    same = outputs.view(np.uint64) == expected.view(np.uint64)
    # A behavior holds no sign of a zero, and one kind of undefined.
    same |= ~(np.isfinite(outputs) | np.isfinite(expected)) | ((outputs == 0) & (expected == 0))
    return bool(same.all())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="operators; all if none is named")
    parser.add_argument("--n", type=int, default=100_000, help="arguments for each")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names = options.names or [row.name for row in TABLE if row.name in TRUTHS]
    print("| function | arguments | largest error, ulp | goal | same bits | worst at |")
    print("|---|---|---|---|---|---|")
    missed = []
    for name in names:
        worst, where, compared = errors(name, options.n, options.seed)
        goal = BOUNDS.get(name, BOUND)
        agree = engines_agree(name, options.n)
        missed += [name] * (worst > goal or not agree)
        place = ", ".join(map(repr, where))
        print(f"| {name} | {compared:,} | {worst:.3f} | {goal:g} | {agree} | {place} |", flush=True)
    print(f"missed: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
