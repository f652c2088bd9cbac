"""Short formulas that some numbers have in common, as functions of other numbers.

A transform of the wanted numbers is taken for a combination of a few features; coefficients must be
recognizable numbers. What is found here is a guess for others to check in exact arithmetic.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from symbed._types import Booleans, Floats, Integers
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.verdicts.algebra._formula_features import (
    MAX_FEATURES,
    Feature,
    other_factors,
    other_terms,
    plain_factors,
    plain_terms,
)

FITS = 1e-9  # relative misfit of a combination that is worth a check
CLOSE = 1e-8  # of a coefficient to the number that it is taken for
SCREENED = 1e-5  # the same for a screen that squares errors
DEPENDENT = 1e-9  # what is left of a column that is a combination of others
MAX_TERMS = 30  # among which sums of three are looked for
MAX_FORMULAS = 6
LARGEST_DENOMINATOR = 12
MAX_EFFORT = 2
SHORT_DIGITS = 9  # of a decimal that is taken as it is

# In order of preference: rationals come first.
CONSTANTS: tuple[tuple[str, float], ...] = (
    ("", 1.0), ("pi", np.pi), ("ln(2)", float(np.log(2))), ("ln(10)", float(np.log(10))),
    ("1/ln(2)", float(1 / np.log(2))), ("1/ln(10)", float(1 / np.log(10))),
    ("1/pi", 1 / np.pi), ("sqrt(2)", 2**0.5), ("sqrt(3)", 3**0.5), ("e", math.e),
    ("ln(3)", float(np.log(3))), ("1/ln(3)", float(1 / np.log(3))),
)  # fmt: skip

CONSTANT_VALUES = np.array([value for _, value in CONSTANTS])
DENOMINATORS = np.arange(1.0, LARGEST_DENOMINATOR + 1.0)


def recognized_formulas(
    names: Sequence[str], inputs: Floats, wanted: Floats, effort: int = 0
) -> list[Expression]:
    """Formulas in ``names`` that fit some numbers, the plainest first.

    Parameters
    ----------
    names : sequence of str
        Names of the inputs.
    inputs : ndarray of shape (n_samples, n_names)
        The numbers to explain others by.
    wanted : ndarray of shape (n_samples,)
        The numbers to explain.
    effort : int
        0 for constants, monomials and affine functions; 1 with one function as a factor or a term;
        2 for longer products and sums, and inverse functions too.
    """
    texts: list[str] = []
    with np.errstate(all="ignore"):
        for text in _texts(names, inputs, wanted, effort):
            if text not in texts:
                texts.append(text)
            if len(texts) >= MAX_FORMULAS:
                break
    return [parse(text, variables=tuple(names)) for text in texts]


def _texts(names: Sequence[str], inputs: Floats, wanted: Floats, effort: int) -> Iterator[str]:
    constant = _constant(wanted)
    if constant is not None:
        yield constant
        return
    if not names:  # nothing to explain it by: the family of one function has no parameters
        return
    for extras in range(effort + 1):
        yield from _short_texts(tuple(names), inputs.tobytes(), wanted.tobytes(), extras)
    if effort >= MAX_EFFORT:
        yield from _inverse_functions(names, inputs, wanted)


@lru_cache(maxsize=64)  # a higher effort begins with what the lower ones found
def _short_texts(
    names: tuple[str, ...], inputs: bytes, wanted: bytes, extras: int
) -> tuple[str, ...]:
    """Products, and sums, with so many functions of the inputs."""
    # Bytes are keys of the cache; arrays are none.
    numbers, goal = np.frombuffer(inputs).reshape(-1, len(names)), np.frombuffer(wanted)
    products, sums = (rule(names, numbers, goal, extras) for rule in (_products, _sums))
    return (*products, *sums)


def _constant(wanted: Floats) -> str | None:
    middle = float(np.median(wanted))
    if np.abs(wanted - middle).max() <= CLOSE * max(abs(middle), 1e-6):
        return number_text(middle)
    return None


def number_text(value: float) -> str | None:
    """A number as a rational, a short decimal or a multiple of a constant; None for others."""
    if abs(value) < 1e-13:
        return "0"
    # All at once first: most numbers are near none of them, and fractions are slow.
    scaled = np.outer(value / CONSTANT_VALUES, DENOMINATORS)
    # Twice as wide as the test below, so that rounding loses none.
    near_ones = np.abs(scaled - np.rint(scaled)) <= 2.0 * CLOSE * np.abs(scaled)
    for place in np.flatnonzero(near_ones.any(axis=1)):
        name, constant = CONSTANTS[place]
        ratio = value / constant
        near = Fraction(ratio).limit_denominator(LARGEST_DENOMINATOR)
        if near and abs(float(near) - ratio) <= CLOSE * abs(ratio):
            return _fraction_text(near, name)
    short = float(f"{value:.{SHORT_DIGITS}g}")
    text = repr(short)
    # Three digits of the nine must be zeros: of arbitrary numbers one in a thousand passes.
    if len(text.split("e")[0].strip("-0.").replace(".", "")) <= SHORT_DIGITS - 3 and abs(
        short - value
    ) <= CLOSE * abs(value):
        return text
    return None


def _fraction_text(near: Fraction, name: str) -> str:
    if not name:
        return str(near) if near.denominator == 1 else f"({near})"
    if near == 1:
        return f"({name})"
    return f"({near})*({name})" if near != -1 else f"(-({name}))"


def _solve(columns: Sequence[Floats], target: Floats) -> Floats | None:
    """Coefficients of a combination that fits; None if there is none, or no unique one."""
    matrix = np.stack(columns, axis=1)
    if len(target) <= matrix.shape[1] or not (
        np.isfinite(matrix).all() and np.isfinite(target).all()
    ):
        return None
    # Columns of equal size: rcond would take a small one for a dependent one.
    sizes = np.abs(matrix).max(axis=0)
    if not (sizes > 0).all():
        return None
    weights, _, rank, _ = np.linalg.lstsq(matrix / sizes, target, rcond=1e-12)
    if rank < matrix.shape[1]:
        return None
    misfit = np.abs(matrix / sizes @ weights - target).max()
    if misfit > FITS * max(1e-300, float(np.abs(target).max())):
        return None
    return np.asarray(weights / sizes)


def _screened(
    base: Sequence[Floats], extras: Sequence[Floats], target: Floats, count: int
) -> Iterator[tuple[int, ...]]:
    """Sets of ``count`` extras with which a combination of base and extras may fit the target.

    All sets at once, by normal equations; these square the errors, so it is only a screen. Of more
    extras than are affordable, the first ones.
    """
    extras = extras[:MAX_FEATURES]
    if len(extras) < count or len(target) < len(base) + count + 1:
        return
    columns = np.stack([*base, *extras, target], axis=1)
    finite: Booleans = np.isfinite(columns).all(axis=0).reshape(-1)
    if not finite[: len(base)].all() or not finite[-1]:
        return
    kept = np.flatnonzero(finite[len(base) : -1])
    rest = columns[:, [*(len(base) + kept), -1]]
    scale = np.abs(rest).max(axis=0)
    if len(base):
        frame = np.linalg.qr(columns[:, : len(base)])[0]
        for _ in range(2):  # once more: rounding leaves a part inside of the frame
            rest = rest - frame @ (frame.T @ rest)
    left = np.linalg.norm(rest, axis=0)
    # What the base explains already adds nothing but rounding, which fits anything.
    alive = left[:-1] > DEPENDENT * scale[:-1]
    kept, goal = kept[alive], rest[:, -1]
    if len(kept) < count or not left[-1] > DEPENDENT * scale[-1]:
        return
    units = rest[:, :-1][:, alive] / left[:-1][alive]
    products, sides = units.T @ units, units.T @ goal
    sets = _combinations(len(kept), count)
    # (n_sets, count, count). One singular matrix would end the whole batch: the ridge is for sets
    # with parallel columns.
    matrices = products[sets[:, :, None], sets[:, None, :]] + 1e-13 * np.eye(count)
    weights = np.linalg.solve(matrices, sides[sets][:, :, None])[:, :, 0]
    fitted = np.einsum("nsk,sk->sn", units[:, sets], weights)
    misfits = np.linalg.norm(fitted - goal, axis=1)
    good = np.flatnonzero(misfits < SCREENED * left[-1])
    # Sets that fit to full precision first: callers stop at the first formula.
    for k in good[np.argsort(misfits[good] > FITS * left[-1], kind="stable")]:
        yield tuple(int(kept[place]) for place in sets[k])


@lru_cache(maxsize=32)
def _combinations(n: int, count: int) -> Integers:
    return np.array(list(itertools.combinations(range(n), count)), np.int64)


def _products(names: Sequence[str], inputs: Floats, wanted: Floats, count: int) -> Iterator[str]:
    """Monomials with ``count`` more factors that are functions of the inputs."""
    if (wanted == 0.0).any():
        return
    # A product of powers is a sum of logarithms, whose weights are the exponents.
    target = np.log(np.abs(wanted))
    plain = plain_factors(names, inputs)
    one = np.ones(len(wanted))
    base = [one, *(feature.values for feature in plain)]
    others = other_factors(tuple(names), inputs.tobytes()) if count else []
    sets: Iterable[tuple[int, ...]] = [()]
    if count:
        sets = _screened(base, [feature.values for feature in others], target, count)
    for places in sets:
        features = [*plain, *(others[place] for place in places)]
        weights = _solve([one, *(feature.values for feature in features)], target)
        if weights is not None:
            texts = list(_product_texts(features, weights, wanted))
            yield from texts
            if texts:
                return


def _product_texts(features: Sequence[Feature], weights: Floats, wanted: Floats) -> Iterator[str]:
    factor = number_text(float(np.exp(weights[0])))
    powers = [_power(float(weight)) for weight in weights[1:]]
    if factor is None or any(power is None for power in powers):
        return
    over: list[str] = [] if factor == "1" else [factor]
    under: list[str] = []
    signs = np.sign(wanted)
    for feature, power in zip(features, powers, strict=True):
        if not power:
            continue
        size = abs(power)
        # Logarithms forget signs; an odd power brings that of its factor.
        if feature.signs is not None and power.denominator == 1 and power.numerator % 2:
            signs = signs * feature.signs
        # exp(u)^p is written exp(p*u), never as a power.
        if feature.text.startswith("exp("):
            inside = feature.text[4:-1]
            over.append(feature.text if power == 1 else f"exp({_scaled(inside, power)})")
            continue
        text = feature.text if size == 1 else _powered(feature.text, size)
        (over if power > 0 else under).append(text)
    text = "*".join(over) or "1"
    text += f"/({'*'.join(under)})" if under else ""
    # The sign that most of the numbers have comes first, and alone where all have it.
    most = signs.sum()
    yield f"-{text}" if most < 0 else text
    if abs(most) < len(signs):
        yield text if most < 0 else f"-{text}"


def _scaled(text: str, factor: Fraction) -> str:
    if factor == -1:
        return f"-({text})"
    return f"({factor})*({text})"


def _powered(text: str, power: Fraction) -> str:
    if power == Fraction(1, 2):
        return f"sqrt({text})"
    return f"{text}^{power}" if power.denominator == 1 else f"{text}^({power})"


def _power(weight: float) -> Fraction | None:
    near = Fraction(weight).limit_denominator(LARGEST_DENOMINATOR)
    return near if abs(float(near) - weight) <= 10 * CLOSE else None


def _sums(names: Sequence[str], inputs: Floats, wanted: Floats, extras: int) -> Iterator[str]:
    """Sums of few terms with recognizable coefficients: plain ones, or ``extras + 1`` of any."""
    one = Feature("", np.ones(len(wanted)))
    plain = [one, *plain_terms(names, inputs)]
    if not extras:
        yield from _sum_text(plain, wanted)
        return
    pool = [*plain, *other_terms(tuple(names), inputs.tobytes())]
    if extras > 1:
        # The number of sets grows with the cube.
        pool = pool[:MAX_TERMS]
    for places in _screened([], [feature.values for feature in pool], wanted, extras + 1):
        texts = list(_sum_text([pool[place] for place in places], wanted))
        yield from texts
        if texts:
            return


def _sum_text(features: Sequence[Feature], wanted: Floats) -> Iterator[str]:
    weights = _solve([feature.values for feature in features], wanted)
    if weights is None:
        return
    parts = []
    typical = float(np.abs(wanted).max())
    for feature, weight in zip(features, weights, strict=True):
        # A term below the misfit that is allowed: its coefficient is rounding, and no number.
        if abs(weight) * np.abs(feature.values).max() < FITS * typical:
            continue
        number = number_text(float(weight))
        if number is None:
            return
        if not feature.text:
            parts.append(number)
        elif number in ("1", "-1"):
            parts.append(feature.text if number == "1" else f"-{feature.text}")
        else:
            parts.append(f"{number}*{feature.text}")
    if parts:
        yield " + ".join(parts).replace("+ -", "- ")


# The wanted number is a function of a product or of a sum: its inverse is one.
TRANSFORMS: tuple[tuple[str, Callable[[Floats], Floats]], ...] = (
    ("sqrt({})", np.square),
    ("ln({})", np.exp),
    ("atan({})", np.tan),
    ("asin({})", np.sin),
    ("acos({})", np.cos),
    ("1/({})", lambda q: 1.0 / q),
    ("exp({})", lambda q: np.log(np.abs(q))),
    ("({})^2", lambda q: np.sqrt(np.abs(q))),
    ("cbrt({})", lambda q: q**3),
    ("tan({})", np.arctan),
    ("sinh({})", np.arcsinh),
    ("tanh({})", lambda q: np.arctanh(np.clip(q, -1, 1))),
)


def _inverse_functions(names: Sequence[str], inputs: Floats, wanted: Floats) -> Iterator[str]:
    for pattern, transform in TRANSFORMS:
        changed = transform(wanted)
        if not np.isfinite(changed).all():
            continue
        texts = itertools.chain(
            *(_products(names, inputs, changed, extras) for extras in range(MAX_EFFORT + 1)),
            _few_sums(names, inputs, changed),
        )
        for text in texts:
            yield pattern.format(text)
            if pattern.startswith(("sqrt", "asin")):
                yield "-" + pattern.format(text)
            if pattern.startswith(("atan", "asin")):
                yield f"{pattern.format(text)} + pi"


def _few_sums(names: Sequence[str], inputs: Floats, wanted: Floats) -> Iterator[str]:
    one = Feature("", np.ones(len(wanted)))
    yield from _sum_text([one, *plain_terms(names, inputs)], wanted)
    squares = [Feature(f"{name}^2", inputs[:, k] ** 2) for k, name in enumerate(names)]
    yield from _sum_text(squares, wanted)
