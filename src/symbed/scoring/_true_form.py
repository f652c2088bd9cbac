"""The truth that formulas are scored against: its form, its function, and where it is looked at.

A truth with free parameters is a form as it stands. One with numbers only is a function, and its
form comes from the rule that found formulas are read by.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError, MissingRange, RangeError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.names import find_missing_variable
from symbed.sampling.probe import Probe
from symbed.verdicts.domains import read_formula
from symbed.verdicts.families.effective_parameters import effective_rank
from symbed.verdicts.families.form import Domain
from symbed.workbench.data_files import Data
from symbed.workbench.evaluation import evaluate
from symbed.workbench.fitting import fit
from symbed.workbench.parametrization import FormRule, parametrize

N_POINTS = 256  # of the domain, where functions are compared
MAX_CORNERS = 64  # of the domain, where spare terms must do nothing too
FIT_STARTS = 64  # of a truth to data: it must be found, and is fitted once
# Of a truth that is fitted to data. With less it was not found (170 waves hide it from any start),
# and its constants would be wrong ones.
MIN_R2 = 0.75

# The readings of a formula's numbers, by name: what is free.
FITTED = FormRule(whole=True, exponents="simple")
WRITTEN = FormRule(whole=False, exponents="free")
SIMPLEST = FormRule(whole=False, exponents="simple")
READINGS = {
    "numbers free": FITTED,
    "whole numbers kept": WRITTEN,
    "whole numbers and simple exponents kept": SIMPLEST,
}
STRICTEST = "whole numbers and simple exponents kept"
# How a truth with numbers is read beside each: a person wrote its roots, and no fit has bent them.
# With free roots p^1.5 was taken for p^0.5.
TRUE_RULES = {**READINGS, "whole numbers kept": SIMPLEST}


@dataclass(frozen=True, eq=False)
class Truth:
    """A true form, and where formulas are compared with it.

    Attributes
    ----------
    source : Expression
        The truth as it was given, in safe names.
    domain : mapping of str to range
        The range of each variable, by safe names.
    names : tuple of str
        The variables as the user calls them, in the same order.
    function : Expression or None
        The truth with its constants, where they are known.
    data : Data or None
        Samples, their columns in the order of the domain.
    """

    source: Expression
    domain: Mapping[str, Any]
    names: tuple[str, ...]
    function: Expression | None
    data: Data | None = None

    @property
    def is_form(self) -> bool:
        """Whether the truth was given with free parameters."""
        return bool(self.source.parameters)

    @cached_property
    def parameters(self) -> Mapping[str, tuple[float, float]] | None:
        """All real numbers for each parameter by name, where one is named like a variable."""
        if find_missing_variable(self.source, tuple(self.domain)) is None:
            return None
        everything = -math.inf, math.inf
        return dict.fromkeys((*self.source.parameters, ANONYMOUS), everything)

    def form(self, reading: str) -> Expression:
        """The true form by a reading of its numbers; a form with parameters has only one."""
        return self.source if self.is_form else self._forms[reading]

    def rank(self, reading: str) -> int:
        """The number of effective parameters of the form."""
        form = self.form(reading)
        if form not in self._ranks:
            self._ranks[form] = (
                effective_rank(form, self.domain, self.parameters) if form.parameters else 0
            )
        return self._ranks[form]

    @cached_property
    def points(self) -> Floats:
        """Points of the domain where functions are compared."""
        points: Floats = Probe(dict(self.domain), n_points=N_POINTS).points
        return points

    @cached_property
    def corners(self) -> Floats:
        """Corners of the domain."""
        ends = [_ends(law, column) for law, column in zip(
            self.domain.values(), self.points.T, strict=True)]  # fmt: skip
        return np.array(list(itertools.islice(itertools.product(*ends), MAX_CORNERS)))

    @property
    def numbers(self) -> tuple[float, ...]:
        """The numbers that the truth has as structure, without their signs."""
        items = self.source.postfix if self.is_form else ()
        return tuple(dict.fromkeys(abs(item) for item in items if isinstance(item, float)))

    @cached_property
    def outputs(self) -> Floats | None:
        """The true function at the points; None where its constants are not known."""
        if self.function is None:
            return None
        return evaluate(self.function, self.points, tuple(self.domain))

    @cached_property
    def noise(self) -> float:
        """The share of the data's spread that the truth itself leaves; 0 without data."""
        if self.data is None or self.data.y is None or self.function is None:
            return 0.0
        residual = self.data.y - evaluate(self.function, self.data.X, tuple(self.domain))
        spread = float(np.std(self.data.y))
        rmse = float(np.sqrt(np.mean(residual**2)))
        return rmse / spread if spread > 0 and np.isfinite(rmse) else 0.0

    @property
    def size_by_spread(self) -> float:
        """The root mean square of the true outputs by their spread; 1 where it is not known."""
        # SRBench tells noise by the size of the outputs, and tolerances are by their spread.
        if self.outputs is None or not np.isfinite(self.outputs).any():
            return 1.0
        defined = self.outputs[np.isfinite(self.outputs)]
        size, spread = float(np.sqrt(np.mean(defined**2))), float(np.std(defined))
        return size / spread if spread > 0 and np.isfinite(size) else 1.0

    def safe(self, expression: Expression) -> Expression:
        """A formula in the user's names with safe ones."""
        return renamed(expression, dict(zip(self.names, self.domain, strict=True)))

    def shown(self, expression: Expression) -> Expression:
        """A formula in safe names with the user's."""
        return renamed(expression, dict(zip(self.domain, self.names, strict=True)))

    def shown_text(self, text: str) -> str:
        """A sentence about safe names with the user's."""
        for safe, name in zip(self.domain, self.names, strict=True):
            text = text.replace(safe, name) if safe != name else text
        return text

    @cached_property
    def _forms(self) -> dict[str, Expression]:
        return {name: parametrize(self.source, rule)[0] for name, rule in TRUE_RULES.items()}

    @cached_property
    def _ranks(self) -> dict[Expression, int]:
        return {}


