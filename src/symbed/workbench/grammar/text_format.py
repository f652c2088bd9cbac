"""The text format of grammars: reading and writing rules, and the grammars that ship in it.

::

    # sums of two variables
    E -> E + V [0.4] | V [0.6]
    V -> x | y                    without probabilities, all are alike
       | sin(E)                   a line that begins with a bar goes on

The symbol left of the first arrow is the start. Symbols are cut like the text of an expression, so
white space between them is welcome and only needed where names meet. Quotes mark terminals, as
other tools write them, and are needed for the bar of an absolute value: '|'.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symbed.errors import ParseError, RangeError, ShapeError
from symbed.language.names import clean_name
from symbed.language.operators import BY_NAME
from symbed.limits import TEXT, TOKENS, VARIABLES
from symbed.workbench.grammar.grammar import Grammar, Rule

# The first alternative that fits is taken. The last one takes any character, so that nothing is
# passed over: an odd one becomes a terminal, and ``Grammar`` refuses it.
PIECE = re.compile(
    r"(?P<blank>[ \t\r\f\v]+|\#[^\n]*)"
    r"|(?P<line>\n)"
    r"|(?P<arrow>->)"
    r"|(?P<bar>\|)"
    r"|(?P<weight>\[[^\]\n]*\])"
    r"|(?P<quoted>'[^'\n]+'|\"[^\"\n]+\")"
    r"|(?P<plain>[^\W\d]\w*"  # a name
    r"|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"  # a number
    # The powers that are tokens of their own; the look ahead keeps ^25 from being ^2 and 5.
    r"|\^(?:[2-5]|-1)(?![0-9.])|\*\*|[^\s])"
)


def read_grammar(text: str) -> Grammar:
    """Read a grammar.

    Raises
    ------
    ParseError
        The text is no grammar; the message points at the character.
    RangeError
        The grammar cannot be (see ``Grammar``).

    Examples
    --------
    >>> read_grammar("E -> E + x [0.25] | x [0.75]").rules[0]
    Rule(left='E', right=('E', '+', 'x'), probability=0.25)
    """
    if not isinstance(text, str):
        raise ShapeError(f"a grammar is read from text, got {type(text).__name__}")
    TEXT.check(len(text))
    reading = _Reading(text)
    for line in _lines(text):
        _read_line(reading, line)
    _end_left(reading)
    _check_quotes(reading)
    if not reading.rules:
        raise ParseError("the grammar is empty", text, None, "write rules such as E -> x + x [1]")
    return Grammar(tuple(reading.rules))


def write_grammar(grammar: Grammar) -> str:
    """The text of a grammar, one nonterminal to a line.

    >>> print(write_grammar(read_grammar("E -> E+x [0.25] | x [0.75]")))
    E -> E + x [0.25] | x [0.75]
    """
    lines = []
    for left in grammar.nonterminals:
        sides = [_side(rule) for rule in grammar.by_left[left]]
        lines.append(f"{left} -> {' | '.join(sides)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Piece:
    kind: str
    text: str
    place: int


@dataclass
class _Reading:
    """The rules read so far, and the alternatives of the nonterminal being read."""

    text: str
    rules: list[Rule] = field(default_factory=list)
    left: str = ""
    sides: list[tuple[tuple[str, ...], float | None]] = field(default_factory=list)
    place: int = 0
    quoted: dict[str, int] = field(default_factory=dict)

    def fault(self, problem: str, place: int, hint: str = "") -> ParseError:
        return ParseError(problem, self.text, place, hint)


def _lines(text: str) -> Iterator[list[_Piece]]:
    line: list[_Piece] = []
    for number, match in enumerate(PIECE.finditer(text)):
        TOKENS.check(number)
        kind = str(match.lastgroup)
        if kind == "line":
            yield line
            line = []
        elif kind != "blank":
            line.append(_Piece(kind, match.group(), match.start()))
    yield line


def _read_line(reading: _Reading, line: list[_Piece]) -> None:
    if not line:
        return
    if line[0].kind == "bar" and reading.left:
        _read_sides(reading, line[1:], line[0].place)
        return
    _end_left(reading)
    if len(line) < 2 or line[0].kind != "plain" or line[1].kind != "arrow":
        hint = "a line is NAME -> symbols [probability] | ..."
        raise reading.fault("a rule is expected", line[0].place, hint)
    reading.left, reading.place = line[0].text, line[0].place
    _read_sides(reading, line[2:], line[1].place)


def _read_sides(reading: _Reading, pieces: list[_Piece], place: int) -> None:
    """Read alternatives separated by bars; ``place`` is where the first one is expected."""
    symbols: list[str] = []
    weight: float | None = None
    # A bar at the end closes the last alternative as the others are closed.
    for piece in [*pieces, _Piece("bar", "", len(reading.text))]:
        if piece.kind == "bar":
            if not symbols:
                raise reading.fault("an alternative without symbols", place, "write the symbols")
            reading.sides.append((tuple(symbols), weight))
            symbols, weight, place = [], None, piece.place
        elif piece.kind == "arrow":
            hint = "begin each nonterminal on a new line"
            raise reading.fault("a second arrow in one line", piece.place, hint)
        elif weight is not None:
            hint = "separate alternatives by |"
            raise reading.fault("a symbol after the probability", piece.place, hint)
        elif piece.kind == "weight":
            weight = _weight(reading, piece)
        elif piece.kind == "quoted":
            symbols.append(piece.text[1:-1].strip())
            reading.quoted.setdefault(symbols[-1], piece.place)
        else:
            symbols.append(piece.text)


def _weight(reading: _Reading, piece: _Piece) -> float:
    try:
        return float(piece.text[1:-1])
    except ValueError:
        hint = "write a number, such as [0.25]"
        raise reading.fault(f"{piece.text} is no probability", piece.place, hint) from None


def _end_left(reading: _Reading) -> None:
    """Make the rules of the nonterminal that was read; without any probability, all are alike."""
    weights = [weight for _, weight in reading.sides]
    if reading.sides and all(weight is None for weight in weights):
        if any(rule.left == reading.left for rule in reading.rules):
            hint = "put its alternatives together, or give them probabilities"
            raise reading.fault(f"{reading.left} has rules already", reading.place, hint)
        weights = [1 / len(weights)] * len(weights)
    for (symbols, _), weight in zip(reading.sides, weights, strict=True):
        if weight is None:
            hint = "give probabilities to all alternatives or to none"
            raise reading.fault(f"{reading.left} lacks a probability", reading.place, hint)
        reading.rules.append(Rule(reading.left, symbols, weight))
    reading.left, reading.sides = "", []


def _check_quotes(reading: _Reading) -> None:
    for rule in reading.rules:
        if rule.left in reading.quoted:
            problem = f"{rule.left!r} is quoted as a terminal, but has rules"
            raise reading.fault(problem, reading.quoted[rule.left], "rename one of them")


def _side(rule: Rule) -> str:
    shown = (f"'{symbol}'" if symbol == "|" else symbol for symbol in rule.right)
    return f"{' '.join(shown)} [{rule.probability!r}]"


# Appendix B of the paper. There R -> E^P has probability 0.0036 and P is 2 (0.65) or 3 (0.35): the
# two are multiplied here. It raises all of E, so its text needs the brackets that a tree does
# without. The logarithm is natural, and `ln` says so in every dialect.
PAPER = """
E -> E + F [0.2004] | E - F [0.1108] | F [0.6888]
F -> F * T [0.3349] | F / T [0.1098] | T [0.5553]
T -> C [0.1174] | R [0.1746] | X [0.708]
R -> (E) [0.6841] | (E) ^2 [0.00234] | (E) ^3 [0.00126] | sin(E) [0.028] | cos(E) [0.049]
   | sqrt(E) [0.0936] | exp(E) [0.0878] | ln(E) [0.0539]
