"""``symbed select FILE -k N``: formulas of a file that are good and different."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from symbed.cli.inputs import read_atlas
from symbed.cli.options import (
    add_list_options,
    add_plot_options,
    measure_settings,
    open_workers,
    parse_domain,
    parse_ranges,
)
from symbed.cli.output import draw, print_document, shown_progress, tell
from symbed.errors import DataError, RangeError

if TYPE_CHECKING:
    from symbed import Atlas, Selection

FORM = "form"  # the form distance: of families, whatever their parameters
MOST_FORMS = 200  # formulas whose form distances are computed: all pairs, some 20 ms each


def configure_select(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed select``."""
    add = parser.add_argument
    add("formulas", help="a table with losses, such as a hall_of_fame.csv, or an atlas; - is stdin")
    add("-k", type=int, default=10, metavar="K", help="how many at most (default: 10)")
    add("--loss", default="loss", metavar="COLUMN", help="column of losses, lower is better")
    add("--within", type=float, metavar="L", help="largest loss of a candidate (default: any)")
    add(
        "--apart", type=float, metavar="D",
        help="two that are no farther apart count as one (default: measured, what rounding does)",
    )  # fmt: skip
    add_list_options(
        parser, metric="relative",
        metrics="relative, wasserstein, arcsinh, or form for families with free parameters",
    )  # fmt: skip
    add_plot_options(parser, "a map of the candidates")


def run_select(arguments: argparse.Namespace) -> None:
    """Formulas of a file that are good and different."""
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        selection = _select(arguments, atlas, workers)
    document = selection.to_dict()
    if not print_document(arguments, document, document["selected"]):
        _print(selection)
    if len(selection) < selection.k:
        tell(f"no more than {len(selection)} candidates differ")
    draw(arguments, lambda plots: plots.selected(selection))


def _select(arguments: argparse.Namespace, atlas: Atlas, workers: dict[str, Any]) -> Selection:
    import symbed

    chosen: dict[str, Any] = {"within": arguments.within, "apart": arguments.apart}
    loss = _column(arguments.loss, atlas)
    if arguments.metric != FORM:
        settings = measure_settings(arguments)
        shown = shown_progress(arguments)
        return symbed.select(
            atlas, arguments.k, loss, **chosen, **settings, **workers, progress=shown
        )
    if arguments.plot:
        raise RangeError("--plot draws behaviors; leave out --metric form")
    return _select_forms(arguments, atlas, loss, chosen, workers)


def _column(name: str, atlas: Atlas) -> str:
    """The column of losses; the columns of a table are read in lower case."""
    column = name if name in atlas.metadata else name.lower()
    if column not in atlas.metadata:
        columns = ", ".join(name for name in atlas.metadata if name != "line")
        raise DataError(
            f"there is no column {name!r}; "
            + (f"--loss takes one of {columns}" if columns else "select needs a table with losses")
        )
    return column


def _select_forms(
    arguments: argparse.Namespace,
    atlas: Atlas,
    loss: str,
    chosen: dict[str, Any],
    workers: dict[str, Any],
) -> Selection:
    """By form distances of all pairs within the bound."""
    import symbed
    from symbed.verdicts import form_distances

    if arguments.data:
        raise RangeError("--metric form needs --domain, where members of families are compared")
    bounded = symbed.select(atlas, 1, loss, within=arguments.within)
    texts = [atlas.label(row) for row in bounded.candidates.tolist()]
    if len(texts) > MOST_FORMS:
        raise RangeError(
            f"--metric form compares all pairs of {len(texts):,} formulas, {MOST_FORMS} are "
            "possible; lower --within, or leave out --metric form"
        )
    forms = form_distances(
        texts, parse_domain(arguments), parse_ranges(arguments.parameters, "--parameters"),
        **workers,
    )  # fmt: skip
    matrix = symbed.DistanceMatrix(forms.matrix, texts, texts, FORM)
    selection = symbed.select(matrix, arguments.k, bounded.candidate_losses, **chosen)
    return replace(
        selection, indices=bounded.candidates[selection.indices], candidates=bounded.candidates,
        labels=atlas.labels, atlas=atlas,
    )  # fmt: skip


def _print(selection: Selection) -> None:
    print(f"{'loss':<12} {'distance':<10} {'nearest':>8}  formula")
    for row in selection.to_dict()["selected"]:
        distance = "best" if row["distance"] == float("inf") else f"{row['distance']:.4g}"
        print(f"{row['loss']:<12.5g} {distance:<10} {row['n_nearest']:>8,}  {row['label']}")
    print(
        f"{len(selection):,} selected of {len(selection.candidates):,} candidates; "
        f"no candidate is farther than {selection.radius:.4g} from one of them"
    )
