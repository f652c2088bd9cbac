"""What the commands read: files of formulas in any tool's dialect, and atlases on disk."""

from __future__ import annotations

import argparse
import os
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symbed.cli.options import build_definitions, build_probe, parse_names
from symbed.cli.output import shown_progress, tell
from symbed.errors import DataError, RangeError, SymbedError

if TYPE_CHECKING:
    from symbed import Atlas, Expression
    from symbed.behavior.collector import Keep
    from symbed.formula_files.formulas import FormulaStream


@contextmanager
def open_formula_file(
    arguments: argparse.Namespace, path: str, domain: tuple[str, ...]
) -> Iterator[FormulaStream]:
    """The formulas of a file, read as the language options say; tells what there is to tell."""
    from symbed.formula_files.formulas import open_formulas

    require_file(path)
    variables = parse_names(arguments.variables)
    with open_formulas(
        path, dialect=arguments.dialect, constants=arguments.constants, variables=variables,
        domain=domain, definitions=build_definitions(arguments),
    ) as formulas:  # fmt: skip
        if formulas.reason or arguments.dialect == "auto":
            tell(f"read as {formulas.dialect}")
        try:
            yield formulas
        except SymbedError as error:
            if error.line:
                error.line = formulas.line_of(error.line)
            raise
    for note in formulas.notes:
        tell(note)


def is_file(word: str) -> bool:
    """Whether a word is a file, a pipe or ``-`` for stdin; if not, it is a formula.

    What ends like the name of a file is no formula: it is told that there is none. `os.path` calls
    a formula no file that is longer than a file's name may be; `pathlib` raises.
    """
    if re.fullmatch(r".*\.[A-Za-z]{2,7}", word):
        require_file(word)
    return word == "-" or (os.path.exists(word) and not os.path.isdir(word))


def require_file(path: str, what: str = "file") -> None:
    """Say so where nothing is found under a path, before anything else is asked for."""
    if path == "-" or os.path.exists(path):
        return
    from symbed.language.tokens import suggest

    folder = Path(path).parent
    names = [one.name for one in folder.iterdir()] if folder.is_dir() else []
    near = suggest(Path(path).name, names)
    hint = f"; did you mean {folder / near}?" if near else ""
    raise DataError(f"No such {what}: {path or repr(path)}{hint}")


def read_table(path: str, **options: Any) -> Any:
    """The data in a file, or on standard input; see `symbed.workbench.read_data`."""
    from symbed._text_files import open_text
    from symbed.workbench import read_data

    require_file(path)
    if path != "-":
        return read_data(path, **options)
    with open_text(path) as file:
        return read_data(file, **options)


def read_typed(
    arguments: argparse.Namespace, texts: Sequence[str], domain: Iterable[str] | None
) -> list[Expression]:
    """Formulas that were typed or pasted, each as its own tool means it; told on stderr.

    Without a ``domain`` the names of variables are left to convention.
    """
    from symbed.formula_files.dialect_choice import read_pasted
    from symbed.language.parser import check_literals

    expressions: list[Expression] = []
    told: dict[str, None] = {}
    names = None if domain is None else tuple(domain)
    definitions = build_definitions(arguments)
    for text in map(str.strip, texts):
        check_literals(text)
        try:
            expression, dialect, note = read_pasted(
                text, names, arguments.dialect, definitions, remedy="--dialect {}"
            )
        except SymbedError:
            if text and os.path.isfile(text):
                raise DataError(f"{text} is a file; here a formula itself is wanted") from None
            raise
        whose = dialect != "infix" and arguments.dialect in (None, "auto")
        told |= {f"{text!r} was read as {dialect}": None} if whose else {}
        told |= {note: None} if note else {}
        expressions.append(expression)
    for sentence in told:
        tell(sentence)
    return expressions


def read_queries(
    arguments: argparse.Namespace, texts: Sequence[str], domain: tuple[str, ...]
) -> list[Expression]:
    """Formulas to look for in a file: in its dialect where they can be read so, else in their own.

    A query that was asked for in a dialect is read in that one, or is an error.
    """
    from symbed.formula_files.dialect_choice import read_pasted

    detected = getattr(arguments, "detected", None)
    if detected is None:
        return read_typed(arguments, texts, domain)
    expressions = []
    for text in texts:
        try:
            expressions.append(read_pasted(text, domain, detected, build_definitions(arguments))[0])
        except SymbedError:
            expressions += read_typed(arguments, [text], domain)
    return expressions


def survey_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """How ``survey`` deals with lines that cannot be read, and whether it shows a bar."""
    return {
        "errors": "skip" if arguments.skip else "raise",
        "progress": shown_progress(arguments),
    }


def read_atlas(
    arguments: argparse.Namespace, path: str, workers: dict[str, Any], keep: Keep = "programs"
) -> Atlas:
    """The atlas in a folder, or one made of a file of expressions.

    It is also ``arguments.atlas``, whose free parameters are told when the command is done. Without
    ``--dialect``, ``arguments.detected`` is then the dialect in which the file was read, so that a
    query is read in the same.
    """
    import symbed

    require_file(path, "file or atlas")
    if os.path.isdir(path):
        if arguments.dialect or arguments.constants != "keep" or arguments.variables:
            raise RangeError(f"{path} is an atlas: its formulas were read when it was made")
        given = build_probe(arguments) if arguments.domain or arguments.data else None
        arguments.atlas = atlas = symbed.Atlas.open(path, given)
        return atlas
    probe = build_probe(arguments)
    with open_formula_file(arguments, path, probe.variables) as formulas:
        lines: array[int] = array("q")
        numbered = replace(formulas, sources=_numbered(formulas, lines))
        atlas = symbed.survey(
            numbered, probe, keep=keep, metadata={"line": iter(lines)},
            **survey_settings(arguments), **workers,
        )  # fmt: skip
    arguments.atlas = atlas = with_lines_told(atlas, formulas)
    if formulas.reason:
        arguments.detected = formulas.dialect
    return atlas


def with_lines_told(atlas: Atlas, formulas: FormulaStream | None, most: int | None = None) -> Atlas:
    """An atlas whose skipped sources have their lines in the file, the first ``most`` of them told.

    A survey counts sources; above the formulas of a file there may be a header, or comments.
    """
    skipped = [
        replace(one, line=formulas.line_of(one.line)) if formulas else one for one in atlas.skipped
    ]
    for one in skipped[:most]:
        tell(f"line {one.line} skipped: {one.error}")
    if most is not None and len(skipped) > most:
        tell(f"{len(skipped) - most:,} more lines skipped")
    return replace(atlas, skipped=skipped)


def _numbered(formulas: FormulaStream, lines: array[int]) -> Iterator[Any]:
    """The sources; the line of each is put down as it is taken."""
    for number, source in enumerate(formulas.sources, start=1):
        lines.append(formulas.line_of(number))
        yield source
