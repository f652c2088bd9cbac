"""The tasks of a benchmark: one method on the data of one problem, seed and noise level.

A task is known by its content: its key is a digest of all that decides its result, so that a
benchmark which is killed, or extended, never runs a task twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from symbed.scoring.benchmark.method_process import Ending, Limits, run_method
from symbed.scoring.benchmark.methods import Method
from symbed.scoring.benchmark.problems import sample_data
from symbed.workbench.data.benchmark_datasets import Dataset, dataset

VERSION = 1  # of tasks and of what is written about them; raised when results would change


@dataclass(frozen=True)
class Task:
    """One run of one method.

    Attributes
    ----------
    problem : str
        The name of the data set.
    method : Method
        Who is asked.
    noise : float
        Share of the outputs' spread.
    seed : int
        Of the data, and of the method.
    n_rows : int
        Rows of the data.
    limits : Limits
        What the method may use.
    """

    problem: str
    method: Method
    noise: float
    seed: int
    n_rows: int
    limits: Limits

    @property
    def truth(self) -> Dataset:
        """The problem itself."""
        return dataset(self.problem)

    @cached_property
    def key(self) -> str:
        """The digest that names its files."""
        content = {"method": self.method.identity, "formula": str(self.truth.formula)}
        return digest(self.to_dict() | content | {"version": VERSION})

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "problem": self.problem,
            "method": self.method.to_dict(),
            "noise": self.noise,
            "seed": self.seed,
            "n_rows": self.n_rows,
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Task:
        """The task of its plain values."""
        method = dict(fields["method"])
        method["options"] = tuple(sorted(method["options"].items()))
        limits = Limits(**fields["limits"])
        return cls(**{**fields, "method": Method(**method), "limits": limits})


def make_tasks(
    problems: Sequence[Dataset],
    methods: Sequence[Method],
    noises: Sequence[float],
    seeds: Sequence[int],
    n_rows: int,
    limits: Limits,
) -> list[Task]:
    """All tasks of a benchmark: seed by seed, so that an unfinished one has whole seeds."""
    return [
        Task(problem.name, method, noise, seed, n_rows, limits)
        for seed in seeds
        for noise in noises
        for problem in problems
        for method in methods
    ]


def run_task(task: Task) -> Ending:
    """Run the method of a task on its data, and wait for it."""
    problem = task.truth
    X, y = sample_data(problem, task.n_rows, task.noise, task.seed)
    return run_method(task.method, X, y, problem.variables, task.seed, task.limits)


def digest(document: Any) -> str:
    """A short name for a document of plain values."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
