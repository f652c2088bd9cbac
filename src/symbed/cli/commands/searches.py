"""Searching from the command line: an atlas or a file of expressions goes in; neighbors and
duplicates come out.
"""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from symbed.cli import plot_files as pictures
from symbed.cli import report
from symbed.cli.inputs import read_atlas
from symbed.cli.options import (
    add_language_options,
    add_measure_options,
    add_probe_options,
    add_worker_options,
    measure_settings,
    open_workers,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symbed.behavior.atlas import Atlas
    from symbed.distances.duplicates.duplicate_groups import DuplicateGroup, DuplicateGroups
    from symbed.distances.search.neighbors import Neighbors

SHOWN = 20  # groups, and members of each, that are printed for people; --json has all


def configure_nearest(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed nearest``."""
    add = parser.add_argument
    add("atlas", help="an atlas, or a file of expressions with --domain; - reads stdin")
    add("queries", nargs="+", metavar="E", help="an expression to look for, such as 'a*tanh(x)'")
    add("-k", type=int, help="how many (default: 10, or all if there are fewer)")
    add("--skip", action="store_true", help="pass over lines that cannot be read")
    add_language_options(parser)
    add_measure_options(parser)
    add_worker_options(parser)
    add_probe_options(parser)
    pictures.add_plot_options(parser, "the distances")


def nearest(arguments: argparse.Namespace) -> None:
    """``symbed nearest ATLAS E -k 10``."""
    import symbed

    queries = [query.strip() for query in arguments.queries]
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.atlas, workers)
        k = min(10, len(atlas)) if arguments.k is None else arguments.k
        found = symbed.nearest(queries, atlas, k, **measure_settings(arguments), **workers)
    rows: Any = zip(queries, found, strict=True)
    if arguments.json:
        results = [{"query": query, "neighbors": _listed(row, atlas)} for query, row in rows]
        report.print_json({"n_expressions": len(atlas), "k": k, "results": results})
    else:
        for query, row in rows:
            _print_neighbors(query, row, many=len(queries) > 1)
    pictures.draw_neighbors(arguments, found[0], queries[0])  # type: ignore[arg-type]


def configure_duplicates(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed duplicates``."""
    add = parser.add_argument
    add("formulas", help="a file of expressions, a PySR hall_of_fame.csv, or an atlas; - is stdin")
    add(
        "--within", type=float, metavar="D",
        help="largest distance to a representative (default: measured, what rounding does)",
    )  # fmt: skip
    add(
        "--prefer", metavar="COLUMN",
        help="column whose lowest number represents a group, or 'shortest' for the shortest text "
        "(default: loss if there is one)",
    )  # fmt: skip
    add("--all", action="store_true", help="print every group, those of a single member too")
    add("--skip", action="store_true", help="pass over lines that cannot be read")
    add_language_options(parser)
    add_measure_options(parser)
    add_worker_options(parser)
    add_probe_options(parser)
    pictures.add_plot_options(parser, "the front of losses, or the sizes of the groups")


def duplicates(arguments: argparse.Namespace) -> None:
    """``symbed duplicates FILE``."""
    import symbed

    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        name, prefer = _preference(arguments.prefer, atlas)
        found = symbed.duplicates(
            atlas, arguments.within, prefer=prefer, **measure_settings(arguments), **workers
        )
    if arguments.json:
        report.print_json(_document(found, name))
    else:
        _print_groups(found, arguments.all)
    pictures.draw_duplicates(arguments, found)


def _preference(given: str | None, atlas: Atlas) -> tuple[str, str | NDArray[np.float64]]:
    """What represents a group: its name, and what ``duplicates`` takes."""
    from symbed.errors import DataError

    name = given or ("loss" if "loss" in atlas.metadata else "shortest")
    if name == "shortest":
        return name, name
    numbers = {key: column for key, column in atlas.metadata.items() if hasattr(column, "dtype")}
    if name.lower() not in numbers:
        raise DataError(
            f"there is no column of numbers named {name!r}; "
            f"--prefer takes {', '.join(['shortest', *numbers])}"
        )
    return name, numbers[name.lower()].astype("float64")


def _listed(found: Neighbors, atlas: Atlas) -> list[dict[str, Any]]:
    return [
        {"index": one.index, "distance": one.distance, "text": one.label} | _facts(atlas, one.index)
        for one in found
        if not hasattr(one, "indices")
    ]


def _print_neighbors(query: str, found: Neighbors, *, many: bool) -> None:
    if many:
        print(f"# {query}")
    for index, distance, label in zip(found.indices, found.distances, found.labels, strict=True):
        print(f"{distance:<12.6g} {index + 1:>8}  {label}")


def _document(found: DuplicateGroups, preferred: str) -> dict[str, Any]:
    return {
        "n_expressions": len(found.groups),
        "n_groups": len(found),
        "n_duplicates": found.n_duplicates,
        "within": found.within,
        "prefer": preferred,
        "groups": [_group(group, found) for group in found],
        "skipped": [vars(line) for line in found.atlas.skipped],
    }


def _group(group: DuplicateGroup, found: DuplicateGroups) -> dict[str, Any]:
    members = zip(group.members.tolist(), group.distances.tolist(), group.labels, strict=True)
    return {
        "representative": group.representative,
        "text": group.labels[0],
        "undefined_everywhere": group.is_undefined,
        "members": [
            {"index": index, "text": text, "distance": distance} | _facts(found.atlas, index)
            for index, distance, text in members
        ],
    }


def _facts(atlas: Atlas, index: int) -> dict[str, Any]:
    """What the file said of one expression."""
    facts = {name: column[index] for name, column in atlas.metadata.items()}
    return {name: fact if isinstance(fact, str) else fact.item() for name, fact in facts.items()}


def _print_groups(found: DuplicateGroups, everything: bool) -> None:
    shown = list(found) if everything else list(islice(found.repeated, SHOWN))
    for group in shown:
        note = "   (defined nowhere: equal by definition only)" if group.is_undefined else ""
        print(f"{group.labels[0]}{note}")
        rows = zip(group.members[1:], group.distances[1:], group.labels[1:], strict=True)
        for index, distance, label in rows if everything else islice(rows, SHOWN):
            print(f"    {distance:<12.3g} {index + 1:>6}  {label}")
        if not everything and len(group) > SHOWN + 1:
            print(f"    ... and {len(group) - SHOWN - 1:,} more")
    hidden = sum(1 for _ in found.repeated) - len(shown)
    if hidden > 0:
        print(f"... and {hidden:,} more groups (--all or --json shows them)")
    print(
        f"{len(found.groups):,} expressions, {len(found):,} that differ, "
        f"{found.n_duplicates:,} duplicates"
    )
