"""The operators: one row each, that parser, printers, both engines, derivatives and dialects share.

A row's place in ``TABLE`` is its code in compiled programs, stored ones too, so new rows come last.
``tools/make_operators.py`` makes the native core's tables of the rows (``operators.def`` in
``native/eval`` and ``slopes.def`` in ``native/fit``); a test compares the two. So a new operator is
its row here and the body of its kernel in each engine; verdicts read its definition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Form = Literal["infix", "sign", "postfix", "call", "constant"]
Loop = Literal["plain", "arithmetic", "angle", "exponential", "own"]

COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)  # precedences, loosest first


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """One operator.

    Attributes
    ----------
    name : str
        Canonical name; infix operators are named by their symbol, postfix powers by ``^2``.
    arity : int
        Number of operands (0 for the constants pi and e).
    form : Form
        How text shows it.
    precedence : int
        How tightly it binds; ``ATOM`` for calls.
    derivative : tuple of str
        For each operand the partial derivative in our own language, in terms of the operands ``a``,
        ``b`` and the result ``y``.
    slope : tuple of str
        The same as a fitter uses it, where a finite number serves it better than the derivative;
        empty if it is the derivative.
    spellings : tuple of str
        Other names that text may use for it.
    title : str
        What mathematics calls it, if not by its name.
    latex, mathml : str
        Templates, operands as ``{0}`` and ``{1}``, already wrapped where they need it; empty for
        what its form makes of its title.
    commutative : bool
        Whether the operands can change places without changing one bit.
    token : str
        Its symbol in the paper's token lists, if not its name.
    chains : bool
        Whether a call may have more operands, as other tools' ``Max(x, y, z)`` has.
    dialects : str
        The tools that have a word for it: ``tool`` if that is its name, else ``tool=word,word``,
        the one to write first.
    written : mapping of str to str
        Templates of tools that write it in another way than by their word.
    detours : tuple
        How to say it where a tool has no word, the best first: text in terms of ``a`` and ``b``, or
        a postfix sequence in which operands are numbers, where text would be this operator again.
    loop : Loop
        How the native core goes through an array: ``plain`` calls the kernel for each element; for
        the others see ``native/elementary/elementary.h``.
    definition : str
        What it is as a real function, in terms of ``a``, ``b`` and other rows. Verdicts read it
        in place of the operator, so that only a row without one needs arithmetic of its own
        there; and it is the last detour.
    nameable : bool
        Whether its word is a plain name where no parenthesis follows, as in ``gamma*x``: so for
        words that came into the language when formulas already had such names.
    """

    name: str
    arity: int
    form: Form
    precedence: int
    derivative: tuple[str, ...] = ()
    slope: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    title: str = ""
    latex: str = ""
    mathml: str = ""
    commutative: bool = False
    token: str = ""
    chains: bool = False
    dialects: str = ""
    written: Mapping[str, str] = field(default_factory=dict)
    detours: tuple[str | tuple[int | float | str, ...], ...] = ()
    loop: Loop = "plain"
    definition: str = ""
    nameable: bool = False

    @property
    def symbol(self) -> str:
        """The operator's token in token lists."""
        return self.token or self.name

    @property
    def identifier(self) -> str:
        """The word that names its kernels: ``sin``, ``add``, ``square``."""
        return next(word for word in (self.name, *self.spellings) if word.isidentifier())

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        # Rows are compared by identity, so a copy from another process must be this very row.
        return row_named, (self.name,)


def row_named(name: str) -> Operator:
    """The row of a canonical name."""
    return BY_NAME[name]


def is_reserved(word: str) -> bool:
    """Whether a word means an operator or constant wherever it stands, and so can be no name."""
    return word in BY_NAME and not BY_NAME[word].nameable


def is_nameable(word: str, rows: Mapping[str, Operator]) -> bool:
    """Whether a word of these rows may also be a plain name; a sign such as ``<`` never is."""
    return word in rows and rows[word].nameable and word.isidentifier()


def _reserved(name: str, *derivative: str, **columns: Any) -> Operator:
    """The row of a function whose name means that function wherever it stands."""
    return Operator(name, len(derivative), "call", ATOM, derivative, **columns)


def _function(name: str, *derivative: str, **columns: Any) -> Operator:
    """The row of a function whose name is a plain name where no parenthesis follows."""
    return _reserved(name, *derivative, nameable=True, **columns)


