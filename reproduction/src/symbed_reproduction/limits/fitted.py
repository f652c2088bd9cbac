"""Free against fitted: which form BED finds nearest to a formula without free parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import symbed
from symbed._types import Floats
from symbed.plots.canvas import BLUE, GRAY, GREEN, LARGE, SMALL, VERMILLION, new_figure
from symbed.plots.labels import typeset
from symbed.workbench import fit
from symbed_reproduction.core.experiments import Arrays, Scale, Unit
from symbed_reproduction.core.outcomes import (
    Cell,
    ClaimRow,
    Finding,
    Outcome,
    Table,
    judge_claims,
    missed,
)
from symbed_reproduction.limits import draw_line, set_logarithmic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOMAIN, PARAMETERS = {"x": (1.0, 5.0)}, (-5.0, 5.0)
N_POINTS = 64
N_DRAWS = {"small": 64, "paper": 512}
ROUNDING = 1e-9
WIDTHS = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)


class Case(NamedTuple):
    """A formula, its form with free parameters a, b, c, and their values in the formula."""

    truth: str
    form: str
    values: tuple[float, ...]


CASES = (
    Case("2*x + 1", "a*x + b", (2.0, 1.0)),
    Case("1.5*sin(x) + 0.5", "a*sin(x) + b", (1.5, 0.5)),
    Case("3*exp(-0.7*x)", "a*exp(b*x)", (3.0, -0.7)),
    Case("0.5*x^2 - 2*x + 1", "a*x^2 + b*x + c", (0.5, -2.0, 1.0)),
    Case("2*sqrt(x) + 1", "a*sqrt(x) + b", (2.0, 1.0)),
    Case("2*ln(x) - 1", "a*ln(x) + b", (2.0, -1.0)),
    Case("3*x/(x + 2)", "a*x/(x + b)", (3.0, 2.0)),
    Case("4", "a", (4.0,)),
)
FAR = 60.0  # distances to the exponential form are far beyond, and out of sight


class Fits(NamedTuple):
    """The arrays of ``measure`` for all formulas, and the ranks of their own forms."""

    distances: Mapping[str, Floats]
    ranks: Mapping[str, NDArray[np.int64]]


def plan(scale: Scale) -> list[Unit]:
    """One unit for each formula."""
    return [
        Unit(f"fitted-{number}", measure, (number, N_DRAWS[scale])) for number in range(len(CASES))
    ]


def measure(number: int, n_draws: int) -> Arrays:
    """One formula against all forms, and against its own under narrower and narrower ranges.

    ``free``: (n_cases,) BED to each form; ``forms``: (n_cases,) BED of its form, free as well, to
    each form; ``fitted``: (n_cases,) BED to each form after a fit to the formula's outputs;
    ``floor``: the least that any formula has to this form; ``widths``: (n_widths,).
    """
    case = CASES[number]
    probe = symbed.Probe(DOMAIN, PARAMETERS, n_points=N_POINTS, n_draws=n_draws)
    truth, own = symbed.observe(case.truth, probe), symbed.observe(case.form, probe)
    forms = [symbed.observe(other.form, probe) for other in CASES]
    return {
        "free": np.array([symbed.distance(truth, form) for form in forms]),
        "forms": np.array([symbed.distance(own, form) for form in forms]),
        "fitted": np.array([_distance_after_fit(truth, other, probe) for other in CASES]),
        "floor": np.array(_distance_to_median(own)),
        "widths": np.array([_distance_within(case, width, n_draws) for width in WIDTHS]),
    }


def conclude(results: Mapping[str, Arrays]) -> Outcome:
    """Tables, claims and figure data of the part on free and fitted expressions."""
    distances = {
        name: np.array([results[f"fitted-{number}"][name] for number in range(len(CASES))])
        for name in ("free", "forms", "fitted", "floor", "widths")
    }
    ranks = {name: own_ranks(distances[name]) for name in ("free", "forms", "fitted")}
    tables = (_table(distances, ranks), _width_table(distances["widths"]))
    claims = judge_claims(CLAIMS, Fits(distances, ranks))
    data = {f"fitted_{name}": values for name, values in distances.items()}
    return Outcome(tables, claims, NOTES, data)


def own_ranks(distances: Floats) -> NDArray[np.int64]:
    """The place of each formula's own form among all forms, ties in its favor, from 1."""
    own = np.diagonal(distances)[:, None]
    ranks: NDArray[np.int64] = 1 + (distances < own - ROUNDING).sum(axis=1)
    return ranks


def _distance_after_fit(truth: symbed.Behavior, other: Case, probe: symbed.Probe) -> float:
    fitted = fit(other.form, truth.points, truth.outputs[0], variables=["x"], bounds=PARAMETERS)
    return symbed.distance(truth, symbed.observe(fitted.expression, probe))


def _distance_to_median(form: symbed.Behavior) -> float:
    """BED to the point-wise median: no formula without parameters is nearer to this form."""
    middle = np.median(form.values, axis=1)
    return symbed.distance(form, symbed.Behavior.from_samples(middle[:, None], form.points))


def _distance_within(case: Case, width: float, n_draws: int) -> float:
    """BED of formula and form, with parameters at most ``width`` away from the formula's."""
    ranges = {n: (v - width, v + width) for n, v in zip("abc", case.values, strict=False)}
    probe = symbed.Probe(DOMAIN, ranges, n_points=N_POINTS, n_draws=n_draws)
    return symbed.distance(symbed.observe(case.truth, probe), symbed.observe(case.form, probe))


