"""Names that look alike are alike, or refused by code point."""

import pytest

from symbed.errors import ParseError
from symbed.language.names import clean_name
from symbed.language.parser import parse


@pytest.mark.parametrize(
    "name",
    ["x", "X_0", "x0", "_", "speed", "\u03b1", "\u03a9_1", "\u03b8\u03c6", "\u03c3_x", "\u00e9t\u00e9", "\u0142", "\u0394"],
)  # fmt: skip
def test_latin_and_greek_names_are_kept(name):
    assert clean_name(name) == name
    assert parse(name).postfix == (name,)


def test_subscripts_are_digits():
    assert clean_name("x\u2081\u2080") == "x10"
    assert clean_name("\u03b1_\u2082") == "\u03b1_2"


@pytest.mark.parametrize(
    ("text", "named", "hint"),
    [
        ("\u0445 + 1", "U+0445 CYRILLIC SMALL LETTER HA", "write the Latin x"),
        ("s\u0456n(x)", "U+0456 CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I", "Latin i"),
        ("\u0391*x", "U+0391 GREEK CAPITAL LETTER ALPHA", "write the Latin A"),
        ("\u03bf", "U+03BF GREEK SMALL LETTER OMICRON", "write the Latin o"),
        ("\uff58", "U+FF58 FULLWIDTH LATIN SMALL LETTER X", "write x"),
        ("\uff0b", "U+FF0B FULLWIDTH PLUS SIGN", r"write \+"),
        ("x\uff0by", "U+FF0B FULLWIDTH PLUS SIGN", r"write \+"),
        ("\U0001d465", "U+1D465 MATHEMATICAL ITALIC SMALL X", "write x"),
        ("\u00b5", "U+00B5 MICRO SIGN", "write \u03bc"),
        ("\u2126", "U+2126 OHM SIGN", "write \u03a9"),
        ("\u03d5", "U+03D5 GREEK PHI SYMBOL", "write \u03c6"),
        ("\ufb01", "U+FB01 LATIN SMALL LIGATURE FI", "write fi"),
        ("\u0131", "U+0131 LATIN SMALL LETTER DOTLESS I", "Latin or Greek letters"),
        ("\u6e29", "U+6E29 CJK UNIFIED IDEOGRAPH-6E29", "Latin or Greek letters"),
        ("x\u00b2", "U+00B2 SUPERSCRIPT TWO", r"write \^2"),
        ("2\u00b2", "U+00B2 SUPERSCRIPT TWO", r"write \^2"),
        ("\u00bd", "U+00BD VULGAR FRACTION ONE HALF", ""),
        ("x\u2212y", "U+2212 MINUS SIGN", "write -"),
        ("x\u00d7y", "U+00D7 MULTIPLICATION SIGN", r"write \*"),
        ("\u221ax", "U+221A SQUARE ROOT", r"write sqrt\(...\)"),
        ("e\u0301", "U+0301 COMBINING ACUTE ACCENT", "as one character"),
        ("x\u200b+1", "U+200B ZERO WIDTH SPACE", "remove it"),
        ("\u202ex", "U+202E RIGHT-TO-LEFT OVERRIDE", "remove it"),
        ("x\u00a0+1", "U+00A0 NO-BREAK SPACE", "remove it"),
        ("\ufeffx", "U+FEFF ZERO WIDTH NO-BREAK SPACE", "remove it"),
        ("\u3164", "U+3164 HANGUL FILLER", ""),
        ("\u0663", "U+0663 ARABIC-INDIC DIGIT THREE", ""),
        ("x\u0663", "U+0663 ARABIC-INDIC DIGIT THREE", ""),
        ("\ud800", "U+D800 with no name", "remove it"),
        ("\0", "U+0000 with no name", "remove it"),
        ("\u0394x", "U+0394 GREEK CAPITAL LETTER DELTA", "separate them by an underscore"),
        ("a_x\u03b1", "U+03B1 GREEK SMALL LETTER ALPHA", "separate them by an underscore"),
        ("\u2080x", "'0'", ""),
    ],
)
def test_characters_that_mislead_are_named_by_code_point(text, named, hint):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert named in caught.value.problem
    assert caught.match(hint)


def test_the_caret_stands_under_the_letter_inside_a_name():
    with pytest.raises(ParseError) as caught:
        parse("1 + spe\u0435d*2")
    assert caught.value.position == 7


@pytest.mark.parametrize("name", ["", "1x", "x y", "x-y", "a.b", "x\n", "sin(", "nan"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ParseError):
        clean_name(name)
