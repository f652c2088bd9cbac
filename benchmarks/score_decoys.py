"""Decoys: wrong forms that fit better than the right form with bad constants, and who is first.

Run with ``python -m benchmarks.score_decoys [--decoys N] [--seed S]``. For each of N problems from
the shipped collections the right form gets constants that are off by 20 to 60 %, and the decoy is a
wrong form fitted to the true function with R2 > 0.999. The right form must come first.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from symbed.language.expression import Expression
from symbed.scoring import score
from symbed.scoring._true_form import with_values
from symbed.workbench import Dataset, datasets, fit

GOAL = 0.95
N_SAMPLES = 200
LEAST_R2 = 0.999
# What is put in the place of one variable: smooth, near the identity after a fit, and another form.
BENDS = (
    "{x}^1.1", "{x} + C*{x}^2", "C*sinh(C*{x})", "C*ln(1 + C*{x})", "C*tanh(C*{x})",
    "{x}/(1 + C*{x})", "C*sin(C*{x})", "{x}*exp(C*{x})",
)  # fmt: skip


class Decoy(NamedTuple):
    """A problem, the right form with bad constants, and a wrong form that fits."""

    problem: Dataset
    right: Expression
    wrong: Expression
    r2: float


def make_decoys(n: int, seed: int) -> Iterator[Decoy]:
    """Decoys from the shipped problems, by seed."""
    rng = np.random.default_rng(seed)
    problems = [one for one in (*datasets("feynman"), *datasets("nguyen")) if len(one.laws) <= 4]
    made = 0
    while made < n:
        for place in rng.permutation(len(problems)).tolist():
            decoy = _decoy(problems[place], rng)
            if decoy is not None and made < n:
                made += 1
                yield decoy


def _decoy(problem: Dataset, rng: np.random.Generator) -> Decoy | None:
    if not problem.values:
        return None  # no constants that could be bad
    X, y = problem.sample(N_SAMPLES, seed=int(rng.integers(1 << 30)))
    factors = np.exp(rng.choice([-1.0, 1.0], len(problem.values)) * rng.uniform(0.2, 0.6))
    right = with_values(problem.form, [float(v) for v in np.array(problem.values) * factors])
    name = str(rng.choice(problem.variables))
    for bend in rng.permutation(BENDS).tolist():
        text = _replaced(str(problem.form), name, bend.format(x=name))
        found = fit(text, X, y, variables=problem.variables, n_starts=16, seed=0)
        # A wrong form that fits to the last digit may be the right one in disguise.
        if LEAST_R2 < found.r2 < 1 - 1e-9:
            return Decoy(problem, right, found.expression, found.r2)
    return None


def _replaced(text: str, name: str, bent: str) -> str:
    import re

    return re.sub(rf"\b{name}\b", f"({bent})", text)


def main() -> None:
    """Print how often the right form comes first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decoys", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    first, r2s = 0, []
    for decoy in make_decoys(arguments.decoys, arguments.seed):
        judged = score(
            [decoy.wrong, decoy.right], decoy.problem.form, decoy.problem.domain,
            values=decoy.problem.values,
        )  # fmt: skip
        wrong, right = judged.rows
        wins = judged.ranked[0] is right and right.is_right
        first += wins
        r2s.append(1 - right.function**2)
        if not wins or wrong.is_right:
            print(
                f"{decoy.problem.name}: {decoy.right} is {right.verdict}; "
                f"{decoy.wrong} (R2 {decoy.r2:.6f}) is {wrong.verdict}"
            )
    share = first / arguments.decoys
    print(f"right forms: median R2 {np.median(r2s):.3f}; decoys: R2 > {LEAST_R2}")
    print(f"right form first: {first} of {arguments.decoys} = {share:.0%} (goal: {GOAL:.0%})")


if __name__ == "__main__":
    main()
