"""``relate_many``: one family against a list of others, on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor

from symbed.parallel import open_executor, run_blocks
from symbed.verdicts.families.form import Domain, Ranges
from symbed.verdicts.families.members import MEMBERS
from symbed.verdicts.families.relation import DEFAULT_SECONDS, Relation, relate
from symbed.workbench.fitting.binding import Source


def relate_many(
    e: Source,
    families: Iterable[Source],
    domain: Domain,
    parameters: Ranges = None,
    *,
    seconds: float = DEFAULT_SECONDS,
    n_members: int = MEMBERS,
    seed: int = 0,
    substitution: bool = True,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Relation, ...]:
    """How one family relates to each of some others.

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
        Number of threads; all cores by default. The answers do not depend on it.
    executor : Executor, optional
        Who computes, instead of threads; the answers do not depend on it either.
    progress : callable, optional
        Called with the number of pairs done.

    Examples
    --------
    >>> [r.relation for r in relate_many("C*x", ["2*C*x", "C*x + C"], {"x": (1, 5)})]
    ['same', 'e_in_f']
    """
    blocks = [
        (e, family, domain, parameters, seconds, n_members, seed, substitution)
        for family in families
    ]
    relations: list[Relation] = []
    with open_executor(workers, executor) as pool:
        for relation in run_blocks(pool, _related, blocks):
            relations.append(relation)
            if progress:
                progress(len(relations))
    return tuple(relations)


def _related(
    e: Source,
    f: Source,
    domain: Domain,
    parameters: Ranges,
    seconds: float,
    n_members: int,
    seed: int,
    substitution: bool,
) -> Relation:
    return relate(
        e, f, domain, parameters,
        seconds=seconds, n_members=n_members, seed=seed, substitution=substitution,
    )  # fmt: skip
