"""Density pictures along one variable: how likely each output of a family is at each input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.errors import RangeError
from symbed.plots.axis_scales import Kind, Scale, tame
from symbed.plots.canvas import BLUE, GRAY, HATCH, LARGE, LIGHT, SHADES, SMALL, axes_or_new, look
from symbed.plots.labels import round_numbers, shorten, typeset
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

    from symbed.workbench.fit_results import Fit

TAILS = (0.005, 0.995)  # where a law without ends is cut
MAX_COLUMNS = 200  # along x
POINTS_PER_COLUMN = 8  # where other variables vary from point to point
LEVELS = 240  # places along y at which the density is estimated
FAINT = 0.02  # share of a column's darkest below which the page stays white
MAX_SAMPLES = 256  # outputs in the estimate of one column; more are thinned, evenly in rank


def density(
    behavior: Behavior,
    *,
    along: str | int | None = None,
    curve: Behavior | Fit | None = None,
    scale: Kind = "auto",
    color: str = BLUE,
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw how likely each output is at each input; darker is more likely.

    Parameters
    ----------
    behavior : Behavior
        What ``observe`` gave; ``cross_section`` makes a probe that is fine enough.
    along : str or int, optional
        The variable on the x axis, by name or number. If the others vary too, a column of the
        picture mixes all points that fall into it.
    curve : Behavior or Fit, optional
        One member of the family to draw on top: a ``Fit``, or the behavior of an expression without
        parameters at the same points.
    scale : {"auto", "linear", "log"}
        The scale of the outputs: ``"linear"``, ``"log"`` far from zero, or whichever suits.
    color : str
        One of blue, vermillion and green of ``symbed.plots.canvas``.
    colorbar : bool
        Whether to draw the key of the colors.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.
    """
    ax = axes_or_new(ax)
    names = names_of(behavior)
    axis = pick_axis(along, names)
    chosen = Scale.of(behavior.outputs, scale)
    if len(behavior.outputs) == 1:  # an expression without parameters
        label = shorten(behavior.label) if behavior.label else None
        _draw_line(ax, behavior.points, axis, behavior.outputs[0], color, label)
    else:
        _draw_cloud(ax, behavior, axis, chosen, color, colorbar)
    _mark_undefined(ax, behavior, axis)
    if curve is not None:
        _draw_curve(ax, curve, behavior, axis)
    chosen.set_axis(ax.yaxis)
    fixed = _others_text(behavior.points, axis, names)
    ax.set_title(
        typeset(behavior.label) + (f"   ({shorten(fixed, 40)})" if fixed else ""), size=LARGE
    )
    ax.set_xlabel(typeset(names[axis]))
    ax.set_ylabel("output")
    return ax


def _draw_cloud(
    ax: Axes, behavior: Behavior, axis: int, scale: Scale, color: str, colorbar: bool
) -> None:
    from matplotlib.colors import PowerNorm
    from matplotlib.ticker import MaxNLocator

    columns = _columns(behavior, axis)
    low, high = scale.apply(np.array([scale.low, scale.high])).tolist()
    places = np.linspace(low, high, LEVELS + 1)
    shares = [(scale.apply(outputs) - low) / (high - low) for _, outputs in columns]
    cloud = np.stack([_estimate(share) for share in shares], axis=1) / (high - low)
    edges = _edges(np.array([x for x, _ in columns]))
    peaks = cloud.max(axis=0)
    # A column where all draws meet would take all of the colors for itself.
    top = 1.6 * float(np.quantile(peaks[peaks > 0], 0.7)) if (peaks > 0).any() else 1.0
    shown = np.ma.masked_where(cloud <= FAINT * peaks, cloud)
    norm = PowerNorm(0.5, 0.0, top, clip=True)
    mesh = ax.pcolormesh(
        edges, scale.undo(places), shown, cmap=_shades(color), norm=norm, rasterized=True
    )
    if colorbar:
        bar = ax.figure.colorbar(mesh, ax=ax, extend="max" if peaks.max() > top else "neither")
        bar.set_ticks([t for t in MaxNLocator(4).tick_values(0.0, top) if 0 <= t <= 0.97 * top])
        bar.set_label("density" if scale.width is None else "density on this scale")


