"""``Leaderboard``: the judged runs of a benchmark, and what they come to for each method.

Every figure is a mean over problems for each seed, then over seeds; its interval is that of the
mean over seeds (Student's t, 95 %). With a single seed there is none.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from symbed._export import data_frame
from symbed.scoring.benchmark.methods import STATUSES, Ending
from symbed.scoring.benchmark.tasks import Task

ACCURATE = math.sqrt(1 - 0.999)  # relative error of R2 = 0.999, SRBench's "accuracy solution"
# Student's t: the 97.5 % quantiles for 1, 2, ... degrees of freedom; a series has those beyond.
T_QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
NORMAL_QUANTILE = statistics.NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class RunResult:
    """One judged run.

    Attributes
    ----------
    key : str
        Names its file.
    problem, collection, title : str
        What was to be found.
    truth : str
        Its form.
    n_variables : int
        Number of variables.
    method : str
        Who ran.
    noise : float
        Noise level.
    seed : int
        Of the data and the method.
    status : str
        How it ended.
    message : str
        Its last words, where it failed.
    seconds, megabytes : float
        What it used.
    formulas : tuple of dict
        What it found, judged; the first is the method's answer.
    """

    key: str
    problem: str
    collection: str
    title: str
    truth: str
    n_variables: int
    method: str
    noise: float
    seed: int
    status: str
    message: str
    seconds: float
    megabytes: float
    formulas: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, task: Task, ending: Ending, judgment: dict[str, Any], label: str = "") -> RunResult:
        """The result of a task; ``label`` tells its method from others of that name."""
        problem = task.truth
        truth = problem.form if problem.form.parameters else problem.formula
        return cls(
            task.key, problem.name, problem.collection, problem.title, str(truth),
            len(problem.laws), label or task.method.name, task.noise, task.seed, ending.status,
            ending.message, ending.seconds, ending.megabytes, tuple(judgment["formulas"]),
        )  # fmt: skip

    @property
    def answer(self) -> dict[str, Any] | None:
        """The formula that the method would hand out."""
        return self.formulas[0] if self.formulas else None

    @property
    def recovered(self) -> bool:
        """Whether the answer has the true form."""
        return bool(self.answer and self.answer["right"])

    @property
    def true_form(self) -> str:
        """Whether the answer has the true form, in a word; "no" without one."""
        return str(self.answer["true_form"]) if self.answer else "no"

    @property
    def on_front(self) -> bool:
        """Whether any of the judged formulas has."""
        return any(one["right"] for one in self.formulas)

    @property
    def form_distance(self) -> float:
        """Of the answer; 1, the largest, without one."""
        return float(self.answer["form_distance"]) if self.answer else 1.0

    @property
    def error(self) -> float:
        """The answer's relative error over the domain; infinite without one."""
        return float(self.answer["error"]) if self.answer else math.inf

    def to_row(self) -> dict[str, Any]:
        """What a table of runs says of it."""
        return {
            "method": self.method, "problem": self.problem, "collection": self.collection,
            "n_variables": self.n_variables, "noise": self.noise, "seed": self.seed,
            "status": self.status, "true_form": self.true_form, "recovered": int(self.recovered),
            "on_front": int(self.on_front), "form_distance": self.form_distance,
            "error": self.error, "size": self.answer["size"] if self.answer else None,
            "verdict": self.answer["verdict"] if self.answer else self.message,
            "answer": self.answer["formula"] if self.answer else None, "truth": self.truth,
            "seconds": round(self.seconds, 3), "megabytes": round(self.megabytes, 1),
            "key": self.key,
        }  # fmt: skip


