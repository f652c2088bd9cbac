"""``symbed show``, ``convert``, ``sample`` and ``equivalents``: formulas read, written and made."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from symbed.cli._inputs import is_file, read_typed
from symbed.cli.options import (
    add_define_option,
    add_dialect_option,
    build_definitions,
    parse_names,
    parse_range,
)
from symbed.cli.output import print_document, tell
from symbed.errors import RangeError, SymbedError


def configure_show(parser: argparse.ArgumentParser) -> None:
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
    from_file = is_file(arguments.formulas)
    listing = list_formulas(arguments.formulas if from_file else [arguments.formulas])
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


def configure_sample(parser: argparse.ArgumentParser) -> None:
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
        return named_grammar(name, _variables("2" if variables is None else variables))
    if variables is not None:
        raise RangeError(f"--variables is for the named grammars; {name} has its own variables")
    return read_grammar(read_text(name))


def configure_equivalents(parser: argparse.ArgumentParser) -> None:
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
        variables=None if arguments.variables is None else _variables(arguments.variables),
        domain=parse_range(arguments.domain, "--domain"),
        parameters=parse_range(arguments.parameters, "--parameters"),
    )
    rewriter.take(arguments.n, named=arguments.named)
    document = rewriter.to_dict(named=arguments.named)
    texts = document["equivalents"]
    if not print_document(arguments, document | {"seed": arguments.seed}, _numbered(texts)):
        sys.stdout.writelines(f"{text}\n" for text in texts)


def _variables(words: str) -> int | list[str]:
    """A number of variables, or their names."""
    if words.strip().isdecimal():
        return int(words)
    return [word.strip() for word in words.split(",")]


def _numbered(texts: Any) -> list[dict[str, Any]]:
    return [{"line": line, "expression": text} for line, text in enumerate(texts, start=1)]