# Tools that have nearly every function of one operand, by its name in this table.
_MOST_TOOLS = "julia operon proged aifeynman esr sympy latex"
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
        "/", 2, "infix", PRODUCT, ("1/b", "-y/b"), spellings=("div",), latex=r"\frac{{{0}}}{{{1}}}",
        loop="arithmetic", mathml="<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>",
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
        "srtree=square,Square python=square", detours=((0, 2.0, "^"), "a*a"),
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
    _reserved(
        "sin", "cos(a)", loop="angle",
        dialects=f"{_MOST_TOOLS} gplearn dso srtoolkit e2e bingo srtree=sin,Sin python excel=SIN",
    ),
    _reserved(
        "cos", "-sin(a)", loop="angle",
        dialects=f"{_MOST_TOOLS} gplearn dso srtoolkit e2e bingo srtree=cos,Cos python excel=COS",
    ),
    _reserved(
        "tan", "1 + y^2", loop="angle",
        dialects=f"{_MOST_TOOLS} gplearn dso srtoolkit e2e bingo srtree=tan,Tan python excel=TAN",
        detours=("sin(a)/cos(a)",),
    ),
    _reserved(
        "asin", "1/sqrt(1 - a^2)", spellings=("arcsin",), title="arcsin", token="arcsin",
        dialects="julia=asin,safe_asin operon srtoolkit=arcsin proged e2e=arcsin sympy latex "
        "aifeynman=asin,arcsin esr bingo=asin,arcsin srtree=asin,ASin python=arcsin,asin "
        "excel=ASIN",
    ),
    _reserved(
        "acos", "-1/sqrt(1 - a^2)", spellings=("arccos",), title="arccos", token="arccos",
        dialects="julia=acos,safe_acos operon srtoolkit=arccos proged e2e=arccos sympy latex "
        "aifeynman=acos,arccos esr bingo=acos,arccos srtree=acos,ACos python=arccos,acos "
        "excel=ACOS",
    ),
    _reserved(
        "atan", "1/(1 + a^2)", spellings=("arctan",), title="arctan", token="arctan",
        dialects="julia operon srtoolkit=arctan proged e2e=arctan sympy latex "
        "aifeynman=atan,arctan esr bingo=atan,arctan srtree=atan,ATan python=arctan,atan "
        "excel=ATAN",
    ),
    _reserved(
        "sinh", "cosh(a)", loop="exponential",
        dialects=f"{_MOST_TOOLS} srtoolkit bingo srtree=sinh,Sinh python excel=SINH",
    ),
    _reserved(
        "cosh", "sinh(a)", loop="exponential",
        dialects=f"{_MOST_TOOLS} srtoolkit bingo srtree=cosh,Cosh python excel=COSH",
    ),
    _reserved(
        "tanh", "1 - y^2", loop="exponential",
        dialects=f"{_MOST_TOOLS} dso srtoolkit bingo srtree=tanh,Tanh python excel=TANH",
    ),
    _reserved(
        "sech", "-y*tanh(a)", dialects="sympy latex",
        written={"python": "(1/np.cosh({0}))", "excel": "(1/COSH({0}))"},
        detours=("1/cosh(a)", "2/(exp(a) + exp(-a))"),
    ),
    _reserved(
        "sqrt", "1/(2*y)", latex=r"\sqrt{{{0}}}", mathml="<msqrt>{0}</msqrt>",
        dialects="julia=sqrt,safe_sqrt operon dso srtoolkit proged e2e aifeynman esr "
        "srtree=sqrt,Sqrt python sympy latex excel=SQRT", detours=((0, 0.5, "^"),),
    ),
    # SymPy's cbrt of a negative number is complex, so ours is written out for it.
    _reserved(
        "cbrt", "1/(3*y^2)", latex=r"\sqrt[3]{{{0}}}",
        mathml="<mroot><mrow>{0}</mrow><mn>3</mn></mroot>",
        dialects="julia operon srtree=cbrt,Cbrt python sympy latex",
        written={"sympy": "(sign({0})*Abs({0})**(1/3))", "excel": "(SIGN({0})*ABS({0})^(1/3))"},
        detours=("sign(a)*abs(a)^(1/3)",),
    ),
    _reserved(
        "exp", "y", loop="own",
        dialects=f"{_MOST_TOOLS} dso srtoolkit e2e bingo srtree=exp,Exp python excel=EXP",
    ),
    _reserved(
        "ln", "1/a", spellings=("log",),
        dialects="julia=log,safe_log operon=log dso=log srtoolkit proged=log,ln e2e=log "
        "aifeynman=log,ln esr=log srtree=log,Log python=log sympy=log,ln latex excel=LN",
    ),
    # log has base 10 in the paper's token lists, and base e in text.
    _reserved(
        "log10", "1/(a*ln(10))", token="log", latex=r"\log_{{10}}\left({0}\right)",
        mathml=f"<msub><mi>log</mi><mn>10</mn></msub>{_CALLED}",
        dialects="julia=log10,safe_log10 srtoolkit=log python sympy latex excel=LOG10",
        written={"sympy": "(log({0})/log(10))"}, detours=("ln(a)/ln(10)",),
    ),
    _reserved(
        "log2", "1/(a*ln(2))", latex=r"\log_{{2}}\left({0}\right)",
        mathml=f"<msub><mi>log</mi><mn>2</mn></msub>{_CALLED}",
        dialects="julia=log2,safe_log2 python sympy latex",
        written={"sympy": "(log({0})/log(2))", "excel": "LOG({0},2)"}, detours=("ln(a)/ln(2)",),
    ),
    _reserved(
        "abs", "sign(a)", latex=r"\left|{0}\right|",
        mathml="<mrow><mo>|</mo><mrow>{0}</mrow><mo>|</mo></mrow>",
        dialects="julia gplearn operon dso proged=abs,Abs e2e aifeynman=abs,Abs esr=Abs bingo "
        "srtree=abs,Abs python=abs,absolute,fabs sympy=Abs,abs latex excel=ABS",
        detours=("max(a, -a)", "sqrt(a^2)"),
    ),
    _reserved("sign", "0", spellings=("sgn",), dialects="julia python sympy latex excel=SIGN"),
    # At a kink the slope is the mean of both sides.
    _reserved(
        "min", "(1 - sign(a - b))/2", "(1 + sign(a - b))/2", spellings=("minimum",),
        commutative=True, dialects="julia gplearn operon=min,fmin dso e2e python=minimum,fmin",
        written={"excel": "MIN({0},{1})"}, detours=("-max(-a, -b)",),
    ),
    _reserved(
        "max", "(1 + sign(a - b))/2", "(1 - sign(a - b))/2", spellings=("maximum",),
        commutative=True, dialects="julia gplearn operon=max,fmax dso e2e python=maximum,fmax",
        written={"excel": "MAX({0},{1})"}, detours=("-min(-a, -b)",),
    ),
    # Of other tools, with their meaning: gplearn's protected functions, PySR's switch.
    _reserved(
        "pdiv", "cond(abs(b) - 0.001, 1/b)", "cond(abs(b) - 0.001, -y/b)",
        dialects="gplearn=div latex",
        written={
            "python": "np.where(np.abs({1}) <= 0.001, 1.0, ({0})/({1}))",
            "sympy": "Piecewise((1, Abs({1}) <= 0.001), (({0})/({1}), True))",
            "excel": "IF(ABS({1})<=0.001,1,({0})/({1}))",
        },
    ),
    _reserved(
        "plog", "cond(abs(a) - 0.001, 1/a)", dialects="gplearn=log latex",
        written={
            "python": "np.where(np.abs({0}) <= 0.001, 0.0, np.log(np.abs({0})))",
            "sympy": "Piecewise((0, Abs({0}) <= 0.001), (log(Abs({0})), True))",
            "excel": "IF(ABS({0})<=0.001,0,LN(ABS({0})))",
        },
    ),
    # Near zero y is 0, and so is this derivative, without a switch.
    _reserved(
        "pinv", "-(y^2)", dialects="gplearn=inv latex",
        written={
            "python": "np.where(np.abs({0}) <= 0.001, 0.0, 1/({0}))",
            "sympy": "Piecewise((0, Abs({0}) <= 0.001), (1/({0}), True))",
            "excel": "IF(ABS({0})<=0.001,0,1/({0}))",
        },
    ),
    _reserved(
        "cond", "0", "cond(a, 1)", dialects="julia latex",
        written={
            "python": "np.where(({0}) > 0, {1}, 0.0)",
            "sympy": "Piecewise(({1}, {0} > 0), (0, True))",
            "excel": "IF(({0})>0,{1},0)",
        },
    ),
    # Excel's INT rounds down below zero too.
    _reserved(
        "floor", "0", latex=r"\left\lfloor {0} \right\rfloor",
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
    _function(
        "asinh", "1/hypot(a, 1)", spellings=("arcsinh",), title="arsinh",
        definition="ln(a + sqrt(a^2 + 1))", loop="own",
        dialects="julia srtree=asinh,ASinh python=arcsinh,asinh sympy latex excel=ASINH",
        detours=("sign(a)*ln(abs(a) + sqrt(a^2 + 1))",),
    ),
    # Two roots: the root of a^2 - 1 would be defined below -1 too, and overflows.
    _function(
        "acosh", "1/(sqrt(a - 1)*sqrt(a + 1))", spellings=("arccosh",), title="arcosh",
        definition="ln(a + sqrt(a^2 - 1))",
        dialects="julia=acosh,safe_acosh srtree=acosh,ACosh python=arccosh,acosh sympy latex "
        "excel=ACOSH",
    ),
    # Two factors, since 1 - a^2 loses digits near 1.
    _function(
        "atanh", "1/((1 - a)*(1 + a))", spellings=("arctanh",), title="artanh",
        definition="ln((1 + a)/(1 - a))/2",
        dialects="julia=atanh,safe_atanh srtree=atanh,ATanh python=arctanh,atanh sympy latex "
        "excel=ATANH",
    ),
    # Reciprocals of trigonometric and hyperbolic functions.
    _function(
        "sec", "y*tan(a)", loop="angle", definition="1/cos(a)",
        dialects="julia sympy latex excel=SEC",
    ),
    _function(
        "csc", "-y*cot(a)", loop="angle", definition="1/sin(a)",
        dialects="julia sympy latex excel=CSC",
    ),
    _function(
        "cot", "-1 - y^2", loop="angle", definition="cos(a)/sin(a)",
        dialects="julia sympy latex excel=COT",
    ),
    _function(
        "coth", "-csch(a)^2", definition="cosh(a)/sinh(a)", dialects="julia sympy latex excel=COTH",
        detours=("1/tanh(a)",),
    ),
    _function(
        "csch", "-y*coth(a)", definition="1/sinh(a)", dialects="julia sympy latex excel=CSCH",
    ),
    # Exponentials and logarithms that keep their digits near zero.
    _function("expm1", "y + 1", definition="exp(a) - 1", dialects="julia python latex"),
    _function(
        "log1p", "1/(1 + a)", definition="ln(1 + a)",
        dialects="julia=log1p,safe_log1p operon python latex", detours=("ln(a + 1)",),
    ),
    _function(
        "logit", "1/(a*(1 - a))", definition="ln(a/(1 - a))", dialects="julia python latex",
        written={"python": "scipy.special.logit({0})"},
    ),
    # Not y*(1 - y), which is 0 as soon as y rounds to 1.
    _function(
        "sigmoid", "sigmoid(a)*sigmoid(-a)", spellings=("logistic", "expit"),
        definition="1/(1 + exp(-a))",
        dialects="julia=sigmoid,logistic gplearn=sig dso python=expit,sigmoid latex",
        written={"python": "scipy.special.expit({0})"},
    ),
    _function(
        "softplus", "sigmoid(a)", definition="ln(1 + exp(a))", dialects="julia python latex",
        written={"python": "np.logaddexp({0}, 0.0)"},
        detours=("max(a, 0) + log1p(exp(-abs(a)))",),  # never overflows
    ),
    _function(
        "relu", "(1 + sign(a))/2", definition="max(a, 0)", dialects="julia python latex",
        written={"python": "np.maximum({0}, 0.0)"},
    ),
    _function(
        "gauss", "-2*a*y", definition="exp(-(a^2))", dialects="julia python latex",
        written={"python": "np.exp(-({0})**2)"},
    ),
    # sin(pi a)/(pi a), as NumPy, Julia and MATLAB have it; SymPy's and LaTeX's is sin(a)/a.
    _function(
        "sinc", "cond(abs(a), (cos(pi*a) - y)/a)",
        definition="cond(abs(a), sin(pi*a)/(pi*a)) + 1 - abs(sign(a))",
        latex=r"\operatorname{{sinc}}\left(\pi \cdot {0}\right)",
        mathml="<mi>sinc</mi><mo>\N{FUNCTION APPLICATION}</mo><mrow><mo>(</mo><mi>"
        f"\N{GREEK SMALL LETTER PI}</mi>{_DOT}{{0}}<mo>)</mo></mrow>", dialects="julia python",
        written={"sympy": "sinc(pi*({0}))"},
    ),
    # The error function and the family of the gamma function.
    _function(
        "erf", "2/sqrt(pi)*gauss(a)", dialects="julia python sympy latex excel=ERF",
        written={"python": "scipy.special.erf({0})"},
    ),
    _function(
        "erfc", "-2/sqrt(pi)*gauss(a)", definition="1 - erf(a)",
        dialects="julia python sympy latex excel=ERFC",
        written={"python": "scipy.special.erfc({0})"},
    ),
    _function(
        "gamma", "y*polygamma(0, a)", latex=r"\Gamma\left({0}\right)",
        mathml=f"<mi>\N{GREEK CAPITAL LETTER GAMMA}</mi>{_CALLED}",
        dialects="julia python sympy latex excel=GAMMA",
        written={"python": "scipy.special.gamma({0})"},
    ),
    # SymPy's loggamma is complex below zero, ours is the logarithm of a magnitude.
    _function(
        "lgamma", "polygamma(0, a)", spellings=("loggamma", "gammaln"),
        definition="ln(abs(gamma(a)))", latex=r"\ln\left|\Gamma\left({0}\right)\right|",
        mathml="<mi>ln</mi><mrow><mo>|</mo><mi>\N{GREEK CAPITAL LETTER GAMMA}</mi>"
        f"{_CALLED}<mo>|</mo></mrow>",
        dialects="julia=loggamma,lgamma,logabsgamma python=gammaln,loggamma,lgamma sympy=loggamma "
        "excel=GAMMALN",
        written={"python": "scipy.special.gammaln({0})", "sympy": "log(Abs(gamma({0})))"},
    ),
    # The derivatives of lgamma: of order 0 the digamma function. The order is a whole number,
    # so there is no derivative by it: 0/0.
    _function(
        "polygamma", "0/0", "polygamma(a + 1, b)",
        mathml="<msup><mi>\N{GREEK SMALL LETTER PSI}</mi><mrow><mo>(</mo>{0}<mo>)</mo></mrow>"
        "</msup><mrow><mo>(</mo><mrow>{1}</mrow><mo>)</mo></mrow>",
        dialects="julia python sympy latex",
        written={"python": "scipy.special.polygamma({0}, {1})"},
    ),
    # Whole numbers. round takes halves to the even one, as Julia and NumPy have it; mod has the
    # sign of its second operand, and // is the floor of the quotient before it was rounded.
    _function(
        "ceil", "0", spellings=("ceiling",), definition="-floor(-a)",
        latex=r"\left\lceil {0} \right\rceil",
        dialects="julia operon srtoolkit python sympy=ceiling,ceil latex",
    ),
    # One floor steps at 1.5, 3.5, ..., the other just past 0.5, 2.5, ...: halves go to even.
    _function(
        "round", "0", spellings=("rint",), definition="floor(a/2 + 0.25) - floor(0.25 - a/2)",
        dialects="julia python=round,rint,around latex",
    ),
    _function(
        "mod", "1", "-floordiv(a, b)", definition="a - b*floor(a/b)",
        dialects="julia python=mod,remainder sympy=Mod latex",
        written={"python": "np.mod({0}, {1})", "excel": "MOD({0},{1})"},
    ),
    Operator(
        "//", 2, "infix", PRODUCT, ("0", "0"), spellings=("floordiv",), definition="floor(a/b)",
        latex=r"\left\lfloor \frac{{{0}}}{{{1}}} \right\rfloor", nameable=True,
        mathml="<mrow><mo>\N{LEFT FLOOR}</mo><mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>"
        "<mo>\N{RIGHT FLOOR}</mo></mrow>", dialects="julia=fld,div_floor python=floor_divide",
        written={"python": "np.floor_divide({0}, {1})"},
    ),
    # Left of the vertical axis pi is added or taken away; on it, the angle is a quarter
    # turn, and 0 at the origin, as NumPy and Julia have it. Excel's takes x first.
    _function(
        "atan2", "b/hypot(a, b)/hypot(a, b)", "-a/hypot(a, b)/hypot(a, b)", spellings=("arctan2",),
        definition="cond(b, atan(a/b)) + cond(-b, atan(a/b) + pi*(1 - 2*cond(-a, 1)))"
        " + (1 - abs(sign(b)))*sign(a)*pi/2", dialects="julia python=arctan2,atan2 sympy latex",
        written={"excel": "ATAN2({1},{0})"},
    ),
    _function(
        "hypot", "a/y", "b/y", definition="sqrt(a^2 + b^2)", commutative=True,
        dialects="julia python latex",
    ),
    # Steps, comparisons and choices. A comparison is 1 or 0; undefined operands make it undefined.
    _function(
        "heaviside", "0", spellings=("step",), definition="(1 + sign(a))/2",
        dialects="julia sympy=Heaviside latex", written={"python": "np.heaviside({0}, 0.5)"},
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
    _function(
        "unless", "0", "unless(a, 1)", definition="cond(1 - cond(a, 1), b)", dialects="latex",
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
