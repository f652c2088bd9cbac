"""``symbed sample`` and ``symbed equivalents``: options go in, expressions come out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from symbed.cli.options import parse_range
from symbed.cli.report import print_json
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.workbench.grammar.grammar import Grammar


def configure_sample(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``symbed sample``."""
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


def sample(arguments: argparse.Namespace) -> None:
    """``symbed sample``."""
    from symbed.workbench.grammar.sampling import sample

    found = sample(
        _grammar(arguments.grammar, arguments.variables),
        arguments.n,
        seed=arguments.seed,
        unique=arguments.unique,
        min_length=arguments.min_length,
        max_length=arguments.max_length,
    )
    found.check()
    if arguments.json:
        rules = [str(rule) for rule in found.grammar.rules]
        print_json(
            {
                "expressions": list(found.texts()),
                "seed": arguments.seed,
                "unique": arguments.unique,
                "n_attempts": found.n_attempts,
                "rule_counts": dict(zip(rules, found.rule_counts.tolist(), strict=True)),
            }
        )
    else:
        sys.stdout.writelines(f"{text}\n" for text in found.texts())


def configure_equivalents(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``symbed equivalents``."""
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
    add("--named", action="store_true", help="name each anonymous C: C_0, C_1 ...")


def equivalents(arguments: argparse.Namespace) -> None:
    """``symbed equivalents E``."""
    from symbed.workbench.equivalence.rewriting import Rewriter

    rewriter = Rewriter(
        arguments.e.strip(),
        seed=arguments.seed,
        variables=None if arguments.variables is None else _variables(arguments.variables),
        domain=parse_range(arguments.domain, "--domain"),
        parameters=parse_range(arguments.parameters, "--parameters"),
    )
    found = [str(expression) for expression in rewriter.take(arguments.n, named=arguments.named)]
    if arguments.json:
        print_json(
            {
                "expression": str(rewriter.base(arguments.named)),
                "equivalents": found,
                "seed": arguments.seed,
                "transformations": {
                    f"{row.law}: {row}": count for row, count in rewriter.counts.most_common()
                },
            }
        )
    else:
        sys.stdout.writelines(f"{text}\n" for text in found)


def _grammar(name: str, variables: str | None) -> Grammar:
    from symbed.workbench.grammar.named_grammars import GRAMMARS, named_grammar
    from symbed.workbench.grammar.text_format import read_grammar

    if name in GRAMMARS:
        return named_grammar(name, _variables("2" if variables is None else variables))
    if variables is not None:
        raise RangeError(f"--variables is for the named grammars; {name} has its own variables")
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    return read_grammar(text)


def _variables(words: str) -> int | list[str]:
    """A number of variables, or their names."""
    if words.strip().isdecimal():
        return int(words)
    return [word.strip() for word in words.split(",")]
