"""Flip single bits of atlases on disk: with ``verify`` each is told, without it nothing hangs."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import symbed
from benchmarks.common import Goal, Report, argument_parser, finish
from symbed.behavior.store import segments
from symbed.behavior.store._manifest import MANIFEST
from symbed.distances.search import sketches
from symbed.errors import SymbedError

TEXTS = [
    "a*x", "x", "sin(a*x) + b", "x^2*a", "ln(x - 2)*a", "C*x + C", "1/(x - y)",
    "exp(ln(a) + ln(x))", "2.5*sqrt(y)", "(a + b)*(c + y)", "sqrt(-x)", "y*x", "sn(x)",
    "ünlü(x)", "x*a", "-y/a",
]  # fmt: skip
PROBE = symbed.Probe({"x": (1, 5), "y": (-1, 2)}, parameters=(1, 5), n_points=8, n_draws=4)
LIMIT = 10.0  # seconds that the use of one damaged atlas may take


class Flip(NamedTuple):
    """One damage: which atlas and file, which bit, and how it is used."""

    atlas: int
    file: str
    bit: int
    verify: bool
    mapped: bool  # as if the segment were large: mapped, and so not compared with its digest

    def shown(self) -> str:
        """The flip as text, to be done again."""
        return f"atlas {self.atlas}, {self.file}, bit {self.bit}, mapped {self.mapped}"


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__)
    parser.add_argument("--flips", type=int, default=20_000, help="in each of the two modes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each use")
    arguments = parser.parse_args()
    reports = [
        report(arguments.flips, arguments.seed, arguments.limit, verify=verify)
        for verify in (True, False)
    ]
    return finish(reports, arguments.json)


def report(n_flips: int, seed: int, limit: float, *, verify: bool) -> Report:
    """What random flips led to."""
    with tempfile.TemporaryDirectory() as folder:
        atlases = [make_atlas(Path(folder) / str(kind), kind) for kind in range(3)]
        flips = list(random_flips(atlases, n_flips, seed, verify=verify))
        seen: Counter[str] = Counter()
        worst: dict[str, str] = {}
        for flip, outcome in outcomes(atlases, flips, limit):
            seen[outcome] += 1
            worst.setdefault(outcome, flip.shown())
    title = f"{n_flips:,} single bits flipped, {'with' if verify else 'without'} verify"
    result = Report(title, facts=[f"{name}: {count:,}" for name, count in seen.most_common()])
    bad = ["untyped error", "hang", "crash"] + ["silent", "not noticed"] * verify
    for name in bad:
        result.goals.append(Goal(f"{name}s" if "error" in name else name, seen[name], 0, False))
        if seen[name]:
            result.facts.append(f"first {name}: {worst[name]}")
    return result


def make_atlas(path: Path, kind: int) -> dict[str, bytes]:
    """The files of an atlas of a kind: outputs kept, programs kept, programs and sketches kept."""
    losses = np.arange(len(TEXTS), dtype=float)
    atlas = symbed.survey(
        TEXTS, PROBE, out=path, keep="programs" if kind else "behaviors", errors="skip",
        metadata={"loss": losses, "source": [f"table {n}" for n in range(len(TEXTS))]},
    )  # fmt: skip
    if kind == 2:
        usual, sketches.KEPT = sketches.KEPT, 0
        symbed.nearest("a*x + 1", atlas, k=3)
        sketches.KEPT = usual
    else:
        atlas.append(["x^3 + a", "b*y"])
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def random_flips(
    atlases: list[dict[str, bytes]], count: int, seed: int, *, verify: bool
) -> Iterator[Flip]:
    """Flips of random bits, of the manifest as often as of the segments."""
    chance = random.Random(seed)
    for _ in range(count):
        number = chance.randrange(len(atlases))
        files = [name for name, content in atlases[number].items() if content]
        others = [name for name in files if name.endswith(segments.ENDING)]
        file = MANIFEST if chance.random() < 0.5 else chance.choice(others)
        bit = chance.randrange(8 * len(atlases[number][file]))
        yield Flip(number, file, bit, verify, chance.random() < 0.75)


def outcomes(
    atlases: list[dict[str, bytes]], flips: list[Flip], limit: float
) -> Iterator[tuple[Flip, str]]:
    """What the use of each damaged atlas led to, in a process that may hang or die."""
    done = 0
    context = multiprocessing.get_context("spawn")
    while done < len(flips):
        here, there = context.Pipe()
        process = context.Process(target=_use_all, args=(there, atlases, flips[done:]))
        process.start()
        there.close()
        patience = 60.0  # until it has started
        try:
            while done < len(flips):
                if not here.poll(patience):
                    raise TimeoutError
                word = here.recv()
                if word:
                    yield flips[done], word
                    done += 1
                patience = limit
        except (TimeoutError, EOFError) as end:
            process.kill()
            yield flips[done], "hang" if isinstance(end, TimeoutError) else "crash"
            done += 1
        finally:
            process.join(5)
            if process.is_alive():
                process.kill()
            here.close()


def _use_all(there: Connection, atlases: list[dict[str, bytes]], flips: list[Flip]) -> None:
    """Damage, use and mend one atlas after the other, and tell each outcome."""
    warnings.simplefilter("ignore")
    os.fsync = lambda fd: None  # nothing here has to last
    sketches.KEPT = 0
    small = segments.READ_WHOLE
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        expected = {}
        for mapped in (False, True):
            segments.READ_WHOLE = 0 if mapped else small
            for number, files in enumerate(atlases):
                _mend(path, files)
                expected[number, mapped] = answers(path, verify=True)
        there.send("")  # begun
        for flip in flips:
            _mend(path, atlases[flip.atlas])
            segments.READ_WHOLE = 0 if flip.mapped else small
            content = bytearray(atlases[flip.atlas][flip.file])
            content[flip.bit // 8] ^= 1 << flip.bit % 8
            (path / flip.file).write_bytes(content)
            there.send(_outcome(path, flip, expected[flip.atlas, flip.mapped]))
    there.close()


def _mend(path: Path, files: dict[str, bytes]) -> None:
    for file in path.iterdir():
        if file.name not in files:
            file.unlink()
    for name, content in files.items():
        (path / name).write_bytes(content)


def _outcome(path: Path, flip: Flip, expected: str) -> str:
    try:
        answer = answers(path, verify=flip.verify)
    except SymbedError as error:
        named = str(path) in str(error)
        if os.environ.get("SHOW_UNNAMED") and not named:
            print(flip.shown(), repr(error), file=sys.stderr)
        return "typed error" if named else "typed error without the file"
    except Exception as error:
        print(flip.shown(), repr(error), file=sys.stderr)
        return "untyped error"
    if not flip.verify:
        return "the same answers" if answer == expected else "other answers"
    return "not noticed" if answer == expected else "silent"


def answers(path: Path, *, verify: bool) -> str:
    """Everything that an atlas says, as one text."""
    atlas = symbed.Atlas.open(path, verify=verify)
    said: list[Any] = [list(atlas.labels), list(atlas.skipped), dict(atlas.metadata.items())]
    said += [list(column) for column in atlas.metadata.values()]
    said += [atlas[n].outputs.tolist() for n in range(len(atlas))]
    said += [symbed.pairwise(atlas).values.tolist(), symbed.nearest("a*x", atlas, k=3).to_dict()]
    said += [symbed.duplicates(atlas).to_dict(), repr(atlas)]
    return repr(said)


if __name__ == "__main__":
    sys.exit(main())
