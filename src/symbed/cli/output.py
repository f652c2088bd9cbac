"""What commands print and write: one JSON document, a table, what was skipped, a picture."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from symbed._json_values import json_values

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.formula_files.stream import FormulaStream


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; infinities are the string "inf"."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(json_values(document), ensure_ascii=not is_unicode, allow_nan=False))


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table with the names of all rows' columns; None is an empty cell."""
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(sys.stdout, list(names), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    """A value as a cell: several in one are separated by spaces."""
    if isinstance(value, Mapping):
        return " ".join(f"{name}={item}" for name, item in value.items())
    return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


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


def tell_skipped(atlas: Atlas, formulas: FormulaStream | None, most: int | None = None) -> None:
    """Tell on stderr which lines were passed over, the first ``most`` of them one by one."""
    for line in islice(atlas.skipped, most):
        place = formulas.line_of(line.line) if formulas else line.line
        print(f"symbed: line {place} skipped: {line.error}", file=sys.stderr)
    if most is not None and len(atlas.skipped) > most:
        print(f"symbed: {len(atlas.skipped) - most:,} more lines skipped", file=sys.stderr)


def shown_progress(arguments: argparse.Namespace) -> bool | None:
    """What ``progress`` a command asks for: nothing but the document, if that is wanted."""
    return False if arguments.json or arguments.csv else None


def save_plot(arguments: argparse.Namespace, axes: Any) -> None:
    """Write the picture that ``--plot`` asks for.

    Commands draw after the result was printed, so that nothing is lost if a picture cannot be.
    """
    from symbed.plots import save

    save(axes, arguments.plot)
    print(f"picture written to {arguments.plot}", file=sys.stderr)


def tell_redundant(groups: Iterable[tuple[str, ...]], of: str) -> None:
    """Tell on stderr which parameters of a formula act only together."""
    for names in groups:
        if len(names) == 1:
            said = f"{names[0]} of {of} does nothing there, as far as floats tell"
        else:
            said = f"{', '.join(names[:-1])} and {names[-1]} of {of} act only together"
        print(f"symbed: {said}; symbed effective says through what", file=sys.stderr)
