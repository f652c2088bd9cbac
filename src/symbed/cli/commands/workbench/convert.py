"""``symbed convert``: formulas of one tool in the words of another."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from symbed.cli.command_table import Command
from symbed.cli.options import add_define_option, build_definitions, parse_names
from symbed.cli.output import print_document


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "formulas", nargs="?", default="-", metavar="FILE|EXPR",
        help="a file of formulas, a hall_of_fame.csv, or one formula; - reads stdin (default)",
    )  # fmt: skip
    add("--from", dest="source", default="auto", metavar="DIALECT", help="whose (default: auto)")
    add("--to", dest="target", default="infix", metavar="DIALECT", help="default: infix")
    add("--constants", default="keep", metavar="keep|lift", help="lift makes parameters of them")
    add("--variables", metavar="x,y", help="names of the columns in their order")
    add_define_option(add)
    add("--dialects", action="store_true", help="list the dialects and what each of them means")


def _run(arguments: argparse.Namespace) -> None:
    from symbed.formula_files.listing import list_formulas

    if arguments.dialects:
        _list_dialects(arguments)
        return
    given = arguments.formulas
    is_file = given == "-" or Path(given).is_file()
    listing = list_formulas(given if is_file else [given])
    variables = parse_names(arguments.variables)
    translator, _ = listing.translator(
        arguments.source, arguments.constants, variables, definitions=build_definitions(arguments)
    )
    if arguments.source == "auto":
        print(f"symbed: read as {translator.dialect}", file=sys.stderr)
    converted = [translator.convert(source, arguments.target) for source in listing.formulas]
    rows = [formula.to_dict() for formula in converted]
    document = {"from": translator.dialect, "to": arguments.target, "formulas": rows}
    numbered = [{"line": line} | row for line, row in zip(listing.lines, rows, strict=True)]
    if print_document(arguments, document, numbered):
        return
    for formula in converted:
        print(formula.text)
    for note in dict.fromkeys(formula.note for formula in converted if formula.note):
        print(f"symbed: {note}", file=sys.stderr)


def _list_dialects(arguments: argparse.Namespace) -> None:
    from symbed.language.dialects.tool_table import TOOLS

    rows = [tool.describe() for tool in TOOLS.values()]
    if print_document(arguments, {"dialects": rows}, rows):
        return
    for row in rows:
        base = "named" if row["index_base"] is None else f"from {row['index_base']}"
        print(f"{row['name']:10} {row['title']}: variables {base}, log {row['log'] or 'none'}")


COMMAND = Command("convert", "formulas of one tool in the words of another", _configure, _run)