def read_truth(
    truth: Any,
    domain: Domain | None,
    data: Data | None = None,
    values: Mapping[str, float] | Sequence[float] | None = None,
) -> Truth:
    """The truth that a user means; ``score`` says what may be given."""
    if isinstance(truth, str) and not truth.strip():
        raise DataError("the truth is empty; give a formula, such as 'A*exp(-g*t)'")
    ranges = _ranges(domain, data)
    names = tuple(ranges)
    expression = read_formula(truth, names)
    error = find_missing_variable(
        expression, names, tuple(values) if isinstance(values, Mapping) else (),
        remedy="values={{{name!r}: value}}", option="--values {name}=value",
    )  # fmt: skip
    if error is not None:
        raise error
    ordered = None if data is None else _in_order(data, names)
    safe = {name: _safe_name(name, names) for name in names}
    source = renamed(expression, safe)
    made = Truth(source, {safe[n]: ranges[n] for n in names}, names, None, ordered)
    made.rank(next(iter(READINGS)))  # a truth that is defined nowhere is the truth's fault
    function = _function(made, values)
    return Truth(source, made.domain, names, function, ordered)


def _ends(law: Any, column: Floats) -> tuple[float, float]:
    """The ends of a variable's range, or those of its points where it has none."""
    if isinstance(law, list | tuple):
        return float(law[0]), float(law[1])
    return float(column.min()), float(column.max())


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """A formula with other names for its variables."""
    items = (
        names.get(item, item) if isinstance(item, str) else item for item in expression.postfix
    )
    declared = expression.declared or tuple(names)
    return Expression.unchecked(tuple(items), tuple(names.get(name, name) for name in declared))


