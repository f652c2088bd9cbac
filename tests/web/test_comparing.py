"""What the page is told about two formulas is what the library says."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

import symbed
from symbed.web._comparison_view import MAX_OUTPUTS, ComparisonRequest, answer
from symbed.web._json_fields import BadRequest, Fields
from tests.web.live import Explorer

RANGES = {"x": [1, 5], "y": [0, 2], "a": [1, 2], "b": [-1, 1], "C": [1, 5]}


def ask(e: str, f: str, **changes: Any) -> dict[str, Any]:
    document = {"formulas": [e, f], "ranges": RANGES, **changes}
    return answer(ComparisonRequest.of(Fields(document)))


def floats(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<f8")


class TestFigures:
    def test_they_are_those_of_compare(self) -> None:
        result = ask("a*x + b", "a*sin(x)", points=32, draws=16, p=2, seed=3)["result"]
        ranges = {"a": (1, 2), "b": (-1, 1)}
        probe = symbed.Probe({"x": (1, 5)}, ranges, n_points=32, n_draws=16, seed=3)
        found = symbed.compare(
            symbed.observe("a*x + b", probe), symbed.observe("a*sin(x)", probe), p=2
        )
        assert result["distance"] == found.distance
        assert result["interval"] == list(found.interval)
        assert result["noise_floor"] == found.noise_floor
        np.testing.assert_array_equal(floats(result["line"]["profile"]), found.profile)

    def test_along_one_variable_the_mean_of_the_profile_is_the_distance(self) -> None:
        result = ask("a*x + b", "a*sin(x)")["result"]
        assert floats(result["line"]["profile"]).mean() == pytest.approx(result["distance"])

    def test_the_outputs_of_the_line_are_sorted_and_as_many_as_drawn(self) -> None:
        line = ask("a*x + b", "a*sin(x)", points=16, draws=8)["result"]["line"]
        outputs = floats(line["outputs"][0]).reshape(8, 16)
        assert (np.diff(outputs, axis=0) >= 0).all()
        assert line["counts"][0] == [8] * 16

    def test_a_formula_without_parameters_is_one_curve(self) -> None:
        result = ask("x^2", "a*x")["result"]
        sides = result["picture"]["sides"]
        assert [side["curve"] for side in sides] == [True, False]
        at = floats(result["line"]["at"])
        np.testing.assert_allclose(floats(result["line"]["outputs"][0]), at**2, rtol=1e-6)

    def test_an_infinite_distance_comes_with_its_finite_part(self) -> None:
        result = ask("x", "log(x - 2)")["result"]
        assert result["distance"] == float("inf")
        assert result["mismatched_points"] == 16
        assert 0 < result["finite_part"] < 10


class TestReadings:
    def test_each_formula_is_described(self) -> None:
        first, second = ask("a*x + b", "x^2")["readings"]
        assert (first["variables"], first["parameters"]) == (["x"], ["a", "b"])
        assert (second["text"], second["size"]) == ("x^2", 2)
        assert "<msup>" in second["mathml"]

    def test_an_error_points_at_the_character_and_the_other_is_still_read(self) -> None:
        shown = ask("a*x", "a*sn(x)")
        assert shown["readings"][1] == {
            "error": {"message": "unknown function 'sn'; did you mean 'sin'?", "position": 2}
        }
        assert shown["readings"][0]["variables"] == ["x"]
        assert shown["result"] is None

    def test_an_empty_field_is_no_error(self) -> None:
        shown = ask("a*x", "  ")
        assert (shown["readings"][1], shown["result"], shown["problem"]) == (None, None, None)

    def test_an_error_without_a_place_has_none(self) -> None:
        error = ask("(" * 300 + "x" + ")" * 300, "x")["readings"][0]["error"]
        assert "limit" in error["message"]
        assert error["position"] is None


class TestNames:
    def test_names_get_roles_by_convention_and_ranges_by_fallback(self) -> None:
        shown = answer(
            ComparisonRequest.of(Fields({"formulas": ["k*x", "C + t"], "fallback": [2, 3]}))
        )
        assert [(row["name"], row["role"], row["range"]) for row in shown["names"]] == [
            ("x", "variable", [2.0, 3.0]),
            ("t", "variable", [2.0, 3.0]),
            ("k", "parameter", [2.0, 3.0]),
            ("C", "parameter", [2.0, 3.0]),
        ]

    def test_a_role_can_be_changed(self) -> None:
        shown = ask("k*s", "s", roles={"s": "variable"})
        assert shown["readings"][0]["variables"] == ["s"]
        assert shown["result"]["axis"] == "s"
        shown = ask("a*x", "x", roles={"x": "parameter"})
        assert shown["readings"][0]["parameters"] == ["a", "x"]

    def test_the_anonymous_parameter_is_no_variable(self) -> None:
        shown = ask("C*x", "x", roles={"C": "variable"})
        assert shown["readings"][0]["parameters"] == ["C"]

    def test_without_a_variable_something_is_looked_along_all_the_same(self) -> None:
        shown = ask("C", "2")
        assert shown["result"]["axis"] == "x"
        assert shown["result"]["distance"] > 0
        assert ask("a*x", "2", roles={"x": "parameter"})["result"]["axis"] == "t"
        taken = dict.fromkeys(("x", "t", "input"), "parameter")
        assert ask("x*t", "input", roles=taken)["result"]["axis"] == "input_1"

    @pytest.mark.parametrize(("name", "range_"), [("x", [5, 1]), ("a", [2, 2.0]), ("b", [3, -3])])
    def test_a_range_that_cannot_be_is_told_at_its_field(self, name: str, range_: list) -> None:
        if name == "a":
            range_ = [2, 1]
        shown = ask("a*x + b", "x", ranges=RANGES | {name: range_})
        assert shown["problem"]["field"] == f"range:{name}"
        assert "low < high" in shown["problem"]["message"]
        assert shown["result"] is None


class TestSeveralVariables:
    def test_the_others_are_held_in_the_middle(self) -> None:
        result = ask("x*y", "x + a*y")["result"]
        assert (result["axis"], result["held"]) == ("x", {"y": 1.0})
        at = floats(result["line"]["at"])
        np.testing.assert_allclose(floats(result["line"]["outputs"][0]), at * 1.0, rtol=1e-6)

    def test_the_axis_and_the_held_values_can_be_chosen(self) -> None:
        result = ask("x*y", "x + a*y", axis="y", held={"x": 3, "y": 9})["result"]
        assert (result["axis"], result["held"], result["bounds"]) == ("y", {"x": 3.0}, [0.0, 2.0])
        outputs = floats(result["line"]["outputs"][0])
        np.testing.assert_allclose(outputs, 3 * floats(result["line"]["at"]), rtol=1e-6)

    def test_a_held_value_stays_in_its_range(self) -> None:
        assert ask("x*y", "x", held={"y": 99})["result"]["held"] == {"y": 2.0}

    def test_the_profile_of_the_line_is_that_of_compare(self) -> None:
        result = ask("x*y", "x + a*y", p=2, points=16, draws=8)["result"]
        at = floats(result["line"]["at"]).astype(np.float64)
        points = np.stack([at, np.ones(16)], axis=1)
        probe = symbed.Probe.at(points, ["x", "y"], parameters={"a": (1, 2)}, n_draws=8)
        e, f = (symbed.observe(text, probe) for text in ("x*y", "x + a*y"))
        expected = symbed.compare(e, f, p=2).profile
        np.testing.assert_allclose(floats(result["line"]["profile"]), expected, rtol=1e-5)

    def test_the_distance_is_over_the_whole_domain(self) -> None:
        result = ask("x*y", "x + a*y")["result"]
        assert floats(result["cloud"]["profile"]).mean() == pytest.approx(result["distance"])


class TestPictures:
    def test_they_show_where_the_outputs_are(self) -> None:
        picture = ask("a + 0*x", "a*x")["result"]["picture"]
        density = np.frombuffer(base64.b64decode(picture["sides"][0]["density"]), np.uint8)
        rows = density.reshape(picture["rows"], picture["columns"]).sum(axis=1)
        centers = np.linspace(picture["high"], picture["low"], picture["rows"] + 1)
        centers = (centers[1:] + centers[:-1]) / 2
        assert centers[rows > 0].min() > 0.7
        assert centers[rows > 0].max() < 2.3

    def test_quantiles_rise_with_their_level(self) -> None:
        side = ask("a*x + b", "x")["result"]["picture"]["sides"][0]
        levels = np.stack([floats(text) for text in side["quantiles"]])
        assert (np.diff(levels, axis=0) >= 0).all()

    def test_a_pole_does_not_flatten_the_rest(self) -> None:
        result = ask("a/(x - 3)", "a*x")["result"]
        assert result["picture"]["high"] < 1000
        assert result["picture"]["sides"][0]["clipped"] > 0

    def test_undefined_outputs_are_shown_as_such(self) -> None:
        result = ask("a*sqrt(x - 3)", "a*x")["result"]
        undefined = floats(result["picture"]["sides"][0]["undefined"])
        assert undefined[0] == 1
        assert undefined[-1] == 0

    def test_nothing_defined_anywhere_is_still_an_answer(self) -> None:
        result = ask("a*log(-x)", "sqrt(-x)")["result"]
        assert result["undefined_points"] == result["n_points"]
        assert (result["picture"]["low"], result["picture"]["high"]) == (-1.0, 1.0)

    @pytest.mark.parametrize("formula", ["a*1e308", "a*1e308*x - a", "1e999", "a*1e-320", "a*0"])
    def test_extreme_outputs_are_still_an_answer(self, formula: str, explorer: Explorer) -> None:
        told = explorer.ask("compare", {"formulas": [formula, "x"], "ranges": RANGES})
        assert told.status == 200
        assert told.json()["readings"][0]["mathml"]


class TestLimits:
    def test_too_many_outputs_are_refused_in_words(self) -> None:
        shown = ask("a*x", "x", points=512, draws=512)
        assert MAX_OUTPUTS < 512 * 512
        assert "take fewer" in shown["problem"]["message"]
        assert shown["result"] is None

    def test_long_formulas_with_many_points_are_refused_in_words(self) -> None:
        shown = ask("+".join(["x"] * 5_000), "x", points=256, draws=256)
        assert "too long" in shown["problem"]["message"]

    def test_more_variables_than_a_domain_holds_are_refused_in_words(self) -> None:
        shown = ask("+".join(f"x{k}" for k in range(80)), "x")
        assert "variables" in shown["problem"]["message"]


class TestLanguages:
    def test_each_formula_is_read_in_its_own(self) -> None:
        shown = ask("div(X0, X1)", "x0/x1", dialects=["gplearn", "infix"])
        first, second = shown["readings"]
        assert (first["text"], first["title"], second["title"]) == (
            "pdiv(x0, x1)",
            "gplearn",
            "symbed",
        )
        assert shown["result"]["distance"] == 0

    def test_a_guess_is_named_and_an_open_one_is_an_error(self) -> None:
        shown = ask("add(X0, 0.125)", "log(X_0)", dialects=["auto", "auto"])
        first, second = shown["readings"]
        assert (first["dialect"], first["title"]) == ("gplearn", "gplearn")
        assert "three decimals" in first["note"]
        assert "say whose it is" in second["error"]["message"]
        assert "dialect=" not in second["error"]["message"]  # no argument of Python on a page

    @pytest.mark.parametrize("dialects", [["excel", "infix"], ["infix"], "infix", [1, 2]])
    def test_other_choices_are_refused(self, dialects: Any) -> None:
        with pytest.raises(BadRequest, match="dialects"):
            ask("x", "x", dialects=dialects)
