"""What the page says about sameness: a verdict, a relation, and which parameters really act.

It is asked apart from the distance, which must not wait for exact arithmetic. The sentence has
numbers that people can read; the exact ones stand in the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symbed.errors import MissingExtra, SymbedError
from symbed.web._comparison_view import ComparisonRequest
from symbed.web._formula_names import Range, explain

if TYPE_CHECKING:
    from symbed import Expression, Relation, Verdict

SECONDS = 3.0  # of each question: less than what the page waits for
MAX_SIZE = 400  # nodes of both formulas; exact arithmetic on longer ones keeps a page waiting
DIGITS = (5, 9, 16)  # of the two values at a witness: the first number that tells them apart

SENTENCES = {
    "same": "E and F are the same family of functions.",
    "e_in_f": "E is a special case of F.",
    "f_in_e": "F is a special case of E.",
    "neither": "Neither formula is a special case of the other.",
    "undecided": "Whether one is a special case of the other is open.",
}


def judge(request: ComparisonRequest) -> dict[str, Any]:
    """The verdict on two functions, or the relation of two families, with what the page says."""
    shown: dict[str, Any] = {
        "missing": None, "sentence": "", "evidence": "", "verdict": None, "relation": None,
        "effective": [],
    }  # fmt: skip
    _, expressions, names = request.read()
    if len(expressions) < 2 or names.problem():
        return shown
    if (size := sum(e.size for e in expressions)) > MAX_SIZE:
        words = f"Too long for a verdict on a page: {size:,} nodes, and {MAX_SIZE} are the most."
        return shown | {"sentence": words}
    try:
        return shown | _judged(expressions[0], expressions[1], names.domain)
    except MissingExtra as error:
        return shown | {"missing": str(error)}
    except SymbedError as error:
        return shown | {"sentence": explain(error)["message"]}


def _judged(e: Expression, f: Expression, domain: Mapping[str, Range]) -> dict[str, Any]:
    from symbed import decide, effective, relate

    if not (e.parameters or f.parameters):
        verdict = decide(e, f, domain, seconds=SECONDS)
        at = {name: float(value) for name, value in (verdict.witness or {}).items()}
        full, short = str(verdict), _sentence(verdict)
        return {
            "sentence": f"{short[0].upper()}{short[1:]}.",
            "evidence": full if full != short else "",
            "verdict": verdict.to_dict() | {"at": at or None, "place": _place(verdict)},
        }
    # Over all real parameters: the page's ranges are where to sample, not what a form may be.
    relation = relate(e, f, domain, seconds=SECONDS)
    counted = [effective(one, domain) if one.parameters else None for one in (e, f)]
    words = [SENTENCES[relation.relation], _parameter_map(relation), _apart(relation.distance)]
    return {
        "sentence": "".join(words),
        "evidence": f"E in F: {relation.e_in_f}\nF in E: {relation.f_in_e}",
        "relation": relation.to_dict(),
        "effective": [
            one and {**one.to_dict(), "sentence": str(one) if one.redundant else ""}
            for one in counted
        ],
    }


def _parameter_map(relation: Relation) -> str:
    """How the parameters of one are made from those of the other, where that was recognized."""
    parts = []
    for smaller, larger, side in (("E", "F", relation.e_in_f), ("F", "E", relation.f_in_e)):
        if side.contained and side.substitution:
            # Whose a name is must be said: both formulas may have an `a`.
            pairs = ", ".join(
                f"{name} is {smaller}'s {formula}" if formula.names else f"{name} is {formula}"
                for name, formula in side.substitution.items()
            )
            where = side.holds_where
            condition = f" where {where}" if where not in (None, "everywhere") else ""
            parts.append(f" In {larger}: {pairs}{condition}.")
    return "".join(parts)


def _apart(distance: float) -> str:
    known = distance > 0 and math.isfinite(distance)
    return f" Form distance {distance:.2g} of 1." if known else ""


def _sentence(verdict: Verdict) -> str:
    """A verdict with numbers of a few digits; what is exact is left to the evidence."""
    if verdict.verdict != "different" or verdict.values is None:
        return str(verdict)
    e, f = _values(*verdict.values)
    if verdict.reason == "only_e_defined":
        f = "undefined"
    elif verdict.reason == "only_f_defined":
        e = "undefined"
    note = f"; {verdict.note}" if verdict.note else ""
    return f"different: at {_place(verdict)} E is {e}, F is {f}{note}"


def _place(verdict: Verdict) -> str:
    return ", ".join(f"{name} {_told(value)}" for name, value in (verdict.witness or {}).items())


def _told(value: Fraction) -> str:
    exact = str(value)
    return f"= {exact}" if len(exact) <= 7 else f"\N{ALMOST EQUAL TO} {float(value):.5g}"


def _values(*enclosures: str) -> list[str]:
    """The middles of two enclosures, ``[2.5 +/- 1e-9]``, with digits that tell them apart."""
    for digits in DIGITS:
        shown = [_rounded(text, digits) for text in enclosures]
        if shown[0] != shown[1]:
            return shown
    return list(enclosures)


def _rounded(enclosure: str, digits: int) -> str:
    try:
        return f"{float(enclosure.strip('[]').split(' ')[0]):.{digits}g}"
    except ValueError:  # no number: undefined, or an exact fraction
        return enclosure
