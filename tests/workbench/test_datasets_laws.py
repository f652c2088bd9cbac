"""The laws of inputs: quantile functions that rise, stay in range and keep their signs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbed.errors import RangeError
from symbed.sampling.ranges import Law
from symbed.workbench.benchmark_datasets import IntegerUniform, LogUniform, Uniform, read_law

signs = st.sampled_from(["+", "-", "+-"])
magnitudes = st.tuples(st.floats(1e-30, 1e28), st.floats(1.001, 1e6))
LEVELS = np.linspace(0, 1, 257)


@given(magnitudes, signs)
def test_a_log_uniform_law_rises_between_its_ends(ends: tuple[float, float], sign) -> None:
    low, high = ends[0], ends[0] * ends[1]
    values = LogUniform(low, high, sign).ppf(LEVELS)
    assert (np.diff(values) >= 0).all()
    assert ((low <= np.abs(values)) & (np.abs(values) <= high)).all()
    assert (np.sign(values) == {"+": 1, "-": -1}.get(sign, np.where(LEVELS < 0.5, -1, 1))).all()


@given(st.integers(0, 50), st.integers(1, 50), signs)
def test_an_integer_law_takes_each_number_alike(low: int, span: int, sign) -> None:
    law = IntegerUniform(low, low + span, sign)
    count = (span + 1) * (2 if sign == "+-" else 1)
    values = law.ppf((np.arange(count) + 0.5) / count)
    positive = list(range(low, low + span + 1))
    wanted = {"+": positive, "-": [-n for n in positive]}.get(
        sign, [-n for n in positive] + positive
    )
    assert values.tolist() == sorted(wanted)
    assert law.ppf([0.0, 1.0]).tolist() == [min(wanted), max(wanted)]


def test_a_log_uniform_law_spends_alike_on_each_decade() -> None:
    values = LogUniform(1e-3, 1e3).ppf(LEVELS)
    assert np.allclose(np.diff(np.log10(values)), 6 / 256)


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("uniform:-1:2.5", Uniform(-1, 2.5)),
        ("log-uniform:1e-3:10", LogUniform(1e-3, 10)),
        ("log-uniform:1:10:-", LogUniform(1, 10, "-")),
        ("integer:1:9:+-", IntegerUniform(1, 9, "+-")),
    ],
)
def test_laws_are_read_from_text(text: str, law: object) -> None:
    assert read_law(text) == law


@pytest.mark.parametrize("law", [Uniform(1, 5), LogUniform(1, 5, "+-"), IntegerUniform(1, 5)])
def test_a_law_can_stand_in_a_domain(law) -> None:
    assert Law.of(law).at([0.5]).shape == (1,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Uniform(2, 1), "uniform law needs low < high, got"),
        (lambda: LogUniform(0, 1), "needs 0 < low < high"),
        (lambda: LogUniform(1, 2, "*"), "signs must be"),
        (lambda: IntegerUniform(3, 3), "an integer law needs low < high"),
        (lambda: IntegerUniform(-1, 3, "+-"), "needs low >= 0"),
        (lambda: read_law("normal:0:1"), "uniform:, log-uniform: or integer:"),
    ],
)
def test_a_law_that_cannot_be_is_an_error(make, message: str) -> None:
    with pytest.raises(RangeError, match=message):
        make()
