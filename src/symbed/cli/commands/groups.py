"""``symbed duplicates``, ``cluster`` and ``select``: which formulas of a file behave alike."""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from symbed.cli._inputs import read_atlas
from symbed.cli.options import (
    add_language_options,
    add_list_options,
    add_measure_options,
    add_plot_options,
    add_probe_options,
    measure_settings,
    open_workers,
    parse_domain,
    parse_ranges,
)
from symbed.cli.output import draw, print_document, shown_progress, tell
from symbed.errors import DataError, RangeError

if TYPE_CHECKING:
    from symbed import Atlas, Clusters, DuplicateGroups, Selection

# Columns that hold a loss, the likeliest first; lower is better in all of them.
LOSS_COLUMNS = (
    "loss", "rmse", "mse", "mae", "error", "fitness", "nmse", "train_loss", "score_loss",
    "objective", "cost",
)  # fmt: skip
COMPLEXITY = "complexity"  # the other axis of a front
MAX_GROUPS_PRINTED = 20  # and members of each, for people; --json has all
MIN_CLUSTERS, MAX_CLUSTERS, PER_CLUSTER = 2, 16, 25  # if their number is left open
MAX_MEMBERS_PRINTED = 12  # of a cluster
MAX_ON_MAP = 4_000  # formulas on a map, which lays out all pairs: told before the work
FORM = "form"  # the form distance: of families, whatever their parameters
MAX_FORMS = 200  # formulas whose form distances are computed: all pairs, some 20 ms each


def configure_duplicates(parser: argparse.ArgumentParser) -> None:
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
        # What can be compared; a column of texts, such as error messages, cannot.
        numbers = {name: c for name, c in atlas.metadata.items() if hasattr(c, "dtype")}
        name = _preference(arguments.prefer, list(numbers))
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
        _print_groups(groups, arguments.all)

    def picture(plots: Any) -> Any:
        losses = [n for n in (name, *LOSS_COLUMNS) if n in numbers and n != COMPLEXITY]
        if not losses:
            return plots.groups(groups)
        return plots.pareto(groups, loss=numbers[losses[0]].astype("float64"))

    draw(arguments, picture)


def _preference(asked: str | None, numbers: list[str]) -> str:
    """What represents a group, as ``duplicates`` takes it; told where it was chosen."""
    usual = next((name for name in LOSS_COLUMNS if name in numbers), "shortest")
    name = asked.lower() if asked else usual
    if asked is None and name not in ("shortest", "loss"):
        tell(f"groups are represented by the lowest {name} (--prefer)")
    if name not in ("shortest", *numbers):
        raise DataError(
            f"there is no column of numbers named {name!r}; "
            f"--prefer takes {', '.join(['shortest', *numbers])}"
        )
    return name


def _print_groups(groups: DuplicateGroups, everything: bool) -> None:
    most = None if everything else MAX_GROUPS_PRINTED
    shown = list(groups) if everything else list(islice(groups.repeated, most))
    for group in shown:
        note = "   (defined nowhere: equal by definition only)" if group.is_undefined else ""
        print(f"{group.labels[0]}{note}")
        rows = zip(group.members[1:], group.distances[1:], group.labels[1:], strict=True)
        for index, distance, label in islice(rows, most):
            print(f"    {distance:<12.3g} {index + 1:>6}  {label}")
        if most and len(group) > most + 1:
            print(f"    ... and {len(group) - most - 1:,} more")
    hidden = sum(1 for _ in groups.repeated) - len(shown)
    if hidden > 0:
        print(f"... and {hidden:,} more groups (--all or --json shows them)")
    print(
        f"{len(groups.groups):,} expressions, {len(groups):,} that differ, "
        f"{groups.n_duplicates:,} duplicates"
    )


