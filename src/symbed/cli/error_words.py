"""Errors of the library in the words of the command line: flags instead of arguments.

The library tells a remedy as an argument in Python (``metric='relative'``); whoever typed a command
is told the flag (``--metric relative``), and only one that the command has.
"""

from __future__ import annotations

import re
from collections.abc import Collection

# The flag of each argument that a message of the library may name. An argument without a flag is
# not told: its clause is left out.
FLAGS = {
    "bounds": "--bounds",
    "constants": "--constants",
    "design": "--design",
    "dialect": "--dialect",
    "domain": "--domain",
    "draws": "--draws",
    "features": "--features",
    "k": "-k",
    "keep": "--keep",
    "limit": "--limit",
    "loss": "--loss",
    "max_iterations": "--iterations",
    "method": "--method",
    "metric": "--metric",
    "mismatch": "--mismatch",
    "missing": "--missing",
    "n_clusters": "-n",
    "n_draws": "--draws",
    "n_points": "--points",
    "n_starts": "--starts",
    "out": "-o",
    "p": "--p",
    "parameters": "--parameters",
    "penalty": "--penalty",
    "screen": "--screen",
    "seed": "--seed",
    "threshold": "--threshold",
    "undefined": "--undefined",
    "variables": "--variables",
    "within": "--within",
    "workers": "--workers",
}
MAPPING = re.compile(r"(?<![\w-])([a-z_]+)=\{'?(\w+)'?: \((\S+?), (\S+?)\)\}")
RANGE = re.compile(r"(?<![\w-])([a-z_]+)=\((\S+?), (\S+?)\)")
ARGUMENT = re.compile(r"(?<![\w-])([a-z_]+)=('[^']*'|\.\.\.|\[\.\.\.\]|[^\s,;()]+)")
SUBJECT = re.compile(r"^([a-z_]+)(?= (?:must|needs|goes|has|is)\b)")
CALL = re.compile(r"\b[A-Za-z_.]+\([^()]*=[^()]*\)")


def in_command_words(message: str, flags: Collection[str]) -> str:
    """A message of the library as one line for whoever typed a command.

    Parameters
    ----------
    message : str
        What the error says.
    flags : collection of str
        The flags that the command has.

    Examples
    --------
    >>> in_command_words("give n_clusters=... or threshold=...", ["-n", "--threshold"])
    'give -n or --threshold'
    >>> in_command_words("t.csv has nan in row 2; missing='drop' leaves such rows out", ["--seed"])
    't.csv has nan in row 2'
    """
    first, *rest = message.split("\n")[0].split("; ")
    clauses = [_translated(first, flags) or first]
    clauses += filter(None, (_translated(clause, flags) for clause in rest))
    return "; ".join(clauses)


def _translated(clause: str, flags: Collection[str]) -> str | None:
    """A clause with flags for arguments; None if it names an argument that has no flag here."""
    if CALL.search(clause):
        return None  # a call in Python is no remedy for whoever typed a command
    known = True

    def flag(name: str) -> str:
        nonlocal known
        known = known and FLAGS.get(name) in flags
        return FLAGS.get(name, name)

    def told(match: re.Match[str]) -> str:
        value = match[2].strip("'")
        return flag(match[1]) if value in ("...", "[...]") else f"{flag(match[1])} {value}"

    text = MAPPING.sub(lambda m: f"{flag(m[1])} {m[2]}={m[3]}:{m[4]}", clause)
    text = RANGE.sub(lambda m: f"{flag(m[1])} {m[2]}:{m[3]}", text)
    text = ARGUMENT.sub(lambda m: m[0] if _is_range(m) else told(m), text)
    text = SUBJECT.sub(lambda m: FLAGS[m[1]] if FLAGS.get(m[1]) in flags else m[1], text)
    return text if known else None


def _is_range(match: re.Match[str]) -> bool:
    """Whether it is a range of the command line's own, such as ``x=1:5``."""
    return ":" in match[2] and "'" not in match[2]
