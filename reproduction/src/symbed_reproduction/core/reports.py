"""Writes the files of an outcome: tables as CSV and Markdown, the report, figures, the cost.

``tables`` and ``report.md`` depend on the experiment alone, byte for byte. What differs from run to
run, the time and the machine, stands in ``cost.json``.
"""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from symbed import __version__
from symbed.plots.canvas import save
from symbed_reproduction.core.experiments import Experiment, find
from symbed_reproduction.core.journal import keep_only, unwritable, write_text
from symbed_reproduction.core.outcomes import Outcome, claims_table, escape
from symbed_reproduction.core.units import Cost, Scale, peak_bytes

TABLE_ENDINGS, FIGURE_ENDINGS = (".csv", ".md"), (".png", ".svg")
SCRATCH = "part-"  # begins the names of figures being written; their ending is the format


def write_outcome(
    folder: Path,
    experiment: Experiment,
    scale: Scale,
    outcome: Outcome,
    costs: Mapping[str, Cost],
    conclude_seconds: float = 0.0,
    command: str | None = None,
) -> None:
    """Write everything that an experiment found, except figures."""
    command = command or experiment.command(scale)
    tables = [*outcome.tables]
    if outcome.claims:
        tables.append(claims_table(outcome.claims))
    for table in tables:
        for ending, text in ((".csv", table.csv()), (".md", table.markdown() + "\n")):
            write_text(folder / "tables" / f"{table.name}{ending}", text)
    names = [f"{table.name}{ending}" for table in tables for ending in TABLE_ENDINGS]
    keep_only(folder / "tables", names, TABLE_ENDINGS)
    write_text(folder / "report.md", _report(experiment, command, outcome))
    document = {"command": command} | _cost(scale, costs, conclude_seconds)
    write_text(folder / "cost.json", json.dumps(document, indent=1) + "\n")
    keep_only(folder, (), ())


def describe_machine() -> dict[str, str | int]:
    """What the run ran on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "symbed": __version__,
    }


def _cost(scale: Scale, costs: Mapping[str, Cost], conclude_seconds: float) -> dict[str, object]:
    peaks = [cost.peak_bytes for cost in costs.values()]
    return {
        "scale": scale,
        "wall_seconds": round(_busy_seconds(costs) + conclude_seconds, 3),
        "cpu_seconds": round(sum(cost.cpu_seconds for cost in costs.values()), 3),
        "seconds_of_units": round(sum(cost.seconds for cost in costs.values()), 3),
        "conclude_seconds": round(conclude_seconds, 3),
        "peak_bytes_of_a_process": max([*peaks, peak_bytes()]),
        "units": {name: round(cost.cpu_seconds, 3) for name, cost in sorted(costs.items())},
        "machine": describe_machine(),
    }


def _busy_seconds(costs: Mapping[str, Cost]) -> float:
    """Seconds during which any unit was under way, over all runs that it took."""
    total, end = 0.0, -math.inf
    for began, seconds in sorted((cost.began, cost.seconds) for cost in costs.values()):
        total += max(0.0, began + seconds - max(began, end))
        end = max(end, began + seconds)
    return total


def _report(experiment: Experiment, command: str, outcome: Outcome) -> str:
    parts = [f"# {experiment.name}", experiment.question]
    parts.append(f"Made by `{command}`.")
    if outcome.claims:
        parts += ["## Claims", claims_table(outcome.claims).markdown()]
    if outcome.notes:
        parts += ["## Notes", escape(outcome.notes.strip())]
    for table in outcome.tables:
        parts += [f"## {escape(table.title)}", f"`tables/{table.name}.csv`", table.markdown()]
    return "\n\n".join(parts) + "\n"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def draw_figures(name: str, outcome: Outcome, folder: str | Path) -> list[Path]:
    """Draw the figures of an experiment into a folder.

    Parameters
    ----------
    name : str
        The name of the experiment.
    outcome : Outcome
        What it found.
    folder : str or Path
        Where the files go; made if it is not there.

    Returns
    -------
    list of Path
        The files, each written whole or not at all.
    """
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for torn in folder.glob(f"{SCRATCH}*"):
            torn.unlink(missing_ok=True)
        for figure, axes in find(name).draw(outcome):
            for ending in FIGURE_ENDINGS:
                path = folder / f"{figure}{ending}"
                scratch = path.with_name(f"{SCRATCH}{os.getpid()}-{path.name}")
                save(axes, scratch)
                os.replace(scratch, path)
                written.append(path)
    except OSError as error:
        raise unwritable(folder, error) from error
    keep_only(folder, [path.name for path in written], FIGURE_ENDINGS)
    return written
