"""The ``symbed`` command: it reads the words of one command, calls one verb, prints the result."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

from symbed.cli.command_table import build_parser, protect
from symbed.errors import SymbedError, SymbedWarning

MOST_NAMES = 12  # of free parameters that are told
MOST_SEARCHED = 200_000  # expressions that are searched for them: a fraction of a second
INTERRUPTED = 130  # what shells report for a command that ended by Ctrl+C


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
    words = sys.argv[1:] if argv is None else argv
    parser = build_parser(words)
    if not words:
        parser.print_help()
        return 0
    arguments = parser.parse_args(protect(words))
    if arguments.json and arguments.csv:
        return _complain("give --json or --csv, not both")
    _let_everything_be_printed()
    try:
        with _told_warnings():
            arguments.run(arguments)
            _tell_parameters(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # a reader that has gone is met here, not when Python ends
    except SymbedError as error:
        return _complain(_one_line(error, arguments.flags))
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to tell it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.filename or 'the output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("symbed: interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def _tell_parameters(arguments: Any) -> None:
    """Tell on stderr which names of a file were taken for free parameters."""
    atlas = getattr(arguments, "atlas", None)
    if atlas is None or len(atlas) > MOST_SEARCHED or not atlas.parameters:
        return
    first, rest = atlas.parameters[:MOST_NAMES], len(atlas.parameters) - MOST_NAMES
    more = f" and {rest:,} more" if rest > 0 else ""
    print(f"symbed: free parameters: {', '.join(first)}{more}", file=sys.stderr)


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
                print(f"symbed: {sentence}", file=sys.stderr)

        warnings.simplefilter("always", SymbedWarning)
        warnings.showwarning = show
        yield


def _let_everything_be_printed() -> None:
    """Let names that the terminal's encoding lacks be printed as escapes, not end in an error."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _complain(sentence: str) -> int:
    print(f"symbed: {sentence}", file=sys.stderr)
    return 1


def _one_line(error: SymbedError, flags: Sequence[str]) -> str:
    """An error in one line, its remedy told as the flag that would give it."""
    from symbed.cli.error_words import in_command_words

    place = f"line {error.line}: " if error.line else ""
    if error.in_command:
        return place + error.in_command.split("\n")[0]
    return place + in_command_words(str(error), flags)
