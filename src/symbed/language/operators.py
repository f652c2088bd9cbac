"""The operators: one row each, that parser, printers, both engines, derivatives and dialects share.

A row's place in ``TABLE`` is its code in compiled programs, stored ones too, so new rows come last.
``tools/make_operators.py`` makes the native core's tables of the rows (``operators.def`` in
``native/eval`` and ``slopes.def`` in ``native/fit``); a test compares the two. So a new operator is
its row here and the body of its kernel in each engine; verdicts read its definition.
"""

from __future__ import annotations

from collections.abc import Mapping

from symbed.language.operator_row import (
    ATOM,
    COMPARISON,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    Operator,
)


def row_named(name: str) -> Operator:
    """The row of a canonical name."""
    return BY_NAME[name]


def is_reserved(word: str) -> bool:
    """Whether a word means an operator or constant wherever it stands, and so can be no name."""
    return word in BY_NAME and not BY_NAME[word].nameable


def is_nameable(word: str, rows: Mapping[str, Operator]) -> bool:
    """Whether a word of these rows may also be a plain name; a sign such as ``<`` never is."""
    return word in rows and rows[word].nameable and word.isidentifier()


# Tools that have nearly every function of one operand, by its name in this table.
_MOST = "julia operon proged aifeynman esr sympy latex"
_MINUS, _DOT = "<mo>\N{MINUS SIGN}</mo>", "<mo>\N{DOT OPERATOR}</mo>"
_CALLED = "<mo>\N{FUNCTION APPLICATION}</mo><mrow><mo>(</mo><mrow>{0}</mrow><mo>)</mo></mrow>"

