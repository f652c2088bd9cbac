"""``symbed completion SHELL``: a script that completes commands and flags in a shell."""

from __future__ import annotations

import argparse
import sys

from symbed.cli.command_table import Command, command_parsers
from symbed.cli.completion import SHELLS, completion_script
from symbed.cli.output import print_document


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", choices=SHELLS, help='bash: eval "$(symbed completion bash)" in ~/.bashrc'
    )


def _run(arguments: argparse.Namespace) -> None:
    script = completion_script(arguments.shell, command_parsers())
    if not print_document(arguments, {"shell": arguments.shell, "script": script}):
        sys.stdout.write(script)


COMMAND = Command("completion", "completion for bash, zsh and fish", _configure, _run)
