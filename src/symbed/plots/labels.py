r"""Labels in pictures: text that matplotlib can draw, placed where it covers nothing.

Labels are anybody's text. A dollar sign would start mathematics, a first underscore would hide a
legend's entry, and a character that the font lacks would print as a box with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from symbed._types import Floats
from symbed.errors import SymbedError
from symbed.language.expression import Expression, Item
from symbed.language.parser import parse
from symbed.plots.canvas import figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

MAX_TYPESET = 48  # characters; longer formulas stay plain, so that they can be cut
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def shorten(label: str, length: int = 32) -> str:
    """A label as plain text of at most so many characters; the middle is left out.

    >>> shorten("C*X_0 + C*X_0^2 + C*X_0^3 + C*X_0^4", 21)
    'C*X_0 + C*… + C*X_0^4'
    """
    text = "".join(char if _drawable(char) else UNKNOWN for char in label) or "(no label)"
    if len(text) > length:
        tail = (length - 1) // 2
        text = text[: length - 1 - tail] + ELLIPSIS + text[len(text) - tail :]
    # After the cut, which might split the escape.
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def typeset(label: str | Expression, length: int = MAX_TYPESET) -> str:
    r"""A label as mathematics where it is a short formula, as plain text otherwise.

    >>> typeset("C*x^2"), typeset("my model")
    ('$C \\cdot x^{2}$', 'my model')
    """
    text = str(label)
    if len(text) > length:
        return shorten(text, length)
    return _as_mathematics(text) or shorten(text, length)


def round_numbers(expression: Expression, digits: int = 4) -> Expression:
    """The expression with its numbers rounded, to be read and not to be computed with.

    >>> round_numbers(parse("2.71828182846*x"))
    Expression('2.718*x')
    """

    def rounded(item: Item) -> Item:
        return float(f"{item:.{digits}g}") if isinstance(item, float) else item

    return Expression(tuple(map(rounded, expression.postfix)), expression.declared)


@lru_cache(maxsize=512)
def _as_mathematics(text: str) -> str | None:
    from matplotlib.mathtext import MathTextParser

    try:
        mathematics = f"${parse(text).latex()}$"
        if not mathematics.isascii():
            return None
        # Tried out here: what mathtext cannot read would fail only when the figure is drawn.
        MathTextParser("path").parse(mathematics)
    except (SymbedError, ValueError):
        return None
    return mathematics


@lru_cache(maxsize=4096)
def _drawable(char: str) -> bool:
    from matplotlib import font_manager

    if char.isascii():
        return char.isprintable()
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    return char.isprintable() and font.get_char_index(ord(char)) != 0


GAP = 6.0  # points between a marker and its label
MARKER = 7.0  # points across
GROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.4, "pad": 0.4}
# Where a label may go, best first: direction, and how the text is aligned there.
SIDES = (
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (1, -1, "left", "top"),
    (-1, 1, "right", "bottom"),
    (-1, -1, "right", "top"),
)


def label_places(
    ax: Axes, places: Floats, texts: Sequence[str], others: Floats, size: float
) -> None:
    """Write texts beside (n, 2) places; one that would cover another or leave the axes is left out.

    No text covers a marker of the (k, 2) ``others``; all are in data coordinates. Limits and scales
    of the axes must be set before.
    """
    from matplotlib.transforms import Bbox

    figure = figure_of(ax)
    for _ in range(2):  # settles the layout, so that sizes on the page are known
        figure.draw_without_rendering()
    half = MARKER / 2 * figure.dpi / 72
    centers = ax.transData.transform(others).tolist()
    # What markers take on the page, in pixels.
    markers = [Bbox.from_extents(x - half, y - half, x + half, y + half) for x, y in centers]
    taken: list[Bbox] = []
    for place, text in zip(places.tolist(), texts, strict=True):
        _write(ax, place, text, size, markers, taken)


def _write(
    ax: Axes, place: list[float], text: str, size: float, markers: list[Bbox], taken: list[Bbox]
) -> None:
    for dx, dy, horizontal, vertical in SIDES:
        offset = (dx * GAP, dy * GAP)
        label = ax.annotate(
            text, (place[0], place[1]), offset, textcoords="offset points",
            ha=horizontal, va=vertical, fontsize=size, annotation_clip=False, bbox=GROUND,
        )  # fmt: skip
        label.set_in_layout(False)
        box = label.get_window_extent()
        # Letters are a little wider at other resolutions than at the one measured here.
        wide = box.expanded(1.2, 1.05)
        inside = ax.bbox.x0 <= wide.x0 and wide.x1 <= ax.bbox.x1
        inside = inside and ax.bbox.y0 <= wide.y0 and wide.y1 <= ax.bbox.y1
        if inside and not box.count_overlaps(markers) and not wide.count_overlaps(taken):
            taken.append(wide)
            return
        label.remove()
