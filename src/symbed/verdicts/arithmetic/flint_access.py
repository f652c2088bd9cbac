"""The one door to python-flint: a clear error where it is missing, precision without surprises.

python-flint keeps its precision in one global context, so two threads that compute at different
precisions would spoil each other's enclosures. Everything here computes under one lock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

from symbed.errors import MissingExtra

try:
    import flint
except ImportError as error:  # pragma: no cover - the tests install every extra
    raise MissingExtra(
        "verdicts compute with python-flint, which is not installed; "
        "install it with: pip install 'symbed[verdicts]'"
    ) from error

acb: Any = flint.acb
arb: Any = flint.arb
arb_mat: Any = flint.arb_mat
arb_series: Any = flint.arb_series
fmpq: Any = flint.fmpq
fmpz: Any = flint.fmpz

_context: Any = flint.ctx
_lock = RLock()


@contextmanager
def working_precision(bits: int, length: int | None = None) -> Iterator[None]:
    """Compute with so many bits, alone; the context is as before afterwards.

    Parameters
    ----------
    bits : int
        Precision of balls.
    length : int, optional
        Number of coefficients of power series, where these are used.
    """
    with _lock:
        before = _context.prec, _context.cap
        _context.prec = bits
        if length is not None:
            _context.cap = length
        try:
            yield
        finally:
            _context.prec, _context.cap = before


def series_length() -> int:
    """Number of coefficients of power series at the moment."""
    return int(_context.cap)


def set_precision(bits: int) -> None:
    """Change the precision inside a ``working_precision`` block."""
    _context.prec = bits
