"""Values on their way from the page and to it: checked fields, packed arrays.

A document that the page would never send is refused as a whole. What a person can type wrong (a
formula, a range) is let through as it is, and answered with the library's own words.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

T = TypeVar("T")

MAX_NAMES = 128


class BadRequest(ValueError):
    """A document that the page would not send."""


class Fields:
    """The fields of one JSON object; every reading is checked."""

    def __init__(self, document: object) -> None:
        if not isinstance(document, dict):
            raise BadRequest("the body must be one JSON object")
        self._document: dict[str, Any] = document

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._document.get(name) is not None

    def text(self, name: str, longest: int, default: str | None = None) -> str:
        """A text of limited length."""
        value = self._document.get(name, default)
        return _text(value, name, longest)

    def texts(self, name: str, count: int, longest: int) -> list[str]:
        """Exactly so many texts."""
        value = self._document.get(name)
        if not isinstance(value, list) or len(value) != count:
            raise BadRequest(f"{name} must be a list of {count} texts")
        return [_text(item, name, longest) for item in value]

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """A whole number between two bounds."""
        value = self._document.get(name, default)
        # True is an int in Python.
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise BadRequest(f"{name} must be a whole number from {low} to {high}")
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        return _number(self._document.get(name), name)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of some words; the first by default."""
        value = self._document.get(name, choices[0])
        if value not in choices:
            raise BadRequest(f"{name} must be one of {', '.join(choices)}")
        return str(value)

    def choices(self, name: str, count: int, choices: tuple[str, ...]) -> list[str]:
        """Exactly so many of some words; the first of them by default."""
        value = self._document.get(name, [choices[0]] * count)
        if not isinstance(value, list) or len(value) != count:
            raise BadRequest(f"{name} must be a list of {count} words")
        if any(not isinstance(word, str) or word not in choices for word in value):
            raise BadRequest(f"{name} must hold some of {', '.join(choices)}")
        return value

    def pair(self, name: str, default: tuple[float, float]) -> tuple[float, float]:
        """Two finite numbers."""
        return _pair(self._document.get(name, list(default)), name)

    def pairs(self, name: str) -> dict[str, tuple[float, float]]:
        """Two finite numbers for each name."""
        return self._mapping(name, _pair)

    def numbers(self, name: str) -> dict[str, float]:
        """A finite number for each name."""
        return self._mapping(name, _number)

    def words(self, name: str, choices: tuple[str, ...]) -> dict[str, str]:
        """One of some words for each name."""
        words = self._mapping(name, lambda value, owner: _text(value, owner, 64))
        if not set(words.values()) <= set(choices):
            raise BadRequest(f"{name} must hold {' or '.join(choices)}")
        return words

    def _mapping(self, name: str, read: Callable[[Any, str], T]) -> dict[str, T]:
        value = self._document.get(name, {})
        if not isinstance(value, Mapping) or len(value) > MAX_NAMES:
            raise BadRequest(f"{name} must be an object with at most {MAX_NAMES} names")
        return {_text(key, name, 64): read(item, name) for key, item in value.items()}


def _text(value: object, name: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise BadRequest(f"{name} must be a text of at most {longest:,} characters")
    return value


def _number(value: object, name: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            # Whole numbers in JSON have any length; Python's reader takes NaN and Infinity too.
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise BadRequest(f"{name} must be a finite number")


def _pair(value: object, name: str) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise BadRequest(f"{name} must be two numbers, [low, high]")
    return _number(value[0], name), _number(value[1], name)


def encode(numbers: NDArray[Any]) -> str:
    """An array as base64 of its little-endian bytes, each number in as many as it has.

    What is only a place on the screen is given with 4 bytes; an output of 1e60 or 1e-60 is not.

    >>> import numpy as np
    >>> encode(np.array([1.0], np.float32)), encode(np.array([1.0]))
    ('AACAPw==', 'AAAAAAAA8D8=')
    """
    little_endian = numbers.astype(numbers.dtype.newbyteorder("<"), copy=False)
    return base64.b64encode(little_endian.tobytes()).decode("ascii")
