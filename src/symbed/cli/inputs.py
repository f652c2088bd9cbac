"""What the commands read: files of formulas in any tool's dialect, and atlases on disk."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.options import build_probe, parse_names
from symbed.cli.output import shown_progress, tell_skipped
from symbed.errors import RangeError

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas
    from symbed.behavior.survey.collector import Keep
    from symbed.formula_files import FormulaStream


@contextmanager
def open_formula_file(arguments: argparse.Namespace, path: str) -> Iterator[FormulaStream]:
    """The formulas of a file as the language options say; tells on stderr what there is to tell."""
    from symbed.formula_files import open_formulas

    variables = parse_names(arguments.variables)
    with open_formulas(
        path, dialect=arguments.dialect, constants=arguments.constants, variables=variables
    ) as formulas:
        if arguments.dialect == "auto":
            print(f"symbed: read as {formulas.dialect}", file=sys.stderr)
        yield formulas
    for note in formulas.notes:
        print(f"symbed: {note}", file=sys.stderr)


def survey_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """How ``survey`` deals with lines that cannot be read, and whether it shows a bar."""
    return {
        "errors": "skip" if arguments.skip else "raise",
        "progress": shown_progress(arguments),
    }


def read_atlas(
    arguments: argparse.Namespace, path: str, workers: dict[str, Any], keep: Keep = "programs"
) -> Atlas:
    """The atlas in a folder, or one made of a file of expressions."""
    import symbed

    if path != "-" and Path(path).is_dir():
        if arguments.dialect or arguments.constants != "keep" or arguments.variables:
            raise RangeError(f"{path} is an atlas: its formulas were read when it was made")
        given = build_probe(arguments) if arguments.domain or arguments.data else None
        return symbed.Atlas.open(path, given)
    probe = build_probe(arguments)
    with open_formula_file(arguments, path) as formulas:
        atlas = symbed.survey(
            formulas.sources, probe, metadata=formulas.columns, keep=keep,
            **survey_settings(arguments), **workers,
        )  # fmt: skip
    tell_skipped(atlas)
    return atlas
