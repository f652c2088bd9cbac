"""The problem of a row of a result file: its truth, its variables, and where they range.

Benchmarks name problems of the Feynman, Nguyen and SRSD collections in their own ways; ranges come
from the tables that ship. What is in no table needs a truth and a domain from the user.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from symbed.errors import DataError, ParseError, SymbedError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.parser import parse
from symbed.scoring._true_form import renamed, with_values
from symbed.scoring.result_files.result_rows import ResultRow
from symbed.workbench.benchmark_datasets import Dataset, datasets

# SRBench writes feynman_I_6_2a, LLM-SRBench I.6.2a_1_0, SRToolkit NG-1.
TRANSFORMED = re.compile(r"(.+?)_\d+_\d+\Z")
NUMBERED = re.compile(r"[xX]_?(\d+)\Z")
OUTPUT_SAMPLES = 512  # of a formula, for the range of its output


@dataclass(frozen=True, eq=False)
class Problem:
    """What formulas of a row are judged against.

    Attributes
    ----------
    truth : Expression
        The truth.
    domain : mapping of str to range
        The range of each variable.
    values : tuple of float or None
        The true values of its parameters, where it is a form with known ones.
    source : str
        Where the ranges are from, in words.
    """

    truth: Expression
    domain: Mapping[str, Any]
    values: tuple[float, ...] | None
    source: str

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(self.domain)


def find_dataset(name: str) -> Dataset | None:
    """The problem that ships under a benchmark's name for it; None where there is none.

    >>> find_dataset("feynman_I_6_2a").name, find_dataset("NG-5").name
    ('I.6.2a', 'Nguyen-5')
    """
    plain = name.strip().removesuffix(".tsv.gz").rpartition("/")[2]
    transformed = TRANSFORMED.match(plain)
    options = [plain, plain.replace("NG-", "Nguyen-"), plain.removeprefix("feynman_")]
    if transformed:
        options.append(transformed[1])
    return next((_by_key()[k] for k in map(_key, options) if k in _by_key()), None)


def find_problem(
    row: ResultRow, truth: str | None = None, domain: Mapping[str, Any] | None = None
) -> Problem:
    """The problem of a row; a truth or ranges for all rows go before the file's and the tables'."""
    known = find_dataset(row.problem) if row.problem else None
    written = truth or row.truth
    if written is None:
        if known is None:
            name = f"problem {row.problem!r}" if row.problem else "these formulas"
            raise DataError(f"no truth is known for {name}; give one with --truth")
        return _known_problem(row, known, domain)
    return _written_problem(row, written, known, domain)


def _known_problem(row: ResultRow, known: Dataset, domain: Mapping[str, Any] | None) -> Problem:
    """A problem that ships, in its numbered variables or in those that the row's formula has."""
    words = parse_names(row.formula) if isinstance(row.formula, str) else frozenset()
    own = dict(zip(known.domain, known.originals, strict=True))
    if not words & set(own.values()) or words & set(own):
        return Problem(known.form, domain or known.domain, known.values, _source(known, domain))
    ranges = {own[name]: law for name, law in known.domain.items()}
    truth = renamed(known.form, own)
    return Problem(truth, domain or ranges, known.values, _source(known, domain))


def _written_problem(
    row: ResultRow, written: str, known: Dataset | None, domain: Mapping[str, Any] | None
) -> Problem:
    if domain is not None:
        expression = read_benchmark_formula(written, tuple(domain))
        return Problem(expression, domain, None, "the given domain")
    if known is None:
        raise DataError(
            f"no range of variables is known for problem {row.problem!r}; give --domain x=low:high "
            "for each variable"
        )
    ranges = dict(zip(known.originals, known.domain.values(), strict=True))
    if not any(name in ranges for name in parse_names(written)):
        ranges = dict(known.domain)
    if known.output and known.output in parse_names(written) and known.output not in ranges:
        ranges = _with_output(known, ranges, written)
    expression = read_benchmark_formula(written, tuple(ranges))
    return Problem(expression, ranges, None, _source(known, None))


