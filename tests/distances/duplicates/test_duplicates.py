"""Groups of equal expressions: around leaders, within a tolerance that is measured."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

import symbed
from benchmarks.aliases import aliases
from symbed.behavior import distinct_rows
from symbed.behavior.observation import Observer
from symbed.distances.duplicates._confirmation import SecondLook, fresh_probe
from symbed.distances.duplicates._leader_clustering import link
from symbed.distances.duplicates.duplicate_groups import DuplicateGroups
from symbed.distances.duplicates.tolerances import Tolerances, respelled
from symbed.distances.measure import Measure
from symbed.engine.packed_programs import PackedPrograms
from symbed.workbench import equivalent_groups
from tests.distances.irregular import MEASURES, PROBE, TEXTS, all_distances, random_texts

ATLAS = symbed.survey(TEXTS, PROBE)
PAPER = symbed.Probe({"X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))


def _naive(atlas: symbed.Atlas, order: list[int], within: float, **measure: Any) -> list[int]:
    """The leader of each source, word for word from the definition."""
    leaders: dict[int, int] = {}
    for leader in order:
        if leader not in leaders:
            distances = all_distances(atlas[leader], atlas, **measure)
            for member in range(len(atlas)):
                if member not in leaders and (distances[member] <= within or member == leader):
                    leaders[member] = leader
    return [leaders[source] for source in range(len(atlas))]


def _leaders(found: DuplicateGroups) -> list[int]:
    return [int(found.representatives[number]) for number in found.groups]


def _shortest(atlas: symbed.Atlas) -> list[int]:
    return sorted(range(len(atlas)), key=lambda source: (len(atlas.labels[source]), source))


@pytest.mark.parametrize("within", [0.0, 1e-9, 0.3, 2.0])
@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_groups_are_those_of_the_definition(
    measure: dict[str, Any], within: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SecondLook, "of", lambda *_: None)
    within = min(within, 0.9) if measure.get("metric") == "relative" else within
    found = symbed.duplicates(ATLAS, within, **measure)
    assert _leaders(found) == _naive(ATLAS, _shortest(ATLAS), within, **measure)


@pytest.mark.parametrize("within", [0.0, 1e-9, 0.3, 2.0])
@pytest.mark.parametrize("measure", MEASURES[::2], ids=str)
def test_who_is_merged_is_near_at_the_fresh_points_too(
    measure: dict[str, Any], within: float
) -> None:
    within = min(within, 0.9) if measure.get("metric") == "relative" else within
    found = symbed.duplicates(ATLAS, within, **measure)
    again = symbed.survey(TEXTS, fresh_probe(PROBE))
    tolerances = Tolerances.of(again, Measure(**measure))
    rounding = tolerances.measure_all(again.rows)[again.numbers]
    for group in found.repeated:
        leader = group.representative
        seen = np.asarray(all_distances(again[leader], again, **measure))[group.members]
        allowed = np.maximum(2 * within, rounding[leader] + rounding[group.members])
        assert (seen <= allowed).all(), group.labels


@pytest.mark.parametrize("within", [1e-9, 0.3, 5.0])
def test_large_runs_are_grouped_like_small_ones(
    within: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas = symbed.survey(TEXTS + random_texts(150), PROBE, keep="programs")
    whole = symbed.duplicates(atlas, within)
    monkeypatch.setattr(distinct_rows, "CHUNK_ROWS", 3)
    apart = symbed.duplicates(atlas, within)
    assert _leaders(apart) == _leaders(whole)
    assert apart.distances.tolist() == whole.distances.tolist()


@pytest.mark.no_cover
def test_the_paper_s_groups_of_equivalents_are_found_exactly() -> None:
    groups = equivalent_groups(100)
    texts = [str(member) for group in groups for member in group.members]
    truth = np.repeat(np.arange(len(groups)), 100)
    found = symbed.duplicates(symbed.survey(texts, PAPER, keep="programs"))
    together = found.groups[:, None] == found.groups
    equal = truth[:, None] == truth
    assert len(texts) == 1600
    assert (together & ~equal).sum() == 0  # precision
    assert (equal & ~together).sum() == 0  # recall


def test_the_groups_do_not_depend_on_the_number_of_workers_or_on_processes() -> None:
    atlas = symbed.survey(TEXTS + random_texts(200), PROBE, keep="programs")
    alone = symbed.duplicates(atlas, workers=1)
    again = symbed.survey(TEXTS + random_texts(200), PROBE, keep="programs")
    with ProcessPoolExecutor(2) as processes:
        away = symbed.duplicates(again, executor=processes)
    for other in (symbed.duplicates(atlas, workers=3), away):
        assert other.groups.tolist() == alone.groups.tolist()
        assert other.distances.tolist() == alone.distances.tolist()
        np.testing.assert_array_equal(other.tolerances, alone.tolerances)


def test_stored_outputs_and_programs_give_the_same_groups() -> None:
    kept, lean = (symbed.survey(TEXTS, PROBE, keep=keep) for keep in ("behaviors", "programs"))
    assert symbed.duplicates(kept).groups.tolist() == symbed.duplicates(lean).groups.tolist()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a*x + b", "x*(a + b/x)"),
        ("x", "ln(exp(x))"),
        ("x", "(x + 1e6) - 1e6"),
        ("x - x", "(x + 1) - x - 1"),
        ("1", "sin(x)^2 + cos(x)^2"),
        ("a*x", "exp(ln(a) + ln(x))"),
        ("sqrt(a*x)", "(a*x)^0.5"),
        ("1e200*x", "x/1e-200"),
        ("1e-200*x", "x/1e200"),
    ],
)
def test_spellings_of_one_expression_are_one_group(one: str, other: str) -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    assert len(symbed.duplicates(symbed.survey([one, other], probe))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x", "x + 1e-8"),
        ("x", "1.0000001*x"),
        ("a*x + b*x", "2*a*x"),
        ("x", "-x"),
        ("1e-20*x", "2e-20*x"),
        ("sin(exp(9*x))", "sin(exp(9*x) + 1)"),
        ("x", "sqrt(x - 3)"),
        ("1e200*x", "1e200*x + 1e192"),
    ],
)
def test_what_differs_is_not_grouped(one: str, other: str) -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    assert len(symbed.duplicates(symbed.survey([one, other], probe))) == 2


def test_a_member_is_near_its_leader_and_no_chain_grows() -> None:
    atlas = symbed.survey([f"{k}/10 + X_0" for k in range(10)], PROBE)
    found = symbed.duplicates(atlas, within=0.101, prefer=np.arange(10.0))
    assert [group.members.tolist() for group in found] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9]]
    assert found.distances.max() <= 0.101


def test_the_representative_is_the_shortest_or_the_one_with_the_lowest_loss() -> None:
    atlas = symbed.survey(["X_0 + X_0", "2*X_0", "X_0*2", "X_1"], PROBE)
    assert symbed.duplicates(atlas).representatives.tolist() == [1, 3]
    losses = [0.3, 0.2, 0.1, 0.5]
    by_loss = symbed.duplicates(atlas, prefer=losses)
    assert by_loss.representatives.tolist() == [2, 3]
    assert by_loss[0].labels[0] == "X_0*2"
    assert symbed.duplicates(atlas, prefer=[1.0, np.nan, 1.0, 1.0])[0].representative == 0


def test_of_equal_numbers_in_a_column_the_shortest_text_represents_a_group() -> None:
    table = {"equation": ["x + 0*x", "x + 0", "x*1"], "loss": np.array([1.0, 1.0, 2.0])}
    atlas = symbed.survey(symbed.read_formulas(table), symbed.Probe({"x": (1, 5)}))
    assert symbed.duplicates(atlas, prefer="loss")[0].labels[0] == "x + 0"
    with pytest.raises(symbed.errors.RangeError, match="a column of numbers of the atlas"):
        symbed.duplicates(atlas, prefer="equation")
    with pytest.raises(symbed.errors.DataError, match="prefer must be numbers"):
        symbed.duplicates(atlas, prefer=["a", "b", "c"])


def test_what_is_undefined_everywhere_is_one_group_that_says_so() -> None:
    found = symbed.duplicates(symbed.survey(["X_0", "ln(-X_0)", "C/(X_1 - X_1)"], PROBE))
    assert found.undefined == 1
    assert found[1].is_undefined
    assert found[1].members.tolist() == [1, 2]
    assert repr(found[1]) == "DuplicateGroup('ln(-X_0)', 2 members, defined nowhere)"
    assert not found[0].is_undefined


def test_groups_list_the_representative_first_and_the_largest_group_first() -> None:
    atlas = symbed.survey(["X_1", "X_0 + X_0", "2*X_0", "X_0*2", "X_1 + 0", "C"], PROBE)
    found = symbed.duplicates(atlas)
    assert repr(found) == "DuplicateGroups(6 expressions, 3 groups, 3 duplicates)"
    assert [group.labels[0] for group in found.repeated] == ["2*X_0", "X_1"]
    assert [len(group) for group in found] == [2, 3, 1]


def test_unaligned_draws_have_the_noise_of_their_draws_as_tolerance() -> None:
    probe = symbed.Probe.paper({"X_0": (1, 5)}, parameters=(1, 5))
    atlas = symbed.survey(["C*X_0 + C", "X_0*C + C", "C + X_0*C", "C*X_0^3"], probe)
    found = symbed.duplicates(atlas)
    assert found.groups.tolist() == [0, 0, 0, 1]
    assert found.tolerances[0] > 1e-3


def test_another_spelling_differs_by_rounding_only() -> None:
    observer = Observer(PAPER)
    texts = ["C*X_0 + C", "sin(X_0)*X_1^2 - 0.1", "(X_0 - 3)^3", "(X_0 - 3)^7 + 12", "3"]
    for text in texts:
        program = observer.roles.compile(symbed.parse(text, PAPER.variables))
        other = respelled(PackedPrograms.of([program]))
        once, again = (observer.evaluate(rows) for rows in ([program], other))
        assert other.words.tobytes() != program.words
        assert (once[1] == again[1]).all()
        assert np.nanmax(np.abs(once[0] - again[0]) / np.nanmax(np.abs(once[0]))) < 1e-13


def test_respelling_looks_through_numbers_whose_bits_look_like_words() -> None:
    tricky = np.array([3 << 28, 3 << 28], np.int32).view(np.float64)[0]
    probe = symbed.Probe({"x": (1, 5)})
    program = Observer(probe).roles.compile(symbed.parse(f"x*{float(tricky)!r}", ["x"]))
    assert np.frombuffer(program.words, np.int32).tolist().count(3 << 28) == 3
    outputs, _ = Observer(probe).evaluate(respelled(PackedPrograms.of([program, program])))
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=0)
    np.testing.assert_allclose(outputs[0, 0], probe.points[:, 0] * tricky, rtol=1e-13)


def test_a_tolerance_does_not_depend_on_what_it_is_measured_with() -> None:
    atlas = symbed.survey(TEXTS, PROBE, keep="programs")
    tolerances = Tolerances.of(atlas, Measure())
    whole = tolerances.measure_all(atlas.rows)
    for row in range(len(atlas.rows)):
        one = tolerances.measure_all(atlas.rows.pick(np.array([row])))
        assert one[0] == whole[row]


def test_rounding_that_is_all_of_an_expression_is_capped() -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    atlas = symbed.survey(["sin(exp(9*x))", "sin(exp(9*x) + 0*x)"], probe)
    found = symbed.duplicates(atlas)
    assert np.nanmax(found.tolerances) <= 1e-8


def test_links_chain_intervals_that_overlap_only_within_a_run() -> None:
    runs = np.array([0, 0, 0, 1, 1])
    centers = np.array([0.0, 2.0, 5.0, 2.0, 2.5])
    assert link(runs, centers, np.ones(5)).tolist() == [0, 0, 1, 2, 2]


def test_callables_are_grouped_too() -> None:
    double = symbed.Family(lambda x, c: 2 * x[:, 0], label="double")
    atlas = symbed.survey(["X_0 + X_0", double, "X_1"], PROBE)
    assert symbed.duplicates(atlas).groups.tolist() == [0, 0, 1]


@pytest.mark.parametrize("within", [None, 1e-3])
def test_a_wave_with_a_zero_at_each_point_is_not_merged(within: float | None) -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    start, step = float(probe.points[0, 0]), float(probe.points[1, 0] - probe.points[0, 0])
    texts = ["x", f"x + sin({1 / step!r}*pi*(x - {start!r}))", "x + sin(16*pi*(x - 1.03125))"]
    assert len(symbed.duplicates(texts[:2], within, probe=probe)) == 2
    assert len(symbed.duplicates(texts[::2], within, probe=probe)) == 2


@pytest.mark.parametrize("names", ["x", "xy", "xyz"])
def test_pairs_that_agree_at_the_points_only_are_not_merged(names: str) -> None:
    probe = symbed.Probe(dict.fromkeys(names, (1, 5)), parameters=(1, 5))
    pairs = list(aliases(probe))
    merged = [
        alias.kind
        for alias in pairs
        if len(symbed.duplicates([alias.base, alias.other], probe=probe)) == 1
    ]
    assert len(pairs) > 17
    assert merged == []


def test_what_is_taken_out_of_a_group_finds_its_own_equals() -> None:
    probe = symbed.Probe({"x": (1, 5)})
    hidden = max(aliases(probe), key=lambda alias: alias.kind.startswith("peak")).other
    groups = symbed.duplicates(["x + 0", hidden, "x", f"0 + {hidden}"], probe=probe).groups
    assert groups.tolist()[0::2] == [groups[0]] * 2
    assert groups.tolist()[1::2] == [groups[1]] * 2
    assert groups[0] != groups[1]


def test_what_is_defined_between_the_points_only_is_not_defined_nowhere() -> None:
    probe = symbed.Probe({"x": (1, 5)}, n_points=2)
    middle = float(probe.points.mean())
    found = symbed.duplicates([f"sqrt(0.01 - (x - {middle!r})^2)", "sqrt(-x)"], probe=probe)
    assert len(found) == 2


def test_at_given_points_the_draws_alone_are_fresh() -> None:
    data = symbed.Probe.at([[1.0], [2.0]], ["x"], parameters=(1, 5))
    assert fresh_probe(data).same_points(data)
    assert len(symbed.duplicates(["x", "x + (x - 1)*(x - 2)"], probe=data)) == 1


def test_only_what_a_verdict_proves_is_merged_if_one_asks_for_it() -> None:
    texts = [
        "x",
        "ln(exp(x))",
        "x + 1e-17*sin(x)",
        "x*1 + sin(x)*1e-17",
        "C*x",
        "exp(ln(a) + ln(x))",
    ]
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5))
    assert symbed.duplicates(texts, probe=probe).groups.tolist() == [0, 0, 0, 0, 1, 1]
    proven = symbed.duplicates(texts, probe=probe, confirm="decide")
    assert proven.groups.tolist() == [0, 0, 1, 1, 2, 2]
    assert proven.distances.max() < 1e-14


def test_what_is_no_formula_cannot_be_proven() -> None:
    double = symbed.Family(lambda x, c: 2 * x[:, 0], label="double")
    atlas = symbed.survey(["X_0 + X_0", double], PROBE)
    with pytest.raises(symbed.errors.DataError, match="'double' is a callable"):
        symbed.duplicates(atlas, confirm="decide")
    made = [symbed.Behavior.from_samples([[1.0]], [1.0])] * 2
    with pytest.raises(symbed.errors.DataError, match="came as samples"):
        symbed.duplicates(symbed.Atlas.from_behaviors(made), 0.0, confirm="decide")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"confirm": "maybe"}, "confirm must be 'points' or 'decide'"),
        ({"within": -1.0}, "within must be"),
        ({"within": np.inf}, "within must be"),
        ({"within": 1.0, "metric": "relative"}, "farther apart than 1"),
        ({"prefer": "longest"}, "'longest'"),
        ({"prefer": [1.0]}, "one number for each of the 58"),
        ({"p": 3}, "p must be"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(symbed.SymbedError, match=words):
        symbed.duplicates(ATLAS, **arguments)


def test_samples_need_a_threshold() -> None:
    made = [symbed.Behavior.from_samples([[float(k)]], [1.0]) for k in (1, 1, 2)]
    atlas = symbed.Atlas.from_behaviors(made)
    with pytest.raises(symbed.errors.DataError, match="give within"):
        symbed.duplicates(atlas)
    assert symbed.duplicates(atlas, within=0.0).groups.tolist() == [0, 0, 1]


def test_only_an_atlas_is_grouped() -> None:
    with pytest.raises(symbed.errors.ShapeError, match="survey"):
        symbed.duplicates(["x"])  # type: ignore[arg-type]
