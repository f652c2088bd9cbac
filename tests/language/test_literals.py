"""Numbers in texts that no double holds."""

from __future__ import annotations

import warnings

import pytest

import symbed
from symbed.cli import main
from symbed.errors import RangeError
from symbed.language.parser import RoundedLiteral, check_literals
from symbed.verdicts import grade


@pytest.mark.parametrize("text", ["x + 1e-400", "1e400*x", "0.000e1 + 5e-999*x", "9" * 400])
def test_what_would_be_zero_or_infinite_is_refused(text) -> None:
    with pytest.raises(RangeError, match="write a power"):
        check_literals(text)
    with pytest.raises(RangeError):
        symbed.decide(text, "x", {"x": (0, 1)})
    with pytest.raises(RangeError):
        symbed.relate(f"a*x + {text}", "a*x", {"x": (0, 1)})


@pytest.mark.parametrize(
    "text", ["1.00000000000000000001*x", "x + 9007199254740993", "3.14159265358979323846264*x"]
)
def test_what_loses_digits_is_told(text) -> None:
    with pytest.warns(RoundedLiteral, match="was read as"):
        symbed.decide(text, "x", {"x": (0, 1)})


@pytest.mark.parametrize(
    "text",
    ["0.1*x", "0.1000000000000000055511151231257827*x",  # as C prints a double with 33 digits
     "2.5000000000000000000", "1e22", "0.0", "0e-999", "0.30000000000000004", "5e-324", "x_12345678901234567890",
     "1.7976931348623157e308"],
)  # fmt: skip
def test_what_a_double_holds_is_taken_as_it_is(text) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_literals(text)


def test_a_power_says_what_a_literal_cannot() -> None:
    assert symbed.decide("x + 10^-400", "x", {"x": (0, 1)}).verdict == "different"


def test_commands_tell_it_in_one_line(capsys) -> None:
    assert main(["decide", "x + 1e-400", "x", "--domain", "x=0:1"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["decide", "1.00000000000000000001*x", "x", "--domain", "x=0:1"]) == 0
    assert capsys.readouterr().err == (
        "symbed: 1.00000000000000000001 has more digits than a number holds and was read as 1.0\n"
    )


def test_a_grader_cannot_tell() -> None:
    assert grade("x + 1e-400", "x").mark == "cannot tell"


def test_a_fraction_of_julia_is_told_to_be_rounded_down() -> None:
    with pytest.warns(RoundedLiteral, match=r"1 // 3 was read as 0, rounded down; write /"):
        check_literals("x^(1 // 3)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_literals("x//3 + 1.5//2")
