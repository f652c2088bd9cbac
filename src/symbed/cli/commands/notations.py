"""``symbed show`` and ``convert``: how formulas are read, and how other tools write them."""

from __future__ import annotations

import argparse

from symbed.cli.inputs import is_file, read_typed
from symbed.cli.options import add_define_option, build_definitions, parse_names
from symbed.cli.output import print_document, tell
from symbed.errors import SymbedError


def configure_show(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed show E``."""
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("--variables", metavar="x,y", help="names that are variables")
    parser.add_argument(
        "--dialect",
        help="infix, tokens, prefix, postfix, pysr, latex ... (default: its words and names tell)",
    )
    add_define_option(parser.add_argument)


def run_show(arguments: argparse.Namespace) -> None:
    """How an expression is read, in every way in which it can be written."""
    import symbed
    from symbed.engine.program import listing
    from symbed.language.printers import tree

    variables = parse_names(arguments.variables)
    if arguments.dialect is None:
        (expression,) = read_typed(arguments, [arguments.e], variables)
    else:
        expression = symbed.parse(
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


def configure_convert(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed convert``."""
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


def run_convert(arguments: argparse.Namespace) -> None:
    """Formulas of one tool in the words of another."""
    from symbed.formula_files.dialect_choice import choose_dialect
    from symbed.formula_files.formulas import list_formulas
    from symbed.language.parser import check_literals

    if arguments.dialects:
        _list_dialects(arguments)
        return
    given = arguments.formulas
    from_file = is_file(given)
    listing = list_formulas(given if from_file else [given])
    translator = choose_dialect(
        listing.formulas, arguments.source, arguments.constants, parse_names(arguments.variables),
        is_hall_of_fame=listing.is_hall_of_fame, definitions=build_definitions(arguments),
    ).translator  # fmt: skip
    if arguments.source == "auto":
        tell(f"read as {translator.dialect}")
    converted = []
    for line, source in zip(listing.lines, listing.formulas, strict=True):
        try:
            if isinstance(source, str):
                check_literals(source)
            converted.append(translator.convert(source, arguments.target))
        except SymbedError as error:
            error.line = line if from_file else None
            raise
    rows = [formula.to_dict() for formula in converted]
    document = {"from": translator.dialect, "to": arguments.target, "formulas": rows}
    numbered = [{"line": line} | row for line, row in zip(listing.lines, rows, strict=True)]
    if print_document(arguments, document, numbered):
        return
    for formula in converted:
        print(formula.text)
    for note in dict.fromkeys(formula.note for formula in converted if formula.note):
        tell(note)


def _list_dialects(arguments: argparse.Namespace) -> None:
    from symbed.language.dialects.tool_table import TOOLS

    rows = [tool.describe() for tool in TOOLS.values()]
    if print_document(arguments, {"dialects": rows}, rows):
        return
    for row in rows:
        base = "named" if row["index_base"] is None else f"from {row['index_base']}"
        print(f"{row['name']:10} {row['title']}: variables {base}, log {row['log'] or 'none'}")
