"""The sets of expressions that are ranked: random ones from the paper's grammar, or given ones.

Random ones are drawn as the authors drew theirs: no text twice, at most 50 tokens, nothing beyond
1e9 (theirs: after parameters were fitted), no two equivalent. Such sets have expressions with poles
in the domain. Their distance to others is infinite, and what a sample shows instead is how near to
the pole it came; the sets called ``bounded`` are without them. Whoever has the published sets can
give them as files.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.surveying import survey
from symbed.distances.matrix.distance_matrix import pairwise
from symbed.errors import (
    DataError,
    MissingVariable,
    ParseError,
    RangeError,
    StorageError,
    SymbedError,
)
from symbed.language.expression import ANONYMOUS, Expression, spans
from symbed.language.operators import BY_NAME
from symbed.language.parser import parse
from symbed.sampling.probe import Probe
from symbed.workbench.grammar.sampling import sample
from symbed.workbench.grammar.text_format import paper_grammar, variable_names
from symbed_reproduction.core.experiments import Arrays

DRAWN, BOUNDED = "drawn", "bounded"  # kinds of sets that are made here
GIVEN = "given"  # the kind that is read, see ``expression_sets``
RANGE = (1.0, 5.0)  # of variables and parameters
LONGEST = 50  # tokens
LARGEST = 1e9
APART = 1e-3  # relative distance from which two expressions count as different
CANDIDATES = 4  # for each expression wanted
CHECKED_POINTS, CHECKED_DRAWS = 256, 32
NEAR = 1e-9  # to zero, for a denominator, and to the ends of their range, for parameters
DIVISION = BY_NAME["/"]


def domain_of(n_variables: int) -> dict[str, tuple[float, float]]:
    """The experiment's domain for so many variables."""
    return dict.fromkeys(variable_names(n_variables), RANGE)


@lru_cache(maxsize=16)
def draw_expressions(kind: str, n_variables: int, count: int, seed: int) -> tuple[Expression, ...]:
    """The first ``count`` random expressions that are finite and pairwise different.

    Parameters
    ----------
    kind : str
        ``"drawn"`` as the published sets are, or ``"bounded"``, without poles.
    n_variables : int
        They have at most so many variables.
    count : int
        How many expressions.
    seed : int
        Which of the many sets.
    """
    grammar, wanted = paper_grammar(n_variables), CANDIDATES * count
    drawn = list(sample(grammar, wanted, seed=seed, unique=True, max_length=LONGEST))
    probe = Probe(
        domain_of(n_variables), RANGE, n_points=CHECKED_POINTS, n_draws=CHECKED_DRAWS, seed=seed
    )
    if kind == BOUNDED:
        drawn = _without_poles(drawn, probe)
    chosen = _different(_finite(drawn, probe), probe)[:count]
    if len(chosen) < count:
        raise RangeError(f"only {len(chosen)} of {count} expressions found among {wanted}")
    return tuple(chosen)


def _without_poles(expressions: list[Expression], probe: Probe) -> list[Expression]:
    """Those whose denominators keep their sign, and are not zero in the corners of the domain."""
    below = [(k, divisor) for k, e in enumerate(expressions) for divisor in divisors(e)]
    divisions = [divisor for _, divisor in below]
    vanish = np.zeros(len(below), bool)
    for outputs in _outputs(divisions, probe):
        low = np.array([values.min() for values in outputs])
        high = np.array([values.max() for values in outputs])
        vanish |= ~((low > 0) | (high < 0))  # NaN too
    for ends in _corners(probe):
        least = [np.abs(values).min() for values in next(_outputs(divisions, ends))]
        vanish |= ~(np.array(least) > NEAR)
    with_poles = {k for (k, _), gone in zip(below, vanish, strict=True) if gone}
    return [e for k, e in enumerate(expressions) if k not in with_poles]


def divisors(expression: Expression) -> list[Expression]:
    """Everything that is divided by."""
    postfix, starts = expression.postfix, spans(expression.postfix)
    ends = [place for place, item in enumerate(postfix) if item is DIVISION]
    return [Expression.unchecked(postfix[starts[end - 1] : end], None) for end in ends]


def _corners(probe: Probe) -> Iterator[Probe]:
    """The corners of the domain, with all parameters at their lower or at their upper end."""
    low, high = RANGE
    corners = list(itertools.product(RANGE, repeat=len(probe.variables)))
    for ends in ((low, low + NEAR / 100), (high - NEAR / 100, high)):
        yield Probe.at(corners, probe.variables, parameters=ends, n_draws=1)


def _outputs(expressions: list[Expression], probe: Probe) -> Iterator[list[NDArray[np.float64]]]:
    if expressions:
        atlas = survey(expressions, probe, workers=1, progress=False)
        yield [atlas[k].outputs for k in range(len(expressions))]


def _finite(expressions: list[Expression], probe: Probe) -> list[Expression]:
    """Those defined everywhere; and at each point the smallest of their outputs counts as size."""
    kept = []
    for outputs in _outputs(expressions, probe):
        for expression, values in zip(expressions, outputs, strict=True):
            if np.isfinite(values).all() and np.abs(values).min(axis=0).mean() <= LARGEST:
                kept.append(expression)
    return kept


def _different(expressions: list[Expression], probe: Probe) -> list[Expression]:
    """Those that differ from all kept before them."""
    atlas = survey(expressions, probe, workers=1, progress=False)
    matrix = pairwise(atlas, metric="relative", workers=1, progress=False).values
    kept: list[int] = []
    for number, row in enumerate(matrix):
        if row[kept].min(initial=np.inf) > APART:
            kept.append(number)
    return [expressions[number] for number in kept]


FILE = "expressions_{}.txt"  # by number of variables
REPOSITORY, PLACE = "smeznar/BED", "results/consistency/expressions"
DIGITS = 16  # of a digest


def read_sets(
    folder: str | Path, variables: Iterable[int], at_least: int
) -> dict[int, tuple[str, ...]]:
    """The texts of the expressions by number of variables, each of them checked.

    Parameters
    ----------
    folder : str or Path
        A folder with one file for each number of variables. A file has one expression per line, as
        spaced tokens or as text; empty lines and those that start with ``#`` do not count.
    variables : iterable of int
        The numbers of variables.
    at_least : int
        How many expressions there must be; an even number, so that all can meet in rounds.
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
    expressions = []
    for number, text in _lines(path):
        try:
            read_expression(text, n_variables)
        except SymbedError as error:
            raise DataError(f"{path}, line {number}: {error}") from error
        expressions.append(text)
    if len(expressions) < at_least or len(expressions) % 2:
        raise DataError(
            f"{path} has {len(expressions)} expressions; it needs an even number of them, at least "
            f"{at_least} at this scale, one per line"
        )
    return tuple(expressions)


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
