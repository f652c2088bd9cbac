"""``Unreadable``: what stands among formulas in the place of one that could not be read."""

from __future__ import annotations

from dataclasses import dataclass

from symbed.errors import SymbedError


@dataclass(frozen=True)
class Unreadable:
    """A formula that could not be read: it keeps its place among the others.

    Attributes
    ----------
    label : str
        Its text.
    error : SymbedError
        Why; raised, or listed as skipped, when its turn comes.
    line : int
        Where it stands in its file, from 1; 0 if that is unknown.
    """

    label: str
    error: SymbedError
    line: int = 0
