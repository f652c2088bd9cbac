"""``relate_many``: one family against a list of others, on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, overload

from symbed._types import Seed
from symbed.errors import SymbedError
from symbed.parallel import open_executor, run_blocks
from symbed.progress import Progress, Shown
from symbed.sampling.validation import checked_seed
from symbed.verdicts.families.form import Domain, Ranges, read_form
from symbed.verdicts.families.members.drawn_members import MEMBERS
from symbed.verdicts.families.relation import DEFAULT_SECONDS, Relation, relate
from symbed.verdicts.grading.worker_process import (
    START_SECONDS,
    WorkerPool,
    decoded_relation,
    encoded_expression,
    encoded_ranges,
)
from symbed.workbench.fitting.binding import FitRoles, Source
from symbed.workbench.fitting.bounds import Bounds

FEW = 24  # pairs that are judged here: starting processes would take longer
PATIENCE = 4.0  # times the seconds of a pair, after which a process counts as lost


@dataclass(frozen=True)
class Relations(Sequence[Relation]):
    """Relations of one family to others, in their order.

    Attributes
    ----------
    relations : tuple of Relation
        Those that are finished, from the first family on.
    n_families : int
        How many families there are.
    """

    relations: tuple[Relation, ...]
    n_families: int

    @property
    def is_complete(self) -> bool:
        """Whether every family was judged; not so after an interruption."""
        return len(self.relations) == self.n_families

    @property
    def counts(self) -> dict[str, int]:
        """How often each relation came."""
        return dict(Counter(relation.relation for relation in self.relations))

    @overload
    def __getitem__(self, place: int) -> Relation: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Relation]: ...
    def __getitem__(self, place: int | slice) -> Relation | Sequence[Relation]:
        return self.relations[place]

    def __len__(self) -> int:
        return len(self.relations)

    def to_frame(self) -> Any:
        """A pandas table with a row for each relation."""
        from symbed._export import data_frame

        return data_frame([relation.to_dict() for relation in self.relations])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "n_families": self.n_families,
            "is_complete": self.is_complete,
            "relations": [relation.to_dict() for relation in self.relations],
        }


def relate_many(
    e: Source,
    families: Iterable[Source],
    domain: Domain,
    parameters: Ranges = None,
    *,
    seconds: float = DEFAULT_SECONDS,
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
    domain : mapping from str to range
        As in ``relate``, for each pair.
    parameters : range or mapping from str to range, optional
        As in ``relate``, for each pair.
    seconds : float
        As in ``relate``, for each pair.
    n_members, seed : int
        As in ``relate``, for each pair.
    substitution : bool
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
    others = list(families)
    options = {
        "seconds": seconds, "n_members": n_members, "seed": checked_seed(seed),
        "substitution": substitution,
    }  # fmt: skip
    request = _request(e, domain, parameters, options)
    here = executor is None and (len(others) <= FEW or workers == 1 or request is None)
    relations: list[Relation] = []
    with Progress("relations", len(others), progress) as shown:
        try:
            if here:
                for number, family in enumerate(others, start=1):
                    relations.append(_related(number, e, family, domain, parameters, options))
                    shown.advance()
                return Relations(tuple(relations), len(others))
            pool = WorkerPool() if executor is None else None
            numbered = enumerate(others, start=1)
            blocks: Iterable[tuple[Any, ...]] = (
                ((number, e, family, domain, parameters, options) for number, family in numbered)
                if pool is None
                else ((number, family, request, tuple(domain), pool) for number, family in numbered)
            )
            try:
                with open_executor(workers, executor) as hands:
                    judge = _related if pool is None else _related_elsewhere
                    for relation in run_blocks(hands, judge, blocks):
                        relations.append(relation)
                        shown.advance()
            finally:
                if pool is not None:
                    pool.stop()
        except KeyboardInterrupt:
            pass  # what is finished is worth having, and says that it is not all
    return Relations(tuple(relations), len(others))


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


def _related(
    number: int,
    e: Source,
    f: Source,
    domain: Domain,
    parameters: Ranges,
    options: dict[str, Any],
) -> Relation:
    try:
        return relate(e, f, domain, parameters, **options)
    except SymbedError as error:
        error.line = number
        raise


def _related_elsewhere(
    number: int,
    f: Source,
    request: dict[str, Any],
    variables: tuple[str, ...],
    pool: WorkerPool,
) -> Relation:
    """The relation by a process of the pool, which keeps its precision to itself."""
    try:
        source = FitRoles(variables, Bounds(None)).read(f)
        seconds = START_SECONDS + PATIENCE * request["options"]["seconds"]
        return decoded_relation(pool.ask(request | {"f": encoded_expression(source)}, seconds))
    except SymbedError as error:
        error.line = number
        raise
