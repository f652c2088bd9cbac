"""Results as JSON has them: the command line and the page print the same document."""

from __future__ import annotations

import math
from typing import Any


def json_values(value: Any) -> Any:
    """A value without infinities and NaN, for which JSON has no numbers: they become strings.

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
