"""The table of commands, and the parser of the command line that is made from it.

Each command is a module of ``symbed.cli.commands`` with a row ``COMMAND``. Only the one that was
typed is imported, so that a command costs no more than what it does.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """One command: its name, its line of help, its arguments, and what runs."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


# In the order in which the help lists them; each is a module of ``symbed.cli.commands``.
COMMAND_NAMES = (
    "distance", "decide", "relate", "effective", "score", "show", "matrix", "sample", "equivalents",
    "survey", "nearest", "duplicates", "cluster", "select", "convert", "fit", "benchmark",
    "explore",
)  # fmt: skip

PLUGIN_GROUP = "symbed.commands"

# Options are --words and the few short ones (-o, -k, -n16); anything else with a minus in front is
# a formula or a range.
_LOOKS_NEGATIVE = re.compile(r"-(?!-)(?![oknh]\d*\Z)")


def own_command(name: str) -> Command:
    """One of our own commands."""
    command: Command = import_module(f"symbed.cli.commands.{name}").COMMAND
    return command


def plugin_commands() -> list[Command]:
    """Commands that other installed packages add, by entry points of the group ``symbed.commands``.

    Each entry point names a `Command`.
    """
    from importlib.metadata import entry_points

    return [point.load() for point in sorted(entry_points(group=PLUGIN_GROUP))]


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of the command line.

    Parameters
    ----------
    words : sequence of str
        What was typed. If its first word is one of our own commands, the parser knows only that
        one: loading the others, and looking for those of other packages, takes as long as a small
        command.
    """
    from symbed import __version__

    parser = argparse.ArgumentParser(
        prog="symbed", description="Measure how differently mathematical expressions behave."
    )
    parser.add_argument("--version", action="version", version=f"symbed {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _wanted(words):
        sub = commands.add_parser(command.name, help=command.help, description=command.help)
        command.configure(sub)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(run=command.run)
    return parser


def _wanted(words: Sequence[str]) -> list[Command]:
    if words and words[0] in COMMAND_NAMES:
        return [own_command(words[0])]
    return [*map(own_command, COMMAND_NAMES), *plugin_commands()]


def protect(words: Sequence[str]) -> list[str]:
    """Words such as ``-x^2`` and ``-5:5`` are formulas and ranges, not options.

    A space in front keeps argparse from taking them for options; readers strip it.
    """
    return [f" {word}" if word != "-" and _LOOKS_NEGATIVE.match(word) else word for word in words]
