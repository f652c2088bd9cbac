"""Detection of the tool that wrote a formula, or why that is open.

Every tool that could have written the text reads it. If all of them mean the same by it, the first
is the guess; if two differ, by counting variables from 0 or 1, or by what ``log`` is, that is an
error, since either reading could be a wrong formula without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symbed.errors import ParseError, SymbedError
from symbed.language.dialects.reader import read, read_as_written
from symbed.language.dialects.sympy_trees import SREPR
from symbed.language.dialects.tool_table import TOOLS, WRITTEN_AS_LISTS, Tool
from symbed.language.expression import Expression, Item
from symbed.language.operators import BY_NAME
from symbed.language.parser import parse
from symbed.limits import TEXT

PYTHON = re.compile(r"\b(?:np|numpy|math)\s*\.|\w\s*\[|^\s*def\s|\blambda\b|\breturn\b")
# The first that is found decides: \sqrt[3]{x} has Python's bracket, so LaTeX stands before it.
BY_MARK = (
    (re.compile(r"\\[A-Za-z]"), "latex"),
    (PYTHON, "python"),
    (re.compile(r"\^\{|_\{"), "latex"),
    # An equation's left side, or a coefficient in front of a variable without a sign between.
    (
        re.compile(r"\A\s*(?:\(?\w+\)?\s*(?:'|\[k\+1\])\s*=|-?[0-9]+\.[0-9]+ +(?:x[0-9]|1\s))"),
        "pysindy",
    ),
)
MAX_FORMULAS_READ = 500  # formulas of a file
MAX_CHARACTERS_READ = 50_000  # of these: reading them in every language takes about a second
BINGO_PRODUCT = re.compile(r"\)\s*\(|\?")  # it writes (a)(b) where others write a*b
NAME = re.compile(r"[^\W\d]\w*")
OWN = {"log": "the natural logarithm", "sqrt": "the plain root"}  # words that tools differ on


class Ambiguous(ParseError):
    """Two tools mean different things by a formula, or no one tool writes all of several.

    Attributes
    ----------
    only_names : bool
        Whether nothing but the names of the variables is open.
    formula : object
        The text or list of tokens that is open.
    readings : tuple of Tool and Expression
        What each tool means by it; empty if several formulas are no one tool's.
    """

    only_names: bool = False
    formula: object = None
    readings: tuple[tuple[Tool, Expression], ...] = ()

    def note_if_ours(self, remedy: str) -> str:
        """What to tell if the formula is read as our own; empty if no tool means what we mean.

        Parameters
        ----------
        remedy : str
            How to ask for a dialect, with ``{}`` in place of its name.
        """
        alike = [tool for tool, meaning in self.readings if _is_ours(self.formula, meaning)]
        if not alike:
            return ""
        said: dict[str, list[str]] = {}
        for tool, meaning in self.readings:
            if tool in alike:
                continue
            word = next((w for w in NAME.findall(str(self.formula)) if w in _conflicts(tool)), "")
            its = tool.log if word == "log" else tool.protected.get(word, repr(str(meaning)))
            said.setdefault(word, []).append(f"{tool.title}'s is {its}: {remedy.format(tool.name)}")
        return "; ".join(
            f"{word or repr(self.formula)} is {OWN.get(word, 'our own')} here, as {alike[0].title} "
            f"has it; {'; '.join(others)}"
            for word, others in said.items()
        )


@dataclass(frozen=True)
class Guess:
    """Whose formula it is.

    Attributes
    ----------
    dialect, title : str
        The name for ``dialect=``, and the tool's own.
    expression : Expression
        How it was read.
    agreeing : tuple of str
        Other dialects that mean the same by it.
    """

    dialect: str
    title: str
    expression: Expression
    agreeing: tuple[str, ...] = ()

    def __str__(self) -> str:
        others = f" (so do {', '.join(self.agreeing)})" if self.agreeing else ""
        return f"{self.title} writes this{others}"


def detect(source: object, variables: Iterable[str] | None = None) -> Guess:
    """Find out whose formula a text or a list of tokens is.

    >>> detect("add(X0, mul(0.5, X1))").dialect
    'gplearn'
    >>> detect("square(x0) - 1.5").expression
    Expression('x0^2 - 1.5')

    Raises
    ------
    ParseError
        Two tools mean different things by it, or none can read it.
    """
    declared = None if variables is None else tuple(variables)
    name = _by_mark(source)
    if name:
        return Guess(name, TOOLS[name].title, read(source, TOOLS[name], declared))
    readings = list(_readings(source, declared))
    if not readings:  # our own language, if nobody else's words are in it
        return Guess("infix", "symbed", parse(source, declared))
    _require_one_meaning(source, readings)
    (tool, expression), *others = readings
    if tool.lossy:
        read(source, tool, declared)  # all have read it quietly; now the warning is due
    agreeing = tuple(other.name for other, _ in others)
    return Guess(tool.name, tool.title, expression, agreeing)


@dataclass(frozen=True)
class Detection:
    """Whose formulas come from one place.

    Attributes
    ----------
    dialect : str
        The name for ``dialect=``.
    agreeing : tuple of str
        All tools that could have written them; they mean the same by each.
    is_ours : bool
        Whether our own language means the same by all that was looked at, but for the names of the
        variables.
    """

    dialect: str
    agreeing: tuple[str, ...] = ()
    is_ours: bool = False

    def conflicting_words(self) -> list[str]:
        """Words of the tools' by which our own language means something else."""
        return sorted(set().union(*(_conflicts(TOOLS[name]) for name in self.agreeing)))


