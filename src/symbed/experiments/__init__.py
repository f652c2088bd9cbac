"""The paper's experiments: a name and a scale go in; tables, claims and their verdicts come out.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from symbed.lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "EXPERIMENTS": "registry",
    "Claim": "outcomes",
    "Experiment": "registry",
    "Outcome": "outcomes",
    "Table": "tables",
    "Unit": "units",
    "reproduce": "running",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
