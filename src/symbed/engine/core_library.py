"""Opening the native core: only a whole library that was built for this very package is used.

A file that was cut short can end the process when it is mapped, and one that was built from another
state of the sources would read structures and operators differently and compute wrong numbers. So
the file is checked before it is opened, and what it says about itself before it is called.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import struct
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from mmap import ACCESS_READ, mmap
from typing import Any

from symbed.engine.layouts import LAYOUTS
from symbed.engine.packing import INTEGER, POINTER, REAL
from symbed.errors import RangeError
from symbed.language.operators import TABLE

LIBRARY = "symbed.engine._symbed_core"
ABI_VERSION = 5  # as SYMBED_ABI_VERSION of native/api/structures.h; grows when a call changes
REMEDY = "install symbed again where there is a C++ compiler"

# Entrance, what it returns, what it takes. A status is an integer.
TEXT, CODE = ctypes.c_char_p, ctypes.c_int
SIGNATURES: tuple[tuple[str, Any, list[Any]], ...] = (
    ("symbed_observe", INTEGER, [POINTER]),
    ("symbed_cross", INTEGER, [POINTER] * 4),
    ("symbed_sweep", INTEGER, [POINTER] * 4),
    ("symbed_screen", INTEGER, [POINTER, POINTER, POINTER, REAL, POINTER]),
    ("symbed_profile", INTEGER, [POINTER] * 4),
    ("symbed_paired", INTEGER, [POINTER] * 5),
    ("symbed_cemetery", INTEGER, [POINTER, POINTER, REAL, POINTER]),
    ("symbed_cemetery_profile", INTEGER, [POINTER, POINTER, REAL, POINTER]),
    ("symbed_dual_bounds", INTEGER, [POINTER] * 5),
    ("symbed_arcsinh", INTEGER, [POINTER, INTEGER, POINTER]),
    ("symbed_sketch", INTEGER, [POINTER] * 4),
    ("symbed_scan", INTEGER, [POINTER] * 2),
    ("symbed_fit", INTEGER, [POINTER]),
    ("symbed_sample", INTEGER, [POINTER]),
    ("symbed_read_words", INTEGER, [POINTER]),
    ("symbed_tree_edit", INTEGER, [POINTER] * 4),
    ("symbed_catalog_new", POINTER, []),
    ("symbed_catalog_free", None, [POINTER]),
    ("symbed_catalog_read", INTEGER, [POINTER, POINTER, TEXT, *[INTEGER] * 4, POINTER]),
    ("symbed_catalog_intern", INTEGER, [POINTER, TEXT, INTEGER, ctypes.c_int32, POINTER]),
    ("symbed_catalog_count", INTEGER, [POINTER, INTEGER]),
    ("symbed_catalog_size", INTEGER, [POINTER, *[INTEGER] * 3]),
    ("symbed_catalog_copy", INTEGER, [POINTER, *[INTEGER] * 3, *[POINTER] * 3]),
    ("symbed_catalog_forget", INTEGER, [POINTER, INTEGER, INTEGER]),
    ("symbed_catalog_recall", INTEGER, [POINTER, POINTER, INTEGER, POINTER, POINTER, INTEGER]),
    ("symbed_add_singles", INTEGER, [INTEGER, POINTER]),
    ("symbed_message", TEXT, [INTEGER]),
    ("symbed_operator_name", TEXT, [CODE]),
    ("symbed_operator_arity", CODE, [CODE]),
    ("symbed_isa", TEXT, []),
    ("symbed_supported_isa", TEXT, [CODE]),
    ("symbed_select_isa", INTEGER, [TEXT]),
)

ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")  # of 64-bit, little-endian ELF
ELF_64_LITTLE = b"\x7fELF\x02\x01"


class CoreUnusable(Exception):
    """There is no native core, or it cannot be used; says why and what to do."""


def find_core() -> str | None:
    """The file of the native core beside this one, if it was built."""
    spec = find_spec(LIBRARY)
    return None if spec is None else spec.origin


def load_core(path: str | os.PathLike[str] | None) -> Any:
    """The opened library with its signatures.

    Parameters
    ----------
    path : str or path-like, optional
        Its file; None if there is none.

    Raises
    ------
    CoreUnusable
        There is none, the file is damaged, or it was built for another state of the package.
    """
    if path is None:
        raise CoreUnusable(f"symbed was installed without its native core; {REMEDY}")
    path = os.fspath(path)
    try:
        _check_file(path)
        library = ctypes.CDLL(path)
        _check_build(library)
    except (OSError, ValueError) as error:
        raise CoreUnusable(
            f"the native core {os.path.basename(path)} cannot be used: {error}; {REMEDY}, or build "
            "it again in a checkout"
        ) from None
    for name, result, arguments in SIGNATURES:
        entrance = getattr(library, name)
        entrance.restype, entrance.argtypes = result, arguments
    if forced := os.environ.get("SYMBED_ISA"):
        select_isa(library, forced)
    return library


def select_isa(library: Any, chosen: str) -> None:
    """Use this instruction set from now on, in the whole process."""
    if status := library.symbed_select_isa(chosen.encode()):
        reason = library.symbed_message(status).decode()
        known = ", ".join(listed(library.symbed_supported_isa))
        raise RangeError(f"instruction set {chosen!r}: {reason}; this machine can run {known}")


def listed(name_at: Callable[[int], bytes | None]) -> tuple[str, ...]:
    """The names at places 0, 1, ... up to the first that is missing."""
    names = iter(map(name_at, count()))
    return tuple(text.decode() for text in iter(lambda: next(names), None) if text is not None)


def operators_checksum(rows: list[tuple[str, int]]) -> int:
    """FNV-1a, 63 bits of it, over names and arities of operators in the order of their codes.

    >>> operators_checksum([("+", 2), ("-", 2)]) == operators_checksum([("-", 2), ("+", 2)])
    False
    """
    checksum = 0xCBF29CE484222325
    for byte in b"".join(name.encode() + bytes((0, arity)) for name, arity in rows):
        checksum = (checksum ^ byte) * 0x100000001B3 & (1 << 64) - 1
    # It is told as a signed integer.
    return checksum >> 1


def _check_file(path: str) -> None:
    """ValueError if the file is not the whole library that was installed."""
    # Mapped, not read: a copy of the file in memory takes as long as its digest.
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        # Written where the core is installed; without it, only a file that was cut short is seen.
        noted = os.path.splitext(path)[0] + ".sha256"
        if os.path.exists(noted) and _noted_digest(noted) != hashlib.sha256(content).hexdigest():
            raise ValueError("its bytes are not those that were installed")
        if content[: len(ELF_64_LITTLE)] == ELF_64_LITTLE and _elf_extent(content) > len(content):
            raise ValueError(f"the file was cut short, to {len(content)} bytes")


def _noted_digest(path: str) -> str:
    with open(path, "rb") as file:
        return file.read().decode(errors="replace").strip()


def _elf_extent(content: mmap) -> int:
    """How many bytes the file must have: the ends of its tables and of all segments."""
    if len(content) < ELF_HEADER.size:
        return ELF_HEADER.size
    header: tuple[int, ...] = ELF_HEADER.unpack_from(content)
    # e_phoff and e_shoff; then e_phentsize, e_phnum, e_shentsize and e_shnum.
    segments, sections = header[5], header[6]
    segment_size, n_segments, section_size, n_sections = header[9:13]
    ends = [sections + section_size * n_sections, segments + segment_size * n_segments]
    for place in range(segments, segments + segment_size * n_segments, segment_size):
        if place + 40 > len(content):
            break  # the table itself is cut off, which its end tells
        # p_offset, p_vaddr, p_paddr and p_filesz, the bytes 8 to 40 of a program header.
        offset, _, _, size = struct.unpack_from("<4Q", content, place + 8)
        ends.append(offset + size)
    return max(ends)


def _check_build(library: Any) -> None:
    """ValueError unless the library was built for structures and operators as they are here."""
    try:
        describe = library.symbed_describe
    except AttributeError:
        raise ValueError("it is another library, or was built long before this package") from None
    describe.restype, describe.argtypes = INTEGER, [POINTER, INTEGER]
    facts = (INTEGER * (2 + len(LAYOUTS)))()
    n_facts = describe(facts, len(facts))
    version, operators, *sizes = facts
    if version != ABI_VERSION:
        raise ValueError(f"its interface is version {version}, this package needs {ABI_VERSION}")
    different = [
        layout.name for layout, size in zip(LAYOUTS, sizes, strict=True) if layout.size != size
    ]
    if n_facts != len(facts) or different:
        which = ", ".join(different) or "of other numbers"
        raise ValueError(f"it was built with other structures ({which})")
    if operators != operators_checksum([(row.name, row.arity) for row in TABLE]):
        raise ValueError("it was built with another table of operators")
