"""Figures to draw on, the looks of series, and the files that pictures are saved to.

Figures are made without pyplot, so no global state is touched, no window opens, and nothing has to
be closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from symbed.errors import MissingExtra, RangeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

Layout = Literal["constrained", "compressed"]  # the latter for axes of a fixed shape
SMALL, MEDIUM, LARGE = 8.0, 9.5, 11.0  # font sizes, in points
# The colors are those of Okabe and Ito, which people with any kind of color vision can tell apart.
# Series differ in style and marker as well, so that they survive a black-and-white printer.
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
COLORS = (BLUE, VERMILLION, GREEN, "#CC79A7", ORANGE, "#56B4E9", "#000000", "#B8A800")
STYLES = ("-", "--", "-.", ":")
# As many as have no divisor in common with the colors, so that 8 x 11 series differ in the pair.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")
GRAY, LIGHT = "#6E6E6E", "#E4E4E4"
HATCH = "////"
SEQUENTIAL = "viridis"  # distances: monotone in lightness, so it prints in gray
SHADES = {BLUE: "Blues", VERMILLION: "Oranges", GREEN: "Greens"}  # densities, white is none
# Endings of files, each with what keeps the time of day out of them.
FORMATS: dict[str, dict[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
DOTS_PER_INCH = 160


class Look(NamedTuple):
    """How one series is drawn."""

    color: str
    style: str
    marker: str


def look(number: int) -> Look:
    """The look of the n-th series; colors and markers repeat at different lengths.

    >>> look(0).color, look(8).color == look(0).color, look(8).marker == look(0).marker
    ('#0072B2', True, False)
    """
    return Look(
        COLORS[number % len(COLORS)], STYLES[number % len(STYLES)], MARKERS[number % len(MARKERS)]
    )


def new_figure(width: float, height: float, layout: Layout = "constrained") -> Figure:
    """An empty figure, in inches; raises ``MissingExtra`` where matplotlib is not installed."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def axes_or_new(
    ax: Axes | None, width: float = 6.0, height: float = 4.0, layout: Layout = "constrained"
) -> Axes:
    """The axes that were given, or those of a new figure, which a notebook shows."""
    if ax is not None:
        return ax
    figure = new_figure(width, height, layout)
    from symbed.plots.notebook_axes import NotebookAxes

    axes: Axes = figure.add_subplot(axes_class=NotebookAxes)
    return axes


def as_panels(axes: Sequence[Axes] | NDArray[Any]) -> NDArray[Any]:
    """The axes of several panels as an array, which a notebook shows."""
    from symbed.plots.notebook_axes import NotebookPanels

    return np.array(axes, dtype=object).view(NotebookPanels)


def legend_beside(ax: Axes, title: str | None = None) -> None:
    """The legend to the right of the axes, where it hides nothing."""
    ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=SMALL, frameon=False, title=title,
        title_fontsize=SMALL,
    )  # fmt: skip


def require_matplotlib() -> None:
    """Raise ``MissingExtra`` where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "plots need matplotlib; install it with: pip install 'symbed[plot]'"
        ) from None


def save(axes: Axes | Iterable[Axes], path: str | Path) -> None:
    """Write the figure that the axes are in to a .png, .svg or .pdf file.

    Parameters
    ----------
    axes : matplotlib Axes or iterable of matplotlib Axes
        What a plot returned.
    path : str or Path
        The file; the ending names the format. The same picture gives the same bytes.
    """
    checked_path(path)
    require_matplotlib()
    import matplotlib
    from matplotlib.axes import Axes

    first = axes if isinstance(axes, Axes) else next(iter(axes))
    figure = first.get_figure(root=True)
    assert figure is not None
    metadata = FORMATS[Path(path).suffix.lower()]
    # Identifiers in an SVG are salted at random otherwise, and no two files are the same.
    with matplotlib.rc_context({"svg.hashsalt": "symbed"}):
        figure.savefig(path, dpi=DOTS_PER_INCH, metadata=metadata or None)


def checked_path(path: str | Path) -> str | Path:
    """The path of a picture, if its ending is one that can be written."""
    if Path(path).suffix.lower() not in FORMATS:
        raise RangeError(f"a picture must end in {', '.join(FORMATS)}, got {str(path)!r}")
    return path
