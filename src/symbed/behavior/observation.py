"""The verb ``observe``, ``Family`` for Python callables, and the ``Observer`` of one probe."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from symbed._types import Counts, Floats, Integers
from symbed.behavior.behavior import Behavior
from symbed.engine.backend import active_backend
from symbed.engine.packed_programs import PackedPrograms
from symbed.engine.program import Binding, Program
from symbed.engine.structures.observations import Observation, SortedOutputs, Wasserstein
from symbed.errors import DataError, ShapeError, SymbedError
from symbed.formula_files.dialect_choice import ReadAs, is_suspicious, read_pasted
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.sampling.designs import order_by_effect
from symbed.sampling.probe import Probe

if TYPE_CHECKING:
    from symbed.formula_files.formulas import Unreadable

GOLDEN = 0.6180339887498949  # multiples of it spread evenly over the unit interval

Compiled: TypeAlias = "PackedPrograms | tuple[Family]"  # one source, ready to be evaluated
Source: TypeAlias = "str | Sequence[str] | Expression | Family | Unreadable"


@dataclass(frozen=True)
class Family:
    """A family of functions that symbed knows only by calling it.

    Parameters
    ----------
    function : callable
        Called as ``function(points, vector)`` with the (n_points, n_variables) inputs and one
        parameter vector; returns the n_points outputs. A model with hyper-parameters fits here.
    parameters : tuple of str
        Names of the parameters, in the order of the vector.
    label : str
        What results call it.

    Examples
    --------
    >>> line = Family(lambda x, c: c[0] * x[:, 0] + c[1], parameters=("a", "b"), label="line")
    >>> line.outputs(np.array([[1.0], [2.0]]), np.array([3.0, 1.0]))
    array([4., 7.])
    """

    function: Callable[[Floats, Floats], Any]
    parameters: tuple[str, ...] = ()
    label: str = "family"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ShapeError(f"a Family needs a callable, got {type(self.function).__name__}")
        if isinstance(self.parameters, str):
            raise ShapeError(
                f"parameters of a Family are a sequence of names, got {self.parameters!r}; "
                f"write ({self.parameters!r},)"
            )
        object.__setattr__(self, "parameters", tuple(self.parameters))

    def outputs(self, points: Floats, vector: Floats) -> Floats:
        """The outputs at all points for one parameter vector."""
        outputs = np.asarray(self.function(points, vector), dtype=np.float64)
        if outputs.shape != (len(points),):
            raise DataError(
                f"{self.label!r} must return one output for each of the {len(points)} points, "
                f"got shape {outputs.shape}"
            )
        return outputs


def observe(source: Source, probe: Probe) -> Behavior:
    """Observe one expression at the points and draws of a probe.

    Parameters
    ----------
    source : str, token list, SymPy object, Expression or Family
        What to observe; a ``Family`` is a Python callable with parameters. A text that another tool
        wrote, such as gplearn's ``div(X0, X1)``, is read as that tool means it, with a warning.
    probe : Probe
        Where to look.

    Examples
    --------
    >>> observe("a*x + b", Probe({"x": (1, 5)}, parameters=(1, 5)))
    Behavior('a*x + b', 64 points x 32 draws, 100% defined)
    """
    return _observe(_as_pasted(source, probe), probe, source if isinstance(source, str) else None)


def _as_pasted(source: Source, probe: Probe) -> Source:
    """What a user gave; a text that may have been pasted from another tool is read as its own."""
    if not isinstance(source, str) or not isinstance(probe, Probe) or not is_suspicious(source):
        return source
    expression, dialect, note = read_pasted(source, probe.variables)
    # A text that means the same in both needs no warning.
    if dialect != "infix" and _own_meaning(source, probe.variables) != expression:
        warnings.warn(ReadAs(f"{source!r} was read as {dialect}"), stacklevel=3)
    if note:
        warnings.warn(ReadAs(note), stacklevel=3)
    return expression


def _own_meaning(text: str, variables: tuple[str, ...]) -> Expression | None:
    """What our own language means by a text; None if nothing."""
    try:
        return parse(text, variables)
    except SymbedError:
        return None


def _observe(source: Source, probe: Probe, label: str | None = None) -> Behavior:
    """Observe a source of our own language."""
    observer = Observer(probe)
    read = observer.read(source)
    if label is None:
        label = source if isinstance(source, str) else str(getattr(read, "label", read))
    return _evaluate(observer, read, label, observer.rows(read))


def _evaluate(
    observer: Observer, read: Expression | Family, label: str, rows: Compiled
) -> Behavior:
    values, defined = observer.evaluate(rows)
    probe = observer.probe
    origin = Observed(read, probe, label, rows)
    return Behavior(values[0], defined[0], probe.n_draws, probe.points, label, origin)


class Observed:
    """The origin of a behavior that was observed: it can be observed again.

    ``rows`` is the source compiled for the probe, if that was done already.
    """

    def __init__(
        self, source: Source, probe: Probe, label: str | None = None, rows: Compiled | None = None
    ) -> None:
        self.source, self.probe, self.label, self.rows = source, probe, label, rows

    def half(self, which: int) -> Behavior:
        """The behavior under every second draw, starting at ``which``."""
        return self.at(self.probe.half(which))

    def redrawn(self, k: int = 1) -> Behavior:
        """The behavior at the same points under other, independent draws: the k-th of many."""
        return self.at(self.probe.redrawn(k))

    def at(self, probe: Probe) -> Behavior:
        """The behavior at the points and draws of another probe."""
        if self.rows is None or self.label is None or not _bind_alike(self.probe, probe):
            return _observe(self.source, probe, self.label)
        assert isinstance(self.source, (Expression, Family))  # what has rows was read
        return _evaluate(Observer(probe), self.source, self.label, self.rows)

    def trajectories(self) -> Floats:
        """(m, n_points) outputs, each row of one draw; one row without parameters."""
        if not _n_parameters(self.rows or Observer(self.probe).rows(self.source)):
            return self.at(self.probe).outputs
        draws = range(self.probe.n_draws)
        return np.concatenate([self.at(self.probe.draw(j)).outputs for j in draws])

    def redundant(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters that act only together; none are told of a callable."""
        from symbed.behavior.redundant_parameters import redundant_parameters

        if not isinstance(self.source, Expression):
            return ()
        variables = self.probe.variables
        names = [name for name in self.source.names if name not in variables]
        # Different shares of each range: equal values are a special case.
        values = [
            float(self.probe.law_of(name).at(np.array([(k * GOLDEN) % 1.0]))[0])
            for k, name in enumerate(names, start=1)
        ]
        return redundant_parameters(self.source, self.probe.points, variables, values)

    @property
    def per_point(self) -> bool:
        """Whether every point had draws of its own; a callable takes one set for all."""
        return self.probe.row.per_point and not isinstance(self.source, Family)


