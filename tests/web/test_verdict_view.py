"""What the page is told about sameness is what the verdicts say."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import symbed
from symbed.web.json_fields import Fields
from symbed.web.views.comparison_view import ComparisonRequest
from symbed.web.views.verdict_view import judge

pytest.importorskip("flint")


def ask(e: str, f: str, **changes: Any) -> dict[str, Any]:
    return judge(ComparisonRequest.of(Fields({"formulas": [e, f], **changes})))


def test_two_functions_have_a_verdict_with_a_point_that_shows_it() -> None:
    shown = ask("ln(x^2)", "2*ln(x)", ranges={"x": [-5, 5]})
    verdict = symbed.decide("ln(x^2)", "2*ln(x)", {"x": (-5, 5)})
    assert shown["sentence"].startswith("Different on")
    assert verdict.witness is not None
    assert shown["verdict"]["at"] == {"x": float(verdict.witness["x"])}
    assert ask("x + x", "2*x")["verdict"]["verdict"] == "equal"


def test_two_families_have_a_relation_with_its_parameter_map() -> None:
    shown = ask("C*x", "a*x + b")
    assert shown["sentence"].startswith("E is a special case of F. In F: ")
    assert shown["relation"]["relation"] == "e_in_f"


def test_redundant_parameters_are_told_at_their_formula() -> None:
    e, f = ask("a*b*x", "a*x")["effective"]
    assert "a, b act only together" in e["sentence"]
    assert f["sentence"] == ""


def test_nothing_is_said_of_what_cannot_be_read_or_is_too_long() -> None:
    assert ask("sn(x)", "x")["sentence"] == ""
    assert ask("+".join(["x"] * 300), "x")["verdict"] is None


def test_without_the_extra_the_page_is_told_what_to_install(monkeypatch) -> None:
    for name in [name for name in sys.modules if name.startswith("symbed.verdicts")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flint", None)
    assert "pip install 'symbed[verdicts]'" in ask("x", "2*x")["missing"]
