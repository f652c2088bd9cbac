"""``symbed sample``: random expressions of a grammar, one on each line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from symbed.cli.command_table import Command
from symbed.cli.options import parse_variables
from symbed.cli.output import print_document
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.workbench.grammar.grammar import Grammar


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("-n", type=int, default=10, metavar="N", help="how many (default: 10)")
    add("--variables", metavar="2|x,y", help="number or names of the variables (default: 2)")
    add(
        "--grammar", default="paper", metavar="FILE", help="a grammar's text (default: the paper's)"
    )
    add("--seed", type=int, default=0, help="seed (default: 0)")
    add("--unique", action="store_true", help="no expression twice")
    add("--min-length", type=int, default=1, metavar="N", help="fewest tokens (default: 1)")
    add("--max-length", type=int, metavar="N", help="most tokens")


def _run(arguments: argparse.Namespace) -> None:
    from symbed.workbench.grammar.sampling import sample

    drawn = sample(
        _grammar(arguments.grammar, arguments.variables),
        arguments.n,
        seed=arguments.seed,
        unique=arguments.unique,
        min_length=arguments.min_length,
        max_length=arguments.max_length,
    )
    drawn.check()
    settings = {"seed": arguments.seed, "unique": arguments.unique}
    rows = [{"line": line, "expression": t} for line, t in enumerate(drawn.texts(), start=1)]
    wanted = arguments.json or arguments.csv
    if not (wanted and print_document(arguments, drawn.to_dict() | settings, rows)):
        sys.stdout.writelines(f"{text}\n" for text in drawn.texts())


def _grammar(name: str, variables: str | None) -> Grammar:
    from symbed._text_files import read_text
    from symbed.workbench.grammar.named_grammars import GRAMMARS, named_grammar
    from symbed.workbench.grammar.text_format import read_grammar

    if name in GRAMMARS:
        return named_grammar(name, parse_variables("2" if variables is None else variables))
    if variables is not None:
        raise RangeError(f"--variables is for the named grammars; {name} has its own variables")
    return read_grammar(read_text(name))


COMMAND = Command("sample", "random expressions of a grammar", _configure, _run)
