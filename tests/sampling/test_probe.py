"""Probe: a value that knows its points and draws, and refuses what cannot be."""

from __future__ import annotations

import math
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats

import symbed
from symbed import workbench
from symbed.errors import DataError, LimitError, MissingRange, RangeError
from symbed.sampling import Law, Probe
from symbed.verdicts import compare_forms, form_distance, form_distances, relate_many

X = np.linspace(0.1, 1, 9)
DATASET = next(iter(workbench.datasets()))
PROBE = Probe({"x": (1, 5), "y": (-1, 0)}, (0, 2))


def test_points_and_draws_lie_in_their_ranges() -> None:
    assert PROBE.points.shape == (64, 2)
    assert PROBE.variables == ("x", "y")
    assert PROBE.points[:, 0].min() > 1
    assert PROBE.points[:, 0].max() < 5
    assert PROBE.points[:, 1].min() > -1
    assert PROBE.points[:, 1].max() < 0
    columns = PROBE.columns(3)
    assert columns.shape == (3, 32, 64)
    assert columns.min() > 0
    assert columns.max() < 2


def test_points_and_kept_columns_are_read_only() -> None:
    for table in (PROBE.points, PROBE.columns(2), Probe.at([1.0, 2.0], "x").points):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 0


def test_the_fingerprint_never_changes() -> None:
    assert Probe({"x": (1, 5)}, (1, 5)).fingerprint == "275056264247c7998631d41542be8492"
    mixed = Probe({"x": stats.norm(0, 1)}, {"a": (0, 1), "C": (1, 2)}, design="paper", seed=-3)
    assert mixed.fingerprint == "1d402dd892d7cc328ad17d059c886132"
    assert Probe.at([[1.0, 2.0]], ["x", "y"]).fingerprint == "172bf9aa6211a7d76514c0434de34aa5"


def test_the_order_of_named_ranges_is_part_of_a_probe() -> None:
    a, b, k = (0, 1), (100, 200), (0, 1)
    probe, other = (Probe({"x": (1, 5)}, ranges) for ranges in ({"a": a, "b": b}, {"b": b, "a": a}))
    assert (probe.columns(1) != other.columns(1)).any()
    assert probe != other
    assert probe.fingerprint == probe.unordered_fingerprint == other.unordered_fingerprint
    assert pickle.loads(pickle.dumps(other)) == other
    # Names of one range share a number: here the order moves none.
    assert Probe({"x": (1, 5)}, {"a": a, "k": k}) == Probe({"x": (1, 5)}, {"k": k, "a": a})


CHANGES: list[dict[str, Any]] = [
    {"seed": 1}, {"n_points": 65}, {"n_draws": 33}, {"design": "lhs"}, {"limit": 1e6},
    {"parameters": (0, 3)}, {"parameters": {"a": (0, 2)}}, {"parameters": None},
    {"domain": {"x": (1, 5), "z": (-1, 0)}}, {"domain": {"y": (-1, 0), "x": (1, 5)}},
    {"domain": {"x": (1, 6), "y": (-1, 0)}},
]  # fmt: skip


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_any_change_makes_another_probe(changes: dict[str, Any]) -> None:
    assert PROBE.with_(**changes) != PROBE
    assert PROBE.with_(**changes).with_(**{n: getattr(PROBE, n) for n in changes}) == PROBE


def test_equal_probes_are_one_in_a_set() -> None:
    again = Probe({"x": (1.0, 5.0), "y": (-1, 0)}, parameters=(0, 2))
    assert again == PROBE
    assert len({again, PROBE}) == 1
    assert PROBE != "probe"


def test_the_seed_decides_points_and_draws() -> None:
    other = PROBE.with_(seed=1)
    assert not np.any(other.points == PROBE.points)
    assert not np.any(other.columns(2) == PROBE.columns(2))


def test_a_probe_survives_pickling_with_all_its_numbers() -> None:
    for probe in (PROBE, PROBE.half(1), PROBE.redrawn(2), Probe.at([[1.0], [2.0]], "x"),
                  Probe({"x": stats.norm()}, {"C": (0, 1)})):  # fmt: skip
        again = pickle.loads(pickle.dumps(probe))
        assert again == probe
        assert repr(again) == repr(probe)
        np.testing.assert_array_equal(again.points, probe.points)
        np.testing.assert_array_equal(again.columns(2), probe.columns(2))


def test_columns_do_not_depend_on_the_order_of_asking() -> None:
    grown, once = PROBE.with_(limit=9), PROBE.with_(limit=9)
    for count in (1, 9, 4, 12):
        np.testing.assert_array_equal(grown.columns(count), once.columns(12)[:count])