class Observer:
    """Reads, compiles and evaluates sources for one probe."""

    def __init__(self, probe: Probe) -> None:
        if not isinstance(probe, Probe):
            raise ShapeError(f"probe must be a Probe, got {type(probe).__name__}")
        self.probe = probe
        self._ordered: dict[int, Floats] = {}

    def __reduce__(self) -> tuple[Callable[[Probe], Observer], tuple[Probe]]:
        return _revived, (self.probe,)  # to other processes, which keep it for the next block

    @cached_property
    def roles(self) -> Binding:
        """What names mean; made when something is to be compiled, which rows are already."""
        return Binding(self.probe)

    def read(self, source: Source) -> Expression | Family:
        """The source as an Expression or a Family."""
        if isinstance(source, (Expression, Family)):
            return source
        if isinstance(source, (str, list, tuple)) or _is_sympy(source):
            return parse(source, self.probe.variables)
        from symbed.formula_files.formulas import Unreadable  # late: few things are none of these

        if isinstance(source, Unreadable):
            raise source.error
        if callable(source):
            raise ShapeError(
                "a bare callable does not say its parameters; wrap it: "
                "Family(function, parameters=('a', 'b'))"
            )
        raise ShapeError(
            "an expression is text, a token list, a SymPy object, an Expression or a Family, "
            f"got {type(source).__name__}"
        )

    def row(self, source: Source) -> Program | Family:
        """The source as something that can be evaluated."""
        read = self.read(source)
        return read if isinstance(read, Family) else self.roles.compile(read)

    def rows(self, source: Source) -> Compiled:
        """The source as a list of one that can be evaluated, again and again."""
        row = self.row(source)
        return (row,) if isinstance(row, Family) else PackedPrograms.of([row])

    def evaluate(
        self, rows: Sequence[Program | Family], out: SortedOutputs | None = None
    ) -> SortedOutputs:
        """Sorted outputs (k, m, n_points) and counts (k, n_points).

        Either all rows have parameters (m = n_draws), or none has (m = 1). ``out`` are arrays to
        write them to; who has some saves memory that is touched for the first time.
        """
        if out is None:
            m = self.probe.n_draws if len(rows) and _n_parameters(rows) else 1
            out = (
                np.empty((len(rows), m, self.probe.n_points)),
                np.empty((len(rows), self.probe.n_points), np.int32),
            )
        if not isinstance(rows, PackedPrograms):
            programs = [row for row in rows if isinstance(row, Program)]
            if len(programs) == len(rows):
                return self.evaluate(PackedPrograms.of(programs), out)
            for number, row in enumerate(rows):
                here = out[0][number : number + 1], out[1][number : number + 1]
                if isinstance(row, Family):
                    here[0][0], here[1][0] = _observe_family(row, self.probe)
                else:
                    self.evaluate(PackedPrograms.of([row]), here)
        elif self.probe.row.fresh and rows.most_parameters:
            self._evaluate_fresh(rows, *out)
        elif len(rows):
            active_backend().observe(self._observation(rows), *out)
        return out

    def sweep(
        self, programs: PackedPrograms, targets: SortedOutputs, p: int, mismatch: float
    ) -> Floats:
        """Distances (k, n_targets) of programs to behaviors, keeping no outputs of the programs.

        Either all programs have parameters, or none has. The numbers are those of evaluating and
        comparing, in two thirds of the time.
        """
        observation = self._observation(programs)
        return active_backend().sweep(observation, targets, Wasserstein(p, mismatch))

    def _evaluate_fresh(self, programs: PackedPrograms, values: Floats, defined: Counts) -> None:
        """The paper's way: draws of its own for each expression, seeded by its text."""
        # One call needs one number of columns: tables of range r start at r * n_columns.
        for n_columns in np.unique(programs.n_parameters).tolist():
            rows = np.flatnonzero(programs.n_parameters == n_columns)
            some = programs.take(rows)
            # Words follow the text here: for fresh designs, the compiler leaves operands where they
            # are.
            drawn = [self.probe.columns(n_columns, program_key=one.words) for one in some]
            bases = np.arange(len(some), dtype=np.int64) * len(drawn[0])
            outputs = np.empty((len(some), *values.shape[1:]))
            counts = np.empty((len(some), defined.shape[1]), np.int32)
            observation = self._observation(some, np.concatenate(drawn), bases)
            active_backend().observe(observation, outputs, counts)
            values[rows], defined[rows] = outputs, counts

    def _observation(
        self,
        programs: PackedPrograms,
        columns: Floats | None = None,
        bases: Integers | None = None,
    ) -> Observation:
        """Programs at the points of the probe, with draws of their own or those of all."""
        n_columns = programs.most_parameters
        return Observation(
            programs.words,
            programs.starts,
            self.probe.inputs,
            self._columns(n_columns) if columns is None else columns,
            np.zeros(len(programs), np.int64) if bases is None else bases,
            n_columns,
            self.probe.n_draws if n_columns else 1,
            self.probe.limit,
            # What alignment moves; nothing where there is nothing to align.
            self.probe.moves if self.probe.row.aligned and n_columns > 1 else None,
            self.probe.sentinels,
        )

    def _columns(self, n_columns: int) -> Floats:
        """The draws of so many parameters, at each point in the order of the first one's.

        Behaviors are sorted, so the order of the draws is free. In this one the outputs of many
        programs come out sorted already, which the native engine notices.
        """
        if not n_columns:
            return np.empty((0, 1, 1))
        if n_columns not in self._ordered:
            self._ordered[n_columns] = self.probe.ordered_columns(n_columns)
        return self._ordered[n_columns]


