"""How families of functions relate: labeled pairs, evidence, honesty about what is not known."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import benchmarks
import symbed
from benchmarks.family_pairs import FAMILY_PAIRS, POSITIVE, FamilyPair
from benchmarks.relate import arguments_of, read_cases
from symbed.errors import MissingVariable
from symbed.verdicts.algebra.formula_recognition import recognized_formulas
from symbed.verdicts.families import drawn_members
from symbed.verdicts.families import relation as relation_module
from symbed.verdicts.families.form import make_grid, read_form
from symbed.verdicts.families.relation import relate
from symbed.verdicts.functions.decision import decide
from symbed.verdicts.pair_lists import relate_many

ONE = {"x": (0.5, 5.0)}
CONTAINED = {
    "same": (True, True), "e_in_f": (True, False), "f_in_e": (False, True),
    "neither": (False, False),
}  # fmt: skip


@pytest.mark.parametrize("pair", FAMILY_PAIRS, ids=lambda pair: f"{pair.e} | {pair.f}")
def test_no_containment_is_claimed_that_is_none_and_none_denied_that_is(pair: FamilyPair) -> None:
    relation = relate(pair.e, pair.f, pair.domain, pair.parameters, seed=1)
    halves = relation.e_in_f, relation.f_in_e
    for half, is_contained in zip(halves, CONTAINED[pair.label], strict=True):
        assert half.contained in (is_contained, None)
        assert half.grade == {True: "matched", False: "refuted", None: "searched"}[half.contained]


def test_nearly_all_containments_of_the_table_are_found() -> None:
    found = total = 0
    for pair in FAMILY_PAIRS[::3]:
        relation = relate(pair.e, pair.f, pair.domain, pair.parameters, substitution=False)
        for half, is_contained in zip(
            (relation.e_in_f, relation.f_in_e), CONTAINED[pair.label], strict=True
        ):
            total += is_contained
            found += is_contained and half.contained is True
    assert found >= 0.95 * total


@pytest.mark.parametrize(
    ("e", "f"),
    [
        ("a*b*x", "C*x"),
        ("a*x", "2*b*x"),
        ("a*x^3 + b + 1e-9", "c*x^3 + d"),
        ("a*exp(b + x)", "c*exp(x)"),
        ("a*sin(x + b)", "c*sin(x) + d*cos(x)"),
        ("a*b*x/(1 + b*x)", "c*x/(d + x)"),
    ],
)
def test_the_substitution_turns_the_larger_family_into_the_smaller_one(e: str, f: str) -> None:
    half = relate(e, f, ONE).e_in_f
    assert half.substitution is not None
    assert half.holds_where == "everywhere"
    outer = str(relate(e, f, ONE).f)
    for name, formula in half.substitution.items():
        outer = re.sub(rf"\b{name}\b", f"({formula})", outer)
    box = ONE | dict.fromkeys(symbed.parse(e, variables=("x",)).parameters, (0.5, 2.0))
    verdict = decide(
        symbed.parse(e, variables=tuple(box)), symbed.parse(outer, variables=tuple(box)), box
    )
    assert verdict.verdict == "equal"


def test_a_substitution_says_where_it_holds() -> None:
    half = relate("C*x", "exp(C)*x", ONE, POSITIVE).f_in_e
    assert half.contained is True
    assert half.holds_where == "everywhere"


def test_a_limit_is_no_member() -> None:
    half = relate("a*ln(x)", "a*(x^b - 1)/b", ONE).e_in_f
    assert half.contained is None
    assert half.limit


@pytest.mark.parametrize(
    ("e", "f"),
    [
        ("C*x", "exp(C)*x"),
        ("a*x + b", "a*x + b^2"),
        ("a*x*y + b*x + c*y + d", "(a*x + b)*(c*y + d)"),
        ("a*x^2 + b*x", "a*x^b"),
        ("a*x", "a*x^1.000001"),
    ],
)
def test_what_is_not_contained_is_proven_not_to_be(e: str, f: str) -> None:
    domain = {"x": (0.5, 5.0), "y": (0.5, 5.0)} if "y" in e else ONE
    half = relate(e, f, domain).e_in_f
    assert half.contained is False
    assert half.reason
    assert half.member is not None


@pytest.mark.parametrize("exponent", ["(1 + 2)", "(6/2)", "sqrt(9)"])
def test_a_whole_power_keeps_the_sign_however_its_exponent_is_written(exponent: str) -> None:
    # a = cbrt(b) and b = a^3; by magnitudes every member of the second family would be even.
    relation = relate("b*x^3", f"(a*x)^{exponent}", {"x": (-2, 2)})
    assert relation.e_in_f.contained is not False
    assert relation.f_in_e.contained is not False


@pytest.mark.parametrize(
    ("e", "f", "ranges", "relation"),
    [
        ("C*x", "1.01*C*x", (1.0, 5.0), "neither"),
        ("C*x", "1.01*C*x", (0.0, 5.0), "e_in_f"),
        ("x + C", "x + C + 0.01", (0.0, 1.0), "neither"),
        ("x + C", "x + C^2", (0.0, 0.995), "f_in_e"),
        ("x + C", "x + 1/C", (0.5, 2.0), "same"),
        ("x + C", "x + 1/C", (0.5, 2.01), "neither"),
    ],
)
def test_ranges_are_compared_up_to_their_ends(
    e: str, f: str, ranges: tuple[float, float], relation: str
) -> None:
    assert relate(e, f, ONE, ranges).relation == relation


@pytest.mark.parametrize(
    ("e", "f"),
    [
        ("x + C", "x + 1e7*tanh(C)"),
        ("x + C", "x + 1e20*tanh(C)"),
        ("x + C", "x + min(C, 1e8)"),
        ("a*x + b", "a*x + 1e10*sin(b)"),
    ],
)
def test_a_family_that_ends_far_away_does_not_contain_one_without_end(e: str, f: str) -> None:
    assert relate(e, f, ONE).relation == "f_in_e"


@pytest.mark.parametrize(
    ("e", "f"),
    [
        ("a*x^b + c", "min(a, 5)*x^(b*abs(b)) + c^5"),
        ("a*exp(b*x) + c", "(a + a^3)*exp(cbrt(b)*x) + min(c, 5)"),
    ],
)
def test_each_parameter_is_looked_at_beyond_usual_sizes_in_both_signs(e: str, f: str) -> None:
    answer = relate(e, f, ONE)
    assert answer.relation == "f_in_e"
    assert answer.e_in_f.contained is not True


@pytest.mark.parametrize(
    ("e", "f"), [("a*erf(b*x)", "a^5*erf(b*x)"), ("a*cos(b*x)", "a*cos(sinh(b)*x)")]
)
def test_odd_functions_of_parameters_have_inverses_of_either_sign(e: str, f: str) -> None:
    assert relate(e, f, ONE).relation == "same"


@pytest.mark.parametrize("term", ["1e-80*x^2", "1e-200"])
def test_a_difference_below_sixty_digits_is_one(term: str) -> None:
    assert relate("C*x", f"C*x + {term}", ONE).relation == "neither"


@pytest.mark.parametrize(
    ("e", "f", "domain", "relation"),
    [
        ("a*x + b*max(x - 4.99, 0)", "a*x", ONE, "f_in_e"),
        ("a*x + b*max(x - 4.99, 0)", "a*x + b*max(x - 4.991, 0)", ONE, "neither"),
        ("a*abs(x)", "a*x", {"x": (-0.01, 5.0)}, "neither"),
        ("a*abs(x)", "a*x", {"x": (0.0, 5.0)}, "same"),
        ("a*x/x", "a", {"x": (0.0, 5.0)}, "same"),
        ("a*round(x) + b", "a*floor(x + 0.5) + b", {"x": (-2.0, 2.0)}, "same"),
        ("a*x + b*max(x + y - 9.9, 0)", "a*x", {"x": (0.5, 5.0), "y": (0.5, 5.0)}, "f_in_e"),
    ],
)
def test_families_are_compared_in_each_piece_of_their_formulas(
    e: str, f: str, domain: dict[str, tuple[float, float]], relation: str
) -> None:
    assert relate(e, f, domain).relation == relation


def test_a_root_that_is_undefined_near_an_end_is_not_its_square() -> None:
    answer = relate("a*sqrt(x - 0.51)^2", "a*(x - 0.51)", ONE)
    assert answer.f_in_e.contained is False
    assert not answer.e_in_f.contained


def test_a_parameter_that_does_nothing_needs_none_in_the_other_family() -> None:
    assert relate("0*C + x", "x", ONE).relation == "same"


def test_numbers_of_many_digits_are_exact_in_formulas_for_parameters() -> None:
    answer = relate("C*x", "C*x*(1 + 1e-70)", ONE)
    assert answer.relation == "same"
    formulas = answer.f_in_e.substitution
    assert formulas is not None
    exact = decide(formulas["C_0"], "C_0 + C_0*1e-70", {"C_0": (1, 5)})
    assert (exact.verdict, exact.bound) == ("equal", 0.0)


def test_ranges_may_be_infinite_and_differ_by_name() -> None:
    assert relate("a*x", "b^2*x", ONE, {"a": (0.0, math.inf)}).relation == "same"
    assert relate("a*x", "b^2*x", ONE).relation == "f_in_e"


def test_formulas_without_parameters_are_compared_as_functions() -> None:
    assert relate("x + x", "2*x", ONE).relation == "same"
    assert relate("x", "x^2", ONE).relation == "neither"


def test_a_function_can_be_a_member_of_a_family() -> None:
    assert relate("3*x + 1", "a*x + b", ONE).relation == "e_in_f"


def test_the_answer_does_not_depend_on_the_number_of_workers() -> None:
    others = ["2*C*x", "C*x + C", "exp(C)*x", "C*sin(x)"]
    one, two = (
        [r.to_dict() for r in relate_many("C*x", others, ONE, workers=n, seconds=60)]
        for n in (1, 2)
    )
    assert one == two


def test_results_are_ready_for_json() -> None:
    relation = relate("a*x + b", "a*x", ONE)
    assert json.loads(json.dumps(relation.to_dict()))["relation"] == "f_in_e"
    assert "F is contained in E" in str(relation)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("C*x", "C*x", {}), "domain is empty"),
        (("C*x", "C*y", ONE), "looks like a variable"),
        (("C*x", "C*x", ONE, (2.0, 1.0)), "low <= high"),
        (("ln(0 - x)*C", "C*x", ONE), "undefined almost everywhere"),
    ],
)
def test_what_cannot_be_related_is_one_clear_error(
    arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(symbed.SymbedError, match=message):
        relate(*arguments)  # type: ignore[arg-type]


def test_no_time_is_refused() -> None:
    with pytest.raises(symbed.SymbedError, match="seconds"):
        relate("C*x", "C*x", ONE, seconds=0)


def test_members_of_other_magnitudes_are_found() -> None:
    domain = {"x": (1e7, 2e8)}
    assert relate("sqrt(C - C*x^2)", "sqrt(2*C - C*x^2)", domain, POSITIVE).relation == "same"


def test_distances_agree_with_the_verdict() -> None:
    relation = relate("C*x", "C*x + C", ONE)
    assert relation.e_in_f.distance < 1e-12 < 1e-3 < relation.f_in_e.distance
    assert np.isclose(relation.distance, (relation.e_in_f.distance + relation.f_in_e.distance) / 2)


@pytest.mark.parametrize(
    ("e", "f", "words"),
    [("a*x", "b*z", "'x' in 'a\\*x' looks like a variable"), ("a*T", "b*t", "did you mean 't'")],
)
def test_a_variable_outside_the_domain_does_not_become_a_parameter(
    e: str, f: str, words: str
) -> None:
    with pytest.raises(MissingVariable, match=words):
        relate(e, f, {"t": (0, 1)})


def test_a_name_that_is_declared_a_parameter_is_one_whatever_it_looks_like() -> None:
    everywhere = (-math.inf, math.inf)
    ranges = {"x": everywhere, "b": everywhere}
    assert relate("x*t", "b*t", {"t": (0, 1)}, parameters=ranges).relation == "same"


@pytest.mark.slow
def test_processes_answer_as_one_does() -> None:
    others = ["2*C*x", "C*x + C", "exp(C)*x", "C*sin(x)", "C*x^C"] * 6
    one, two = (relate_many("C*x", others, ONE, workers=n, seconds=60) for n in (1, 2))
    assert one.to_dict() == two.to_dict()
    assert two.is_complete
    with pytest.raises(MissingVariable) as caught:
        relate_many("C*x", [*others, "C*y"], ONE, workers=2)
    assert caught.value.line == len(others) + 1
    assert caught.value.in_command is not None


def test_laws_on_the_scales_of_physics_are_told_apart() -> None:
    domain = {"f": (1e8, 1e10), "T": (10.0, 1000.0)}
    relation = relate("1/(exp(C*f/T) - C)", "1/(exp(C*f^1.02/T) - C)", domain, POSITIVE)
    assert relation.relation != "same"


def test_an_even_parameter_may_be_a_square() -> None:
    assert relate("x*sin(a*x)^2", "x*sin(a^2*x)^2", ONE).relation == "same"


HOT = {"X_0": (1e8, 1e10), "X_1": (10.0, 1000.0)}


@pytest.mark.parametrize("pattern", ["{}^2", "sqrt({})"])
def test_a_part_below_sixty_digits_is_no_part_that_is_not_there(pattern: str) -> None:
    """Constants near 1 hide exp(b*X_0/X_1): -a*X_0/c is what every digit shows of the family."""
    form = "{}*X_0/(exp({}*X_0/X_1) - {})"
    f = form.format(*(pattern.format(name) for name in "abc"))
    relation = relate(form.format(*"abc"), f, HOT)
    assert relation.relation == "f_in_e"
    assert relation.e_in_f.contained is None


def test_members_that_hide_a_parameter_establish_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn_members, "_shown", lambda form, points, drawn, n_members, seed: drawn)
    half = relate("a*X_0/(exp(b*X_0/X_1) - c)", "a^2*X_0/(exp(b^2*X_0/X_1) - c^2)", HOT).e_in_f
    assert half.contained is None
    assert "none of them shows what b does" in half.reason


def test_members_show_what_their_parameters_do() -> None:
    form = read_form("a*X_0/(exp(b*X_0/X_1) - c)", HOT, None)
    points = make_grid(HOT).points
    drawn = drawn_members.draw_members(form, points)
    assert drawn_members.shown_parameters(form, points, drawn).all()


@pytest.mark.parametrize(
    ("e", "f", "wanted"),
    [
        ("exp(a*x^2 + b*x + c)", "a*exp(b*(x + c)^2)", "e_in_f"),
        ("a*exp(-(x - b)^2)", "a*exp(-x^2 + b*x)", "same"),
        ("a*exp(b*x^2 + c*x)", "a*exp(b*(x - c)^2)", "same"),
        ("a*exp(b*x)", "a*cosh(b*x) + a*sinh(b*x)", "same"),
        ("a*sin(b*x)*sin(c*x)", "a*cos(b*x) - a*cos(c*x)", "same"),
        ("a*exp(-b*x) - c*exp(-d*x)", "a*(exp(-b*x) - exp(-c*x))", "f_in_e"),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_formulas_reach_members_that_no_fit_does(e: str, f: str, wanted: str, seed: int) -> None:
    assert relate(e, f, ONE, seed=seed).relation == wanted


def test_the_answer_lists_the_free_parameters() -> None:
    relation = relate("a*x^b", "C*x + C", ONE)
    assert (relation.e_parameters, relation.f_parameters) == (("a", "b"), ("C_0", "C_1"))
    assert relation.to_dict()["f_parameters"] == ["C_0", "C_1"]
    assert str(relation).endswith("free parameters: a, b in E; C_0, C_1 in F")


def test_a_name_struck_twice_is_no_parameter() -> None:
    with pytest.raises(MissingVariable, match="did you mean 'x'"):
        relate("a*x^b", "C*xx", ONE)
    assert relate("a*x", "xx*x", ONE, {"a": (0, 1), "xx": (0, 1)}).relation == "same"


def test_the_search_ends_by_its_work_and_not_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ("a*exp(-b*exp(-c*x))", "a/(1 + b*exp(-c*x))^(1/d)", ONE)
    plain = relate(*pair).to_dict()
    assert relate(*pair, seconds=1e6).to_dict() == plain
    monkeypatch.setattr(relation_module, "MAX_WORK", 0)
    least = relate(*pair, seconds=1e6).to_dict()
    assert least["relation"] == "undecided"
    assert least["e_in_f"]["distance"] > plain["e_in_f"]["distance"]


HELD_OUT = read_cases(str(Path(benchmarks.__file__).with_name("held_out_cases.json")))


def test_held_out_families_are_never_contained_or_refuted_falsely() -> None:
    for case in HELD_OUT:
        if case["kind"] == "family":
            domain, parameters = arguments_of(case)
            relation = relate(case["e"], case["f"], domain, parameters, seed=2)
            halves = relation.e_in_f, relation.f_in_e
            for half, truth in zip(halves, CONTAINED[case["label"].lower()], strict=True):
                assert half.contained in (truth, None), (case["e"], case["f"])


@pytest.mark.parametrize("seed", range(4))
def test_members_are_found_where_few_parameters_give_any(seed: int) -> None:
    """Both roots want C_0/C_1 beyond 1e14."""
    form = "sqrt({0} - {0}*x^2)*y/({0} + {0}*x*cos(z))"
    domain = {"x": (1e5, 1e7), "y": (1.0, 5.0), "z": (0.1, 3.0)}
    relation = relate(form.format("C"), form.format("sqrt(C)"), domain, POSITIVE, seed=seed)
    assert relation.relation == "same"


@pytest.mark.parametrize(
    ("f", "grade"),
    [
        ("1000*tanh(b)*x", "refuted"),
        ("(b^2 - 1000)*x", "refuted"),
        ("(1e4/(1 + b^2))*x - 5000*x", "refuted"),
        ("max(b, -300)*x", "refuted"),
        ("floor(1000*b)/1000*x", "searched"),
        ("floor(1e6*b)/1e6*x", "searched"),
    ],
)
def test_what_holds_for_usual_members_only_is_no_containment(f: str, grade: str) -> None:
    relation = relate("a*x", f, ONE)
    assert relation.relation == "f_in_e"
    assert relation.e_in_f.grade == grade
    assert relation.e_in_f.distance > 0.0


def test_a_power_that_ends_at_ninety_is_not_every_power() -> None:
    assert relate("a*exp(b*x)", "a*exp(min(b, 90)*x)", ONE).e_in_f.grade == "refuted"
    assert relate("a*x + b", "a*x + 100*sin(b)", ONE).e_in_f.grade == "refuted"


def test_formulas_of_sixty_numbers_are_recognized_among_the_plainest() -> None:
    names = [f"p{k}" for k in range(60)]
    given = np.random.default_rng(0).uniform(1.0, 2.0, (30, 60))
    wanted = given[:, 3] + 2.0 * given[:, 5] * given[:, 7]
    (found,) = recognized_formulas(names, given, wanted, effort=1)
    assert str(found) == "p3 + 2*p5*p7"
