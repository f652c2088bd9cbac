"""Parameters of one formula as formulas of another's, by the two formulas alone.

Two trees that differ only in parts made of parameters are equal where these parts are; each such
equation with one parameter of the outer formula is solved for it. Linear combinations are equal
where their coefficients are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbed.language.expression import Expression, Item, Postfix, apply, fold, spans
from symbed.language.operators import BY_NAME, Operator
from symbed.verdicts.algebra.linear_forms import Expansion
from symbed.verdicts.algebra.monomial_sums import (
    UNIT,
    Monomial,
    NotLinear,
    Sum,
    sum_of,
    sum_postfix,
)
from symbed.verdicts.arithmetic.elimination import Row, first_nonzero, gauss_jordan
from symbed.verdicts.families._substitution import Substitution, SubstitutionCheck

ONE: Postfix = (1.0,)
ABS = BY_NAME["abs"]
FREE = ""  # stands for a part without variables


def structural_substitution(check: SubstitutionCheck) -> Substitution | None:
    """The substitution that the two formulas show, if it holds everywhere."""
    inner, outer = check.inner, check.outer
    postfixes = inner.expression.postfix, outer.expression.postfix
    for solve in (unified_parameters, matched_coefficients):
        formulas = solve(*postfixes, outer.variables, outer.parameters)
        if formulas is None:
            continue
        ordered = [
            [Expression(part, inner.parameters) for part in _with_magnitudes(formulas[name])]
            for name in outer.parameters
        ]
        substitution = check.best(ordered)
        if substitution is not None and substitution.holds_where == "everywhere":
            return substitution
    return None


def _with_magnitudes(formula: Postfix) -> list[Postfix]:
    """A formula, and the same of magnitudes if a root or a logarithm may want them."""
    # sin(a*x)^2 is sin(b^2*x)^2 with b = sqrt(abs(a)): where a family is even, signs do not matter.
    if not any(getattr(item, "name", "") in ("sqrt", "ln", "^") for item in formula):
        return [formula]
    pairs = ((item, ABS) if isinstance(item, str) else (item,) for item in formula)
    return [formula, tuple(itertools.chain(*pairs))]


def unified_parameters(
    inner: Postfix, outer: Postfix, variables: Sequence[str], parameters: Sequence[str]
) -> dict[str, Postfix] | None:
    """For each parameter of the outer formula a formula in the inner one's, if there is one."""
    names = frozenset(variables)
    equations: list[tuple[Postfix, Postfix]] = []
    waiting = [(inner, outer)]
    while waiting:
        left, right = waiting.pop()
        if _is_free(right, names) and _is_free(left, names):
            # No variable on either side, so this is an equation of parameters alone.
            if _has_names(right):
                equations.append((left, right))
            elif left != right:
                return None
            continue
        first, second = left[-1], right[-1]
        if not (isinstance(first, Operator) and first is second and first.arity):
            if left != right:
                return None
            continue
        pairs = _paired(first, _operands(left), _operands(right), names)
        if pairs is None:
            return None
        waiting.extend(pairs)
    solved: dict[str, Postfix] = {}
    for left, right in equations:
        answer = _solved(left, right)
        if answer is None:
            return None
        for name, formula in answer.items():
            # The first of several places counts; the check tells whether the others agree.
            solved.setdefault(name, formula)
    return solved if set(solved) == set(parameters) else None


def _is_free(postfix: Postfix, variables: frozenset[str]) -> bool:
    return not any(item in variables for item in postfix if isinstance(item, str))


def _has_names(postfix: Postfix) -> bool:
    return any(isinstance(item, str) for item in postfix)


def _operands(postfix: Postfix) -> list[Postfix]:
    """The parts that the last operator is applied to."""
    starts = spans(postfix)
    row = postfix[-1]
    parts: list[Postfix] = []
    end = len(postfix) - 2
    for _ in range(row.arity if isinstance(row, Operator) else 0):
        parts.append(postfix[starts[end] : end + 1])
        end = starts[end] - 1
    return parts[::-1]


def _paired(
    row: Operator, left: list[Postfix], right: list[Postfix], variables: frozenset[str]
) -> list[tuple[Postfix, Postfix]] | None:
    """Operands of two equal operators that belong together."""
    straight = list(zip(left, right, strict=True))
    if not row.commutative:
        return straight
    skeletons = [[_skeleton(part, variables) for part in side] for side in (left, right)]
    if skeletons[0] == skeletons[1]:
        return straight
    if skeletons[0] == skeletons[1][::-1]:
        return list(zip(left, right[::-1], strict=True))
    return None


def _skeleton(postfix: Postfix, variables: frozenset[str]) -> str:
    """A formula with each part that is free of variables replaced by one sign."""

    def leaf(item: Item) -> str:
        return str(item) if isinstance(item, str) and item in variables else FREE

    def node(row: Operator, below: list[str]) -> str:
        if all(part == FREE for part in below):
            return FREE
        ordered = sorted(below) if row.commutative else below
        return f"{row.name}({', '.join(ordered)})"

    return fold(postfix, leaf, node)


# For each operator, the inverse by each operand: from the value and the other operand.
_Inverse = Callable[[Postfix, Postfix], Postfix]


def _by(name: str) -> _Inverse:
    return lambda value, other: apply(BY_NAME[name], (value, other))


def _by_reversed(name: str) -> _Inverse:
    return lambda value, other: apply(BY_NAME[name], (other, value))


def _by_one(name: str) -> _Inverse:
    return lambda value, other: apply(BY_NAME[name], (value,))


