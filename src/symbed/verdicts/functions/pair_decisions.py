"""``decide_pairs``: verdicts on many pairs of formulas, on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, overload

from symbed.errors import RangeError, SymbedError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.verdicts.domains import Box, checked_formulas
from symbed.verdicts.functions.decision import DEFAULT_SECONDS, decide
from symbed.verdicts.functions.verdict import Verdict
from symbed.verdicts.grading.worker_process import (
    START_SECONDS,
    WorkerPool,
    decoded_domain,
    decoded_expression,
    encoded_domain,
    encoded_expression,
)

BLOCK = 16  # pairs that a worker takes at once
FEW = 24  # pairs that are decided here: starting processes would take longer


@dataclass(frozen=True)
class PairVerdicts(Sequence[Verdict]):
    """Verdicts on pairs of formulas, in the order of the pairs.

    Attributes
    ----------
    verdicts : tuple of Verdict
        Those that are finished, from the first pair on.
    n_pairs : int
        How many pairs there are.
    """

    verdicts: tuple[Verdict, ...]
    n_pairs: int

    @property
    def is_complete(self) -> bool:
        """Whether every pair was decided; not so after an interruption."""
        return len(self.verdicts) == self.n_pairs

    @property
    def counts(self) -> dict[str, int]:
        """How often each verdict came."""
        tally = Counter(verdict.verdict for verdict in self.verdicts)
        return {name: tally[name] for name in ("equal", "different", "undecided")}

    @overload
    def __getitem__(self, place: int) -> Verdict: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Verdict]: ...
    def __getitem__(self, place: int | slice) -> Verdict | Sequence[Verdict]:
        return self.verdicts[place]

    def __len__(self) -> int:
        return len(self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "n_pairs": self.n_pairs,
            "is_complete": self.is_complete,
            "counts": self.counts,
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }

    def to_frame(self) -> Any:
        """A pandas table with one row for each verdict."""
        import pandas

        return pandas.DataFrame([verdict.to_dict() for verdict in self.verdicts])

    def __str__(self) -> str:
        parts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        rest = "" if self.is_complete else f"; interrupted after {len(self)} of {self.n_pairs}"
        return f"{len(self)} pairs: {parts}{rest}"


def decide_pairs(
    es: Sequence[Any],
    fs: Sequence[Any],
    domain: Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    seconds: float = DEFAULT_SECONDS,
    bound: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> PairVerdicts:
    """Decide for each pair of two columns whether its formulas are the same function.

    The answers are those of ``decide``, for any number of workers. Interrupted by Ctrl-C, it
    returns what is finished, and ``is_complete`` says so.

    Parameters
    ----------
    es, fs : sequence
        The two columns of formulas: text, Expressions or SymPy objects.
    domain : mapping, or sequence of mappings
        One domain for all pairs, or one for each.
    seconds : float
        How long to try at most, for each pair.
    bound : bool
        Whether rigorous bounds are tried.
    workers : int, optional
        How many processes; all cores by default.
    executor : Executor, optional
        Who decides instead: anything with the interface of ``concurrent.futures``. Processes, not
        threads: exact arithmetic runs in one thread at a time.
    progress : bool or callable, optional
        As everywhere in the library.

    Raises
    ------
    RangeError
        Columns of different lengths, or what ``decide`` raises for a pair; the error's
        ``line`` is the number of the pair, from 1.

    Examples
    --------
    >>> print(decide_pairs(["x + x", "x^2"], ["2*x", "x^3"], {"x": (0, 5)}))
    2 pairs: 1 equal, 1 different, 0 undecided
    """
    jobs = list(_jobs(es, fs, domain))
    options = {"seconds": seconds, "bound": bound}
    blocks = [jobs[start : start + BLOCK] for start in range(0, len(jobs), BLOCK)]
    verdicts: list[Verdict] = []
    with Progress("pairs", len(jobs), progress) as shown:
        try:
            if executor is None and (len(jobs) <= FEW or workers == 1):
                for block in blocks:
                    for job in block:
                        verdicts.append(_decide_here(job, options))
                        shown.advance()
                return PairVerdicts(tuple(verdicts), len(jobs))
            pool = WorkerPool() if executor is None else None
            try:
                with open_executor(workers, executor) as hands:
                    tasks = ((block, options, pool) for block in blocks)
                    for done in run_blocks(hands, _decide_block, tasks):
                        verdicts.extend(done)
                        shown.advance(len(done))
            finally:
                if pool is not None:
                    pool.stop()
        except KeyboardInterrupt:
            pass  # what is finished is worth having, and says that it is not all
    return PairVerdicts(tuple(verdicts), len(jobs))


Job = tuple[dict[str, Any], dict[str, Any], dict[str, list[str]]]


def _jobs(es: Sequence[Any], fs: Sequence[Any], domain: Any) -> Iterator[Job]:
    """The pairs, checked and as plain values that travel anywhere."""
    es, fs = list(es), list(fs)
    if len(es) != len(fs):
        raise RangeError(f"the columns have {len(es)} and {len(fs)} formulas; pairs need as many")
    domains = [domain] * len(es) if isinstance(domain, Mapping) else list(domain)
    if len(domains) != len(es):
        raise RangeError(f"{len(domains)} domains for {len(es)} pairs; give one, or one for each")
    for number, (e, f, given) in enumerate(zip(es, fs, domains, strict=True), start=1):
        try:
            box = Box.of(given)
            first, second = checked_formulas((e, f), box.names)
        except SymbedError as error:
            error.line = number
            raise
        yield encoded_expression(first), encoded_expression(second), encoded_domain(box)


def _decide_block(
    block: list[Job], options: dict[str, Any], pool: WorkerPool | None
) -> list[Verdict]:
    if pool is None:
        return [_decide_here(job, options) for job in block]
    verdicts = []
    for e, f, domain in block:
        request = {"task": "decide", "e": e, "f": f, "domain": domain, **options}
        answer = pool.ask(request, START_SECONDS + options["seconds"])
        verdicts.append(Verdict.from_dict(answer))
    return verdicts


def _decide_here(job: Job, options: dict[str, Any]) -> Verdict:
    e, f, domain = job
    first, second = decoded_expression(e), decoded_expression(f)
    return decide(first, second, decoded_domain(domain), **options)
