"""How formulas were read: each as typed, with the role and the range of every name.

As in the library, nothing is decided in silence: the roles and ranges that were used are part of
the answer, and the page shows them in fields that can be changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from symbed.errors import ParseError, SymbedError
from symbed.formula_files.dialect_choice import choose_dialect
from symbed.language.dialects.detection import Ambiguous
from symbed.language.dialects.tool_table import READABLE, TOOLS
from symbed.language.dialects.translator import Translator, title_of
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.names import CONVENTIONAL
from symbed.language.typesetting import mathml
from symbed.sampling.probe import Probe

Range = tuple[float, float]
AUTO = "auto"
LANGUAGES = (AUTO, *READABLE)  # what the page may ask for
NOBODY = "x"  # the variable to look along where no formula has one
LONG = 4_000  # characters of a listing that a page can show


def offered_languages() -> list[dict[str, str]]:
    """The languages that the page offers, with what people call them."""
    tools = [{"name": name, "title": TOOLS[name].title} for name in READABLE if name in TOOLS]
    return [{"name": "infix", "title": "symbed"}, *tools]


@dataclass(frozen=True)
class Reading:
    """One formula as it was read: an expression, or an error, or neither where nothing stands."""

    text: str
    expression: Expression | None = None
    error: SymbedError | None = None
    dialect: str = "infix"

    @classmethod
    def of(
        cls, text: str, variables: Iterable[str] | None = None, dialect: str = "infix"
    ) -> Reading:
        """Read a formula; an error becomes part of the answer."""
        if not text.strip():
            return cls(text)
        try:
            names = None if variables is None else tuple(variables)
            translator = choose_dialect([text], dialect, variables=names).translator
            return cls(text, translator.read(text), dialect=translator.dialect)
        except SymbedError as error:
            return cls(text, error=error, dialect=dialect)

    def with_variables(self, names: Iterable[str]) -> Reading:
        """The same with other names for variables."""
        read = self.expression
        return self if read is None else replace(self, expression=read.with_variables(names))

    def document(self) -> dict[str, Any] | None:
        """What the page shows under the field."""
        if self.error is not None:
            return {"error": explain(self.error)}
        if self.expression is None:
            return None
        translator = Translator(self.dialect)
        whose = {"dialect": self.dialect, "title": title_of(self.dialect)}
        return describe(self.expression) | whose | {"note": translator.note(self.text)}


@dataclass(frozen=True)
class Names:
    """The names of some formulas, each with its role and range.

    Attributes
    ----------
    domain : dict
        The range of each variable.
    parameters : dict
        The range of each free parameter.
    """

    domain: dict[str, Range] = field(default_factory=dict)
    parameters: dict[str, Range] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        expressions: Iterable[Expression],
        roles: Mapping[str, str],
        ranges: Mapping[str, Range],
        fallback: Range,
    ) -> Names:
        """Give each name its role (by convention, if none is given) and its range."""
        made = cls()
        for expression in expressions:
            by_convention = set(expression.variables)
            for name in dict.fromkeys(expression.names):
                like_one = name in by_convention or CONVENTIONAL.match(name)
                told = roles.get(name, "variable" if like_one else "parameter")
                # Each C is a parameter of its own, so no column of inputs can be meant.
                is_variable = told == "variable" and name != ANONYMOUS
                place = made.domain if is_variable else made.parameters
                place.setdefault(name, ranges.get(name, fallback))
        # A probe needs a variable, and the page an axis.
        if not made.domain:
            further = (f"input_{number}" for number in count(1))
            axes = chain((NOBODY, "t", "input"), further)
            free = next(name for name in axes if name not in made.parameters)
            made.domain[free] = ranges.get(free, fallback)
        return made

    def problem(self) -> dict[str, str] | None:
        """The first range that cannot be, with the name whose field shows it."""
        for name, bounds in self.domain.items():
            if told := _complaint(name, {name: bounds}, None):
                return told
        for name, bounds in self.parameters.items():
            # A probe of this range alone, so that the complaint is about it and no other.
            other = "t" if name != "t" else "x"
            if told := _complaint(name, {other: (0.0, 1.0)}, {name: bounds}):
                return told
        return None

    def probe(self, n_points: int, n_draws: int, seed: int) -> Probe:
        """The probe that looks at these names."""
        return Probe(
            self.domain, self.parameters or None, n_points=n_points, n_draws=n_draws, seed=seed
        )

    def document(self) -> list[dict[str, Any]]:
        """One row for each name, variables first, in the order in which people count."""
        return [
            {"name": name, "role": role, "range": list(rows[name]), "fixed": name == ANONYMOUS}
            for role, rows in (("variable", self.domain), ("parameter", self.parameters))
            for name in _counted(rows)
        ]


def explain(error: SymbedError) -> dict[str, Any]:
    """An error as the page shows it: one sentence, and where the caret stands."""
    if isinstance(error, ParseError):
        # Its own hint names an argument of Python, and the page has a list.
        remedy = "say whose it is in the list" if isinstance(error, Ambiguous) else error.hint
        hint = f"; {remedy}" if remedy else ""
        return {"message": error.problem + hint, "position": error.position}
    return {"message": str(error).split("\n")[0], "position": None}


@contextmanager
def problems_in(shown: dict[str, Any]) -> Iterator[None]:
    """Put a user's error into the answer, beside what was found out before it."""
    try:
        yield
    except SymbedError as error:
        shown["problem"] = {"field": "", "message": explain(error)["message"]}


def describe(expression: Expression) -> dict[str, Any]:
    """How an expression was read, in all the ways in which it can be written."""
    from symbed.engine.program import listing
    from symbed.language.printers import tree

    return {
        "text": str(expression)[:LONG],
        "mathml": mathml(expression),
        "variables": list(expression.variables),
        "parameters": list(expression.parameters)[:LONG],
        "size": expression.size,
        "depth": expression.depth,
        "latex": expression.latex()[:LONG],
        "tokens": " ".join(expression.tokens())[:LONG],
        "tree": tree(expression)[:LONG],
        "program": " ; ".join(listing(expression))[:LONG],
    }


def _counted(names: Iterable[str]) -> list[str]:
    """The names in their order, but ``x2`` before ``x10`` wherever they came first.

    >>> _counted(["t", "x10", "k", "x2"])
    ['t', 'x2', 'x10', 'k']
    """
    parts = {name: re.fullmatch(r"(.*?)_?([0-9]*)", name, re.DOTALL) for name in names}
    words = {name: (part[1], int(part[2] or -1)) for name, part in parts.items() if part}
    stems = list(dict.fromkeys(stem for stem, _ in words.values()))
    return sorted(words, key=lambda name: (stems.index(words[name][0]), words[name][1]))


def _complaint(
    name: str, domain: dict[str, Range], parameters: dict[str, Range] | None
) -> dict[str, str] | None:
    try:
        Probe(domain, parameters)
    except SymbedError as error:
        return {"field": f"range:{name}", "message": str(error)}
    return None
