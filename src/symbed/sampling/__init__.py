"""Where expressions are observed: points and parameter draws, as a ``Probe``."""

from __future__ import annotations

from symbed.sampling.designs import DESIGNS, Design
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law, Range

__all__ = ["DESIGNS", "Design", "Law", "Probe", "Range"]
