"""The elementary functions: NumPy and every instruction set give the same bits, near the truth."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import math
import platform
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf

from symbed.engine.reference.elementary import _coefficients as elementary_coefficients
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.language.operators import BY_NAME, CODES, TABLE

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
DRIVER = NATIVE / "tests" / "elementary_driver.cpp"
FLAGS = [
    "-O3", "-std=c++17", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
    "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
]  # fmt: skip
SETS = {
    "baseline": ([], set()),
    "avx2": (["-mavx2"], {"avx2"}),
    "avx512": (
        ["-mavx512f", "-mavx512dq", "-mavx512vl", "-mprefer-vector-width=512"],
        {"avx512f", "avx512dq", "avx512vl"},
    ),
}
ONE = [row.name for row in TABLE if row.arity == 1]
TWO = [row.name for row in TABLE if row.arity == 2]
INF, NAN = math.inf, math.nan
SIZES = [
    0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 22.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-20, 0.55, 0.7,
    709.78, 710.0, 710.47, 745.1, 746.0, 2.0**18, 2.0**52, 2.0**53 - 1, 1e22, 1e300, INF, NAN,
]  # fmt: skip
SPECIAL = np.array(SIZES + [-size for size in SIZES])


class Native:
    """The maps of elementary.h for one instruction set."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library))

    def __call__(
        self, name: str, *operands: np.ndarray | float, out: np.ndarray | None = None
    ) -> np.ndarray:
        arrays = [x for x in operands if isinstance(x, np.ndarray)]
        out = np.empty_like(arrays[0]) if out is None else out
        kinds = tuple(isinstance(x, np.ndarray) for x in operands)
        entrance = {
            (True,): self.library.map_one,
            (True, True): self.library.map_two,
            (True, False): self.library.map_right_number,
            (False, True): self.library.map_left_number,
        }[kinds]
        arguments = [_argument(x) for x in (*operands, out)]
        entrance(CODES[BY_NAME[name]], *arguments, ctypes.c_long(out.size))
        return out


def _argument(operand: np.ndarray | float) -> ctypes.c_void_p | ctypes.c_double:
    if isinstance(operand, np.ndarray):
        return ctypes.c_void_p(operand.ctypes.data)
    return ctypes.c_double(operand)


def _machine_has(features: set[str]) -> bool:
    try:
        return features <= set(Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return not features


@pytest.fixture(scope="session")
def natives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Native]:
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    folder = tmp_path_factory.mktemp("elementary")
    building = {}
    for name, (flags, features) in SETS.items():
        if features and not (platform.machine() in ("x86_64", "AMD64") and _machine_has(features)):
            continue
        target = folder / f"{name}.so"
        options = [*FLAGS, *flags, f"-DSYMBED_NS={name}", f"-I{NATIVE}", "-o", target]
        building[target] = subprocess.Popen([compiler, *options, DRIVER])
    assert all(process.wait() == 0 for process in building.values())
    return {target.stem: Native(target) for target in building}


@functools.cache
def inputs(seed: int) -> np.ndarray:
    """More than 10^5 numbers: any bits, ordinary ranges, neighborhoods of special points."""
    rng = np.random.default_rng(seed)
    n = 22_000
    near = rng.choice(SPECIAL, n) * (1 + rng.normal(size=n) * 2.0 ** rng.uniform(-52, -1, n))
    parts = [
        rng.integers(0, 2**64, 30_000, dtype=np.uint64).view(np.float64),
        rng.uniform(-20, 20, n),
        rng.uniform(-1.1, 1.1, n),
        rng.normal(size=n) * 10.0 ** rng.uniform(-12, 6, n),
        rng.uniform(-760, 760, n),
        near,
        SPECIAL,
    ]
    return rng.permutation(np.concatenate(parts))


def _pairs() -> tuple[np.ndarray, np.ndarray]:
    x, y = inputs(1), inputs(2).copy()
    whole = np.random.default_rng(3).integers(-6, 7, y.size).astype(float)
    y[::3] = whole[::3]
    corners = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    return np.concatenate([x, corners[0]]), np.concatenate([y, corners[1]])


def assert_same_bits(a: np.ndarray, b: np.ndarray, *operands: np.ndarray) -> None:
    differ = (a.view(np.uint64) != b.view(np.uint64)) & ~(np.isnan(a) & np.isnan(b))
    shown = [x[differ][:3].tolist() for x in (*operands, a, b)]
    assert not differ.any(), f"{differ.sum()} of {a.size} differ, such as {shown}"


