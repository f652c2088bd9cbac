"""Vocabulary: words and trees that many tools share go in their rows; how to do without a word.

A tree is given as text in our own language, with ``a``, ``b`` and ``c`` for the operands, and read
once.
"""

from __future__ import annotations

from symbed.language.dialects.templates import Builder, Template
from symbed.language.operators import BY_NAME, Operator
from symbed.language.parser import parse

Meaning = Operator | Template | Builder


def tree(text: str) -> Template:
    """A template from its text.

    >>> tree("ln(abs(a))")
    (0, <abs>, <ln>)
    """
    places = {"a": 0, "b": 1, "c": 2}
    postfix = parse(text, variables=tuple(places)).postfix
    return tuple(places.get(item, item) if isinstance(item, str) else item for item in postfix)


def words(text: str, **others: str) -> dict[str, Meaning]:
    """Words that mean what they mean to us, and others with their trees or the name of a row.

    >>> words("sin", ln="ln", logabs="ln(abs(a))")
    {'sin': <sin>, 'ln': <ln>, 'logabs': (0, <abs>, <ln>)}
    """
    found: dict[str, Meaning] = {word: BY_NAME[word] for word in text.split()}
    for word, meaning in others.items():
        found[word] = BY_NAME[meaning] if meaning in BY_NAME else tree(meaning)
    return found


def _spelled(parts: tuple[int | float | str, ...]) -> Template:
    """A template with its operators by name: for powers that must stay powers."""
    return tuple(BY_NAME[part] if isinstance(part, str) else part for part in parts)


SIGNS: dict[str, Meaning] = {sign: BY_NAME[sign] for sign in ("+", "-", "*", "/", "^", "**")}
TRIGONOMETRIC = "sin cos tan asin acos atan sinh cosh tanh"
INVERSE_HYPERBOLIC = {
    "asinh": "sign(a)*ln(abs(a) + sqrt(a^2 + 1))",
    "acosh": "ln(a + sqrt(a^2 - 1))",
    "atanh": "ln((1 + a)/(1 - a))/2",
}

# Rounding to the nearest integer, halves to the even one, as Julia and NumPy have it.
ROUND = "floor(a/2 + 0.25) - floor(0.25 - a/2)"
# The angle of the point (b, a); undefined at the origin.
ARCTAN2 = "atan(a/b) + cond(-b, pi*(1 - 2*cond(-a, 1)))"
MODULO = "a - b*floor(a/b)"
TRUNCATE = "sign(a)*floor(abs(a))"
SECANTS = {
    "sec": "1/cos(a)", "csc": "1/sin(a)", "cot": "1/tan(a)",
    "csch": "1/sinh(a)", "coth": "1/tanh(a)",
}  # fmt: skip

# How to say an operator that a tool has no word for; the first that it can say is taken.
DETOURS: dict[str, tuple[Template, ...]] = {
    name: tuple(tree(text) if isinstance(text, str) else _spelled(text) for text in texts)
    for name, texts in {
        "-": ("a + -b",),
        "/": ("a*b^-1",),
        "neg": ("-1*a", "0 - a"),
        "^2": ((0, 2.0, "^"), "a*a"),
        "^3": ((0, 3.0, "^"), "a*a*a"),
        "^4": ((0, 4.0, "^"), "a^2^2", "a*a*(a*a)"),
        "^5": ((0, 5.0, "^"), "a*a*(a*a)*a"),
        "^-1": ("1/a", (0, -1.0, "^")),
        "tan": ("sin(a)/cos(a)",),
        "sech": ("1/cosh(a)", "2/(exp(a) + exp(-a))"),
        "sqrt": ((0, 0.5, "^"),),
        "cbrt": ("sign(a)*abs(a)^(1/3)",),
        "log10": ("ln(a)/ln(10)",),
        "log2": ("ln(a)/ln(2)",),
        "abs": ("max(a, -a)", "sqrt(a^2)"),
        "min": ("-max(-a, -b)",),
        "max": ("-min(-a, -b)",),
    }.items()
}
