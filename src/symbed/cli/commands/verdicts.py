"""``symbed decide``, ``relate`` and ``effective``: sameness with its evidence."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import Any

from symbed.cli._inputs import is_file, read_typed
from symbed.cli.options import (
    add_dialect_option,
    build_definitions,
    parse_domain,
    parse_names,
    parse_ranges,
)
from symbed.cli.output import print_document, shown_progress, tell
from symbed.errors import DataError, RangeError, SymbedError

N_COLUMNS = 2  # of a file of pairs that names no columns


def configure_decide(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E|FILE", help="a formula without parameters, or a table of pairs")
    add("f", metavar="F", nargs="?", help="another formula; left out for a table of pairs")
    add("--domain", action="append", metavar="x=-5:5", help="range of a variable; repeat")
    add("--columns", metavar="E,F", help="the two columns of the table (default: the first two)")
    add("--workers", type=int, metavar="N", help="processes for a table (default: all cores)")
    add_dialect_option(parser)
    _add_seconds(parser)


def run_decide(arguments: argparse.Namespace) -> None:
    """Whether two formulas are the same function, or each pair of a table."""
    import symbed

    domain = parse_domain(arguments)
    if arguments.f is None:
        if not is_file(arguments.e):
            raise DataError(f"No such file: {arguments.e}; give a second formula, or a table")
        if arguments.dialect or arguments.define:
            raise RangeError("--dialect and --define are for two formulas that are typed")
        _decide_pairs(arguments, domain)
        return
    e, f = read_typed(arguments, (arguments.e, arguments.f), domain)
    verdict = symbed.decide(e, f, domain, **_seconds(arguments))
    if not print_document(arguments, verdict.to_dict()):
        print(verdict)


def _decide_pairs(arguments: argparse.Namespace, domain: dict[str, tuple[float, float]]) -> None:
    from symbed.verdicts import decide_pairs

    es, fs, lines = _pairs(arguments.e, arguments.columns)
    try:
        verdicts = decide_pairs(
            es, fs, domain, workers=arguments.workers, progress=shown_progress(arguments),
            **_seconds(arguments),
        )  # fmt: skip
    except SymbedError as error:
        if error.line is not None:  # of the pairs; a person looks for it in the file
            error.line = lines[error.line - 1]
        raise
    rows = [
        {"line": line, "e": e, "f": f} | verdict.to_dict()
        for line, e, f, verdict in zip(lines, es, fs, verdicts, strict=False)
    ]
    if not print_document(arguments, verdicts.to_dict(), rows):
        for row in rows:
            print(f"{row['verdict']:10} {row['grade']:10} {row['e']}   {row['f']}")


def _pairs(path: str, columns: str | None) -> tuple[list[str], list[str], list[int]]:
    """The two columns of a table, and the lines of its rows."""
    import csv

    from symbed._text_files import open_text

    with open_text(path) as file:
        header = file.readline()
        separator = max((",", "\t", ";"), key=header.count)
        reader = csv.DictReader(chain([header], file), delimiter=separator)
        known = tuple(reader.fieldnames or ())
        rows = [(row, reader.line_num) for row in reader]
    names = parse_names(columns) or known[:N_COLUMNS]
    if len(names) != N_COLUMNS or not set(names) <= set(known):
        told = ", ".join(known) or "none"
        raise DataError(f"{path} needs two columns of formulas; add --columns E,F; it has {told}")
    if not rows:
        raise DataError(f"{path} has no pairs below its header")
    es, fs = ([row[name] or "" for row, _ in rows] for name in names)
    return es, fs, [line for _, line in rows]


def configure_relate(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("e", metavar="E", help="a formula with free parameters, such as 'a*exp(b + x)'")
    add("f", metavar="F|FILE", help="another formula, or a file of formulas")
    add_dialect_option(parser)
    _add_ranges(parser)
    add("--seed", type=int, default=0, help="seed of the members that are tried (default: 0)")
    add("--workers", type=int, metavar="N", help="processes for a file (default: all cores)")
    _add_seconds(parser)


def run_relate(arguments: argparse.Namespace) -> None:
    """Whether one family of functions is the other, or a special case; or each of a file."""
    import symbed

    domain = parse_domain(arguments)
    f = arguments.f.strip()
    (e,) = read_typed(arguments, [arguments.e], domain)
    settings = {
        "parameters": parse_ranges(arguments.parameters, "--parameters"),
        "seed": arguments.seed,
        **_seconds(arguments),
    }
    if is_file(f):
        _relate_file(arguments, e, f, domain, settings)
        return
    (other,) = read_typed(arguments, [f], domain)
    relation = symbed.relate(e, other, domain, **settings)
    if not print_document(arguments, relation.to_dict()):
        print(relation)
        print(f"form distance  {relation.distance:.4g}")


def _relate_file(
    arguments: argparse.Namespace, e: Any, path: str, domain: Any, settings: dict[str, Any]
) -> None:
    from symbed import read_formulas
    from symbed.verdicts import relate_many

    formulas = read_formulas(
        path, dialect=arguments.dialect, domain=domain, definitions=build_definitions(arguments)
    )
    if formulas.reason:
        tell(f"read as {formulas.dialect}")
    relations = relate_many(
        e, formulas.expressions, domain, **settings,
        workers=arguments.workers, progress=shown_progress(arguments),
    )  # fmt: skip
    rows = [
        {"line": line, "label": label} | relation.to_dict()
        for line, label, relation in zip(formulas.lines, formulas.labels, relations, strict=False)
    ]
    if not print_document(arguments, relations.to_dict(), rows):
        for row in rows:
            print(f"{row['relation']:10} {row['distance']:<10.4g} {row['label']}")


def configure_effective(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="a formula with free parameters: 'a*b*x + c'")
    add_dialect_option(parser)
    _add_ranges(parser)


def run_effective(arguments: argparse.Namespace) -> None:
    """How many of a formula's parameters really act, and through what."""
    import symbed

    parameters = parse_ranges(arguments.parameters, "--parameters")
    domain = parse_domain(arguments)
    (expression,) = read_typed(arguments, [arguments.e], domain)
    result = symbed.effective(expression, domain, parameters)
    if not print_document(arguments, result.to_dict()):
        print(result)


def _add_ranges(parser: argparse.ArgumentParser) -> None:
    """Ranges of a family of functions: nothing is sampled, so that they may be infinite."""
    add = parser.add_argument
    add("--domain", action="append", metavar="x=0:5", help="range of a variable; repeat, or commas")
    add(
        "--parameters", action="append", metavar="0:inf",
        help="range of the parameters, or a=0:inf for one of them (default: all real numbers)",
    )  # fmt: skip


def _add_seconds(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, metavar="S", help="how long to try, for each pair")


def _seconds(arguments: argparse.Namespace) -> dict[str, Any]:
    """``seconds`` if it was given; the verbs have their own defaults."""
    return {} if arguments.seconds is None else {"seconds": arguments.seconds}
