from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.grammar_sampler import sample, text
from symbed import Probe, parse, survey
from symbed.engine.catalog import ASK, BLANK, Catalog
from symbed.engine.packed_programs import ChainedPrograms, PackedPrograms
from symbed.engine.program import Binding, Program
from symbed.errors import SymbedError
from tests.engine.engines import engine_in_use, has_core, native

pytestmark = pytest.mark.skipif(not has_core, reason="the native core is not built")

PROBE = Probe({"x": (1, 5), "X_0": (1, 5), "X_1": (1, 5)}, parameters=(1, 5))
PLAIN = [
    "x", "-x", "--x", "+x", "1", "-1", "-(1)", "2.5*x", "1.*x", "x^2", "x**2", "x^-1", "x^-2", "-x^2",
    "2^-x", "2^-x^2", "x^2^3", "x^(2)", "x^(-1)", "x^5.0", "(-2)^2", "-2^2", "pi", "-pi", "x^pi", "e*x",
    "x - -2", "x*-x", "sin(x)", "sin (x)", "min(x, 2)", "max(x,-1)", "pow(x, 2)", "pow(x, C)", "neg(2)",
    "square(x)", "inv(x)", "log(x)", "ln(x)", "arcsin(x)", "C*x + C", "a*x + b", "b + x*a", "a*x + a",
    "a - (b - a)", "((x))", "x/x/x", "x-x-x", "x*(x+X_0)*(X_0 + x)", "123456789.125", "0.1", "00012",
    "C+C+C*C", "sin(C*x)*C + cos(a*X_1)/(2 - x)", "  x  +  1  ", "x\t+\t1", "mul(x, 2)", "sech(x)",
]  # fmt: skip
LEFT_ALONE = [
    "x +", "(x", "x)", "sn(x)", "x x", "2x", "|x|", "1e5", ".5", "unknown*x", "min(x)", "sin(x, x)",
    "sin", "x,x", "(x, x)", "1.2.3", "1234567890123456", "x₀", "α", "x.y", "x;y", "x\0", "()", "sin()",
    "x^", "*x", "1_0", "x" * 5000, "(" * 150 + "x" + ")" * 150, "x**", "x * * x",
]  # fmt: skip


def read(binding: Binding, lines: list[str]) -> list[Program | None]:
    """The program of each line, or None where the parser must decide."""
    catalog = native.catalog(binding)
    return [
        None if place <= BLANK else program_at(catalog, place)
        for place in catalog.read(lines).tolist()
    ]


def program_at(catalog, place: int) -> Program:
    row, varied = (place, False) if place >= 0 else (-1 - place, True)
    return catalog.programs(row, row + 1, varied=varied)[0]


@pytest.fixture
def binding() -> Binding:
    made = Binding(PROBE)
    made.compile(parse("C + a*x + b", PROBE.variables))  # now C, a and b are known
    return made


@pytest.mark.parametrize("line", PLAIN)
def test_a_plain_line_compiles_to_what_the_parser_makes_of_it(line: str, binding: Binding) -> None:
    (program,) = read(binding, [line])
    assert program == binding.compile(parse(line, PROBE.variables))


@pytest.mark.parametrize("line", LEFT_ALONE)
def test_what_is_not_plain_is_left_to_the_parser(line: str, binding: Binding) -> None:
    assert read(binding, [line]) == [None]


def test_each_line_stands_alone(binding: Binding) -> None:
    lines = ["x", "x +", "a*x", "sn(x)", "C*C"]
    alone = [read(binding, [line])[0] for line in lines]
    assert read(binding, lines) == alone


def test_random_formulas_agree(binding: Binding) -> None:
    lines = [text(tokens) for tokens in sample(3000, 2, seed=4)]
    programs = read(binding, lines)
    assert None not in programs
    for line, program in zip(lines, programs, strict=True):
        assert program == binding.compile(parse(line, PROBE.variables))


PIECES = ["x", "X_0", "C", "a", "2", "0.5", "3.", "+", "-", "*", "/", "^", "**", "(", ")", ",", "sin(",
          "min(", "pi", "pow(", " ", "neg(", "-1", "|", "7e2", "zz"]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=500, deadline=None)
