"""The paper's experiments: a name and a scale go in; tables, claims and their verdicts come out.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "EXPERIMENTS": "core.registry",
    "Claim": "core.outcomes",
    "Experiment": "core.registry",
    "Outcome": "core.outcomes",
    "Table": "core.tables",
    "Unit": "core.units",
    "reproduce": "core.running",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