TABLE: tuple[Operator, ...] = (
    Operator(
        "+", 2, "infix", SUM, ("1", "1"), spellings=("add",), commutative=True, loop="arithmetic",
        dialects="julia=plus gplearn=add dso=add e2e=add python=add",
    ),
    Operator(
        "-", 2, "infix", SUM, ("1", "-1"), spellings=("sub",), loop="arithmetic",
        mathml=f"{{0}}{_MINUS}{{1}}",
        dialects="julia=sub gplearn=sub dso=sub e2e=sub python=subtract", detours=("a + -b",),
    ),
    Operator(
        "*", 2, "infix", PRODUCT, ("b", "a"), spellings=("mul",), commutative=True,
        latex=r"{0} \cdot {1}", mathml=f"{{0}}{_DOT}{{1}}", loop="arithmetic",
        dialects="julia=mult gplearn=mul dso=mul e2e=mul python=multiply",
    ),
    Operator(
        "/", 2, "infix", PRODUCT, ("1/b", "-y/b"), spellings=("div",),
        latex=r"\frac{{{0}}}{{{1}}}", loop="arithmetic",
        mathml="<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>",
        dialects="julia=div dso=div e2e=div python=divide,true_divide latex=div",
        detours=("a*b^-1",),
    ),
    # At zero a power may have an infinite slope by its base, or none by its exponent; a fitter
    # counts these as zero. b*(y/a) spares it a second power, and the last term is for x^1.
    Operator(
        "^", 2, "infix", POWER, ("b*a^(b - 1)", "y*ln(a)"), spellings=("**", "pow"),
        slope=(
            "cond(abs(a), b*(y/a)) + cond(1 - sign(abs(a)) - sign(abs(b - 1)), 1)",
            "cond(a, y*ln(a))",
        ),
        latex="{0}^{{{1}}}", mathml="<msup><mrow>{0}</mrow><mrow>{1}</mrow></msup>", loop="own",
        dialects="julia=pow,safe_pow operon=pow dso=pow e2e=pow python=power,pow",
    ),
    Operator(
        "neg", 1, "sign", SIGN, ("-1",), latex="-{0}", mathml=f"<mrow>{_MINUS}{{0}}</mrow>",
        token="u-", dialects="julia gplearn dso srtoolkit=u- python=negative",
        detours=("-1*a", "0 - a"),
    ),
    Operator(
        "^2", 1, "postfix", POWER, ("2*a",), spellings=("square", "pow2"),
        dialects="julia=square operon=square dso=n2 srtoolkit e2e=pow2 esr=square bingo=square "
        "srtree=square,Square python=square",
        detours=((0, 2.0, "^"), "a*a"),
    ),
    Operator(
        "^3", 1, "postfix", POWER, ("3*a^2",), spellings=("cube", "pow3"),
        dialects="julia=cube dso=n3 srtoolkit e2e=pow3 esr=cube bingo=cube srtree=cube,Cube",
        detours=((0, 3.0, "^"), "a*a*a"),
    ),
    Operator(
        "^4", 1, "postfix", POWER, ("4*a^3",), spellings=("pow4",), dialects="dso=n4 srtoolkit",
        detours=((0, 4.0, "^"), "a^2^2", "a*a*(a*a)"),
    ),
    Operator(
        "^5", 1, "postfix", POWER, ("5*a^4",), spellings=("pow5",), dialects="srtoolkit",
        detours=((0, 5.0, "^"), "a*a*(a*a)*a"),
    ),
    Operator(
        "^-1", 1, "postfix", POWER, ("-(y^2)",), spellings=("inv",),
        dialects="julia=inv dso=inv srtoolkit e2e=inv esr=inv srtree=Recip,recip python=reciprocal",
        written=dict.fromkeys(("python", "sympy", "excel"), "(1/({0}))"),
        detours=("1/a", (0, -1.0, "^")),
    ),
    Operator(
        "sin", 1, "call", ATOM, ("cos(a)",), loop="angle",
        dialects=f"{_MOST} gplearn dso srtoolkit e2e bingo srtree=sin,Sin python excel=SIN",
    ),
    Operator(
        "cos", 1, "call", ATOM, ("-sin(a)",), loop="angle",
        dialects=f"{_MOST} gplearn dso srtoolkit e2e bingo srtree=cos,Cos python excel=COS",
    ),
    Operator(
        "tan", 1, "call", ATOM, ("1 + y^2",), loop="angle",
        dialects=f"{_MOST} gplearn dso srtoolkit e2e bingo srtree=tan,Tan python excel=TAN",
        detours=("sin(a)/cos(a)",),
    ),
    Operator(
        "asin", 1, "call", ATOM, ("1/sqrt(1 - a^2)",), spellings=("arcsin",), title="arcsin",
        token="arcsin",
        dialects="julia=asin,safe_asin operon srtoolkit=arcsin proged e2e=arcsin sympy latex "
        "aifeynman=asin,arcsin esr bingo=asin,arcsin srtree=asin,ASin python=arcsin,asin "
        "excel=ASIN",
    ),
    Operator(
        "acos", 1, "call", ATOM, ("-1/sqrt(1 - a^2)",), spellings=("arccos",), title="arccos",
        token="arccos",
        dialects="julia=acos,safe_acos operon srtoolkit=arccos proged e2e=arccos sympy latex "
        "aifeynman=acos,arccos esr bingo=acos,arccos srtree=acos,ACos python=arccos,acos "
        "excel=ACOS",
    ),
    Operator(
        "atan", 1, "call", ATOM, ("1/(1 + a^2)",), spellings=("arctan",), title="arctan",
        token="arctan",
        dialects="julia operon srtoolkit=arctan proged e2e=arctan sympy latex "
        "aifeynman=atan,arctan esr bingo=atan,arctan srtree=atan,ATan python=arctan,atan "
        "excel=ATAN",
    ),
    Operator(
        "sinh", 1, "call", ATOM, ("cosh(a)",), loop="exponential",
        dialects=f"{_MOST} srtoolkit bingo srtree=sinh,Sinh python excel=SINH",
    ),
    Operator(
        "cosh", 1, "call", ATOM, ("sinh(a)",), loop="exponential",
        dialects=f"{_MOST} srtoolkit bingo srtree=cosh,Cosh python excel=COSH",
    ),
    Operator(
        "tanh", 1, "call", ATOM, ("1 - y^2",), loop="exponential",
        dialects=f"{_MOST} dso srtoolkit bingo srtree=tanh,Tanh python excel=TANH",
    ),
    Operator(
        "sech", 1, "call", ATOM, ("-y*tanh(a)",),
        dialects="sympy latex",
        written={"python": "(1/np.cosh({0}))", "excel": "(1/COSH({0}))"},
        detours=("1/cosh(a)", "2/(exp(a) + exp(-a))"),
    ),
    Operator(
        "sqrt", 1, "call", ATOM, ("1/(2*y)",), latex=r"\sqrt{{{0}}}", mathml="<msqrt>{0}</msqrt>",
        dialects="julia=sqrt,safe_sqrt operon dso srtoolkit proged e2e aifeynman esr "
        "srtree=sqrt,Sqrt python sympy latex excel=SQRT",
        detours=((0, 0.5, "^"),),
    ),
    # SymPy's cbrt of a negative number is complex, so ours is written out for it.
    Operator(
        "cbrt", 1, "call", ATOM, ("1/(3*y^2)",), latex=r"\sqrt[3]{{{0}}}",
        mathml="<mroot><mrow>{0}</mrow><mn>3</mn></mroot>",
        dialects="julia operon srtree=cbrt,Cbrt python sympy latex",
        written={
            "sympy": "(sign({0})*Abs({0})**(1/3))", "excel": "(SIGN({0})*ABS({0})^(1/3))",
        },
        detours=("sign(a)*abs(a)^(1/3)",),
    ),
    Operator(
        "exp", 1, "call", ATOM, ("y",), loop="own",
        dialects=f"{_MOST} dso srtoolkit e2e bingo srtree=exp,Exp python excel=EXP",
    ),
    Operator(
        "ln", 1, "call", ATOM, ("1/a",), spellings=("log",),
        dialects="julia=log,safe_log operon=log dso=log srtoolkit proged=log,ln e2e=log "
        "aifeynman=log,ln esr=log srtree=log,Log python=log sympy=log,ln latex excel=LN",
    ),
    # log has base 10 in the paper's token lists, and base e in text.
    Operator(
        "log10", 1, "call", ATOM, ("1/(a*ln(10))",), token="log",
        latex=r"\log_{{10}}\left({0}\right)",
        mathml=f"<msub><mi>log</mi><mn>10</mn></msub>{_CALLED}",
        dialects="julia=log10,safe_log10 srtoolkit=log python sympy latex excel=LOG10",
        written={"sympy": "(log({0})/log(10))"}, detours=("ln(a)/ln(10)",),
    ),
    Operator(
        "log2", 1, "call", ATOM, ("1/(a*ln(2))",), latex=r"\log_{{2}}\left({0}\right)",
        mathml=f"<msub><mi>log</mi><mn>2</mn></msub>{_CALLED}",
        dialects="julia=log2,safe_log2 python sympy latex",
        written={"sympy": "(log({0})/log(2))", "excel": "LOG({0},2)"},
        detours=("ln(a)/ln(2)",),
    ),
    Operator(
        "abs", 1, "call", ATOM, ("sign(a)",), latex=r"\left|{0}\right|",
        mathml="<mrow><mo>|</mo><mrow>{0}</mrow><mo>|</mo></mrow>",
        dialects="julia gplearn operon dso proged=abs,Abs e2e aifeynman=abs,Abs esr=Abs bingo "
        "srtree=abs,Abs python=abs,absolute,fabs sympy=Abs,abs latex excel=ABS",
        detours=("max(a, -a)", "sqrt(a^2)"),
    ),
    Operator(
        "sign", 1, "call", ATOM, ("0",), spellings=("sgn",),
        dialects="julia python sympy latex excel=SIGN",
    ),
    # At a kink the slope is the mean of both sides.
    Operator(
        "min", 2, "call", ATOM, ("(1 - sign(a - b))/2", "(1 + sign(a - b))/2"),
        spellings=("minimum",), commutative=True,
        dialects="julia gplearn operon=min,fmin dso e2e python=minimum,fmin",
        written={"excel": "MIN({0},{1})"}, detours=("-max(-a, -b)",),
    ),
    Operator(
        "max", 2, "call", ATOM, ("(1 + sign(a - b))/2", "(1 - sign(a - b))/2"),
        spellings=("maximum",), commutative=True,
        dialects="julia gplearn operon=max,fmax dso e2e python=maximum,fmax",
        written={"excel": "MAX({0},{1})"}, detours=("-min(-a, -b)",),
    ),
    # Of other tools, with their meaning: gplearn's protected functions, PySR's switch.
    Operator(
        "pdiv", 2, "call", ATOM, ("cond(abs(b) - 0.001, 1/b)", "cond(abs(b) - 0.001, -y/b)"),
        dialects="gplearn=div latex",
        written={
            "python": "np.where(np.abs({1}) <= 0.001, 1.0, ({0})/({1}))",
            "sympy": "Piecewise((1, Abs({1}) <= 0.001), (({0})/({1}), True))",
            "excel": "IF(ABS({1})<=0.001,1,({0})/({1}))",
        },
    ),
    Operator(
        "plog", 1, "call", ATOM, ("cond(abs(a) - 0.001, 1/a)",),
        dialects="gplearn=log latex",
        written={
            "python": "np.where(np.abs({0}) <= 0.001, 0.0, np.log(np.abs({0})))",
            "sympy": "Piecewise((0, Abs({0}) <= 0.001), (log(Abs({0})), True))",
            "excel": "IF(ABS({0})<=0.001,0,LN(ABS({0})))",
        },
    ),
    # Near zero y is 0, and so is this derivative, without a switch.
    Operator(
        "pinv", 1, "call", ATOM, ("-(y^2)",),
        dialects="gplearn=inv latex",
        written={
            "python": "np.where(np.abs({0}) <= 0.001, 0.0, 1/({0}))",
            "sympy": "Piecewise((0, Abs({0}) <= 0.001), (1/({0}), True))",
            "excel": "IF(ABS({0})<=0.001,0,1/({0}))",
        },
    ),
    Operator(
        "cond", 2, "call", ATOM, ("0", "cond(a, 1)"),
        dialects="julia latex",
        written={
            "python": "np.where(({0}) > 0, {1}, 0.0)",
            "sympy": "Piecewise(({1}, {0} > 0), (0, True))",
            "excel": "IF(({0})>0,{1},0)",
        },
    ),
    # Excel's INT rounds down below zero too.
    Operator(
        "floor", 1, "call", ATOM, ("0",), latex=r"\left\lfloor {0} \right\rfloor",
        dialects="julia operon srtoolkit python sympy latex excel=INT",
    ),
    # PySR's names for these numbers are SymPy's and Julia's; its own parser has none.
    Operator(
        "pi", 0, "constant", ATOM, spellings=("\N{GREEK SMALL LETTER PI}",), latex=r"\pi",
        mathml="<mi>\N{GREEK SMALL LETTER PI}</mi>",
        dialects="julia dso srtoolkit proged e2e aifeynman esr srtree python sympy latex",
        written={"julia": "3.141592653589793", "python": "np.pi", "excel": "PI()"},
    ),
    Operator(
        "e", 0, "constant", ATOM, latex="e",
        dialects="srtoolkit e2e aifeynman=E esr=E python sympy=E latex",
        written={"python": "np.e", "excel": "EXP(1)"},
    ),
    # Inverse hyperbolic functions.
    # hypot, since a large a^2 overflows; the detour, since a + sqrt(a^2 + 1) cancels where a < 0.
    Operator(
        "asinh", 1, "call", ATOM, ("1/hypot(a, 1)",), spellings=("arcsinh",), title="arsinh",
        definition="ln(a + sqrt(a^2 + 1))", nameable=True, loop="own",
        dialects="julia srtree=asinh,ASinh python=arcsinh,asinh sympy latex excel=ASINH",
        detours=("sign(a)*ln(abs(a) + sqrt(a^2 + 1))",),
    ),
    # Two roots: the root of a^2 - 1 would be defined below -1 too, and overflows.
    Operator(
        "acosh", 1, "call", ATOM, ("1/(sqrt(a - 1)*sqrt(a + 1))",), spellings=("arccosh",),
        title="arcosh", definition="ln(a + sqrt(a^2 - 1))", nameable=True,
        dialects="julia=acosh,safe_acosh srtree=acosh,ACosh python=arccosh,acosh sympy latex "
        "excel=ACOSH",
    ),
    # Two factors, since 1 - a^2 loses digits near 1.
    Operator(
        "atanh", 1, "call", ATOM, ("1/((1 - a)*(1 + a))",), spellings=("arctanh",), title="artanh",
        definition="ln((1 + a)/(1 - a))/2", nameable=True,
        dialects="julia=atanh,safe_atanh srtree=atanh,ATanh python=arctanh,atanh sympy latex "
        "excel=ATANH",
    ),
    # Reciprocals of trigonometric and hyperbolic functions.
    Operator(
        "sec", 1, "call", ATOM, ("y*tan(a)",), loop="angle", definition="1/cos(a)", nameable=True,
        dialects="julia sympy latex excel=SEC",
    ),
    Operator(
        "csc", 1, "call", ATOM, ("-y*cot(a)",), loop="angle", definition="1/sin(a)", nameable=True,
        dialects="julia sympy latex excel=CSC",
    ),
    Operator(
        "cot", 1, "call", ATOM, ("-1 - y^2",), loop="angle", definition="cos(a)/sin(a)",
        nameable=True, dialects="julia sympy latex excel=COT",
    ),
    Operator(
        "coth", 1, "call", ATOM, ("-csch(a)^2",), definition="cosh(a)/sinh(a)", nameable=True,
        dialects="julia sympy latex excel=COTH", detours=("1/tanh(a)",),
    ),
    Operator(
        "csch", 1, "call", ATOM, ("-y*coth(a)",), definition="1/sinh(a)", nameable=True,
        dialects="julia sympy latex excel=CSCH",
    ),
    # Exponentials and logarithms that keep their digits near zero.
    Operator(
        "expm1", 1, "call", ATOM, ("y + 1",), definition="exp(a) - 1", nameable=True,
        dialects="julia python latex",
    ),
    Operator(
        "log1p", 1, "call", ATOM, ("1/(1 + a)",), definition="ln(1 + a)", nameable=True,
        dialects="julia=log1p,safe_log1p operon python latex", detours=("ln(a + 1)",),
    ),
    Operator(
        "logit", 1, "call", ATOM, ("1/(a*(1 - a))",), definition="ln(a/(1 - a))", nameable=True,
        dialects="julia python latex", written={"python": "scipy.special.logit({0})"},
    ),
    # Not y*(1 - y), which is 0 as soon as y rounds to 1.
    Operator(
        "sigmoid", 1, "call", ATOM, ("sigmoid(a)*sigmoid(-a)",), spellings=("logistic", "expit"),
        definition="1/(1 + exp(-a))", nameable=True,
        dialects="julia=sigmoid,logistic gplearn=sig dso python=expit,sigmoid latex",
        written={"python": "scipy.special.expit({0})"},
    ),
    Operator(
        "softplus", 1, "call", ATOM, ("sigmoid(a)",), definition="ln(1 + exp(a))", nameable=True,
        dialects="julia python latex", written={"python": "np.logaddexp({0}, 0.0)"},
        detours=("max(a, 0) + log1p(exp(-abs(a)))",),  # never overflows
    ),
    Operator(
        "relu", 1, "call", ATOM, ("(1 + sign(a))/2",), definition="max(a, 0)", nameable=True,
        dialects="julia python latex", written={"python": "np.maximum({0}, 0.0)"},
    ),
    Operator(
        "gauss", 1, "call", ATOM, ("-2*a*y",), definition="exp(-(a^2))", nameable=True,
        dialects="julia python latex", written={"python": "np.exp(-({0})**2)"},
    ),
    # sin(pi a)/(pi a), as NumPy, Julia and MATLAB have it; SymPy's and LaTeX's is sin(a)/a.
    Operator(
        "sinc", 1, "call", ATOM, ("cond(abs(a), (cos(pi*a) - y)/a)",),
        definition="cond(abs(a), sin(pi*a)/(pi*a)) + 1 - abs(sign(a))", nameable=True,
        latex=r"\operatorname{{sinc}}\left(\pi \cdot {0}\right)",
        mathml="<mi>sinc</mi><mo>\N{FUNCTION APPLICATION}</mo><mrow><mo>(</mo><mi>"
        f"\N{GREEK SMALL LETTER PI}</mi>{_DOT}{{0}}<mo>)</mo></mrow>",
        dialects="julia python", written={"sympy": "sinc(pi*({0}))"},
    ),
    # The error function and the family of the gamma function.
    Operator(
        "erf", 1, "call", ATOM, ("2/sqrt(pi)*gauss(a)",), nameable=True,
        dialects="julia python sympy latex excel=ERF", written={"python": "scipy.special.erf({0})"},
    ),
    Operator(
        "erfc", 1, "call", ATOM, ("-2/sqrt(pi)*gauss(a)",), definition="1 - erf(a)", nameable=True,
        dialects="julia python sympy latex excel=ERFC",
        written={"python": "scipy.special.erfc({0})"},
    ),
    Operator(
        "gamma", 1, "call", ATOM, ("y*polygamma(0, a)",), latex=r"\Gamma\left({0}\right)",
        mathml=f"<mi>\N{GREEK CAPITAL LETTER GAMMA}</mi>{_CALLED}", nameable=True,
        dialects="julia python sympy latex excel=GAMMA",
        written={"python": "scipy.special.gamma({0})"},
    ),
    # SymPy's loggamma is complex below zero, ours is the logarithm of a magnitude.
    Operator(
        "lgamma", 1, "call", ATOM, ("polygamma(0, a)",), spellings=("loggamma", "gammaln"),
        definition="ln(abs(gamma(a)))", nameable=True,
        latex=r"\ln\left|\Gamma\left({0}\right)\right|",
        mathml="<mi>ln</mi><mrow><mo>|</mo><mi>\N{GREEK CAPITAL LETTER GAMMA}</mi>"
        f"{_CALLED}<mo>|</mo></mrow>",
        dialects="julia=loggamma,lgamma,logabsgamma python=gammaln,loggamma,lgamma sympy=loggamma "
        "excel=GAMMALN",
        written={"python": "scipy.special.gammaln({0})", "sympy": "log(Abs(gamma({0})))"},
    ),
    # The derivatives of lgamma: of order 0 the digamma function. The order is a whole number,
    # so there is no derivative by it: 0/0.
    Operator(
        "polygamma", 2, "call", ATOM, ("0/0", "polygamma(a + 1, b)"), nameable=True,
        mathml="<msup><mi>\N{GREEK SMALL LETTER PSI}</mi><mrow><mo>(</mo>{0}<mo>)</mo></mrow>"
        "</msup><mrow><mo>(</mo><mrow>{1}</mrow><mo>)</mo></mrow>",
        dialects="julia python sympy latex",
        written={"python": "scipy.special.polygamma({0}, {1})"},
    ),
    # Whole numbers. round takes halves to the even one, as Julia and NumPy have it; mod has the
    # sign of its second operand, and // is the floor of the quotient before it was rounded.
    Operator(
        "ceil", 1, "call", ATOM, ("0",), spellings=("ceiling",), definition="-floor(-a)",
        latex=r"\left\lceil {0} \right\rceil", nameable=True,
        dialects="julia operon srtoolkit python sympy=ceiling,ceil latex",
    ),
    # One floor steps at 1.5, 3.5, ..., the other just past 0.5, 2.5, ...: halves go to even.
    Operator(
        "round", 1, "call", ATOM, ("0",), spellings=("rint",), nameable=True,
        definition="floor(a/2 + 0.25) - floor(0.25 - a/2)",
        dialects="julia python=round,rint,around latex",
    ),
    Operator(
        "mod", 2, "call", ATOM, ("1", "-floordiv(a, b)"), definition="a - b*floor(a/b)",
        nameable=True, dialects="julia python=mod,remainder sympy=Mod latex",
        written={"python": "np.mod({0}, {1})", "excel": "MOD({0},{1})"},
    ),
    Operator(
        "//", 2, "infix", PRODUCT, ("0", "0"), spellings=("floordiv",), definition="floor(a/b)",
        latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor", nameable=True,
        mathml="<mrow><mo>\N{LEFT FLOOR}</mo><mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>"
        "<mo>\N{RIGHT FLOOR}</mo></mrow>",
        dialects="julia=fld,div_floor python=floor_divide",
        written={"python": "np.floor_divide({0}, {1})"},
    ),
    # Left of the vertical axis pi is added or taken away; on it, the angle is a quarter
    # turn, and 0 at the origin, as NumPy and Julia have it. Excel's takes x first.
    Operator(
        "atan2", 2, "call", ATOM, ("b/hypot(a, b)/hypot(a, b)", "-a/hypot(a, b)/hypot(a, b)"),
        spellings=("arctan2",), nameable=True,
        definition="cond(b, atan(a/b)) + cond(-b, atan(a/b) + pi*(1 - 2*cond(-a, 1)))"
        " + (1 - abs(sign(b)))*sign(a)*pi/2",
        dialects="julia python=arctan2,atan2 sympy latex", written={"excel": "ATAN2({1},{0})"},
    ),
    Operator(
        "hypot", 2, "call", ATOM, ("a/y", "b/y"), definition="sqrt(a^2 + b^2)", commutative=True,
        nameable=True, dialects="julia python latex",
    ),
    # Steps, comparisons and choices. A comparison is 1 or 0; undefined operands make it undefined.
    Operator(
        "heaviside", 1, "call", ATOM, ("0",), spellings=("step",), definition="(1 + sign(a))/2",
        nameable=True, dialects="julia sympy=Heaviside latex",
        written={"python": "np.heaviside({0}, 0.5)"},
    ),
    *(
        Operator(
            sign, 2, "infix", COMPARISON, ("0", "0"), spellings=(word,), definition=definition,
            latex=f"{{0}} {latex} {{1}}", mathml=f"{{0}}<mo>{shown}</mo>{{1}}", nameable=True,
            commutative=sign in ("==", "!="), dialects=f"julia={word}",
            written={
                "python": f"np.where(({{0}}) {sign} ({{1}}), 1.0, 0.0)",
                "sympy": f"Piecewise((1, {relation}({{0}}, {{1}})), (0, True))",
                "excel": f"IF(({{0}}){excel}({{1}}),1,0)",
            },
        )
        for sign, word, relation, latex, shown, excel, definition in (
            (">", "greater", "Gt", ">", "&gt;", ">", "cond(a - b, 1)"),
            (">=", "greater_equal", "Ge", r"\geq", "\N{GREATER-THAN OR EQUAL TO}", ">=",
             "1 - cond(b - a, 1)"),
            ("<", "less", "Lt", "<", "&lt;", "<", "cond(b - a, 1)"),
            ("<=", "less_equal", "Le", r"\leq", "\N{LESS-THAN OR EQUAL TO}", "<=",
             "1 - cond(a - b, 1)"),
            # \equiv, since a reader of LaTeX takes a plain = for an equation.
            ("==", "equal", "Eq", r"\equiv", "=", "=", "1 - abs(sign(a - b))"),
            ("!=", "not_equal", "Ne", r"\ne", "\N{NOT EQUAL TO}", "<>", "abs(sign(a - b))"),
        )
    ),
    # With cond the two halves of a choice: where(t, u, v) is cond(t, u) + unless(t, v).
    Operator(
        "unless", 2, "call", ATOM, ("0", "unless(a, 1)"),
        definition="cond(1 - cond(a, 1), b)", nameable=True, dialects="latex",
        written={
            "python": "np.where(({0}) <= 0, {1}, 0.0)",
            "sympy": "Piecewise(({1}, {0} <= 0), (0, True))",
            "excel": "IF(({0})<=0,{1},0)",
        },
    ),
)  # fmt: skip

CODES: dict[Operator, int] = {operator: code for code, operator in enumerate(TABLE)}
BY_NAME: dict[str, Operator] = {
    name: operator for operator in TABLE for name in (operator.name, *operator.spellings)
}
# Symbols win: log is the one word that differs from text.
TOKENS: dict[str, Operator] = BY_NAME | {operator.symbol: operator for operator in TABLE}

ADD, SUBTRACT, MULTIPLY, DIVIDE, POW, NEG = TABLE[:6]
SQUARE, CUBE, INV = BY_NAME["^2"], BY_NAME["^3"], BY_NAME["^-1"]

# A literal exponent that has a row of its own is always that row, so that x^2, square(x) and the
# token ^2 are one tree.
FIXED_POWERS: dict[float, Operator] = {
    2.0: SQUARE, 3.0: CUBE, 4.0: BY_NAME["^4"], 5.0: BY_NAME["^5"], -1.0: INV,
}  # fmt: skip
