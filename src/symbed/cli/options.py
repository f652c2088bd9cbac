"""The options that several commands share, and what they mean to the library."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from symbed.errors import MissingRange, RangeError

if TYPE_CHECKING:
    from symbed.language.definitions import Definitions
    from symbed.sampling.probe import Probe

Range = tuple[float, float]


def add_probe_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a probe."""
    add = parser.add_argument_group("where to look").add_argument
    add("--domain", action="append", metavar="x=1:5", help="range of a variable; repeat, or commas")
    add("--data", metavar="FILE", help="take the points from a .csv, .parquet or .npy file")
    add(
        "--parameters", action="append", metavar="1:5",
        help="range of the free parameters, or a=1:5 for one of them; repeat, or commas",
    )  # fmt: skip
    add("--points", type=int, default=64, metavar="N", help="number of points (default: 64)")
    add("--draws", type=int, default=32, metavar="M", help="number of draws (default: 32)")
    add("--design", default="lattice", help="sampling design (default: lattice)")
    add("--limit", type=float, default=float("inf"), help="outputs beyond it are undefined")
    add("--seed", type=int, default=0, help="seed (default: 0)")


def build_probe(arguments: argparse.Namespace) -> Probe:
    """The probe that the options describe."""
    from symbed.sampling.probe import Probe

    parameters = parse_ranges(arguments.parameters, "--parameters")
    common = {name: getattr(arguments, name) for name in ("design", "limit", "seed")}
    common["n_draws"] = arguments.draws
    if arguments.data and arguments.domain:
        raise RangeError("give --domain or --data, not both")
    if arguments.data:
        from symbed.cli._inputs import read_table  # which imports this module

        data = read_table(arguments.data)
        return Probe.at(data.X, data.names, parameters=parameters, **common)
    return Probe(parse_domain(arguments), parameters, n_points=arguments.points, **common)


def parse_domain(arguments: argparse.Namespace) -> dict[str, Range]:
    """The range of each variable, from ``--domain``."""
    if not arguments.domain:
        raise MissingRange("a domain is needed: add --domain x=1:5 for each variable")
    return _named_ranges(parse_words(arguments.domain), "--domain")


def parse_ranges(texts: list[str] | None, option: str) -> Range | dict[str, Range] | None:
    """One range for all names, or one for each name; None where the option was not given."""
    words = parse_words(texts)
    if not words:
        return None
    if any("=" in word for word in words):
        return _named_ranges(words, option)
    if len(words) > 1:
        raise RangeError(f"{option} needs one range, or name=low:high for each, got {words}")
    return parse_range(words[0], option)


def parse_range(text: str, owner: str) -> Range:
    """A range from its text, such as ``1:5``; ``owner`` is who has it, for the error."""
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise RangeError(f"{owner} needs low:high, such as 1:5, got {text!r}") from None


def parse_words(texts: list[str] | None) -> list[str]:
    """The words of an option that was given several times, or with commas."""
    return [word.strip() for text in texts or () for word in text.split(",") if word.strip()]


def _named_ranges(words: list[str], option: str) -> dict[str, Range]:
    ranges: dict[str, Range] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise RangeError(f"{option} needs name=low:high, got {word!r}")
        named = parse_range(text, f"{option} {name}")
        if name in ranges:
            raise RangeError(f"{option} names {name!r} twice; give each name one range")
        ranges[name] = named
    return ranges


