"""Tables of the smoothness experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from symbed._types import Floats
from symbed.workbench import dataset
from symbed_reproduction.core.outcomes import Cell, Table
from symbed_reproduction.smoothness.measurements import NUMBERS
from symbed_reproduction.smoothness.results import (
    CONTESTS,
    INVALID,
    NAMES,
    RIVALS,
    SmoothnessResults,
    average_ranks,
)

SHOWN = (1, 10, 50, 100, 250)  # numbers of nearest candidates in the tables of curves
CHANGED = 0.01  # a label is unstable if it changes by a larger share


def make_tables(results: SmoothnessResults, pictured: Sequence[str]) -> tuple[Table, ...]:
    """All tables, in the order of the report."""
    aggregations = list(results.ranks)
    return (
        *(_rank_table(results, aggregation) for aggregation in aggregations),
        *(_contest_table(results, aggregation) for aggregation in aggregations),
        _invalid_table(results),
        _curve_table(results, pictured),
        _label_table(results),
        _dataset_table(results),
    )


def _rank_table(results: SmoothnessResults, aggregation: str) -> Table:
    """Average ranks beside the published ones."""
    published = average_ranks()[aggregation]
    ranks = results.ranks[aggregation]["paper"]
    measures = CONTESTS["paper"]
    headings = [f"{NAMES[m]} {side}" for m in measures for side in ("paper", "here", "difference")]
    rows = []
    for n in published["bed"]:
        row: list[Cell] = [n]
        for k, measure in enumerate(measures):
            printed, here = published[measure][n], float(ranks.mean[k, n - 1])
            row += [printed, here, None if printed is None else here - printed]
        rows.append(tuple(row))
    title = (
        f"Average rank by {aggregation} RMSE of the n nearest, over {len(results.names)} data sets"
    )
    return Table(f"average_rank_{aggregation}", title, ("n", *headings), rows, decimals=2)


def _contest_table(results: SmoothnessResults, aggregation: str) -> Table:
    """Average ranks under other conditions, and how far data sets differ."""
    contests = results.ranks[aggregation]
    headings = [
        f"{NAMES[measure]}, {contest}"
        for contest in ("random ties", "default design")
        for measure in CONTESTS["paper"]
    ]
    spread = [f"{NAMES[measure]}, deviation" for measure in CONTESTS["paper"]]
    rows = [
        (
            n,
            *contests["random ties"].mean[:, n - 1].tolist(),
            *contests["default design"].mean[:, n - 1].tolist(),
            *contests["paper"].deviation[:, n - 1].tolist(),
        )
        for n in average_ranks()[aggregation]["bed"]
    ]
    title = (
        f"Average rank by {aggregation} RMSE with equal spellings in random order, with BED by our "
        "default design; standard deviation over data sets"
    )
    columns = ("n", *headings, *spread)
    return Table(f"average_rank_{aggregation}_more", title, columns, rows, decimals=2)


def _invalid_table(results: SmoothnessResults) -> Table:
    """Invalid candidates among the nearest."""
    rows = []
    for measure in (*CONTESTS["paper"], "default"):
        counts = results.invalid(measure)
        shuffled = None
        if measure in RIVALS:
            shuffled = float(results.invalid(f"{measure}_shuffled").mean())
        unstarted = float(results.invalid(measure, "unstarted").mean())
        row = (float(counts.mean()), float(counts.std()), shuffled, unstarted)
        rows.append((NAMES[measure], INVALID.get(measure), *row))
    n_points, n_dense = f"{results.sizes.n_points:,}", f"{results.sizes.n_dense:,}"
    headings = (
        "measure", "paper", f"here, {n_points} points", "deviation over data sets",
        "equal spellings in random order", f"one random start, {n_dense} points",
    )  # fmt: skip
    title = f"Invalid candidates among the {results.sizes.n_nearest} nearest, mean over data sets"
    return Table("invalid", title, headings, rows, decimals=2)


def _curve_table(results: SmoothnessResults, pictured: Sequence[str]) -> Table:
    """Errors of the nearest candidates on the two data sets of the figures."""
    rows: list[tuple[Cell, ...]] = []
    for name in pictured:
        for aggregation, curves in results.curves.items():
            for measure in ("optimal", "bed", "default", *RIVALS):
                curve = curves[measure][results.names.index(name)]
                low, high = results.bands(name, aggregation, measure)[:, -1].tolist()
                chosen = [float(curve[n - 1]) for n in SHOWN]
                rows.append((name, aggregation, NAMES[measure], *chosen, low, high))
    headings = ("data set", "aggregation", "measure", *(f"n = {n}" for n in SHOWN),
                "lowest repeat at the end", "highest repeat at the end")  # fmt: skip
    return Table("curves", "RMSE of the n nearest candidates", headings, rows, decimals=4)


def _label_table(results: SmoothnessResults) -> Table:
    """How many labels change when they are fitted again from other starts."""
    rows: list[tuple[Cell, ...]] = []
    for name, arrays in results.labels.items():
        rows.append((name, len(arrays["rmse"][0]), *_stability(arrays["rmse"], arrays["single"])))
    joined = {
        key: np.concatenate([arrays[key] for arrays in results.labels.values()], axis=1)
        for key in ("rmse", "single")
    }
    total = _stability(joined["rmse"], joined["single"])
    rows.append(("all of these", len(joined["rmse"][0]), *total))
    headings = ("data set", "candidates with parameters", "changed by over 1 %, here",
                "changed by over 1 %, one random start",
                "one random start is over 1 % worse than here")  # fmt: skip
    title = "Share of labels that change when candidates are fitted again from other random starts"
    return Table("labels", title, headings, rows, decimals=4)


def _dataset_table(results: SmoothnessResults) -> Table:
    places = [n for n in (1, 10, 100, 250) if n <= results.sizes.n_nearest]
    ranks = results.ranks["median"]["paper"].each[0]
    rows: list[tuple[Cell, ...]] = []
    for k, (name, arrays) in enumerate(zip(results.names, results.sets, strict=True)):
        numbers = arrays["numbers"].tolist()
        truth = dataset(name)
        ends = [float(results.curves["median"][m][k, -1]) for m in ("optimal", "bed", *RIVALS)]
        counts, reals = [int(one) for one in numbers[1:6]], numbers[6:]
        at = [float(ranks[k, n - 1]) for n in places]
        rows.append((name, str(truth.formula), len(truth.laws), *counts, *reals, *at, *ends))
    headings = (
        "data set", "formula", "variables", *NUMBERS[1:], *(f"BED's rank at {n}" for n in places),
        *(f"median RMSE, {NAMES[m]}" for m in ("optimal", "bed", *RIVALS)),
    )  # fmt: skip
    digits = {f"BED's rank at {n}": 1 for n in places} | {
        f"median RMSE, {NAMES[m]}": 4 for m in ("optimal", "bed", *RIVALS)
    }
    title = f"The data sets; ranks and RMSE by median of the {results.sizes.n_nearest} nearest"
    return Table("datasets", title, headings, rows, decimals=digits)


def is_changed(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Where two errors differ by over 1 %; infinite ones are equal to each other."""
    small, large = np.minimum(a, b), np.maximum(a, b)
    stable: NDArray[np.bool_] = (small == large) | (large <= (1 + CHANGED) * small)
    return ~stable


def _stability(rmse: Floats, single: Floats) -> Iterator[float]:
    yield float(is_changed(*rmse).mean())
    yield float(is_changed(*single).mean())
    yield float((is_changed(rmse[0], single[0]) & (single[0] > rmse[0])).mean())
