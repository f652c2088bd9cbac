"""The folder of a benchmark: one file for each run and each judgment, named by content.

``runs/KEY.json`` has what a method found and used, ``scores/KEY.json`` what that is worth. Files
are written beside and then renamed, so that a process killed at any moment leaves whole files only.
One command runs in a folder at a time; any number may report on it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from symbed.errors import DataError, StorageError
from symbed.scoring.benchmark.method_process import Ending
from symbed.scoring.benchmark.tasks import Task

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two commands apart
    fcntl = None  # type: ignore[assignment]

SETTINGS = "benchmark.json"
PARTIAL = ".partial-"
LOCK = ".lock"


class ResultFolder:
    """The results of a benchmark on disk.

    Parameters
    ----------
    path : Path
        The folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder where it is missing, and keep other commands from running in it.

        What a killed process left half-written is removed; the lock of a killed one is none.
        """
        if self.path.exists() and not self.path.is_dir():
            raise StorageError(f"{self.path} is a file; a benchmark needs a folder")
        own = {LOCK, SETTINGS, "runs", "scores"}
        others = self.path.is_dir() and any(one.name not in own for one in self.path.iterdir())
        if others and not self.settings_file.exists():
            raise StorageError(
                f"{self.path} has other files and no {SETTINGS}; give a new folder for a benchmark"
            )
        try:
            for name in ("runs", "scores"):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            lock = (self.path / LOCK).open("a")
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written ({error.strerror})") from None
        with lock:
            if fcntl is not None:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise StorageError(
                        f"another command runs the benchmark in {self.path}; wait for it, or give "
                        "another folder"
                    ) from None
                except OSError:
                    pass  # a file system without locks, as some of clusters'
            # Under the lock, else the files that another command is writing would go.
            for partial in self.path.glob(f"**/{PARTIAL}*"):
                partial.unlink(missing_ok=True)
            yield

    @property
    def settings_file(self) -> Path:
        """Where the tasks of the benchmark are listed."""
        return self.path / SETTINGS

    def write_settings(self, tasks: list[Task]) -> None:
        """List the tasks of this benchmark, beside those that were listed before."""
        known = {task.key: task for task in (*self.tasks(), *tasks)}
        rows = [known[key].to_dict() for key in sorted(known)]
        self._write(self.settings_file, {"tasks": rows})

    def tasks(self) -> list[Task]:
        """The tasks that were listed."""
        if not self.settings_file.exists():
            return []
        try:
            return [Task.from_dict(row) for row in self._read(self.settings_file)["tasks"]]
        except (KeyError, TypeError) as error:
            raise DataError(f"{self.settings_file} is no list of tasks ({error})") from None

    def run(self, task: Task) -> Ending | None:
        """How the run of a task ended; None if it has not."""
        file = self.path / "runs" / f"{task.key}.json"
        if not file.exists():
            return None
        fields = self._read(file)["ending"]
        return Ending(**{**fields, "formulas": tuple(fields["formulas"])})

    def write_run(self, task: Task, ending: Ending) -> None:
        """Keep how the run of a task ended."""
        document = {"task": task.to_dict(), "ending": asdict(ending)}
        self._write(self.path / "runs" / f"{task.key}.json", document)

    def score(self, key: str) -> dict[str, Any] | None:
        """The judgment of a key; None if there is none."""
        file = self.path / "scores" / f"{key}.json"
        return self._read(file) if file.exists() else None

    def write_score(self, key: str, judgment: dict[str, Any]) -> None:
        """Keep a judgment."""
        self._write(self.path / "scores" / f"{key}.json", judgment)

    def remove(self, tasks: Iterable[Task]) -> None:
        """Forget tasks and their runs; judgments, which nobody asks for any more, stay."""
        gone = {task.key for task in tasks}
        kept = [one.to_dict() for one in self.tasks() if one.key not in gone]
        self._write(self.settings_file, {"tasks": kept})
        for key in gone:
            (self.path / "runs" / f"{key}.json").unlink(missing_ok=True)

    def remove_scores(self) -> None:
        """Forget all judgments."""
        for file in (self.path / "scores").glob("*.json"):
            file.unlink(missing_ok=True)

    def _read(self, file: Path) -> dict[str, Any]:
        try:
            document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (ValueError, OSError) as error:
            raise DataError(f"{file} cannot be read ({error}); remove it to make it anew") from None
        return document

    def _write(self, file: Path, document: dict[str, Any]) -> None:
        """Write a file as a whole or not at all."""
        text = json.dumps(document, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
        partial = None
        try:
            descriptor, partial = tempfile.mkstemp(prefix=PARTIAL, dir=file.parent)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            # mkstemp lets nobody but the owner read.
            os.chmod(partial, 0o644)
            os.replace(partial, file)
        except BaseException as error:
            if partial is not None:
                Path(partial).unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise StorageError(f"{file} cannot be written ({error.strerror})") from None
            raise
