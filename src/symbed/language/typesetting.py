r"""Typesetting of expressions for readers: LaTeX mathematics, and MathML for browsers.

An operator's row may hold its templates; without one it is shown as others of its form are, so a
new row has its typesetting already. An operand that a template encloses, as ``\frac`` and ``\sqrt``
and the parentheses of a function do, needs no brackets of its own. What needs them in LaTeX needs
them in MathML.
"""

from __future__ import annotations

import math
import re
from html import escape
from string import Formatter

from symbed.language.expression import Expression, Item
from symbed.language.operators import POWER, PRODUCT, SIGN, TABLE, Operator
from symbed.language.printers import NEEDS, Notation, Pieces, is_signed, level, number, write

MAX_MATHML_NODES = 600  # a longer formula is read better as text than as MathML
MAX_MATHML_DEPTH = 120  # of MathML inside each other; browsers give up somewhere beyond

# By the code of the first letter; "-" stands for U+03A2, which is no letter.
GREEK_ALPHABETS = {
    0x391: "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho"
    " - Sigma Tau Upsilon Phi Chi Psi Omega",
    0x3B1: "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
    " varsigma sigma tau upsilon phi chi psi omega",
}
LETTER_NAMES = {
    chr(first + place): name
    for first, row in GREEK_ALPHABETS.items()
    for place, name in enumerate(row.split())
}
LETTERS = {name: letter for letter, name in LETTER_NAMES.items() if name != "-"}
# LaTeX has no command for these letters, because Latin ones look the same.
LATIN = r"(Alpha|Beta|Epsilon|Zeta|Eta|Iota|Kappa|Mu|Nu|Omicron|Rho|Tau|Chi|omicron|-)"
COMMANDS = frozenset(name for name in LETTER_NAMES.values() if not re.fullmatch(LATIN, name))
# Functions that LaTeX has a command for; others are set upright by \operatorname.
FUNCTION_COMMANDS = frozenset({
    "arccos", "arcsin", "arctan", "cos", "cosh", "cot", "coth", "csc", "exp", "lg", "ln", "log",
    "max", "min", "sec", "sin", "sinh", "tan", "tanh",
})  # fmt: skip
INDEXED = re.compile(r"(?P<stem>.*?[^_0-9])_?(?P<index>(?<=_).+|[0-9]+)\Z")
SCIENTIFIC = re.compile(r"(?P<digits>.*)e(?P<exponent>-?[0-9]+)\Z")
ENCLOSING = ("{", "(", "|", ", ")  # what an operand stands behind that needs no brackets


def latex(expression: Expression) -> str:
    r"""The expression as LaTeX mathematics.

    >>> from symbed.language.parser import parse
    >>> print(latex(parse("C_0*alpha^2/sqrt(x + 1e-5)")))
    \frac{C_{0} \cdot \alpha^{2}}{\sqrt{x + 10^{-5}}}
    """
    return "".join(write(expression.postfix, LATEX))


def mathml(expression: Expression) -> str | None:
    """The expression as the inside of a ``<math>`` element; None if it is too large to typeset.

    >>> from symbed.language.parser import parse
    >>> mathml(parse("a_1*x"))
    '<msub><mi>a</mi><mn>1</mn></msub><mo>⋅</mo><mi>x</mi>'
    """
    if expression.size > MAX_MATHML_NODES:
        return None
    written = "".join(write(expression.postfix, MATHML))
    return written if _element_depth(written) <= MAX_MATHML_DEPTH else None


def template_pieces(template: str) -> Pieces:
    """The pieces of a template such as ``{0} + {1}``; ``{{`` is a brace.

    >>> template_pieces("{0}^{{{1}}}")
    (0, '^{', 1, '}')
    """
    pieces: list[str | int] = []
    for before, operand, _, _ in Formatter().parse(template):
        # A doubled brace ends a part of its own: it belongs to the text before it.
        if before and pieces and isinstance(pieces[-1], str):
            pieces[-1] += before
        elif before:
            pieces.append(before)
        if operand is not None:
            pieces.append(int(operand))
    return tuple(pieces)


def _element_depth(written: str) -> int:
    deepest = depth = 0
    # Texts are escaped and no element is empty, so each < begins or ends an element.
    for part in written.split("<")[1:]:
        depth += -1 if part.startswith("/") else 1
        deepest = max(deepest, depth)
    return deepest


# ---- LaTeX ----


def _latex_template(row: Operator) -> str:
    if row.latex:
        return row.latex
    if row.form == "infix":
        return f"{{0}} {row.name} {{1}}"
    if row.form == "postfix":
        return f"{{0}}^{{{{{row.name.removeprefix('^')}}}}}"
    title = row.title or row.name
    command = rf"\{title}" if title in FUNCTION_COMMANDS else rf"\operatorname{{{{{title}}}}}"
    return rf"{command}\left({', '.join(('{0}', '{1}')[: row.arity])}\right)"


