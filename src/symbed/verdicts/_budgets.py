"""How much a verdict may cost: counted work, which is the same on any machine, and time at most."""

from __future__ import annotations

import math
import time


class BudgetSpent(Exception):
    """The work or the time that was allowed is spent; what was established so far stands."""


class Budget:
    """Work that is counted, within a time that is a hard limit.

    Answers follow the work alone unless the time ends first, so that a busy machine, or more
    workers than cores, do not change them.

    Parameters
    ----------
    seconds : float
        Time at most, by the wall clock.
    work : float
        Units of work at most: operations of ``decide``, descents of a fit for ``relate``.
    """

    def __init__(self, seconds: float = math.inf, work: float = math.inf) -> None:
        self._end = time.monotonic() + seconds
        self._work = work

    def within(self, work: float) -> Budget:
        """A part of this budget: less work, and the same end."""
        # Not taken from this budget: the units may be others, operations within descents.
        part = Budget(work=work)
        part._end = self._end
        return part

    def spend(self, work: float = 1) -> None:
        """Count work that is about to be done; raise ``BudgetSpent`` where none is left."""
        self._work -= work
        if self.is_spent:
            raise BudgetSpent

    def count(self, work: float = 1) -> None:
        """Count work that is done."""
        self._work -= work

    @property
    def is_spent(self) -> bool:
        """Whether no work or no time is left."""
        return self._work < 0 or self.is_late

    @property
    def is_late(self) -> bool:
        """Whether no time is left, so that the answer depends on the machine."""
        return time.monotonic() > self._end
