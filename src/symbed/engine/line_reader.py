"""The reader: lines of infix text go in, programs come out; where a line is not plain, None."""

from __future__ import annotations

from collections.abc import Sequence

from symbed.engine.binding import Roles
from symbed.engine.catalog import BLANK, make_catalog
from symbed.engine.program import Program


class Reader:
    """Compiles plain lines for one probe's roles, each distinct program once.

    For those who want the programs themselves; a survey works on the catalog's numbers.
    """

    def __init__(self, roles: Roles) -> None:
        self._catalog = make_catalog(roles)
        self._known: tuple[list[Program], list[Program]] = ([], [])

    def programs(self, texts: Sequence[str]) -> list[Program | None]:
        """The program of each line, or None where the parser must decide."""
        places = self._catalog.read(texts).tolist()
        for varied, known in enumerate(self._known):
            count = self._catalog.count(varied=bool(varied))
            known.extend(self._catalog.programs(len(known), count, varied=bool(varied)))
        return [None if place <= BLANK else self._at(place) for place in places]

    def _at(self, place: int) -> Program:
        return self._known[0][place] if place >= 0 else self._known[1][-1 - place]
