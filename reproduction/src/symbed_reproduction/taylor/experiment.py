"""Taylor expansions of sin x: which is nearest depends on the domain, as behavior does.

The paper's discussion: behavior depends on the domain, spelling does not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import symbed
from symbed._types import Floats
from symbed.behavior.behavior import Behavior
from symbed.plots.axis_scales import Scale as AxisScale
from symbed.plots.canvas import GRAY, LARGE, LIGHT, SMALL, look, new_figure
from symbed.plots.labels import typeset
from symbed.workbench import syntactic_distance
from symbed.workbench.token_sequences import token_distances
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

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TRUTH = "sin(x)"
EXPANSIONS = ("x", "x - x^3/6", "x - x^3/6 + x^5/120")
N_POINTS = 1000  # equidistant, ends included, as in the paper
ENDS = {"pi": math.pi, "6pi": 6 * math.pi, "20": 20.0}  # of the domains, all from 0
TITLES = {"pi": "[0, π]", "6pi": "[0, 6π]", "20": "[0, 20]"}
LAST_END, N_ENDS = 21.0, {"small": 60, "paper": 210}  # of the curve over domains

# The table of the paper's discussion; its last column is headed [0, 6 pi].
PUBLISHED_EDIT = (1, 7, 14)
PUBLISHED_RMSE = {"pi": (1.34, 0.63, 0.14), "6pi": (11.60, 493.99, 7576.69)}

# Ways to write the same in tokens. Each has "sin x" and the three expansions.
SPELLINGS = {
    "power and exponent as two tokens": (
        "sin x", "x", "x - x ^ 3 / 6", "x - x ^ 3 / 6 + x ^ 5 / 120",
    ),
    "denominators as factorials": (
        "sin x", "x", "x - x ^ 3 / 3 !", "x - x ^ 3 / 3 ! + x ^ 5 / 5 !",
    ),
    "each digit a token": (
        "sin x", "x", "x - x ^ 3 / 6", "x - x ^ 3 / 6 + x ^ 5 / 1 2 0",
    ),
}  # fmt: skip


class Errors(NamedTuple):
    """Distances of the expansions from sin x: by domain, and edit distances by spelling."""

    rmse: Mapping[str, Floats]
    bed: Mapping[str, Floats]
    edits: Mapping[str, list[float]]


def plan(scale: Scale) -> list[Unit]:
    """One unit for each domain, one for spellings, one for errors over many domains."""
    ends = tuple(np.linspace(0.1, LAST_END, N_ENDS[scale]).tolist())
    domains = [Unit(f"domain-{name}", errors_on, ((end,),)) for name, end in ENDS.items()]
    return [Unit("ends", errors_on, (ends,)), *domains, Unit("spellings", spell)]


def errors_on(ends: tuple[float, ...]) -> Arrays:
    """RMSE and BED of each expansion on [0, end], (n_ends, 3)."""
    rows = [_errors(end) for end in ends]
    return {
        "ends": np.array(ends),
        "rmse": np.array([row[0] for row in rows]),
        "bed": np.array([row[1] for row in rows]),
    }


def spell() -> Arrays:
    """Edit distances from sin x to each expansion, by spelling, (n_spellings, 3)."""
    distances = {}
    for notation in ("infix", "prefix", "postfix"):
        distances[f"tokens of symbed, {notation}"] = [
            syntactic_distance(TRUTH, expansion, "edit", notation) for expansion in EXPANSIONS
        ]
    distances["tree edit distance"] = [syntactic_distance(TRUTH, e, "tree") for e in EXPANSIONS]
    for name, texts in SPELLINGS.items():
        words = [text.split() for text in texts]
        distances[name] = token_distances("edit", words[:1], words[1:], 1)[0].tolist()
    return {"names": np.array(list(distances)), "distances": np.array(list(distances.values()))}


def conclude(scale: Scale, results: Mapping[str, Arrays]) -> Outcome:
    """The paper's table with both domains that its last column may be of."""
    spellings = results["spellings"]
    rmse = {name: results[f"domain-{name}"]["rmse"][0] for name in ENDS}
    bed = {name: results[f"domain-{name}"]["bed"][0] for name in ENDS}
    edits = dict(zip(spellings["names"].tolist(), spellings["distances"].tolist(), strict=True))
    errors = Errors(rmse, bed, edits)
    tables = (_dissimilarities(errors), _spellings(edits), _over_domains(results["ends"]))
    data = {
        "ends": results["ends"],
        "curves": {name: _curves(ENDS[name]) for name in ("pi", "6pi")},
    }
    return Outcome(tables, judge_claims(CLAIMS, errors), NOTES, data)


