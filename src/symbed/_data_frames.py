"""Data frames of results, where pandas is installed; nothing else in symbed imports it."""

from __future__ import annotations

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
        import pandas
    except ImportError:
        raise MissingExtra(
            "to_frame needs pandas; install it with: pip install 'symbed[table]'"
        ) from None
    if isinstance(columns, Mapping):
        return pandas.DataFrame(dict(columns), index=index)
    return pandas.DataFrame(columns, index=index, columns=names)
