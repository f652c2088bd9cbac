"""The command line: words go in; one verb is called; its result is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from symbed.cli.command_table import build_parser, protect
from symbed.errors import MissingRange, SymbedError


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 a user's error, 2 wrong usage."""
    words = sys.argv[1:] if argv is None else argv
    arguments = build_parser(words).parse_args(protect(words))
    try:
        arguments.run(arguments)
    except SymbedError as error:
        return _complain(_one_line(error))
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to tell it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.filename or 'file'}: {error.strerror or error}")
    except KeyboardInterrupt:
        print("symbed: interrupted", file=sys.stderr)
        return 130
    return 0


def _complain(sentence: str) -> int:
    print(f"symbed: {sentence}", file=sys.stderr)
    return 1


def _one_line(error: SymbedError) -> str:
    place = f"line {error.line}: " if error.line else ""
    sentence = isinstance(error, MissingRange) and error.in_command
    return place + (sentence or str(error)).split("\n")[0]
