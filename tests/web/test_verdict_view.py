"""What the page is told about sameness is what the verdicts say."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

import symbed
from symbed.web._comparison_view import ComparisonRequest
from symbed.web._json_fields import Fields
from symbed.web._verdict_view import judge

pytest.importorskip("flint")


def ask(e: str, f: str, **changes: Any) -> dict[str, Any]:
    return judge(ComparisonRequest.of(Fields({"formulas": [e, f], **changes})))


def test_two_functions_have_a_verdict_with_a_point_that_shows_it() -> None:
    shown = ask("ln(x^2)", "2*ln(x)", ranges={"x": [-5, 5]})
    verdict = symbed.decide("ln(x^2)", "2*ln(x)", {"x": (-5, 5)})
    assert shown["sentence"] == "Different: at x = -1 E is 0, F is undefined."
    assert shown["evidence"] == str(verdict)
    assert verdict.witness is not None
    assert shown["verdict"]["at"] == {"x": float(verdict.witness["x"])}
    assert ask("x + x", "2*x")["verdict"]["verdict"] == "equal"


def test_two_families_have_a_relation_with_its_parameter_map() -> None:
    shown = ask("C*x", "a*x + b")
    assert shown["sentence"].startswith("E is a special case of F. In F: a is E's C_0, b is 0.")
    assert shown["evidence"].startswith("E in F: contained")
    assert shown["relation"]["relation"] == "e_in_f"


def test_redundant_parameters_are_told_at_their_formula() -> None:
    e, f = ask("a*b*x", "a*x")["effective"]
    assert "a, b act only together" in e["sentence"]
    assert f["sentence"] == ""


def test_long_numbers_are_told_short_but_never_alike() -> None:
    ranges = {"x": [-5, 5], "y": [-5, 5]}
    sides = ask("sqrt(x*y)", "sqrt(x)*sqrt(y)", ranges=ranges)
    assert re.fullmatch(
        r"Different: at x ≈ -[\d.]{1,7}, y ≈ -[\d.]{1,7} E is [\d.]{1,6}, F is undefined\.",
        sides["sentence"],
    )
    close = ask("sin(x)", "sin(x) + 1e-11*x", ranges={"x": [1, 2]})["sentence"]
    one, other = re.search(r"E is (\S+), F is (\S+)\.$", close).groups()
    assert one != other
    assert abs(float(one) - float(other)) == pytest.approx(1e-11, rel=1)


def test_nothing_is_said_of_what_cannot_be_read_and_why_of_what_is_too_long() -> None:
    assert ask("sn(x)", "x")["sentence"] == ""
    long = ask("+".join(["x"] * 300), "x")
    assert long["verdict"] is None
    assert long["sentence"].startswith("Too long for a verdict on a page: 600 nodes")


def test_without_the_extra_the_page_is_told_what_to_install(monkeypatch) -> None:
    for name in [name for name in sys.modules if name.startswith("symbed.verdicts")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("decide", "effective", "relate"):  # kept by the package once they were asked for
        monkeypatch.delitem(vars(symbed), name, raising=False)
    monkeypatch.setitem(sys.modules, "flint", None)
    assert "pip install 'symbed[verdicts]'" in ask("x", "2*x")["missing"]
