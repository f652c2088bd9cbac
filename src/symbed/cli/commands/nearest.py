"""``symbed nearest ATLAS E``: the nearest expressions of an atlas or a file."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from symbed.cli.inputs import read_atlas, read_queries
from symbed.cli.options import add_list_options, add_plot_options, measure_settings, open_workers
from symbed.cli.output import draw, print_document

if TYPE_CHECKING:
    from symbed import Atlas, Behavior, Neighbors

USUAL_K = 10


def configure_nearest(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``symbed nearest``."""
    add = parser.add_argument
    add("atlas", help="an atlas, or a file of expressions with --domain; - reads stdin")
    add("queries", nargs="+", metavar="E", help="an expression to look for, such as 'a*tanh(x)'")
    add("-k", type=int, help=f"how many (default: {USUAL_K}, or all if there are fewer)")
    add("--distinct", action="store_true", help="of formulas that behave alike, only the shortest")
    add_list_options(parser)
    add_plot_options(parser, "the distances")


def run_nearest(arguments: argparse.Namespace) -> None:
    """The nearest expressions of an atlas or a file."""
    import symbed

    queries = [query.strip() for query in arguments.queries]
    with open_workers(arguments) as workers:
        atlas = read_atlas(arguments, arguments.atlas, workers)
        k = min(USUAL_K, len(atlas)) if arguments.k is None else arguments.k
        observed = _observed(arguments, queries, atlas)
        settings = measure_settings(arguments) | workers
        if arguments.distinct:
            from symbed.distances.search.neighbors import nearest_distinct

            results = nearest_distinct(observed, atlas, k, **settings)
        else:
            results = symbed.nearest(observed, atlas, k, **settings)
    document = results.to_dict()
    rows = [
        {"query": result["query"], "rank": rank, **row}
        for result in document["results"]
        for rank, row in enumerate(result["neighbors"], start=1)
    ]
    if not print_document(arguments, document, rows):
        for neighbors in results.each:
            _print(neighbors, many=len(queries) > 1)
    draw(arguments, lambda plots: plots.neighbors(results.each[0], query=queries[0]))


def _observed(arguments: argparse.Namespace, queries: list[str], atlas: Atlas) -> list[Behavior]:
    """The queries as behaviors: read in the file's dialect, or in their own."""
    import symbed

    assert atlas.probe is not None  # of a file or a folder, never of samples
    expressions = read_queries(arguments, queries, atlas.probe.variables)
    return [
        replace(symbed.observe(expression, atlas.probe), label=text)
        for expression, text in zip(expressions, queries, strict=True)
    ]


def _print(neighbors: Neighbors, *, many: bool) -> None:
    if many:
        print(f"# {neighbors.query}")
    rows = zip(neighbors.indices, neighbors.distances, neighbors.labels, strict=True)
    for index, distance, label in rows:
        print(f"{distance:<12.6g} {index + 1:>8}  {label}")
