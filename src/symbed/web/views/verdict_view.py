"""What the page says about sameness: a verdict, a relation, and which parameters really act.

It is asked apart from the distance, which must not wait for exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symbed.errors import MissingExtra, SymbedError
from symbed.language.expression import Expression
from symbed.web.views.comparison_view import ComparisonRequest
from symbed.web.views.formula_names import Names, Range, Reading, explain

SECONDS = 3.0  # of each question: less than what the page waits for
MAX_SIZE = 400  # nodes of both formulas; exact arithmetic on longer ones keeps a page waiting

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
        "missing": None, "sentence": "", "verdict": None, "relation": None, "effective": [],
    }  # fmt: skip
    readings = [
        Reading.of(text, dialect=dialect)
        for text, dialect in zip(request.formulas, request.dialects, strict=True)
    ]
    expressions = [r.expression for r in readings if r.expression is not None]
    names = Names.of(expressions, request.roles, request.ranges, request.fallback)
    if len(expressions) < 2 or names.problem() or sum(e.size for e in expressions) > MAX_SIZE:
        return shown
    told = [e.with_variables(names.domain) for e in expressions]
    try:
        return shown | _judged(told[0], told[1], names.domain)
    except MissingExtra as error:
        return shown | {"missing": str(error)}
    except SymbedError as error:
        return shown | {"sentence": explain(error)["message"]}


def _judged(e: Expression, f: Expression, domain: Mapping[str, Range]) -> dict[str, Any]:
    from symbed.verdicts.families.effective_parameters import effective
    from symbed.verdicts.families.relation import relate
    from symbed.verdicts.functions.decision import decide

    if not (e.parameters or f.parameters):
        verdict = decide(e, f, domain, seconds=SECONDS)
        at = {name: float(value) for name, value in (verdict.witness or {}).items()}
        sentence = str(verdict)
        return {
            "sentence": f"{sentence[0].upper()}{sentence[1:]}.",
            "verdict": verdict.to_dict() | {"at": at or None},
        }
    # Over all real parameters: the page's ranges are where to sample, not what a form may be.
    relation = relate(e, f, domain, seconds=SECONDS).to_dict()
    counted = [effective(one, domain) if one.parameters else None for one in (e, f)]
    return {
        "sentence": f"{SENTENCES[relation['relation']]}{_parameter_map(relation)}",
        "relation": relation,
        "effective": [
            one and {**one.to_dict(), "sentence": str(one) if one.redundant else ""}
            for one in counted
        ],
    }


def _parameter_map(relation: dict[str, Any]) -> str:
    """How the parameters of one are made from those of the other, where that was recognized."""
    parts = []
    for way, larger in (("e_in_f", "F"), ("f_in_e", "E")):
        formulas = relation[way]["substitution"]
        if relation[way]["contained"] and formulas:
            pairs = ", ".join(f"{name} = {text}" for name, text in formulas.items())
            where = relation[way]["holds_where"]
            condition = f" where {where}" if where not in (None, "everywhere") else ""
            parts.append(f" In {larger}: {pairs}{condition}.")
    return "".join(parts)