def _encloses(pieces: Pieces, operand: int) -> bool:
    before = pieces[pieces.index(operand) - 1] if pieces.index(operand) else ""
    return isinstance(before, str) and before.endswith(ENCLOSING)


def _latex_leaf(item: str | float) -> str:
    r"""A number, or a name: Greek letters by command, an index as subscript, a word upright."""
    if isinstance(item, float):
        return _latex_number(item)
    stem, *index = map(_latex_word, _stem_and_index(item))
    return f"{stem}_{{{index[0]}}}" if index else stem


def _stem_and_index(name: str) -> tuple[str, ...]:
    indexed = INDEXED.match(name)
    return indexed.groups() if indexed else (name,)


def _latex_word(word: str) -> str:
    word = LETTER_NAMES.get(word, word)
    if word in COMMANDS:
        return rf"\{word}"
    escaped = word.replace("_", r"\_")
    # Letters side by side would look like a product.
    return escaped if len(word) == 1 or word.isdigit() else rf"\mathrm{{{escaped}}}"


def _latex_number(value: float) -> str:
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    spelled = number(value)
    scientific = SCIENTIFIC.match(spelled)
    if scientific is None:
        return spelled
    power = f"10^{{{scientific['exponent']}}}"
    digits = {"1": "", "-1": "-"}.get(scientific["digits"], scientific["digits"] + r" \cdot ")
    return digits + power


def _latex_level(item: Item) -> int:
    """How tightly the LaTeX of a subtree with this root holds together."""
    if isinstance(item, Operator):
        return LATEX_LEVELS[item]
    # 1e-5 is set as a power and 2e-5 as a product, and they hold together as these do.
    if isinstance(item, str) or "e" not in number(item):
        return level(item)
    if r"\cdot" in _latex_number(item):
        return PRODUCT
    return POWER if item > 0 else SIGN


def _wraps(row: Operator, place: int, item: Item) -> bool:
    if place in ENCLOSED[row]:
        return False
    # Two signs side by side are not how mathematics is set: a - (-b).
    return _latex_level(item) < NEEDS[row][place] or (is_signed(item) and place == 1)


LATEX_PIECES = {row: template_pieces(_latex_template(row)) for row in TABLE}
ENCLOSED = {
    row: frozenset(place for place in range(row.arity) if _encloses(LATEX_PIECES[row], place))
    for row in TABLE
}
# A fraction holds together in a sum or product, but not under a power.
LATEX_LEVELS = {
    row: SIGN if row.form == "infix" and len(ENCLOSED[row]) == row.arity else row.precedence
    for row in TABLE
}
LATEX = Notation(LATEX_PIECES, _latex_leaf, _wraps, (r"\left(", r"\right)"))


# ---- MathML ----

OPEN, CLOSE = "<mrow><mo>(</mo><mrow>", "</mrow><mo>)</mo></mrow>"
MINUS, TIMES = "<mo>\N{MINUS SIGN}</mo>", "<mo>\N{DOT OPERATOR}</mo>"


def _mathml_template(row: Operator) -> str:
    title = escape(row.title or row.name)
    if row.mathml:
        return row.mathml
    if row.form == "infix":
        return f"{{0}}<mo>{title}</mo>{{1}}"
    if row.form == "postfix":
        exponent = _mathml_number(float(row.name.removeprefix("^")))
        return f"<msup><mrow>{{0}}</mrow>{exponent}</msup>"
    if row.form == "constant":
        return f"<mi>{title}</mi>"
    inside = "<mo>,</mo>".join(("{0}", "{1}")[: row.arity])
    return f"<mi>{title}</mi><mo>\N{FUNCTION APPLICATION}</mo>{OPEN}{inside}{CLOSE}"


def _mathml_leaf(item: str | float) -> str:
    """A number, or a name: Greek letters by name, an index as subscript."""
    if isinstance(item, float):
        return _mathml_number(item)
    words = [_mathml_word(word) for word in _stem_and_index(item)]
    return f"<msub>{''.join(words)}</msub>" if len(words) > 1 else words[0]


def _mathml_word(word: str) -> str:
    kind = "mn" if word.isdigit() else "mi"
    return f"<{kind}>{escape(LETTERS.get(word, word))}</{kind}>"


def _mathml_number(value: float) -> str:
    if math.copysign(1.0, value) < 0:
        return f"<mrow>{MINUS}{_mathml_number(-value)}</mrow>"
    if math.isinf(value):
        return "<mi>\N{INFINITY}</mi>"
    spelled = number(value)
    scientific = SCIENTIFIC.match(spelled)
    if scientific is None:
        return f"<mn>{spelled}</mn>"
    power = f"<msup><mn>10</mn>{_mathml_number(float(scientific['exponent']))}</msup>"
    if scientific["digits"] == "1":
        return power
    return f"<mrow><mn>{scientific['digits']}</mn>{TIMES}{power}</mrow>"


MATHML = Notation(
    {row: template_pieces(_mathml_template(row)) for row in TABLE},
    _mathml_leaf, LATEX.wraps, (OPEN, CLOSE),
)  # fmt: skip
