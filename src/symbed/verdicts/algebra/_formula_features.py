"""Functions of some numbers that turn up in formulas: terms of a sum, factors of a product."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symbed._types import Floats

# All pairs of them are screened at once. Of 80 numbers there are 1.7 million terms, whose products
# with each other would fill 21 TiB; of 12 numbers, 1,800.
MAX_FEATURES = 2000


@dataclass(frozen=True)
class Feature:
    """A function of the inputs, as a term of a sum or as a factor of a product."""

    text: str  # the function
    values: Floats  # one for each sample: of a factor, the logarithm of its magnitude
    signs: Floats | None = None  # of a factor, its signs


def plain_factors(names: Sequence[str], inputs: Floats) -> list[Feature]:
    """The inputs as factors."""
    return [_factor(name, inputs[:, k]) for k, name in enumerate(names)]


def plain_terms(names: Sequence[str], inputs: Floats) -> list[Feature]:
    """The inputs as terms."""
    return [Feature(name, inputs[:, k]) for k, name in enumerate(names)]


def _factor(text: str, values: Floats) -> Feature:
    return Feature(text, np.log(np.abs(values)), np.sign(values))


def _exponential(text: str, exponents: Floats) -> Feature:
    """A factor ``exp(text)``."""
    return Feature(f"exp({text})", exponents, np.ones(len(exponents)))


def _signless(text: str, logarithms: Floats) -> Feature:
    return Feature(text, logarithms, np.ones(len(logarithms)))


# How a feature is made, how it is written, and its value: of one number, or of two in this order.
_One = tuple[Callable[[str, Floats], Feature], str, Callable[[Floats], Floats]]
_Two = tuple[Callable[[str, Floats], Feature], str, Callable[[Floats, Floats], Floats]]

FACTORS_OF_ONE: tuple[_One, ...] = (
    (_factor, "sin({})", np.sin),
    (_factor, "cos({})", np.cos),
    (_factor, "ln({})", lambda x: np.log(np.abs(x))),
    (_exponential, "{}^2", lambda x: x * x),
)
FACTORS_OF_TWO: tuple[_Two, ...] = (
    (_factor, "({0} + {1})", lambda x, y: x + y),
    (_factor, "({0} - {1})", lambda x, y: x - y),
    (_exponential, "{0}*{1}", lambda x, y: x * y),
    (_exponential, "{0}/{1}", lambda x, y: x / y),
    (_exponential, "{1}/{0}", lambda x, y: y / x),
    (_factor, "({0}^2 + {1}^2)", lambda x, y: x * x + y * y),
    (_exponential, "{0}^2/{1}", lambda x, y: x * x / y),
    (_exponential, "{1}^2/{0}", lambda x, y: y * y / x),
    (_exponential, "{0}^2*{1}", lambda x, y: x * x * y),
    (_exponential, "{1}^2*{0}", lambda x, y: y * y * x),
    (_signless, "({0}^{1})", lambda x, y: y * np.log(np.abs(x))),
    (_signless, "({1}^{0})", lambda x, y: x * np.log(np.abs(y))),
)
TERMS_OF_TWO: tuple[_Two, ...] = (
    (Feature, "{0}/{1}", lambda x, y: x / y),
    (Feature, "{0}^2*{1}", lambda x, y: x**2 * y),
    (Feature, "{0}^2/{1}", lambda x, y: x**2 / y),
)
TERMS_OF_ONE: tuple[_One, ...] = (
    (Feature, "ln(abs({}))", lambda x: np.log(np.abs(x))),
    (Feature, "1/{}", lambda x: 1 / x),
    (Feature, "exp({})", np.exp),
    (Feature, "sin({})", np.sin),
    (Feature, "cos({})", np.cos),
    (Feature, "tan({})", np.tan),
)
SCALED_TERMS: tuple[_Two, ...] = (
    (Feature, "{1}*ln(abs({0}))", lambda x, y: y * np.log(np.abs(x))),
    (Feature, "{1}*exp({0})", lambda x, y: y * np.exp(x)),
    (Feature, "{1}*sin({0})", lambda x, y: y * np.sin(x)),
    (Feature, "{1}*cos({0})", lambda x, y: y * np.cos(x)),
)


@lru_cache(maxsize=4)  # the same samples serve every parameter
def other_factors(names: tuple[str, ...], data: bytes) -> list[Feature]:
    """Functions of the inputs that turn up as factors."""
    columns = list(zip(names, np.frombuffer(data).reshape(-1, len(names)).T, strict=True))
    others = [_exponential(name, x) for name, x in columns]
    for name, x in columns:
        others += [make(text.format(name), value(x)) for make, text, value in FACTORS_OF_ONE]
    for one, other in itertools.combinations(columns, 2):
        others += _of_two(FACTORS_OF_TWO, one, other)
    return others


@lru_cache(maxsize=4)
def other_terms(names: tuple[str, ...], data: bytes) -> list[Feature]:
    """Terms of a sum: products, quotients, squares and functions of the inputs."""
    inputs = np.frombuffer(data).reshape(-1, len(names))
    return list(itertools.islice(_other_terms(names, inputs), MAX_FEATURES))


def _other_terms(names: tuple[str, ...], inputs: Floats) -> Iterator[Feature]:
    columns = list(zip(names, inputs.T, strict=True))
    # The plainest first: sums of three terms are looked for among the first few only.
    for name, x in columns:
        yield Feature(f"{name}^2", x**2)
    for size in (2, 3, 4):
        for subset in itertools.combinations(range(len(names)), size):
            text = "*".join(names[k] for k in subset)
            yield Feature(text, np.prod(inputs[:, list(subset)], axis=1))
    for one, other in itertools.permutations(columns, 2):
        yield from _of_two(TERMS_OF_TWO, one, other)
    for k, one in enumerate(columns):
        for make, text, value in TERMS_OF_ONE:
            yield make(text.format(one[0]), value(one[1]))
        for other in columns[:k] + columns[k + 1 :]:
            yield from _of_two(SCALED_TERMS, one, other)


def _of_two(
    table: Sequence[_Two], one: tuple[str, Floats], other: tuple[str, Floats]
) -> list[Feature]:
    return [
        make(text.format(one[0], other[0]), value(one[1], other[1])) for make, text, value in table
    ]
