"""Inner arguments of a formula: what stands inside of operators that can make something narrow.

Whatever is not listed here counts as an operator with a pole where its argument vanishes, so that
a new one is followed too often rather than never.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from symbed.language.expression import Postfix, spans
from symbed.language.operator_row import Operator
from symbed.language.operators import BY_NAME

Kind = Literal["power", "growing", "switch", "jump", "pole"]  # what operators do to an argument

# Operators that make nothing narrow of an argument that vanishes or turns.
HARMLESS = frozenset({"+", "-", "*", "neg", "sin", "cos", "sqrt", "cbrt", "asin", "acos", "cond"})
POWERS = frozenset({"^2", "^3", "^4", "^5"})  # nor do these, but they tell places
GROWING = frozenset({"exp", "expm1", "sinh", "cosh", "sech", "gauss", "softplus", "^"})
SWITCHES = frozenset({"tanh", "atan", "erf", "erfc", "sigmoid"})  # on a scale of 1
JUMPS = frozenset({"sign", "abs", "heaviside", "relu"})  # on none
DIVISIONS = frozenset({"/", "pdiv", "mod", "//"})  # what counts is the divisor
TIES = frozenset({"min", "max", ">", ">=", "<", "<=", "==", "!="})  # ... the difference
# Operators with poles of their own, and what of their argument vanishes there.
_COS, _SIN = (BY_NAME["cos"],), (BY_NAME["sin"],)
POLES: dict[str, Postfix] = {
    "tan": _COS, "sec": _COS, "cot": _SIN, "csc": _SIN,
    # Their poles are among the zeros of sin(pi*x).
    **dict.fromkeys(("gamma", "lgamma", "polygamma"), (np.pi, BY_NAME["*"], *_SIN)),
}  # fmt: skip
MOST_ARGUMENTS = 16  # of one formula, the innermost first


def inner_arguments(postfix: Postfix, variables: tuple[str, ...]) -> dict[Postfix, Kind]:
    """Arguments, with a variable in them, of operators that can make something narrow.

    >>> from symbed.language.parser import parse
    >>> list(inner_arguments(parse("x*exp(-(x - 3)^2)").postfix, ("x",)).values())
    ['power', 'growing']
    """
    starts = spans(postfix)
    found: dict[Postfix, Kind] = {}
    for place, item in enumerate(postfix):
        if not isinstance(item, Operator) or item.arity == 0 or item.name in HARMLESS:
            continue
        last = postfix[starts[place - 1] : place]
        first = postfix[starts[place] : starts[place - 1]] if item.arity == 2 else ()
        parts: tuple[Postfix, ...] = (first, last)
        if item.name in TIES:
            parts = ((*first, *last, BY_NAME["-"]),)
        elif item.name in POLES:
            parts = ((*last, *POLES[item.name]),)
        elif item.name in DIVISIONS:
            parts = (last,)
        for part in parts:
            if any(name in variables for name in part):
                found.setdefault(part, _kind(item.name))
    # Postfix order has inner operators before outer ones.
    return dict(list(found.items())[:MOST_ARGUMENTS])


def _kind(name: str) -> Kind:
    if name in POWERS:
        return "power"
    if name in GROWING:
        return "growing"
    if name in SWITCHES:
        return "switch"
    return "jump" if name in JUMPS or name in TIES else "pole"
