"""Binding of names: which are variables and which parameters under a probe; compiles accordingly.

Names in the domain are variables; every other name is a free parameter, or an error by the rule of
`symbed.language.variable_names`. Naming it in ``parameters={...}`` says that a parameter is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from symbed.engine.program import Program, compile_expression
from symbed.language.expression import ANONYMOUS, Expression
from symbed.sampling.probe import Probe


class Binding:
    """The roles that one probe gives to names; compiles expressions accordingly.

    Attributes
    ----------
    probe : Probe
        Who gives the roles.
    ranges : dict from str to int
        The number of the range of every parameter name met so far.
    words : mapping of str to str
        How errors call the place of the variables, and the remedies.
    """

    words: ClassVar[Mapping[str, str]] = {}

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self._rows = {name: row for row, name in enumerate(probe.variables)}
        self.ranges: dict[str, int] = {}
        given = probe.parameters
        if given is not None and (not isinstance(given, Mapping) or ANONYMOUS in given):
            self.ranges[ANONYMOUS] = probe.range_ids([ANONYMOUS])[0]

    def compile(self, expression: Expression) -> Program:
        """Compile an expression for the probe; raise if a name has no role."""
        try:
            return compile_expression(
                expression, self._rows, self.ranges.__getitem__, reorder=not self.probe.row.fresh
            )
        except KeyError:
            self._learn(expression)
        return self.compile(expression)

    def parameters(self, expression: Expression) -> tuple[str, ...]:
        """The free parameters of an expression under this probe, in order of appearance."""
        return tuple(name for name in expression.names if name not in self._rows)

    def _learn(self, expression: Expression) -> None:
        """Give a range to each parameter that was not met before."""
        parameters = self.parameters(expression)
        self._require_variables(expression)
        ranges = self.probe.range_ids(parameters, str(expression))
        self.ranges.update(zip(parameters, ranges, strict=True))

    def _require_variables(self, expression: Expression) -> None:
        """Refuse a name that must be a variable: as a parameter it would give a wrong number."""
        from symbed.language.variable_names import find_missing_variable  # late: C needs no rule

        given = self.probe.parameters
        named = tuple(given) if isinstance(given, Mapping) else ()
        error = find_missing_variable(
            expression, self.probe.variables, (*named, *self.ranges), **self.words
        )
        if error is not None:
            raise error
