"""The one rule that tells a variable which is missing from a free parameter, by its name.

Names of the domain (or of the data's columns) are variables, and what was given a range by name is
a parameter. Of the others, a name that people give to variables (``x``, ``y``, ``z``, ``t``, with
or without an index), one of the domain's own series (``v3`` beside ``v1`` and ``v2``), and one that
misses a variable by case or by a letter (``xx`` beside ``x``) are mistakes: as a free parameter
each would give a wrong number without a word. Every other name is a free parameter.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from symbed.errors import MissingVariable
from symbed.language.expression import Expression

CONVENTIONAL = re.compile(r"[xyztXYZT](_?[0-9]+)?\Z")
INDEXED = re.compile(r"(?P<stem>.*?[^0-9_])_?(?P<index>[0-9]+)\Z", re.DOTALL)
COLUMN = re.compile(r"[xX]_?[0-9]+\Z")  # how tools call their columns
FITTED = re.compile(r"t[0-9]+\Z")  # how srtree calls free parameters, beside its columns x0, x1
SHORTEST_TYPO = 3  # letters; two names of two letters, such as mu and nu, are two names

# Of these, some differ by a letter (eta, beta, zeta), and none is a slip of the pen.
GREEK = frozenset({
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi",
    "psi", "omega",
})  # fmt: skip


def find_missing_variable(
    expression: Expression,
    variables: Sequence[str],
    parameters: Sequence[str] = (),
    *,
    place: str = "the domain",
    remedy: str = "parameters={{{name!r}: (low, high)}}",
    option: str = "--parameters {name}=low:high",
) -> MissingVariable | None:
    """The error for the first name that must be a variable but is not one; None if there is none.

    Parameters
    ----------
    expression : Expression
        Whose names.
    variables : sequence of str
        Names of the domain, or of the columns.
    parameters : sequence of str
        Names that were given a range as parameters, whatever they look like.
    place : str
        Where variables are named, for the message.
    remedy, option : str
        How a name is declared a parameter, in Python and on the command line; empty where no name
        can be.

    Examples
    --------
    >>> from symbed.language.parser import parse
    >>> print(find_missing_variable(parse("a*temp + b"), ["Temp"], remedy=""))
    'temp' in 'a*temp + b' is not in the domain, which has Temp; did you mean 'Temp'?
    >>> find_missing_variable(parse("a*temp + b"), ["x"])
    """
    for name in dict.fromkeys(expression.names):
        if name in variables or name in parameters:
            continue
        meant = meant_variable(name, variables)
        declared = expression.declared is not None and name in expression.declared
        if meant or declared or looks_like_a_variable(name, variables):
            return _error(name, expression, variables, meant, place, remedy, option)
    return None


def looks_like_a_variable(name: str, variables: Sequence[str]) -> bool:
    """Whether people would take a name for a variable, beside these variables.

    >>> looks_like_a_variable("y", ["t"]), looks_like_a_variable("k", ["t"])
    (True, False)
    >>> looks_like_a_variable("v3", ["v1", "v2"]), looks_like_a_variable("v3", ["v"])
    (True, False)
    """
    if FITTED.match(name) and variables and all(map(COLUMN.match, variables)):
        return False
    stem = _split(name)[0] if INDEXED.match(name) else ""
    series = {_split(one)[0] for one in variables if INDEXED.match(one)}
    return CONVENTIONAL.match(name) is not None or stem in series


def meant_variable(name: str, variables: Sequence[str]) -> str:
    """The variable that a name misses by case or by a letter; empty if there is none.

    >>> meant_variable("T", ["t"]), meant_variable("thetta", ["theta"]), meant_variable("k", ["t"])
    ('t', 'theta', '')
    >>> meant_variable("xx", ["x"]), meant_variable("kx", ["x"])
    ('x', '')
    """
    for one in variables:
        if _joined(one) == _joined(name):
            return one
    return next((one for one in variables if _misses_by_a_letter(name, one)), "")


def _misses_by_a_letter(name: str, variable: str) -> bool:
    (stem, index), (other, others_index) = _split(name), _split(variable)
    if index != others_index or stem in GREEK:
        return False
    if min(len(stem), len(other)) < SHORTEST_TYPO:
        # kx and mu beside x and nu are names of their own; xx is x, struck twice.
        return _without_doubles(stem) == _without_doubles(other)
    return _is_one_edit(stem, other)


def _without_doubles(word: str) -> str:
    """A word with each run of one letter as that letter."""
    return "".join(letter for letter, _ in itertools.groupby(word))


def _is_one_edit(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two swapped, makes the one word the other."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return abs(len(one) - len(other)) == 1
    a, b = one[start:], other[start:]
    return a[1:] in (b, b[1:]) or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _split(name: str) -> tuple[str, str]:
    """The letters in lower case, and the index."""
    found = INDEXED.match(name)
    return (found["stem"].lower(), found["index"]) if found else (name.lower(), "")


def _joined(name: str) -> str:
    return "".join(_split(name))


def _error(
    name: str,
    expression: Expression,
    variables: Sequence[str],
    meant: str,
    place: str,
    remedy: str,
    option: str,
) -> MissingVariable:
    listed = ", ".join(variables) or "none"
    shown = str(expression)
    who = f"{name!r} in {shown if len(shown) <= 80 else shown[:77] + '...'!r}"
    if meant:
        begin = f"{who} is not in {place}, which has {listed}; did you mean {meant!r}?"
        in_python = f" If it is a parameter, name it in {remedy.format(name=name)}"
        in_command = f" If it is a parameter, add {option.format(name=name)}"
    else:
        begin = f"{who} looks like a variable, but {place} has only {listed}; add it there"
        in_python = f", or name it in {remedy.format(name=name)}"
        in_command = f", or {option.format(name=name)} for a parameter"
    error = MissingVariable(begin + in_python * bool(remedy))
    error.in_command = begin + in_command * bool(option)
    return error
