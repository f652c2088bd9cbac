"""Writes docs/reference/command_line.md from the parser of the command line.

Run with ``python tools/make_reference.py`` after a change of a command; a test compares the two.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from symbed.cli.command_table import COMMANDS, build_parser, own_command

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "command_line.md"

INTRODUCTION = """\
# The command line

Each command builds a probe, calls one verb of [the library](api.md) and prints the result.
`symbed --version` tells the version, `symbed COMMAND --help` what is below. `python -m symbed` is
the same command.

- **Files** of formulas have one on each line; blank lines and lines that begin with `#` are passed
  over. Tables (`.csv`) need a column `equation`, `expression` or `formula`, as PySR's
  `hall_of_fame.csv` has. `-` reads stdin.
- **Results** go to stdout, messages and progress to stderr. `--json` prints one JSON document and
  nothing else, with the string `"inf"` where a number is infinite.
- **Exit codes**: 0 done, 1 a user's [error](errors.md), told in one line with its remedy, 2 wrong
  usage, 130 interrupted.
- A word such as `-x^2` or `-5:5` is a formula or a range, not an option.

This page is made from the parser by `python tools/make_reference.py`, and a test compares the two.
"""

# The page that tells more; a command may be missing here.
GUIDES = {
    "distance": "[the tutorial](../tutorial.md)",
    "decide": "[verdicts](../verdicts.md)",
    "relate": "[verdicts](../verdicts.md)",
    "effective": "[verdicts](../verdicts.md)",
    "score": "[score a run](../howto/score_a_run.md)",
    "show": "[the tutorial](../tutorial.md)",
    "matrix": "[matrices](../matrices.md)",
    "sample": "[grammars](../grammars.md)",
    "equivalents": "[equivalent expressions](../equivalents.md)",
    "survey": "[the atlas on disk](../atlas.md)",
    "nearest": "[neighbors](../neighbors.md)",
    "duplicates": "[duplicates](../duplicates.md)",
    "cluster": "[clusters](../clustering.md)",
    "convert": "[other tools' formulas](../dialects.md)",
    "fit": "[fitting](../fitting.md)",
    "explore": "[the explorer](../explorer.md)",
}
# What argparse calls a command's own arguments.
OWN = ("positional arguments", "options")
Group = tuple[str, tuple[tuple[str, str], ...]]


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)


def page() -> str:
    """The page's text."""
    parsers = _parsers()
    groups = {name: _groups(parser) for name, parser in parsers.items()}
    counts = Counter(group for of_command in groups.values() for group in of_command)
    shared = [group for group, count in counts.items() if count > 1 and group[0] not in OWN]
    parts = [INTRODUCTION, *(_command(name, groups[name], shared) for name in parsers)]
    parts.append("## Shared options\n")
    parts += [f"### {_title(title)}\n\n{_table(rows)}" for title, rows in shared]
    return "\n".join(parts)


def _parsers() -> dict[str, argparse.ArgumentParser]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {name: action.choices[name] for name in COMMANDS}
    raise AssertionError("the parser has no commands")


def _groups(parser: argparse.ArgumentParser) -> list[Group]:
    groups = []
    for group in parser._action_groups:
        rows = tuple(_row(action) for action in group._group_actions if action.dest != "help")
        if rows:
            groups.append((str(group.title), rows))
    return groups


def _row(action: argparse.Action) -> tuple[str, str]:
    names = ", ".join(f"`{word}`" for word in action.option_strings)
    value = "" if action.nargs == 0 else _value(action)
    shown = f"{names} `{value}`" if names and value else names or f"`{value}`"
    return _escaped(shown), _escaped(action.help or "")


def _value(action: argparse.Action) -> str:
    if action.choices is not None and action.metavar is None:
        return "|".join(str(choice) for choice in action.choices)
    name = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    repeated = " ..." if action.nargs in ("*", "+") else ""
    return f"{name}{repeated}"


def _command(name: str, groups: list[Group], shared: list[Group]) -> str:
    about = own_command(name).help
    guide = f" See {GUIDES[name]}." if name in GUIDES else ""
    parts = [f"## symbed {name}\n", f"{about[0].upper()}{about[1:]}.{guide}\n"]
    if COMMANDS[name].example:
        parts.append(f"```console\n$ {COMMANDS[name].example}\n```\n")
    own = [group for group in groups if group not in shared]
    parts.append(_table(tuple(row for _, rows in own for row in rows)))
    links = [f"[{title}](#{_anchor(title)})" for title, rows in groups if (title, rows) in shared]
    if links:
        parts.append(f"Also: {', '.join(links)}.\n")
    return "\n".join(parts)


def _table(rows: tuple[tuple[str, str], ...]) -> str:
    lines = [f"| {name} | {text} |" for name, text in rows]
    return "\n".join(["| argument | meaning |", "|---|---|", *lines, ""])


def _title(title: str) -> str:
    return title[0].upper() + title[1:]


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("%(default)s", "the default")


if __name__ == "__main__":
    main()
