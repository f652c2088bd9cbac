"""The registry: a dialect's name goes in, its tool comes out."""

from __future__ import annotations

from symbed.errors import RangeError
from symbed.language.dialects.algebra import ESR, FEYNMAN, SRTREE
from symbed.language.dialects.genetic import BINGO, GPLEARN, OPERON
from symbed.language.dialects.julia import PYSR, SRJL
from symbed.language.dialects.latex import LATEX
from symbed.language.dialects.lists import DSO, E2E, PROGED, SRTOOLKIT
from symbed.language.dialects.python_source import PYTHON
from symbed.language.dialects.spreadsheet import EXCEL
from symbed.language.dialects.sympy_trees import SYMPY
from symbed.language.dialects.tool import Tool

# In the order in which detection prefers them where they agree.
TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        PYSR, SRJL, GPLEARN, OPERON, DSO, SRTOOLKIT, PROGED, E2E, FEYNMAN, ESR, BINGO, SRTREE,
        PYTHON, SYMPY, LATEX, EXCEL,
    )
}  # fmt: skip
ALIASES = {
    "symbolicregression.jl": "srjl", "symbolicregression": "srjl", "pyoperon": "operon",
    "snip": "e2e", "aif": "aifeynman", "reggression": "srtree", "eggp": "srtree",
    "srepr": "sympy",
}  # fmt: skip


def find_tool(name: object) -> Tool | None:
    """The tool with a name or another name of it; None if there is none."""
    if not isinstance(name, str):
        return None
    return TOOLS.get(ALIASES.get(name.lower(), name))


def known_tool(name: object) -> Tool:
    """The tool with a name; an error that lists them if there is none."""
    tool = find_tool(name)
    if tool is None:
        raise RangeError(f"dialect must be one of {', '.join(TOOLS)}, got {name!r}")
    return tool
