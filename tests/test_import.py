"""What ``import symbed`` costs is kept low by a list: nothing heavy before it is used."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import symbed
import symbed.plots
import symbed.workbench

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
HEAVY = {
    "scipy",
    "sklearn",
    "matplotlib",
    "pandas",
    "pyarrow",
    "sympy",
    "ot",
    "sqlite3",
    "http.server",
    "asyncio",
    "multiprocessing",
    "numpy.testing",
}


def test_importing_symbed_loads_nothing_heavy() -> None:
    assert _new_modules("import symbed") & HEAVY == set()


def test_importing_symbed_does_not_open_the_native_core() -> None:
    probe = "import symbed, pathlib; maps = pathlib.Path('/proc/self/maps'); print("
    probe += "'_symbed_core' in (maps.read_text() if maps.exists() else ''))"
    assert _run(probe).strip() == "False"


def test_the_guard_sees_a_heavy_import() -> None:
    assert "scipy" in _new_modules("import scipy.stats") & HEAVY


def test_the_version_is_the_one_of_the_project_file() -> None:
    assert symbed.__version__ == tomllib.loads(PROJECT.read_text())["project"]["version"]


def _new_modules(statement: str) -> set[str]:
    """What a statement loads in a fresh interpreter, beyond what NumPy loads anyway."""
    script = (
        "import sys, numpy; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    return set(_run(script).split())


def _run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
