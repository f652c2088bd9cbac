"""Fuzzing of the parser: random texts, and a report of the promises that it broke.

``python -m tests.fuzz.parser_fuzz --runs 1000000 --seed 1`` makes inputs of four kinds (grammar,
grammar with mutations, soup of tokens, random Unicode, and now and then something enormous) in
every dialect. Each must be read into an expression that survives printing and reading in every
notation, or be refused with one of symbed's own errors, in less than 50 ms.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable

from symbed.errors import SymbedError
from symbed.language.expression import Expression
from symbed.language.operators import BY_NAME, TOKENS
from symbed.language.parser import DIALECTS, parse

BUDGET = 0.050  # seconds for one input
DEPTH = 6

LEAVES = ("x", "y", "X_0", "x1", "C", "C", "C_1", "a", "pi", "e", "\u03b1", "x\u2080", "theta_max")
NUMBERS = ("0", "1", "2", "3.5", ".5", "5", "1e-3", "1e999", "1E5", "7.", "123456789", "0.1")
SIGNS = ("+", "-", "*", "/", "^", "**")
FUNCTIONS = sorted(word for word, row in BY_NAME.items() if row.arity and word.isidentifier())
ODD = (
    "(", ")", "|", ",", ".", "..", "=", "==", "[", "]", "'", '"', "@", "\\", "\0", "\n", "\t", " ",
    "__import__", "lambda", "os.system", "2x", "1_0", "0x1F", "1e", "e5", "nan", "inf", "u-", "^2",
    "^-1", "\u0445", "\uff58", "\u200b", "\u202e", "\u00b2", "\u00e9", "e\u0301", "\u00b5", "\ud800",
    "\ufeff", "\u2212", "\u00d7", "\u221e", "_", "__", "\U0001d465", "\u0660", "\u00bd", "sn(", "%",
)  # fmt: skip


def main() -> int:
    """Run the target; the exit code is the number of broken promises, at most 1."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=20_000)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    counts, slowest, broken = fuzz(chosen.runs, chosen.seed)
    for outcome, count in sorted(counts.items()):
        print(f"{outcome:14} {count:9,}")
    print(f"slowest        {1000 * slowest[0]:9.2f} ms  {slowest[1][:60]!r}")
    for problem in broken:
        print(f"BROKEN: {problem}", file=sys.stderr)
    return int(bool(broken))


def fuzz(runs: int, seed: int) -> tuple[Counter[str], tuple[float, str], list[str]]:
    """Check many inputs: how they ended, the slowest of them, and the promises they broke."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    slowest, broken = (0.0, ""), []
    for _ in range(runs):
        source = make_input(rng)
        dialect = rng.choices(tuple(DIALECTS), (3, 1, 1, 1))[0]  # in the order of the table
        seconds, outcome = _timed(source, dialect)
        if seconds > BUDGET:  # caches were cold, or shared: the best of three counts
            seconds = min(seconds, *(_timed(source, dialect)[0] for _ in range(2)))
        slowest = max(slowest, (seconds, source))
        if seconds > BUDGET:
            outcome = f"took {1000 * seconds:.0f} ms"
        counts[outcome if outcome in OUTCOMES else "broken"] += 1
        if outcome not in OUTCOMES:
            broken.append(f"{dialect} {source[:200]!r}: {outcome}")
    return counts, slowest, broken


OUTCOMES = ("expression", "ParseError", "LimitError", "ShapeError")


def _timed(source: str, dialect: str) -> tuple[float, str]:
    """The processor time to read the source, and how that ended."""
    began = time.thread_time()
    try:
        expression = parse(source, dialect=dialect)
    except SymbedError as error:
        seconds = time.thread_time() - began
        return seconds, type(error).__name__ if str(error) else "an error without a message"
    except Exception as error:
        return 0.0, f"untyped {error!r}"
    seconds = time.thread_time() - began
    try:
        return seconds, check(expression)
    except Exception as error:
        return seconds, f"after reading: {error!r}"


def check(expression: Expression) -> str:
    """Print an expression in every notation and read it again; say what differs."""
    if parse(str(expression)) != expression:
        return f"text {expression} reads otherwise"
    for notation, dialect in (("infix", "tokens"), ("prefix", "prefix"), ("postfix", "postfix")):
        if parse(expression.tokens(notation), dialect=dialect) != expression:
            return f"{notation} tokens of {expression} read otherwise"
    latex = expression.latex()
    if latex.count("{") != latex.count("}") or latex.count(r"\left") != latex.count(r"\right"):
        return f"unbalanced LaTeX of {expression}"
    if expression.canonical().canonical_hash != expression.canonical_hash:
        return f"canonical hash of {expression} depends on the order"
    return "expression"


def make_input(rng: random.Random) -> str:
    """One input of some kind."""
    return rng.choices(KINDS, WEIGHTS)[0](rng)


def _formula(rng: random.Random) -> str:
    """A formula by the grammar, grown from the outside in."""
    parts: list[str | int] = [rng.randrange(1, DEPTH)]
    written: list[str] = []
    while parts:
        part = parts.pop()
        if isinstance(part, str):
            written.append(part)
        else:
            parts.extend(reversed(_rule(rng, part)))
    return "".join(written)


def _rule(rng: random.Random, room: int) -> list[str | int]:
    if room <= 0 or rng.random() < 0.25:
        return [rng.choice(LEAVES if rng.random() < 0.7 else NUMBERS)]
    less, draw = room - 1, rng.random()
    if draw < 0.5:
        return [less, rng.choice(SIGNS), less]
    if draw < 0.7:
        word = rng.choice(FUNCTIONS)
        return [word, "(", less, *([", ", less] if BY_NAME[word].arity == 2 else []), ")"]
    opening, closing = rng.choice((("(", ")"), ("(", ")"), ("|", "|"), ("-", ""), (" + ", "")))
    return [opening, less, closing]


def _spaced_tokens(rng: random.Random) -> str:
    """A formula as the token lists have it, sometimes in another order."""
    try:
        return " ".join(parse(_formula(rng)).tokens(rng.choice(("infix", "prefix", "postfix"))))
    except SymbedError:
        return "x"


def _mutated(rng: random.Random) -> str:
    text = list(_formula(rng) if rng.random() < 0.6 else _spaced_tokens(rng))
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(text) + 1)
        text[place : place + rng.randrange(3)] = rng.choice(ODD + SIGNS + LEAVES + NUMBERS)
    return "".join(text)


def _soup(rng: random.Random) -> str:
    words = ODD + SIGNS + LEAVES + NUMBERS + tuple(TOKENS)
    return rng.choice(("", " ")).join(rng.choices(words, k=rng.randrange(12)))


def _unicode(rng: random.Random) -> str:
    top = rng.choice((0x80, 0x250, 0x3000, 0x110000))
    return "".join(chr(rng.randrange(top)) for _ in range(rng.randrange(20)))


def _enormous(rng: random.Random) -> str:
    words = (
        ODD + SIGNS + LEAVES + NUMBERS + ("x+", "(", "x^", "x ^2 ", "sin(", "+ x ", "-", "\u03b1")
    )
    piece = "".join(rng.choices(words, k=rng.randrange(1, 4)))
    return piece * rng.randrange(300_000) + rng.choice(LEAVES)


KINDS: tuple[Callable[[random.Random], str], ...] = (
    _formula, _spaced_tokens, _mutated, _soup, _unicode, _enormous,
)  # fmt: skip
WEIGHTS = (300, 200, 300, 150, 50, 0.5)


if __name__ == "__main__":
    sys.exit(main())
