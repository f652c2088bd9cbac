"""Features: functions of given numbers that recognized formulas are made of."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from symbed._types import Floats


@dataclass(frozen=True)
class Feature:
    """A function of the given numbers, as a term of a sum or as a factor of a product.

    Attributes
    ----------
    text : str
        The function.
    values : ndarray
        One for each sample: of a factor, the logarithm of its magnitude.
    signs : ndarray or None
        Of a factor, its signs.
    """

    text: str
    values: Floats
    signs: Floats | None = None


def factor(text: str, values: Floats) -> Feature:
    """A factor of a product."""
    return Feature(text, np.log(np.abs(values)), np.sign(values))


def exponential(text: str, exponents: Floats) -> Feature:
    """A factor ``exp(text)``."""
    return Feature(f"exp({text})", exponents, np.ones(len(exponents)))


def plain_factors(names: Sequence[str], given: Floats) -> list[Feature]:
    """The given numbers as factors."""
    return [factor(name, given[:, k]) for k, name in enumerate(names)]


@lru_cache(maxsize=4)  # the same samples serve every parameter
def other_factors(names: tuple[str, ...], data: bytes) -> list[Feature]:
    """Functions of the given numbers that turn up as factors."""
    given = np.frombuffer(data).reshape(-1, len(names))
    others = [exponential(name, given[:, k]) for k, name in enumerate(names)]
    for k, name in enumerate(names):
        column = given[:, k]
        others += [
            factor(f"sin({name})", np.sin(column)),
            factor(f"cos({name})", np.cos(column)),
            factor(f"ln({name})", np.log(np.abs(column))),
            exponential(f"{name}^2", column * column),
        ]
    for i, j in itertools.combinations(range(len(names)), 2):
        x, y = given[:, i], given[:, j]
        others += [
            factor(f"({names[i]} + {names[j]})", x + y),
            factor(f"({names[i]} - {names[j]})", x - y),
            exponential(f"{names[i]}*{names[j]}", x * y),
            exponential(f"{names[i]}/{names[j]}", x / y),
            exponential(f"{names[j]}/{names[i]}", y / x),
            factor(f"({names[i]}^2 + {names[j]}^2)", x * x + y * y),
            exponential(f"{names[i]}^2/{names[j]}", x * x / y),
            exponential(f"{names[j]}^2/{names[i]}", y * y / x),
            exponential(f"{names[i]}^2*{names[j]}", x * x * y),
            exponential(f"{names[j]}^2*{names[i]}", y * y * x),
            Feature(f"({names[i]}^{names[j]})", y * np.log(np.abs(x)), np.ones(len(x))),
            Feature(f"({names[j]}^{names[i]})", x * np.log(np.abs(y)), np.ones(len(x))),
        ]
    return others


def plain_terms(names: Sequence[str], given: Floats) -> list[Feature]:
    """The given numbers as terms."""
    return [Feature(name, given[:, k]) for k, name in enumerate(names)]


@lru_cache(maxsize=4)
def other_terms(names: tuple[str, ...], data: bytes) -> list[Feature]:
    """Terms of a sum: products, quotients, squares and functions of the given numbers."""
    given = np.frombuffer(data).reshape(-1, len(names))
    others = [Feature(f"{name}^2", given[:, k] ** 2) for k, name in enumerate(names)]
    for size in (2, 3, 4):
        for subset in itertools.combinations(range(len(names)), size):
            text = "*".join(names[k] for k in subset)
            others.append(Feature(text, np.prod(given[:, list(subset)], axis=1)))
    for i, j in itertools.permutations(range(len(names)), 2):
        others.append(Feature(f"{names[i]}/{names[j]}", given[:, i] / given[:, j]))
        others.append(Feature(f"{names[i]}^2*{names[j]}", given[:, i] ** 2 * given[:, j]))
        others.append(Feature(f"{names[i]}^2/{names[j]}", given[:, i] ** 2 / given[:, j]))
    for k, name in enumerate(names):
        column = given[:, k]
        others += [
            Feature(f"ln(abs({name}))", np.log(np.abs(column))),
            Feature(f"1/{name}", 1 / column),
            Feature(f"exp({name})", np.exp(column)),
            Feature(f"sin({name})", np.sin(column)),
            Feature(f"cos({name})", np.cos(column)),
            Feature(f"tan({name})", np.tan(column)),
        ]
        for j, other in enumerate(names):
            if j != k:
                others += [
                    Feature(f"{other}*ln(abs({name}))", given[:, j] * np.log(np.abs(column))),
                    Feature(f"{other}*exp({name})", given[:, j] * np.exp(column)),
                    Feature(f"{other}*sin({name})", given[:, j] * np.sin(column)),
                    Feature(f"{other}*cos({name})", given[:, j] * np.cos(column)),
                ]
    return others
