"""The native sampler: a request goes in and is filled by the C++ core (native/grammar.cpp)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed.engine import native
from symbed.workbench.grammar.reference_sampler import Request
from symbed.workbench.grammar.tables import GrammarTables, ReaderTables

_ARRAY, _INTEGER = ctypes.c_void_p, ctypes.c_int64


def sample(request: Request, n_wanted: int) -> int:
    """Add words to a request; see ``symbed.workbench.grammar.reference_sampler.sample``."""
    grammar = _grammar(request.tables)
    reader = request.reader and _reader(request.reader)
    applied = np.empty_like(request.counts)
    scratch = np.empty(8 * (request.longest + 2), np.int32)
    sampling = _Sampling(
        ctypes.addressof(grammar), ctypes.addressof(reader) if reader else None,
        request.origin, request.attempt, request.steps, request.patience,
        request.n_found, n_wanted, request.shortest, request.longest,
        _address(request.tokens), len(request.tokens), _address(request.starts),
        _address(request.counts), _address(applied), _address(scratch),
        _address(request.seen), len(request.seen),
    )  # fmt: skip
    native.call("symbed_sample", ctypes.byref(sampling))
    request.attempt, request.steps = sampling.attempt, sampling.steps
    request.n_found = sampling.n_found
    return int(sampling.outcome)


def read_words(
    reader: ReaderTables, tokens: NDArray[np.int32], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """The postfix sequences of words; see ``reference_sampler.read_words``."""
    tokens, starts = np.ascontiguousarray(tokens), np.ascontiguousarray(starts)
    longest = int(np.diff(starts).max(initial=0))
    items = np.empty(len(tokens), np.int32)
    ends = np.empty(len(starts), np.int64)
    scratch = np.empty(6 * (longest + 1), np.int32)
    tables = _reader(reader)
    reading = _Reading(
        ctypes.addressof(tables), _address(tokens), _address(starts), len(starts) - 1, len(items),
        _address(items), _address(ends), _address(scratch),
    )  # fmt: skip
    native.call("symbed_read_words", ctypes.byref(reading))
    n_read = len(starts) - 1 if reading.failed < 0 else int(reading.failed)
    return items[: ends[n_read]].copy(), ends[: n_read + 1], int(reading.failed)


class _Grammar(ctypes.Structure):
    """``GrammarTables`` of native/grammar.cpp, field by field."""

    _fields_ = (
        ("rules", _ARRAY),
        ("thresholds", _ARRAY),
        ("sides", _ARRAY),
        ("symbols", _ARRAY),
        ("growth", _ARRAY),
        ("n_nonterminals", _INTEGER),
        ("n_rules", _INTEGER),
        ("n_symbols", _INTEGER),
        ("n_tokens", _INTEGER),
        ("shortest", _INTEGER),
    )


class _Reader(ctypes.Structure):
    """``ReaderTables`` of native/grammar.cpp."""

    _fields_ = (
        ("tokens", _ARRAY),
        ("items", _ARRAY),
        ("n_tokens", _INTEGER),
        ("n_items", _INTEGER),
        ("power", ctypes.c_int32),
        ("negation", ctypes.c_int32),
        ("nesting", _INTEGER),
    )


class _Sampling(ctypes.Structure):
    """``Sampling`` of native/grammar.cpp."""

    _fields_ = (
        ("grammar", _ARRAY),
        ("reader", _ARRAY),
        ("origin", ctypes.c_uint64),
        ("attempt", _INTEGER),
        ("steps", _INTEGER),
        ("patience", _INTEGER),
        ("n_found", _INTEGER),
        ("n_wanted", _INTEGER),
        ("shortest", _INTEGER),
        ("longest", _INTEGER),
        ("tokens", _ARRAY),
        ("capacity", _INTEGER),
        ("starts", _ARRAY),
        ("counts", _ARRAY),
        ("applied", _ARRAY),
        ("scratch", _ARRAY),
        ("seen", _ARRAY),
        ("n_seen", _INTEGER),
        ("outcome", _INTEGER),
    )


class _Reading(ctypes.Structure):
    """``Reading`` of native/grammar.cpp."""

    _fields_ = (
        ("reader", _ARRAY),
        ("tokens", _ARRAY),
        ("starts", _ARRAY),
        ("n_words", _INTEGER),
        ("capacity", _INTEGER),
        ("items", _ARRAY),
        ("ends", _ARRAY),
        ("scratch", _ARRAY),
        ("failed", _INTEGER),
    )


def _grammar(tables: GrammarTables) -> _Grammar:
    return _Grammar(
        _address(tables.rules), _address(tables.thresholds), _address(tables.sides),
        _address(tables.symbols), _address(tables.growth),
        len(tables.rules) - 1, len(tables.thresholds), len(tables.symbols),
        tables.n_tokens, tables.shortest,
    )  # fmt: skip


def _reader(tables: ReaderTables) -> _Reader:
    return _Reader(
        _address(tables.tokens), _address(tables.rows), len(tables.tokens), len(tables.rows),
        tables.power, tables.negation, tables.nesting,
    )  # fmt: skip


def _address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
