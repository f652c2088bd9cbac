"""``symbed duplicates FILE``: groups of expressions that behave the same."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING, Any

from symbed.cli.inputs import read_atlas
from symbed.cli.options import add_list_options, add_plot_options, measure_settings, open_workers
from symbed.cli.output import draw, print_document, tell
from symbed.errors import DataError

if TYPE_CHECKING:
    from symbed import Atlas, DuplicateGroups
    from symbed._types import Floats

# Columns that hold a loss, the likeliest first; lower is better in all of them.
LOSSES = (
    "loss", "rmse", "mse", "mae", "error", "fitness", "nmse", "train_loss", "score_loss",
    "objective", "cost",
)  # fmt: skip
COMPLEXITY = "complexity"  # the other axis of a front
SHOWN = 20  # groups, and members of each, that are printed for people; --json has all


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
    add(
        "--confirm", choices=("points", "decide"), default="points",
        help="merge what is equal at fresh points, too (default), or only what a verdict proves",
    )  # fmt: skip
    add("--all", action="store_true", help="print every group, those of a single member too")
    add_list_options(parser)
    add_plot_options(parser, "the front of losses, or the sizes of the groups")


def run_duplicates(arguments: argparse.Namespace) -> None:
    """Groups of expressions that behave the same."""
    import symbed

    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        name = _preference(arguments.prefer, atlas)
        groups = symbed.duplicates(
            atlas, arguments.within, prefer=name, confirm=arguments.confirm,
            **measure_settings(arguments), **workers,
        )  # fmt: skip
    document = groups.to_dict() | {"prefer": name}
    rows = [
        {"group": number, "is_representative": not place, **member}
        for number, group in enumerate(document["groups"])
        for place, member in enumerate(group["members"])
    ]
    if not print_document(arguments, document, rows):
        _print(groups, arguments.all)
    losses = _losses(atlas, name)
    draw(
        arguments,
        lambda plots: plots.groups(groups) if losses is None else plots.pareto(groups, loss=losses),
    )


def _preference(given: str | None, atlas: Atlas) -> str:
    """What represents a group, as ``duplicates`` takes it; told where it was chosen."""
    numbers = _columns_of_numbers(atlas)
    usual = next((name for name in LOSSES if name in numbers), "shortest")
    name = given.lower() if given else usual
    if given is None and name not in ("shortest", "loss"):
        tell(f"groups are represented by the lowest {name} (--prefer)")
    if name not in ("shortest", *numbers):
        raise DataError(
            f"there is no column of numbers named {name!r}; "
            f"--prefer takes {', '.join(['shortest', *numbers])}"
        )
    return name


def _losses(atlas: Atlas, preferred: str) -> Floats | None:
    """The column of losses that a front is drawn of; None without one."""
    numbers = _columns_of_numbers(atlas)
    usual = [name for name in (preferred, *LOSSES) if name in numbers and name != COMPLEXITY]
    return numbers[usual[0]].astype("float64") if usual else None


def _columns_of_numbers(atlas: Atlas) -> dict[str, Any]:
    """The columns that can be compared; a column of texts, such as error messages, cannot."""
    return {name: column for name, column in atlas.metadata.items() if hasattr(column, "dtype")}


def _print(groups: DuplicateGroups, everything: bool) -> None:
    shown = list(groups) if everything else list(islice(groups.repeated, SHOWN))
    for group in shown:
        note = "   (defined nowhere: equal by definition only)" if group.is_undefined else ""
        print(f"{group.labels[0]}{note}")
        rows = zip(group.members[1:], group.distances[1:], group.labels[1:], strict=True)
        for index, distance, label in rows if everything else islice(rows, SHOWN):
            print(f"    {distance:<12.3g} {index + 1:>6}  {label}")
        if not everything and len(group) > SHOWN + 1:
            print(f"    ... and {len(group) - SHOWN - 1:,} more")
    hidden = sum(1 for _ in groups.repeated) - len(shown)
    if hidden > 0:
        print(f"... and {hidden:,} more groups (--all or --json shows them)")
    print(
        f"{len(groups.groups):,} expressions, {len(groups):,} that differ, "
        f"{groups.n_duplicates:,} duplicates"
    )
