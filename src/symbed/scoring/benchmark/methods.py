"""The methods of a benchmark: which class is asked, in which Python, with which options.

A method is a class with ``fit(X, y)`` and ``formulas()``. Those that ship are files of
``adapters/``; a user's own is named by its file or module: ``my_method.py:MyMethod``.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path
from typing import Any

from symbed.errors import DataError, RangeError

ADAPTERS = Path(__file__).parent / "adapters"

# Name: file of ``adapters/`` and class.
SHIPPED = {
    "random-search": ("random_search.py", "RandomSearch"),
    "gplearn": ("gplearn_adapter.py", "Gplearn"),
    "pyoperon": ("pyoperon_adapter.py", "Pyoperon"),
    "proged": ("proged_adapter.py", "Proged"),
    "pysr": ("pysr_adapter.py", "Pysr"),
    "discover": ("discover_adapter.py", "Discover"),
}


@dataclass(frozen=True)
class Method:
    """A method of a benchmark.

    Attributes
    ----------
    name : str
        What results call it.
    place : str
        The file or the module of its adapter.
    class_name : str
        The adapter's class.
    python : str
        The Python that runs it; empty for ours.
    options : tuple of (str, value)
        What the class is made with.
    source : str
        A digest of the adapter's text: a changed adapter is another method.
    """

    name: str
    place: str
    class_name: str
    python: str = ""
    options: tuple[tuple[str, Any], ...] = ()
    source: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {**vars(self), "options": dict(self.options)}

    @property
    def identity(self) -> dict[str, Any]:
        """What decides its results: not where the adapter lies, if its text is known."""
        known = self.to_dict()
        if self.source:
            del known["place"]
        return known

    @property
    def executable(self) -> str:
        """The Python that runs it."""
        return self.python or sys.executable


def read_method(
    text: str, *, python: str | None = None, options: Mapping[str, Any] | None = None
) -> Method:
    """The method of a name or a place.

    Parameters
    ----------
    text : str
        One of those that ship, such as ``gplearn``; or ``file.py:Class``, or ``module:Class``; with
        ``name=`` in front, results call it so.
    python : str, optional
        The Python that runs it; ours by default.
    options : mapping of str to value, optional
        What the class is made with: plain values, as JSON has them.

    Examples
    --------
    >>> read_method("random-search").class_name
    'RandomSearch'
    """
    given, _, rest = text.partition("=") if re.match(r"[\w.+-]+=", text) else ("", "", text)
    name, place, class_name = _located(rest)
    try:
        # As a folder gives them back: a tuple that is a list on disk would be another task.
        chosen = json.loads(json.dumps(dict(options or {})))
    except (TypeError, ValueError):
        raise RangeError(f"the options of {text!r} must be plain values, got {options!r}") from None
    return Method(
        given or name, place, class_name, python or "",
        tuple(sorted(chosen.items())), source_digest(place),
    )  # fmt: skip


def read_methods(
    given: Iterable[str | Method],
    pythons: Mapping[str, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Method, ...]:
    """Several methods, each name once.

    Parameters
    ----------
    given : iterable of str or Method
        As ``read_method`` takes them.
    pythons : mapping of str to str, optional
        By a method's name, the Python that runs it; under ``""`` that of all others.
    options : mapping of str to mapping, optional
        By a method's name, its options.
    """
    methods = [one if isinstance(one, Method) else read_method(one) for one in given]
    pythons, options = pythons or {}, options or {}
    if not methods:
        raise RangeError(f"a benchmark needs a method, such as {', '.join(SHIPPED)}")
    names = [one.name for one in methods]
    for name in {*pythons, *options} - {*names, ""}:
        raise RangeError(
            f"there is no method {name!r} in this benchmark; it has {', '.join(names)}"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise RangeError(f"two methods are called {twice!r}; name one of them, as in mine={twice}")
    return tuple(
        replace(
            one,
            python=pythons.get(one.name, pythons.get("", one.python)),
            options=tuple(sorted({**dict(one.options), **options.get(one.name, {})}.items())),
        )
        for one in methods
    )


def _located(text: str) -> tuple[str, str, str]:
    """The name, the place and the class of a method."""
    if text in SHIPPED:
        shipped, class_name = SHIPPED[text]
        return text, str(ADAPTERS / shipped), class_name
    place, colon, class_name = text.rpartition(":")
    if not colon or not class_name.isidentifier():
        raise RangeError(
            f"there is no method {text!r}; known are {', '.join(SHIPPED)}, and your own is "
            "file.py:Class or module:Class"
        )
    if not place.endswith(".py"):
        return class_name, place, class_name
    file = Path(place)
    if not file.is_file():
        raise DataError(f"there is no file {place!r} with the method {class_name}")
    return class_name, str(file.resolve()), class_name


def source_digest(place: str) -> str:
    """The digest of an adapter's text; empty where nobody knows it."""
    if not place.endswith(".py"):
        try:
            found = util.find_spec(place)
        except (ImportError, ValueError):
            found = None
        if found is None or not found.origin or not found.origin.endswith(".py"):
            return ""  # a module of another Python's: known by its name only
        place = found.origin
    try:
        text = Path(place).read_bytes()
    except OSError:  # a folder from elsewhere names a file that is not here
        return ""
    return hashlib.blake2b(text, digest_size=8).hexdigest()