def test_columns_can_be_asked_for_by_many_threads() -> None:
    probe = PROBE.with_(limit=8)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(probe.columns, [1 + k % 20 for k in range(200)]))
    whole = PROBE.columns(20)
    assert all(np.array_equal(table, whole[: len(table)]) for table in found)


def test_large_columns_are_made_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbed.sampling.designs.KEPT_VALUES", 2 * 32 * 64)
    probe = PROBE.with_(limit=7)
    assert np.shares_memory(probe.columns(2), probe.columns(2))
    assert not np.shares_memory(probe.columns(3), probe.columns(3))
    np.testing.assert_array_equal(probe.columns(3), PROBE.columns(3))


def test_the_columns_of_each_range_follow_each_other() -> None:
    probe = Probe({"x": (0, 1)}, {"a": (0, 1), "b": (10, 20), "C": (0, 1)})
    assert probe.laws == (Law.of((0, 1)), Law.of((10, 20)))
    assert probe.range_ids(["b", "a", "C", "C"]) == (1, 0, 0, 0)
    columns = probe.columns(3)
    assert columns.shape == (6, 32, 64)
    np.testing.assert_allclose(columns[3:], 10 + 10 * columns[:3])


def test_without_parameters_there_are_no_columns() -> None:
    probe = Probe({"x": (0, 1)})
    assert probe.columns(0).shape == (0, 32, 64)
    assert probe.laws == ()
    assert probe.moves.shape == (0, 3)


def test_moves_are_the_center_and_the_quartiles() -> None:
    probe = Probe({"x": (0, 1)}, {"a": (0, 4), "b": stats.norm()})
    np.testing.assert_allclose(probe.moves, [[2.0, 1.0, 3.0], [0.0, -0.67449, 0.67449]], atol=1e-5)


@pytest.mark.parametrize(("n", "expected"), [(1, [0]), (3, [0, 1, 2]), (64, [4, 12, 20, 28, 36, 44, 52, 60]),
                                             (9, [0, 1, 2, 3, 5, 6, 7, 8])])  # fmt: skip
def test_sentinels_are_spread_evenly(n: int, expected: list[int]) -> None:
    assert Probe({"x": (0, 1)}, n_points=n).sentinels.tolist() == expected


def test_a_half_has_every_second_draw_at_the_same_points() -> None:
    for probe in (PROBE, PROBE.with_(n_draws=7), PROBE.with_(design="shared")):
        whole = probe.columns(3)
        for which in (0, 1):
            half = probe.half(which)
            assert half.same_points(probe)
            assert half.n_draws == len(range(which, probe.n_draws, 2))
            np.testing.assert_array_equal(half.columns(3), whole[:, which::2])
    quarter = PROBE.half(1).half(0)
    np.testing.assert_array_equal(quarter.columns(2), PROBE.columns(2)[:, 1::4])


def test_one_draw_cannot_be_halved() -> None:
    single = PROBE.with_(n_draws=1)
    assert single.half(1) is single


def test_a_redraw_keeps_the_points_and_changes_every_draw() -> None:
    again = PROBE.redrawn()
    assert again.same_points(PROBE)
    assert again != PROBE
    assert not np.any(again.columns(2) == PROBE.columns(2))
    assert not np.any(again.redrawn().columns(2) == again.columns(2))
    assert again.redrawn() == PROBE.redrawn(2)


def test_probes_at_the_same_points_know_it() -> None:
    assert PROBE.same_points(PROBE.with_(n_draws=8, parameters=None))
    assert not PROBE.same_points(PROBE.with_(seed=1))
    assert Probe.at(PROBE.points, ["x", "y"]).same_points(PROBE)
    assert not Probe.at(PROBE.points, ["y", "x"]).same_points(PROBE)


def test_the_published_sampling_draws_afresh_for_each_expression() -> None:
    probe = Probe.paper({"x": (1, 5), "y": (1, 5)}, (1, 5), n_points=16, n_draws=8)
    one, other = (probe.columns(2, program_key=key) for key in ("a*x", b"b*x"))
    assert one.shape == (2, 8, 1)
    assert not np.any(one == other)
    np.testing.assert_array_equal(one, probe.columns(2, program_key="a*x"))
    assert not np.array_equal(probe.columns(2, program_key=3), probe.columns(2, program_key=4))


def test_given_points_are_kept_as_they_are() -> None:
    points = np.arange(6.0).reshape(3, 2)
    probe = Probe.at(points, ["x", "y"], parameters=(1, 2), n_draws=4, seed=5)
    points[0] = 99  # the probe has a copy
    assert probe.points.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert probe.columns(2).shape == (2, 4, 3)
    assert Probe.at([1, 2, 3], "x").points.tolist() == [[1], [2], [3]]
    with pytest.raises(RangeError, match="n_points follows the given points"):
        probe.with_(n_points=5)


