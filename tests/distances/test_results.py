"""Every result can be told as plain values and as a table, and every verb measures alike."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symbed
from symbed import Atlas, DistanceMatrix, Measure, Probe

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
TEXTS = ["a*x", "x*a", "x + 0.5", "ln(x - 3)", "sin(x)", "exp(ln(a) + ln(x))"]
LOSSES = [3.0, 1.0, 4.0, 1.5, 9.0, 2.5]
ATLAS = symbed.survey(TEXTS, PROBE, metadata={"loss": LOSSES})
FINITE = symbed.survey(["x", "x + 0.1", "x^2"], PROBE)
ONE, OTHER = symbed.observe("a*x", PROBE), symbed.observe("ln(x - 3)", PROBE)

RESULTS: list[Any] = [
    ONE,
    ATLAS,
    symbed.compare(ONE, OTHER),
    symbed.pairwise(ATLAS),
    symbed.nearest("x", ATLAS, 3),
    symbed.nearest(["x", "sin(x)"], ATLAS, 3),
    symbed.duplicates(ATLAS),
    symbed.cluster(symbed.pairwise(FINITE), 2),
]

MEASURING: dict[str, Callable[..., Any]] = {
    "compare": lambda **how: symbed.compare(ONE, OTHER, **how).distance,
    "distance": lambda **how: symbed.distance(ONE, OTHER, **how),
    "bed": lambda **how: symbed.bed(
        "a*x", "ln(x - 3)", domain={"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8, **how
    ),
    "pairwise": lambda **how: float(symbed.pairwise([ONE], [OTHER], **how).values[0, 0]),
    "nearest": lambda **how: symbed.nearest(ONE, [OTHER], 1, **how).distances[0],
    "duplicates": lambda **how: symbed.duplicates(ATLAS, 0.5, **how).groups.tolist(),
    "cluster": lambda **how: symbed.cluster(ATLAS, 2, **how).labels_.tolist(),
}
SETTINGS: list[dict[str, Any]] = [
    {"metric": "relative"},
    {"metric": "arcsinh", "p": 2, "mismatch": 3.0},
    {"undefined": "cemetery", "penalty": 2.0},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("verb", MEASURING)
def test_every_verb_takes_a_measure_or_its_settings(verb: str, settings: dict[str, Any]) -> None:
    whole = MEASURING[verb](measure=Measure(**settings))
    assert whole == MEASURING[verb](**settings)


@pytest.mark.parametrize("verb", MEASURING)
def test_a_measure_and_its_settings_together_are_refused(verb: str) -> None:
    with pytest.raises(symbed.SymbedError, match=r"give measure=\.\.\. or p=\.\.\., not both"):
        MEASURING[verb](measure=Measure(), p=1)
    with pytest.raises(symbed.SymbedError, match="the name of a metric goes to metric="):
        MEASURING[verb](measure="relative")


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_as_a_dictionary_is_plain_json(result: Any) -> None:
    document = result.to_dict()
    assert json.loads(json.dumps(document)) == document


def test_a_comparison_tells_its_numbers_and_its_measure() -> None:
    document = symbed.compare(ONE, OTHER, p=2).to_dict()
    assert document["labels"] == ["a*x", "ln(x - 3)"]
    assert document["distance"] == math.inf
    assert (document["metric"], document["p"], document["undefined"]) == (
        "wasserstein",
        2,
        "strict",
    )


def test_neighbors_tell_their_queries_and_columns() -> None:
    one, many = symbed.nearest("x", ATLAS, 2), symbed.nearest(["x", "sin(x)"], ATLAS, 2)
    assert one.to_dict()["results"] == many.to_dict()["results"][:1]
    first = many.to_dict()["results"][1]
    assert first["query"] == "sin(x)"
    assert first["neighbors"][0] == {"index": 4, "distance": 0.0, "label": "sin(x)", "loss": 9.0}
    assert [row.query for row in many.each] == ["x", "sin(x)"]
    assert one.each == [one]


def test_groups_tell_their_members() -> None:
    document = symbed.duplicates(ATLAS).to_dict()
    assert document["n_groups"] == 4
    group = document["groups"][0]
    assert group["label"] == "a*x"
    assert [member["index"] for member in group["members"]] == [0, 1, 5]


def test_clusters_tell_their_members() -> None:
    document = symbed.cluster(FINITE, 2).to_dict()
    assert document["labels"] == [0, 0, 1]
    assert [one["members"] for one in document["clusters"]] == [["x", "x + 0.1"], ["x^2"]]


def test_a_square_matrix_can_be_condensed() -> None:
    spatial = pytest.importorskip("scipy.spatial.distance")
    matrix = symbed.pairwise(FINITE)
    np.testing.assert_array_equal(spatial.squareform(matrix.condensed()), matrix.values)
    with pytest.raises(symbed.SymbedError, match="only a square matrix"):
        symbed.pairwise(FINITE, ATLAS).condensed()


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_a_result_as_a_frame_has_a_row_for_each_thing(result: Any) -> None:
    pytest.importorskip("pandas")
    frame = result.to_frame()
    rows = {"Behavior": 16, "Comparison": 16, "Clusters": 3}.get(type(result).__name__)
    if isinstance(result, symbed.Neighbors):
        rows = result.indices.size
    assert len(frame) == (len(ATLAS) if rows is None else rows)


def test_without_pandas_a_frame_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "import symbed\n"
        "try:\n"
        "    symbed.observe('x', symbed.Probe({'x': (0, 1)})).to_frame()\n"
        "except symbed.errors.MissingExtra as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "pip install 'symbed[table]'" in done.stdout


def test_lists_of_expressions_are_taken_with_a_probe() -> None:
    np.testing.assert_array_equal(
        symbed.pairwise(TEXTS, probe=PROBE).values, symbed.pairwise(ATLAS).values
    )
    assert symbed.nearest("x", TEXTS, 2, probe=PROBE).labels == symbed.nearest("x", ATLAS, 2).labels
    groups = symbed.duplicates(TEXTS, probe=PROBE).groups
    assert groups.tolist() == symbed.duplicates(ATLAS).groups.tolist()
    labels = symbed.cluster(["x", "x + 0.1", "x^2"], 2, probe=PROBE).labels_
    assert labels.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "verb",
    [symbed.pairwise, symbed.duplicates, symbed.cluster, lambda given: symbed.nearest("x", given)],
)
def test_a_list_of_expressions_without_a_probe_is_refused(verb: Callable[..., Any]) -> None:
    with pytest.raises(symbed.SymbedError, match=r"probe=\.\.\. with a list of expressions"):
        verb(["x", "x + 1"])


def test_an_atlas_with_another_probe_is_refused() -> None:
    with pytest.raises(symbed.SymbedError, match=r"leave out probe=\.\.\."):
        symbed.pairwise(ATLAS, probe=PROBE.with_(seed=1))


def test_a_matrix_that_was_measured_is_not_measured_again() -> None:
    with pytest.raises(symbed.SymbedError, match="measured already"):
        symbed.cluster(DistanceMatrix(np.zeros((2, 2)), "ab", "ab"), 1, metric="relative")


@pytest.mark.parametrize(
    "verb",
    [
        lambda atlas, told: symbed.nearest(["x", "sin(x)"], atlas, 2, progress=told),
        lambda atlas, told: symbed.duplicates(atlas, progress=told),
        lambda atlas, told: symbed.pairwise(atlas, progress=told),
        lambda atlas, told: symbed.cluster(atlas, 2, metric="relative", progress=told),
    ],
)
def test_long_verbs_tell_their_progress_to_the_end(verb: Callable[..., Any]) -> None:
    atlas: Atlas = symbed.survey(TEXTS, PROBE)
    steps: list[int] = []
    verb(atlas, steps.append)
    assert steps == sorted(steps)
    ends = {atlas.n_distinct + 2, 2 * atlas.n_distinct, atlas.n_distinct**2}
    assert steps[-1] in ends
