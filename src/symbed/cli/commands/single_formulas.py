"""What the commands run: each builds a probe, calls one verb and prints the result."""

from __future__ import annotations

import argparse

from symbed.cli import plot_files as pictures
from symbed.cli import report
from symbed.cli.options import build_probe, measure_settings


def distance(arguments: argparse.Namespace) -> None:
    """``symbed distance E F``."""
    import symbed

    probe = build_probe(arguments)
    e, f = (symbed.observe(text.strip(), probe) for text in (arguments.e, arguments.f))
    found = symbed.compare(e, f, **measure_settings(arguments))
    report.comparison(found, probe, as_json=arguments.json)
    pictures.draw_comparison(arguments, found, e, f, probe)


def show(arguments: argparse.Namespace) -> None:
    """``symbed show E``."""
    import symbed

    names = arguments.variables
    variables = [name.strip() for name in names.split(",")] if names else None
    expression = symbed.parse(arguments.e.strip(), variables, arguments.dialect)
    report.reading(expression, as_json=arguments.json)