def _errors(end: float) -> tuple[list[float], list[float]]:
    truth, *others = _curves(end)
    rmse = [symbed.distance(truth, other, p=2) for other in others]
    return rmse, [symbed.distance(truth, other) for other in others]


def _curves(end: float) -> list[symbed.Behavior]:
    """Of sin x and its expansions on [0, end]."""
    probe = symbed.Probe.at(np.linspace(0.0, end, N_POINTS), "x")
    return [symbed.observe(text, probe) for text in (TRUTH, *EXPANSIONS)]


def _dissimilarities(errors: Errors) -> Table:
    rmse, bed, edits = errors
    columns = ["expansion", "edit, paper", "edit, postfix"]
    columns += ["RMSE [0, π], paper", "RMSE [0, π]", 'RMSE "[0, 6π]", paper']
    columns += ["RMSE [0, 6π]", "RMSE [0, 20]", "BED [0, π]", "BED [0, 6π]", "BED [0, 20]"]
    rows: list[tuple[Cell, ...]] = [
        (
            expansion, PUBLISHED_EDIT[k], int(edits["tokens of symbed, postfix"][k]),
            PUBLISHED_RMSE["pi"][k], float(rmse["pi"][k]), PUBLISHED_RMSE["6pi"][k],
            float(rmse["6pi"][k]), float(rmse["20"][k]), *(float(bed[name][k]) for name in ENDS),
        )
        for k, expansion in enumerate(EXPANSIONS)
    ]  # fmt: skip
    title = "Dissimilarity between sin x and its Taylor expansions"
    return Table("dissimilarities", title, columns, rows, decimals=2)


def _spellings(edits: Mapping[str, list[float]]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (name, *map(int, distances)) for name, distances in edits.items()
    ]
    rows.append(("the paper's table", *PUBLISHED_EDIT))
    title = "Edit distance between sin x and its expansions, by spelling"
    return Table("spellings", title, ("spelling", *EXPANSIONS), rows)


def _over_domains(arrays: Arrays) -> Table:
    names = [f"{kind} of {text}" for kind in ("RMSE", "BED") for text in EXPANSIONS]
    rows = np.concatenate([arrays["ends"][:, None], arrays["rmse"], arrays["bed"]], axis=1).tolist()
    title = "RMSE and BED against sin x on [0, end]"
    return Table("domains", title, ("end", *names), rows, decimals=4)


def _rmse(name: str) -> Callable[[Errors], Finding]:
    """What decides on the printed RMSE of one domain."""
    printed = np.array(PUBLISHED_RMSE[name])

    def compute(errors: Errors) -> Finding:
        rounded = {key: errors.rmse[key].round(2) for key in ENDS}
        others = [TITLES[k] for k in ENDS if k != name and np.array_equal(rounded[k], printed)]
        why_not = f"the printed numbers are those of {others[0]}" if others else ""
        off = float(np.abs(rounded[name] - printed).max())
        return Finding(_listed(errors.rmse[name]), off, why_not=why_not)

    return compute


def _edit_distances(errors: Errors) -> Finding:
    own = errors.edits["tokens of symbed, postfix"]
    whole = {name: tuple(map(int, edits)) for name, edits in errors.edits.items()}
    fitting = [name for name, edits in whole.items() if edits == PUBLISHED_EDIT]
    how = f"the printed ones fit {' and '.join(fitting)}" if fitting else "no spelling tried fits"
    return Finding(
        f"{_listed(own, 0)} in postfix tokens",
        missed(tuple(map(int, own)) == PUBLISHED_EDIT),
        why_not=f"the paper does not say how it spells; {how}",
    )


def _near_orders(errors: Errors) -> Finding:
    return _answer(all((np.diff(some["pi"]) < 0).all() for some in (errors.rmse, errors.bed)))


def _far_orders(errors: Errors) -> Finding:
    distances = [some[end] for some in (errors.rmse, errors.bed) for end in ("6pi", "20")]
    return _answer(all((np.diff(some) > 0).all() for some in distances))


