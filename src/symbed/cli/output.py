"""What commands print and write: one JSON document, a table, what was skipped, a picture."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.formula_files import FormulaStream


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document; infinities are the string "inf"."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    print(json.dumps(_plain(document), ensure_ascii=not is_unicode, allow_nan=False))


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table with the names of the first row's columns; None is an empty cell."""
    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _plain(value: Any) -> Any:
    """A value without infinities and NaN, for which JSON has no numbers."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def tell_skipped(atlas: Atlas, formulas: FormulaStream | None, most: int | None = None) -> None:
    """Tell on stderr which lines were passed over, the first ``most`` of them one by one."""
    for line in islice(atlas.skipped, most):
        place = formulas.line_of(line.line) if formulas else line.line
        print(f"symbed: line {place} skipped: {line.error}", file=sys.stderr)
    if most is not None and len(atlas.skipped) > most:
        print(f"symbed: {len(atlas.skipped) - most:,} more lines skipped", file=sys.stderr)


def shown_progress(arguments: argparse.Namespace) -> bool | None:
    """What ``progress`` a command asks for: nothing but the document, if that is wanted."""
    return False if arguments.json else None


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
