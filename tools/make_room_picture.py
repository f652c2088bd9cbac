"""The picture of the rooms and of the way of the data through them, for CONTRIBUTING and the docs.

Run with ``python tools/make_room_picture.py``; it writes docs/images/rooms.svg.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from symbed.plots.canvas import BLUE, GRAY, GREEN, VERMILLION, new_figure, save

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "rooms.svg"


class Room(NamedTuple):
    """A box of the picture: where it stands, what it is called, what it holds."""

    x: float
    y: float
    width: float
    name: str
    content: str
    color: str


HEIGHT = 1.0
LEFT, MIDDLE, RIGHT = 0.0, 4.6, 9.6  # where the columns begin
ROOMS = (
    Room(LEFT, 6.2, 3.4, "formula_files/", "any tool's file or table", BLUE),
    Room(MIDDLE, 6.2, 3.6, "language/", "text, Expression", BLUE),
    Room(RIGHT, 6.2, 3.4, "sampling/", "Probe: points, draws", BLUE),
    Room(LEFT, 4.65, 3.4, "workbench/", "draw, rewrite, parametrize, fit", VERMILLION),
    Room(MIDDLE, 4.65, 3.6, "engine/", "Program; one Backend", GREEN),
    Room(RIGHT, 4.65, 3.4, "native/", "the C++ core", GREEN),
    Room(LEFT, 3.1, 3.4, "verdicts/", "decide, relate, effective", VERMILLION),
    Room(MIDDLE, 3.1, 3.6, "behavior/", "Behavior, Atlas", GREEN),
    Room(RIGHT, 3.1, 3.4, "distances/", "Measure, compare, many at once", VERMILLION),
    Room(LEFT, 1.55, 3.4, "scoring/", "score: a run against the truth", VERMILLION),
    Room(RIGHT, 1.55, 3.4, "plots/", "matplotlib axes", GRAY),
    Room(LEFT, 0.0, 3.4, "cli/", "commands by their verbs", GRAY),
    Room(MIDDLE, 0.0, 3.6, "web/", "the explorer", GRAY),
    Room(RIGHT, 0.0, 3.4, "reproduction/", "the paper, a package beside", GRAY),
)
# Who hands what to whom.
WAYS = (
    ("formula_files/", "language/", "texts"),
    ("language/", "engine/", "Expression"),
    ("language/", "workbench/", ""),
    ("sampling/", "engine/", ""),
    ("engine/", "native/", "structures"),
    ("engine/", "behavior/", "outputs"),
    ("behavior/", "distances/", "Behavior"),
    ("workbench/", "verdicts/", "fits"),
    ("verdicts/", "scoring/", "Relation"),
    ("distances/", "plots/", "results"),
    ("scoring/", "cli/", "results"),
    ("scoring/", "web/", ""),
    ("distances/", "web/", ""),
    ("plots/", "reproduction/", "figures"),
)


def main() -> None:
    """Draw it."""
    ax = new_figure(12.4, 7.0).add_subplot()
    ax.set_axis_off()
    ax.set_xlim(-0.2, 13.2)
    ax.set_ylim(-0.2, 7.4)
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
    ax.text(middle, room.y + 0.78, room.name, ha="center", va="center", weight="bold", size=11)
    ax.text(middle, room.y + 0.47, room.content, ha="center", va="center", size=8.5)
    folders = _folders(room.name)
    size = 7.5 if len(folders) < 50 else 6.5
    ax.text(middle, room.y + 0.17, folders, ha="center", va="center", size=size, color="0.35")


def _folders(name: str) -> str:
    """The folders of a room, as they are now."""
    inside = next(p for p in (ROOT / "src" / "symbed" / name, ROOT / name) if p.is_dir())
    if name == "reproduction/":
        inside = inside / "src" / "symbed_reproduction"
    kept = sorted(p.name for p in inside.iterdir() if p.is_dir() and _has_code(p))
    return "  ".join(kept)


def _has_code(folder: Path) -> bool:
    return any(path.suffix in (".py", ".h", ".cpp") for path in folder.iterdir())


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