@dataclass(frozen=True)
class Summary:
    """What some runs of one method come to.

    Attributes
    ----------
    by, group : str
        What the runs have in common: ``by`` is ``all``, ``noise``, ``n_variables``, ``collection``
        or ``problem``.
    method : str
        Who ran.
    n_runs, n_problems, n_seeds : int
        How many.
    recovery, recovery_low, recovery_high : float
        Share of runs whose answer has the true form, with its interval over seeds.
    on_front : float
        Share of runs that have it among the judged formulas.
    contains, special : float
        Share of runs whose answer contains the true form with parameters too many, or is a special
        case of it.
    accuracy, accuracy_low, accuracy_high : float
        Share of runs whose answer has R2 > 0.999 over the domain.
    form_distance, form_distance_low, form_distance_high : float
        Mean form distance of the answers, 1 where there is none.
    error, error_low, error_high : float
        Median relative error of the answers; the lowest and the highest median of one seed.
    size, seconds : float
        Medians.
    failed : int
        Runs that ended without a formula.
    """

    by: str
    group: str
    method: str
    n_runs: int
    n_problems: int
    n_seeds: int
    recovery: float
    recovery_low: float
    recovery_high: float
    on_front: float
    contains: float
    special: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float
    form_distance: float
    form_distance_low: float
    form_distance_high: float
    error: float
    error_low: float
    error_high: float
    size: float
    seconds: float
    failed: int


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard:
    """The judged runs of a benchmark.

    Attributes
    ----------
    runs : tuple of RunResult
        Those that have ended.
    n_tasks : int
        How many there are to be.
    """

    runs: tuple[RunResult, ...]
    n_tasks: int

    @property
    def is_finished(self) -> bool:
        """Whether all runs have ended."""
        return len(self.runs) == self.n_tasks

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods, the one with the highest recovery first."""
        order = sorted(
            self.summaries("all"), key=lambda one: (-one.recovery, one.form_distance, one.method)
        )
        return tuple(one.method for one in order)

    def groups(self, by: str) -> list[str]:
        """The groups of runs by what they have in common, in their natural order."""
        label, order = GROUPINGS[by]
        groups = {label(run): order(run) for run in self.runs}
        return sorted(groups, key=groups.__getitem__)

    def runs_of(self, method: str, by: str, group: str) -> list[RunResult]:
        """The runs of one method in one group."""
        label = GROUPINGS[by][0]
        return [run for run in self.runs if run.method == method and label(run) == group]

    def summaries(self, by: str) -> list[Summary]:
        """One row for each method and group; methods by name."""
        names = sorted({run.method for run in self.runs})
        return [
            _summary(by, group, method, runs)
            for group in self.groups(by)
            for method in names
            if (runs := self.runs_of(method, by, group))
        ]

    @property
    def statuses(self) -> dict[str, dict[str, int]]:
        """For each method, how many runs ended how."""
        return {
            method: {
                status: sum(r.method == method and r.status == status for r in self.runs)
                for status in STATUSES
            }
            for method in self.methods
        }

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values for JSON."""
        return {
            "n_tasks": self.n_tasks,
            "n_ended": len(self.runs),
            "methods": list(self.methods),
            "statuses": self.statuses,
            "summaries": self.summary_rows(),
            "runs": [run.to_row() for run in self.runs],
        }

    def to_frame(self) -> Any:
        """A pandas frame with a row for each run."""
        rows = [run.to_row() for run in self.runs]
        return data_frame({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})

    def summary_rows(self) -> list[dict[str, Any]]:
        """The rows of all summaries, by every grouping."""
        return [asdict(one) for by in GROUPINGS for one in self.summaries(by)]

    def formula_rows(self) -> list[dict[str, Any]]:
        """A row for each judged formula."""
        return [
            {"key": run.key, "method": run.method, "problem": run.problem, "noise": run.noise,
             "seed": run.seed, "rank": rank, **formula}
            for run in self.runs
            for rank, formula in enumerate(run.formulas, 1)
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        unfinished = "" if self.is_finished else f" of {self.n_tasks}, unfinished"
        return f"Leaderboard({len(self.runs)} runs{unfinished}, {len(self.methods)} methods)"


# By what runs are grouped: the name of a run's group, and what groups are sorted by.
GROUPINGS: dict[str, tuple[Callable[[RunResult], str], Callable[[RunResult], Any]]] = {
    "all": (lambda run: "all", lambda run: 0),
    "noise": (lambda run: f"{run.noise:g}", lambda run: run.noise),
    "n_variables": (lambda run: str(run.n_variables), lambda run: run.n_variables),
    "collection": (lambda run: run.collection, lambda run: run.collection),
    "problem": (lambda run: run.problem, lambda run: (run.collection, run.problem)),
}


def _summary(by: str, group: str, method: str, runs: Sequence[RunResult]) -> Summary:
    seeds = sorted({run.seed for run in runs})
    per_seed = [[run for run in runs if run.seed == seed] for seed in seeds]
    recovery = _over_seeds(per_seed, lambda run: float(run.recovered))
    accuracy = _over_seeds(per_seed, lambda run: float(run.error <= ACCURATE))
    distance = _over_seeds(per_seed, lambda run: run.form_distance)
    # Medians: one answer that is undefined somewhere has an infinite error.
    medians = [statistics.median(run.error for run in some) for some in per_seed]
    sizes = [run.answer["size"] for run in runs if run.answer and run.answer["read"]]
    return Summary(
        by, group, method, len(runs), len({run.problem for run in runs}), len(seeds),
        *recovery, statistics.fmean(run.on_front for run in runs),
        statistics.fmean(run.true_form == "contains it" for run in runs),
        statistics.fmean(run.true_form == "special case" for run in runs),
        *accuracy, *distance,
        statistics.median(run.error for run in runs), min(medians), max(medians),
        float(statistics.median(sizes)) if sizes else math.nan,
        statistics.median(run.seconds for run in runs),
        sum(not run.formulas for run in runs),
    )  # fmt: skip


def _over_seeds(
    per_seed: Sequence[Sequence[RunResult]], value: Callable[[RunResult], float]
) -> tuple[float, float, float]:
    """The mean over seeds of a share or a distance in [0, 1], and its interval; NaN without one."""
    means = [statistics.fmean(map(value, runs)) for runs in per_seed]
    center = statistics.fmean(means)
    if len(means) < 2:
        return center, math.nan, math.nan
    freedom = len(means) - 1
    half = _t_quantile(freedom) * statistics.stdev(means) / math.sqrt(len(means))
    return center, max(0.0, center - half), min(1.0, center + half)


def _t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, to three decimals."""
    if freedom <= len(T_QUANTILES):
        return T_QUANTILES[freedom - 1]
    # Cornish and Fisher's expansion by 1/freedom (Abramowitz and Stegun 26.7.5); below the table's
    # end its terms would not fall fast enough.
    z = NORMAL_QUANTILE
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
