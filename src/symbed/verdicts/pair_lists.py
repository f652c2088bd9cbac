"""Verdicts on lists of pairs, on all cores: ``decide_pairs`` and ``relate_many``.

Exact arithmetic runs in one thread at a time, so each pair is judged by a process; the answers are
those of single calls, for any number of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, overload

from symbed._types import Seed
from symbed.errors import RangeError, SymbedError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.sampling.validation import checked_seed
from symbed.verdicts.domains import Box, checked_formulas
from symbed.verdicts.families.drawn_members import MEMBERS
from symbed.verdicts.families.form import Domain, Ranges, read_form
from symbed.verdicts.families.relation import DEFAULT_SECONDS as RELATE_SECONDS
from symbed.verdicts.families.relation import Relation, relate
from symbed.verdicts.functions.decision import DEFAULT_SECONDS, decide
from symbed.verdicts.functions.verdict import Verdict
from symbed.verdicts.worker_process import (
    START_SECONDS,
    WorkerPool,
    decoded_domain,
    decoded_expression,
    decoded_relation,
    encoded_domain,
    encoded_expression,
    encoded_ranges,
)
from symbed.workbench.evaluation import Source
from symbed.workbench.fit_problem import Bounds, FitRoles

BLOCK = 16  # pairs that a worker decides at once; a relation takes as long as many decisions
FEW = 24  # pairs that are judged here: starting processes would take longer
PATIENCE = 4.0  # times the seconds of a relation, after which a process counts as lost

Judged = TypeVar("Judged", Verdict, Relation)
Job = Any  # one pair, as plain values that travel anywhere


@dataclass(frozen=True, repr=False)
class JudgedPairs(Sequence[Judged], Generic[Judged]):
    """What was said about pairs of formulas, in their order, as far as it is finished."""

    _judged: tuple[Judged, ...]
    _n_asked: int

    @property
    def is_complete(self) -> bool:
        """Whether every pair was judged; not so after an interruption."""
        return len(self) == self._n_asked

    @overload
    def __getitem__(self, place: int) -> Judged: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Judged]: ...
    def __getitem__(self, place: int | slice) -> Judged | Sequence[Judged]:
        return self._judged[place]

    def __len__(self) -> int:
        return len(self._judged)

    def to_frame(self) -> Any:
        """A pandas table with one row for each pair."""
        from symbed._export import data_frame

        return data_frame([each.to_dict() for each in self])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} of {self._n_asked})"


class PairVerdicts(JudgedPairs[Verdict]):
    """Verdicts on pairs of formulas, in the order of the pairs."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those that are finished, from the first pair on."""
        return self._judged

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return self._n_asked

    @property
    def counts(self) -> dict[str, int]:
        """How often each verdict came."""
        tally = Counter(verdict.verdict for verdict in self)
        return {name: tally[name] for name in ("equal", "different", "undecided")}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "n_pairs": self.n_pairs,
            "is_complete": self.is_complete,
            "counts": self.counts,
            "verdicts": [verdict.to_dict() for verdict in self],
        }

    def __str__(self) -> str:
        parts = ", ".join(f"{count} {name}" for name, count in self.counts.items())
        rest = "" if self.is_complete else f"; interrupted after {len(self)} of {self.n_pairs}"
        return f"{len(self)} pairs: {parts}{rest}"


class Relations(JudgedPairs[Relation]):
    """Relations of one family to others, in their order."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Those that are finished, from the first family on."""
        return self._judged

    @property
    def n_families(self) -> int:
        """How many families there are."""
        return self._n_asked

    @property
    def counts(self) -> dict[str, int]:
        """How often each relation came."""
        return dict(Counter(relation.relation for relation in self))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "n_families": self.n_families,
            "is_complete": self.is_complete,
            "relations": [relation.to_dict() for relation in self],
        }


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
    # All are checked before the first is judged: a bad line is told at once.
    jobs = list(_pairs_to_decide(es, fs, domain))
    options = {"seconds": seconds, "bound": bound}
    # Partials of functions of this module, no closures: an executor of processes pickles them.
    verdicts = _judge_all(
        "pairs", jobs, partial(_decide_here, options), partial(_decide_elsewhere, options),
        len(jobs) <= FEW or workers == 1, BLOCK, workers, executor, progress,
    )  # fmt: skip
    return PairVerdicts(verdicts, len(jobs))