@pytest.mark.parametrize("name", ONE)
def test_one_operand_gives_the_same_bits_in_numpy_and_on_every_instruction_set(
    name: str, natives: dict[str, Native]
) -> None:
    mixed = inputs(0)
    for x in (mixed, np.sort(mixed)):  # sorted: blocks without one special case too
        expected = FUNCTIONS[name](x)
        for native in natives.values():
            assert_same_bits(native(name, x), expected, x)


@pytest.mark.parametrize("name", TWO)
def test_two_operands_give_the_same_bits_in_numpy_and_on_every_instruction_set(
    name: str, natives: dict[str, Native]
) -> None:
    mixed = _pairs()
    order = np.lexsort((mixed[0], np.isfinite(mixed[1])))
    for x, y in (mixed, (mixed[0][order], mixed[1][order])):
        expected = FUNCTIONS[name](x, y)
        for native in natives.values():
            assert_same_bits(native(name, x, y), expected, x, y)


@pytest.mark.parametrize("name", TWO)
def test_a_number_as_operand_is_an_array_of_it(name: str, natives: dict[str, Native]) -> None:
    x = inputs(0)[:3001]
    for native in natives.values():
        for number in (2.5, -3.0, 0.0, INF):
            assert_same_bits(native(name, x, number), FUNCTIONS[name](x, number), x)
            assert_same_bits(native(name, number, x), FUNCTIONS[name](number, x), x)


@pytest.mark.parametrize("name", ONE)
def test_any_length_and_an_output_in_place_change_nothing(
    name: str, natives: dict[str, Native]
) -> None:
    x = inputs(4)
    expected = FUNCTIONS[name](x[:600])
    for native in natives.values():
        for n in (*range(35), 255, 256, 257, 600):
            changed = x[:601].copy()
            native(name, changed, out=changed[:n])
            assert_same_bits(changed[:n], expected[:n], x[:n])
            assert_same_bits(changed[n:], x[n:601])


@pytest.mark.parametrize("name", TWO)
def test_the_output_may_take_the_place_of_either_operand(
    name: str, natives: dict[str, Native]
) -> None:
    x, y = (operand[:700] for operand in _pairs())
    expected = FUNCTIONS[name](x, y)
    for native in natives.values():
        first, second = x.copy(), y.copy()
        assert_same_bits(native(name, first, y, out=first), expected, x, y)
        assert_same_bits(native(name, x, second, out=second), expected, x, y)


def test_shapes_broadcast_and_operands_stay() -> None:
    x, y = np.arange(6.0).reshape(2, 3, 1), np.arange(4.0)
    assert FUNCTIONS["^"](x, y).shape == (2, 3, 4)
    assert FUNCTIONS["exp"](1.0).shape == ()
    assert FUNCTIONS["sin"](np.empty((0, 3))).shape == (0, 3)
    assert_same_bits(FUNCTIONS["exp"](x[::-1, :, 0].T)[1], FUNCTIONS["exp"](x[::-1, 1, 0]))
    FUNCTIONS["sin"](x)
    assert_same_bits(x.ravel(), np.arange(6.0))


def test_every_operator_with_operands_has_its_function() -> None:
    assert list(FUNCTIONS) == [row.name for row in TABLE if row.arity]


# ---- accuracy ----------------------------------------------------------------------------------


def _real_cbrt(x: mpf) -> mpf:
    return mp.sign(x) * mp.cbrt(abs(x))


def _log2(x: mpf) -> mpf:
    return mp.log(x, 2)


ANGLES = ["u-4:4", "u-100:100", "l-40:18", "u-262144:262144", "l18:1023.9"]
# The function, the largest error in units of the last place, and where: u is uniform, l uniform in
# the exponent of 2 with both signs, p the same with plus only, n near 1.
TRUTH: dict[str, tuple[Callable[[mpf], mpf], float, list[str]]] = {
    "exp": (mp.exp, 0.8, ["u-1:1", "u-708:709", "l-60:0", "u-746:-708"]),
    "ln": (mp.log, 0.8, ["u0.5:2", "p-1074:1023.9", "n"]),
    "log10": (mp.log10, 0.8, ["u0.5:2", "p-1074:1023.9", "n"]),
    "log2": (_log2, 0.8, ["u0.5:2", "p-1074:1023.9", "n"]),
    "sin": (mp.sin, 1.0, ANGLES),
    "cos": (mp.cos, 1.0, ANGLES),
    "tan": (mp.tan, 1.5, ANGLES),
    "asin": (mp.asin, 1.8, ["u-1:1", "l-1074:0", "u0.45:0.6", "u0.99:1"]),
    "acos": (mp.acos, 1.4, ["u-1:1", "l-1074:0", "u0.45:0.6", "u0.99:1", "u-1:-0.99"]),
    "atan": (mp.atan, 1.0, ["u-3:3", "l-1074:1023", "l-5:5", "u0.4:0.5"]),
    "sinh": (mp.sinh, 2.0, ["u-2:2", "l-1074:0", "u-710.4:710.4", "u0.9:1.4"]),
    "cosh": (mp.cosh, 1.5, ["u-2:2", "l-1074:0", "u-710.4:710.4"]),
    "tanh": (mp.tanh, 2.0, ["u-2:2", "l-1074:0", "u-25:25", "u0.5:0.7"]),
    "sech": (mp.sech, 0.9, ["u-2:2", "l-1074:0", "u-740:740", "u700:745"]),
    "cbrt": (_real_cbrt, 0.51, ["u-8:8", "l-1074:1023.9"]),
}