def _shades(color: str) -> Colormap:
    """From a tone that can be told from white to a dark one."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps[SHADES.get(color, "Greys")](np.linspace(0.14, 1.0, 256)))


def _columns(behavior: Behavior, axis: int) -> list[tuple[float, Floats]]:
    """For each column of the picture, where it stands and the outputs in it."""
    x = behavior.points[:, axis]
    order = np.argsort(x, kind="stable")
    n = len(np.unique(x))
    if _others_vary(behavior.points, axis):
        n = min(n, max(1, len(x) // POINTS_PER_COLUMN))
    groups = np.array_split(order, min(n, MAX_COLUMNS))
    columns = ((float(x[group].mean()), behavior.outputs[:, group].ravel()) for group in groups)
    return [(place, np.sort(outputs[~np.isnan(outputs)])) for place, outputs in columns]


def _estimate(outputs: Floats) -> Floats:
    """A kernel density estimate over the unit interval; zero where nothing is defined."""
    centers = (np.arange(LEVELS) + 0.5) / LEVELS
    if not outputs.size:
        return np.zeros_like(centers)
    outputs = np.clip(outputs, -1.0, 2.0)  # what is out of sight stays so, however far
    if outputs.size > MAX_SAMPLES:
        outputs = outputs[np.linspace(0, outputs.size - 1, MAX_SAMPLES).astype(np.int64)]
    # Silverman's rule of thumb (Density Estimation, 1986, eq. 3.31) at half of its width, and not
    # narrower than a level, or bells would fall between the levels.
    spread = min(float(outputs.std()), float(np.ptp(np.quantile(outputs, [0.25, 0.75]))) / 1.349)
    width = max(0.45 * spread * outputs.size**-0.2, 1.2 / LEVELS)
    bells = np.exp(-0.5 * ((centers[:, None] - outputs) / width) ** 2)
    density_at_levels: Floats = bells.mean(axis=1) / (width * np.sqrt(2 * np.pi))
    return density_at_levels


def _edges(centers: Floats) -> Floats:
    """Borders between columns, half-way."""
    if len(centers) == 1:
        return np.array([centers[0] - 0.5, centers[0] + 0.5])
    middles = (centers[:-1] + centers[1:]) / 2
    first, last = 2 * centers[0] - middles[0], 2 * centers[-1] - middles[-1]
    return np.concatenate([[first], middles, [last]])


def _draw_curve(ax: Axes, curve: Behavior | Fit, behavior: Behavior, axis: int) -> None:
    if isinstance(curve, Behavior):
        points, y, label = curve.points, np.median(curve.outputs, axis=0), typeset(curve.label)
    else:
        points = behavior.points
        y, label = curve.predict(points), typeset(round_numbers(curve.expression))
    # A light seam, so that the curve stands out on dark ground.
    _draw_line(ax, points, axis, y, "white", None, width=4.0)
    # Black: densities are blue, vermillion or green.
    _draw_line(ax, points, axis, y, look(6).color, label)
    ax.legend(loc="best", fontsize=SMALL)


def _draw_line(
    ax: Axes, points: Floats, axis: int, y: Floats, color: str, label: str | None,
    width: float = 1.8,
) -> None:  # fmt: skip
    """A line where only x varies, dots where other variables do too."""
    x = points[:, axis]
    order = np.argsort(x, kind="stable")
    style = "o" if len(x) == 1 or _others_vary(points, axis) else "-"
    ax.plot(
        x[order], tame(y[order]), style, color=color, linewidth=width, markersize=3.5, label=label
    )


def _others_vary(points: Floats, axis: int) -> bool:
    return bool(np.ptp(np.delete(points, axis, axis=1), axis=0).any())


def _mark_undefined(ax: Axes, behavior: Behavior, axis: int) -> None:
    """Hatch where nothing is defined, and say how much is not."""
    if behavior.coverage < 1:
        share = f"{100 * (1 - behavior.coverage):.2g}% of the outputs undefined"
        ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}
        ax.text(0.02, 0.03, share, transform=ax.transAxes, size=SMALL, color=GRAY, bbox=ground)
    if behavior.coverage == 1 or _others_vary(behavior.points, axis):
        return
    x = behavior.points[:, axis]
    order = np.argsort(x, kind="stable")
    gone = behavior.counts[order] == 0
    edges = _edges(x[order])
    # Padded with False, so that runs of undefined points have a begin and an end each.
    turns = np.flatnonzero(np.diff(np.concatenate([[False], gone, [False]]).astype(np.int8)))
    for begin, end in turns.reshape(-1, 2).tolist():
        ax.axvspan(
            edges[begin], edges[end], facecolor=LIGHT, edgecolor=GRAY, hatch=HATCH, linewidth=0
        )


def cross_section(
    probe: Probe,
    along: str | int | None = None,
    *,
    at: Mapping[str, float] | None = None,
    n_points: int = 160,
    n_draws: int = 256,
) -> Probe:
    """A probe on a straight line through the domain of another, fine enough for a picture.

    Parameters
    ----------
    probe : Probe
        Where expressions were observed.
    along : str or int, optional
        The variable that moves, by name or number; the first by default.
    at : mapping from str to float, optional
        Values of the others; each stays at the median of the probe's points by default.
    n_points, n_draws : int
        How fine; never fewer draws than the probe has.

    Examples
    --------
    >>> line = cross_section(Probe({"x": (1, 5), "y": (0, 2)}), along="y", n_points=3)
    >>> line.points
    array([[3., 0.],
           [3., 1.],
           [3., 2.]])
    """
    axis = pick_axis(along, probe.variables)
    middle = np.median(probe.points, axis=0)
    for name, value in (at or {}).items():
        middle[pick_axis(name, probe.variables)] = value
    points = np.tile(middle, (n_points, 1))
    points[:, axis] = np.linspace(*_ends(probe, axis), n_points)
    return Probe.at(
        points,
        probe.variables,
        parameters=probe.parameters,
        n_draws=max(n_draws, probe.n_draws),
        design=probe.design,
        limit=probe.limit,
        seed=probe.seed,
    )


def pick_axis(along: str | int | None, names: Sequence[str]) -> int:
    """The number of the variable to look along; the first where none was asked for."""
    if along is None:
        return 0
    if isinstance(along, str) and along in names:
        return list(names).index(along)
    if isinstance(along, int) and -len(names) <= along < len(names):
        return along % len(names)
    raise RangeError(f"along must be one of the variables {', '.join(names)}, got {along!r}")


def names_of(behavior: Behavior) -> tuple[str, ...]:
    """The names of a behavior's variables; X_0, X_1 ... where its samples came without names."""
    probe = getattr(behavior.origin, "probe", None)
    if isinstance(probe, Probe) and len(probe.variables) == behavior.points.shape[1]:
        return probe.variables
    return default_names(behavior.points)


def default_names(points: Floats) -> tuple[str, ...]:
    """X_0, X_1 ... for points that came without names."""
    return tuple(f"X_{number}" for number in range(points.shape[1]))


def _others_text(points: Floats, axis: int, names: Sequence[str]) -> str:
    """What the other variables do: ``y = 2``, or nothing where they vary."""
    if _others_vary(points, axis):
        return ""
    others = [column for column in range(points.shape[1]) if column != axis]
    return ", ".join(f"{names[column]} = {points[0, column]:.4g}" for column in others)


def _ends(probe: Probe, axis: int) -> tuple[float, float]:
    law = probe.domain[probe.variables[axis]]
    if law is None:
        column = probe.points[:, axis]
        return float(column.min()), float(column.max())
    checked = Law.of(law)
    # A plain range has no source, and its ends are finite; a law's may not be.
    low, high = checked.at(np.array([0.0, 1.0] if checked.source is None else TAILS))
    return float(low), float(high)
