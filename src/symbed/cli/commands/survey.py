"""``symbed survey FILE -o FOLDER``: an atlas on disk of a file of expressions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from symbed.cli._inputs import open_formula_file, require_file, survey_settings, with_lines_told
from symbed.cli.options import (
    add_language_options,
    add_probe_options,
    add_worker_options,
    build_probe,
    open_workers,
)
from symbed.cli.output import print_document, tell

if TYPE_CHECKING:
    from symbed import Atlas, Probe
    from symbed.formula_files.formulas import FormulaStream

MAX_LINES_TOLD = 20  # skipped lines that are told one by one


def configure_survey(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "formulas", nargs="?",
        help="a file of expressions, one per line, or a .csv table; - reads stdin",
    )  # fmt: skip
    add("-o", "--output", required=True, metavar="FOLDER", help="the atlas to write, or go on with")
    add("--append", action="store_true", help="add to a complete atlas, with its probe")
    add(
        "--accept", action="store_true",
        help="end a survey that was interrupted: what is there counts as the whole",
    )  # fmt: skip
    add(
        "--keep", choices=("behaviors", "programs"),
        help="what to keep of each: its outputs, or a hundred bytes to remake them from (default: "
        "by the number of expressions)",
    )  # fmt: skip
    add_language_options(parser)
    add_worker_options(parser)
    add_probe_options(parser)


def run_survey(arguments: argparse.Namespace) -> None:
    """An atlas on disk of a file of expressions."""
    given, accept = bool(arguments.formulas), arguments.accept
    if (accept and given and not arguments.append) or not (accept or given):
        arguments.wrong_usage("give a file of expressions, or --accept to end what was begun")
    atlas, formulas = _atlas(arguments)
    arguments.atlas = atlas = with_lines_told(atlas, formulas, MAX_LINES_TOLD)
    document = atlas.to_dict() | {"atlas": arguments.output}
    row = {name: value for name, value in document.items() if name != "skipped"}
    document["skipped"] = document["skipped"][:MAX_LINES_TOLD]
    if print_document(arguments, document, [row]):
        return
    print(f"expressions  {len(atlas):,}")
    print(f"distinct     {atlas.n_distinct:,}")
    print(f"skipped      {len(atlas.skipped):,}")
    if atlas.metadata:
        print(f"metadata     {', '.join(atlas.metadata)}")
    print(f"atlas        {arguments.output}")


def _atlas(arguments: argparse.Namespace) -> tuple[Atlas, FormulaStream | None]:
    import symbed

    if arguments.accept:
        accepted = symbed.Atlas.open(arguments.output, _given_probe(arguments), accept=True)
        if not arguments.formulas:
            return accepted, None
    return _append(arguments) if arguments.append else _survey(arguments)


def _given_probe(arguments: argparse.Namespace) -> Probe | None:
    """The probe, where one is given for an atlas that has one."""
    return build_probe(arguments) if arguments.domain or arguments.data else None


def _survey(arguments: argparse.Namespace) -> tuple[Atlas, FormulaStream]:
    import symbed

    probe = build_probe(arguments)
    with (
        open_workers(arguments) as workers,
        open_formula_file(arguments, arguments.formulas, probe.variables) as formulas,
    ):
        atlas = symbed.survey(
            formulas, probe, keep=arguments.keep, out=arguments.output,
            **survey_settings(arguments), **workers,
        )  # fmt: skip
    if arguments.keep is None and atlas.keep == "programs":
        told = "kept as programs, outputs are evaluated when needed (--keep behaviors keeps them)"
        tell(f"{atlas.extent} {told}")
    return atlas, formulas


def _append(arguments: argparse.Namespace) -> tuple[Atlas, FormulaStream]:
    import symbed

    require_file(arguments.output, "atlas")
    atlas = symbed.Atlas.open(arguments.output, _given_probe(arguments))
    assert atlas.probe is not None  # what is on disk was observed
    with (
        open_workers(arguments) as workers,
        open_formula_file(arguments, arguments.formulas, atlas.probe.variables) as formulas,
    ):
        larger = atlas.append(formulas, **survey_settings(arguments), **workers)
    return larger, formulas
