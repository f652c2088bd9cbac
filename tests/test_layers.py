"""The rooms of the house: imports point upward only, and nothing executes text."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "symbed"

# Outermost last. A module may import its own room and the rooms before it.
ROOMS = [
    "errors",
    "_lazy",
    "_types",
    "_export",
    "_text_files",
    "limits",
    "parallel",
    "language",
    "formula_files",
    "_notebook",
    "progress",
    "sampling",
    "engine",
    "behavior",
    "distances",
    "workbench",
    "verdicts",
    "scoring",
    "plots",
    "cli",
    "web",
    "__init__",
    "__main__",
]

# (importing module, imported module): late imports that may point down; the code says why.
EXEMPT: set[tuple[str, str]] = {
    ("symbed.behavior.redundant_parameters", "symbed.verdicts.families.effective_parameters"),
    (
        "symbed.behavior.redundant_parameters",
        "symbed.verdicts.families.effective_parameters.redundant_at",
    ),
    ("symbed._notebook", "symbed.plots"),
    ("symbed.cli.commands.explore", "symbed.web.server"),
    ("symbed.cli.commands.explore", "symbed.web.server.explore"),
    ("symbed.distances.duplicates._confirmation", "symbed.verdicts"),
    ("symbed.distances.duplicates._confirmation", "symbed.verdicts.decide"),
    ("symbed.distances.duplicates._confirmation", "symbed.verdicts.relate"),
}

FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "marshal", "shelve", "code", "codeop", "imp"}

MODULES = sorted(SOURCE.rglob("*.py"))
LABORATORY = sorted((SOURCE.parents[1] / "reproduction" / "src").rglob("*.py"))
SCRIPTS = {"symbed.scoring.benchmark.worker"}  # run by its path, also by another Python


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_upward_only(path: Path) -> None:
    downward = [
        f"{_name(path)} imports {target}"
        for target in _imported(path)
        if _rank(target) > _rank(_name(path)) and (_name(path), target) not in EXEMPT
    ]
    assert downward == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_can_execute_text(path: Path) -> None:
    tree = ast.parse(path.read_text())
    calls = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    modules = {name.split(".")[0] for name in _all_imports(tree)}
    assert not calls & FORBIDDEN_CALLS
    assert not modules & FORBIDDEN_MODULES


def test_an_underscore_marks_just_what_only_its_folder_imports() -> None:
    # Its folder and those below: all of the house, and its laboratory, may import symbed._types.
    importers: dict[str, set[Path]] = {}
    for path in [*MODULES, *LABORATORY]:
        for name in _all_imports(ast.parse(path.read_text())):
            importers.setdefault(name, set()).add(path)
    # Homes of public names, and readers of dialects, stand there as text.
    tables = [path for path in MODULES if path.name in ("__init__.py", "tool_table.py")]
    faces = "".join(path.read_text() for path in tables)
    wrong = []
    for path in (path for path in MODULES if path.parent != SOURCE):
        users = importers.get(_name(path), set()) - {path}
        is_own = all(path.parent in user.parents for user in users)
        is_marked = path.stem.startswith("_")
        is_face = path.name == "__init__.py" or re.search(rf'[".]{path.stem}[".]', faces)
        if is_marked and not is_own and not is_face:
            wrong.append(f"{_name(path)} is private, and imported from elsewhere")
        if users and is_own and not (is_marked or is_face or _name(path) in SCRIPTS):
            wrong.append(f"{_name(path)} is imported in its folder only, and not private")
    assert wrong == []


def test_every_room_is_in_the_list() -> None:
    present = {_name(path).split(".")[1] for path in MODULES}
    assert present <= set(ROOMS)


def test_a_folder_has_at_most_fifteen_modules() -> None:
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {str(folder): n for folder, n in counts.items() if n > 15} == {}


def test_the_table_of_rooms_names_every_folder() -> None:
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text()
    table = "\n".join(line for line in text.splitlines() if line.startswith("| `"))
    folders = {
        path.parent.relative_to(SOURCE).as_posix()
        for path in MODULES
        if path.name == "__init__.py" and path.parent != SOURCE
    }
    # Below a folder of a room the table may say no more: `commands/` is enough.
    named = {folder for folder in folders if folder.count("/") < 2}
    assert sorted(f for f in named if f"`{f.split('/')[-1]}/`" not in table) == []


def test_a_downward_import_would_be_seen() -> None:
    assert _rank("symbed.distances.kernels") > _rank("symbed.language.parser")
    tree = ast.parse("def f():\n    from symbed.cli import main\n    import symbed.web.page")
    assert set(_all_imports(tree)) == {"symbed.cli", "symbed.cli.main", "symbed.web.page"}


def _name(path: Path) -> str:
    """The dotted name of a module; the package itself is ``symbed.__init__``."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def _imported(path: Path) -> Iterator[str]:
    """The modules of ours that a module imports, at the top or later."""
    assert "\nfrom ." not in path.read_text(), f"{path.name}: relative imports hide their room"
    for name in _all_imports(ast.parse(path.read_text())):
        if name == "symbed":
            continue  # `from symbed import limits` also yields symbed.limits, which tells the room
        if name.startswith("symbed.") and _is_room(name):
            yield name


def _all_imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_room(name: str) -> bool:
    return name.split(".")[1] in ROOMS


def _rank(name: str) -> int:
    """Where a module's room stands; names that the package itself offers stand last."""
    return ROOMS.index(name.split(".")[1])
