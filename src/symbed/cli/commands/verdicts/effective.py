"""``symbed effective E``: how many of a formula's parameters really act, and through what."""

from __future__ import annotations

import argparse

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import (
    add_dialect_option,
    add_family_options,
    parse_domain,
    parse_ranges,
)
from symbed.cli.output import print_document


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="a formula with free parameters: 'a*b*x + c'")
    add_dialect_option(parser)
    add_family_options(parser)


def _run(arguments: argparse.Namespace) -> None:
    from symbed.verdicts.families.effective_parameters import effective

    parameters = parse_ranges(arguments.parameters, "--parameters")
    domain = parse_domain(arguments)
    (expression,) = read_typed(arguments, [arguments.e], domain)
    result = effective(expression, domain, parameters)
    if not print_document(arguments, result.to_dict()):
        print(result)


COMMAND = Command("effective", "how many parameters a formula really has", _configure, _run)
