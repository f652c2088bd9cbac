"""Verdicts on two columns: those of single calls, whoever decides, kept when interrupted."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor

import pytest

from benchmarks.function_pairs import ALMOST, DIFFERENT, EQUAL
from symbed.errors import MissingVariable, RangeError
from symbed.verdicts.functions.decision import decide
from symbed.verdicts.pair_lists import decide_pairs

PAIRS = EQUAL[:14] + DIFFERENT[:14] + ALMOST[:8]
ES, FS, DOMAINS = (
    [pair.e for pair in PAIRS],
    [pair.f for pair in PAIRS],
    [pair.domain for pair in PAIRS],
)


def test_the_answers_do_not_depend_on_the_workers() -> None:
    alone = decide_pairs(ES, FS, DOMAINS, workers=1)
    assert list(alone) == [decide(e, f, d) for e, f, d in zip(ES, FS, DOMAINS, strict=True)]
    assert list(decide_pairs(ES, FS, DOMAINS, workers=2)) == list(alone)
    with ProcessPoolExecutor(1) as executor:
        assert list(decide_pairs(ES[:20], FS[:20], DOMAINS[:20], executor=executor)) == list(
            alone[:20]
        )


def test_what_is_finished_is_kept_when_interrupted() -> None:
    def interrupt(done: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    kept = decide_pairs(ES, FS, DOMAINS, workers=1, progress=interrupt)
    assert (len(kept), kept.is_complete) == (5, False)
    assert "interrupted after 5 of 36" in str(kept)


def test_the_result_counts_and_is_plain_for_json() -> None:
    verdicts = decide_pairs(["x + x", "x^2"], ["2*x", "x^3"], {"x": (0, 5)})
    assert verdicts.counts == {"equal": 1, "different": 1, "undecided": 0}
    assert json.loads(json.dumps(verdicts.to_dict()))["is_complete"]
    assert list(verdicts.to_frame()["verdict"]) == ["equal", "different"]


def test_a_bad_pair_is_named_by_its_number() -> None:
    with pytest.raises(MissingVariable) as caught:
        decide_pairs(["x", "y"], ["x", "x"], {"x": (0, 1)})
    assert caught.value.line == 2


def test_columns_and_domains_must_fit() -> None:
    with pytest.raises(RangeError, match="2 and 1"):
        decide_pairs(["x", "x"], ["x"], {"x": (0, 1)})
    with pytest.raises(RangeError, match="1 domains for 2"):
        decide_pairs(["x", "x"], ["x", "x"], [{"x": (0, 1)}])
