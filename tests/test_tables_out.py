"""Every result is a table of pandas, too."""

from __future__ import annotations

import pytest

import symbed
from symbed.verdicts.pair_lists import relate_many
from symbed.workbench.fitting import fit

pandas = pytest.importorskip("pandas")

BOX = {"x": (0.5, 1.0)}
TEXTS = ["x", "x^2", "2*x"]
PROBE = symbed.Probe(BOX)
RESULTS = {
    "formulas": lambda: symbed.read_formulas(TEXTS),
    "behavior": lambda: symbed.observe("x", PROBE),
    "atlas": lambda: symbed.survey(TEXTS, PROBE),
    "comparison": lambda: symbed.compare(*symbed.survey(TEXTS[:2], PROBE)),
    "matrix": lambda: symbed.pairwise(TEXTS, probe=PROBE),
    "neighbors": lambda: symbed.nearest("x", TEXTS, k=2, probe=PROBE),
    "groups": lambda: symbed.duplicates(TEXTS, probe=PROBE),
    "clusters": lambda: symbed.cluster(TEXTS, n_clusters=2, probe=PROBE),
    "selection": lambda: symbed.select(TEXTS, 2, [1.0, 2.0, 3.0], probe=PROBE),
    "verdict": lambda: symbed.decide("x", "x + 1", BOX),
    "relation": lambda: symbed.relate("a*x", "C*x", BOX),
    "relations": lambda: relate_many("a*x", ["C*x", "C*x^2"], BOX, workers=1),
    "effective": lambda: symbed.effective("a*b*x", BOX),
    "score": lambda: symbed.score(TEXTS, "a*x", BOX),
    "fit": lambda: fit("a*x", [[1.0], [2.0], [3.0]], [2.0, 4.0, 6.0], variables=["x"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_a_table_of_pandas_too(name: str) -> None:
    frame = RESULTS[name]().to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) > 0
