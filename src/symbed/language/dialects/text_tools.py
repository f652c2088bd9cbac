"""Tools whose formulas are plain text, a row for each.

Text in calls or infix: gplearn, Operon, ProGED, AI Feynman, ESR, Bingo, and srtree, whose notation
is also that of eggp and rEGGression. Printed trees and equations: DEAP, PySINDy, feyn, Eureqa; and
Excel, only written. Each tool has its own view of undefined values: some of its words are
protected.
"""

from __future__ import annotations

import re

from symbed.language.dialects.templates import COMPARISONS, WHERE, Builder, negate
from symbed.language.dialects.tool_table import (
    SIGNS,
    Style,
    Token,
    Tool,
    cut_formula,
    insert_products,
)
from symbed.language.printers import number

# Words of several tools for operators under their own absolute values.
ABSOLUTE = {"sqrtabs": "sqrt(abs(a))", "logabs": "ln(abs(a))", "powabs": "abs(a)^b"}
QUOTIENT = "a/sqrt(b^2 + 1)"  # the analytic quotient

GPLEARN = Tool(
    name="gplearn",
    title="gplearn",
    base=0,
    log="protected: ln|x|, and 0 where |x| <= 0.001",
    protected={
        "div": "protected: 1 where the divisor is within 0.001 of zero",
        "log": "protected: ln|x|, and 0 where |x| <= 0.001",
        "inv": "protected: 0 where |x| <= 0.001",
        "sqrt": "protected: the root of |x|",
    },
    constants="rounded to three decimals when printed",
    words={"sqrt": "sqrt(abs(a))"},
    spelled="X{}",
    style=Style("calls"),
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3}(?![0-9])"),
        "constants are printed with three decimals, so the formula is not quite the fitted one; "
        "its values can differ from the model's",
    ),
)

OPERON = Tool(
    name="operon",
    title="Operon",
    base=1,
    constants="as many decimals as were asked for; a weight before each variable",
    words=SIGNS | ABSOLUTE | {"aq": QUOTIENT},
    spelled="X{}",
    style=Style(),
    lossy=(
        re.compile(r"(?<![\w.])[0-9]+\.[0-9]{3,8}(?![0-9])"),
        "constants are printed with few decimals (0.000000 is a small one, not zero), so the "
        "formula is not quite the fitted one; get_model_string(tree, 17) prints them whole",
    ),
)

PROGED = Tool(
    name="proged",
    title="ProGED",
    base=0,
    constants="C, C0, C1 ... are free parameters; fitted ones are numbers in the text",
    words=SIGNS,
    spelled="X_{}",
    parameter=re.compile("C_?([0-9]*)"),
    parameters="C{}",
    open_names=True,
    style=Style(power="**"),
)

FEYNMAN = Tool(
    name="aifeynman",
    title="AI Feynman",
    base=0,
    words=SIGNS,
    style=Style(power="**"),
)

ESR = Tool(
    name="esr",
    title="ESR",
    base=None,
    protected={"pow": "protected: |a|^b", "sqrt_abs": "the root of |x|", "log_abs": "ln|x|"},
    constants="a0, a1, ... are free parameters",
    words=SIGNS
    | {
        "pow": "abs(a)^b",
        "sqrt_abs": "sqrt(abs(a))",
        "log_abs": "ln(abs(a))",
        "pow_abs": "abs(a)^b",
        "log10_abs": "log10(abs(a))",
        "tenexp": "10^a",
    },
    variable=re.compile("(x)"),
    parameter=re.compile("a([0-9]+)"),
    parameters="a{}",
    open_names=True,
    style=Style(power="**"),
)


def cut_bingo(source: str) -> list[Token]:
    """The tokens of Bingo's console text, with its products written out.

    >>> " ".join(token.text for token in cut_bingo("(X_0)(2.0) + sin(X_1)"))
    '( X_0 ) * ( 2.0 ) + sin ( X_1 )'
    """
    # ? is no name, and C is a new parameter each time too.
    tokens = (Token("C", t.place) if t.text == "?" else t for t in cut_formula(source))
    return insert_products(tokens, BINGO.meanings)


BINGO = Tool(
    name="bingo",
    title="Bingo",
    base=0,
    log="protected: ln|x|",
    protected={"log": "protected: ln|x|", "sqrt": "protected: the root of |x|"},
    constants="all digits, as numbers in the text; ? where not fitted",
    words=SIGNS | {"log": "ln(abs(a))", "sqrt": "sqrt(abs(a))"},
    variable=re.compile("X_([0-9]+)", re.IGNORECASE),
    spelled="X_{}",
    parameter=re.compile("C(?:_([0-9]+))?"),
    parameters="?",
    cut=cut_bingo,
    style=Style(only=frozenset({"+", "-", "*", "/", "^", "^2", "^3"})),
)

SRTREE = Tool(
    name="srtree",
    title="srtree",
    base=0,
    protected={"sqrtabs": "the root of |x|", "logabs": "ln|x|", "powabs": "|a|^b"},
    constants="t0, t1, ... are free parameters; fitted ones are numbers in the text",
    words=SIGNS
    | ABSOLUTE
    | {
        "Id": "a",
        "SqrtAbs": "sqrt(abs(a))",
        "LogAbs": "ln(abs(a))",
        "aq": QUOTIENT,
        "AQ": QUOTIENT,
    },
    parameter=re.compile(r"t\[?([0-9]+)\]?"),
    parameters="t{}",
    open_names=True,
    style=Style(power="**"),
)


DEAP = Tool(
    name="deap",
    title="DEAP",
    base=0,
    protected={"protectedDiv": "protected: 1 where the divisor is zero"},
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