def _is_sympy(source: object) -> bool:
    # Told by attributes, so that SymPy need not be imported; its classes have them, too.
    return hasattr(source, "func") and hasattr(source, "args") and not isinstance(source, type)


@lru_cache(maxsize=2)
def _revived(probe: Probe) -> Observer:
    return Observer(probe)


def _bind_alike(one: Probe, other: Probe) -> bool:
    """Whether both give every name the same role, so that what is compiled for one serves both.

    With a range for each name of a parameter, these are not compared: that costs as much as
    compiling.
    """
    return (
        one.variables == other.variables
        and one.row.fresh == other.row.fresh
        and not isinstance(one.parameters, Mapping)
        and not isinstance(other.parameters, Mapping)
        and (one.parameters is None) == (other.parameters is None)
    )


def _n_parameters(rows: Sequence[Program | Family]) -> int:
    """Number of parameters of the first row."""
    if isinstance(rows, PackedPrograms):
        return int(rows.n_parameters[0])
    return len(rows[0].parameters) if isinstance(rows[0], Family) else rows[0].n_parameters


def _observe_family(family: Family, probe: Probe) -> tuple[Floats, Counts]:
    """Sorted outputs (m, n_points) and counts of a callable.

    A callable takes one parameter vector for all points, so it gets one draw set for all of them.
    """
    vectors = _vectors(family, probe)
    # Adding zero turns -0 into 0, as the engines do, so that sorting cannot change a bit.
    raw = np.stack([family.outputs(probe.points, vector) for vector in vectors]) + 0.0
    # Asked this way round, NaN is undefined; infinity is, too, whatever the limit.
    undefined = ~(np.abs(raw) <= min(probe.limit, np.finfo(np.float64).max))
    outputs = np.sort(np.where(undefined, np.nan, raw), axis=0)
    return outputs, (~undefined).sum(axis=0, dtype=np.int32)


