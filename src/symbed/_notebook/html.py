"""The parts of a result's HTML: tables of facts, rows, numbers, and the picture below."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

SHOWN = 10  # rows of a table; the rest is counted
LABEL = 60  # characters of a label
CELL = "padding:2px 10px;text-align:{align};border:none;vertical-align:top"
CAPTION = "text-align:left;font-weight:bold;padding:2px 10px;white-space:nowrap"
BAR = "background:#0072B2;display:inline-block;height:0.7em;width:{width:.0f}px"


def picture(plot: str, *given: Any, **settings: Any) -> str:
    """What one of the plots draws of a result, folded; nothing where it cannot be drawn."""
    from symbed import plots  # late and downward: nobody else shows a result and its picture
    from symbed.errors import SymbedError

    try:
        png, size = getattr(plots, plot)(*given, **settings)._repr_png_()
    except SymbedError:  # no matplotlib, or nothing to draw; the table is shown all the same
        return ""
    data = f"data:image/png;base64,{b64encode(png).decode()}"
    return (
        f"<details><summary>picture: <code>symbed.plots.{plot}</code></summary>"
        f'<img alt="{plot}" width="{size["width"]}" height="{size["height"]}" src="{data}" />'
        "</details>"
    )


def facts(title: str, told: Iterable[tuple[str, str]]) -> str:
    """A table of names and values, both finished HTML."""
    rows = "".join(f"<tr>{cell(name)}{cell(value)}</tr>" for name, value in told)
    return f'<table><caption style="{CAPTION}">{title}</caption>{rows}</table>'


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], n: int | None) -> str:
    """A table of finished HTML; ``n`` is how many rows there are in all, if that is known."""
    names = "".join(cell(name, "th") for name in head)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    rest = f"<tr>{cell(f'{n - len(rows):,} more')}</tr>" if n and n > len(rows) else ""
    caption = f'<caption style="{CAPTION}">{title}</caption>'
    return f"<table>{caption}<thead><tr>{names}</tr></thead><tbody>{body}{rest}</tbody></table>"


def cell(content: str, tag: str = "td") -> str:
    """One cell."""
    return f'<{tag} style="{CELL.format(align="left")}">{content}</{tag}>'


def code(label: str, length: int = LABEL) -> str:
    """A formula, cut where it is long."""
    shown = label if len(label) <= length else label[: length - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f"<code>{escape(shown)}</code>"


def number(value: float, digits: int = 6) -> str:
    """A number of so many digits; a dash where there is none."""
    if math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
    return f"{value:.{digits}g}"


def bar(value: float, longest: float) -> str:
    """A bar as long as its value."""
    if not math.isfinite(value) or not longest:
        return ""
    return f'<span style="{BAR.format(width=120 * value / longest)}"></span>'


def first(items: Iterable[Any]) -> list[Any]:
    """The first few, as many as a table shows."""
    return [item for item, _ in zip(items, range(SHOWN), strict=False)]