def _edit_orders(errors: Errors) -> Finding:
    return _answer(all((np.diff(some) > 0).all() for some in errors.edits.values()))


def _answer(holds: bool) -> Finding:
    return Finding("yes" if holds else "no", missed(holds))


def _listed(numbers: object, decimals: int = 2) -> str:
    return ", ".join(f"{number:.{decimals}f}" for number in np.asarray(numbers).tolist())


CLAIMS = (
    *(
        ClaimRow(
            f"RMSE of the three expansions on {TITLES[name]} (discussion, table)",
            _listed(printed), _rmse(name), "tables/dissimilarities.csv",
        )
        for name, printed in PUBLISHED_RMSE.items()
    ),
    ClaimRow(
        "Edit distances from sin x to the three expansions (discussion, table)",
        _listed(PUBLISHED_EDIT, 0), _edit_distances, "tables/spellings.csv",
    ),
    ClaimRow(
        "On [0, π] higher orders are closer to sin x (discussion)",
        "yes", _near_orders, "tables/dissimilarities.csv",
    ),
    ClaimRow(
        "On [0, 6π] lower orders are closer to sin x (discussion)",
        "yes", _far_orders, "tables/dissimilarities.csv",
    ),
    ClaimRow(
        "The edit distance grows with the order, whatever the domain (discussion)",
        "yes", _edit_orders, "tables/spellings.csv",
    ),
)  # fmt: skip


NOTES = """
sin x and its expansions have no free parameters, so that BED is the mean absolute error, and BED
with p = 2 is the RMSE. Both are taken at 1000 equidistant points, ends included, as in the paper.

The last column of the paper's table is headed [0, 6π], but its numbers are those of [0, 20]. The
conclusion stands on either domain.

The edit distance depends on how a formula is cut into tokens, which the paper does not say. Its
numbers 1, 7, 14 come out when the denominators are written as factorials (3! and 5!, with the
sign as a token of its own). symbed counts `^3` as one token.
"""


BLACK = 6  # the look of the truth


def draw(outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """The paper's figure of the curves, and the errors against the end of the domain."""
    yield "curves", _draw_curves(outcome.data["curves"])
    yield "errors", _draw_errors(outcome.data["ends"])


def _draw_curves(curves: dict[str, list[Behavior]]) -> Any:
    axes = new_figure(10.0, 4.0).subplots(1, 2)
    for ax, (name, behaviors) in zip(axes, curves.items(), strict=True):
        for number, one in enumerate(behaviors):
            seen = look(number - 1 if number else BLACK)
            style = seen.style if number else "-"
            ax.plot(
                one.points[:, 0], one.outputs[0], color=seen.color, linestyle=style,
                linewidth=1.8, label=typeset(one.label),
            )  # fmt: skip
        outputs = np.concatenate([one.outputs[0] for one in behaviors])
        AxisScale.of(outputs, "linear" if name == "pi" else "log").set_axis(ax.yaxis)
        ax.set_title(TITLES[name] + ("" if name == "pi" else ", scale logarithmic"), size=LARGE)
        ax.set(xlabel=typeset("x"), ylabel="output", xlim=(0.0, ENDS[name]))
        ax.legend(fontsize=SMALL, loc="best")
    return axes


def _draw_errors(curves: dict[str, Any]) -> Axes:
    ax = new_figure(7.0, 4.4).add_subplot()
    for number, text in enumerate(EXPANSIONS):
        seen = look(number)
        ax.plot(
            curves["ends"], curves["rmse"][:, number], color=seen.color, linestyle=seen.style,
            linewidth=1.8, label=typeset(text),
        )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(1e-4, 3e4)
    for name, end in ENDS.items():
        ax.axvline(end, color=GRAY, linestyle=":", linewidth=1.2)
        side = "right" if name == "6pi" else "left"
        ax.text(
            end, 2e-4, f" {TITLES[name]} ", size=SMALL, color=GRAY, ha=side,
            bbox={"facecolor": "white", "edgecolor": LIGHT, "pad": 1.0, "linewidth": 0},
        )  # fmt: skip
    ax.set(xlabel="end of the domain, which begins at 0", ylabel=f"RMSE against {typeset(TRUTH)}")
    ax.set_xlim(0.0, 22.6)
    ax.set_title("The best expansion depends on the domain", size=LARGE)
    ax.legend(fontsize=SMALL, loc="center right")
    return ax
