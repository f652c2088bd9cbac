"""Axes that a notebook shows as their picture.

Figures are made without pyplot, and a notebook shows those of pyplot only; of other axes it would
print that they are axes. Imported late, because it needs matplotlib.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from symbed.plots.canvas import DOTS_PER_INCH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Panel = NDArray[Any]
else:
    Panel = np.ndarray

PAGE_DOTS_PER_INCH = 80  # on the page; the picture has twice as many, for fine screens
Picture = tuple[bytes, dict[str, int]]  # what IPython takes: the bytes, and the size on the page


class NotebookAxes(Axes):
    """The axes of a picture with one panel."""

    def _repr_png_(self) -> Picture:
        return _picture_of(self)


class NotebookPanels(Panel):
    """An array of the axes of a picture with several panels."""

    def _repr_png_(self) -> Picture:
        return _picture_of(self.flat[0])


def _picture_of(axes: Axes) -> Picture:
    figure = axes.get_figure(root=True)
    assert figure is not None
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DOTS_PER_INCH)
    width, height = (round(inches * PAGE_DOTS_PER_INCH) for inches in figure.get_size_inches())
    return file.getvalue(), {"width": width, "height": height}
