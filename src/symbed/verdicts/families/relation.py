"""``relate``: is one family of functions contained in another, are they the same, or neither?

Members of one family are sought in the other by fits, polished to sixty digits and checked at fresh
points; where that fails, a proof of the contrary is tried. Not found is never "not contained".
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

from symbed._types import Seed
from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.sampling.validation import checked_seed
from symbed.verdicts._budgets import Budget
from symbed.verdicts.families.containment import Containment, ContainmentSearch, Grade
from symbed.verdicts.families.drawn_members import MEMBERS, draw_members
from symbed.verdicts.families.form import Domain, Form, Ranges, make_grid, read_form
from symbed.verdicts.families.nearest_members import MemberSearch
from symbed.verdicts.functions.decision import decide
from symbed.workbench.evaluation import Source

RelationName = Literal["same", "e_in_f", "f_in_e", "neither", "undecided"]

DEFAULT_SECONDS = 5.0
# For each direction; descents of about 40 us. The hardest of 330 labeled pairs takes 2,000.
MAX_WORK = 20_000


@dataclass(frozen=True)
class Relation:
    """How two families of functions relate.

    Attributes
    ----------
    relation : {"same", "e_in_f", "f_in_e", "neither", "undecided"}
        The verdict: the same family, one within the other, neither, or not established.
    e_in_f, f_in_e : Containment
        The two directions, each with its grade and evidence.
    distance : float
        The symmetric form distance, the mean of both directed ones.
    e, f : Expression
        The two formulas; anonymous parameters have names.
    seconds : float
        How long it took.
    """

    relation: RelationName
    e_in_f: Containment
    f_in_e: Containment
    distance: float
    e: Expression
    f: Expression
    seconds: float = 0.0

    @property
    def e_parameters(self) -> tuple[str, ...]:
        """The names in E that are free parameters."""
        return self.e.parameters

    @property
    def f_parameters(self) -> tuple[str, ...]:
        """The names in F that are free parameters."""
        return self.f.parameters

    def to_frame(self) -> Any:
        """A pandas table with one row."""
        from symbed._export import data_frame

        return data_frame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "relation": self.relation,
            "e_in_f": self.e_in_f.to_dict(),
            "f_in_e": self.f_in_e.to_dict(),
            "distance": self.distance,
            "e": str(self.e),
            "f": str(self.f),
            "e_parameters": list(self.e_parameters),
            "f_parameters": list(self.f_parameters),
        }

    def _repr_html_(self) -> str:
        from symbed._notebook import relation_html

        return relation_html(self)

    def __str__(self) -> str:
        words = {
            "same": "the same family",
            "e_in_f": "E is contained in F",
            "f_in_e": "F is contained in E",
            "neither": "neither contains the other",
            "undecided": "undecided",
        }
        free = "; ".join(
            f"{', '.join(names) or 'none'} in {side}"
            for side, names in (("E", self.e_parameters), ("F", self.f_parameters))
        )
        return (
            f"{words[self.relation]}\n  E in F: {self.e_in_f}\n  F in E: {self.f_in_e}"
            f"\n  free parameters: {free}"
        )


def relate(
    e: Source,
    f: Source,
    domain: Domain,
    parameters: Ranges = None,
    *,
    seconds: float = DEFAULT_SECONDS,
    n_members: int = MEMBERS,
    seed: Seed = 0,
    substitution: bool = True,
) -> Relation:
    """How two formulas with free parameters relate as families of functions.

    Members that are degenerate (the zero function of ``C*x``, which ``x/C`` lacks) do not count.

    Parameters
    ----------
    e, f : str, sequence of str or Expression
        The formulas: text, token lists or Expressions. Names in the domain are variables, every
        other name is a free parameter, of its own in each formula.
    domain : mapping from str to range
        The range of each variable.
    parameters : range or mapping from str to range, optional
        The range of all parameters or of each by name, where an end may be infinite: ``(0, inf)``
        for positive ones. None means all real values.
    seconds : float
        How long to search at most. The search ends by the work it has done, which is the same on
        every machine; this is the limit for what takes long all the same.
    n_members : int
        How many members of each family are tried.
    seed : int or numpy Generator
        Seed of the members.
    substitution : bool
        Whether formulas for the parameters are looked for.

    Examples
    --------
    >>> relate("C*x", "exp(C)*x", {"x": (1, 5)}).relation
    'f_in_e'
    >>> relate("C*x", "exp(C)*x", {"x": (1, 5)}, parameters={"C": (0, 10)}).relation
    'neither'
    """
    began = time.monotonic()
    if not seconds > 0:
        raise RangeError(f"seconds must be a positive number, got {seconds!r}")
    forms = [read_form(source, domain, parameters) for source in (e, f)]
    if not any(form.n_parameters for form in forms):
        return _of_functions(forms[0], forms[1], domain, seconds, began)
    seed, grid = checked_seed(seed), make_grid(domain, forms)
    directions: list[Containment] = []
    for inner, outer in (forms, forms[::-1]):
        # Half of the time each; what the first direction leaves, the second one has.
        left = began + seconds * (len(directions) + 1) / 2 - time.monotonic()
        budget = Budget(left, MAX_WORK)
        direction = ContainmentSearch(inner, outer, grid, domain, n_members, seed, budget)
        directions.append(direction.judge(substitution))
    e_in_f, f_in_e = directions
    return Relation(
        _name(e_in_f.contained, f_in_e.contained), e_in_f, f_in_e,
        (e_in_f.distance + f_in_e.distance) / 2,
        forms[0].expression, forms[1].expression, time.monotonic() - began,
    )  # fmt: skip


def _name(e_in_f: bool | None, f_in_e: bool | None) -> RelationName:
    if e_in_f and f_in_e:
        return "same"
    if e_in_f or f_in_e:
        return "e_in_f" if e_in_f else "f_in_e"
    return "neither" if e_in_f is False and f_in_e is False else "undecided"


def _of_functions(e: Form, f: Form, domain: Domain, seconds: float, began: float) -> Relation:
    """Two formulas without parameters are families of one member each."""
    verdict = decide(e.expression, f.expression, domain, seconds=seconds)
    contained = {"equal": True, "different": False, "undecided": None}[verdict.verdict]
    grades: dict[bool | None, Grade] = {True: "matched", False: "refuted", None: "searched"}
    grid = make_grid(domain)
    members = draw_members(e, grid.points)
    distance = (
        float(MemberSearch(f, grid.points, members).distances.mean()) if len(members) else 1.0
    )
    if contained:
        distance = 0.0
    half = Containment(
        contained, grades[contained], {} if contained else None,
        "everywhere" if contained else None, distance=distance, n_members=1, reason=str(verdict),
    )  # fmt: skip
    # Two functions contain each other or neither does: both directions are one answer.
    name = _name(contained, contained)
    return Relation(
        name, half, half, distance, e.expression, f.expression, time.monotonic() - began
    )