def _with_output(known: Dataset, ranges: Mapping[str, Any], written: str) -> dict[str, Any]:
    """Ranges where a formula was solved for one of its variables: the output ranges as it does."""
    _, outputs = known.sample(OUTPUT_SAMPLES)
    names = parse_names(written)
    kept = {name: law for name, law in ranges.items() if name in names}
    return {**kept, known.output: (float(outputs.min()), float(outputs.max()))}


def parse_names(text: str) -> frozenset[str]:
    """The words of a formula."""
    return frozenset(re.findall(r"[^\W\d]\w*", text))


def read_benchmark_formula(
    text: str, variables: tuple[str, ...], counts_from_zero: bool = False
) -> Expression:
    """A formula as benchmarks write them: SymPy's text, or whatever tool's it is.

    Names such as ``x_0`` that are no variable are the variables in their order.
    """
    try:
        # SRBench's tables have SymPy's text, so that is tried first.
        expression = parse(text, variables, dialect="sympy")
    except ParseError as as_sympy:
        try:
            expression = parse(text, variables, dialect="auto")
        except SymbedError:
            raise as_sympy from None
        numbered = _with_numbered(expression, variables, counts_from_zero)
        if any(name not in variables for name in numbered.names):
            raise as_sympy from None
    return _with_numbered(expression, variables, counts_from_zero)


def read_found(row: ResultRow, variables: tuple[str, ...]) -> Expression:
    """The formula of a row with its constants."""
    if row.formula is None:
        raise DataError("there is no formula")
    if not isinstance(row.formula, str):
        expression = parse(list(row.formula), variables)
    elif row.dialect == "auto":
        expression = read_benchmark_formula(row.formula, variables, row.counts_from_zero)
    else:
        expression = parse(row.formula, variables, dialect=row.dialect)
    expression = _with_numbered(expression, variables, row.counts_from_zero)
    if row.dialect == "python":
        expression = _with_free_constants(expression, variables)
    if row.values is not None and len(row.values) == len(expression.parameters):
        expression = with_values(expression.with_variables(variables), row.values)
    return expression


def _with_free_constants(expression: Expression, variables: tuple[str, ...]) -> Expression:
    """A form whose parameters are anonymous, as forms are judged."""
    named = [name for name in expression.names if name not in variables]
    twice = next((name for name in named if expression.postfix.count(name) > 1), None)
    if twice is not None:  # anonymous ones would be free of each other: a wider form
        raise DataError(f"{twice} stands in it twice, and its value is not in the file")
    items = (ANONYMOUS if item in named else item for item in expression.postfix)
    return Expression(tuple(items), variables)


def _with_numbered(
    expression: Expression, variables: tuple[str, ...], counts_from_zero: bool = False
) -> Expression:
    """A formula whose ``x0``, ``x1`` ... are no variables: these are the variables in order."""
    unknown = [name for name in dict.fromkeys(expression.names) if name not in variables]
    numbers = {name: int(match[1]) for name in unknown if (match := NUMBERED.match(name))}
    # x1 alone may be the first variable or the second: the file tells, or an x0 or x_1 beside it.
    if not counts_from_zero and not any(n == 0 or "_" in name for name, n in numbers.items()):
        return expression
    mapping = {name: variables[n] for name, n in numbers.items() if n < len(variables)}
    return renamed(expression, mapping) if mapping else expression


def _source(known: Dataset, domain: Mapping[str, Any] | None) -> str:
    if domain is not None:
        return "the given domain"
    return f"the table of {known.collection}, {known.name}"


def _key(name: str) -> str:
    return name.lower().replace("_", ".")


@cache
def _by_key() -> dict[str, Dataset]:
    # Backwards, so that of problems with one key the first is the last to be written.
    return {_key(one.name): one for one in reversed(datasets())}
