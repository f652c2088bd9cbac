"""The arrays of all units of the clustering experiment, one for each question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from symbed._types import Floats
from symbed_reproduction.clustering.data_sets import SPELLINGS, USUAL, Setting
from symbed_reproduction.clustering.protocols import (
    CN_ROWS,
    PLAIN_ROWS,
    PROTOCOLS,
    ROWS_AS_THEY_ARE,
    SCALED_COLUMNS,
    Protocol,
)
from symbed_reproduction.core.units import Arrays, Scale

MATRICES = ("BED", *SPELLINGS)
SAMPLINGS = ("paper's", "default")


class Size(NamedTuple):
    """How much is done: data sets, expressions of a group, numbers of draws, rows repeated."""

    n_sets: int
    n_members: int
    counts: tuple[int, ...]
    n_rows: int


SIZES: dict[Scale, Size] = {
    "small": Size(2, 4, (32, 128, 512), 2),
    "paper": Size(10, 10, (32, 64, 128, 256, 512, 1024, 2048), 10),
}
OTHER_RANGES = {
    "usual": USUAL,
    "negative": Setting(parameters=(-5.0, 5.0)),
    "far": Setting(domain=(10.0, 50.0)),
}


class Row(NamedTuple):
    """A row of the paper's tables: its name there, the matrix, and the protocol here."""

    published: str
    matrix: str
    protocol: Protocol


SHOWN = {"edit": "edit postfix", "tree edit": "tree edit unit", "Jaro": "Jaro postfix"}
CN_VERSIONS = {  # what the label CN of a syntactic row may mean
    "-CN": CN_ROWS,
    ", rows as they are": ROWS_AS_THEY_ARE,
    ", columns scaled": SCALED_COLUMNS,
}
ROWS: dict[str, Row] = {
    **{name: Row(name, matrix, PLAIN_ROWS) for name, matrix in SHOWN.items()},
    "BED": Row("BED", "BED", PLAIN_ROWS),
    "BED-CN": Row("BED-CN", "BED", CN_ROWS),
    **{
        f"{name}{version}": Row(f"{name}-CN", matrix, protocol)
        for name, matrix in SHOWN.items()
        for version, protocol in CN_VERSIONS.items()
    },
}


@dataclass(frozen=True, eq=False)
class ClusteringResults:
    """All arrays of a run; the first axis is the data set.

    Attributes
    ----------
    judged, fair, nearest, heights : ndarray
        As in ``judge_set``.
    maps : ndarray
        The distances of the first data set, as in ``draw_maps``.
    repeated : ndarray
        (rows, sets, 2, 4) as in ``repeat_rows``.
    drawn : ndarray
        (sets, counts, 2, 4) as in ``add_draws``.
    ranges : dict from str to dict from str to ndarray
        By the name of the ranges, ``cn`` and ``plain`` as in ``change_ranges``.
    literal : dict from str to ndarray
        As in ``take_literally``.
    """

    judged: Floats
    fair: Floats
    nearest: Floats
    heights: Floats
    maps: Floats
    repeated: Floats
    drawn: Floats
    ranges: dict[str, dict[str, Floats]]
    literal: dict[str, Floats]

    @classmethod
    def gather(cls, size: Size, results: Mapping[str, Arrays]) -> ClusteringResults:
        """The results from the arrays of all units."""

        def stack(kind: str, name: str) -> Floats:
            return np.stack([results[f"{kind}-{k}"][name] for k in range(size.n_sets)])

        return cls(
            stack("set", "judged"),
            stack("set", "fair"),
            stack("set", "nearest"),
            stack("set", "heights"),
            results["maps"]["maps"],
            np.stack([results[f"row-{k}"]["rows"] for k in range(size.n_rows)]),
            stack("draws", "rows"),
            {name: _named(stack, name, "cn", "plain") for name in OTHER_RANGES},
            _named(stack, "literal", "changed", "rows", "plain"),
        )

    def scores(self, matrix: str, protocol: Protocol) -> Floats:
        """The scores of one matrix by one protocol, (sets, 4)."""
        return self.judged[:, MATRICES.index(matrix), PROTOCOLS.index(protocol)]

    def row(self, name: str) -> Floats:
        """The scores of a row of ``ROWS``, (sets, 4)."""
        return self.scores(ROWS[name].matrix, ROWS[name].protocol)


def _named(stack: Callable[[str, str], Floats], kind: str, *names: str) -> dict[str, Floats]:
    return {name: stack(kind, name) for name in names}
