"""The operators: one row each, that parser, printers, both engines, derivatives and dialects share.

A row's place in ``TABLE`` is its code in compiled programs. ``tools/make_operators.py`` makes the
native core's tables of the rows (``native/eval/operators.def`` and ``native/fit/slopes.def``); a
test compares the two. So a new operator is its row here and the body of its kernel in each engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Form = Literal["infix", "sign", "postfix", "call", "constant"]
Loop = Literal["plain", "arithmetic", "angle", "exponential", "own"]

SUM, PRODUCT, SIGN, POWER, ATOM = 1, 2, 3, 4, 5  # precedences, loosest first


@dataclass(frozen=True, slots=True, eq=False)
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
        "sech", 1, "call", ATOM, ("-y*tanh(a)",), loop="exponential",
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