def _vectors(family: Family, probe: Probe) -> Floats:
    """The (m, n_parameters) vectors for a callable; one empty vector if it has no parameters."""
    names = family.parameters
    if not names:
        return np.empty((1, 0))
    shared = probe.with_(design="shared") if probe.row.per_point else probe
    unit_order = _family_order(family, shared) if shared.row.aligned else range(len(names))
    ranges = shared.range_ids(names, family.label)
    columns = shared.columns(len(names), program_key=family.label)
    # Tables of range r start at r * n_columns; the last axis has length 1, as draws are shared.
    chosen = [columns[r * len(names) + a, :, 0] for r, a in zip(ranges, unit_order, strict=True)]
    return np.stack(chosen, axis=1)


def _family_order(family: Family, probe: Probe) -> Sequence[int]:
    """Columns for the parameters of a callable, in order of effect, as the engines do it."""
    moves = probe.moves[list(probe.range_ids(family.parameters, family.label))]
    points = probe.points[probe.sentinels]
    effects = np.empty((len(moves), len(points)))
    for slot, (_, low, high) in enumerate(moves):
        ends = []
        for value in (low, high):
            vector = moves[:, 0].copy()
            vector[slot] = value
            ends.append(family.outputs(points, vector))
        effects[slot] = np.abs(ends[1] - ends[0])
    return order_by_effect(effects)