def _conflicts(tool: Tool) -> set[str]:
    """Words of a tool's by which our own language means something else."""
    return {
        word
        for word, meaning in tool.meanings.items()
        if word.isidentifier() and word in BY_NAME and BY_NAME[word] is not meaning
    }


def detect_source(
    sources: Sequence[object],
    variables: Iterable[str] | None = None,
    domain: tuple[str, ...] | None = None,
) -> Detection:
    """Find out whose formulas come from one place; one formula can settle it for all.

    Of very many or very long ones, some are looked at, evenly chosen. Under a ``domain`` that has
    the tool's own names, it need not be told from where it counts.

    >>> detect_source(["sqrt(X0)", "div(X0, X1)"]).dialect
    'gplearn'
    >>> detect_source(["x1 + x2", "square(x0)"]).dialect
    'pysr'
    >>> detect_source(["x0*x1"])
    Detection(dialect='pysr', agreeing=('pysr', 'aifeynman', 'srtree'), is_ours=True)

    Raises
    ------
    ParseError
        Two tools mean different things by one of them, or no one tool writes all.
    """
    declared = None if variables is None else tuple(variables)
    # Each text once, since every tool reads it.
    sources = list({str(source): source for source in sources}.values())
    n_characters = sum(len(str(source)) for source in sources)
    step = 1 + max((len(sources) - 1) // MAX_FORMULAS_READ, n_characters // MAX_CHARACTERS_READ)
    sources = sources[::step]
    marks = sorted({name for source in sources if (name := _by_mark(source))})
    if len(marks) > 1:
        titles = " and ".join(TOOLS[name].title for name in marks)
        raise _undecided(f"{titles} are mixed in these formulas")
    if marks:
        return Detection(marks[0], (marks[0],))
    # Its names are those of SRToolkit and ProGED, but its log and sqrt are protected: every file
    # with these words would be open, so Bingo needs its own way to write products for evidence.
    bingo = any(BINGO_PRODUCT.search(str(source)) for source in sources)
    known = [
        {t: e for t, e in _readings(source, declared, domain) if bingo or t.name != "bingo"}
        for source in sources
    ]
    named = [(s, readings) for s, readings in zip(sources, known, strict=True) if readings]
    others = [source for source, readings in zip(sources, known, strict=True) if not readings]
    common = _common(named, others, declared) if named else []
    if not common:
        return Detection("infix", (), is_ours=True)
    ours = all(_is_ours(source, readings[common[0]]) for source, readings in named)
    return Detection(common[0].name, tuple(tool.name for tool in common), ours)


def _is_ours(source: object, expression: Expression) -> bool:
    """Whether our own language means the same, but for the names of the variables."""
    try:
        return _shape(parse(source)) == _shape(expression)
    except SymbedError:
        return False


def _common(
    named: list[tuple[object, dict[Tool, Expression]]],
    others: list[object],
    declared: tuple[str, ...] | None,
) -> list[Tool]:
    """The tools that write all of the ``named``, and mean what we mean by the ``others``."""
    common = [tool for tool in named[0][1] if all(tool in readings for _, readings in named)]
    if not common:
        # If each means what we mean by its formulas, only the names are open.
        ours = all(_is_ours(s, e) for s, readings in named for e in readings.values())
        raise _undecided("no one tool writes all of these formulas", only_names=ours)
    common = [tool for tool in common if _reads_ours(tool, others, declared)]
    for source, readings in named:
        _require_one_meaning(source, [(tool, readings[tool]) for tool in common])
    return common


def _reads_ours(tool: Tool, sources: list[object], declared: tuple[str, ...] | None) -> bool:
    """Whether a tool can read what we can read; what nobody can is no evidence."""
    for source in sources:
        try:
            parse(source, declared)
        except SymbedError:
            continue
        try:
            read(source, tool, declared, quiet=True)
        except SymbedError:
            return False
    return True


def _by_mark(source: object) -> str:
    if not isinstance(source, str):
        return "sympy" if hasattr(source, "func") else ""
    TEXT.check(len(source))
    if SREPR.match(source):
        return "sympy"
    return next((name for mark, name in BY_MARK if mark.search(source)), "")


def _readings(
    source: object, declared: tuple[str, ...] | None, domain: tuple[str, ...] | None = None
) -> Iterable[tuple[Tool, Expression]]:
    """The tools that could have written the source, with what they mean by it."""
    for tool in TOOLS.values():
        if not tool.reads or not tool.strict:
            continue
        if isinstance(source, str):
            patterns = filter(None, (tool.variable, tool.parameter))
            if not any(pattern.search(source) for pattern in patterns):
                continue  # reading it would only tell the same, a hundred times slower
        elif tool.name not in WRITTEN_AS_LISTS:
            continue
        try:
            postfix, _ = read_as_written(source, tool)
            if _are_own(tool, {item for item in postfix if isinstance(item, str)}):
                yield tool, read(source, tool, declared, domain=domain, quiet=True)
        except SymbedError:
            continue


def _are_own(tool: Tool, names: set[str]) -> bool:
    """Whether all names are a tool's own, and say so: numbers alone are anybody's."""
    numbered = {name for name in names if tool.variable and tool.variable.fullmatch(name)}
    fitted = {name for name in names if tool.parameter and tool.parameter.fullmatch(name)}
    # A plain x is everybody's: it says nothing unless a parameter of the tool is there too.
    is_telling = tool.base is not None or bool(fitted)
    return is_telling and bool(names) and names == numbered | fitted


def _undecided(problem: str, *, only_names: bool = False) -> Ambiguous:
    error = Ambiguous(problem, hint="say whose they are: dialect=...")
    error.in_command = f"{problem}; add --dialect NAME, `symbed convert --dialects` lists them"
    error.only_names = only_names
    return error


def _require_one_meaning(source: object, readings: list[tuple[Tool, Expression]]) -> None:
    """Raise where two tools mean different things by a formula."""
    for other, others in readings[1:]:
        one, its = readings[0]
        if others == its:
            continue
        reason = _reason(source, one, other)
        problem = (
            f"{one.title} would mean {str(its)!r} by this and {other.title} {str(others)!r}{reason}"
        )
        choice = f"dialect={one.name!r} or dialect={other.name!r}"
        where = "to parse or read_formulas; 'infix' is symbed's own meaning"
        error = Ambiguous(problem, hint=f"say whose it is: {choice}, {where}")
        error.in_command = (
            f"{problem}; add --dialect {one.name} or --dialect {other.name}, or --dialect infix "
            "for symbed's meaning"
        )
        error.only_names = _shape(its) == _shape(others)
        error.formula, error.readings = source, tuple(readings)
        raise error


def _shape(expression: Expression) -> list[Item]:
    """The expression with its names numbered as they come."""
    numbers: dict[str, str] = {}
    return [
        numbers.setdefault(item, str(len(numbers))) if isinstance(item, str) else item
        for item in expression.postfix
    ]


def _reason(source: object, one: Tool, other: Tool) -> str:
    if one.base != other.base and one.base is not None and other.base is not None:
        return f"; one counts variables from {one.base}, the other from {other.base}"
    if one.log != other.log and re.search(r"\blog\b", str(source)):
        return f"; log is {one.log} for one and {other.log} for the other"
    return ""
