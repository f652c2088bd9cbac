"""The benchmarks' own parts: the grammar is the paper's, and both spellings mean one tree."""

from __future__ import annotations

from collections import Counter

import pytest

import symbed
from benchmarks.common import Goal, Row
from benchmarks.grammar_sampler import sample, text


def test_a_seed_gives_the_same_expressions_and_another_seed_others() -> None:
    assert list(sample(50, 3, seed=1)) == list(sample(50, 3, seed=1))
    assert list(sample(50, 3, seed=1)) != list(sample(50, 3, seed=2))


def test_fewer_expressions_are_the_first_of_more() -> None:
    assert list(sample(20, 3, seed=1)) == list(sample(50, 3, seed=1))[:20]


def test_text_and_tokens_are_read_as_one_tree() -> None:
    for tokens in sample(300, 2, seed=3):
        assert symbed.parse(text(tokens)) == symbed.parse(tokens, dialect="tokens")


def test_symbols_come_as_often_as_the_grammar_says() -> None:
    counts = Counter(token for tokens in sample(20_000, 1, seed=0) for token in tokens)
    for function, probability in (("sqrt", 0.0936), ("exp", 0.0878), ("cos", 0.0490)):
        ratio = counts[function] / counts["sin"]
        assert ratio == pytest.approx(probability / 0.0280, rel=0.15)
    terminals = counts["C"] / (counts["C"] + counts["X_0"])
    assert terminals == pytest.approx(0.1174 / (0.1174 + 0.7080), rel=0.05)


def test_a_goal_is_met_on_its_own_side_only() -> None:
    assert Goal("ratio", 2, 1).met
    assert not Goal("ratio", 1, 2).met
    assert Goal("seconds", 1, 2, at_least=False).met
    assert "MISSED" in Goal("seconds", 3, 2, at_least=False).shown()


def test_a_row_shows_the_time_of_one_unit() -> None:
    assert "0.50 us each" in Row("name", 1.0, units=2_000_000).shown()
