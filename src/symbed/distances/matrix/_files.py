"""Distance matrices in files that may be larger than memory, written tile by tile.

While it is computed, a matrix stands in ``NAME.tiles``, and ``NAME.journal`` lists the tiles that
are on the disk for certain. A call that was killed goes on from there and ends in the same bytes;
only a complete matrix gets its name. Data are written by plain writes, since a full disk would kill
a process that writes through a memory map.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.distances.matrix.tiles import Grid, MatrixAxis, MatrixTask, Tile, measure_tile
from symbed.errors import MissingExtra, RangeError, StorageError
from symbed.parallel import run_blocks
from symbed.progress import Progress, Shown

try:
    import fcntl
except ImportError:  # not every system has it; there nobody keeps two writers of one file apart
    fcntl = None  # type: ignore[assignment]

FORMAT = 1
# No zarr: a mapped .npy file has what its chunks give, and its writers do not survive every kill.
ENDINGS = (".npy", ".parquet")
SYNC = 2.0  # seconds between two syncs: what a power cut can cost
STRIP = 1 << 23  # entries that are rearranged at once: 64 MB
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def fill_file(task: MatrixTask, path: Path, pool: Executor, progress: Shown) -> Floats:
    """Compute a matrix into a file, those tiles that it lacks; gives it as a memory map."""
    parts = task.down.digest(), task.across.digest(), task.measure, task.within
    key = hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()
    with ExitStack() as stack:
        file = MatrixFile(path, task.grid(pool), key)
        stack.callback(file.close)
        tiles = [tile for tile in file.grid.tiles() if tile not in file.done]
        results = run_blocks(pool, measure_tile, task.blocks(file.grid, tiles, pool))
        bar = stack.enter_context(
            Progress("distances", file.grid.n_rows * file.grid.n_columns, progress)
        )
        bar.advance(sum(map(file.grid.size, file.done)))
        try:
            for tile, distances in zip(tiles, results, strict=True):
                file.put(tile, distances)
                bar.advance(file.grid.size(tile))
        finally:
            file.sync()
        labels = task.down.atlas.labels
        return file.finish(task.down, task.across, labels, repr(task.measure))


class MatrixFile:
    """A distance matrix in the making, on disk.

    It keeps the grid that it was begun with, and the tiles that are ``done``. The key identifies
    the computation: a file that was begun with another one is not touched.
    """

    def __init__(self, path: Path, grid: Grid, key: str) -> None:
        if path.suffix not in ENDINGS:
            raise RangeError(f"out must end in {' or '.join(ENDINGS)}, got {str(path)!r}")
        if path.suffix == ".parquet":
            _pyarrow()
        self.path, self.grid, self.done = path, grid, set[Tile]()
        self._tiles, self._journal = self._scratch(".tiles"), self._scratch(".journal")
        self._header = _npy_header((grid.n_rows, grid.n_columns))
        self._fresh: list[Tile] = []
        self._synced = time.monotonic()
        with self._explained("cannot write"):
            self._file = os.open(self._tiles, os.O_RDWR | os.O_CREAT, 0o666)
            self._log = os.open(self._journal, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        self._lock()
        self._begin(key)

    def put(self, tile: Tile, distances: Floats) -> None:
        """Write one tile, and its mirror image in a symmetric matrix."""
        rows, columns = self.grid.place(tile)
        with self._explained("cannot go on with"):
            self._write(rows.start, columns.start, distances)
            if self.grid.symmetric and tile[0] != tile[1]:
                self._write(columns.start, rows.start, distances.T)
        self._fresh.append(tile)
        if time.monotonic() - self._synced > SYNC:
            self.sync()

    def sync(self) -> None:
        """Bring everything to the disk, then say so in the journal."""
        lines = "".join(f"{i} {j}\n" for i, j in self._fresh)
        with self._explained("cannot go on with"):
            # In this order: the journal must not list what a power cut can still lose.
            os.fsync(self._file)
            os.write(self._log, lines.encode())
            os.fsync(self._log)
        self.done.update(self._fresh)
        self._fresh = []
        self._synced = time.monotonic()

    def finish(
        self, down: MatrixAxis, across: MatrixAxis, rows: Sequence[str], about: str
    ) -> Floats:
        """Put the complete matrix in place, one row for each source; gives it as a memory map."""
        self.sync()
        whole = self._tiles
        with self._explained("cannot finish"):
            if not (down.is_plain and across.is_plain):
                whole = self._expand(down, across)
            if self.path.suffix == ".parquet":
                _write_parquet(self._scratch(".part"), np.load(whole, mmap_mode="r"), rows, about)
                # Mapped before its name is removed below; the bytes last as long as the map.
                values: Floats = np.load(whole, mmap_mode="r")
                os.replace(self._scratch(".part"), self.path)
            else:
                os.replace(whole, self.path)
                values = np.load(self.path, mmap_mode="r")
            for leftover in (whole, self._tiles, self._journal):
                leftover.unlink(missing_ok=True)
        return values

    def close(self) -> None:
        """Release the files; what was synced stays."""
        for handle in (self._file, self._log):
            os.close(handle)

    def _begin(self, key: str) -> None:
        lines = self._journal.read_text("utf-8").split("\n")[:-1]  # a torn last line is no line
        if not lines:
            with self._explained("cannot write", forget=True):
                self._reserve()
                about = {"format": FORMAT, "key": key, "step": self.grid.step}
                os.write(self._log, (json.dumps(about) + "\n").encode())
                self.sync()
            return
        try:
            about = json.loads(lines[0])
            if about["format"] != FORMAT or about["key"] != key:
                raise ValueError
            # The tiles are those of the first call: another number of workers would cut others.
            grid = Grid(self.grid.n_rows, self.grid.n_columns, about["step"], self.grid.symmetric)
            done = {(int(i), int(j)) for i, j in map(str.split, lines[1:])}
        except (ValueError, KeyError, TypeError):
            self.close()
            raise StorageError(
                f"{self._tiles} and {self._journal} belong to another computation; "
                "remove them, or choose another name"
            ) from None
        self.grid, self.done = grid, done

    def _reserve(self) -> None:
        """Take the space now, so that a disk that is too small is found out at once."""
        size = len(self._header) + 8 * self.grid.n_rows * self.grid.n_columns
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, self._header, 0)
        try:
            os.posix_fallocate(self._file, 0, size)
        except (AttributeError, OSError) as error:
            if getattr(error, "errno", None) in FULL:
                raise
            os.ftruncate(self._file, size)  # the file system cannot reserve

    def _write(self, row: int, column: int, distances: Floats) -> None:
        contiguous = np.ascontiguousarray(distances)
        start, width = len(self._header), self.grid.n_columns
        if distances.shape[1] == width:
            _write_all(self._file, contiguous, start + 8 * row * width)
            return
        for number, line in enumerate(contiguous, start=row):
            _write_all(self._file, line, start + 8 * (number * width + column))

    def _expand(self, down: MatrixAxis, across: MatrixAxis) -> Path:
        """The matrix between sources, from the one between distinct behaviors."""
        distinct = np.load(self._tiles, mmap_mode="r")
        whole = self._scratch(".whole")
        n_rows, n_columns = len(down.positions), len(across.positions)
        with open(whole, "wb") as file:
            file.write(_npy_header((n_rows, n_columns)))
            step = max(1, STRIP // n_columns)
            for first in range(0, n_rows, step):
                strip = distinct[down.positions[first : first + step]]
                file.write(np.take(strip, across.positions, axis=1).data)
            file.flush()
            os.fsync(file.fileno())
        return whole

    def _scratch(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _lock(self) -> None:
        """Be the only process that writes these files."""
        if fcntl is None:
            return
        try:
            fcntl.flock(self._log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.close()
            raise StorageError(f"{self.path} is being written by another process") from None

    @contextmanager
    def _explained(self, what: str, *, forget: bool = False) -> Iterator[None]:
        """Errors of the disk in one sentence; ``forget`` removes empty files."""
        try:
            yield
        except OSError as error:
            if isinstance(error, StorageError):
                raise
            if forget:
                self.close()
                for leftover in (self._tiles, self._journal):
                    leftover.unlink(missing_ok=True)
            raise StorageError(f"{what} {self.path}: {self._reason(error)}") from error

    def _reason(self, error: OSError) -> str:
        reason = error.strerror or str(error)
        if error.errno not in FULL:
            return f"{reason}; choose another folder"
        size = 8 * self.grid.n_rows * self.grid.n_columns / 1e9
        kept = f"; {len(self.done):,} finished tiles are kept, call again to go on" * bool(
            self.done
        )
        return f"{reason}; the matrix needs {size:,.3g} GB{kept}"


def _npy_header(shape: tuple[int, int]) -> bytes:
    file = io.BytesIO()
    about = {"descr": np.dtype(np.float64).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, about)
    return file.getvalue()


def _write_all(file: int, numbers: Floats, place: int) -> None:
    rest = numbers.data.cast("B")
    while rest:
        written = os.pwrite(file, rest, place)
        rest, place = rest[written:], place + written


def _write_parquet(path: Path, values: Floats, rows: Sequence[str], about: str) -> None:
    """One row for each expression: its text, and its distances as a list; strip by strip."""
    arrow, parquet = _pyarrow()
    distances = arrow.list_(arrow.float64(), values.shape[1])
    schema = arrow.schema(
        [("expression", arrow.string()), ("distances", distances)], metadata={"symbed": about}
    )
    step = max(1, STRIP // values.shape[1])
    with parquet.ParquetWriter(path, schema) as writer:
        for first in range(0, len(values), step):
            flat = arrow.array(np.ascontiguousarray(values[first : first + step]).ravel())
            lists = arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])
            texts = arrow.array(list(rows[first : first + step]), arrow.string())
            writer.write_table(arrow.table([texts, lists], schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra(
            "Parquet files need pyarrow; install it with: pip install 'symbed[table]'"
        ) from None
    return pyarrow, pyarrow.parquet
