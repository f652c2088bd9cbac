"""Tells what a command passes through: files and functions of symbed, parses, modules imported.

``python tools/trace_command.py`` traces ``distance``, ``nearest`` and ``duplicates`` on a few
formulas and prints a table. With ``PYTHONPATH=OTHER/src`` it traces another checkout, to stand
beside this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FORMULAS = ("C*x + C", "C*sin(x)", "x*C + C", "exp(x/7)", "x^2 - 1")
RANGES = ("--domain", "x=1:5", "--parameters", "1:5")
COMMANDS = {
    "distance": ("distance", *FORMULAS[:2], *RANGES),
    "nearest": ("nearest", "FILE", "C*x", "-k", "2", *RANGES),
    "duplicates": ("duplicates", "FILE", *RANGES),
}
N_FORMULAS = {"distance": 2, "nearest": 1 + len(FORMULAS), "duplicates": len(FORMULAS)}

# Runs in a process of its own, so that every import counts. The function that reads one text is
# called `_read` in the parser's module; a call of it is a parse in Python.
TRACED = """
import json, os, sys, threading
seen, parses = set(), 0
def watch(frame, event, argument):
    global parses
    if event != "call":
        return
    code = frame.f_code
    path = code.co_filename.replace(os.sep, "/")
    # The body of a class is called too, once, when it is made: its code has not the flag
    # inspect.CO_OPTIMIZED, which stands here as its value, since an import would be counted.
    is_function = code.co_flags & 1 and not code.co_name.startswith("<")
    if "/symbed/" not in path or not is_function:
        return
    module = path.rpartition("/symbed/")[2]
    seen.add((module, code.co_qualname))
    parses += code.co_name == "_read" and module.endswith(("language/parser.py", "parser.py"))
before = set(sys.modules)
from symbed.cli import main
sys.setprofile(watch); threading.setprofile(watch)
with open(os.devnull, "w") as sys.stdout:
    code = main(json.loads(sys.argv[1]))
sys.setprofile(None); threading.setprofile(None)
assert code == 0, code
modules = set(sys.modules) - before
sys.__stdout__.write(json.dumps({
    "files": len({module for module, _ in seen}),
    "functions": len(seen),
    "parses": parses,
    "symbed modules": sum(name.startswith("symbed") for name in modules),
    "modules": len(modules),
}))
"""


def trace(words: tuple[str, ...]) -> dict[str, int]:
    """What one command passes through."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "formulas.txt")
        path.write_text("\n".join(FORMULAS) + "\n")
        given = json.dumps([str(path) if word == "FILE" else word for word in words])
        done = subprocess.run(
            [sys.executable, "-c", TRACED, given], capture_output=True, text=True, env=os.environ
        )
    if done.returncode:
        raise SystemExit(done.stderr)
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def main() -> None:
    """Print the table."""
    rows = {name: trace(words) for name, words in COMMANDS.items()}
    titles = list(next(iter(rows.values())))
    print(f"{'command':12}" + "".join(f"{title:>16}" for title in titles) + f"{'formulas':>10}")
    for name, counts in rows.items():
        cells = "".join(f"{counts[title]:>16}" for title in titles)
        print(f"{name:12}{cells}{N_FORMULAS[name]:>10}")


if __name__ == "__main__":
    main()
