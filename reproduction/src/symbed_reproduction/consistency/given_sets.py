"""Given sets: a folder with ``expressions_N.txt`` goes in; the texts of its expressions come out.

The paper does not print the expressions of its heatmaps. Files with them are in its authors'
repository, which has no licence, so that they are not here; whoever has them can give them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from symbed.errors import DataError, MissingVariable, ParseError, StorageError, SymbedError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.parser import parse
from symbed.workbench.grammar.named_grammars import variable_names
from symbed_reproduction.core.units import Arrays

FILE = "expressions_{}.txt"  # by number of variables
REPOSITORY, PLACE = "smeznar/BED", "results/consistency/expressions"
DIGITS = 16  # of a digest


def read_sets(
    folder: str | Path, variables: Iterable[int], at_least: int
) -> dict[int, tuple[str, ...]]:
    """The texts of the expressions by number of variables, each of them checked.

    Parameters
    ----------
    folder : with one file for each number of variables. A file has one expression per line, as
        spaced tokens or as text; empty lines and those that start with ``#`` do not count.
    variables : the numbers of variables.
    at_least : how many expressions there must be; an even number, so that all can meet in rounds.
    """
    return {n: _read_set(Path(folder) / FILE.format(n), n, at_least) for n in variables}


def read_expression(text: str, n_variables: int) -> Expression:
    """One line: a list of tokens if it can be read as one, in which ``log`` is decimal, else text.

    >>> read_expression("X_0 ^2 + C", 1) == read_expression("X_0^2+C", 1)
    True
    """
    names = variable_names(n_variables)
    try:
        expression = parse(text, names, "tokens")
    except ParseError:
        expression = parse(text, names)
    for name in expression.parameters:
        if name != ANONYMOUS and not name.startswith(f"{ANONYMOUS}_"):
            raise MissingVariable(
                f"unknown name {name!r}; variables are {', '.join(names)}, parameters are C, or "
                "C_0, C_1 ... if one occurs more than once"
            )
    return expression


def describe_set(texts: tuple[str, ...], n_variables: int) -> Arrays:
    """What can be told of a set without showing it: counts, and a digest.

    The digest is the start of what ``sha256sum`` says of a file that holds these lines alone.
    """
    expressions = [read_expression(text, n_variables) for text in texts]
    lines = "".join(f"{text}\n" for text in texts)
    return {
        "count": np.array(len(texts)),
        "varied": np.array(sum(bool(expression.parameters) for expression in expressions)),
        "digest": np.array(hashlib.sha256(lines.encode()).hexdigest()[:DIGITS]),
    }


def _read_set(path: Path, n_variables: int, at_least: int) -> tuple[str, ...]:
    found = []
    for number, text in _lines(path):
        try:
            read_expression(text, n_variables)
        except SymbedError as error:
            raise DataError(f"{path}, line {number}: {error}") from error
        found.append(text)
    if len(found) < at_least or len(found) % 2:
        raise DataError(
            f"{path} has {len(found)} expressions; it needs an even number of them, at least "
            f"{at_least} at this scale, one per line"
        )
    return tuple(found)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that hold expressions, with their numbers."""
    try:
        content = path.read_text("utf-8-sig", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(
            f"{path} is not there; expressions are read from a folder with a file "
            f"{FILE.format('N')} for each number N of variables, such as {PLACE} of the "
            f"repository {REPOSITORY}"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror or error}") from error
    for number, line in enumerate(content.splitlines(), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield number, text
