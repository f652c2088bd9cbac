"""``symbed relate E F``: whether one family of functions is the other, or a special case of it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from symbed.cli.command_table import Command
from symbed.cli.inputs import read_typed
from symbed.cli.options import (
    add_dialect_option,
    add_family_options,
    add_seconds_option,
    build_definitions,
    parse_domain,
    parse_ranges,
)
from symbed.cli.output import print_document, shown_progress


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E", help="a formula with free parameters, such as 'a*exp(b + x)'")
    add("f", metavar="F|FILE", help="another formula, or a file of formulas")
    add_dialect_option(parser)
    add_family_options(parser)
    add("--seed", type=int, default=0, help="seed of the members that are tried (default: 0)")
    add("--workers", type=int, metavar="N", help="processes for a file (default: all cores)")
    add_seconds_option(parser)


def _run(arguments: argparse.Namespace) -> None:
    from symbed.verdicts.families.relation import relate
    from symbed.verdicts.families.relation_lists import relate_many

    domain = parse_domain(arguments)
    parameters = parse_ranges(arguments.parameters, "--parameters")
    f = arguments.f.strip()
    (e,) = read_typed(arguments, [arguments.e], domain)
    seconds = {} if arguments.seconds is None else {"seconds": arguments.seconds}
    if f == "-" or Path(f).is_file():
        from symbed.formula_files.listing import read_formulas

        formulas = read_formulas(
            f, dialect=arguments.dialect, domain=domain, definitions=build_definitions(arguments)
        )
        if formulas.reason:
            print(f"symbed: read as {formulas.dialect}", file=sys.stderr)
        relations = relate_many(
            e,
            formulas.expressions,
            domain,
            parameters,
            seed=arguments.seed,
            workers=arguments.workers,
            progress=shown_progress(arguments),
            **seconds,
        )
        rows = [
            {"line": formulas.lines[row], "label": formulas.labels[row]} | relation.to_dict()
            for row, relation in enumerate(relations)
        ]
        if print_document(arguments, relations.to_dict(), rows):
            return
        for label, relation in zip(formulas.labels, relations, strict=False):
            print(f"{relation.relation:10} {relation.distance:<10.4g} {label}")
        return
    (other,) = read_typed(arguments, [f], domain)
    relation = relate(e, other, domain, parameters, seed=arguments.seed, **seconds)
    if not print_document(arguments, relation.to_dict()):
        print(relation)
        print(f"form distance  {relation.distance:.4g}")


COMMAND = Command("relate", "how two families of functions relate", _configure, _run)
