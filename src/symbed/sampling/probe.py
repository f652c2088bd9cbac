"""``Probe``: the points and parameter draws at which expressions are observed.

A ``Probe`` is a value: two probes made alike are equal, give the same numbers on every machine and
on any number of workers, and travel to other processes.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Floats, Integers, Seed
from symbed.errors import RangeError
from symbed.limits import DRAWS, OUTPUTS, POINTS
from symbed.sampling.designs import Design, ParameterDraws, named
from symbed.sampling.ranges import Law, Range
from symbed.sampling.validation import (
    checked_count,
    checked_domain,
    checked_limit,
    checked_names,
    checked_parameters,
    checked_points,
    checked_seed,
    checked_whole,
    missing_range,
)

VERSION = "symbed probe 5"  # part of every fingerprint; raise it when any number changes
POINTS_STREAM, DRAWS_STREAM = 1, 2
N_SENTINELS = 8
MAX_LAWS = 256  # a range's number is one byte in compiled programs


@dataclass(frozen=True, eq=False, repr=False)
class Probe:
    """Where expressions are observed: input points, and draws of their free parameters.

    Parameters
    ----------
    domain : mapping from str to range
        For each variable its range, ``(low, high)`` or a law with ``.ppf``.
    parameters : range or mapping from str to range, optional
        One range for all free parameters, or one for each name (``"C"`` for the anonymous ones);
        None when expressions have none.
    n_points, n_draws : int
        How many input points, and how many parameter vectors at each.
    design : str
        How they fill the space: ``"lattice"`` (the default, least error), ``"shared"`` (one draw
        set for all points), ``"lhs"``, ``"random"`` or ``"paper"``.
    limit : float
        Outputs larger in magnitude count as undefined.
    seed : int
        Which of the many equally good samples. A NumPy Generator gives its next number.
    data : (n, d) ndarray, optional
        Given points instead of designed ones; set by ``Probe.at``.
    redraw : int
        Which set of draws; set by ``redrawn``.
    part : (int, int, int), optional
        Start, step and number of the draws that these are some of; set by ``half``.

    Examples
    --------
    >>> probe = Probe({"x": (1, 5)}, parameters=(0, 2), n_points=4, n_draws=8)
    >>> probe
    Probe(x in (1, 5), parameters in (0, 2), 4 points x 8 draws, lattice, seed 0)
    >>> probe.points.ravel().round(2)  # one point in each quarter
    array([1.82, 2.18, 3.42, 4.58])
    """

    domain: Mapping[str, Range | None]
    parameters: Range | Mapping[str, Range] | None = None
    n_points: int = field(default=64, kw_only=True)
    n_draws: int = field(default=32, kw_only=True)
    design: str = field(default="lattice", kw_only=True)
    limit: float = field(default=math.inf, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    data: Floats | None = field(default=None, kw_only=True)
    redraw: int = field(default=0, kw_only=True)
    part: tuple[int, int, int] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        named(self.design)  # raises if there is none of that name
        self._set("n_points", checked_count("n_points", self.n_points))
        self._set("n_draws", checked_count("n_draws", self.n_draws))
        self._set("seed", checked_seed(self.seed))
        self._set("limit", checked_limit(self.limit))
        for limit, count in ((POINTS, self.n_points), (DRAWS, self.n_draws)):
            limit.check(count)
        OUTPUTS.check(self.n_points * self.n_draws)
        self._set("domain", checked_domain(self.domain, self.data))
        self._set("parameters", checked_parameters(self.parameters, self.domain))
        if len(self.laws) > MAX_LAWS:
            raise RangeError(f"at most {MAX_LAWS} different parameter ranges, got {len(self.laws)}")

    @classmethod
    def at(
        cls,
        points: ArrayLike | Mapping[str, ArrayLike],
        variables: str | Sequence[str],
        *,
        parameters: Range | Mapping[str, Range] | None = None,
        n_draws: int = 32,
        design: str = "lattice",
        limit: float = math.inf,
        seed: Seed = 0,
    ) -> Probe:
        """A probe at the points of a data set: (n, d), or (n,) for one variable.

        Columns of a table or a mapping go by their names, in whatever order it has them.

        >>> Probe.at([[0.0, 1.0], [2.0, 3.0]], ["x", "y"], parameters=(1, 5))
        Probe(x, y at 2 given points, parameters in (1, 5), 2 points x 32 draws, lattice, seed 0)
        """
        names = checked_names(variables)
        data = checked_points(points, names)
        return cls(
            dict.fromkeys(names),
            parameters,
            n_points=len(data),
            n_draws=n_draws,
            design=design,
            limit=limit,
            seed=checked_seed(seed),
            data=data,
        )

    @classmethod
    def paper(
        cls,
        domain: Mapping[str, Range],
        parameters: Range | Mapping[str, Range] | None = None,
        *,
        n_points: int = 64,
        n_draws: int = 32,
        seed: Seed = 0,
    ) -> Probe:
        """The published sampling, for fidelity.

        Points by a Latin hypercube with lowered discrepancy; for every expression its own Latin
        hypercube of parameter draws, one set for all points.
        """
        return cls(
            domain, parameters, n_points=n_points, n_draws=n_draws, design="paper",
            seed=checked_seed(seed),
        )  # fmt: skip

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in the order of the columns of ``points``."""
        return tuple(self.domain)

    @cached_property
    def points(self) -> Floats:
        """The input points, (n_points, n_variables), read-only."""
        if self.data is not None:
            return self.data
        laws = [Law.of(law) for law in self.domain.values()]
        points = np.stack([law.at(self.unit_points[:, j]) for j, law in enumerate(laws)], axis=1)
        points.setflags(write=False)
        return points

    @cached_property
    def unit_points(self) -> Floats:
        """The points in the unit cube, before the domain's laws; given points as they are."""
        if self.data is not None:
            return self.data
        return self.row.points(self.n_points, len(self.domain), (self.seed, POINTS_STREAM))

    @cached_property
    def inputs(self) -> Floats:
        """The points as the engines take them, (n_variables, n_points)."""
        inputs = np.ascontiguousarray(self.points.T)
        inputs.setflags(write=False)
        return inputs

    @cached_property
    def row(self) -> Design:
        """The design's row: whether draws are aligned, fresh, one set per point."""
        return named(self.design)

    @cached_property
    def laws(self) -> tuple[Law, ...]:
        """The different laws of parameters; a law's place is its range id."""
        if isinstance(self.parameters, Mapping):
            return tuple(dict.fromkeys(Law.of(law) for law in self.parameters.values()))
        return () if self.parameters is None else (Law.of(self.parameters),)

    def law_of(self, name: str) -> Law:
        """The law of one parameter; ``"C"`` for the anonymous ones."""
        return self.laws[self.range_ids([name])[0]]

    def range_ids(self, names: Sequence[str], label: str = "") -> tuple[int, ...]:
        """The range ids of an expression's parameters.

        ``label`` is the expression as text, for the error that tells which ranges are missing.
        """
        if not isinstance(self.parameters, Mapping):
            if self.parameters is None and names:
                raise missing_range(names, label, "give parameters=(low, high)", "low:high")
            return (0,) * len(names)
        missing = [name for name in names if name not in self.parameters]
        if missing:
            remedy = f"add {missing[0]!r}: (low, high) to parameters"
            raise missing_range(missing, label, remedy, f"{missing[0]}=low:high")
        return tuple(self.laws.index(Law.of(self.parameters[name])) for name in names)

    def columns(self, n_columns: int, program_key: int | str | bytes | None = None) -> Floats:
        """Parameter values for the engine, sample-major, read-only where they are kept.

        Parameters
        ----------
        n_columns : int
            Columns for each law; a column is one parameter's draws.
        program_key : int, str or bytes, optional
            Which expression; matters to designs with fresh draws only.

        Returns
        -------
        (n_laws * n_columns, n_draws, n_points) ndarray
            The last axis has length 1 where one draw set serves all points.
        """
        return self._draws.values(n_columns, program_key)

    def ordered_columns(self, n_columns: int) -> Floats:
        """The columns, the draws at each point in the order of the first column's."""
        return self._draws.ordered(n_columns)

    @cached_property
    def moves(self) -> Floats:
        """For each law its center, low and high quartile, (n_laws, 3): what alignment moves."""
        levels = np.array([0.5, 0.25, 0.75])
        return np.array([law.at(levels) for law in self.laws]).reshape(-1, 3)

    @cached_property
    def sentinels(self) -> Integers:
        """At most 8 evenly spread points, by index: where alignment looks."""
        count = min(N_SENTINELS, self.n_points)
        # The middles of equal runs of indices; in whole numbers, so no rounding moves one.
        return (2 * np.arange(count, dtype=np.int64) + 1) * self.n_points // (2 * count)

    def with_(self, **changes: Any) -> Probe:
        """A copy with some fields changed.

        >>> Probe({"x": (1, 5)}).with_(n_points=128).n_points
        128
        """
        if self.data is not None and "n_points" in changes:
            raise RangeError("n_points follows the given points; make another Probe.at")
        # A part is one of the former number of draws, and means nothing for another number.
        whole = {"part": None} if "n_draws" in changes else {}
        return Probe(**(self._fields() | whole | changes))

    def redrawn(self, k: int = 1) -> Probe:
        """The same points with other, independent parameter draws: the k-th of many."""
        return self._other_draws(redraw=self.redraw + checked_whole("k", k))

    def half(self, which: int) -> Probe:
        """The same points with every second draw: 0 for the even ones, 1 for the odd ones.

        The halves of a lattice are lattices themselves. One draw cannot be halved and stays.
        """
        if self.n_draws == 1:
            return self
        start, step, full = self._part
        part = (start + (which & 1) * step, 2 * step, full)
        n_draws = len(range(full)[part[0] :: part[1]])
        return self._other_draws(n_draws=n_draws, part=part)

    def draw(self, number: int) -> Probe:
        """The same points with one of the parameter draws: a single member of each family."""
        start, step, full = self._part
        # A step as long as the whole leaves just the one draw.
        return self._other_draws(n_draws=1, part=(start + number * step, full, full))

    def same_points(self, other: Probe) -> bool:
        """Whether both probes look at the same points of the same variables."""
        return self.points_key == other.points_key

    @cached_property
    def points_key(self) -> str:
        """A digest of the variables' names and the points; equal when behaviors are comparable."""
        return _digest(repr(self.variables), self.points.shape, self.points.tobytes())

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that decides points, draws and what counts as undefined."""
        if not isinstance(self.parameters, Mapping):
            return self.unordered_fingerprint
        names = sorted(self.parameters, key=lambda name: (name.casefold(), name))
        if self.laws == tuple(dict.fromkeys(Law.of(self.parameters[name]) for name in names)):
            return self.unordered_fingerprint  # what it was before the order was part of it
        # A compiled program names a law by its place: at other places it would draw from others.
        return _digest(self.unordered_fingerprint, [law.fingerprint for law in self.laws])

    @cached_property
    def unordered_fingerprint(self) -> str:
        """The fingerprint but for the order of named ranges, which older atlases do not have."""
        names = [f"{name} {_mark(law)}" for name, law in self.domain.items()]
        ranges = self.parameters
        if isinstance(ranges, Mapping):
            marks = [f"{name} {_mark(ranges[name])}" for name in sorted(ranges)]
        else:
            marks = [_mark(ranges)]
        data = b"" if self.data is None else self.data.tobytes()
        counts = (self.n_points, self.n_draws, self.seed, self.redraw, self.part)
        return _digest(VERSION, names, marks, self.design, counts, self.limit.hex(), data)

    @cached_property
    def _draws(self) -> ParameterDraws:
        key = (self.seed, DRAWS_STREAM, self.redraw)
        return ParameterDraws(self.row, self.laws, key, self.n_points, self._part)

    @property
    def _part(self) -> tuple[int, int, int]:
        return self.part or (0, 1, self.n_draws)

    def _other_draws(self, **changes: Any) -> Probe:
        """A copy that keeps the points, which can be dear to make; made once, for its draws."""
        key = tuple(sorted(changes.items()))
        if key not in self._others:
            other = Probe(**(self._fields() | changes))
            # Straight into the cached properties, which a frozen dataclass would not let be set.
            other.__dict__.update(unit_points=self.unit_points, points=self.points)
            self._others[key] = other
        return self._others[key]

    @cached_property
    def _others(self) -> dict[tuple[Any, ...], Probe]:
        return {}

    def _fields(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be pickled; and tables that can be made again do not travel.
        plain = {
            name: dict(value) if isinstance(value, MappingProxyType) else value
            for name, value in self._fields().items()
        }
        return _revived, (plain,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Probe) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        if self.data is None:
            words = [f"{name} in {law!r}" for name, law in self.domain.items()]
        else:
            words = [f"{', '.join(self.variables)} at {self.n_points} given points"]
        if isinstance(self.parameters, Mapping):
            words += [f"parameter {name} in {law!r}" for name, law in self.parameters.items()]
        elif self.parameters is not None:
            words.append(f"parameters in {self.parameters!r}")
        words += [
            f"{self.n_points} points x {self.n_draws} draws",
            self.design,
            f"seed {self.seed}",
        ]
        words += [f"limit {self.limit:g}"] if self.limit < math.inf else []
        words += [f"redraw {self.redraw}"] if self.redraw else []
        words += [f"part {self.part}"] if self.part else []
        return f"Probe({', '.join(words)})"


def _revived(plain: dict[str, Any]) -> Probe:
    return Probe(**plain)


def _digest(*parts: object) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        # With their lengths, or else parts could run into each other: ("ab", "c") and ("a", "bc").
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()


def _mark(law: object) -> str:
    return law.fingerprint if isinstance(law, Law) else "none"
