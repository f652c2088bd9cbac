"""The experiments of the BED paper, run again: tables, figures, and a verdict for each claim.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "EXPERIMENTS": "core.experiments",
    "Claim": "core.outcomes",
    "Experiment": "core.experiments",
    "Outcome": "core.outcomes",
    "Table": "core.outcomes",
    "Unit": "core.experiments",
    "reproduce": "core.job_runner",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