def _root(power: float) -> _Inverse:
    return lambda value, other: apply(BY_NAME["^"], (value, apply(BY_NAME["/"], (ONE, (power,)))))


# Of several inverses one branch is enough: what is made from it is a guess that the check judges.
INVERSES: dict[str, tuple[_Inverse, ...]] = {
    "+": (_by("-"), _by("-")),
    "-": (_by("+"), _by_reversed("-")),
    "*": (_by("/"), _by("/")),
    "/": (_by("*"), _by_reversed("/")),
    "neg": (_by_one("neg"),),
    "^-1": (_by_one("^-1"),),
    "^2": (_by_one("sqrt"),),
    "^3": (_by_one("cbrt"),),
    "^4": (_root(4.0),),
    "^5": (lambda value, other: _odd_root(value, 5.0),),
    "sqrt": (_by_one("^2"),),
    "cbrt": (_by_one("^3"),),
    "exp": (_by_one("ln"),),
    "ln": (_by_one("exp"),),
    "tan": (_by_one("atan"),),
    "atan": (_by_one("tan"),),
    "sin": (_by_one("asin"),),
    "asin": (_by_one("sin"),),
    "sinh": (_by_one("asinh"),),
    "tanh": (lambda value, other: _artanh(value),),
    "abs": (lambda value, other: value,),
}


def _odd_root(value: Postfix, power: float) -> Postfix:
    # A power of a negative number is undefined, its odd root is not.
    size = _root(power)(apply(ABS, (value,)), ())
    return apply(BY_NAME["*"], (apply(BY_NAME["sign"], (value,)), size))


def _artanh(value: Postfix) -> Postfix:
    over, under = (apply(BY_NAME[name], (ONE, value)) for name in ("+", "-"))
    log = apply(BY_NAME["ln"], (apply(BY_NAME["/"], (over, under)),))
    return apply(BY_NAME["/"], (log, (2.0,)))


def _solved(left: Postfix, right: Postfix) -> dict[str, Postfix] | None:
    """The equation left = right for the first name on the right; other names there are 1."""
    answer: dict[str, Postfix] = {}
    value = left
    while len(right) > 1:
        row = right[-1]
        if not isinstance(row, Operator) or row.name not in INVERSES:
            return None
        parts = _operands(right)
        side = next((k for k, part in enumerate(parts) if _has_names(part)), None)
        if side is None:
            return None
        other: Postfix = ()
        if len(parts) == 2:
            other = parts[1 - side]
            # One equation does not determine two parameters: all but one of them may be 1.
            if _has_names(other):
                answer.update(dict.fromkeys((i for i in other if isinstance(i, str)), ONE))
                other = tuple(1.0 if isinstance(item, str) else item for item in other)
        value = INVERSES[row.name][side](value, other)
        right = parts[side]
    name = right[0]
    # The name is on both sides of an operator, as in b*exp(b): no inverse gives it.
    if not isinstance(name, str) or name in answer:
        return None
    return answer | {name: _tidied(value)}


def _tidied(postfix: Postfix) -> Postfix:
    """A formula in the one form that its tree has."""
    return Expression(postfix).postfix


def matched_coefficients(
    inner: Postfix, outer: Postfix, variables: Sequence[str], parameters: Sequence[str]
) -> dict[str, Postfix] | None:
    """The outer formula's parameters as formulas of the inner one's, by equating coefficients.

    None unless the outer formula is a linear combination with its bare parameters, each of them
    determined.
    """
    expansion = Expansion(variables)
    try:
        left, right = expansion.expand(inner), expansion.expand(outer)
    except NotLinear:
        return None
    if not (left.is_sum and right.is_sum):
        return None
    wanted, known = expansion.by_basis(left.over), expansion.by_basis(right.over)
    places: dict[Monomial, int] = {(((name,), 1),): k for k, name in enumerate(parameters)}
    rows: list[Row] = []
    # One equation for each function of the variables: row @ parameters = rest.
    for basis in dict.fromkeys([*wanted, *known]):
        row: Row = [Fraction(0)] * len(parameters)
        rest = dict(wanted.get(basis, {}))
        # Bare parameters and numbers only; a*b as a coefficient is no linear equation.
        for monomial, factor in known.get(basis, {}).items():
            if monomial in places:
                row[places[monomial]] += factor
            elif monomial == UNIT:
                rest = sum_of(rest, {UNIT: -factor})
            else:
                return None
        rows.append([*row, _RightSide(rest)])
    return _solved_sums(rows, parameters)


@dataclass(frozen=True)
class _RightSide:
    """What a combination of parameters equals: an entry of a row beside its coefficients."""

    terms: Sum

    def __truediv__(self, number: Fraction) -> _RightSide:
        return _RightSide({monomial: factor / number for monomial, factor in self.terms.items()})

    def __rmul__(self, number: Fraction) -> _RightSide:
        return _RightSide({monomial: number * factor for monomial, factor in self.terms.items()})

    def __sub__(self, other: _RightSide) -> _RightSide:
        return _RightSide(sum_of(self.terms, (Fraction(-1) * other).terms))


def _solved_sums(rows: list[Row], parameters: Sequence[str]) -> dict[str, Postfix] | None:
    """The parameters, from equations whose last entry is a ``_RightSide``."""
    n = len(parameters)
    pivots = gauss_jordan(rows, first_nonzero(n))
    # Equations beyond the parameters must hold by themselves: 0 = rest.
    if len(pivots) < n or any(row[n].terms for row in rows[n:]):
        return None
    return {name: sum_postfix(rows[k][n].terms) for k, name in enumerate(parameters)}
