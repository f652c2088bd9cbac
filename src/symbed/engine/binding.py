"""Binding of names: which are variables and which parameters under a probe; compiles accordingly.

Names in the domain are variables; every other name is a free parameter. A name that looks like a
variable which the domain lacks (``X_3`` beside ``X_0`` to ``X_2``, ``y`` beside ``x``) is an error,
because reading it as a parameter would give a wrong number without a word. Naming it in
``parameters={...}`` says that a parameter is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from symbed.engine.program import Program, compile_expression
from symbed.errors import MissingVariable
from symbed.language.expression import ANONYMOUS, CONVENTIONAL_VARIABLE, Expression
from symbed.sampling.probe import Probe

INDEXED = re.compile(r"(?P<stem>.*?[^0-9_])_?[0-9]+\Z", re.DOTALL)


class Binding:
    """The roles that one probe gives to names; compiles expressions accordingly.

    Attributes
    ----------
    probe : Probe
        Who gives the roles.
    ranges : dict from str to int
        The number of the range of every parameter name met so far.
    """

    def __init__(self, probe: Probe) -> None:
        self.probe = probe
        self._rows = {name: row for row, name in enumerate(probe.variables)}
        self._stems = {stem.lower() for name in probe.variables if (stem := _stem(name))}
        self._conventional = any(CONVENTIONAL_VARIABLE.match(name) for name in probe.variables)
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
        for name in dict.fromkeys(parameters):
            if name not in self.ranges:
                self._reject_lost_variable(name, expression)
        ranges = self.probe.range_ids(parameters, str(expression))
        self.ranges.update(zip(parameters, ranges, strict=True))

    def _reject_lost_variable(self, name: str, expression: Expression) -> None:
        parameters = self.probe.parameters
        if isinstance(parameters, Mapping) and name in parameters:
            return
        declared = expression.declared is not None and name in expression.declared
        if declared or self._looks_like_a_variable(name):
            domain = ", ".join(self.probe.variables)
            raise MissingVariable(
                f"{name!r} in {str(expression)!r} looks like a variable, but the domain has only "
                f"{domain}; add it there, or name it in parameters={{{name!r}: (low, high)}}"
            )

    def _looks_like_a_variable(self, name: str) -> bool:
        if self._conventional and CONVENTIONAL_VARIABLE.match(name):
            return True
        return _stem(name).lower() in self._stems


def _stem(name: str) -> str:
    """The letters before an index: ``X`` of ``X_3``; empty for a name without an index."""
    found = INDEXED.match(name)
    return found["stem"] if found else ""
