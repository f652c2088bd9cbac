"""The table of commands, and the parser of the command line that is made from it.

Only the module of the command that was typed is imported, so that a command costs no more than what
it does.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from itertools import takewhile
from typing import Any, NamedTuple, NoReturn


class Command(NamedTuple):
    """One command: its name, its line of help, its arguments, what runs, and one to copy."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], None]
    example: str = ""


class Row(NamedTuple):
    """One of our own commands: its module below ``symbed.cli.commands``, its help, its example.

    The module has ``configure_NAME``, which adds the command's arguments, and ``run_NAME``.
    """

    module: str
    help: str
    example: str = ""


# In the order in which the help lists them.
COMMANDS = {
    "distance": Row(
        "distances", "the BED of two expressions",
        'symbed distance "C*x + C" "C*sin(x)" --domain x=1:5 --parameters 1:5',
    ),
    "decide": Row(
        "verdicts", "whether two formulas are the same function",
        'symbed decide "ln(x^2)" "2*ln(abs(x))" --domain x=-5:5',
    ),
    "relate": Row(
        "verdicts", "how two families of functions relate",
        'symbed relate "a*exp(b + x)" "C*exp(x)" --domain x=0:5',
    ),
    "effective": Row(
        "verdicts", "how many parameters a formula really has",
        'symbed effective "a*b*x + c" --domain x=0:5',
    ),
    "score": Row(
        "score", "did a run find the law: form, function and size",
        'symbed score examples/oscillator_front.csv --truth "A*exp(-g*t)*cos(w*t)" --domain t=0:8',
    ),
    "show": Row("expressions", "how an expression is read", 'symbed show "C*x + C"'),
    "matrix": Row(
        "distances", "all distances in a file of expressions",
        "symbed matrix examples/formulas.txt --domain X_0=1:5,X_1=1:5 --parameters 1:5"
        " -o distances.csv",
    ),
    "sample": Row(
        "expressions", "random expressions of a grammar",
        "symbed sample -n 3 --variables 2 --unique",
    ),
    "equivalents": Row(
        "expressions", "other spellings of an expression that behave the same",
        'symbed equivalents "C*sin(X_0)" -n 3',
    ),
    "survey": Row(
        "survey", "an atlas on disk of a file of expressions",
        "symbed survey examples/formulas.txt --domain X_0=1:5,X_1=1:5 --parameters 1:5 -o my.atlas",
    ),
    "nearest": Row(
        "distances", "the nearest expressions of an atlas or a file",
        'symbed nearest my.atlas "a*tanh(X_0)" -k 3',
    ),
    "duplicates": Row(
        "groups", "groups of expressions that behave the same",
        "symbed duplicates examples/hall_of_fame.csv --domain x0=-3:3,x1=-3:3",
    ),
    "cluster": Row(
        "groups", "clusters of the expressions in a file",
        "symbed cluster examples/formulas.txt -n 5 --domain X_0=1:5,X_1=1:5 --parameters 1:5",
    ),
    "select": Row(
        "groups", "formulas that are good and different",
        "symbed select examples/hall_of_fame.csv -k 3 --domain x0=-3:3,x1=-3:3",
    ),
    "convert": Row(
        "expressions", "formulas of one tool in the words of another",
        'symbed convert "square(x0) - 1.5*x1" --from pysr --to latex',
    ),
    "fit": Row(
        "fit", "free parameters fitted to data",
        'symbed fit "a*exp(-k*t) + b" examples/decay.csv',
    ),
    "benchmark": Row("benchmark", "methods on problems whose truths are forms, and a leaderboard"),
    "explore": Row("explore", "the local web page"),
    "completion": Row("completion", "completion for bash, zsh and fish"),
}  # fmt: skip

EPILOG = """\
examples:
  symbed distance "a*exp(-b*x)" "a/(1 + b*x)" --domain x=0:5 --parameters 0.5:2
  symbed duplicates hall_of_fame.csv --domain x0=-3:3,x1=-3:3
  symbed explore                 the same numbers as pictures, in a browser

symbed COMMAND --help tells more, with an example of each."""

PLUGIN_GROUP = "symbed.commands"

