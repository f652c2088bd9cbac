from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pytest

from symbed import Family, Probe, limits, observe, pairwise, survey
from symbed.behavior.atlas import Atlas
from symbed.errors import DataError, ParseError, PointsMismatch, RangeError

PROBE = Probe({"x": (1, 5)}, parameters=(1, 5))
TEXTS = ["a*x + b", "x^2", "b + a*x", "sin(C*x)", "x*x", "x^2", "log(x - 3)"]


def test_a_survey_gives_each_source_the_behavior_that_observe_gives() -> None:
    atlas = survey(TEXTS, PROBE)
    assert atlas.labels == TEXTS
    for text, behavior in zip(TEXTS, atlas, strict=True):
        alone = observe(text, PROBE)
        np.testing.assert_array_equal(behavior.values, alone.values)
        np.testing.assert_array_equal(behavior.defined, alone.defined)


def test_expressions_equal_up_to_commutativity_are_evaluated_once() -> None:
    atlas = survey(["a*x + b", "b + x*a", "C + x*C", "b*x + a", "x + 1", "1 + x"], PROBE)
    assert atlas.n_distinct == 2


def test_a_shared_parameter_is_not_two_parameters() -> None:
    assert survey(["a*x + a", "a*x + b", "C*x + C"], PROBE).n_distinct == 2


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_numbers_do_not_depend_on_the_number_of_workers(workers: int) -> None:
    texts = [f"a*x^{k} + sin(b*x) + {k}" for k in range(1200)]
    atlas, one = survey(texts, PROBE, workers=workers), survey(texts, PROBE, workers=1)
    rows = np.arange(1200)
    for got, want in zip(atlas.rows.varied.take(rows), one.rows.varied.take(rows), strict=True):
        np.testing.assert_array_equal(got, want)


def test_adding_an_expression_changes_nobody_elses_draws() -> None:
    for probe in (PROBE, Probe.paper({"x": (1, 5)}, (1, 5))):
        before, after = survey(["a*x", "a*b*x"], probe), survey(["c+d+e+x", "a*x", "a*b*x"], probe)
        np.testing.assert_array_equal(before[0].values, after[1].values)
        np.testing.assert_array_equal(before[1].values, after[2].values)


def test_a_stream_is_read_line_by_line() -> None:
    file = io.StringIO("# formulas\na*x + b\n\n  sin(x)  \n")
    assert survey(file, PROBE).labels == ["a*x + b", "sin(x)"]


def test_bad_lines_can_be_skipped_and_are_told_with_their_numbers() -> None:
    atlas = survey(["x", "sn(x)", "# remark", "x +", "a*x"], PROBE, errors="skip")
    assert atlas.labels == ["x", "a*x"]
    assert [(bad.line, bad.text) for bad in atlas.skipped] == [(2, "sn(x)"), (4, "x +")]
    assert "did you mean 'sin'" in atlas.skipped[0].error
    assert "2 skipped" in repr(atlas)


def test_an_error_tells_its_line_and_keeps_what_was_finished() -> None:
    with pytest.raises(ParseError) as caught:
        survey(["x", "a*x", "sn(x)", "x^2"], PROBE)
    assert caught.value.line == 3
    assert isinstance(caught.value.finished, Atlas)
    assert caught.value.finished.labels == ["x", "a*x"]


def test_progress_is_told() -> None:
    seen: list[int] = []
    survey((f"x + {k}" for k in range(7000)), PROBE, progress=seen.append)
    assert seen[-1] == 7000
    assert len(seen) > 2


def test_callables_and_token_lists_can_be_surveyed_with_formulas() -> None:
    line = Family(lambda x, c: c[0] * x[:, 0], parameters=("a",), label="line")
    flat = Family(lambda x, c: x[:, 0], label="flat")
    atlas = survey(["a*x", line, flat, "x", ["C", "*", "x", "^2"], "b*x"], PROBE)
    assert atlas.labels == ["a*x", "line", "flat", "x", "C * x ^2", "b*x"]
    np.testing.assert_array_equal(atlas[2].values, atlas[3].values)
    np.testing.assert_array_equal(atlas[0].values, atlas[5].values)
    np.testing.assert_array_equal(atlas[1].values, observe(line, PROBE).values)


def test_labels_are_the_texts_or_what_other_sources_are_called() -> None:
    token_list = ["C", "*", "x"]
    assert survey([" x ", "a*x"], PROBE).labels == ["x", "a*x"]
    assert survey(["x", token_list, "a*x"], PROBE).labels == ["x", "C * x", "a*x"]
    with pytest.raises(ParseError) as told:
        survey(["x", token_list, "x +"], PROBE)
    assert told.value.finished.labels == ["x", "C * x"]


