"""AI Feynman, ESR and srtree (eggp, rEGGression): infix text as SymPy and its like print it."""

from __future__ import annotations

import re

from symbed.language.dialects.notation import Style
from symbed.language.dialects.tool import Tool
from symbed.language.dialects.vocabulary import INVERSE_HYPERBOLIC, SIGNS, TRIGONOMETRIC, words

FEYNMAN = Tool(
    name="aifeynman",
    title="AI Feynman",
    base=0,
    log="natural",
    protected={},
    constants="all digits, as numbers in the text",
    words=SIGNS | words(f"{TRIGONOMETRIC} exp log ln sqrt pi", abs="abs", Abs="abs", E="e",
                        arcsin="asin", arccos="acos", arctan="atan"),
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
    style=Style(power="**"),
)  # fmt: skip

ESR = Tool(
    name="esr",
    title="ESR",
    base=None,
    log="natural",
    protected={"pow": "protected: |a|^b", "sqrt_abs": "the root of |x|", "log_abs": "ln|x|"},
    constants="a0, a1, ... are free parameters",
    words=SIGNS
    | words(
        f"{TRIGONOMETRIC} exp log inv square cube",
        Abs="abs",
        sqrt="sqrt",
        pow="abs(a)^b",
        sqrt_abs="sqrt(abs(a))",
        log_abs="ln(abs(a))",
        pow_abs="abs(a)^b",
        log10_abs="log10(abs(a))",
        tenexp="10^a",
        E="e",
        pi="pi",
    ),
    variable=re.compile("(x)"),
    parameter=re.compile("a([0-9]+)"),
    parameters="a{}",
    open_names=True,
    style=Style(power="**"),
)

SRTREE = Tool(
    name="srtree",
    title="srtree",
    base=0,
    log="natural",
    protected={"sqrtabs": "the root of |x|", "logabs": "ln|x|", "powabs": "|a|^b"},
    constants="t0, t1, ... are free parameters; fitted ones are numbers in the text",
    words=SIGNS
    | words(
        f"{TRIGONOMETRIC} exp log sqrt cbrt abs square cube pi",
        **INVERSE_HYPERBOLIC,
        Sin="sin",
        Cos="cos",
        Tan="tan",
        Sinh="sinh",
        Cosh="cosh",
        Tanh="tanh",
        ASin="asin",
        ACos="acos",
        ATan="atan",
        ASinh=INVERSE_HYPERBOLIC["asinh"],
        ACosh=INVERSE_HYPERBOLIC["acosh"],
        ATanh=INVERSE_HYPERBOLIC["atanh"],
        Id="a",
        Exp="exp",
        Log="log",
        Sqrt="sqrt",
        Abs="abs",
        Square="square",
        Cube="cube",
        Recip="inv",
        recip="inv",
        Cbrt="cbrt",
        sqrtabs="sqrt(abs(a))",
        logabs="ln(abs(a))",
        powabs="abs(a)^b",
        SqrtAbs="sqrt(abs(a))",
        LogAbs="ln(abs(a))",
        aq="a/sqrt(b^2 + 1)",
        AQ="a/sqrt(b^2 + 1)",
    ),
    variable=re.compile("x([0-9]+)"),
    spelled="x{}",
    parameter=re.compile(r"t\[?([0-9]+)\]?"),
    parameters="t{}",
    open_names=True,
    style=Style(power="**"),
)
