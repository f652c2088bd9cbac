"""``symbed convert``: formulas of one tool in the words of another."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.command_table import Command
from symbed.cli.inputs import open_formulas
from symbed.cli.options import parse_names
from symbed.cli.output import print_json

if TYPE_CHECKING:
    from symbed.language.expression import Expression


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
    add("--dialects", action="store_true", help="list the dialects and what each of them means")


def _run(arguments: argparse.Namespace) -> None:
    from symbed.language.dialects.detection import detect_all

    if arguments.dialects:
        _list_dialects(as_json=arguments.json)
        return
    variables = parse_names(arguments.variables)
    sources, is_hall_of_fame = _sources(arguments.formulas)
    dialect = arguments.source
    if dialect == "auto":
        dialect = "pysr" if is_hall_of_fame else detect_all(sources, variables)
        print(f"symbed: read as {dialect}", file=sys.stderr)
    rows = [_converted(source, dialect, variables, arguments) for source in sources]
    if arguments.json:
        document = {"from": dialect, "to": arguments.target, "formulas": rows}
        print_json(document)
        return
    for row in rows:
        print(row["text"])
    for note in dict.fromkeys(note for row in rows for note in row["notes"]):
        print(f"symbed: {note}", file=sys.stderr)


def _sources(given: str) -> tuple[list[str], bool]:
    """The formulas of a file, of standard input, or the one given; whether PySR wrote the file."""
    if given != "-" and not Path(given).is_file():
        return [given.strip()], False
    with open_formulas(given) as found:
        lines = (line.strip() for line in found.sources)
        formulas = [line for line in lines if line and not line.startswith("#")]
        return formulas, found.is_hall_of_fame


def _converted(
    source: str, dialect: str, variables: tuple[str, ...] | None, arguments: argparse.Namespace
) -> dict[str, Any]:
    import symbed

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        expression = symbed.parse(source, variables, dialect, arguments.constants)
    return {
        "source": source,
        "text": expression.to(arguments.target, variables),
        "infix": str(expression),
        **_names(expression),
        "notes": [str(note.message) for note in caught],
    }


def _names(expression: Expression) -> dict[str, list[str]]:
    return {
        "variables": list(expression.variables),
        "parameters": list(expression.parameters),
    }


def _list_dialects(*, as_json: bool) -> None:
    from symbed.language.dialects.tools import TOOLS

    rows = [tool.describe() for tool in TOOLS.values()]
    if as_json:
        print_json({"dialects": rows})
        return
    for row in rows:
        base = "named" if row["index_base"] is None else f"from {row['index_base']}"
        print(f"{row['name']:10} {row['title']}: variables {base}, log {row['log'] or 'none'}")


COMMAND = Command("convert", "formulas of one tool in the words of another", _configure, _run)
