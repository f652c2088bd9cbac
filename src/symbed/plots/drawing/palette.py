"""Colors, line styles and markers of series.

The colors are those of Okabe and Ito, which people with any kind of color vision can tell apart.
Series differ in style and marker as well, so that they survive a black-and-white printer.
"""

from __future__ import annotations

from typing import NamedTuple

BLUE, VERMILLION, GREEN = "#0072B2", "#D55E00", "#009E73"
COLORS = (BLUE, VERMILLION, GREEN, "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#B8A800")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")
GRAY, LIGHT = "#6E6E6E", "#E4E4E4"
HATCH = "////"
SEQUENTIAL = "viridis"  # distances: monotone in lightness, so it prints in gray
SHADES = {BLUE: "Blues", VERMILLION: "Oranges", GREEN: "Greens"}  # densities, white is none


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