def test_nothing_to_survey_is_an_error() -> None:
    with pytest.raises(DataError, match="nothing to survey"):
        survey(["# only a remark"], PROBE)


def test_minus_one_worker_means_all_cores() -> None:
    assert (survey(["x", "x^2"], PROBE, workers=-1)[1].values == observe("x^2", PROBE).values).all()


@pytest.mark.parametrize("workers", [0, 1.5, True])
def test_workers_must_be_a_number_of_workers(workers: int) -> None:
    with pytest.raises(RangeError, match="workers must be"):
        survey(["x"], PROBE, workers=workers)
    with pytest.raises(RangeError, match="errors must be"):
        survey(["x"], PROBE, errors="ignore")  # type: ignore[arg-type]


def test_behaviors_observed_one_by_one_make_an_atlas() -> None:
    behaviors = [observe(text, PROBE) for text in TEXTS]
    atlas = Atlas.from_behaviors(behaviors)
    assert len(atlas) == len(TEXTS)
    for behavior, again in zip(behaviors, atlas, strict=True):
        np.testing.assert_array_equal(behavior.values, again.values)


def test_an_atlas_refuses_behaviors_that_do_not_belong_together() -> None:
    with pytest.raises(PointsMismatch, match="64 points and 'x' at 32"):
        Atlas.from_behaviors([observe("x", PROBE), observe("x", PROBE.with_(n_points=32))])
    with pytest.raises(DataError, match="one number of draws"):
        Atlas.from_behaviors([observe("a", PROBE), observe("a", PROBE.with_(n_draws=16))])
    with pytest.raises(DataError, match="at least one"):
        Atlas.from_behaviors([])


def test_programs_instead_of_behaviors_give_the_same_numbers() -> None:
    line = Family(lambda x, c: c[0] * x[:, 0], parameters=("a",), label="line")
    sources = [*TEXTS, line]
    kept, remade = survey(sources, PROBE), survey(sources, PROBE, keep="programs")
    for one, two in zip(kept, remade, strict=True):
        np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(pairwise(kept).values, pairwise(remade).values)
    assert (kept.keep, remade.keep) == ("behaviors", "programs")
    assert repr(remade) == repr(kept).replace(")", ", kept as programs)")
    with pytest.raises(RangeError, match="keep must be"):
        survey(["x"], PROBE, keep="nothing")  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [list, iter], ids=["a list", "a stream"])
def test_programs_are_kept_where_outputs_would_pass_the_limit(
    given: Callable[[list[str]], Iterable[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "KEPT", limits.KEPT._replace(maximum=4 * 64 * 32))
    few, many = (survey(given([f"a*x + {k}" for k in range(n)]), PROBE) for n in (4, 5))
    assert (few.keep, many.keep) == ("behaviors", "programs")
    assert (few.to_dict()["keep"], many.to_dict()["keep"]) == ("behaviors", "programs")
    np.testing.assert_array_equal(pairwise(many).values[:4, :4], pairwise(few).values)
    assert survey(given(["x"] * 5), PROBE, keep="behaviors").keep == "behaviors"
    without_parameters = Probe({"x": (1, 5)})
    assert survey(given(["x + 1", "x"] * 64), without_parameters).keep == "behaviors"
    assert survey(given(["x + 1", "x"] * 65), without_parameters).keep == "programs"


def test_a_stream_that_is_read_ahead_has_its_columns_and_its_errors_where_they_belong() -> None:
    def torn() -> Iterator[str]:
        yield "x"
        raise DataError("the tape is torn")

    with pytest.raises(DataError, match="the tape is torn"):
        survey(torn(), PROBE)
    sources = (f"x + {k}" for k in range(3))
    atlas = survey(sources, PROBE, metadata={"loss": (k / 2 for k in range(3))})
    assert atlas.metadata["loss"].tolist() == [0.0, 0.5, 1.0]


def test_the_parameters_of_an_atlas_are_told_in_their_one_spelling() -> None:
    probe = Probe({"x0": (1, 5)}, parameters=(1, 5))
    texts = ["\N{GREEK SMALL LETTER PI}*x\N{SUBSCRIPT ZERO}", "k\N{SUBSCRIPT ONE}*x0", "k1 + pi*e"]
    assert survey(texts, probe).parameters == ("k1",)
