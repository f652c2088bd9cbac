"""Each operator in each table, or listed as exempt."""

import importlib.util
import re
from pathlib import Path

import pytest

from symbed.language import operators
from symbed.language.expression import Expression, apply
from symbed.language.operators import BY_NAME, CODES, FIXED_POWERS, TABLE, TOKENS
from symbed.language.parser import parse
from symbed.language.printers import TEXT, TOKEN_LISTS
from symbed.language.typesetting import LATEX
from tests.language.trees import FUNCTIONS

ROWS = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
WITHOUT_DERIVATIVE = {"pi", "e"}  # constants have no operand to differentiate by


def on_names(row):
    return Expression((*("x", "y")[: row.arity], row))


@ROWS
def test_text_prints_and_reads_it(row):
    assert parse(str(on_names(row))) == on_names(row)


@ROWS
def test_each_spelling_is_read(row):
    for spelling in (row.name, *row.spellings):
        arguments = ", ".join(("x", "y")[: row.arity])
        if spelling.isidentifier():
            text = f"{spelling}({arguments})" if row.arity else spelling
        elif row.form == "postfix":
            text = f"x{spelling}"
        else:
            text = f"x{spelling}y" if row.arity == 2 else f"{spelling}"
        assert parse(text) == on_names(row)


@ROWS
def test_it_can_be_called_by_some_word(row):
    assert any(word.isidentifier() for word in (row.name, *row.spellings))


@ROWS
def test_each_token_list_prints_and_reads_it(row):
    assert TOKENS[row.symbol] is row
    for notation, dialect in (("infix", "tokens"), ("prefix", "prefix"), ("postfix", "postfix")):
        tokens = on_names(row).tokens(notation)
        assert row.symbol in tokens
        assert parse(tokens, dialect=dialect) == on_names(row)


@ROWS
def test_latex_shows_every_operand_once(row):
    latex = on_names(row).latex()
    assert latex.count("{") == latex.count("}")
    for name in ("x", "y")[: row.arity]:
        bare = latex.replace(r"\max", "").replace(r"\exp", "").replace(r"\mathrm", "")
        bare = re.sub(r"\\operatorname\{\w+\}", "", bare)
        assert bare.count(name) == 1


@ROWS
def test_it_has_a_derivative_for_each_operand_or_is_exempt(row):
    assert len(row.derivative) == row.arity
    assert bool(row.derivative) != (row.name in WITHOUT_DERIVATIVE)
    for partial in row.derivative:
        assert set(parse(partial, variables=("a", "b", "y")).names) <= {"a", "b", "y"}


@ROWS
def test_every_table_has_it(row):
    assert CODES[row] == TABLE.index(row)
    assert BY_NAME[row.name] is row
    assert on_names(row).canonical().canonical_hash == on_names(row).canonical_hash
    assert all(row in notation.pieces for notation in (TEXT, LATEX, *TOKEN_LISTS.values()))
    assert row.arity == 0 or row.name in FUNCTIONS


def test_the_native_tables_are_those_that_the_generator_makes_of_the_rows():
    path = Path(__file__).resolve().parents[2] / "tools" / "make_operators.py"
    spec = importlib.util.spec_from_file_location("make_operators", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.OPERATORS_FILE.read_text() == tool.operators()
    assert tool.SLOPES_FILE.read_text() == tool.derivatives()


@ROWS
def test_its_words_are_those_of_known_tools(row):
    from symbed.language.dialects.tool_table import TOOLS

    vocabularies = {tool.vocabulary or tool.name for tool in TOOLS.values()}
    entries = {entry.partition("=")[0] for entry in row.dialects.split()}
    assert entries | row.written.keys() <= vocabularies


def test_no_spelling_means_two_operators():
    spellings = [word for row in TABLE for word in (row.name, *row.spellings)]
    assert len(spellings) == len(set(spellings))


def test_only_log_means_another_thing_in_token_lists():
    differing = {word for word in BY_NAME if TOKENS[word] is not BY_NAME[word]}
    assert differing == {"log"}


def test_fixed_powers_are_what_their_names_say():
    for exponent, row in FIXED_POWERS.items():
        assert row.name == f"^{exponent:g}"
        assert apply(operators.POW, [("x",), (exponent,)]) == ("x", row)


def test_commutative_operators_are_those():
    assert {row.name for row in TABLE if row.commutative} == {
        "+", "*", "min", "max", "hypot", "==", "!=",
    }  # fmt: skip
