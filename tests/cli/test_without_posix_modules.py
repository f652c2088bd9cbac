"""Every command works where Python has neither ``resource`` nor ``fcntl``, as on Windows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from symbed.cli.command_table import COMMANDS

# None in the table of modules makes an import fail as it does where the module does not exist.
SCRIPT = """
import sys
sys.modules["resource"] = sys.modules["fcntl"] = None
from symbed.cli import main
sys.exit(main(sys.argv[1:]))
"""
PROBE = ["--domain", "x=1:5", "--parameters", "1:2", "--points", "8", "--draws", "4"]
WORDS = {
    "distance": ["a*x", "x", *PROBE],
    "decide": ["2*x", "x + x", "--domain", "x=1:5"],
    "relate": ["a*x", "b*x", "--domain", "x=1:5"],
    "effective": ["a*b*x", "--domain", "x=1:5"],
    "show": ["a*x"],
    "matrix": ["formulas.txt", *PROBE, "-o", "distances.npy"],
    "sample": ["-n", "2"],
    "equivalents": ["C*sin(X_0)", "-n", "2"],
    "survey": ["formulas.txt", *PROBE, "-o", "my.atlas"],
    "nearest": ["formulas.txt", "x", *PROBE, "-k", "1"],
    "duplicates": ["formulas.txt", *PROBE],
    "cluster": ["formulas.txt", *PROBE, "-n", "2"],
    "convert": ["x + 1", "--from", "infix", "--to", "latex"],
    "fit": ["a*x", "data.csv"],
    "score": ["results.csv", "--domain", "x=1:5", "--workers", "1"],
    "select": ["losses.csv", "-k", "1", *PROBE],
    "benchmark": ["problems"],
    "completion": ["bash"],
    # A file that is missing ends it after the whole page was imported, and before it is served.
    "explore": ["missing.txt", "--no-browser"],
}
EXIT_CODES = {"explore": 1}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_needs_no_posix_module(command: str, tmp_path: Path) -> None:
    (tmp_path / "formulas.txt").write_text("a*x\nx*a\nsin(x)\n")
    (tmp_path / "losses.csv").write_text("equation,loss\nx,1\nx^2,2\n")
    (tmp_path / "results.csv").write_text("dataset,true_model,symbolic_model\nd,2*x,x + x\n")
    (tmp_path / "data.csv").write_text("x,y\n1,2\n2,4\n3,6\n")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, command, *WORDS[command]],
        cwd=tmp_path, capture_output=True, text=True, env=_environment(tmp_path / "absent"),
    )  # fmt: skip
    assert done.returncode == EXIT_CODES.get(command, 0), done.stderr
    assert "Traceback" not in done.stderr
    assert command != "score" or "1 row, 1 with the true form" in done.stdout
    assert command != "explore" or "missing.txt: No such file" in done.stderr


def _environment(absent: Path) -> dict[str, str]:
    """The paths of this process as absolute ones: the command runs in another folder.

    The processes that it starts find modules in the first path that cannot be imported either.
    """
    absent.mkdir()
    for name in ("resource", "fcntl"):
        (absent / f"{name}.py").write_text(f"raise ModuleNotFoundError({name!r})\n")
    paths = [str(absent), *(os.path.abspath(path) for path in sys.path if path)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
