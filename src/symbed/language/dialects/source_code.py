"""Formulas as source code: Julia's of PySR and SymbolicRegression.jl, and Python's.

SymbolicRegression.jl calls its functions ``safe_log`` and so on inside; they are undefined where
the plain ones are, so nothing is protected in value. PySR prints the same words for Python.

Python source is read and never run: one expression, a ``lambda``, or a function of assignments and
one ``return``, with NumPy's or math's functions, ``x[:, 0]`` for the first variable and
``params[0]`` for a parameter.
"""

from __future__ import annotations

import re

from symbed.errors import ParseError
from symbed.language._token_readers import read_infix
from symbed.language.dialects.templates import COMPARISONS, TRUNCATE, WHERE, Builder, step
from symbed.language.dialects.tool_table import SIGNS, Style, Token, Tool, cut_formula
from symbed.language.expression import Item
from symbed.language.operators import ADD, BY_NAME, PRODUCT, SUBTRACT
from symbed.language.tokens import Fault, Symbols
from symbed.limits import NODES, TOKENS

SINGLE = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]*)?|\.[0-9]+)f([-+]?[0-9]+)(?!\w)")


def cut_julia(source: str) -> list[Token]:
    """The tokens of Julia's text; ``2.5f0`` is a number of single precision.

    >>> [token.text for token in cut_julia("x1*2.5f-3 >= 1")]
    ['x1', '*', '2.5e-3', '>=', '1']
    """
    # Most formulas have none, and files of 100,000 wait for this.
    return cut_formula(SINGLE.sub(r"\1e\2", source) if "f" in source else source)


WORDS: dict[str, str | Builder] = SIGNS | COMPARISONS | {
    "trunc": TRUNCATE,
    # rem has the sign of its first operand, mod that of its second.
    "rem": "sign(a)*mod(abs(a), abs(b))",
    "digamma": "polygamma(0, a)",
    "trigamma": "polygamma(1, a)",
    "acoth": "atanh(1/a)",
    "asech": "acosh(1/a)",
    "acsch": "asinh(1/a)",
    "acot": "atan(1/a)",
    "sinpi": "sin(pi*a)",
    "cospi": "cos(pi*a)",
    "ifelse": WHERE,
    "clamp": "min(max(a, b), c)",
    "fma": "a*b + c",
    "muladd": "a*b + c",
    "exp2": "2^a",
    "exp10": "10^a",
    "log10_abs": "log10(abs(a))",
    "log2_abs": "log2(abs(a))",
    "log1p_abs": "log1p(abs(a))",
    "acosh_abs": "acosh(abs(a) + 1)",
    "atanh_clip": "atanh(mod(a + 1, 2) - 1)",
    "logical_or": "max(a, b) > 0",
    "logical_and": "min(a, b) > 0",
    "pow_abs": "abs(a)^b",
    "log_abs": "ln(abs(a))",
    "logm": "ln(abs(a) + 1e-8)",
    "logm2": "log2(abs(a) + 1e-8)",
    "logm10": "log10(abs(a) + 1e-8)",
    "sqrt_abs": "sqrt(abs(a))",
}  # fmt: skip


def _tool(name: str, title: str, base: int) -> Tool:
    return Tool(name, title, base, WORDS, vocabulary="julia", cut=cut_julia, style=Style())


PYSR = _tool("pysr", "PySR", 0)
SRJL = _tool("srjl", "SymbolicRegression.jl", 1)


MOD = BY_NAME["mod"]
MODULES = "np|numpy|jnp|math|torch|scipy|special|jax|nn|sp|sympy|cp|tf|onp"
PIECE = re.compile(
    # Without a group, so that it is left out.
    rf"(?:(?:{MODULES})\s*\.\s*)"  # a module's name in front of its function
    r"|(?P<item>[A-Za-z_]\w*\s*\[(?:\s*(?:\.\.\.|:)\s*,)?\s*[0-9]{1,6}\s*\])"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"|(?P<sign>\*\*|//|[<>=!]=|[^\s])"
    r"|(?P<line>\n)"
)
ITEM = re.compile(r"(\w+)\s*\[\D*([0-9]+)\s*\]")
DOCUMENTATION = re.compile(r'"""(?:[^"]|"(?!""))*"""' + r"|'''(?:[^']|'(?!''))*'''|#[^\n]*")
DEFINITION = re.compile(r"[^\S\n]*def\s+\w+\s*\([^)]*\)\s*(?:->[^:\n]*)?:")
LAMBDA = re.compile(r"\s*(?:\w+\s*=\s*)?lambda\s[^:]*:")
END = ";"  # between statements
OTHER_SIGNS = {"|": "||"}  # no magnitude has bars in Python


