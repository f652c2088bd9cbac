"""The nearest expressions are exactly those that comparing with every one would find."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.behavior.store.segments import keep_derived
from symbed.distances.search import _filter_refine as searching
from symbed.distances.search import sketches
from symbed.distances.search.neighbors import Neighbor, Neighbors
from symbed.engine.backend import active_backend
from tests.distances.irregular import MEASURES, PROBE, TEXTS, all_distances, random_texts
from tests.engine.engines import engine_in_use

ATLAS = symbed.survey(TEXTS, PROBE)
LEAN = symbed.survey(TEXTS + random_texts(400), PROBE, keep="programs")


def _expect(query: symbed.Behavior, atlas: symbed.Atlas, k: int, **measure: Any) -> None:
    distances = all_distances(query, atlas, **measure)
    order = np.lexsort((np.arange(len(atlas)), distances))[:k]
    found = symbed.nearest(query, atlas, k, **measure)
    assert found.distances.tolist() == distances[order].tolist()
    assert found.indices.tolist() == order.tolist()


def _counted(monkeypatch: pytest.MonkeyPatch, kernel: str, size: Callable[..., int]) -> list[int]:
    """The sizes of all calls of a kernel from now on, whoever makes them."""
    engine, sizes = type(active_backend()), []
    call = getattr(engine, kernel)

    def noted(self: Any, *arguments: Any) -> Any:
        sizes.append(size(*arguments))
        return call(self, *arguments)

    monkeypatch.setattr(engine, kernel, noted)
    return sizes


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_every_search_finds_what_a_full_comparison_finds(measure: dict[str, Any]) -> None:
    for query in ATLAS:
        _expect(query, ATLAS, 7, **measure)


@pytest.mark.parametrize("k", [1, 3, 50, len(LEAN)])
def test_any_number_of_neighbors_is_found_without_stored_outputs(k: int) -> None:
    for text in ("C*X_0 + C", "X_1", "sqrt(X_0 - C)", "1e200*C", "ln(-X_0)", "X_0 - X_0"):
        _expect(symbed.observe(text, PROBE), LEAN, k)


@pytest.mark.no_cover
@pytest.mark.parametrize("measure", [{}, {"p": 2}], ids=str)
def test_a_search_that_starts_with_few_seeds_is_just_as_exact(
    measure: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SEEDS", 4)
    monkeypatch.setattr(searching, "MANY", 8)
    for query in ATLAS:
        _expect(query, LEAN, 5, **measure)


def test_a_query_that_dwarfs_everything_is_settled_without_computing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = symbed.observe("1e200*C + 3", PROBE)
    _expect(query, LEAN, 5)
    monkeypatch.setattr(searching, "MANY", 8)
    computed = _counted(monkeypatch, "cross", lambda a, b, *_: len(b[0]))
    symbed.nearest(query, LEAN, 5)
    assert 0 < sum(computed) < LEAN.n_distinct / 2


def test_the_numpy_engine_finds_the_same() -> None:
    with engine_in_use("numpy"):
        atlas = symbed.survey(TEXTS, PROBE)
        for query in list(ATLAS)[::3]:
            _expect(query, atlas, 9)


def test_behaviors_with_other_numbers_of_draws_can_be_searched_for() -> None:
    probe = PROBE.with_(n_draws=5)
    for text in ("C*X_0", "sqrt(X_0 - C)", "X_1"):
        _expect(symbed.observe(text, probe), ATLAS, 6)


def test_more_points_than_groups_are_searched_exactly() -> None:
    probe = PROBE.with_(n_points=150)
    atlas = symbed.survey(TEXTS, probe)
    for query in list(atlas)[::2]:
        _expect(query, atlas, 6)
        _expect(query, atlas, 6, mismatch=1.5)


def test_behaviors_from_samples_are_searched() -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(size=(5, 1))
    made = [symbed.Behavior.from_samples(rng.normal(size=(5, 4)), points) for _ in range(30)]
    atlas = symbed.Atlas.from_behaviors(made)
    for query in made[:5]:
        _expect(query, atlas, 4)


def test_sources_that_share_a_behavior_are_results_of_their_own() -> None:
    atlas = symbed.survey(["X_1", "X_0*C", "C*X_0", "X_0"], PROBE)
    found = symbed.nearest("C*X_0", atlas, 3)
    assert found.labels[:2] == ["X_0*C", "C*X_0"]
    assert found.distances[:2].tolist() == [0.0, 0.0]


def test_many_queries_give_one_row_each() -> None:
    texts = ["C*X_0", "X_1", "sin(C*X_0)"]
    found = symbed.nearest(texts, ATLAS, 4)
    assert found.indices.shape == found.distances.shape == (3, 4)
    for text, row in zip(texts, found, strict=True):
        one = symbed.nearest(text, ATLAS, 4)
        assert isinstance(row, Neighbors)
        assert row.indices.tolist() == one.indices.tolist()
        assert row.labels == one.labels
    again = symbed.nearest(symbed.survey(texts, PROBE), ATLAS, 4, workers=3)
    assert again.indices.tolist() == found.indices.tolist()


def test_the_items_of_one_query_are_neighbors() -> None:
    found = symbed.nearest("X_0", ATLAS, 2)
    assert found[0] == Neighbor(0, 0.0, "X_0")
    assert len(found) == len(list(found)) == 2
    assert repr(found) == "Neighbors(2, nearest 'X_0' at 0)"


def test_results_are_read_only() -> None:
    found = symbed.nearest("X_0", ATLAS, 2)
    with pytest.raises(ValueError, match="read-only"):
        found.distances[0] = 1.0


def test_sketches_are_made_once_and_shared_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    atlas = symbed.survey(TEXTS, PROBE)
    sketched = _counted(monkeypatch, "sketch", lambda outputs, _: len(outputs[0]))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda text: symbed.nearest(text, atlas, 3), TEXTS[:8]))
    # The fixed and the varied rows once, and each query.
    assert sum(sketched) == atlas.n_distinct + 8


def test_an_atlas_on_disk_keeps_its_sketches_until_it_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sketches, "KEPT", 5)
    first = symbed.survey(TEXTS, PROBE, keep="programs").save(tmp_path / "a.atlas")
    found = symbed.nearest("C*X_0", first, 5)
    again = symbed.Atlas.open(tmp_path / "a.atlas")
    with monkeypatch.context() as strict:
        sketched = _counted(strict, "sketch", lambda outputs, _: len(outputs[0]))
        assert symbed.nearest("C*X_0", again, 5).indices.tolist() == found.indices.tolist()
        assert sum(sketched) == 1  # the query alone
        groups = symbed.duplicates(again).groups
    assert groups.tolist() == symbed.duplicates(ATLAS).groups.tolist()
    more = again.append(["C*X_0 + 1e-9"])
    assert symbed.nearest("C*X_0", more, 4).indices.tolist() == [3, 6, 50, len(TEXTS)]


def test_sketches_on_disk_that_do_not_fit_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sketches, "KEPT", 5)
    symbed.nearest("X_0", symbed.survey(TEXTS, PROBE).save(tmp_path / "a.atlas"), 5)
    store = symbed.Atlas.open(tmp_path / "a.atlas").store
    assert store is not None
    for key, segment in store.derived.items():
        broken = {name: np.array(segment[name]) for name in segment}
        broken["rows"] = broken["rows"] + 1
        assert keep_derived(store, key, broken)
    opened = symbed.Atlas.open(tmp_path / "a.atlas")
    _expect(symbed.observe("X_0", PROBE), opened, 5)


@pytest.mark.parametrize(
    ("k", "words"),
    [(len(ATLAS) + 1, f"only {len(ATLAS)} expressions"), (0, "positive"), (2.5, "2.5")],
)
def test_a_k_that_cannot_be_is_refused(k: Any, words: str) -> None:
    with pytest.raises(symbed.SymbedError, match=words):
        symbed.nearest("X_0", ATLAS, k)


def test_an_atlas_probed_elsewhere_is_refused() -> None:
    with pytest.raises(symbed.errors.PointsMismatch, match="24 points and the atlas at 12"):
        symbed.nearest(ATLAS[0], symbed.survey(["X_0"], PROBE.with_(n_points=12)), 1)
    with pytest.raises(symbed.errors.PointsMismatch, match="different points"):
        symbed.nearest(ATLAS[0], symbed.survey(["X_0"], PROBE.with_(seed=4)), 1)


def test_a_text_needs_an_atlas_with_a_probe() -> None:
    atlas = symbed.Atlas.from_behaviors([symbed.Behavior.from_samples([[1.0]], [1.0])])
    with pytest.raises(symbed.errors.ShapeError, match="Behavior at the same points"):
        symbed.nearest("x", atlas, 1)


def test_only_an_atlas_is_searched() -> None:
    with pytest.raises(symbed.errors.ShapeError, match="survey"):
        symbed.nearest("x", ["x"], 1)  # type: ignore[arg-type]
