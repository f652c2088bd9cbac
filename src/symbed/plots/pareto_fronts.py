"""Loss against complexity: the Pareto front of formulas, and which of them behave alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Booleans, Floats, Integers
from symbed.errors import DataError, SymbedError
from symbed.language.parser import parse
from symbed.plots.drawing.canvas import LARGE, SMALL, axes_or_new
from symbed.plots.drawing.labels import label_places, shorten
from symbed.plots.drawing.palette import GRAY, LIGHT, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from symbed.behavior.atlas import Atlas
    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups

NAMED = 8  # groups with a color of their own and a line in the legend
LABELED = 12  # formulas of the front that are written out, where there is room


def pareto(
    duplicates: DuplicateGroups,
    *,
    loss: ArrayLike | None = None,
    complexity: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw loss against complexity: the front of formulas that nothing beats in both, and groups.

    Members of a group that behaves alike share color and marker, and are joined by a line: all but
    one of them are not needed.

    Parameters
    ----------
    duplicates : DuplicateGroups
        What ``duplicates`` gave.
    loss, complexity : array_like, optional
        A number for each expression of the atlas. By default the atlas's columns ``loss`` and
        ``complexity``; without the latter, the number of nodes of each formula.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    losses = _column(duplicates.atlas, "loss", loss)
    sizes = _complexity(duplicates.atlas, complexity)
    ax = axes_or_new(ax, 7.5, 5.0)
    from matplotlib.ticker import MaxNLocator

    known = np.isfinite(losses) & np.isfinite(sizes)
    front = front_of(sizes, losses)
    ax.step(sizes[front], losses[front], where="post", color=LIGHT, linewidth=6.0, label="front")
    _draw_groups(ax, duplicates, sizes, losses, known)
    if known.any() and losses[known].min() > 0 and np.ptp(np.log10(losses[known])) > 1:
        ax.set_yscale("log")
    ax.margins(0.08)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="complexity", ylabel="loss")
    ax.set_title(f"{len(losses):,} formulas, {len(duplicates):,} behaviors", size=LARGE)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=SMALL, frameon=False)
    places = np.stack([sizes[front], losses[front]], axis=1)[:LABELED]
    names = [shorten(duplicates.atlas.labels[number], 24) for number in front[:LABELED].tolist()]
    everybody = np.stack([sizes[known], losses[known]], axis=1)
    label_places(ax, places, names, everybody, SMALL - 0.5)
    return ax


def front_of(complexities: Floats, losses: Floats) -> Integers:
    """The formulas with a smaller loss than every simpler one, by complexity.

    What is not finite is no part of it.

    >>> front_of(np.array([1.0, 2, 3, 3]), np.array([5.0, 6, 4, 2])).tolist()
    [0, 3]
    """
    order = np.flatnonzero(np.isfinite(losses) & np.isfinite(complexities))
    order = order[np.lexsort((losses[order], complexities[order]))]
    best = np.minimum.accumulate(losses[order]) if len(order) else losses[order]
    first = np.concatenate([[True], best[1:] < best[:-1]])[: len(order)]
    front: Integers = order[first]
    return front


def _draw_groups(
    ax: Axes, duplicates: DuplicateGroups, sizes: Floats, losses: Floats, known: Booleans
) -> None:
    named = [group for group in duplicates.repeated if known[group.members].any()][:NAMED]
    rest = known.copy()
    for number, group in enumerate(named):
        seen, members = look(number), group.members[known[group.members]]
        members = members[np.argsort(sizes[members], kind="stable")]
        rest[members] = False
        ax.plot(
            sizes[members], losses[members], marker=seen.marker, linestyle=seen.style,
            color=seen.color, linewidth=1.0, markersize=7, markeredgecolor="white",
            markeredgewidth=0.5, label=f"{shorten(group.labels[0], 24)} ({len(group)})",
        )  # fmt: skip
    ax.plot(
        sizes[rest], losses[rest], "o", color=GRAY, markersize=4, alpha=0.7,
        label="others" if named else "formulas",
    )  # fmt: skip


def _complexity(atlas: Atlas, given: ArrayLike | None) -> Floats:
    if given is not None or "complexity" in atlas.metadata:
        return _column(atlas, "complexity", given)
    return np.array([_n_nodes(label) for label in atlas.labels])


def _n_nodes(label: str) -> float:
    try:
        return float(parse(label).size)
    except SymbedError:
        return float("nan")


def _column(atlas: Atlas, name: str, given: Any) -> Floats:
    column = atlas.metadata.get(name) if given is None else given
    if column is None:
        raise DataError(
            f"a front needs the {name} of each formula; give {name}=..., "
            f"or survey with metadata={{{name!r}: ...}}"
        )
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers") from None
    if numbers.shape != (len(atlas),):
        raise DataError(f"{name} has shape {numbers.shape} for {len(atlas):,} expressions")
    return numbers
