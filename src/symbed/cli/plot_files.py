"""Pictures: a result and ``--plot FILE`` go in; a file with its picture comes out.

A picture is drawn after the result was printed, so that nothing is lost if it cannot be.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symbed.behavior.behavior import Behavior
    from symbed.distances.clusters.clustering import Clusters
    from symbed.distances.comparison import Comparison
    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups
    from symbed.distances.matrix.distance_matrix import DistanceMatrix
    from symbed.distances.search.neighbors import Neighbors
    from symbed.sampling.probe import Probe
    from symbed.workbench.data.data_files import Data
    from symbed.workbench.fitting.results import Fit


def add_plot_options(parser: argparse.ArgumentParser, what: str, *, along: bool = False) -> None:
    """Add ``--plot``; with ``along``, also the choice of the variable to look along."""
    group = parser.add_argument_group("picture")
    group.add_argument(
        "--plot", type=_picture_file, metavar="FILE", help=f"draw {what}: a .png, .svg or .pdf file"
    )
    if along:
        group.add_argument(
            "--along", metavar="x", help="variable on the x axis (default: the first)"
        )


def draw_comparison(
    arguments: argparse.Namespace, found: Comparison, e: Behavior, f: Behavior, probe: Probe
) -> None:
    """The picture of ``symbed distance``."""
    if not arguments.plot:
        return
    from symbed import observe, plots

    line = plots.cross_section(probe, arguments.along)
    fine = observe(e.label, line), observe(f.label, line)
    _save(arguments, plots.breakdown(found, e, f, fine=fine, along=arguments.along).ravel())


def draw_matrix(arguments: argparse.Namespace, found: DistanceMatrix) -> None:
    """The picture of ``symbed matrix``."""
    if not arguments.plot:
        return
    from symbed import plots
    from symbed.errors import MissingExtra

    try:
        order = plots.arrange(found)
    except MissingExtra:  # without SciPy, in the order of the file
        order = None
    _save(arguments, plots.heatmap(found, clusters=order))


def draw_clusters(arguments: argparse.Namespace, found: Clusters, matrix: DistanceMatrix) -> None:
    """The picture of ``symbed cluster``."""
    if arguments.plot:
        from symbed import plots

        _save(arguments, plots.mds(matrix, clusters=found))


def draw_neighbors(arguments: argparse.Namespace, found: Neighbors, query: str) -> None:
    """The picture of ``symbed nearest``."""
    if arguments.plot:
        from symbed import plots

        _save(arguments, plots.neighbors(found, query=query))


def draw_duplicates(arguments: argparse.Namespace, found: DuplicateGroups) -> None:
    """The picture of ``symbed duplicates``: a front where losses are known, group sizes if not."""
    if arguments.plot:
        from symbed import plots

        has_losses = "loss" in found.atlas.metadata
        _save(arguments, plots.pareto(found) if has_losses else plots.groups(found))


def draw_fit(arguments: argparse.Namespace, found: Fit, data: Data) -> None:
    """The picture of ``symbed fit``."""
    if arguments.plot:
        from symbed import plots

        assert data.y is not None  # nothing can be fitted without a target
        _save(arguments, plots.fitted(found, data.X, data.y, along=arguments.along))


def _save(arguments: argparse.Namespace, axes: Any) -> None:
    from symbed.plots import save

    save(axes, arguments.plot)
    print(f"picture written to {arguments.plot}", file=sys.stderr)


def _picture_file(path: str) -> str:
    from symbed.errors import RangeError
    from symbed.plots.canvas import checked_path

    try:
        return str(checked_path(path))
    except RangeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