def test_laws_may_differ_by_variable() -> None:
    probe = Probe({"x": (0, 1), "n": stats.randint(1, 4)}, n_points=300)
    assert set(probe.points[:, 1]) == {1.0, 2.0, 3.0}


def test_probes_print_as_what_they_are() -> None:
    assert repr(PROBE) == (
        "Probe(x in (1, 5), y in (-1, 0), parameters in (0, 2), 64 points x 32 draws, lattice, seed 0)"
    )
    assert repr(Probe({"x": (0, 1)}, {"a": (0, 2)}, limit=10).redrawn().half(0)) == (
        "Probe(x in (0, 1), parameter a in (0, 2), 64 points x 16 draws, lattice, seed 0, limit 10, "
        "redraw 1, part (0, 2, 32))"
    )


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: Probe({"x": (5, 0)}), RangeError, "domain of 'x' needs low < high, got (5, 0)"),
        (lambda: Probe({}), MissingRange, "the domain is empty; give domain={'x': (low, high)}"),
        (lambda: Probe([("x", (0, 1))]), RangeError, "domain must map names to ranges"),  # type: ignore[arg-type]
        (lambda: Probe({"x": (0, 1)}, (2, 1)), RangeError, "range of parameters needs low < high, got (2, 1)"),
        (lambda: Probe({"x": (0, 1)}, {"a": (2, 1)}), RangeError, "range of parameter 'a' needs low < high"),
        (lambda: Probe({"sin": (0, 1)}), RangeError, "variable 'sin' is taken by the function"),
        (lambda: Probe({"pi": (0, 1)}), RangeError, "variable 'pi' is taken by the constant"),
        (lambda: Probe({"C": (0, 1)}), RangeError, "variable 'C' is taken: it stands for a fresh"),
        (lambda: Probe({"2x": (0, 1)}), RangeError, "variable '2x' is no name"),
        (lambda: Probe({"x": (0, 1)}, {"exp": (0, 1)}), RangeError, "parameter 'exp' is taken"),
        (lambda: Probe({"x": (0, 1)}, {"x": (0, 1)}), RangeError, "'x' is a variable of the domain"),
        (lambda: Probe({"x": (0, 1)}, n_points=0), RangeError, "n_points must be at least 1, got 0"),
        (lambda: Probe({"x": (0, 1)}, n_draws=2.5), RangeError, "n_draws must be a whole number, got 2.5"),  # type: ignore[arg-type]
        (lambda: Probe({"x": (0, 1)}, seed=True), RangeError, "seed must be a whole number, got True"),
        (lambda: Probe({"x": (0, 1)}, limit=0), RangeError, "limit must be a positive number or inf, got 0"),
        (lambda: Probe({"x": (0, 1)}, limit=math.nan), RangeError, "limit must be a positive number"),
        (lambda: Probe({"x": (0, 1)}, limit="big"), RangeError, "limit must be a positive number"),  # type: ignore[arg-type]
        (lambda: Probe({"x": (0, 1)}, design="x"), RangeError, "unknown design 'x'"),
        (lambda: Probe({"x": (0, 1)}, n_points=(1 << 20) + 1), LimitError, "input points"),
        (lambda: Probe({"x": (0, 1)}, n_draws=(1 << 16) + 1), LimitError, "parameter draws"),
        (lambda: Probe({"x": (0, 1)}, n_points=1 << 12, n_draws=(1 << 12) + 1), LimitError, "outputs"),
        (lambda: Probe({f"x{k}": (0, 1) for k in range(65)}), LimitError, "variables in one domain"),
        (lambda: Probe({"x" * 65: (0, 1)}), LimitError, "characters in one name"),
        (lambda: Probe({"x": (0, 1)}, {f"a{k}": (0, 1 + k) for k in range(257)}), RangeError, "at most 256"),
        (lambda: Probe.at([[1, 2], [math.nan, 1]], ["x", "y"]), DataError, "points hold nan in row 1, column 'x'"),
        (lambda: Probe.at([[1, 2], [3, -math.inf]], ["x", "y"]), DataError, "points hold -inf in row 1, column 'y'"),
        (lambda: Probe.at([[1, 2]], ["x"]), DataError, "points have 2 columns, but 1 variable was named (x)"),
        (lambda: Probe.at([1, 2], ["x", "y"]), DataError, "points have shape (2,), but 2 variables were named"),
        (lambda: Probe.at(np.empty((0, 1)), ["x"]), DataError, "points have no rows"),
        (lambda: Probe.at([["a"]], ["x"]), DataError, "points must be a table of real numbers"),
        (lambda: Probe.at([[1], [2, 3]], ["x"]), DataError, "points must be a table of real numbers"),
        (lambda: Probe.at([[1]], []), MissingRange, "no variables"),
        (lambda: Probe.at([[1, 2]], ["x", "x"]), RangeError, "variable 'x' is named twice"),
        (lambda: Probe({"x": (0, 1)}).range_ids(["a", "b"], "a*x + b"), MissingRange,
         "'a*x + b' has free parameters a, b; give parameters=(low, high)"),
        (lambda: Probe({"x": (0, 1)}, {"a": (0, 1)}).range_ids(["a", "b"], "a*x + b"), MissingRange,
         "'a*x + b' has free parameter b; add 'b': (low, high) to parameters"),
        (lambda: Probe({"x": (0, 1)}, {"a": (0, 1)}).law_of("C"), MissingRange, "no range for C"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_a_remedy(make: Any, kind: type, message: str) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert message in str(caught.value)


@pytest.mark.parametrize("seed", [0, -1, 2**70, np.int64(7)])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    assert Probe({"x": (0, 1)}, (0, 1), seed=seed).columns(1).shape == (1, 32, 64)


def test_a_generator_gives_its_next_number_once_as_the_seed() -> None:
    rng, same = np.random.default_rng(3), np.random.default_rng(3)
    probe = Probe({"x": (0, 1)}, (0, 1), seed=rng)
    assert isinstance(probe.seed, int)
    assert (
        probe == Probe({"x": (0, 1)}, (0, 1), seed=probe.seed) == pickle.loads(pickle.dumps(probe))
    )
    assert probe.with_(n_points=8).seed == probe.redrawn().seed == probe.seed
    assert probe.seed == Probe({"x": (0, 1)}, (0, 1), seed=same).seed
    assert probe.seed != Probe({"x": (0, 1)}, (0, 1), seed=rng).seed


VERBS = {
    "Probe.at": lambda seed: Probe.at([0.5], "x", parameters=(0, 1), seed=seed),
    "Probe.paper": lambda seed: Probe.paper({"x": (0, 1)}, (0, 1), seed=seed),
    "bed": lambda seed: symbed.bed("C*x", "x", domain={"x": (0, 1)}, parameters=(0, 1), seed=seed),
    "form_distance": lambda seed: form_distance("C*x", "C*x^2", {"x": (1, 5)}, seed=seed),
    "compare_forms": lambda seed: compare_forms("C*x", "C*x^2", {"x": (1, 5)}, seed=seed),
    "relate": lambda seed: symbed.relate("C*x", "C*x^2", {"x": (1, 5)}, seed=seed).distance,
    "relate_many": lambda seed: [
        relation.distance
        for relation in relate_many("C*x", ["C*x^2", "C*x^3"], {"x": (1, 5)}, seed=seed, workers=1)
    ],
    "score": lambda seed: symbed.score("2.5*x^2.1", "C*x", {"x": (1, 5)}, seed=seed).to_dict(),
    "sample": lambda seed: list(workbench.sample(workbench.paper_grammar(2), 20, seed=seed)),
    "equivalents": lambda seed: workbench.equivalents("a*x + b", 5, seed=seed),
    "equivalent_groups": lambda seed: workbench.equivalent_groups(3, seed=seed),
    "Dataset.sample": lambda seed: DATASET.sample(4, seed)[0].tolist(),
    "form_distances": lambda seed: form_distances(
        ["C*x", "C*x^2"], {"x": (1, 5)}, seed=seed
    ).directed.tolist(),
    "fit": lambda seed: workbench.fit("a*sin(b*x)", X, X, variables=["x"], seed=seed).values,
    "fit_many": lambda seed: (
        workbench.fit_many(["a*sin(b*x)"], X, X, variables=["x"], seed=seed)[0].values
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_a_generator_for_the_number_that_it_gives_next(verb: str) -> None:
    rng = np.random.default_rng(11)
    drawn = Probe({"x": (0, 1)}, seed=np.random.default_rng(11)).seed
    assert VERBS[verb](rng) == VERBS[verb](drawn)
    with pytest.raises(RangeError, match=r"seed must be a whole number.*Generator"):
        VERBS[verb]("7")


def test_the_limits_themselves_are_allowed() -> None:
    names = {f"x{k}": (0.0, 1.0) for k in range(64)}
    assert Probe(names, n_points=4).points.shape == (4, 64)
    Probe({"x": (0, 1)}, n_points=1 << 20, n_draws=1 << 4)
    Probe({"x": (0, 1)}, n_points=1 << 8, n_draws=1 << 16)
    assert len(Probe({"x": (0, 1)}, {f"a{k}": (0, 1 + k) for k in range(256)}).laws) == 256


def test_a_module_that_another_thread_is_importing_is_no_trouble(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy.ma", ModuleType("numpy.ma"))  # empty, as at its start
    assert Probe.at([[1.0], [2.0]], ["x"]).n_points == 2
