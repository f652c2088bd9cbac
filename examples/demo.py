"""The demo: a file of formulas goes in; comparisons, groups, neighbours and a picture come out.

Run with ``make demo``. It needs symbed and matplotlib, nothing else.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import symbed

FORMULAS = Path(__file__).with_name("formulas.txt")
PAIRS = [
    ("C*X_0 + C", "C + C*exp(ln(X_0))"),
    ("C*tanh(X_0)", "C*X_0/(1 + X_0)"),
    ("C*X_0 + C*X_0", "2*C*X_0"),
    ("C*X_0", "C*X_0^2"),
]
QUERY = "a*atan(X_0)"
SAME = 1e-9  # spellings of one behavior differ by rounding only
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
    matrix = symbed.pairwise(atlas)
    groups = group(matrix.values)
    show_groups(atlas, groups)
    clusters = cluster(matrix.values[np.ix_(leaders(groups), leaders(groups))], N_CLUSTERS)
    show_clusters(atlas, leaders(groups), clusters)
    order = show_neighbours(atlas, probe)
    picture = draw(atlas, matrix, symbed.observe(QUERY, probe), int(order[0]), folder)
    print(f"Picture: {picture}")
    print(f"Done in {time.perf_counter() - began:.1f} s")


def show_pairs(probe: symbed.Probe) -> None:
    """Compare some pairs, each with the uncertainty of its distance."""
    print("Comparing pairs (distance, interval, what independent draws would show for equal ones):")
    for e, f in PAIRS:
        found = symbed.compare(symbed.observe(e, probe), symbed.observe(f, probe))
        low, high = found.interval
        interval = f"[{low:.3f}, {high:.3f}]"
        print(f"  {e:<16}{f:<22}{found.distance:8.4f}  {interval:<18}{found.noise_floor:.3f}")


def group(distances: NDArray[np.float64]) -> list[list[int]]:
    """Formulas that behave alike, each group around its first member."""
    groups: list[list[int]] = []
    for number, row in enumerate(distances):
        home = next((members for members in groups if row[members[0]] <= SAME), None)
        if home is None:
            groups.append([number])
        else:
            home.append(number)
    return groups


def leaders(groups: list[list[int]]) -> list[int]:
    """The first member of each group."""
    return [members[0] for members in groups]


def cluster(distances: NDArray[np.float64], n_clusters: int) -> list[list[int]]:
    """Merge the two clusters with the smallest mean distance until so many are left."""
    clusters = [[number] for number in range(len(distances))]
    while len(clusters) > n_clusters:
        a, b = min(
            ((i, j) for i in range(len(clusters)) for j in range(i)),
            key=lambda pair: distances[np.ix_(clusters[pair[0]], clusters[pair[1]])].mean(),
        )
        clusters[b] += clusters.pop(a)
    return clusters


def show_groups(atlas: symbed.Atlas, groups: list[list[int]]) -> None:
    """Print which formulas are one behavior."""
    print(f"\n{atlas!r}\nFormulas that behave alike (distance under {SAME:g}):")
    for members in groups:
        print("  " + "   =   ".join(atlas.labels[number] for number in members))


def show_clusters(atlas: symbed.Atlas, first: list[int], clusters: list[list[int]]) -> None:
    """Print which behaviors are close to each other."""
    print(f"\n{len(first)} behaviors in {len(clusters)} clusters:")
    for members in clusters:
        print("  " + "   ".join(atlas.labels[first[number]] for number in members))


def show_neighbours(atlas: symbed.Atlas, probe: symbed.Probe) -> NDArray[np.int64]:
    """Print the formulas closest to one that is not in the file; return all in that order."""
    found = symbed.pairwise([symbed.observe(QUERY, probe)], atlas).values[0]
    order = np.argsort(found, kind="stable")
    print(f"\nClosest to {QUERY}:")
    for number in order[:5]:
        print(f"  {found[number]:8.4f}  {atlas.labels[number]}")
    print()
    return order


def draw(
    atlas: symbed.Atlas,
    matrix: symbed.DistanceMatrix,
    query: symbed.Behavior,
    nearest: int,
    folder: Path,
) -> Path:
    """Draw the matrix, and the query's outputs over those of its nearest formula."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 6), layout="constrained")
    image = left.imshow(np.log10(matrix.values + 0.01), cmap="viridis")
    left.set_yticks(range(len(atlas)), atlas.labels, fontsize=6)
    left.set_xticks([])
    left.set_title("BED between the formulas")
    figure.colorbar(image, ax=left, label="log10(distance + 0.01)", shrink=0.8)
    for behavior, color in ((query, "tab:orange"), (atlas[nearest], "tab:blue")):
        x = behavior.points[:, 0]
        order, cuts = np.argsort(x), np.nanquantile(behavior.values, [0.1, 0.5, 0.9], axis=1)
        right.fill_between(x[order], cuts[0][order], cuts[2][order], color=color, alpha=0.25)
        right.plot(x[order], cuts[1][order], color=color, label=behavior.label)
    right.set(title="Outputs: median, and 10 to 90 % of the draws", xlabel="X_0", ylabel="output")
    right.legend()
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "demo.png", dpi=120)
    return folder / "demo.png"


def output_folder() -> Path:
    """Where the picture goes."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/demo"), metavar="FOLDER")
    folder: Path = parser.parse_args().output
    return folder


if __name__ == "__main__":
    main()
