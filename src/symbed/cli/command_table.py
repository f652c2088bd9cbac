"""The table of commands, and the parser of the command line that is made from it.

Each command is a module below ``symbed.cli.commands`` with a row ``COMMAND``. Only the one that was
typed is imported, so that a command costs no more than what it does.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn


class Command(NamedTuple):
    """One command: its name, its line of help, its arguments, and what runs."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]


# The module of ``symbed.cli.commands`` that each command is, in the order in which the help lists
# them.
COMMAND_MODULES = {
    "distance": "distances.distance",
    "decide": "verdicts.decide",
    "relate": "verdicts.relate",
    "effective": "verdicts.effective",
    "score": "verdicts.score",
    "show": "workbench.show",
    "matrix": "distances.matrix",
    "sample": "workbench.sample",
    "equivalents": "workbench.equivalents",
    "survey": "distances.survey",
    "nearest": "distances.nearest",
    "duplicates": "distances.duplicates",
    "cluster": "distances.cluster",
    "select": "distances.select",
    "convert": "workbench.convert",
    "fit": "workbench.fit",
    "benchmark": "verdicts.benchmark",
    "explore": "explore",
    "completion": "completion",
}
COMMAND_NAMES = tuple(COMMAND_MODULES)

EPILOG = """\
examples:
  symbed distance "a*exp(-b*x)" "a/(1 + b*x)" --domain x=0:5 --parameters 0.5:2
  symbed duplicates hall_of_fame.csv --domain x0=-3:3,x1=-3:3
  symbed explore                 the same numbers as pictures, in a browser

symbed COMMAND --help tells more, with an example of each."""

# One command to copy, for the help of each and for the page of the command line.
EXAMPLES = {
    "distance": 'symbed distance "C*x + C" "C*sin(x)" --domain x=1:5 --parameters 1:5',
    "decide": 'symbed decide "ln(x^2)" "2*ln(abs(x))" --domain x=-5:5',
    "relate": 'symbed relate "a*exp(b + x)" "C*exp(x)" --domain x=0:5',
    "effective": 'symbed effective "a*b*x + c" --domain x=0:5',
    "score": 'symbed score examples/oscillator_front.csv --truth "A*exp(-g*t)*cos(w*t)"'
    " --domain t=0:8",
    "show": 'symbed show "C*x + C"',
    "matrix": "symbed matrix examples/formulas.txt --domain X_0=1:5,X_1=1:5 --parameters 1:5"
    " -o distances.csv",
    "sample": "symbed sample -n 3 --variables 2 --unique",
    "equivalents": 'symbed equivalents "C*sin(X_0)" -n 3',
    "survey": "symbed survey examples/formulas.txt --domain X_0=1:5,X_1=1:5 --parameters 1:5"
    " -o my.atlas",
    "nearest": 'symbed nearest my.atlas "a*tanh(X_0)" -k 3',
    "duplicates": "symbed duplicates examples/hall_of_fame.csv --domain x0=-3:3,x1=-3:3",
    "cluster": "symbed cluster examples/formulas.txt -n 5 --domain X_0=1:5,X_1=1:5"
    " --parameters 1:5",
    "convert": 'symbed convert "square(x0) - 1.5*x1" --from pysr --to latex',
    "fit": 'symbed fit "a*exp(-k*t) + b" examples/decay.csv',
}

PLUGIN_GROUP = "symbed.commands"

# Options are --words and the few short ones (-o, -k, -n16); anything else with a minus in front is
# a formula or a range.
_LOOKS_NEGATIVE = re.compile(r"-(?!-)(?![oknh]\d*\Z)")


def own_command(name: str) -> Command:
    """One of our own commands."""
    command: Command = import_module(f"symbed.cli.commands.{COMMAND_MODULES[name]}").COMMAND
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

    parser = Parser(
        prog="symbed",
        description="How mathematical expressions behave: how far apart, the same, a special case?",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"symbed {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for command in _wanted(words):
        sub = commands.add_parser(
            command.name, help=command.help, description=command.help,
            epilog=_example(command.name), formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        command.configure(sub)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        if "--csv" not in option_flags(sub):
            sub.add_argument("--csv", action="store_true", help="print a table with commas")
        sub.set_defaults(run=command.run, wrong_usage=sub.error, flags=option_flags(sub))
    return parser


def option_flags(parser: argparse.ArgumentParser) -> list[str]:
    """The flags of a command, in the order of its help."""
    return [flag for action in parser._actions for flag in action.option_strings]


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    parser = build_parser()
    action = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return dict(action.choices)


class Parser(argparse.ArgumentParser):
    """A parser whose complaints suggest the command or the flag that was probably meant."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all words; what is left over is told with a suggestion."""
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            word = next((word for word in rest if word.startswith("--")), rest[0])
            meant = suggest(word.partition("=")[0], getattr(found, "flags", ()))
            hint = f"; did you mean {meant}?" if meant else ""
            name = "option" if word.startswith("--") else "word"
            found.wrong_usage(f"unknown {name} {word}{hint}")
        return found

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, with a suggestion, and where help is."""
        typed = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if typed and message.startswith("argument COMMAND"):
            meant = suggest(typed[1], COMMAND_NAMES)
            hint = f"did you mean {meant}?" if meant else "symbed --help lists the commands"
            message = f"unknown command {typed[1]!r}; {hint}"
        usage = "" if message.startswith("unknown ") else self.format_usage()
        self.exit(2, f"{usage}{self.prog}: {message}\n{self.prog} --help tells more\n")


def suggest(word: str, known: Collection[str]) -> str:
    """The known word that was probably meant, or an empty string."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word.lower(), sorted(known), n=1)), "")


def _example(name: str) -> str | None:
    example = EXAMPLES.get(name)
    return f"example:\n  {example}" if example else None


def _wanted(words: Sequence[str]) -> list[Command]:
    if words and words[0] in COMMAND_NAMES:
        return [own_command(words[0])]
    return [*map(own_command, COMMAND_NAMES), *plugin_commands()]


def protect(words: Sequence[str]) -> list[str]:
    """Words such as ``-x^2`` and ``-5:5`` are formulas and ranges, not options.

    A space in front keeps argparse from taking them for options; readers strip it.
    """
    return [f" {word}" if word != "-" and _LOOKS_NEGATIVE.match(word) else word for word in words]
