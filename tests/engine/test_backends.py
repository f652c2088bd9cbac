"""The choice of engine, and what happens to a core that cannot be used."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import symbed
from symbed.engine._layouts import LAYOUTS
from symbed.engine._native import ABI_VERSION, find_core, operators_checksum
from symbed.engine.backend import EngineWarning, active_backend, choose_backend
from symbed.errors import RangeError
from symbed.language.operators import TABLE
from tests.engine.engines import needs_core

ROWS = [(row.name, row.arity) for row in TABLE]
NATIVE = Path(__file__).parents[2] / "native"


@pytest.fixture(autouse=True)
def _choose_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SYMBED_ENGINE", raising=False)
    active_backend.cache_clear()
    yield
    active_backend.cache_clear()


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """A copy of the core without the note of its digest."""
    original = find_core()
    assert original is not None
    return Path(shutil.copy(original, tmp_path / Path(original).name))


@needs_core
def test_the_native_core_is_used_where_it_was_built() -> None:
    assert active_backend().name == "native"


def test_the_environment_forces_the_numpy_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBED_ENGINE", "numpy")
    assert (active_backend().name, active_backend().isa()) == ("numpy", "numpy")


def test_without_a_core_numpy_is_used_and_says_so() -> None:
    with pytest.warns(EngineWarning, match="installed without its native core.* uses NumPy"):
        assert choose_backend("", None).name == "numpy"


@needs_core
def test_a_choice_is_made_once_and_a_good_core_is_no_reason_to_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert active_backend() is active_backend()


def test_forcing_a_core_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RangeError, match="installed without its native core"):
        choose_backend("native", None)


def test_an_unknown_engine_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMBED_ENGINE", "fortran")
    with pytest.raises(RangeError, match="native or numpy, got 'fortran'"):
        active_backend()


@needs_core
def test_a_copy_of_the_core_is_as_good(core: Path) -> None:
    assert choose_backend("native", core).name == "native"


@needs_core
@pytest.mark.parametrize("share", [0.0, 1e-5, 1e-4, 0.05, 0.5, 0.9, 0.999])
def test_a_core_that_was_cut_short_is_left_alone(core: Path, share: float) -> None:
    content = core.read_bytes()
    core.write_bytes(content[: int(share * len(content))])
    _expect_numpy(core, "cut short|cannot be used")


@needs_core
def test_a_byte_that_is_not_the_installed_one_is_noticed(core: Path) -> None:
    original = find_core()
    assert original is not None
    noted = Path(original).with_suffix(".sha256")
    if not noted.exists():
        pytest.skip("the core was put there without the note of its digest")
    shutil.copy(noted, core.with_suffix(".sha256"))
    content = bytearray(core.read_bytes())
    content[len(content) // 2] ^= 1
    core.write_bytes(content)
    _expect_numpy(core, "bytes are not those that were installed")


def test_another_library_is_left_alone(tmp_path: Path) -> None:
    _expect_numpy(Path(ctypes.__file__).with_name("no_such_core.so"), "cannot be used")
    text = tmp_path / "_symbed_core.so"
    text.write_text("this is no library")
    _expect_numpy(text, "cannot be used")
    import _ctypes

    if getattr(_ctypes, "__file__", None):
        _expect_numpy(Path(_ctypes.__file__), "another library")


@needs_core
def test_another_table_of_operators_is_noticed(tmp_path: Path) -> None:
    """The entrances of the core, built from its sources with sine and cosine in each other's row."""
    folder = tmp_path / "native"
    shutil.copytree(NATIVE, folder)
    (table,) = folder.rglob("operators.def")
    lines = table.read_text().splitlines()
    places = [n for n, line in enumerate(lines) if re.search(r'"(sin|cos)"', line)]
    assert len(places) == 2
    lines[places[0]], lines[places[1]] = lines[places[1]], lines[places[0]]
    table.write_text("\n".join(lines) + "\n")
    kernels = tmp_path / "kernels.cpp"  # of the only instruction set; none is called
    kernels.write_text(
        '#include "api/core.h"\n'
        "namespace baseline { extern const Kernels kernels; const Kernels kernels{}; }\n"
    )
    library = _compiled(tmp_path, folder / "api/dispatch.cpp", kernels, include=(folder,))
    _expect_numpy(library, "table of operators")


