"""The ``symbed`` command: it reads the words of one command, calls one verb, prints the result.

The library tells a remedy as an argument in Python (``metric='relative'``); whoever typed a command
is told the flag (``--metric relative``), and only one that the command has.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from symbed.cli.command_table import build_parser
from symbed.cli.output import tell
from symbed.errors import SymbedError, SymbedWarning

MAX_NAMES_TOLD = 12  # of free parameters
MAX_SEARCHED = 200_000  # expressions that are searched for them: a fraction of a second
INTERRUPTED = 130  # what shells report for a command that ended by Ctrl+C

# Flags that are not spelled like their argument in Python.
FLAGS = {
    "k": "-k",
    "max_iterations": "--iterations",
    "n_clusters": "-n",
    "n_draws": "--draws",
    "n_points": "--points",
    "n_starts": "--starts",
    "out": "-o",
}
# Arguments in a message: a mapping of ranges, a range, any value; and one that begins a sentence.
# They are compiled where an error is told: most commands end without one.
MAPPING = r"(?<![\w-])([a-z_]+)=\{'?(\w+)'?: \((\S+?), (\S+?)\)\}"
RANGE = r"(?<![\w-])([a-z_]+)=\((\S+?), (\S+?)\)"
ARGUMENT = r"(?<![\w-])([a-z_]+)=('[^']*'|\.\.\.|\[\.\.\.\]|[^\s,;()]+)"
SUBJECT = r"^([a-z_]+)(?= (?:must|needs|goes|has|is)\b)"
CALL = r"\b[A-Za-z_.]+\([^()]*=[^()]*\)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``symbed``; those of this process by default.

    Returns
    -------
    int
        The exit code: 0 done, 1 a user's error, 2 wrong usage, 130 interrupted.
    """
    _prepare_streams()
    words = [_decoded(word) for word in (sys.argv[1:] if argv is None else argv)]
    parser = build_parser(words)
    if not words:
        parser.print_help()
        return 0
    arguments = parser.parse_args(words)
    if arguments.json and arguments.csv:
        return _complain("give --json or --csv, not both")
    try:
        with _told_warnings():
            arguments.run(arguments)
            _tell_parameters(arguments)
        sys.stdout.flush()  # a reader that has gone is met here, not when Python ends
    except SymbedError as error:
        place = f"line {error.line}: " if error.line else ""
        told = error.in_command or in_command_words(str(error), arguments.flags)
        return _complain(place + told.split("\n")[0])
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to tell it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        name = "the output" if error.filename is None else error.filename or "''"
        return _complain(f"{name}: {error.strerror or error}")
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    return 0


def _tell_parameters(arguments: Any) -> None:
    """Tell on stderr which names of a file were taken for free parameters."""
    atlas = getattr(arguments, "atlas", None)
    if atlas is None or len(atlas) > MAX_SEARCHED or not atlas.parameters:
        return
    first, rest = atlas.parameters[:MAX_NAMES_TOLD], len(atlas.parameters) - MAX_NAMES_TOLD
    tell(f"free parameters: {', '.join(first)}" + (f" and {rest:,} more" if rest > 0 else ""))


@contextmanager
def _told_warnings() -> Iterator[None]:
    """Tell the warnings of ours as lines on stderr, in the words of the command line, each once."""
    told: set[str] = set()
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show(message: Warning | str, *rest: Any, **more: Any) -> None:
            if not isinstance(message, SymbedWarning):
                others(message, *rest, **more)
            elif (sentence := message.in_command or str(message)) not in told:
                told.add(sentence)
                tell(sentence)

        warnings.simplefilter("always", SymbedWarning)
        warnings.showwarning = show
        yield


def _prepare_streams() -> None:
    """Let everything be printed: to nowhere where a stream is closed, with escapes if need be."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # else what goes to stderr would come out on stdout
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _decoded(word: str) -> str:
    """A word whose bytes Python kept as surrogates, since the locale knows only ASCII, as UTF-8."""
    is_text = not any("\udc80" <= letter <= "\udcff" for letter in word)
    return word if is_text else os.fsencode(word).decode("utf-8", errors="replace")


def _complain(sentence: str) -> int:
    tell(sentence)
    return 1


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
    if re.search(CALL, clause):
        return None  # a call in Python is no remedy for whoever typed a command
    named: list[str] = []

    def flag(name: str) -> str:
        named.append(_flag(name))
        return named[-1]

    def told(match: re.Match[str]) -> str:
        value = match[2].strip("'")
        if ":" in match[2] and "'" not in match[2]:
            return match[0]  # a range of the command line's own, such as x=1:5
        return flag(match[1]) if value in ("...", "[...]") else f"{flag(match[1])} {value}"

    text = re.sub(MAPPING, lambda m: f"{flag(m[1])} {m[2]}={m[3]}:{m[4]}", clause)
    text = re.sub(RANGE, lambda m: f"{flag(m[1])} {m[2]}:{m[3]}", text)
    text = re.sub(ARGUMENT, told, text)
    text = re.sub(SUBJECT, lambda m: _flag(m[1]) if _flag(m[1]) in flags else m[1], text)
    return text if set(named) <= set(flags) else None


def _flag(argument: str) -> str:
    return FLAGS.get(argument, f"--{argument.replace('_', '-')}")
