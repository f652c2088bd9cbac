"""Figures of the experiments: an outcome goes in; PNG and SVG files of its figures come out.

Each experiment has a module here with ``draw(outcome)``, which gives the figures by name, one after
the other.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from symbed.plots.canvas import save
from symbed_reproduction.core.journal import keep_only, unwritable
from symbed_reproduction.core.outcomes import Outcome
from symbed_reproduction.core.registry import find

ENDINGS = (".png", ".svg")
SCRATCH = "part-"  # begins the names of files that are being written; their ending is the format


def draw_figures(name: str, outcome: Outcome, folder: str | Path) -> list[Path]:
    """Draw the figures of an experiment into a folder.

    Parameters
    ----------
    name : of the experiment.
    outcome : what it found.
    folder : where the files go; made if it is not there.

    Returns
    -------
    list of the files, each written whole or not at all.
    """
    module = importlib.import_module(f"symbed_reproduction.{find(name).module}.drawings")
    folder = Path(folder)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for torn in folder.glob(f"{SCRATCH}*"):
            torn.unlink(missing_ok=True)
        for figure, axes in module.draw(outcome):
            for ending in ENDINGS:
                path = folder / f"{figure}{ending}"
                scratch = path.with_name(f"{SCRATCH}{os.getpid()}-{path.name}")
                save(axes, scratch)
                os.replace(scratch, path)
                written.append(path)
    except OSError as error:
        raise unwritable(folder, error) from error
    keep_only(folder, [path.name for path in written], ENDINGS)
    return written
