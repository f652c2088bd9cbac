"""Formulas as Python source, which is read and never run.

What is read: one expression, a ``lambda``, or a function of assignments and one ``return``, with
NumPy's or math's functions, ``x[:, 0]`` for the first variable and ``params[0]`` for a parameter.
"""

from __future__ import annotations

import re

from symbed.language.dialects.conditions import COMPARISONS, WHERE
from symbed.language.dialects.templates import TRUNCATE, Builder, step
from symbed.language.dialects.tokenizer import Token
from symbed.language.dialects.tool_table import SIGNS, Style, Tool
from symbed.language.expression import Item
from symbed.language.notation.infix import read_infix
from symbed.language.notation.symbol_table import Fault, Symbols
from symbed.language.operator_row import PRODUCT
from symbed.language.operators import ADD, BY_NAME, SUBTRACT
from symbed.limits import NODES, TOKENS

MOD = BY_NAME["mod"]
MODULES = "np|numpy|jnp|math|torch|scipy|special|jax|nn|sp|sympy|cp|tf|onp"
PIECE = re.compile(
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
    source = DOCUMENTATION.sub(lambda match: " " * len(match[0]), source)
    head = DEFINITION.match(source.lstrip("\n")) or LAMBDA.match(source)
    start = source.index(head[0]) + len(head[0]) if head else 0
    tokens: list[Token] = []
    depth = 0
    for match in PIECE.finditer(source, start):
        kind, text = match.lastgroup, match[0]
        if kind == "line":
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


def _item(text: str) -> str:
    match = ITEM.match(text)
    assert match is not None
    name, number = match[1], int(match[2])
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
            value = _read(statement[2:], start + 2, symbols)
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
    log="natural",
    protected={},
    constants="all digits, as numbers in the text; params[0] is a free parameter",
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
