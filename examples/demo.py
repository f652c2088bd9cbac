"""The demo: compares, groups and searches a file of formulas, and draws what it finds.

Run with ``make demo``. It needs symbed and matplotlib, nothing else.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import symbed
from symbed import plots
from symbed.distances.duplicates.duplicate_groups import DuplicateGroups

FORMULAS = Path(__file__).with_name("formulas.txt")
PAIRS = [
    ("C*X_0 + C", "C + C*exp(ln(X_0))"),
    ("C*tanh(X_0)", "C*X_0/(1 + X_0)"),
    ("C*X_0 + C*X_0", "2*C*X_0"),
    ("C*X_0", "C*X_0^2"),
]
QUERY = "a*atan(X_0)"
N_CLUSTERS = 5


def main() -> None:
    """Run the demo."""
    folder = output_folder()
    began = time.perf_counter()
    probe = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))
    print(f"symbed {symbed.__version__}\n{probe}\n")
    show_pairs(probe)
    with FORMULAS.open(encoding="utf-8") as lines:
        atlas = symbed.survey(lines, probe)
    groups = symbed.duplicates(atlas)
    show_groups(atlas, groups)
    matrix = symbed.pairwise([atlas[number] for number in groups.representatives])
    clusters = symbed.cluster(matrix, N_CLUSTERS, method="medoids")
    show_clusters(clusters)
    nearest = symbed.nearest(QUERY, atlas, k=5)
    show_neighbors(nearest)
    folder.mkdir(parents=True, exist_ok=True)
    draw_clusters(matrix, clusters, folder / "clusters.png")
    draw_nearest(probe, nearest.labels[0], folder / "nearest.png")
    print(f"Done in {time.perf_counter() - began:.1f} s")


def show_pairs(probe: symbed.Probe) -> None:
    """Compare some pairs, each with the uncertainty of its distance."""
    print("Comparing pairs (distance, interval, what independent draws would show for equal ones):")
    for e, f in PAIRS:
        found = symbed.compare(symbed.observe(e, probe), symbed.observe(f, probe))
        low, high = found.interval
        interval = f"[{low:.3f}, {high:.3f}]"
        print(f"  {e:<16}{f:<22}{found.distance:8.4f}  {interval:<18}{found.noise_floor:.3f}")


def show_groups(atlas: symbed.Atlas, groups: DuplicateGroups) -> None:
    """Print which formulas are one behavior."""
    print(f"\n{atlas!r}\nFormulas that behave alike:")
    for group in groups:
        print("  " + "   =   ".join(group.labels))


def show_clusters(clusters: symbed.Clusters) -> None:
    """Print which behaviors are close to each other."""
    print(f"\n{len(clusters.labels)} behaviors in {len(clusters)} clusters:")
    for number in range(len(clusters)):
        print("  " + "   ".join(clusters.members(number)))


def show_neighbors(nearest: symbed.Neighbors) -> None:
    """Print the formulas closest to one that is not in the file."""
    print(f"\nClosest to {QUERY}:")
    for label, distance in zip(nearest.labels, nearest.distances, strict=True):
        print(f"  {distance:8.4f}  {label}")
    print()


def draw_clusters(matrix: symbed.DistanceMatrix, clusters: symbed.Clusters, path: Path) -> None:
    """Draw the distances between the behaviors, with a border around each cluster."""
    plots.save(plots.heatmap(matrix, clusters=clusters), path)
    print(f"Picture: {path}")


def draw_nearest(probe: symbed.Probe, nearest: str, path: Path) -> None:
    """Draw how the distance from the query to its nearest formula comes about."""
    a, b = (symbed.observe(text, probe) for text in (QUERY, nearest))
    line = plots.cross_section(probe)  # finer, along X_0
    fine = symbed.observe(QUERY, line), symbed.observe(nearest, line)
    plots.save(plots.breakdown(symbed.compare(a, b), a, b, fine=fine).ravel(), path)
    print(f"Picture: {path}")


def output_folder() -> Path:
    """Where the pictures go."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/demo"), metavar="FOLDER")
    folder: Path = parser.parse_args().output
    return folder


if __name__ == "__main__":
    main()
