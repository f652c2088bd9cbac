"""Lazy public names of a package: importing it stays cheap, and ``dir`` shows what is public."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def find_lazily(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` for a package whose public names live in its modules.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : mapping of str to str
        For each public name, the module under the package that has it; a sub-package that is
        public itself is its own home.

    Returns
    -------
    tuple of two functions
        What the package binds to ``__getattr__`` and ``__dir__``. The latter lists the public names
        and what every module has (``__doc__`` and the like), but nothing that the package imports
        for its own use.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{homes[name]}")
        value = module if homes[name] == name else getattr(module, name)
        setattr(sys.modules[package], name, value)  # so that the next look-up does not come here
        return value

    def names() -> list[str]:
        own = vars(sys.modules[package])
        return sorted({*homes, *(name for name in own if name[:2] == name[-2:] == "__")})

    return find, names