def cut_python(source: str) -> list[Token]:
    """The tokens of Python source, statements separated by ``;``.

    >>> [token.text for token in cut_python("lambda x, p: p[0]*np.sin(x[:, 1])")]
    ['p[0]', '*', 'sin', '(', 'x_1', ')']
    """
    # Blanks of the same length, so that errors still point at the right character.
    source = DOCUMENTATION.sub(lambda match: " " * len(match[0]), source)
    head = DEFINITION.match(source.lstrip("\n")) or LAMBDA.match(source)
    start = source.index(head[0]) + len(head[0]) if head else 0
    if head and re.search(r"\bpi\b", head[0]):
        raise _hidden_number("pi", source, start)
    tokens: list[Token] = []
    depth, behind_module = 0, False
    for match in PIECE.finditer(source, start):
        kind, text = match.lastgroup, match[0]
        # np.e is Euler's number; an e alone is a name that somebody gave a value.
        if text == "e" and not behind_module:
            raise _hidden_number("e", source, match.start())
        behind_module = kind is None
        if kind == "line":
            # Inside parentheses a line goes on, and blank lines end nothing.
            if not depth and tokens and tokens[-1].text != END:
                tokens.append(Token(END, match.start()))
        elif kind == "item":
            tokens.append(Token(_item(text), match.start()))
        elif kind:
            TOKENS.check(len(tokens))
            depth += {"(": 1, ")": -1}.get(text, 0)
            tokens.append(Token(OTHER_SIGNS.get(text, text), match.start()))
    while tokens and tokens[-1].text == END:
        tokens.pop()
    return tokens


def _hidden_number(name: str, source: str, place: int) -> ParseError:
    problem = f"{name!r} is a name in this code, and a number to the reader"
    return ParseError(problem, source, place, f"rename it, or write np.{name} for the number")


def _item(text: str) -> str:
    match = ITEM.match(text)
    assert match is not None
    name, number = match[1], int(match[2])
    row = BY_NAME.get(name.lower())
    # Mathematica's Sinh[5] is a call; gamma[0] may be somebody's parameter.
    if name[0].isupper() and row is not None and row.form == "call":
        raise ParseError(f"a function with a bracket: {text}", hint=f"write {name.lower()}(...)")
    return f"x_{number}" if name in ("x", "X") else f"{name}[{number}]"


def read_python(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read statements; a name that was assigned stands for its value."""
    if "if" in tokens:
        hint = "write np.where(condition, a, b)"
        raise Fault(tokens.index("if"), "'if' cannot be read", hint)
    known: dict[str, list[Item]] = {}
    start = 0
    while True:
        end = next((k for k in range(start, len(tokens)) if tokens[k] == END), len(tokens))
        statement = tokens[start:end]
        if len(statement) > 1 and statement[1] == "=":
            if statement[0] == "pi":
                raise Fault(start, "'pi' is a number to the reader", "rename it")
            value = _read(statement[2:], start + 2, symbols)
            # Values are kept written out, so that one pass is enough; it may double them each time,
            # and the limit of nodes ends that.
            known[statement[0]] = _substitute(value, known)
        else:
            skip = statement[:1] == ["return"]
            result = _substitute(_read(statement[skip:], start + skip, symbols), known)
            if end < len(tokens):
                raise Fault(end, "code after the result")
            return result
        if end == len(tokens):
            return known[statement[0]]
        start = end + 1


def _read(tokens: list[str], offset: int, symbols: Symbols) -> list[Item]:
    plain = [_plain(token) for token in tokens]
    try:
        return read_infix(plain, symbols)
    except Fault as fault:
        raise Fault(fault.place + offset, fault.problem, fault.hint, fault.offset) from None


def _plain(token: str) -> str:
    """A parameter's name: ``params[0]`` is ``params_0``."""
    match = ITEM.fullmatch(token)
    return f"{match[1]}_{match[2]}" if match else token


def _substitute(value: list[Item], known: dict[str, list[Item]]) -> list[Item]:
    out: list[Item] = []
    for item in value:
        if isinstance(item, str) and item in known:
            out += known[item]
            NODES.check(len(out))
        else:
            out.append(item)
    return out


def _log_of_sum(a: list[Item], b: list[Item]) -> list[Item]:
    """ln(exp(a) + exp(b)), which is ``softplus`` where ``b`` is 0."""
    softplus = BY_NAME["softplus"]
    return [*a, softplus] if b == [0.0] else [*a, *b, SUBTRACT, softplus, *b, ADD]


PYTHON = Tool(
    name="python",
    title="Python",
    base=0,
    constants="all digits, as numbers in the text; params[0] is a free parameter",
    # Python's ^ is an exclusive or.
    words={sign: row for sign, row in (SIGNS | COMPARISONS).items() if sign != "^"}
    | {
        "where": WHERE,
        "%": Builder(2, lambda a, b: [*a, *b, MOD], PRODUCT),
        "//": "//",
        "logaddexp": Builder(2, _log_of_sum),
        "fmod": "sign(a)*mod(abs(a), abs(b))",
        "digamma": "polygamma(0, a)",
        "psi": "polygamma(0, a)",
        "max": "max(a, b)",
        "min": "min(a, b)",
        "exp2": "2^a",
        "clip": "min(max(a, b), c)",
        "heaviside": Builder(2, step),
        **dict.fromkeys(("trunc", "fix"), TRUNCATE),
        **dict.fromkeys(("radians", "deg2rad"), "a*(pi/180)"),
        **dict.fromkeys(("float64", "float32", "float"), "a"),
    },
    variable=re.compile("x_([0-9]+)"),
    spelled="x[:, {}]",
    parameter=re.compile(r"(?:params|parameters|theta|coeffs|c|p|C)_([0-9]+)"),
    parameters="params[{}]",
    open_names=True,
    strict=False,
    cut=cut_python,
    read=read_python,
    style=Style(power="**", module="np."),
)
