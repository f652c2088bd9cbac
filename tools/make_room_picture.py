"""The picture of the rooms and of the way of the data through them, for CONTRIBUTING and the docs.

Run with ``python tools/make_room_picture.py``; it writes docs/images/rooms.svg.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from symbed.plots.drawing.canvas import new_figure, save
from symbed.plots.drawing.palette import BLUE, GRAY, GREEN, VERMILLION

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "rooms.svg"


class Room(NamedTuple):
    """A box of the picture: where it stands, what it is called, what it holds."""

    x: float
    y: float
    width: float
    name: str
    content: str
    color: str


HEIGHT = 0.92
ROOMS = (
    Room(0.0, 6.0, 3.0, "formula_files", "any tool's file or table", BLUE),
    Room(4.3, 6.0, 3.4, "language/", "text, dialects, Expression", BLUE),
    Room(9.0, 6.0, 2.8, "sampling/", "Probe: points, draws", BLUE),
    Room(4.3, 4.5, 3.4, "engine/", "Program; one Backend", GREEN),
    Room(9.0, 4.5, 2.8, "native/", "the C++ core", GREEN),
    Room(4.3, 3.0, 3.4, "behavior/", "Behavior, Atlas; survey, store", GREEN),
    Room(0.0, 3.0, 3.0, "workbench/", "grammar, data, fitting, syntax", VERMILLION),
    Room(9.0, 3.0, 2.8, "distances/", "Measure, compare, search", VERMILLION),
    Room(0.0, 1.5, 3.0, "verdicts/", "decide, relate, effective", VERMILLION),
    Room(9.0, 1.5, 2.8, "plots/", "matplotlib axes", GRAY),
    Room(0.0, 0.0, 3.0, "cli/", "one file a command", GRAY),
    Room(4.3, 0.0, 3.4, "web/", "the explorer", GRAY),
    Room(9.0, 0.0, 2.8, "reproduction/", "the paper, a package beside", GRAY),
)
# Who hands what to whom.
WAYS = (
    ("formula_files", "language/", "texts"),
    ("language/", "engine/", "Expression"),
    ("sampling/", "engine/", ""),
    ("engine/", "native/", "structures"),
    ("engine/", "behavior/", "outputs"),
    ("behavior/", "distances/", "Behavior, Atlas"),
    ("behavior/", "workbench/", ""),
    ("workbench/", "verdicts/", "fits"),
    ("distances/", "plots/", "results"),
    ("verdicts/", "cli/", "results"),
    ("plots/", "reproduction/", "figures"),
    ("verdicts/", "web/", ""),
    ("distances/", "web/", ""),
)


def main() -> None:
    """Draw it."""
    ax = new_figure(11.6, 6.6).add_subplot()
    ax.set_axis_off()
    ax.set_xlim(-0.2, 12.0)
    ax.set_ylim(-0.3, 7.2)
    for room in ROOMS:
        _draw_room(ax, room)
    places = {room.name: room for room in ROOMS}
    for start, end, what in WAYS:
        _draw_way(ax, places[start], places[end], what)
    save(ax, PICTURE)
    print(PICTURE)


def _draw_room(ax: Any, room: Room) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(
        FancyBboxPatch(
            (room.x, room.y), room.width, HEIGHT, boxstyle="round,pad=0.02,rounding_size=0.08",
            facecolor=room.color, edgecolor=room.color, alpha=0.16,
        )
    )  # fmt: skip
    middle = room.x + room.width / 2
    ax.text(middle, room.y + 0.6, room.name, ha="center", va="center", weight="bold", size=11)
    ax.text(middle, room.y + 0.26, room.content, ha="center", va="center", size=8.5)


def _draw_way(ax: Any, start: Room, end: Room, what: str) -> None:
    (x0, y0), (x1, y1) = _ends(start, end)
    ax.annotate("", (x1, y1), (x0, y0), arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1})
    if what:
        beside = abs(x1 - x0) < 1e-9
        ax.text(
            (x0 + x1) / 2 + (0.08 if beside else 0.0), (y0 + y1) / 2 + (0.0 if beside else 0.1),
            what, size=7.5, style="italic", ha="left" if beside else "center",
            va="center" if beside else "bottom",
        )  # fmt: skip


def _ends(start: Room, end: Room) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where an arrow leaves one box and enters another: the sides that face each other."""
    if start.y == end.y:
        right = start.x < end.x
        return (
            (start.x + start.width * right, start.y + HEIGHT / 2),
            (end.x + end.width * (not right), end.y + HEIGHT / 2),
        )
    x = start.x + start.width / 2
    target = end.x + end.width / 2
    if abs(x - target) > 1.0:  # not one above the other: from the lower corner to the upper one
        x, target = (start.x, end.x + end.width) if x > target else (start.x + start.width, end.x)
    return (x, start.y), (target, end.y + HEIGHT)


if __name__ == "__main__":
    main()
