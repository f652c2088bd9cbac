"""Each limit of the language: n - 1 and n pass, n + 1 is one clear error, and nothing takes long."""

import sys
import time

import pytest

from symbed import limits
from symbed.errors import LimitError, SymbedError
from symbed.language.parser import parse


def towers(n):
    return "x^" * (n + 1) + "x"


def names(n):
    return {"source": "x", "variables": [f"x{i}" for i in range(n)]}


CASES = [
    (limits.TEXT, lambda n: "x" + " " * (n - 1)),
    (limits.TEXT, lambda n: "+" + " " * (n - 3) + "\u03b1"),
    (limits.TEXT, lambda n: ["x", "+", "0" * 200 + "1"] + ["+", "y" * 60] * ((n - 205) // 63) + [
        "+", "z" * ((n - 205) % 63 - 3)]),
    (limits.TOKENS, lambda n: "-" * (n - 1) + "x"),
    (limits.TOKENS, lambda n: ["u-"] * (n - 1) + ["x"]),
    (limits.TOKENS, lambda n: {"source": ["u-"] * (n - 1) + ["x"], "dialect": "prefix"}),
    (limits.TOKENS, lambda n: {"source": ["x"] + ["u-"] * (n - 1), "dialect": "postfix"}),
    (limits.NESTING, lambda n: "(" * n + "x" + ")" * n),
    (limits.NESTING, lambda n: "sin(" * n + "x" + ")" * n),
    (limits.NESTING, lambda n: "|" * n + "x" + "|" * n),
    (limits.NESTING, lambda n: "x*(" * n + "x^2" + ")" * n),
    (limits.NESTING, lambda n: "x^(x + " * n + "x^2" + ")" * n),
    (limits.NESTING, towers),
    (limits.NESTING, lambda n: "x^---" * (n + 1) + "x"),
    (limits.NESTING, lambda n: "x^" * (n // 2) + "(" + "x^" * (n - n // 2 + 1) + "x)"),
    (limits.NESTING, lambda n: "a^b^c^d*(" + "(" * (n - 1) + "x" + ")" * n),
    (limits.NESTING, lambda n: ["x"] + ["^2"] * (n + 1)),
    (limits.NESTING, lambda n: {"source": ["x"] + ["^2"] * (n + 1), "dialect": "postfix"}),
    (limits.NESTING, lambda n: {"source": "+ x " * (n + 1) + "x", "dialect": "prefix"}),
    (limits.NESTING, lambda n: {"source": "x " * (n + 2) + "^ " * (n + 1), "dialect": "postfix"}),
    (limits.DIGITS, lambda n: "1" * n),
    (limits.DIGITS, lambda n: "0." + "0" * (n - 1)),
    (limits.DIGITS, lambda n: "1e-" + "0" * (n - 2) + "7"),
    (limits.DIGITS, lambda n: ["-" + "1" * n]),
    (limits.NAME, lambda n: "x" * n),
    (limits.NAME, lambda n: "\u03b1" * n),
    (limits.NAME, lambda n: {"source": "y", "variables": ["x" * n]}),
    (limits.VARIABLES, names),
    (limits.PARAMETERS, lambda n: "+".join(["C"] * n)),
    (limits.PARAMETERS, lambda n: "+".join(f"a{i}" for i in range(n)) + "+x"),
]  # fmt: skip


def read(source):
    return parse(**source) if isinstance(source, dict) else parse(source)


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("limit", "make"), CASES, ids=[f"{c[0].name}-{i}" for i, c in enumerate(CASES)]
)
def test_a_limit_holds_exactly(limit, make):
    n = limit.maximum
    read(make(n - 1))
    read(make(n))
    with pytest.raises(LimitError, match=f"{limit.what}: .* is over the limit of {n:,}"):
        read(make(n + 1))


def test_only_nesting_inside_each_other_counts():
    n = limits.NESTING.maximum
    parse("+".join(["(x^y^z)"] * n + ["sin(x)^cos(y)"] * n))
    parse("*".join(["x^" * n + "y"] * 3))


@pytest.mark.no_cover
def test_products_of_many_factors_hit_the_limit_of_derived_nodes():
    assert parse("*".join(["x"] * 500)).derivative("x").size > 100_000
    with pytest.raises(LimitError, match="nodes in one derived expression: 1,00"):
        parse("*".join(["x"] * 20_000)).derivative("x")


@pytest.mark.parametrize(
    "source",
    [
        "(" * 1_000_000 + "x" + ")" * 1_000_000,
        "(" * 100_000 + "x" + ")" * 100_000,
        "(" * 20_000,
        "|" * 40_000,
        "x+" * 5_000_000 + "x",
        "\u03b1" * 5_000_000,
        "x" * 250_000,
        "1" * 250_000,
        "1e" * 100_000,
        "." * 250_000,
        "\0" * 250_000,
        " " * 250_000,
        "x^" * 24_000 + "x",
        "-" * 49_999,
        "sin(" * 12_000,
        "x " * 100_000,
        "__import__." * 20_000,
        "[" * 250_000,
        "\u202e" * 80_000,
        ["x"] * 10_000_000,
    ],
    ids=range(20),
)
def test_hostile_input_is_one_error_at_once(source):
    best = min(_seconds_to_refuse(source) for _ in range(3))
    assert best < (0.05 if sys.gettrace() is None else 0.5)  # a tracer counts every line


def _seconds_to_refuse(source):
    began = time.thread_time()
    with pytest.raises(SymbedError):
        parse(source)
    return time.thread_time() - began


@pytest.mark.parametrize("limit", limits.ALL, ids=lambda limit: limit.name)
def test_every_limit_allows_its_maximum_and_no_more(limit):
    limit.check(limit.maximum - 1)
    limit.check(limit.maximum)
    with pytest.raises(LimitError, match=f"is over the limit of {limit.maximum:,}"):
        limit.check(limit.maximum + 1)
