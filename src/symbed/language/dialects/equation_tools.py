"""Tools that print trees or equations: DEAP, PySINDy, feyn, Eureqa; and Excel, only written."""

from __future__ import annotations

import re

from symbed.language.dialects.templates import COMPARISONS, WHERE, Builder, negate
from symbed.language.dialects.tokenizer import Token, cut_formula, insert_products
from symbed.language.dialects.tool_table import SIGNS, Style, Tool
from symbed.language.printers import number

DEAP = Tool(
    name="deap",
    title="DEAP",
    base=0,
    protected={"protectedDiv": "protected: 1 where the divisor is zero"},
    constants="all digits, as numbers in the text",
    words={
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "neg": "neg", "pow": "^",
        "subtract": "-", "multiply": "*", "negative": "neg", "square": "^2", "floordiv": "//",
        **{name: name for name in (
            "sin", "cos", "tan", "tanh", "exp", "sqrt", "abs", "min", "max", "mod", "log10")},
        "log": "ln", "absolute": "abs", "minimum": "min", "maximum": "max",
        **dict.fromkeys(
            ("protectedDiv", "protected_div", "safe_div"), "cond(abs(b), a/b) + (b == 0)"),
        "lt": COMPARISONS["<"], "gt": COMPARISONS[">"], "le": COMPARISONS["<="],
        "ge": COMPARISONS[">="], "eq": COMPARISONS["=="], "ne": COMPARISONS["!="],
        "and_": COMPARISONS["&"], "or_": COMPARISONS["||"], "not_": Builder(1, negate),
        "if_then_else": WHERE,
    },
    variable=re.compile("ARG([0-9]+)"),
    spelled="ARG{}",
)  # fmt: skip

# (x0)' = ... of a flow, (x0)[k+1] = ... of a map
LEFT_SIDE = re.compile(r"\s*\(?\s*[^\W\d]\w*\s*\)?\s*(?:'|\[k\+1\])\s*=")


def cut_pysindy(source: str) -> list[Token]:
    """The tokens of one equation's right side, with its products written out.

    >>> " ".join(token.text for token in cut_pysindy("(x0)' = -1.000 x1 + 0.5 x0 x1^2"))
    '- 1.000 * x1 + 0.5 * x0 * x1 ^ 2'
    """
    head = LEFT_SIDE.match(source)
    start = head.end() if head else 0
    tokens = [Token(text, place + start) for text, place in cut_formula(source[start:])]
    return insert_products(tokens, PYSINDY.meanings)


PYSINDY = Tool(
    name="pysindy",
    title="PySINDy",
    base=0,
    constants="rounded to three decimals when printed; equations(17) has all digits",
    words=SIGNS
    | {name: name for name in ("sin", "cos", "tan", "exp", "sqrt", "abs", "tanh", "sinh", "cosh")}
    | {"log": "ln"},
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
    strict=False,  # only its own way of writing products tells it from others
    cut=cut_pysindy,
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3}(?![0-9])"),
        "coefficients are printed with three decimals, so the equation is not quite the fitted "
        "one; model.equations(17) prints them whole",
    ),
)

FEYN = Tool(
    name="feyn",
    title="feyn",
    base=None,
    constants="rounded to six significant digits by sympify(), unless signif= says otherwise",
    words=SIGNS | {"Abs": "abs", "Max": "max(a, b)", "Min": "min(a, b)"},
    vocabulary="sympy",
    open_names=False,
    strict=False,
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3,6}(?![0-9])"),
        "constants are printed with few digits, so the formula is not quite the fitted one; "
        "model.sympify(signif=17) prints them whole",
    ),
)


def cut_eureqa(source: str) -> list[Token]:
    """The tokens of a solution's right side.

    >>> " ".join(token.text for token in cut_eureqa("y = f(x) = 2.5*x + sin(x)"))
    '2.5 * x + sin ( x )'
    """
    start = source.rfind("=") + 1 if re.match(r"\s*\w+\s*=", source) else 0
    return [Token(text, place + start) for text, place in cut_formula(source[start:])]


EUREQA = Tool(
    name="eureqa",
    title="Eureqa",
    base=None,
    constants="all digits that the solution list shows",
    words=SIGNS
    | {name: name for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "exp", "sqrt", "abs", "min", "max", "floor", "ceil", "round", "mod", "atan2",
        "erf", "erfc", "gauss", "sgn")}
    | {
        "log": "ln", "pow": "^", "logistic": "sigmoid", "step": "a > 0",
        "less": "<", "less_or_equal": "<=", "greater": ">", "greater_or_equal": ">=",
        "equal": "==", "and": "min(a, b) > 0", "or": "max(a, b) > 0", "not": "a <= 0",
        "if": "cond(a, b) + unless(a, c)",
    },
    open_names=False,
    strict=False,
    cut=cut_eureqa,
    style=Style(),
)  # fmt: skip


def cell(column: int) -> str:
    """The cell of a column in the first row.

    >>> cell(0), cell(25), cell(26), cell(702)
    ('A1', 'Z1', 'AA1', 'AAA1')
    """
    letters = ""
    column += 1
    while column:
        # Letters count from 1 and there is no zero: AA follows Z.
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters + "1"


def _number(value: float) -> str:
    return number(value).replace("e", "E")


EXCEL = Tool(
    name="excel",
    title="Excel",
    base=0,
    log="base 10",
    constants="15 digits",
    words={},
    spelled=cell,
    taken=re.compile("[A-Za-z]{1,3}[0-9]+|[CRcr]"),  # cells, and Excel's words for column and row
    parameters="C_{}",
    reads=False,
    style=Style(head="=", number=_number),
)
