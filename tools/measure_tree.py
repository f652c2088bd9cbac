"""How large the house is: what is installed, the fullest folders, the longest files, who is alone.

``python tools/measure_tree.py [FOLDER ...]`` prints a table with a column for each checkout, so
that two commits can stand side by side.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter
from collections.abc import Callable
from pathlib import Path

NATIVE = {".h", ".cpp", ".def"}
OLD_LABORATORY = ("experiments", "plots/reproduction")  # where it stood while it was installed


class Tree:
    """One checkout: its installed Python files and the files of its native core."""

    def __init__(self, root: Path) -> None:
        self.package = root / "src" / "symbed"
        self.python = sorted(self.package.rglob("*.py"))
        self.native = sorted(p for p in (root / "native").rglob("*") if p.suffix in NATIVE)
        self.native = [path for path in self.native if "tests" not in path.parts]

    def outside(self, *rooms: str) -> list[Path]:
        """The installed files that are in none of these rooms."""
        inside = tuple(f"{room}/" for room in rooms)
        return [
            path
            for path in self.python
            if not path.relative_to(self.package).as_posix().startswith(inside)
        ]

    def fullest(self, paths: list[Path]) -> str:
        """The folder with the most files."""
        folder, count = Counter(path.parent for path in paths).most_common(1)[0]
        return f"{count} ({folder.name})"

    def longest(self) -> str:
        """The Python file with the most lines."""
        lines, name = max((count_lines([path]), path.name) for path in self.python)
        return f"{lines} ({name})"

    def with_one_importer(self) -> int:
        """Modules that exactly one other module imports."""
        importers: Counter[str] = Counter()
        for path in self.python:
            importers.update(imported_modules(path))
        return sum(importers[self.module(path)] == 1 for path in self.python)

    def module(self, path: Path) -> str:
        """The dotted name of a file."""
        parts = path.relative_to(self.package.parent).with_suffix("").parts
        return ".".join(parts).removesuffix(".__init__")


def imported_modules(path: Path) -> set[str]:
    """Every name that could be a module of ours in the imports of a file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("symbed")}


def count_lines(paths: list[Path]) -> int:
    """Lines of all files."""
    return sum(len(path.read_text().splitlines()) for path in paths)


ROWS: dict[str, Callable[[Tree], object]] = {
    "installed Python files": lambda tree: len(tree.python),
    "installed lines of Python": lambda tree: count_lines(tree.python),
    "of these without the laboratory": lambda tree: count_lines(tree.outside(*OLD_LABORATORY)),
    "of these without verdicts and scoring too": lambda tree: count_lines(
        tree.outside(*OLD_LABORATORY, "verdicts", "scoring", "cli/commands/verdicts")
    ),
    "files without laboratory, verdicts, scoring": lambda tree: len(
        tree.outside(*OLD_LABORATORY, "verdicts", "scoring", "cli/commands/verdicts")
    ),
    "lines of the native core": lambda tree: count_lines(tree.native),
    "mean lines of a Python file": lambda tree: count_lines(tree.python) // len(tree.python),
    "longest Python file": lambda tree: tree.longest(),
    "files in the fullest folder": lambda tree: tree.fullest(tree.python),
    "files in the fullest native folder": lambda tree: tree.fullest(tree.native),
    "modules with one importer": lambda tree: tree.with_one_importer(),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    trees = [Tree(folder) for folder in parser.parse_args().folders]
    for name, measure in ROWS.items():
        print(f"{name:44}", *(f"{measure(tree)!s:>18}" for tree in trees))


if __name__ == "__main__":
    main()