def _table(distances: Mapping[str, Floats], ranks: Mapping[str, NDArray[np.int64]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for k, case in enumerate(CASES):
        nearest = CASES[int(distances["free"][k].argmin())].form
        rows.append(
            (case.truth, case.form, float(distances["free"][k, k]), float(distances["floor"][k]),
             int(ranks["free"][k]), nearest, float(distances["forms"][k, k]),
             int(ranks["forms"][k]), float(distances["fitted"][k, k]), int(ranks["fitted"][k]))
        )  # fmt: skip
    columns = (
        "formula", "its form", "BED, formula to form", "least possible", "rank of its form",
        "nearest form", "BED, form to form", "rank, form to form", "BED after fitting",
        "rank after fitting",
    )  # fmt: skip
    title = f"Formulas against their forms, parameters in [-5, 5]; ranks among {len(CASES)} forms"
    return Table("fitted", title, columns, rows)


def _width_table(widths: Floats) -> Table:
    rows = [(width, *column) for width, column in zip(WIDTHS, widths.T.tolist(), strict=True)]
    columns = ("half width", *(case.truth for case in CASES))
    title = "BED of formula and form, parameters within the half width of the formula's"
    decimals = {"half width": 2} | dict.fromkeys(columns[1:], 4)
    return Table("fitted_widths", title, columns, rows, decimals)


def _least(fits: Fits) -> Finding:
    least = float(np.diagonal(fits.distances["free"]).min())
    fitted = float(np.diagonal(fits.distances["fitted"]).max())
    told = f"at least {least:.2f} for {len(CASES)} formulas; after fitting at most {fitted:.1e}"
    return Finding(told, missed(least > 0))


def _own_form_first(fits: Fits) -> Finding:
    n = len(CASES)
    first = {name: int((ranks == 1).sum()) for name, ranks in fits.ranks.items()}
    narrow = CASES[int(np.bincount(fits.distances["free"].argmin(axis=1)).argmax())].form
    return Finding(
        f"the formula's own form is nearest for {first['free']} of {n} formulas",
        n - first["free"],
        f"against a formula without free parameters BED prefers forms that vary little, here "
        f"mostly {narrow!r}; form to form the own form is nearest for {first['forms']} of {n}, "
        f"after fitting for {first['fitted']} of {n}",
    )


CLAIMS = (
    ClaimRow(
        "BED between a formula and its form with free parameters is never zero (discussion)",
        "never exactly zero", _least, "tables/fitted.csv",
    ),
    ClaimRow(
        "Smaller BED to the ground truth means greater similarity: a guide to the least attainable "
        "(discussion)",
        "a guide", _own_form_first, "tables/fitted.csv",
    ),
)  # fmt: skip


def draw(data: Mapping[str, Any]) -> Any:
    """Distances of formulas to all forms, and to their own under narrower ranges."""
    axes = new_figure(10.5, 4.8).subplots(1, 2, width_ratios=[1.15, 1.0])
    _draw_ranks(axes[0], data["fitted_free"], data["fitted_floor"])
    for number, (case, distances) in enumerate(zip(CASES, data["fitted_widths"], strict=True)):
        draw_line(axes[1], np.array(WIDTHS), distances, number, typeset(case.form))
    set_logarithmic(axes[1])
    axes[1].set_ylim(2e-3, 2e3)  # the exponential form leaves the picture
    axes[1].set(xlabel="half width of the parameters' ranges", ylabel="BED, formula to form")
    axes[1].set_title("Narrower ranges around the formula's values", size=LARGE)
    axes[1].legend(fontsize=SMALL, ncols=2, loc="upper left")
    return axes


def _draw_ranks(ax: Axes, free: np.ndarray, floor: np.ndarray) -> None:
    """Distances from each formula to all forms, its own marked."""
    rows = np.arange(len(CASES))
    own = np.diagonal(free)
    for row in rows:
        others = np.delete(free[row], row)
        label = "other forms" if row == 0 else None
        ax.plot(others, np.full(len(others), row), "o", color=GRAY, alpha=0.6, label=label)
    ax.plot(floor, rows, "|", color=GREEN, markersize=14, markeredgewidth=2.5,
            label="least possible for its form")  # fmt: skip
    ax.plot(own, rows, "D", color=VERMILLION, markersize=5.5, label="its own form")
    ax.plot(free.min(axis=1), rows, "o", markersize=11, markerfacecolor="none", color=BLUE,
            label="nearest")  # fmt: skip
    ax.set_xscale("log")
    ax.set_xlim(1.8, FAR)
    ax.set_xticks([2, 5, 10, 20, 50], ["2", "5", "10", "20", "50"])
    ax.set_xticks([], minor=True)
    for far in np.flatnonzero(own > FAR).tolist():
        text = f"its own form: {own[far]:.0e} $\\rightarrow$"
        ax.text(0.98, far - 0.3, text, transform=ax.get_yaxis_transform(), ha="right", va="center",
                size=SMALL, color=VERMILLION)  # fmt: skip
    ax.set_yticks(rows, [typeset(case.truth) for case in CASES])
    ax.invert_yaxis()
    ax.set_xlabel("BED from the formula to forms with parameters in [-5, 5]")
    ax.legend(fontsize=SMALL, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False)


NOTES = """
**Free against fitted.** A form with free parameters is a cloud, a formula a line in it: their
distance is the mean distance of the cloud from the line, and at least that from the cloud's median
("least possible" in the table). It is not zero, and for wide ranges it says more about the size of
the cloud than about the form: with parameters in [-5, 5] a bare constant is nearer to most of these
formulas than their own forms are. Three remedies: compare form to form, which gives 0 for
the same form; fit the parameters first (`symbed.workbench.fit`) and compare formula to formula; or
narrow the ranges around a fit, under which the distance falls in proportion to their width. These
are eight formulas chosen by hand, not a benchmark; the smoothness experiment has the Feynman set.
"""
