"""The store of named arrays in a folder, read by memory maps.

A store is a folder of immutable segments and a small SQLite manifest. A segment is one file with
several arrays, named by its content; the manifest says which segments there are and where the
arrays lie in them. Segments are written by ``symbed.behavior.store.writer``. Nothing in a store is
ever executed or unpickled.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from symbed.behavior.store.manifest import (
    MANIFEST,
    ListedSegment,
    read_manifest,
    told_as_unreadable,
)
from symbed.errors import DataError, StorageError

ENDING = ".seg"
# Plain numbers only: whatever else a damaged manifest names is refused before bytes are viewed.
DTYPES = ("|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f4", "<f8")
READ_WHOLE = 1 << 18  # segments up to so many bytes are read: each mapped one keeps a file open
DIGEST_BYTES = 16
FILE_NAME = re.compile(rf"[0-9a-f]{{{2 * DIGEST_BYTES}}}{re.escape(ENDING)}")


class ArrayPlace(NamedTuple):
    """Where an array lies in its segment."""

    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def n_bytes(self) -> int:
        """Bytes of the array."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


class Segment(Mapping[str, NDArray[Any]]):
    """Named arrays in one file, mapped when the first is asked for.

    Attributes
    ----------
    path : Path
        The file.
    size : int
        Its number of bytes.
    places : mapping of str to ArrayPlace
        Where each array lies.
    """

    def __init__(self, path: Path, size: int, places: Mapping[str, ArrayPlace]) -> None:
        self.path, self.size, self.places = path, size, places
        self._content: NDArray[np.uint8] | None = None

    def __getitem__(self, name: str) -> NDArray[Any]:
        dtype, shape, offset = self.places[name]
        stop = offset + self.places[name].n_bytes
        if self._content is None:
            self._content = _load(self.path, self.size)
        return self._content[offset:stop].view(dtype).reshape(shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)

    def count(self, name: str) -> int:
        """The length of an array, without reading it; 0 if there is none of that name."""
        return self.places[name].shape[0] if name in self.places else 0


class Store:
    """The state of a folder at one moment; it stays readable while others append.

    Attributes
    ----------
    path : Path
        The folder.
    meta : dict
        What its writers say of the whole: plain JSON values.
    batches : list of Segment
        In the order in which they were appended.
    derived : dict of str to Segment
        What was computed from all of the batches, by their keys.
    is_sealed : bool
        Whether the manifest has a seal, which held; those of format 1 have none.
    """

    def __init__(
        self,
        path: Path,
        meta: dict[str, Any],
        batches: list[Segment],
        derived: dict[str, Segment],
        is_sealed: bool = True,
    ) -> None:
        self.path, self.meta, self.batches, self.derived = path, meta, batches, derived
        self.is_sealed = is_sealed

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """The store as it is now."""
        path = Path(path)
        if not (path / MANIFEST).is_file():
            raise DataError(f"{path} is no atlas: {_missing(path)}")
        manifest = read_manifest(path)
        segments = [(listed.key, _segment(path, listed)) for listed in manifest.segments]
        for _, segment in segments:
            _check_size(segment)
        batches = [segment for key, segment in segments if not key]
        derived = {key: segment for key, segment in segments if key}
        return cls(path, manifest.meta, batches, derived, manifest.is_sealed)

    def count(self, name: str) -> int:
        """The length of an array through all batches."""
        return sum(batch.count(name) for batch in self.batches)

    def parts(self, *names: str) -> list[tuple[NDArray[Any], ...]]:
        """Some arrays of each batch that has them."""
        return [tuple(batch[n] for n in names) for batch in self.batches if names[0] in batch]

    def verify(self) -> None:
        """Read every file and compare it with the digest in its name; the seal was seen before."""
        if not self.is_sealed:
            raise DataError(
                f"{self.path / MANIFEST} was written by an earlier symbed, without a digest, and "
                "cannot be verified; open it without verify=True and append to it or save a copy"
            )
        for segment in (*self.batches, *self.derived.values()):
            if _digest_file(segment.path) != segment.path.stem:
                raise _changed(segment.path)


def _segment(folder: Path, listed: ListedSegment) -> Segment:
    """A segment as the manifest describes it; an error if that cannot be."""
    try:
        arrays = json.loads(listed.arrays).items()
        places = {name: ArrayPlace(dtype, tuple(shape), at) for name, (dtype, shape, at) in arrays}
        sound = FILE_NAME.fullmatch(listed.file) is not None
        sound = sound and all(_fits(place, listed.size) for place in places.values())
    except (AttributeError, TypeError, ValueError, RecursionError):
        sound = False
    if not sound:
        raise DataError(f"{folder / MANIFEST} is damaged: it describes {listed.file!r} wrongly")
    return Segment(folder / listed.file, listed.size, places)


def _fits(place: ArrayPlace, size: int) -> bool:
    numbers = (*place.shape, place.offset)
    return (
        place.dtype in DTYPES
        # Before the size is trusted: the product of two negative lengths looks like a good one.
        and all(isinstance(number, int) and number >= 0 for number in numbers)
        and place.offset + place.n_bytes <= size
    )


def _check_size(segment: Segment) -> None:
    folder, file = segment.path.parent, segment.path.name
    try:
        size = segment.path.stat().st_size
    except FileNotFoundError:
        raise DataError(f"{folder} is damaged: {file} is missing") from None
    except OSError as error:
        raise StorageError(f"{segment.path} cannot be read: {error.strerror}") from None
    if size != segment.size:
        raise DataError(f"{folder} is damaged: {file} has {size} of {segment.size} bytes")


def _load(path: Path, size: int) -> NDArray[np.uint8]:
    """The bytes of a segment; what is read whole is compared with the digest in its name."""
    with told_as_unreadable(path):
        if size <= READ_WHOLE:
            content = np.fromfile(path, np.uint8)
        else:
            content = np.asarray(np.memmap(path, np.uint8, "r"))
    content.setflags(write=False)
    if len(content) != size:
        raise DataError(f"{path} is damaged: it has {len(content)} of {size} bytes")
    if size <= READ_WHOLE and _new_digest(content.data).hexdigest() != path.stem:
        raise _changed(path)
    return content


def _missing(path: Path) -> str:
    return f"it has no {MANIFEST}" if path.is_dir() else "there is no such folder"


def _digest_file(path: Path) -> str:
    digest = _new_digest()
    with told_as_unreadable(path), open(path, "rb") as file:
        while content := file.read(1 << 20):
            digest.update(content)
    return digest.hexdigest()


def _new_digest(content: bytes | memoryview = b"") -> blake2b:
    return blake2b(content, digest_size=DIGEST_BYTES)


def _changed(path: Path) -> DataError:
    return DataError(f"{path} is damaged: its content has changed")
