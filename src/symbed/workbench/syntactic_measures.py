"""Distances by spelling, not by behavior, with the verbs of BED.

The verbs give one distance, a ``DistanceMatrix`` or ``Neighbors``. RMSE and 1 - R^2 stand in the
same table, for expressions without free parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from symbed._types import Floats
from symbed.behavior.atlas import Atlas, label_of
from symbed.behavior.surveying import survey
from symbed.distances.matrix import distance_matrix
from symbed.distances.matrix.distance_matrix import DistanceMatrix
from symbed.distances.search.neighbors import Neighbors
from symbed.engine.program import Binding
from symbed.errors import DataError, MissingRange, RangeError, ShapeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.limits import MATRIX
from symbed.progress import Shown
from symbed.sampling.probe import Probe
from symbed.sampling.validation import checked_count
from symbed.workbench.evaluation import Source
from symbed.workbench.token_sequences import token_distances, tokens_of
from symbed.workbench.tree_edit import Relabel, tree_edit_distances

Notation = Literal["infix", "prefix", "postfix"]
Expressions = list[Expression]
NOTATIONS = ("infix", "prefix", "postfix")


class _Work(NamedTuple):
    """On how many threads, and who is shown how far it is."""

    workers: int | None
    progress: Shown


@dataclass(frozen=True)
class SyntacticMeasure:
    """A row of ``MEASURES`` with its settings: what a matrix was measured by."""

    name: str = "edit"
    notation: Notation = "postfix"
    relabel: Relabel = "unit"
    probe: Probe | None = None

    def __post_init__(self) -> None:
        if self.name not in MEASURES:
            raise RangeError(f"measure must be one of {', '.join(MEASURES)}, got {self.name!r}")
        if self.notation not in NOTATIONS:
            raise RangeError(
                f"notation must be one of {', '.join(NOTATIONS)}, got {self.notation!r}"
            )


@dataclass(frozen=True)
class MeasureRow:
    """One measure: its name, what it counts, and the function from expressions to distances."""

    name: str
    about: str
    distances: Callable[[Expressions, Expressions, SyntacticMeasure, _Work], Floats]
    symmetric: bool = True


def syntactic_distance(
    a: Source,
    b: Source,
    measure: str = "edit",
    notation: Notation = "postfix",
    *,
    relabel: Relabel = "unit",
    probe: Probe | None = None,
) -> float:
    """How differently two expressions are spelled.

    Parameters
    ----------
    a, b : str, list of tokens or Expression
        The two expressions; tokens are those of the paper.
    measure : str
        A row of ``MEASURES``: ``edit``, ``jaro``, ``lcs``, ``jaccard``, ``tree``, or, on outputs,
        ``rmse`` and ``1-r2`` (``a`` is the truth).
    notation : {"infix", "prefix", "postfix"}
        The order of the tokens, for the measures of words.
    relabel : {"unit", "string"}
        The costs of ``tree``. ``"unit"``: each insertion, removal and relabeling costs 1;
        ``"string"``, as existing tools have it: relabeling costs the edit distance of the two
        labels as text, inserting or removing a node the length of its label.
    probe : Probe, optional
        Where outputs are compared; ``Probe.at(X, names)`` for given points.

    Examples
    --------
    >>> syntactic_distance("2*x + 5", "2*x - 3", notation="infix")
    2.0
    >>> syntactic_distance("C*sin(x)", "C*x", "tree")
    1.0
    """
    chosen = SyntacticMeasure(measure, notation, relabel, probe)
    return float(_matrix([a], [b], chosen, _Work(1, False)).values[0, 0])


def pairwise(
    expressions: Sequence[Source],
    other: Sequence[Source] | None = None,
    *,
    measure: str = "edit",
    notation: Notation = "postfix",
    relabel: Relabel = "unit",
    probe: Probe | None = None,
    workers: int | None = None,
    progress: Shown = None,
) -> DistanceMatrix:
    """All distances within a list of expressions, or between two.

    Parameters
    ----------
    expressions : sequence of expressions
        The rows.
    other : sequence of expressions, optional
        The columns; the rows themselves by default.
    measure, notation, relabel, probe : optional
        As in ``syntactic_distance``; for ``1-r2`` the rows are the truth.
    workers : int, optional
        Number of threads; all cores by default.
    progress : bool or callable, optional
        None shows a bar in terminals and notebooks, True always, False never; a callable is called
        with the number of steps so far, which are rows, tiles of trees or entries.

    Examples
    --------
    >>> pairwise(["x", "x + C", "x - C"], measure="tree").values
    array([[0., 2., 2.],
           [2., 0., 1.],
           [2., 1., 0.]])
    """
    chosen = SyntacticMeasure(measure, notation, relabel, probe)
    return _matrix(expressions, other, chosen, _Work(workers, progress))


def nearest(
    query: Source,
    expressions: Sequence[Source],
    k: int = 10,
    *,
    measure: str = "edit",
    notation: Notation = "postfix",
    relabel: Relabel = "unit",
    probe: Probe | None = None,
    workers: int | None = None,
    progress: Shown = None,
) -> Neighbors:
    """The expressions that are spelled most like a query, nearest first; ties by their order.

    Parameters
    ----------
    query : str, list of tokens or Expression
        What to look for; for ``1-r2`` the truth.
    expressions : sequence of expressions
        Where to search.
    k : int
        How many; all of them if there are fewer.
    measure, notation, relabel, probe, workers, progress : optional
        As in ``pairwise``.

    Examples
    --------
    >>> similar = nearest("C*x + C", ["sin(x)", "C*x", "C*x - C"], k=2)
    >>> similar.labels, similar.distances.tolist()
    (('C*x - C', 'C*x'), [1.0, 2.0])
    """
    k = checked_count("k", k)
    chosen = SyntacticMeasure(measure, notation, relabel, probe)
    matrix = _matrix([query], expressions, chosen, _Work(workers, progress))
    order = np.argsort(matrix.values[0], kind="stable")[:k]
    return Neighbors(order, matrix.values[0][order], tuple(matrix.column_labels[i] for i in order))


def _matrix(
    expressions: Sequence[Source],
    other: Sequence[Source] | None,
    measure: SyntacticMeasure,
    work: _Work,
) -> DistanceMatrix:
    rows = _Expressions(expressions, measure.probe)
    columns = rows if other is None else _Expressions(other, measure.probe)
    # Of all entries, not of the distinct ones: the result is spread out again below.
    MATRIX.check(len(rows.places) * len(columns.places))
    kernel = MEASURES[measure.name].distances
    # Kernels see that rows are columns by identity, and then take each pair once.
    distinct = kernel(rows.distinct, columns.distinct, measure, work)
    values = np.take(distinct[rows.places], columns.places, axis=1)
    return DistanceMatrix(values, rows.labels, columns.labels, measure)


class _Expressions:
    """Expressions as they were given, and the distinct ones among them: each is measured once."""

    def __init__(self, sources: Sequence[Source], probe: Probe | None) -> None:
        if isinstance(sources, str | Expression):
            raise ShapeError("a list of expressions is needed, got one; put it in brackets: [...]")
        sources = list(sources)
        if not sources:
            raise DataError("there is nothing to compare: no expression was given")
        variables = None if probe is None else probe.variables
        read = [s if isinstance(s, Expression) else parse(s, variables) for s in sources]
        places: dict[Expression, int] = {}
        self.places = np.array([places.setdefault(e, len(places)) for e in read], np.int64)
        self.distinct = list(places)
        self.labels = _Labels(sources)


class _Labels(Sequence[str]):
    """The texts of sources, printed only when looked at: of a hundred thousand few ever are."""

    def __init__(self, sources: list[Source]) -> None:
        self._sources = sources

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return _Labels(self._sources[place])
        return label_of(self._sources[place])


def _by_tokens(
    rows: Expressions, columns: Expressions, measure: SyntacticMeasure, work: _Work
) -> Floats:
    """By tokens in the chosen notation; one list on both sides is known by its identity."""
    left = [tokens_of(expression, measure.notation) for expression in rows]
    same = columns is rows
    right = left if same else [tokens_of(expression, measure.notation) for expression in columns]
    return token_distances(measure.name, left, right, *work)


def _by_trees(
    rows: Expressions, columns: Expressions, measure: SyntacticMeasure, work: _Work
) -> Floats:
    return tree_edit_distances(rows, columns, relabel=measure.relabel, **work._asdict())


def _by_outputs(
    rows: Expressions, columns: Expressions, measure: SyntacticMeasure, work: _Work
) -> Floats:
    """RMSE, or 1 - R^2: the share of the variance of a row's outputs that a column leaves.

    Undefined outputs count as they do in BED: nothing where both sides are undefined, infinite
    where exactly one is. A row without variance gives 0 for equal outputs and infinity for others.
    """
    if measure.probe is None:
        raise MissingRange(
            f"{measure.name} compares outputs; give probe=Probe({{'x': (low, high)}}), "
            "or probe=Probe.at(X, names) for given points"
        )
    # Without parameters the distance for p = 2 is the root mean squared error.
    atlas = _observed(rows, measure.probe, work)
    other = atlas if columns is rows else _observed(columns, measure.probe, work)
    errors = distance_matrix.pairwise(atlas, other, p=2, **work._asdict()).values
    if measure.name == "rmse":
        return errors
    spreads = np.array([_spread(atlas[row].values[:, 0]) for row in range(len(atlas))])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shares = (errors / spreads[:, None]) ** 2
    # 0/0 where a constant truth is met exactly.
    return np.where(errors == 0, 0.0, shares)


def _observed(expressions: Expressions, probe: Probe, work: _Work) -> Atlas:
    roles = Binding(probe)
    for expression in expressions:
        if free := roles.parameters(expression):
            shown = ", ".join(dict.fromkeys(free))
            raise RangeError(
                f"{str(expression)!r} has free parameters {shown}, so its outputs are not fixed; "
                "compare it by symbed.pairwise, or fit it first"
            )
    return survey(expressions, probe, **work._asdict())


def _spread(outputs: Floats) -> float:
    """Root of the summed squared deviations over the number of all points, defined or not."""
    defined = outputs[~np.isnan(outputs)]
    if not len(defined):
        return 0.0
    with np.errstate(over="ignore"):
        # By all points, because the RMSE is a mean over all of them too: the number cancels in R^2.
        return float(np.sqrt(np.sum((defined - defined.mean()) ** 2) / len(outputs)))


MEASURES: dict[str, MeasureRow] = {
    row.name: row
    for row in (
        MeasureRow("edit", "tokens inserted, removed, replaced", _by_tokens),
        MeasureRow("jaro", "1 - Jaro similarity of the tokens", _by_tokens),
        MeasureRow("lcs", "longer length - longest common subsequence", _by_tokens),
        MeasureRow("jaccard", "1 - common tokens / all tokens", _by_tokens),
        MeasureRow("tree", "nodes inserted, removed, relabeled", _by_trees),
        MeasureRow("rmse", "root mean squared error of the outputs", _by_outputs),
        MeasureRow(
            "1-r2",
            "share of the row's variance that the column leaves unexplained",
            _by_outputs,
            symmetric=False,
        ),
    )
}
