"""Users' own functions by definition: read in every dialect, limited, shown by their names."""

import pytest

import symbed
from symbed.errors import LimitError, ParseError, RangeError, SymbedError
from symbed.language.definitions import define, read_definitions

HILL = "hill(x, n) = x^n/(1 + x^n)"


def test_a_call_is_the_formula_on_its_operands():
    own = define(HILL)
    meant = symbed.parse("a*((x + 1)^2/(1 + (x + 1)^2))")
    assert symbed.parse("a*hill(x + 1, 2)", definitions=own) == meant


def test_a_definition_may_use_earlier_ones_and_have_names_of_its_own():
    own = define(f"{HILL}\n# a comment\nshifted(x) = K + hill(x, 3)")
    assert symbed.parse("shifted(t)", definitions=own).names == ("K", "t")
    more = define(own, "twice(x) = shifted(shifted(x))")
    assert set(more) == {"hill", "shifted", "twice"}


@pytest.mark.parametrize(
    ("dialect", "text", "meaning"),
    [
        ("pysr", "hill(x0, 2.0) * x1", "x0^2/(1 + x0^2)*x1"),
        ("gplearn", "add(hill(X0, 2.0), X1)", "x0^2/(1 + x0^2) + x1"),
        ("python", "hill(x[:, 0], 2) + np.sin(x[:, 1])", "x0^2/(1 + x0^2) + sin(x1)"),
    ],
)
def test_other_tools_formulas_may_call_it(dialect, text, meaning):
    assert symbed.parse(text, dialect=dialect, definitions=define(HILL)) == symbed.parse(meaning)


def test_formulas_are_shown_with_the_names_of_functions():
    own = define(HILL, "line(x, a, b) = a*x + b")
    text = "line(sin(t), 2, 3)*hill(t + 1, 2) - t^2"
    assert own.shown(symbed.parse(text, definitions=own)) == text
    assert own.shown(symbed.parse("x^2/(1 + x^3)")) == "x^2/(1 + x^3)"  # another exponent


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(x) = f(x) + 1", "unknown function 'f'"),
        ("f(x) = g(x)", "unknown function 'g'"),
        ("f(x) = ", "empty"),
        ("f x = 1", "no definition .*write it as hill"),
        ("f(x, x) = x", "each once"),
        ("f() = 1", "names for its operands"),
        ("sin(x) = x", "'sin' is a function of the language"),
        ("where(x) = x", "'where' is a function of the language"),
        ("f(x) = x\nf(x) = 2*x", "defined twice"),
    ],
)
def test_what_is_no_definition_is_told(text, message):
    with pytest.raises(SymbedError, match=message):
        define(text)


def test_growth_is_limited():
    steps = "\n".join(f"f{k}(x) = f{k - 1}(f{k - 1}(x))" for k in range(1, 12))
    with pytest.raises(LimitError):
        define("f0(x) = x + x\n" + steps)


def test_errors_point_into_the_definition():
    with pytest.raises(ParseError) as caught:
        define("f(x) = 2*sn(x)")
    assert caught.value.position == 9


def test_an_error_at_a_bracket_points_behind_the_head():
    with pytest.raises(ParseError) as caught:
        define("f(x) = (")
    assert caught.value.position >= len("f(x) = ")


def test_a_number_in_a_definition_is_no_operand():
    unused = define("f(x, y) = x + 1")
    assert unused.shown(symbed.parse("t + 1")) == "t + 1"


def test_a_tools_own_word_is_not_redefined():
    with pytest.raises(RangeError, match="PySR has a word 'clamp' already"):
        symbed.parse("clamp(x0, 1, 2)", dialect="pysr", definitions=define("clamp(x) = x"))


def test_without_definitions_the_function_is_unknown():
    define(HILL)  # which leaves nothing behind
    with pytest.raises(ParseError, match="unknown function 'hill'"):
        symbed.parse("hill(x, 2)")


def test_files_of_definitions_and_of_formulas_go_together(tmp_path):
    (tmp_path / "own.txt").write_text(HILL + "\n\n# and\nhalf(x) = x/2\n")
    own = read_definitions([str(tmp_path / "own.txt"), "third(x) = x/3"])
    formulas = symbed.read_formulas(["hill(x, 2)", "third(half(x))"], definitions=own)
    assert formulas.labels == ("x^2/(1 + x^2)", "x/2/3")


def test_a_choice_is_written_as_numpy_has_it():
    meant = "cond(x < 1, x) + unless(x < 1, 2*x)"
    assert symbed.parse("where(x < 1, x, 2*x)") == symbed.parse(meant)
    assert symbed.parse("where*x").parameters == ("where",)
    with pytest.raises(ParseError, match="a condition must be a comparison"):
        symbed.parse("where(x, 1, 2)")