# Options are --words and the few short ones (-o, -k, -n16); anything else with a minus in front is
# a formula or a range.
_LOOKS_NEGATIVE = re.compile(r"-(?!-)(?![oknh]\d*\Z)")
_NAMED_RANGE = re.compile(r"[^\W\d]\w*=[^=:]*:[^=:]*")  # what --domain and its like take


def own_command(name: str) -> Command:
    """One of our own commands."""
    module_name, help_line, example = COMMANDS[name]
    module = import_module(f"symbed.cli.commands.{module_name}")
    configure, run = (getattr(module, f"{step}_{name}") for step in ("configure", "run"))
    return Command(name, help_line, configure, run, example)


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
            epilog=f"example:\n  {command.example}" if command.example else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
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
    """A parser whose complaints are one line, and suggest what was probably meant."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all words; formulas and ranges with a minus in front are arguments, too."""
        arguments, rest = self.parse_known_args(_protected(args), namespace)
        if rest:  # what no command took, since none was given
            self.error(f"unknown word {rest[0].strip()}")
        for name, value in vars(arguments).items():
            setattr(arguments, name, _unprotected(value))
        return arguments

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what is known; what is wrong for certain is told before what may be missing."""
        if self._subparsers:
            return super().parse_known_args(args, namespace)
        words = list(takewhile(lambda word: word != "--", args))
        for place, word in enumerate(words):
            flag = word.partition("=")[0]
            if flag.startswith("--") and not any(f.startswith(flag) for f in option_flags(self)):
                self.error(f"unknown option {flag}{_hint(flag, option_flags(self))}")
            # No file and no formula looks so, but as one it would be looked for.
            if _NAMED_RANGE.fullmatch(word) and self._repeatable_before(words, place):
                self._refuse_word(words, place)
        arguments, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse_word(args, args.index(rest[0]) if rest[0] in args else 0)
        return arguments, rest

    def _refuse_word(self, words: Sequence[str], place: int) -> NoReturn:
        """Say which word is unknown, and if it seems to be a further value of a flag before it."""
        flag, word = self._repeatable_before(words, place), words[place].strip()
        hint = f"; repeat the flag for each value: {flag} {word}" if flag else ""
        self.error(f"unknown word {word}{hint}")

    def _repeatable_before(self, words: Sequence[str], place: int) -> str:
        """The flag that may be repeated and has a value between itself and a word; else empty."""
        flags = [k for k, word in enumerate(words[:place]) if word.startswith("-") and word != "-"]
        start = flags[-1] if flags else place
        flag, has_value, _ = words[start].partition("=")
        # The word right behind a flag is its value, unless --flag=value has one already.
        if place - start < (1 if has_value else 2):
            return ""
        return next((f for f in self._repeatable_flags() if f.startswith(flag)), "")

    def _repeatable_flags(self) -> list[str]:
        actions = (a for a in self._actions if isinstance(a, argparse._AppendAction))
        return [flag for action in actions for flag in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, in one line."""
        typed = re.search(r"argument COMMAND: invalid choice: '(.*?)'", message)
        if typed:
            message = f"unknown command {typed[1]!r}{_hint(typed[1], COMMANDS)}"
        message = message.replace("the following arguments are required:", "missing:")
        message = message.replace("' -", "'-")  # the space that protects a minus
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help tells more)\n")


def _hint(word: str, known: Collection[str]) -> str:
    from symbed.language.tokens import suggest

    meant = suggest(word, known)
    return f"; did you mean {meant}?" if meant else ""


def _wanted(words: Sequence[str]) -> list[Command]:
    if words and words[0] in COMMANDS:
        return [own_command(words[0])]
    return [*map(own_command, COMMANDS), *plugin_commands()]


def _protected(words: Sequence[str]) -> list[str]:
    """A space keeps argparse from taking ``-x^2`` and ``-5:5`` for options."""
    return [f" {word}" if word != "-" and _LOOKS_NEGATIVE.match(word) else word for word in words]


def _unprotected(value: Any) -> Any:
    if isinstance(value, list):
        return [_unprotected(item) for item in value]
    return value[1:] if isinstance(value, str) and value.startswith(" -") else value