def _sample(where: str, n: int, rng: np.random.Generator) -> np.ndarray:
    kind = where[0]
    if kind == "n":
        return np.asarray(1 + rng.choice([-1, 1], n) * 2.0 ** rng.uniform(-52, -2, n))
    low, high = map(float, where[1:].split(":"))
    values = rng.uniform(low, high, n)
    if kind == "u":
        return values
    signs = rng.choice([-1.0, 1.0], n) if kind == "l" else np.ones(n)
    return np.asarray(signs * np.array([float(mpf(2) ** v) for v in values]))


def errors_in_ulps(got: np.ndarray, truths: list[mpf]) -> np.ndarray:
    ulps = [mpf(2) ** max(mp.frexp(truth)[1] - 53, -1074) for truth in truths]
    rows = zip(got.tolist(), truths, ulps, strict=True)
    return np.array([float(abs(mpf(value) - truth) / ulp) for value, truth, ulp in rows])


@pytest.mark.parametrize("name", TRUTH)
def test_the_error_stays_below_its_bound(name: str) -> None:
    truth, bound, places = TRUTH[name]
    rng = np.random.default_rng(7)
    for where in places:
        x = _sample(where, 500, rng)
        with mp.workprec(1300 if where == "l18:1023.9" else 160):
            exact = [truth(mpf(v)) for v in x.tolist()]
            errors = errors_in_ulps(FUNCTIONS[name](x), exact)
        worst = int(np.argmax(errors))
        assert errors[worst] <= bound, f"{name}({x[worst]!r}) is off by {errors[worst]} ulp"


def test_pow_is_accurate_over_its_whole_range() -> None:
    rng = np.random.default_rng(8)
    bases = np.concatenate([_sample(w, 700, rng) for w in ("p-1074:1023.9", "n", "u1.3:1.5")])
    exponents = rng.uniform(-1, 1, bases.size) * np.minimum(1021 / np.abs(np.log2(bases)), 1e300)
    with mp.workprec(200):
        exact = [mpf(x) ** mpf(y) for x, y in zip(bases.tolist(), exponents.tolist(), strict=True)]
        errors = errors_in_ulps(FUNCTIONS["^"](bases, exponents), exact)
    assert errors.max() <= 1.5


def test_sin_and_cos_hold_next_to_the_multiples_of_half_pi() -> None:
    with mp.workprec(1400):
        multiples = [*range(1, 300), *range(1000, 166_000, 277), 10**9 + 7, 3**200, 7**350]
        x = np.array([float(n * mp.pi / 2) for n in multiples] + [6381956970095103 * 2.0**797])
        for name, truth in (("sin", mp.sin), ("cos", mp.cos), ("tan", mp.tan)):
            exact = [truth(mpf(v)) for v in x.tolist()]
            assert errors_in_ulps(FUNCTIONS[name](x), exact).max() <= 2


def test_known_sines_of_huge_angles() -> None:
    values = FUNCTIONS["sin"](np.array([1e22, 1e300, 2.0**1023]))
    assert values.tolist() == [-0.8522008497671888, -0.8178819121159085, 0.5631277798508840]


# ---- where the numbers come from ----------------------------------------------------------------


def test_both_coefficient_files_are_what_the_tool_makes() -> None:
    spec = importlib.util.spec_from_file_location(
        "coefficient_tool", ROOT / "tools" / "elementary_coefficients.py"
    )
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    c_text, python_text = tool.make()
    assert c_text == (NATIVE / "elementary" / "coefficients.h").read_text()
    assert python_text == Path(elementary_coefficients.__file__).read_text()