def relate_many(
    e: Source,
    families: Iterable[Source],
    domain: Domain,
    parameters: Ranges = None,
    *,
    seconds: float = RELATE_SECONDS,
    n_members: int = MEMBERS,
    seed: Seed = 0,
    substitution: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Shown = None,
) -> Relations:
    """How one family relates to each of some others.

    Interrupted by Ctrl-C, it returns what is finished, and ``is_complete`` says so.

    Parameters
    ----------
    e : str, sequence of str or Expression
        The formula; E of every relation.
    families : iterable of formulas
        The others; F of the relations, in their order.
    domain, parameters, seconds, n_members, seed, substitution
        As in ``relate``, for each pair.
    workers : int, optional
        How many processes; all cores by default. The answers do not depend on it.
    executor : Executor, optional
        Who judges instead: anything with the interface of ``concurrent.futures``. Processes, not
        threads: exact arithmetic runs in one thread at a time.
    progress : bool or callable, optional
        As everywhere in the library.

    Raises
    ------
    SymbedError
        What ``relate`` raises for a pair; the error's ``line`` is the number of the family, from 1.

    Examples
    --------
    >>> [r.relation for r in relate_many("C*x", ["2*C*x", "C*x + C"], {"x": (1, 5)})]
    ['same', 'e_in_f']
    """
    jobs = list(enumerate(families, start=1))
    options = {
        "seconds": seconds, "n_members": n_members, "seed": checked_seed(seed),
        "substitution": substitution,
    }  # fmt: skip
    # Of a domain that is none of plain numbers, a process cannot be asked.
    request = _request(e, domain, parameters, options)
    relations = _judge_all(
        "relations", jobs, partial(_relate_here, e, domain, parameters, options),
        partial(_relate_elsewhere, request or {}, tuple(domain)),
        len(jobs) <= FEW or workers == 1 or request is None, 1, workers, executor, progress,
    )  # fmt: skip
    return Relations(relations, len(jobs))


def _judge_all(
    name: str,
    jobs: Sequence[Job],
    here: Callable[[Job], Judged],
    elsewhere: Callable[[WorkerPool, Job], Judged],
    is_local: bool,
    block: int,
    workers: int | None,
    executor: Executor | None,
    progress: Shown,
) -> tuple[Judged, ...]:
    """Judge jobs in order: here, by the processes of a pool, or ``here`` inside of an executor."""
    judged: list[Judged] = []
    with Progress(name, len(jobs), progress) as shown:
        try:
            if is_local and executor is None:
                for job in jobs:
                    judged.append(here(job))
                    shown.advance()
                return tuple(judged)
            # Threads that wait, each for a process of its own: a lock around flint's precision lets
            # one thread at a time compute.
            pool = WorkerPool() if executor is None else None
            judge = here if pool is None else partial(elsewhere, pool)
            starts = range(0, len(jobs), block)
            try:
                with open_executor(workers, executor) as hands:
                    blocks = ((judge, jobs[start : start + block]) for start in starts)
                    for done in run_blocks(hands, _judge_block, blocks):
                        judged.extend(done)
                        shown.advance(len(done))
            finally:
                if pool is not None:
                    pool.stop()
        except KeyboardInterrupt:
            pass  # what is finished is worth having, and says that it is not all
    return tuple(judged)


def _judge_block(judge: Callable[[Job], Judged], jobs: Sequence[Job]) -> list[Judged]:
    return [judge(job) for job in jobs]


def _pairs_to_decide(es: Sequence[Any], fs: Sequence[Any], domain: Any) -> Iterator[Job]:
    """The pairs, checked and as plain values."""
    es, fs = list(es), list(fs)
    if len(es) != len(fs):
        raise RangeError(f"the columns have {len(es)} and {len(fs)} formulas; pairs need as many")
    domains = [domain] * len(es) if isinstance(domain, Mapping) else list(domain)
    if len(domains) != len(es):
        raise RangeError(f"{len(domains)} domains for {len(es)} pairs; give one, or one for each")
    for number, (e, f, ranges) in enumerate(zip(es, fs, domains, strict=True), start=1):
        with _named_by(number):
            box = Box.of(ranges)
            first, second = checked_formulas((e, f), box.names)
        yield encoded_expression(first), encoded_expression(second), encoded_domain(box)


def _decide_here(options: dict[str, Any], job: Job) -> Verdict:
    e, f, domain = job
    return decide(decoded_expression(e), decoded_expression(f), decoded_domain(domain), **options)


def _decide_elsewhere(options: dict[str, Any], pool: WorkerPool, job: Job) -> Verdict:
    e, f, domain = job
    request = {"task": "decide", "e": e, "f": f, "domain": domain, **options}
    return Verdict.from_dict(pool.ask(request, START_SECONDS + options["seconds"]))


def _request(
    e: Source, domain: Domain, parameters: Ranges, options: dict[str, Any]
) -> dict[str, Any] | None:
    """The question without F as plain values; None where the domain is none that travels."""
    first = read_form(e, domain, parameters)
    ranges, limits = encoded_ranges(domain), encoded_ranges(parameters)
    if ranges is None or (limits is None and parameters is not None):
        return None
    encoded = {"e": encoded_expression(first.source), "domain": ranges, "parameters": limits}
    return {"task": "relate", **encoded, "options": options}


def _relate_here(
    e: Source, domain: Domain, parameters: Ranges, options: dict[str, Any], job: Job
) -> Relation:
    number, family = job
    with _named_by(number):
        return relate(e, family, domain, parameters, **options)


def _relate_elsewhere(
    request: dict[str, Any], variables: tuple[str, ...], pool: WorkerPool, job: Job
) -> Relation:
    number, family = job
    with _named_by(number):
        source = FitRoles(variables, Bounds(None)).read(family)
        seconds = START_SECONDS + PATIENCE * request["options"]["seconds"]
        return decoded_relation(pool.ask(request | {"f": encoded_expression(source)}, seconds))


@contextmanager
def _named_by(number: int) -> Iterator[None]:
    """Errors say of which pair they are."""
    try:
        yield
    except SymbedError as error:
        error.line = number
        raise