def add_language_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say whose formulas a file holds."""
    add = parser.add_argument_group("whose formulas").add_argument
    add(
        "--dialect", "--from", metavar="NAME",
        help="whose formulas they are, such as gplearn; infix is symbed's own; `symbed convert "
        "--dialects` lists them (default: their words and names tell)",
    )  # fmt: skip
    add(
        "--constants", choices=("keep", "lift"), default="keep",
        help="lift makes free parameters of fitted constants, to compare forms (default: keep)",
    )  # fmt: skip
    add("--variables", metavar="x,y", help="names of the tool's numbered variables, in their order")
    add_define_option(add)
    add("--skip", action="store_true", help="pass over lines that cannot be read")


def add_dialect_option(parser: argparse.ArgumentParser) -> None:
    """Add the option that says whose formula was typed or pasted."""
    parser.add_argument(
        "--dialect", "--from", metavar="NAME",
        help="whose formula it is, such as gplearn; infix is symbed's own (default: its words and "
        "names tell)",
    )  # fmt: skip
    add_define_option(parser.add_argument)


def add_define_option(add: Callable[..., Any]) -> None:
    """Add ``--define``, for functions of the user's own."""
    add(
        "--define", action="append", metavar="'f(x) = ...'",
        help="a function that formulas may call, such as 'hill(x, n) = x^n/(1 + x^n)', or a file "
        "of such lines; repeat",
    )  # fmt: skip


def build_definitions(arguments: argparse.Namespace) -> Definitions | None:
    """The functions that ``--define`` gives; None without."""
    words = getattr(arguments, "define", None)
    if not words:
        return None
    from symbed.language.definitions import read_definitions

    return read_definitions(words)


def parse_names(words: str | None) -> tuple[str, ...] | None:
    """The names in a list with commas; None where none was given."""
    return tuple(name.strip() for name in words.split(",")) if words else None


def parse_column(word: str | None) -> str | int:
    """A column by its name or its number; the last one where none was given."""
    word = "-1" if word is None else word.strip()
    return int(word) if re.fullmatch(r"[-+]?\d+", word) else word


def add_measure_options(
    parser: argparse.ArgumentParser,
    *,
    metric: str = "wasserstein",
    metrics: str = "wasserstein, relative, arcsinh, trajectory or energy",
) -> None:
    """Add the options that say how to measure; ``metrics`` is the list that the help gives."""
    add = parser.add_argument_group("how to measure").add_argument
    add("--metric", default=metric, help=metrics.replace(metric, f"{metric} (default)"))
    add("--p", type=int, default=1, help="order of the Wasserstein distance: 1 or 2")
    add(
        "--mismatch", type=float, default=float("inf"), metavar="D",
        help="distance at points where only one side is defined (default: inf)",
    )  # fmt: skip
    add("--undefined", default="strict", help="strict (default), or cemetery with --penalty")
    add("--penalty", type=float, metavar="D", help="from zero to the cemetery of undefined outputs")


def measure_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings of the measure, as the verbs of distance take them."""
    names = ("metric", "p", "mismatch", "undefined", "penalty")
    return {name: getattr(arguments, name) for name in names}


def add_list_options(parser: argparse.ArgumentParser, **measure: str) -> None:
    """Add the options of commands on many formulas: whose, how to measure, who works, where."""
    add_language_options(parser)
    add_measure_options(parser, **measure)
    add_worker_options(parser)
    add_probe_options(parser)


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say who works."""
    add = parser.add_argument_group("who works").add_argument
    add("--workers", type=int, metavar="N", help="threads (default: all cores)")
    add("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tcp://host:8786")


@contextmanager
def open_workers(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The arguments ``workers`` and ``executor`` that the options ask for."""
    from symbed.parallel import open_cluster

    with open_cluster(arguments.scheduler) as executor:
        yield {"workers": arguments.workers, "executor": executor}


def add_plot_options(parser: argparse.ArgumentParser, what: str, *, along: bool = False) -> None:
    """Add ``--plot``, and ``--along`` where the picture runs along a variable."""
    add = parser.add_argument_group("picture").add_argument
    drawn = f"draw {what}: a .png, .svg or .pdf file"
    add("--plot", type=_picture_file, metavar="FILE", help=drawn)
    if along:
        add("--along", metavar="x", help="variable on the x axis (default: the first)")


def _picture_file(path: str) -> str:
    """A path that a picture can be written to; anything else is wrong usage."""
    from symbed.plots.canvas import checked_path

    try:
        return str(checked_path(path))
    except RangeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
