"""The reference for the site: our docstrings and signatures go in, reStructuredText comes out.

In our docstrings an entry is ``name : what it is``; its type stands in the signature. Signatures
are shown as they are written in the source, with the short names of types.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from sphinx.application import Sphinx

LISTS = ("Parameters", "Attributes", "Returns", "Raises")
ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(, \*{0,2}\w+)*) : (?P<text>.*)")
RULE = re.compile(r"-{3,}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen to what autodoc finds."""
    app.connect("autodoc-process-docstring", rearrange)
    app.connect("autodoc-process-signature", as_written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def rearrange(
    app: Sphinx, what: str, name: str, item: object, options: object, lines: list[str]
) -> None:
    """Turn the sections of a docstring into fields, in place."""
    lines[:] = list(_fields(lines))


def _fields(lines: list[str]) -> Iterator[str]:
    inside = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if RULE.fullmatch(below):
            inside = line in LISTS
            yield from ("", f":{line}:" if inside else f".. rubric:: {line}")
        elif RULE.fullmatch(line):
            yield "    " if inside else ""
        else:
            yield from _entry(line) if inside else [line]


def _entry(line: str) -> list[str]:
    found = ENTRY.fullmatch(line)
    if not found:
        return [f"    {line}"]
    stars = found["names"].replace("*", r"\*")  # *args, not emphasis
    names = ", ".join(f"**{name}**" for name in stars.split(", "))
    return [f"    {names}", f"        {found['text']}"]


def as_written(
    app: Sphinx, what: str, name: str, item: Any, options: object, *told: str | None
) -> tuple[str, str] | None:
    """The signature with annotations as the source has them; none for what only verbs make."""
    if what not in ("class", "function", "method"):
        return None
    if what == "class" and not re.search(r"^\s*Parameters$", item.__doc__ or "", re.MULTILINE):
        return "", ""
    signature = _signature(item)
    kept = [given for given in signature.parameters.values() if given.name not in ("self", "cls")]
    shown = signature.replace(parameters=[_plain(given) for given in kept])
    arguments, _, result = str(shown).partition(" -> ")
    return arguments, "" if what == "class" else result.strip("'")


def _signature(item: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(getattr(item, "__wrapped__", item))


def _plain(given: inspect.Parameter) -> inspect.Parameter:
    """A parameter that prints its annotation and its default as they were written."""
    default = given.default
    if default is not inspect.Parameter.empty and not isinstance(default, (str, int, float, tuple)):
        default = _Written("None" if default is None else "...")
    note = given.annotation
    kept = _Written(note) if isinstance(note, str) else note
    return given.replace(annotation=kept, default=default)


class _Written(str):
    """A text that prints without quotes."""

    def __repr__(self) -> str:
        return str(self)
