"""A fitted formula with the data it was fitted to, and the residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symbed._types import Floats
from symbed.errors import ShapeError
from symbed.plots.axis_scales import Kind, Scale
from symbed.plots.canvas import BLUE, GRAY, LARGE, SMALL, VERMILLION, as_panels, new_figure
from symbed.plots.densities import pick_axis
from symbed.plots.labels import round_numbers, typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symbed.workbench.fit_results import Fit

N_CURVE_POINTS = 400
MAX_ROWS = 5000  # that are drawn, evenly spaced among more


def fitted(
    fit: Fit,
    X: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    along: str | int | None = None,
    scale: Kind = "auto",
    figure: Figure | None = None,
) -> NDArray[Any]:
    """Draw data with the fitted formula, and the residuals below.

    Parameters
    ----------
    fit : Fit
        What ``workbench.fit`` gave.
    X : (n, n_variables) array_like, optional
        Inputs in the order of ``fit.variables``; those it was fitted to by default.
    y : (n,) array_like, optional
        The targets; those it was fitted to by default.
    along : str or int, optional
        The variable on the x axis, by name or number. With one variable the fit is a curve, with
        several a dot at each row.
    scale : {"auto", "linear", "log"}
        The scale of the target: ``"linear"``, ``"log"`` far from zero, or whichever suits.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    ndarray of object
        The two axes: data and fit, residuals.
    """
    X, y = fit.points if X is None else X, fit.target if y is None else y
    if X is None or y is None:
        raise ShapeError("this fit has no data of its own; give X and y")
    targets = np.asarray(y, dtype=np.float64)
    inputs = np.asarray(X, dtype=np.float64).reshape(len(targets), len(fit.variables))
    rows = np.unique(np.linspace(0, len(inputs) - 1, min(len(inputs), MAX_ROWS)).astype(np.int64))
    inputs, targets = inputs[rows], targets[rows]
    outputs = fit.predict(inputs)
    axis = pick_axis(along, fit.variables)
    x = inputs[:, axis]
    figure = figure or new_figure(6.5, 5.4)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    size = 4.5 if len(x) <= 200 else 2.5
    upper.plot(
        x, targets, "o", color=BLUE, markersize=size, alpha=0.6, markeredgewidth=0, label="data"
    )
    _draw_fit(upper, fit, x, outputs)
    Scale.of(np.concatenate([targets, outputs]), scale).set_axis(upper.yaxis)
    _draw_residuals(lower, x, targets - outputs)
    lower.set_xlabel(typeset(fit.variables[axis]))
    upper.set_ylabel("target")
    quality = f"rmse {fit.rmse:.3g}, $R^2$ {fit.r2:.4g}"
    upper.set_title(f"{typeset(fit.source)}   {quality}", size=LARGE)
    upper.legend(loc="best", fontsize=SMALL)
    return as_panels([upper, lower])


def _draw_fit(ax: Axes, fit: Fit, x: Floats, outputs: Floats) -> None:
    label = typeset(round_numbers(fit.expression))
    if len(fit.variables) > 1:
        ax.plot(x, outputs, "x", color=VERMILLION, markersize=4, label=label)
        return
    line = np.linspace(x.min(), x.max(), N_CURVE_POINTS)
    ax.plot(line, fit.predict(line[:, None]), color=VERMILLION, linewidth=1.8, label=label)


def _draw_residuals(ax: Axes, x: Floats, residuals: Floats) -> None:
    ax.axhline(0.0, color=VERMILLION, linewidth=1.2)
    ax.plot(x, residuals, "o", color=GRAY, markersize=3, alpha=0.7, markeredgewidth=0)
    ax.set_ylabel("residual")
    Scale.of(residuals).set_axis(ax.yaxis)
