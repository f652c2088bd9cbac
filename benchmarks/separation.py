"""Score how well BED tells the paper's sixteen groups of equivalent expressions apart.

Ten data sets of 16 groups x 10 equivalent expressions, inputs in [1, 5], parameters in [0.2, 5], 64
points x 32 draws; clusters by hierarchical linkage of the distances as they are. Beside the default
design stand the paper's sampling and the paper's BED-CN features. The score is the adjusted Rand
index against the true groups: mean over the data sets, and the smallest.

Run with ``python -m benchmarks.separation``; needs ``pip install 'symbed[cluster]'``.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import numpy as np

import symbed
from symbed.workbench import equivalent_groups

DOMAIN = {"X_0": (1.0, 5.0), "X_1": (1.0, 5.0)}
PARAMETERS = (0.2, 5.0)
LINKAGES = ("single", "average", "complete")
ROWS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("lattice (default)", "wasserstein", {}, {}),
    ("lattice (default)", "relative", {"metric": "relative"}, {}),
    ("lattice (default)", "arcsinh", {"metric": "arcsinh"}, {}),
    ("paper", "wasserstein", {}, {}),
    ("paper", "relative", {"metric": "relative"}, {}),
    ("paper", "BED-CN", {}, {"features": "cn"}),
]


def main() -> None:
    arguments = _arguments()
    scores: dict[tuple[int, str], list[float]] = {}
    for seed in range(arguments.sets):
        groups = equivalent_groups(arguments.members, seed=seed)
        truth = np.repeat(np.arange(len(groups)), arguments.members)
        formulas = [member for group in groups for member in group.members]
        for number, (design, _, measure, choice) in enumerate(ROWS):
            name = design.split()[0]
            probe = symbed.Probe(DOMAIN, PARAMETERS, design=name, seed=seed)
            matrix = symbed.pairwise(symbed.survey(formulas, probe), **measure)
            for linkage in LINKAGES:
                clusters = symbed.cluster(matrix, len(groups), method=linkage, **choice)  # type: ignore[arg-type]
                scores.setdefault((number, linkage), []).append(_rand(truth, clusters.labels_))
    print(f"{arguments.sets} data sets of 16 groups x {arguments.members}, mean (smallest) ARI\n")
    print("| design | distances | " + " | ".join(LINKAGES) + " |")
    print("|---|---|" + "---|" * len(LINKAGES))
    for number, (design, name, _, _) in enumerate(ROWS):
        cells = [_cell(scores[number, linkage]) for linkage in LINKAGES]
        print(f"| {design} | {name} | " + " | ".join(cells) + " |")


def _cell(indices: list[float]) -> str:
    return f"{statistics.mean(indices):.3f} ({min(indices):.3f})"


def _rand(truth: Any, labels: Any) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(truth, labels))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--sets", type=int, default=10, help="number of data sets")
    parser.add_argument("--members", type=int, default=10, help="expressions of each group")
    parser.add_argument("--quick", action="store_true", help="two data sets")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sets = 2
    return arguments


if __name__ == "__main__":
    main()