def test_it_never_accepts_what_the_parser_refuses(line: str) -> None:
    binding = Binding(PROBE)
    binding.compile(parse("C + a", PROBE.variables))
    (program,) = read(binding, [line])
    try:
        expected = binding.compile(parse(line, PROBE.variables))
    except SymbedError:
        assert program is None
    else:
        assert program is None or program == expected


def test_names_learned_on_the_way_are_read_natively_afterwards() -> None:
    binding = Binding(PROBE)
    catalog = native.catalog(binding)
    assert catalog.read(["q*x"]).tolist() == [ASK]
    expected = binding.compile(parse("q*x", PROBE.variables))
    assert program_at(catalog, catalog.read(["q*x"])[0]) == expected


def test_fresh_draws_need_the_text_as_written_so_the_parser_reads_it() -> None:
    binding = Binding(Probe.paper({"x": (1, 5)}, (1, 5)))
    binding.compile(parse("C", ["x"]))
    assert read(binding, ["x + C"]) == [None]


def test_a_survey_is_the_same_with_and_without_the_fast_lane() -> None:
    rng = random.Random(1)
    lines = [text(tokens) for tokens in sample(500, 2, seed=5)] + PLAIN
    rng.shuffle(lines)
    fast = survey(lines, PROBE)
    with engine_in_use("numpy"):
        slow = survey(lines, PROBE)
    np.testing.assert_array_equal(fast.numbers, slow.numbers)
    for block in ("fixed", "varied"):
        rows = np.arange(len(getattr(fast.rows, block)))
        for one, two in zip(
            getattr(fast.rows, block).take(rows), getattr(slow.rows, block).take(rows), strict=True
        ):
            np.testing.assert_array_equal(one, two)


def kinds(binding: Binding) -> list:
    return [native.catalog(binding), Catalog()]


def test_each_distinct_program_has_one_place(binding: Binding) -> None:
    texts = ["x + 1", "a*x", "1 + x", "C*x", "x*x", "x^2"]
    programs = [binding.compile(parse(text, PROBE.variables)) for text in texts]
    for catalog in kinds(binding):
        assert [catalog.intern(program) for program in programs] == [0, -1, 0, -1, 1, 2]
        assert (catalog.count(varied=False), catalog.count(varied=True)) == (3, 1)
        assert list(catalog.programs(1, 3, varied=False)) == programs[4:]


def test_blank_lines_and_remarks_are_told_apart(binding: Binding) -> None:
    for catalog in kinds(binding):
        assert catalog.read(["", "  # remark", "\t"]).tolist() == [BLANK] * 3


def test_forgetting_bounds_memory_and_numbers_go_on(binding: Binding) -> None:
    one, two = (binding.compile(parse(text, PROBE.variables)) for text in ("x", "a*x"))
    for catalog in kinds(binding):
        assert (catalog.intern(one), catalog.intern(two)) == (0, -1)
        catalog.forget(10, 20)
        assert (catalog.intern(one), catalog.intern(two)) == (10, -21)
        assert catalog.programs(10, 11, varied=False)[0] == one


def test_a_line_break_inside_a_text_is_no_second_line(binding: Binding) -> None:
    assert native.catalog(binding).read(["x\n+ 1", "x"]).tolist() == [ASK, ASK]
    assert survey(["x\n+ 1", "x"], PROBE).n_distinct == 2


def test_packs_can_be_cut_and_joined(binding: Binding) -> None:
    texts = ["x", "a*x + b", "sin(x)", "2*x"]
    programs = [binding.compile(parse(text, PROBE.variables)) for text in texts]
    packed = PackedPrograms.of(programs)
    assert list(packed) == programs
    assert packed[-1] == programs[-1]
    assert list(packed[1:3]) == programs[1:3]
    assert list(packed[::2]) == programs[::2]
    assert list(PackedPrograms.join([packed[:1], packed[1:], packed[:0]])) == programs
    assert list(packed.take(np.array([3, 0]))) == [programs[3], programs[0]]
    assert list(packed.take(np.array([1, 0, 3]))) == [programs[1], programs[0], programs[3]]
    assert len(packed.take(np.array([], np.int64))) == 0
    assert len(PackedPrograms.join([])) == 0
    with pytest.raises(IndexError):
        packed[4]