def configure_cluster(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("formulas", help="a file of expressions, one per line, a table, or an atlas; - is stdin")
    add("-n", type=int, metavar="N", help="number of clusters (default: one for each 25, 2 to 16)")
    add("--threshold", type=float, metavar="D", help="instead: merge up to this distance")
    add(
        "--method",
        help="average, single, complete, ward or medoids (default: medoids, average for "
        "--threshold, ward for --features)",
    )
    add("--features", choices=["cn"], help="cn: the paper's normalized rows as feature vectors")
    add("--workers", type=int, help="threads (default: all cores)")
    add_language_options(parser)
    add_measure_options(
        parser, metric="relative",
        metrics="relative, in which no outlier outweighs all others, wasserstein or arcsinh",
    )  # fmt: skip
    add_probe_options(parser)
    add_plot_options(parser, "a map of the clusters")


def run_cluster(arguments: argparse.Namespace) -> None:
    """Clusters of the expressions in a file."""
    import symbed

    workers = {"workers": arguments.workers}
    if arguments.n is not None and arguments.threshold is not None:
        raise RangeError("give -n or --threshold, not both")
    atlas = read_atlas(arguments, arguments.formulas, workers, keep="behaviors")
    if arguments.plot and len(atlas) > MAX_ON_MAP:
        raise RangeError(
            f"--plot draws at most {MAX_ON_MAP:,} formulas, the file has {len(atlas):,}"
        )
    chosen = _choose_clustering(arguments, len(atlas))
    matrix = symbed.pairwise(
        atlas, progress=shown_progress(arguments), **workers, **measure_settings(arguments)
    )  # fmt: skip
    clusters = symbed.cluster(
        matrix, arguments.n, threshold=arguments.threshold, method=arguments.method,
        features=arguments.features,
    )  # fmt: skip
    if chosen:
        tell(f"clustered with --metric {arguments.metric} {' '.join(chosen)}")
    if not print_document(arguments, clusters.to_dict(), _cluster_rows(clusters, atlas)):
        _print_clusters(clusters)
    draw(arguments, lambda plots: plots.mds(matrix, clusters=clusters))


def _choose_clustering(arguments: argparse.Namespace, n: int) -> list[str]:
    """Choose what was left open, so that it works on real runs; gives what is to be told of it."""
    chosen = []
    if arguments.n is None and arguments.threshold is None:
        arguments.n = min(n, max(MIN_CLUSTERS, min(MAX_CLUSTERS, n // PER_CLUSTER)))
        chosen.append(f"-n {arguments.n}")
    if arguments.method is None:
        by_distance = "average" if arguments.threshold is not None else "medoids"
        arguments.method = "ward" if arguments.features else by_distance
        chosen.append(f"--method {arguments.method}")
    return chosen


def _cluster_rows(clusters: Clusters, atlas: Atlas) -> list[dict[str, Any]]:
    """A row for each expression: its cluster, and what the file says of it."""
    medoids = set(clusters.medoids.tolist())
    pairs = zip(clusters.labels, clusters.labels_.tolist(), strict=True)
    return [
        {"label": label, "cluster": number, "is_medoid": row in medoids} | atlas.metadata_of(row)
        for row, (label, number) in enumerate(pairs)
    ]


def _print_clusters(clusters: Clusters) -> None:
    print(repr(clusters))
    for number, medoid in enumerate(clusters.medoids.tolist()):
        members = clusters.members(number)
        others = [name for name in members if name != clusters.labels[medoid]]
        hidden = len(others) - MAX_MEMBERS_PRINTED
        print(f"{number:4}  {clusters.labels[medoid]}   ({len(members)})")
        if others:
            more = f"   and {hidden} more" if hidden > 0 else ""
            print(f"      {'   '.join(others[:MAX_MEMBERS_PRINTED])}{more}")


def configure_select(parser: argparse.ArgumentParser) -> None:
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
    import symbed

    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.formulas, workers)
        loss = _loss_column(arguments.loss, atlas)
        if arguments.metric == FORM:
            selection = _select_forms(arguments, atlas, loss, workers)
        else:
            selection = symbed.select(
                atlas, arguments.k, loss, within=arguments.within, apart=arguments.apart,
                **measure_settings(arguments), **workers, progress=shown_progress(arguments),
            )  # fmt: skip
    document = selection.to_dict()
    if not print_document(arguments, document, document["selected"]):
        _print_selection(selection, document["selected"])
    if len(selection) < selection.k:
        tell(f"no more than {len(selection)} candidates differ")
    draw(arguments, lambda plots: plots.selected(selection))


def _loss_column(name: str, atlas: Atlas) -> str:
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
    arguments: argparse.Namespace, atlas: Atlas, loss: str, workers: dict[str, Any]
) -> Selection:
    """By form distances of all pairs within the bound."""
    import symbed
    from symbed.verdicts import form_distances

    if arguments.plot:
        raise RangeError("--plot draws behaviors; leave out --metric form")
    if arguments.data:
        raise RangeError("--metric form needs --domain, where members of families are compared")
    bounded = symbed.select(atlas, 1, loss, within=arguments.within)
    texts = [atlas.label(row) for row in bounded.candidates.tolist()]
    if len(texts) > MAX_FORMS:
        raise RangeError(
            f"--metric form compares all pairs of {len(texts):,} formulas, {MAX_FORMS} are "
            "possible; lower --within, or leave out --metric form"
        )
    forms = form_distances(
        texts, parse_domain(arguments), parse_ranges(arguments.parameters, "--parameters"),
        **workers,
    )  # fmt: skip
    matrix = symbed.DistanceMatrix(forms.matrix, texts, texts, FORM)
    selection = symbed.select(
        matrix, arguments.k, bounded.candidate_losses,
        within=arguments.within, apart=arguments.apart,
    )  # fmt: skip
    return replace(
        selection, indices=bounded.candidates[selection.indices], candidates=bounded.candidates,
        labels=atlas.labels, atlas=atlas,
    )  # fmt: skip


def _print_selection(selection: Selection, rows: list[dict[str, Any]]) -> None:
    print(f"{'loss':<12} {'distance':<10} {'nearest':>8}  formula")
    for row in rows:
        distance = "best" if row["distance"] == float("inf") else f"{row['distance']:.4g}"
        print(f"{row['loss']:<12.5g} {distance:<10} {row['n_nearest']:>8,}  {row['label']}")
    print(
        f"{len(selection):,} selected of {len(selection.candidates):,} candidates; "
        f"no candidate is farther than {selection.radius:.4g} from one of them"
    )
