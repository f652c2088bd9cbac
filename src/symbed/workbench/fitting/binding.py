"""Which names of an expression are columns of the data and which are parameters to fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from symbed import limits
from symbed.engine.binding import Binding
from symbed.engine.program import Program, parameter_slots
from symbed.errors import RangeError, ShapeError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.language.parser import parse
from symbed.sampling.probe import Probe
from symbed.workbench.fitting.bounds import Bounds

Source = str | Sequence[str] | Expression


class FitRoles(Binding):
    """The columns of the data are variables; every other name is a parameter to be fitted."""

    words: ClassVar[Mapping[str, str]] = {
        "place": "the table",
        "remedy": "bounds={{{name!r}: (low, high)}} if it is a parameter; variables=[...] "
        "names the columns of an array",
        "option": "--bounds {name}=low:high",
    }

    def __init__(self, variables: Sequence[str], bounds: Bounds) -> None:
        named = dict.fromkeys(bounds.names, (0.0, 1.0))  # who has a range is asked, not which
        for name in named:
            if name in variables:
                raise RangeError(f"{name!r} is a column of the data and cannot have bounds")
        points = np.zeros((1, len(variables)))
        super().__init__(Probe.at(points, list(variables), parameters=named or None))
        self._bounds = bounds

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.probe.variables

    def read(self, source: Source) -> Expression:
        """The source as an Expression."""
        if isinstance(source, Expression):
            return source
        if isinstance(source, str | list | tuple):
            return parse(source, self.variables)
        raise ShapeError(
            f"an expression is text, a token list or an Expression, got {type(source).__name__}"
        )

    def compile(self, expression: Expression) -> Program:
        """Compile an expression for the data."""
        program = super().compile(expression)
        limits.FITTED.check(program.n_parameters)
        return program

    def slots(self, expression: Expression) -> tuple[int, ...]:
        """The slot of each parameter, in order of appearance."""
        return parameter_slots(expression, self._rows, self._bounds.range_of)

    def by_name(self, expression: Expression, by_slot: NDArray[np.float64]) -> Mapping[str, float]:
        """Fitted values by the names of parameters, from those by slot."""
        names = value_names(self.parameters(expression))
        values = by_slot[list(self.slots(expression))].tolist()
        return MappingProxyType(dict(zip(names, values, strict=True)))

    def _learn(self, expression: Expression) -> None:
        self._require_variables(expression)
        for name in dict.fromkeys(self.parameters(expression)):
            self.ranges.setdefault(name, self._bounds.range_of(name))


def value_names(parameters: Sequence[str]) -> tuple[str, ...]:
    """Names for parameters in order of appearance, the anonymous ones numbered.

    >>> value_names(["C", "a", "C"])
    ('C[0]', 'a', 'C[1]')
    """
    numbers = iter(range(len(parameters)))
    return tuple(
        f"{ANONYMOUS}[{next(numbers)}]" if name == ANONYMOUS else name for name in parameters
    )
