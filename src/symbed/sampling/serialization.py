"""Probes as JSON values, for files; nothing is pickled."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.errors import DataError
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import Law

PLAIN_FIELDS = ("n_points", "n_draws", "design", "seed", "redraw")


def probe_to_plain(probe: Probe) -> dict[str, Any]:
    """A probe as JSON values. Laws other than uniform ranges are only described."""
    given = probe.parameters
    parameters = (
        {n: _law(law) for n, law in given.items()} if isinstance(given, Mapping) else _law(given)
    )
    return {
        "shown": repr(probe),
        "variables": list(probe.variables),
        "domain": [_law(law) for law in probe.domain.values()] if probe.data is None else None,
        "data": None if probe.data is None else _encoded(probe.data),
        "parameters": parameters,
        "named": isinstance(given, Mapping),
        "limit": None if math.isinf(probe.limit) else probe.limit,
        "part": None if probe.part is None else list(probe.part),
        **{name: getattr(probe, name) for name in PLAIN_FIELDS},
    }


def probe_from_plain(plain: Mapping[str, Any]) -> Probe:
    """The probe that was made plain."""
    named, given = plain["named"], plain["parameters"]
    data = None if plain["data"] is None else _decoded(plain["data"], plain["n_points"])
    domain = dict.fromkeys(plain["variables"])
    if data is None:
        laws = [_range(law, plain) for law in plain["domain"]]
        domain = dict(zip(plain["variables"], laws, strict=True))
    else:
        data.setflags(write=False)
    return Probe(
        domain,
        {n: _range(law, plain) for n, law in given.items()} if named else _range(given, plain),
        data=data,
        limit=math.inf if plain["limit"] is None else plain["limit"],
        part=None if plain["part"] is None else tuple(plain["part"]),
        **{name: plain[name] for name in PLAIN_FIELDS},
    )


def _encoded(data: Floats) -> str:
    """Numbers as text: every bit, and quick to read for a million points."""
    return b64encode(np.ascontiguousarray(data, "<f8").tobytes()).decode("ascii")


def _decoded(text: str, n_points: int) -> Floats:
    return np.frombuffer(b64decode(text), "<f8").reshape(n_points, -1).astype(np.float64)


def _law(law: Any) -> Any:
    if law is None:
        return None
    law = Law.of(law)
    return [law.low, law.high] if law.source is None else {"law": repr(law)}


def _range(plain: Any, probe: Mapping[str, Any]) -> Any:
    if isinstance(plain, Mapping):
        raise DataError(
            f"this atlas was made with {probe['shown']}, whose law {plain['law']} cannot be read "
            "from a file; give the probe: Atlas.open(path, probe=...)"
        )
    return None if plain is None else tuple(plain)
