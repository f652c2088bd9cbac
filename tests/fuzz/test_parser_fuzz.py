"""A short run of the fuzz target, and hypothesis' own idea of nasty text."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbed.errors import SymbedError
from symbed.language.operators import TOKENS
from symbed.language.parser import DIALECTS, parse
from tests.fuzz.parser_fuzz import KINDS, check, fuzz

pieces = st.one_of(
    st.text(max_size=4),
    st.sampled_from([*TOKENS, "(", ")", "|", ",", "x", "C", "2", "1e5", ".5", " ", "-2", "x0"]),
)


@pytest.mark.no_cover
def test_a_short_run_breaks_no_promise():
    counts, _, broken = fuzz(3_000, seed=7)
    assert broken == []
    assert counts["expression"] > 500
    assert counts["ParseError"] > 500


def test_each_kind_of_input_is_made():
    rng = random.Random(0)
    for kind in KINDS:
        assert len({kind(rng) for _ in range(20)}) > 5


@given(st.text(), st.sampled_from(list(DIALECTS)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_an_expression_or_a_typed_error(text, dialect):
    _read(text, dialect)


@given(st.lists(pieces, max_size=12), st.sampled_from(list(DIALECTS)))
@settings(max_examples=500, deadline=None)
def test_any_token_list_is_an_expression_or_a_typed_error(tokens, dialect):
    _read(tokens, dialect)
    _read("".join(tokens), dialect)
    _read(" ".join(tokens), dialect)


def _read(source, dialect):
    try:
        expression = parse(source, dialect=dialect)
    except SymbedError:
        return
    assert check(expression) == "expression"
