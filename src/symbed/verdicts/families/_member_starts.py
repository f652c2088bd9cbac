"""Where fits of a family to members of another start from.

Starts are a mix: the target's own numbers, their inverses, roots, products and ratios, wide random
ones, and ones with a parameter at 0 or 1; and what targets that were reached suggest for others.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache

import numpy as np

from symbed._types import Floats, Integers
from symbed.sampling.counter_rng import uniforms
from symbed.verdicts.families.drawn_members import Members
from symbed.verdicts.families.form import Form

N_STARTS = 64
START_KEY = 0x57A7
SIMPLE = (0.0, 1.0, -1.0, 0.5, 2.0)  # values of special cases
N_WIDE = 24  # random numbers of any size
ALIKE = 1e-6  # relative difference of a fitted number to the one that it is taken for
MAX_RELATIONS = 3  # of parameters to the target's own numbers, that starts follow
MAX_SIGNED = 4  # parameters whose signs are tried in all ways


def own_starts(form: Form, targets: Members) -> Floats:
    """Starts for each target, (n_targets, N_STARTS, n_parameters)."""
    values = targets.values
    pool = _pool(values)
    picks = _picks(values.shape[1], form.n_parameters, pool.shape[1])
    starts = pool[:, picks]
    n, p = len(values), form.n_parameters
    if values.shape[1]:
        starts[:, 1, :] = values[:, np.arange(p) % values.shape[1]]
    starts[:, 0, :] = 1.0
    return np.ascontiguousarray(starts.reshape(n, N_STARTS, p))


def _pool(values: Floats) -> Floats:
    """Numbers that parameters may start from, made of each target's own: (n_targets, n_numbers)."""
    n, p = values.shape
    wide = np.broadcast_to(_wide(), (n, N_WIDE))
    simple = np.broadcast_to(np.array(SIMPLE), (n, len(SIMPLE)))
    if not p:
        return np.concatenate([simple, wide], axis=1)
    with np.errstate(all="ignore"):
        size = np.abs(values)
        parts = [
            # Thrice, to be drawn more often than what is made of them.
            values, values, values, -values, 1.0 / values, -1.0 / values,
            np.sqrt(size), values * values, np.log(size), np.exp(np.minimum(values, 50.0)),
        ]  # fmt: skip
        if p > 1:
            products = values[:, :, None] * values[:, None, :]
            ratios = values[:, :, None] / values[:, None, :]
            above = np.triu_indices(p, 1)
            parts += [products[:, *above], -products[:, *above], ratios[:, *above]]
            parts += [ratios[:, above[1], above[0]]]
    own = np.concatenate(parts, axis=1)
    own = np.where(np.isfinite(own), own, 1.0)
    return np.concatenate([simple, wide, own], axis=1)


@lru_cache(maxsize=1)
def _wide() -> Floats:
    signed = 2.0 * uniforms(N_WIDE, 0, START_KEY, 1) - 1.0
    # Magnitudes from 0.01 to 100, each decade alike.
    return np.asarray(np.copysign(10.0 ** (4.0 * np.abs(signed) - 2.0), signed))


@lru_cache(maxsize=256)
def _picks(n_own: int, n_parameters: int, n_numbers: int) -> Integers:
    """Which number of the pool each parameter of each start takes."""
    n_fixed = len(SIMPLE) + N_WIDE
    units = np.stack([uniforms(n_parameters, 0, START_KEY, 2, k) for k in range(N_STARTS)])
    kinds = uniforms(N_STARTS, 0, START_KEY, 3)
    own = (n_fixed + units * (n_numbers - n_fixed)).astype(np.int64)
    wide = (len(SIMPLE) + units * N_WIDE).astype(np.int64)
    has_own = n_numbers > n_fixed
    picks = np.where((kinds[:, None] < 0.7) & has_own, own, wide)
    # In a third of the starts one parameter is at a simple number.
    pinned = np.flatnonzero(uniforms(N_STARTS, 0, START_KEY, 4) < 0.35)
    places = (uniforms(len(pinned), 0, START_KEY, 5) * n_parameters).astype(np.int64)
    # The pool begins with SIMPLE, of which the first three are 0, 1 and -1.
    picks[pinned, places] = (uniforms(len(pinned), 0, START_KEY, 6) * 3).astype(np.int64)
    return picks


def extrapolated(own: Floats, values: Floats, wanted: Floats) -> Floats:
    """Values at other places, by the better of an affine function and a monomial."""
    with np.errstate(all="ignore"):
        plain = [np.column_stack([np.ones(len(part)), part]) for part in (own, wanted)]
        powers = [np.column_stack([np.ones(len(p)), np.log(np.abs(p))]) for p in (own, wanted)]
        best, error = np.full(len(wanted), float(np.median(values))), np.inf
        for (known, new), target, back in (
            (plain, values, lambda row: row),
            (powers, np.log(np.abs(values)), np.exp),
        ):
            if not (np.isfinite(known).all() and np.isfinite(target).all()):
                continue
            weights = np.linalg.lstsq(known, target, rcond=None)[0]
            # The median: a solution on another branch must not spoil the others' map.
            misfit = float(np.median(np.abs(back(known @ weights) - back(target))))
            guess = back(new @ weights)
            if misfit < error and np.isfinite(guess).all():
                best, error = guess, misfit
    return best


def repeated_relations(own: Floats, values: Floats, wanted: Floats) -> Floats:
    """Starts from what targets that were reached have in common, (n_wanted, n_starts, n_values).

    Each of the ``values`` of a target that was reached is looked up, without its sign, among sums,
    products and functions of the target's own numbers ``own``. Solutions may differ in signs and
    in the order of their parts, so that no single map fits them all; the most frequent ones give
    starts, in all signs, for the targets with the numbers ``wanted``.
    """
    known, new = (np.abs(_combinations(part)) for part in (own, wanted))
    sizes = np.abs(values)[:, :, None]
    # (n_known, n_values, n_numbers)
    alike = np.abs(known[:, None, :] - sizes) <= ALIKE * sizes
    first = np.argmax(alike, axis=2)  # the plainest that is alike
    # A relation is the place in the list of numbers that each value has, if all have one.
    relations = Counter(map(tuple, first[alike.any(axis=2).all(axis=1)].tolist()))
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=min(values.shape[1], MAX_SIGNED))))
    signs = np.pad(signs, ((0, 0), (0, values.shape[1] - signs.shape[1])), constant_values=1.0)
    starts = [
        new[:, None, list(relation)] * signs for relation, _ in relations.most_common(MAX_RELATIONS)
    ]
    return np.concatenate([np.empty((len(wanted), 0, values.shape[1])), *starts], axis=1)


def _combinations(values: Floats) -> Floats:
    """Simple numbers and those made of each row's own, the plainest first."""
    n, p = values.shape
    i, j = np.triu_indices(p, 1)
    x, y = values[:, i], values[:, j]
    simple = np.broadcast_to(np.array(SIMPLE), (n, len(SIMPLE)))
    with np.errstate(all="ignore"):
        size = np.abs(values)
        logs = np.log(size)
        plain = np.concatenate(
            [
                values, x + y, x - y, x * y, x / y, y / x, 1.0 / values, values * values,
                np.sqrt(size), logs, np.exp(values), x * logs[:, j], y * logs[:, i],
            ],
            axis=1,
        )  # fmt: skip
    numbers = np.concatenate([simple, plain, 2.0 * plain, 0.5 * plain], axis=1)
    return np.where(np.isfinite(numbers), numbers, 1.0)