def test_programs_that_follow_each_other_are_taken_without_copying_their_code(
    binding: Binding,
) -> None:
    texts = ["x", "a*x + b", "sin(x)", "2*x"]
    programs = [binding.compile(parse(text, PROBE.variables)) for text in texts]
    packed = PackedPrograms.of(programs)
    taken = packed.take(np.array([1, 2]))
    assert list(taken) == programs[1:3]
    assert np.shares_memory(taken.words, packed.words)
    run = ChainedPrograms([packed, packed])
    assert list(run.take(np.array([2, 3, 4]))) == [programs[2], programs[3], programs[0]]


def test_new_programs_are_numbered_in_the_order_of_the_lines_whoever_reads_them() -> None:
    lines = ["x", "q*x", "# remark", "x^2", "1e3*x", "q + x", "", "x", "r*x"]
    found = []
    for make in (native.catalog, lambda _: Catalog()):
        binding = Binding(PROBE)
        catalog = make(binding)
        asked: list[int] = []

        def ask(number: int) -> int:
            asked.append(number)  # noqa: B023
            return catalog.intern(binding.compile(parse(lines[number], PROBE.variables)))  # noqa: B023

        found.append(catalog.read(lines, ask).tolist())
        assert 4 in asked, "scientific notation is left to the parser"
    assert found[0] == found[1] == [0, -1, BLANK, 1, 2, -2, BLANK, 0, -1]


def test_what_was_read_before_an_error_is_kept(binding: Binding) -> None:
    for catalog in kinds(binding):
        places = np.zeros(4, np.int64)

        def ask(number: int) -> int:
            if number == 2:
                raise ZeroDivisionError
            return number * 10

        with pytest.raises(ZeroDivisionError):
            catalog.read(["2x", "3x", "4x", "x"], ask, places)
        assert places[:2].tolist() == [0, 10]
        assert (places[2:] <= BLANK).all()


def test_recalled_programs_keep_their_numbers_and_are_known(binding: Binding) -> None:
    texts = ["x", "a*x", "x + 1", "x", "a*x + b"]
    packed = PackedPrograms.of([binding.compile(parse(text, PROBE.variables)) for text in texts])
    fixed, varied = packed.take(np.array([0, 2, 3])), packed.take(np.array([1, 4]))
    for catalog in kinds(binding):
        catalog.forget(7, 5)
        catalog.recall(fixed)
        catalog.recall(varied)
        assert (catalog.count(varied=False), catalog.count(varied=True)) == (10, 7)
        assert list(catalog.programs(7, 10, varied=False)) == list(fixed)
        assert [catalog.intern(program) for program in packed] == [7, -6, 8, 7, -7]
        new = binding.compile(parse("x + 2", PROBE.variables))
        assert catalog.intern(new) == 10


def test_packs_that_cannot_be_are_not_recalled(binding: Binding) -> None:
    packed = PackedPrograms.of([binding.compile(parse("x + 1", PROBE.variables))])
    for starts in ([0, 99], [3, 1], [-1, 2]):
        broken = PackedPrograms(packed.words, np.array(starts, np.int64), packed.n_parameters)
        with pytest.raises(SymbedError):
            native.catalog(binding).recall(broken)


@given(st.lists(st.integers(0, 6), max_size=20), st.lists(st.integers(0, 7), max_size=3))
def test_a_run_of_packs_is_as_the_packs_joined(wanted: list[int], cuts: list[int]) -> None:
    binding = Binding(PROBE)
    texts = ["x", "a*x + b", "sin(x)", "2*x", "x^3", "c", "x*x + a"]
    packed = PackedPrograms.of([binding.compile(parse(text, PROBE.variables)) for text in texts])
    edges = [0, *sorted(cuts), len(packed)]
    run = ChainedPrograms([packed[a:b] for a, b in itertools.pairwise(edges)])
    assert len(run) == len(packed)
    assert list(run) == list(packed)
    rows = np.array(wanted, np.int64)
    assert list(run.take(rows)) == [packed[row] for row in wanted]
    assert list(run[1:5]) == list(packed[1:5])
    assert list(run[::-2]) == list(packed[::-2])
    assert run[-1] == packed[-1]
    assert list(PackedPrograms.of(run)) == list(packed)
    with pytest.raises(IndexError):
        run[7]
