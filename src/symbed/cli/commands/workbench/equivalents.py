"""``symbed equivalents E``: other spellings of an expression that behave the same."""

from __future__ import annotations

import argparse
import sys

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import add_dialect_option, parse_range, parse_variables
from symbed.cli.output import print_document


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E", help="an expression, such as 'C*sin(X_0)'")
    add("-n", type=int, default=10, metavar="N", help="how many (default: 10)")
    add("--seed", type=int, default=0, help="seed (default: 0)")
    add(
        "--variables",
        metavar="2|x,y",
        help="number or names of the variables (default: those of E)",
    )
    add("--domain", default="1:5", metavar="1:5", help="range of the variables (default: 1:5)")
    add("--parameters", default="0.2:5", metavar="0.2:5", help="range of the parameters")
    add_dialect_option(parser)
    add("--named", action="store_true", help="name each anonymous C: C_0, C_1 ...")


def _run(arguments: argparse.Namespace) -> None:
    from symbed.workbench.equivalence.rewriting import Rewriter

    (expression,) = read_typed(arguments, [arguments.e], None)
    rewriter = Rewriter(
        expression,
        seed=arguments.seed,
        variables=None if arguments.variables is None else parse_variables(arguments.variables),
        domain=parse_range(arguments.domain, "--domain"),
        parameters=parse_range(arguments.parameters, "--parameters"),
    )
    texts = [str(expression) for expression in rewriter.take(arguments.n, named=arguments.named)]
    counted = rewriter.counts.most_common()
    document = {
        "expression": str(rewriter.base(arguments.named)),
        "equivalents": texts,
        "seed": arguments.seed,
        "transformations": {f"{row.law}: {row}": count for row, count in counted},
    }
    rows = [{"line": line, "expression": text} for line, text in enumerate(texts, start=1)]
    if not print_document(arguments, document, rows):
        sys.stdout.writelines(f"{text}\n" for text in texts)


COMMAND = Command(
    "equivalents", "other spellings of an expression that behave the same", _configure, _run
)
