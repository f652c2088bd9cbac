"""``symbed sample`` and ``equivalents``: random expressions, and other spellings of one."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from symbed.cli.inputs import read_typed
from symbed.cli.options import add_dialect_option, parse_range, parse_variables
from symbed.cli.output import print_document
from symbed.errors import RangeError


def configure_sample(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed sample``."""
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


def run_sample(arguments: argparse.Namespace) -> None:
    """Random expressions of a grammar, one on each line."""
    from symbed.workbench import sample

    drawn = sample(
        _grammar(arguments.grammar, arguments.variables), arguments.n, seed=arguments.seed,
        unique=arguments.unique, min_length=arguments.min_length, max_length=arguments.max_length,
    )  # fmt: skip
    drawn.check()
    if arguments.json or arguments.csv:
        settings = {"seed": arguments.seed, "unique": arguments.unique}
        print_document(arguments, drawn.to_dict() | settings, _numbered(drawn.texts()))
    else:  # as a stream: there may be millions
        sys.stdout.writelines(f"{text}\n" for text in drawn.texts())


def _grammar(name: str, variables: str | None) -> Any:
    from symbed._text_files import read_text
    from symbed.workbench import read_grammar
    from symbed.workbench.grammar.text_format import GRAMMARS, named_grammar

    if name in GRAMMARS:
        return named_grammar(name, parse_variables("2" if variables is None else variables))
    if variables is not None:
        raise RangeError(f"--variables is for the named grammars; {name} has its own variables")
    return read_grammar(read_text(name))


def configure_equivalents(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed equivalents E``."""
    add = parser.add_argument
    add("e", metavar="E", help="an expression, such as 'C*sin(X_0)'")
    add("-n", type=int, default=10, metavar="N", help="how many (default: 10)")
    add("--seed", type=int, default=0, help="seed (default: 0)")
    add(
        "--variables", metavar="2|x,y",
        help="number or names of the variables (default: those of E)",
    )  # fmt: skip
    add("--domain", default="1:5", metavar="1:5", help="range of the variables (default: 1:5)")
    add("--parameters", default="0.2:5", metavar="0.2:5", help="range of the parameters")
    add_dialect_option(parser)
    add("--named", action="store_true", help="name each anonymous C: C_0, C_1 ...")


def run_equivalents(arguments: argparse.Namespace) -> None:
    """Other spellings of an expression that behave the same."""
    from symbed.workbench import Rewriter

    (expression,) = read_typed(arguments, [arguments.e], None)
    rewriter = Rewriter(
        expression,
        seed=arguments.seed,
        variables=None if arguments.variables is None else parse_variables(arguments.variables),
        domain=parse_range(arguments.domain, "--domain"),
        parameters=parse_range(arguments.parameters, "--parameters"),
    )
    rewriter.take(arguments.n, named=arguments.named)
    document = rewriter.to_dict(named=arguments.named)
    texts = document["equivalents"]
    if not print_document(arguments, document | {"seed": arguments.seed}, _numbered(texts)):
        sys.stdout.writelines(f"{text}\n" for text in texts)


def _numbered(texts: Any) -> list[dict[str, Any]]:
    return [{"line": line, "expression": text} for line, text in enumerate(texts, start=1)]
