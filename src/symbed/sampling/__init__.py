"""Sampling: ranges and counts go in; a ``Probe`` with its points and parameter draws comes out."""

from __future__ import annotations

from symbed.sampling.designs import DESIGNS, Design
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law, Range

__all__ = ["DESIGNS", "Design", "Law", "Probe", "Range"]
