"""``symbed show E``: how an expression is read, in every way in which it can be written."""

from __future__ import annotations

import argparse

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import add_define_option, build_definitions, parse_names
from symbed.cli.output import print_document


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("--variables", metavar="x,y", help="names that are variables")
    parser.add_argument(
        "--dialect",
        help="infix, tokens, prefix, postfix, pysr, latex ... (default: its words and names tell)",
    )
    add_define_option(parser.add_argument)


def _run(arguments: argparse.Namespace) -> None:
    from symbed.engine.program import listing
    from symbed.language.notation.printers import tree
    from symbed.language.parser import parse

    variables = parse_names(arguments.variables)
    if arguments.dialect is None:
        (expression,) = read_typed(arguments, [arguments.e], variables)
    else:
        expression = parse(
            arguments.e.strip(), variables, arguments.dialect,
            definitions=build_definitions(arguments),
        )  # fmt: skip
    program = listing(expression)
    if print_document(arguments, expression.to_dict() | {"program": program}):
        return
    print(f"text        {expression}")
    print(f"variables   {', '.join(expression.variables) or 'none'}")
    print(f"parameters  {', '.join(expression.parameters) or 'none'}")
    print(f"LaTeX       {expression.latex()}")
    print(f"tokens      {' '.join(expression.tokens())}")
    print(f"program     {' ; '.join(program)}")
    print(tree(expression))


COMMAND = Command("show", "how an expression is read", _configure, _run)