def _safe_name(name: str, names: tuple[str, ...]) -> str:
    """A variable called like the anonymous parameter gets another name while it is judged."""
    if name.lower() != "c":
        return name
    safe = f"{name}_variable"
    while safe in names:
        safe += "_"
    return safe


def _ranges(domain: Domain | None, data: Data | None) -> dict[str, Any]:
    if domain is not None:
        if not isinstance(domain, Mapping) or not domain:
            raise RangeError(
                f"domain must map names to ranges, like {{'x': (1, 5)}}, got {domain!r}"
            )
        return dict(domain)
    if data is None:
        error = MissingRange("a domain is needed: give domain={'x': (1, 5)}, or data with columns")
        error.in_command = "a domain is needed: add --domain x=1:5 for each variable, or --data"
        raise error
    ends = zip(data.X.min(axis=0).tolist(), data.X.max(axis=0).tolist(), strict=True)
    ranges = dict(zip(data.names, ends, strict=True))
    constant = [name for name, (low, high) in ranges.items() if low == high]
    if constant:
        begin = f"column {constant[0]!r} of the data is constant and gives no range"
        unknown = DataError(f"{begin}; give a domain, like {{{constant[0]!r}: (low, high)}}")
        unknown.in_command = f"{begin}; add --domain {constant[0]}=low:high"
        raise unknown
    return ranges


def _in_order(data: Data, names: tuple[str, ...]) -> Data:
    """The columns of the domain's variables."""
    missing = [name for name in names if name not in data.names]
    if missing:
        raise DataError(
            f"the data have no column {missing[0]!r}, which is in the domain; "
            f"they have {', '.join(data.names)}"
        )
    places = [data.names.index(name) for name in names]
    return Data(np.ascontiguousarray(data.X[:, places]), data.y, names)


def _function(
    truth: Truth, values: Mapping[str, float] | Sequence[float] | None
) -> Expression | None:
    if not truth.is_form:
        return truth.source
    wanted = truth.source.parameters
    if values is not None:
        return with_values(truth.source, _ordered_values(wanted, values))
    if truth.data is None or truth.data.y is None:
        return None
    found = fit(
        truth.source, truth.data.X, truth.data.y, variables=tuple(truth.domain),
        n_starts=FIT_STARTS,
    )  # fmt: skip
    return found.expression if found.r2 >= MIN_R2 else None


def _ordered_values(
    wanted: tuple[str, ...], values: Mapping[str, float] | Sequence[float]
) -> list[float]:
    if isinstance(values, Mapping):
        missing = [name for name in wanted if name not in values]
        if missing:
            raise RangeError(f"values lacks the parameter {missing[0]!r} of the truth")
        unknown = [name for name in values if name not in wanted]
        if unknown:
            raise RangeError(
                f"values has {unknown[0]!r}, which is no parameter of the truth; "
                f"it has {', '.join(dict.fromkeys(wanted))}"
            )
        return [_finite(name, values[name]) for name in wanted]
    if len(values) != len(wanted):
        raise RangeError(
            f"the truth has {len(wanted)} parameters ({', '.join(wanted)}), "
            f"got {len(values)} values"
        )
    return [_finite(name, value) for name, value in zip(wanted, values, strict=True)]


def _finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise RangeError(f"the value of {name!r} must be a finite number, got {value!r}")
    return float(value)


def with_values(expression: Expression, values: Sequence[float]) -> Expression:
    """A form with numbers for its parameters; each anonymous one takes the next."""
    numbers: dict[str, Iterator[float]] = {}
    for name, value in zip(expression.parameters, values, strict=True):
        # Anonymous parameters share a name; a named one is the same wherever it occurs.
        before = numbers.get(name, ())
        numbers[name] = (
            itertools.chain(before, [value]) if name == ANONYMOUS else itertools.repeat(value)
        )
    items = [
        next(numbers[item]) if isinstance(item, str) and item in numbers else item
        for item in expression.postfix
    ]
    return Expression(tuple(items), expression.declared)
