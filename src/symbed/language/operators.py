"""The operators: one row each, that parser, printers, both engines, derivative and tests share.

A row's place in ``TABLE`` is its code in compiled programs; the native core lists the same names
in the same order (``native/eval/operators.def``), and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Form = Literal["infix", "sign", "postfix", "call", "constant"]

SUM, PRODUCT, SIGN, POWER, ATOM = 1, 2, 3, 4, 5  # precedences, loosest first


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """One operator.

    Attributes
    ----------
    name : canonical name; infix operators are named by their symbol, postfix powers by ``^2``.
    arity : number of operands (0 for the constants pi and e).
    form : how text shows it.
    precedence : how tightly it binds; ``ATOM`` for calls.
    spellings : other names that text may use for it.
    latex : template, operands as ``{0}`` and ``{1}``, already wrapped where they need it.
    derivative : for each operand, the partial derivative as text, in terms of the operands
        ``a``, ``b`` and the result ``y``.
    commutative : whether the operands can change places without changing one bit.
    token : its symbol in the paper's token lists.
    chains : whether a call may have more operands, as other tools' ``Max(x, y, z)`` has.
    """

    name: str
    arity: int
    form: Form
    precedence: int
    latex: str
    derivative: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    commutative: bool = False
    token: str = ""
    chains: bool = False

    @property
    def symbol(self) -> str:
        """The operator's token in token lists."""
        return self.token or self.name

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        # Rows are compared by identity, so a copy from another process must be this very row.
        return row_named, (self.name,)


def _call(
    name: str, derivative: str, latex: str = "", *spellings: str, token: str = ""
) -> Operator:
    shown = latex or rf"\{name}\left({{0}}\right)"
    return Operator(name, 1, "call", ATOM, shown, (derivative,), spellings, token=token)


def _power(name: str, exponent: str, derivative: str, *spellings: str) -> Operator:
    shown = f"{{0}}^{{{{{exponent}}}}}"
    return Operator(name, 1, "postfix", POWER, shown, (derivative,), spellings)


def row_named(name: str) -> Operator:
    """The row of a canonical name."""
    return BY_NAME[name]


TABLE: tuple[Operator, ...] = (
    Operator("+", 2, "infix", SUM, "{0} + {1}", ("1", "1"), ("add",), commutative=True),
    Operator("-", 2, "infix", SUM, "{0} - {1}", ("1", "-1"), ("sub",)),
    Operator("*", 2, "infix", PRODUCT, r"{0} \cdot {1}", ("b", "a"), ("mul",), commutative=True),
    Operator("/", 2, "infix", PRODUCT, r"\frac{{{0}}}{{{1}}}", ("1/b", "-y/b"), ("div",)),
    Operator("^", 2, "infix", POWER, "{0}^{{{1}}}", ("b*a^(b - 1)", "y*ln(a)"), ("**", "pow")),
    Operator("neg", 1, "sign", SIGN, "-{0}", ("-1",), token="u-"),
    _power("^2", "2", "2*a", "square", "pow2"),
    _power("^3", "3", "3*a^2", "cube", "pow3"),
    _power("^4", "4", "4*a^3", "pow4"),
    _power("^5", "5", "5*a^4", "pow5"),
    _power("^-1", "-1", "-(y^2)", "inv"),
    _call("sin", "cos(a)"),
    _call("cos", "-sin(a)"),
    _call("tan", "1 + y^2"),
    _call("asin", "1/sqrt(1 - a^2)", r"\arcsin\left({0}\right)", "arcsin", token="arcsin"),
    _call("acos", "-1/sqrt(1 - a^2)", r"\arccos\left({0}\right)", "arccos", token="arccos"),
    _call("atan", "1/(1 + a^2)", r"\arctan\left({0}\right)", "arctan", token="arctan"),
    _call("sinh", "cosh(a)"),
    _call("cosh", "sinh(a)"),
    _call("tanh", "1 - y^2"),
    _call("sech", "-y*tanh(a)", r"\operatorname{{sech}}\left({0}\right)"),
    _call("sqrt", "1/(2*y)", r"\sqrt{{{0}}}"),
    _call("cbrt", "1/(3*y^2)", r"\sqrt[3]{{{0}}}"),
    _call("exp", "y"),
    _call("ln", "1/a", "", "log"),
    _call("log10", "1/(a*ln(10))", r"\log_{{10}}\left({0}\right)", token="log"),
    _call("log2", "1/(a*ln(2))", r"\log_{{2}}\left({0}\right)"),
    _call("abs", "sign(a)", r"\left|{0}\right|"),
    _call("sign", "0", r"\operatorname{{sign}}\left({0}\right)", "sgn"),
    Operator(
        "min", 2, "call", ATOM, r"\min\left({0}, {1}\right)",
        ("(1 - sign(a - b))/2", "(1 + sign(a - b))/2"), ("minimum",), commutative=True,
    ),
    Operator(
        "max", 2, "call", ATOM, r"\max\left({0}, {1}\right)",
        ("(1 + sign(a - b))/2", "(1 - sign(a - b))/2"), ("maximum",), commutative=True,
    ),
    # Of other tools, with their meaning: gplearn's protected functions, PySR's switch.
    Operator(
        "pdiv", 2, "call", ATOM, r"\operatorname{{pdiv}}\left({0}, {1}\right)",
        ("cond(abs(b) - 0.001, 1/b)", "cond(abs(b) - 0.001, -y/b)"),
    ),
    _call("plog", "cond(abs(a) - 0.001, 1/a)", r"\operatorname{{plog}}\left({0}\right)"),
    _call("pinv", "-(y^2)", r"\operatorname{{pinv}}\left({0}\right)"),
    Operator(
        "cond", 2, "call", ATOM, r"\operatorname{{cond}}\left({0}, {1}\right)",
        ("0", "cond(a, 1)"),
    ),
    _call("floor", "0", r"\left\lfloor {0} \right\rfloor"),
    Operator("pi", 0, "constant", ATOM, r"\pi", (), ("\N{GREEK SMALL LETTER PI}",)),
    Operator("e", 0, "constant", ATOM, "e"),
)  # fmt: skip

CODES: dict[Operator, int] = {operator: code for code, operator in enumerate(TABLE)}
BY_NAME: dict[str, Operator] = {
    name: operator for operator in TABLE for name in (operator.name, *operator.spellings)
}
TOKENS: dict[str, Operator] = BY_NAME | {operator.symbol: operator for operator in TABLE}

ADD, SUBTRACT, MULTIPLY, DIVIDE, POW, NEG = TABLE[:6]
SQUARE, CUBE, INV = BY_NAME["^2"], BY_NAME["^3"], BY_NAME["^-1"]

# A literal exponent that has a row of its own is always that row, so that x^2, square(x) and the
# token ^2 are one tree.
FIXED_POWERS: dict[float, Operator] = {
    2.0: SQUARE, 3.0: CUBE, 4.0: BY_NAME["^4"], 5.0: BY_NAME["^5"], -1.0: INV,
}  # fmt: skip
