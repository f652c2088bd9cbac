"""The commands: one row each; the parser of the command line is made from the rows."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from symbed.cli.commands import cluster as cluster_verbs
from symbed.cli.commands import convert as convert_verbs
from symbed.cli.commands import explore as explore_verbs
from symbed.cli.commands import fit as fit_verbs
from symbed.cli.commands import generators as generator_verbs
from symbed.cli.commands import matrix as matrix_verbs
from symbed.cli.commands import searches as search_verbs
from symbed.cli.commands import single_formulas as verbs
from symbed.cli.commands import survey as survey_verbs
from symbed.cli.options import add_measure_options, add_probe_options
from symbed.cli.plot_files import add_plot_options

Configure = Callable[[argparse.ArgumentParser], None]


class Command(NamedTuple):
    """One command: its name, its line of help, its arguments, and what runs."""

    name: str
    help: str
    configure: Configure
    run: Callable[[argparse.Namespace], None]


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of the command line.

    Parameters
    ----------
    words : sequence of str
        What was typed. Commands of other packages are looked for only where none of our own is
        named, since that look takes as long as a small command.
    """
    from symbed import __version__

    parser = argparse.ArgumentParser(
        prog="symbed", description="Measure how differently mathematical expressions behave."
    )
    parser.add_argument("--version", action="version", version=f"symbed {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    own = bool(words) and words[0] in {command.name for command in COMMANDS}
    for command in COMMANDS if own else (*COMMANDS, *plugin_commands()):
        sub = commands.add_parser(command.name, help=command.help, description=command.help)
        command.configure(sub)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(run=command.run)
    return parser


def plugin_commands() -> list[Command]:
    """Commands that other installed packages add, by entry points of the group ``symbed.commands``.

    Each entry point names a `Command`.
    """
    from importlib.metadata import entry_points

    return [point.load() for point in sorted(entry_points(group=PLUGIN_GROUP))]


PLUGIN_GROUP = "symbed.commands"


def protect(words: Sequence[str]) -> list[str]:
    """Words such as ``-x^2`` and ``-5:5`` are formulas and ranges, not options.

    A space in front keeps argparse from taking them for options; readers strip it.
    """
    return [f" {word}" if word != "-" and LOOKS_NEGATIVE.match(word) else word for word in words]


# Options are --words and the few short ones (-o, -k, -n16); anything else with a minus in front is
# a formula or a range.
LOOKS_NEGATIVE = re.compile(r"-(?!-)(?![oknh]\d*\Z)")


def _distance(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("f", metavar="F", help="another expression")
    add_probe_options(parser)
    add_measure_options(parser)
    add_plot_options(parser, "both behaviors, their CDFs at a point, and all points", along=True)


def _show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("e", metavar="E", help="an expression, such as 'C*x + C'")
    parser.add_argument("--variables", metavar="x,y", help="names that are variables")
    parser.add_argument(
        "--dialect",
        default="infix",
        help="infix (default), tokens, prefix, postfix, pysr, latex ... or auto",
    )


COMMANDS = (
    Command("distance", "the BED of two expressions", _distance, verbs.distance),
    Command("show", "how an expression is read", _show, verbs.show),
    Command(
        "matrix",
        "all distances in a file of expressions",
        matrix_verbs.configure_matrix,
        matrix_verbs.matrix,
    ),
    Command(
        "sample",
        "random expressions of a grammar",
        generator_verbs.configure_sample,
        generator_verbs.sample,
    ),
    Command(
        "equivalents",
        "other spellings of an expression that behave the same",
        generator_verbs.configure_equivalents,
        generator_verbs.equivalents,
    ),
    Command(
        "survey",
        "an atlas on disk of a file of expressions",
        survey_verbs.configure_survey,
        survey_verbs.survey,
    ),
    Command(
        "nearest",
        "the nearest expressions of an atlas or a file",
        search_verbs.configure_nearest,
        search_verbs.nearest,
    ),
    Command(
        "duplicates",
        "groups of expressions that behave the same",
        search_verbs.configure_duplicates,
        search_verbs.duplicates,
    ),
    Command(
        "cluster",
        "clusters of the expressions in a file",
        cluster_verbs.configure_cluster,
        cluster_verbs.cluster,
    ),
    Command(
        "convert",
        "formulas of one tool in the words of another",
        convert_verbs.configure_convert,
        convert_verbs.convert,
    ),
    Command("fit", "free parameters fitted to data", fit_verbs.configure_fit, fit_verbs.fit),
    Command(
        "explore",
        "the local web page",
        explore_verbs.configure_explore,
        explore_verbs.explore,
    ),
)