"""

# The same without free parameters: T keeps the proportion of R and X.
PAPER_WITHOUT_PARAMETERS = PAPER.replace(
    "C [0.1174] | R [0.1746] | X [0.708]", f"R [{0.1746 / 0.8826!r}] | X [{0.708 / 0.8826!r}]"
)

TAKEN = frozenset({"C", "E", "F", "R", "T", "X"}) | BY_NAME.keys()
GRAMMARS = {"paper": PAPER, "paper-without-parameters": PAPER_WITHOUT_PARAMETERS}


def paper_grammar(variables: int | Sequence[str] = 2) -> Grammar:
    """The paper's grammar of random expressions.

    Parameters
    ----------
    variables : int or sequence of str
        Their names, or their number for X_0, X_1 and so on; each is equally likely.

    Examples
    --------
    >>> paper_grammar(2)
    Grammar(5 nonterminals, 19 rules, expected length 8.886)
    """
    return named_grammar("paper", variables)


def named_grammar(name: str, variables: int | Sequence[str] = 2) -> Grammar:
    """A grammar of ``GRAMMARS`` for these variables."""
    if name not in GRAMMARS:
        raise RangeError(f"grammar must be one of {', '.join(GRAMMARS)}, got {name!r}")
    names = variable_names(variables)
    for word in TAKEN.intersection(names):
        raise RangeError(f"variable {word!r} has the name of a symbol of the grammar; rename it")
    return read_grammar(f"{GRAMMARS[name]}X -> {' | '.join(names)}")


def variable_names(variables: int | Sequence[str]) -> tuple[str, ...]:
    """The names of variables given by number or by name.

    >>> variable_names(2), variable_names(["x", "t"])
    (('X_0', 'X_1'), ('x', 't'))
    """
    if isinstance(variables, (str, bool)):
        raise ShapeError(f"variables must be a number or a list of names, got {variables!r}")
    VARIABLES.check(variables if isinstance(variables, int) else len(variables))
    if isinstance(variables, int):
        names = tuple(f"X_{number}" for number in range(variables))
    else:
        names = tuple(map(clean_name, variables))
    if not names or len(set(names)) < len(names):
        raise RangeError(f"variables must be distinct, and at least one, got {variables!r}")
    return names
