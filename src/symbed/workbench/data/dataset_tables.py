"""The tables of data sets: a name goes in, the data sets of that name come out.

Each collection is one CSV file in ``tables/``, with the columns of ``Dataset``. Laws are written
``name:law:low:high[:signs]``; lists of names are separated by ``;``, of numbers by spaces.
"""

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from symbed.errors import RangeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.workbench.data.benchmark_dataset import Dataset
from symbed.workbench.data.input_laws import read_law
from symbed.workbench.parametrization import parametrize


class Collection(NamedTuple):
    """One collection: its name, its table, and the magnitudes of output that its source keeps."""

    name: str
    table: str
    about: str
    magnitudes: tuple[float, float] = (0.0, math.inf)


# SRSD stores float32 and draws again whatever that type cannot hold as a normal number.
FLOAT32 = (2.0**-126, (2.0 - 2.0**-23) * 2.0**127)

COLLECTIONS = {
    row.name: row
    for row in (
        Collection("feynman", "feynman.csv", "AI Feynman, 100 equations of the lectures"),
        Collection("feynman-bonus", "feynman_bonus.csv", "AI Feynman, 20 more from other books"),
        Collection("nguyen", "nguyen.csv", "Nguyen, 12 small formulas"),
        Collection("srsd", "srsd.csv", "SRSD, the 120 with physical ranges", FLOAT32),
    )
}


def datasets(collection: str | None = None) -> tuple[Dataset, ...]:
    """The data sets of a collection, or of all of them.

    Parameters
    ----------
    collection : ``"feynman"`` (100), ``"feynman-bonus"`` (20), ``"nguyen"`` (12), ``"srsd"`` (120).

    Examples
    --------
    >>> len(datasets("feynman")), len(datasets())
    (100, 252)
    """
    if collection is None:
        return tuple(found for name in COLLECTIONS for found in _read(name))
    if collection not in COLLECTIONS:
        known = ", ".join(COLLECTIONS)
        raise RangeError(f"collection must be one of {known}, got {collection!r}")
    return _read(collection)


def dataset(name: str) -> Dataset:
    """The data set of a name.

    >>> dataset("Nguyen-5").form, dataset("Nguyen-5").values
    (Expression('sin(X_0^2)*cos(X_0) - C'), (1.0,))
    """
    by_name = {found.name: found for found in datasets()}
    if name not in by_name:
        near = difflib.get_close_matches(str(name), by_name, n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "datasets() lists them"
        raise RangeError(f"there is no data set {name!r}; {hint}")
    return by_name[name]


@cache
def _read(collection: str) -> tuple[Dataset, ...]:
    row = COLLECTIONS[collection]
    table = files("symbed.workbench.data").joinpath("tables", row.table)
    with table.open(encoding="utf-8") as file:
        return tuple(_dataset(row, cells) for cells in csv.DictReader(file))


def _dataset(row: Collection, cells: Mapping[str, str]) -> Dataset:
    originals, laws = zip(*(word.split(":", 1) for word in cells["variables"].split()), strict=True)
    variables = [f"X_{place}" for place in range(len(laws))]
    formula = parse(cells["formula"], variables)
    form, values = _form(formula, cells, variables)
    constants = (word.split("=") for word in cells["constants"].split())
    return Dataset(
        cells["name"],
        row.name,
        formula,
        tuple(map(read_law, laws)),
        form,
        values,
        originals,
        cells["written"],
        cells["output"],
        cells["title"],
        tuple((name, float(value)) for name, value in constants),
        cells["level"],
        cells["origin"],
        _names(cells["same_function_as"]),
        _names(cells["same_family_as"]),
        cells["erratum"],
        row.magnitudes,
    )


def _form(
    formula: Expression, cells: Mapping[str, str], variables: list[str]
) -> tuple[Expression, tuple[float, ...]]:
    """The parametrized form of the table; where it has none, by the rule of ``parametrize``."""
    if not cells["form"]:
        return parametrize(formula)
    return parse(cells["form"], variables), tuple(map(float, cells["values"].split()))


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()
