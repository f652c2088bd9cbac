"""The tasks of a benchmark: one method on the data of one problem; and the folder of results.

A problem is a ``Dataset`` of the workbench: what is to be found is its form, and the values of its
constants only make the data. A task is known by its content: its key is a digest of all that
decides its result, so that a benchmark which is killed, or extended, never runs a task twice. In a
folder, ``runs/KEY.json`` has what a method found and used, ``scores/KEY.json`` what that is worth.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from symbed._types import Floats
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import DataError, RangeError, StorageError
from symbed.sampling.counter_rng import uniforms
from symbed.scoring.benchmark.methods import Ending, Limits, Method, run_method, source_digest
from symbed.workbench.benchmark_datasets import COLLECTIONS, Dataset, dataset, datasets

try:
    import fcntl
except ImportError:  # not on Windows, where nothing keeps two commands apart
    fcntl = None  # type: ignore[assignment]

NOISE_KEY = 14  # tells the numbers of the noise from those of the inputs
SHOWN = 6  # digits of an adapter's digest that tell it from others
VERSION = 1  # of tasks and of what is written about them; raised when results would change
SETTINGS = "benchmark.json"
PARTIAL = ".partial-"  # begins the names of files that are being written
LOCK = ".lock"


@dataclass(frozen=True)
class Task:
    """One run of one method.

    Attributes
    ----------
    problem : str
        The name of the data set.
    method : Method
        Who is asked.
    noise : float
        Share of the outputs' spread.
    seed : int
        Of the data, and of the method.
    n_rows : int
        Rows of the data.
    limits : Limits
        What the method may use.
    """

    problem: str
    method: Method
    noise: float
    seed: int
    n_rows: int
    limits: Limits

    @property
    def truth(self) -> Dataset:
        """The problem itself."""
        return dataset(self.problem)

    @cached_property
    def key(self) -> str:
        """The digest that names its files."""
        # In place of the method's fields: where an adapter lies does not decide its results.
        content = {"method": self.method.identity, "formula": str(self.truth.formula)}
        return digest(self.to_dict() | content | {"version": VERSION})

    @property
    def setting(self) -> tuple[tuple[str, str], ...]:
        """What tells runs of methods of one name apart, in words."""
        method, limits = self.method, self.limits
        return (
            ("adapter", f"adapter {method.source[:SHOWN]}" if method.source else method.place),
            ("class", method.class_name),
            ("python", method.python or "this Python"),
            ("options", " ".join(f"{name}={value}" for name, value in method.options)),
            ("rows", f"{self.n_rows} rows"),
            ("seconds", f"{limits.seconds:g} s"),
            ("grace", f"grace {limits.grace:g} s"),
            ("memory", f"{limits.megabytes:g} MB"),
        )

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return {
            "problem": self.problem,
            "method": self.method.to_dict(),
            "noise": self.noise,
            "seed": self.seed,
            "n_rows": self.n_rows,
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Task:
        """The task of its plain values."""
        method = dict(fields["method"])
        method["options"] = tuple(sorted(method["options"].items()))
        limits = Limits(**fields["limits"])
        return cls(**{**fields, "method": Method(**method), "limits": limits})


def make_tasks(
    problems: Sequence[Dataset],
    methods: Sequence[Method],
    noises: Sequence[float],
    seeds: Sequence[int],
    n_rows: int,
    limits: Limits,
) -> list[Task]:
    """All tasks of a benchmark: seed by seed, so that an unfinished one has whole seeds."""
    return [
        Task(problem.name, method, noise, seed, n_rows, limits)
        for seed in seeds
        for noise in noises
        for problem in problems
        for method in methods
    ]


def method_labels(tasks: Iterable[Task]) -> dict[str, str]:
    """What results call the method of each task, by its key.

    That is the method's name. Where a folder has runs of that name with other adapters, options or
    limits, what differs stands behind it, so that no figure mixes them. An adapter that is today's
    needs no word.
    """
    by_name: dict[str, dict[tuple[tuple[str, str], ...], list[Task]]] = {}
    for task in tasks:
        by_name.setdefault(task.method.name, {}).setdefault(task.setting, []).append(task)
    labels: dict[str, str] = {}
    for name, settings in by_name.items():
        # Facts that all runs of a name share tell none of them apart.
        shared = set.intersection(*map(set, settings))
        for setting, same in settings.items():
            method = same[0].method
            is_todays = bool(method.source) and source_digest(method.place) == method.source
            words = [
                text
                for fact, text in setting
                if (fact, text) not in shared and text and not (fact == "adapter" and is_todays)
            ]
            label = f"{name} ({', '.join(words)})" if words else name
            labels |= dict.fromkeys((task.key for task in same), label)
    return labels


def run_task(task: Task) -> Ending:
    """Run the method of a task on its data, and wait for it."""
    problem = task.truth
    X, y = sample_data(problem, task.n_rows, task.noise, task.seed)
    return run_method(task.method, X, y, problem.variables, task.seed, task.limits)


def digest(document: Any) -> str:
    """A short name for a document of plain values."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def read_problems(given: Iterable[str | Dataset]) -> tuple[Dataset, ...]:
    """The problems of a list of names.

    Parameters
    ----------
    given : iterable of str or Dataset
        A collection (``nguyen``), so many problems spread evenly over it (``feynman:10``), or one
        problem (``I.29.4``).

    Examples
    --------
    >>> [one.name for one in read_problems(["nguyen:2", "cooling"])]
    ['Nguyen-1', 'Nguyen-12', 'cooling']
    """
    found: dict[str, Dataset] = {}
    for word in given:
        chosen = (word,) if isinstance(word, Dataset) else _chosen_problems(word)
        found.update((one.name, one) for one in chosen)
    if not found:
        raise RangeError(f"a benchmark needs problems, such as {', '.join(COLLECTIONS)}")
    return tuple(found.values())


def sample_data(problem: Dataset, n_rows: int, noise: float, seed: int) -> tuple[Floats, Floats]:
    """The data of one run, X and y: inputs by their laws, outputs with noise.

    The same on every machine. The noise is normal, its size a share of the spread of the outputs.
    """
    X, y = problem.sample(n_rows, seed)
    if noise:
        y = y + noise * float(np.std(y)) * _normals(n_rows, seed, problem.name)
    return X, y


def _chosen_problems(word: str) -> tuple[Dataset, ...]:
    name, colon, count = word.strip().rpartition(":")
    if not colon:
        name = word.strip()
        return datasets(name) if name in COLLECTIONS else (dataset(name),)
    if name not in COLLECTIONS:
        raise RangeError(f"collection must be one of {', '.join(COLLECTIONS)}, got {name!r}")
    everything = datasets(name)
    if not count.isdecimal() or not 1 <= int(count) <= len(everything):
        raise RangeError(f"{name} has {len(everything)} problems, so many or fewer, got {count!r}")
    places = np.linspace(0, len(everything) - 1, int(count)).round().astype(int)
    return tuple(everything[place] for place in places.tolist())


def _normals(n: int, seed: int, name: str) -> Floats:
    """Normal numbers by Box and Muller, with the engine's own functions: the same bits anywhere."""
    key = int.from_bytes(name.encode(), "little")
    u, v = (uniforms(n, seed, key, NOISE_KEY, column) for column in (0, 1))
    return np.sqrt(-2.0 * FUNCTIONS["ln"](u)) * FUNCTIONS["cos"](2.0 * np.pi * v)


class ResultFolder:
    """The results of a benchmark on disk; one command runs there, any number may report on it.

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