@needs_core
def test_another_version_of_the_interface_is_noticed(tmp_path: Path) -> None:
    other = _described(tmp_path, version=ABI_VERSION + 1)
    _expect_numpy(other, f"version {ABI_VERSION + 1}, this package needs {ABI_VERSION}")


@needs_core
def test_another_size_of_a_structure_is_noticed(tmp_path: Path) -> None:
    sizes = [layout.size for layout in LAYOUTS]
    sizes[0] += 8
    _expect_numpy(_described(tmp_path, sizes=sizes), r"other structures \(Observation\)")


@needs_core
def test_more_structures_than_known_are_noticed(tmp_path: Path) -> None:
    sizes = [layout.size for layout in LAYOUTS] + [8]
    _expect_numpy(_described(tmp_path, sizes=sizes), "other structures")


def test_layouts_declare_what_the_header_declares() -> None:
    """Field by field: two numbers in each other's place would leave the sizes as they are."""
    header = re.sub("//.*", "", (NATIVE / "api/structures.h").read_text())
    header = re.sub("TokenRow|ItemRow", "int32_t", header)  # rows of so many numbers
    for layout in LAYOUTS:
        (body,) = re.findall(rf"struct {layout.name} {{(.*?)}};", header, re.DOTALL)
        mirrored = [line.split(" [")[0] for line in layout.declarations]
        assert _fields(mirrored) == _fields(body.split(";")[:-1])


def _fields(declarations: list[str]) -> list[tuple[str, bool, bool, str]]:
    """Type, whether it is const, whether it is a pointer, and name of each field."""
    fields = []
    for declaration in declarations:
        found = re.fullmatch(r"(const )?(\w+)(.*)", declaration.strip())
        assert found is not None
        const, kind, names = found.groups()
        fields += [(kind, bool(const), "*" in name, name.strip(" *")) for name in names.split(",")]
    return fields


@needs_core
def test_numbers_do_not_change_with_the_engine(core: Path) -> None:
    probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=8, n_draws=4)
    expected = symbed.observe("sin(C*x)", probe).outputs.tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EngineWarning)
        core.write_bytes(core.read_bytes()[:-1000])
        assert choose_backend("", core).name == "numpy"
    active_backend.cache_clear()
    assert symbed.observe("sin(C*x)", probe).outputs.tobytes() == expected


def _expect_numpy(core: Path, reason: str) -> None:
    """One clear message, and the NumPy engine; an error where the core was forced."""
    with pytest.warns(EngineWarning, match=reason) as caught:
        assert choose_backend("", core).name == "numpy"
    assert len(caught) == 1
    with pytest.raises(RangeError, match=reason):
        choose_backend("native", core)


def _described(
    folder: Path,
    version: int = ABI_VERSION,
    operators: int | None = None,
    sizes: list[int] | None = None,
) -> Path:
    """A library that describes itself so, and does nothing else."""
    facts = [
        version,
        operators_checksum(ROWS) if operators is None else operators,
        *([layout.size for layout in LAYOUTS] if sizes is None else sizes),
    ]
    source = folder / "core.cpp"
    numbers = ", ".join(f"{fact}LL" for fact in facts)
    source.write_text(
        'extern "C" __attribute__((visibility("default"))) long long symbed_describe(\n'
        "    long long* facts, long long room) {\n"
        f"    const long long all[] = {{{numbers}}};\n"
        "    const long long count = sizeof all / sizeof *all;\n"
        "    for (long long i = 0; i < count && i < room; i++) facts[i] = all[i];\n"
        "    return count;\n"
        "}\n"
    )
    return _compiled(folder, source)


def _compiled(folder: Path, *sources: Path, include: tuple[Path, ...] = ()) -> Path:
    compiler = next((c for c in ("c++", "g++", "clang++") if shutil.which(c)), None)
    if compiler is None:
        pytest.skip("no C++ compiler")
    library = folder / "_symbed_core.so"
    folders = [f"-I{path}" for path in include]
    command = [compiler, "-std=c++17", "-shared", "-fPIC", *folders, "-o", library, *sources]
    subprocess.run(command, check=True)
    return library
