"""What commands print and write: one JSON document, a table, lines for people, a picture."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symbed._export import json_values


def print_document(
    arguments: argparse.Namespace,
    document: dict[str, Any],
    rows: Sequence[Mapping[str, Any]] | None = None,
) -> bool:
    """Print a result as JSON or as a table, if one of them was asked for; tells whether it was.

    Parameters
    ----------
    arguments : Namespace
        With ``--json`` and ``--csv``.
    document : dict
        The result's ``to_dict()``.
    rows : sequence of mappings, optional
        Its rows; by default the document is the only one.
    """
    if arguments.json:
        print_json(document)
    elif arguments.csv:
        print_csv([document] if rows is None else rows)
    return bool(arguments.json or arguments.csv)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; infinities are the string "inf"."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(json_values(document), ensure_ascii=not is_unicode, allow_nan=False))


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table; nested values become columns with dots in their names, None an empty cell."""
    flat = [dict(_cells(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    owners = {name.rpartition(".")[0] for name in names}  # mappings that are None in other rows
    columns = [name for name in names if name not in owners]
    writer = csv.DictWriter(sys.stdout, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(flat)


def _cells(row: Mapping[str, Any], owner: str = "") -> Iterable[tuple[str, Any]]:
    """The cells of a row, of mappings in it too; a list is one cell, its items with spaces."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from _cells(value, f"{owner}{name}.")
        elif not isinstance(value, (list, tuple)):
            yield owner + name, value
        elif any(isinstance(item, (list, tuple, Mapping)) for item in value):
            yield owner + name, json.dumps(json_values(value))  # lists in a list: spaces would mix
        else:
            yield owner + name, " ".join(map(str, value))


def tell(sentence: str) -> None:
    """Say something beside the result, on stderr."""
    print(f"symbed: {sentence}", file=sys.stderr)


def tell_redundant(groups: Iterable[tuple[str, ...]], of: str) -> None:
    """Tell which parameters of a formula act only together."""
    for names in groups:
        if len(names) == 1:
            said = f"{names[0]} of {of} does nothing there, as far as floats tell"
        else:
            said = f"{', '.join(names[:-1])} and {names[-1]} of {of} act only together"
        tell(f"{said}; symbed effective says through what")


def shown_progress(arguments: argparse.Namespace) -> bool | None:
    """What ``progress`` a command asks for: nothing but the document, if that is wanted."""
    return False if arguments.json or arguments.csv else None


def draw(arguments: argparse.Namespace, picture: Callable[[Any], Any]) -> None:
    """Write the picture that ``--plot`` asks for, if it asks for one.

    Commands draw after the result was printed, so that nothing is lost if a picture cannot be.

    Parameters
    ----------
    arguments : Namespace
        With ``--plot``.
    picture : callable
        From `symbed.plots` to the axes; matplotlib is not imported before.
    """
    if arguments.plot:
        from symbed import plots

        plots.save(picture(plots), arguments.plot)
        print(f"picture written to {arguments.plot}", file=sys.stderr)
