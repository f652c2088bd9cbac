"""Results in other forms: pandas' data frames, and values that JSON has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from symbed.errors import MissingExtra


def data_frame(columns: Any, index: Sequence[Any] | None = None, names: Any = None) -> Any:
    """A pandas ``DataFrame``.

    Parameters
    ----------
    columns : mapping of str to column, list of rows, or 2-d array
        The content.
    index : sequence, optional
        Labels of the rows; numbers by default.
    names : sequence, optional
        Labels of the columns of an array.
    """
    try:
        import pandas  # nothing else of symbed imports it
    except ImportError:
        raise MissingExtra(
            "to_frame needs pandas; install it with: pip install 'symbed[table]'"
        ) from None
    if isinstance(columns, Mapping):
        return pandas.DataFrame(dict(columns), index=index)
    return pandas.DataFrame(columns, index=index, columns=names)


def json_values(value: Any) -> Any:
    """A value without infinities and NaN, for which JSON has no numbers: they become strings.

    The command line and the page print the same document through this.

    >>> json_values({"interval": (0.5, float("inf"))})
    {'interval': [0.5, 'inf']}
    """
    if isinstance(value, dict):
        return {key: json_values(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
