"""Figures to draw on, the looks of series, and the files that pictures are saved to.

Figures are made without pyplot, so no global state is touched, no window opens, and nothing has to
be closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from io import BytesIO
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
PAGE_DOTS_PER_INCH = 80  # on a notebook's page; the picture has twice as many, for fine screens
Picture = tuple[bytes, dict[str, int]]  # what IPython takes: the bytes, and the size on the page


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
    axes: Axes = new_figure(width, height, layout).add_subplot()
    # A notebook shows figures of pyplot only; of other axes it would print that they are axes.
    axes._repr_png_ = partial(_picture_of, axes)  # type: ignore[attr-defined]
    return axes


if TYPE_CHECKING:
    _Panels = NDArray[Any]
else:
    _Panels = np.ndarray


class Panels(_Panels):
    """An array of the axes of a picture with several panels, which a notebook shows."""

    def _repr_png_(self) -> Picture:
        return _picture_of(self.flat[0])


def as_panels(axes: Sequence[Axes] | NDArray[Any]) -> Panels:
    """The axes of several panels as an array, which a notebook shows."""
    return np.array(axes, dtype=object).view(Panels)


def _picture_of(axes: Axes) -> Picture:
    figure, file = figure_of(axes), BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH)
    width, height = (round(inches * PAGE_DOTS_PER_INCH) for inches in figure.get_size_inches())
    return file.getvalue(), {"width": width, "height": height}


def figure_of(axes: Axes) -> Figure:
    """The whole figure that axes are in."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


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

    # A breakdown is a table of axes, whose rows are no axes.
    first = axes if isinstance(axes, Axes) else np.array(list(axes), dtype=object).flat[0]
    figure = figure_of(first)
    metadata = FORMATS[Path(path).suffix.lower()]
    # Identifiers in an SVG are salted at random otherwise, and no two files are the same.
    with matplotlib.rc_context({"svg.hashsalt": "symbed"}):
        figure.savefig(path, dpi=DOTS_PER_INCH, metadata=metadata or None)


def checked_path(path: str | Path) -> str | Path:
    """The path of a picture, if its ending is one that can be written."""
    if Path(path).suffix.lower() not in FORMATS:
        raise RangeError(f"a picture must end in {', '.join(FORMATS)}, got {str(path)!r}")
    return path
