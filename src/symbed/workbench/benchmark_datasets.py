"""The benchmark data sets that ship: formulas with the laws of their inputs.

Each collection is one CSV file in ``benchmark_tables/``, with the columns of ``Dataset``. Laws are
written ``name:law:low:high[:signs]``; lists of names are separated by ``;``, of numbers by spaces.
A law has ``.ppf``, so that it can stand in the domain of a ``Probe``; with ``signs="+-"`` it draws
a magnitude and then either sign, as SRSD does.
"""

from __future__ import annotations

import csv
import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from symbed._types import Booleans, Floats, Seed
from symbed.engine.reference.elementary.functions import FUNCTIONS
from symbed.errors import DataError, RangeError
from symbed.language.expression import Expression
from symbed.language.parser import parse
from symbed.limits import POINTS
from symbed.sampling.counter_rng import uniforms
from symbed.sampling.probe import Probe
from symbed.sampling.ranges import EDGE, Range
from symbed.sampling.validation import checked_count, checked_seed
from symbed.workbench.evaluation import evaluate
from symbed.workbench.parametrization import parametrize

PLAIN_CELLS = ("name", "written", "output", "title", "level", "origin", "erratum")  # kept as text
PATIENCE = 10_000  # draws for one row before a formula counts as undefined nearly everywhere
Signs = Literal["+", "-", "+-"]


@dataclass(frozen=True, repr=False)
class Dataset:
    """A formula with the laws of its inputs: one problem of a benchmark.

    Make one with ``dataset(name)``.

    Attributes
    ----------
    name, collection : str
        Such as ``"I.6.2a"`` of ``"feynman"``.
    formula : Expression
        The formula in the variables ``X_0``, ``X_1`` ..., without free parameters.
    laws : tuple of law
        The law of each variable; each has ``.ppf``.
    form : Expression
        The formula with its constants as free parameters ``C``.
    values : tuple of float
        Values of the parameters, in order of appearance: with them the form is the formula.
    originals : tuple of str
        The variables' names in the source, in the same order.
    written, output : str
        The formula in these names, and the name of what it gives.
    title : str
        What the formula is about, where the source says it.
    constants : tuple of (str, float)
        The physical constants in the formula, names and values.
    level, origin : str
        Difficulty, and the name in the Feynman collection (of SRSD's sets).
    same_function_as, same_family_as : tuple of str
        Other sets of the collection with the same formula, or the same form, up to the order of the
        variables.
    erratum : str
        What is wrong or peculiar in the source; empty if nothing is.
    magnitudes : (float, float)
        Outputs smaller or larger than these are drawn again, as undefined ones are.

    Examples
    --------
    >>> from symbed.workbench import dataset
    >>> wave = dataset("I.29.4")
    >>> wave
    Dataset('I.29.4': k = omega/c, 2 variables)
    >>> X, y = wave.sample(3, seed=1)
    >>> bool((y == X[:, 0]/X[:, 1]).all())
    True
    """

    name: str
    collection: str
    formula: Expression
    laws: tuple[DataLaw, ...]
    form: Expression
    values: tuple[float, ...]
    originals: tuple[str, ...]
    written: str
    output: str = ""
    title: str = ""
    constants: tuple[tuple[str, float], ...] = ()
    level: str = ""
    origin: str = ""
    same_function_as: tuple[str, ...] = ()
    same_family_as: tuple[str, ...] = ()
    erratum: str = ""
    magnitudes: tuple[float, float] = (0.0, math.inf)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables in the formula: ``X_0``, ``X_1`` ..."""
        return tuple(f"X_{place}" for place in range(len(self.laws)))

    @property
    def domain(self) -> dict[str, Range]:
        """The law of each variable, as a ``Probe`` takes it."""
        ranges = [(law.low, law.high) if isinstance(law, Uniform) else law for law in self.laws]
        return dict(zip(self.variables, ranges, strict=True))

    def sample(self, n: int, seed: Seed = 0) -> tuple[Floats, Floats]:
        """Inputs by their laws, and the formula's outputs.

        Rows whose output is undefined are drawn again. The same seed gives the same rows on every
        machine, and a longer sample begins with the shorter one.

        Returns
        -------
        X : (n, n_variables) ndarray
            The inputs.
        y : (n,) ndarray
            The outputs.
        """
        n, seed = checked_count("n", n), checked_seed(seed)
        POINTS.check(n)
        inputs, outputs = np.empty((0, len(self.laws))), np.empty(0)
        drawn = 0
        while len(outputs) < n:
            if drawn > PATIENCE * n:
                raise DataError(f"{self.name!r} is undefined at nearly all inputs of its laws")
            # Rows are numbered, so the size of a batch does not change what is drawn.
            batch = max(n - len(outputs), min(drawn, POINTS.maximum))
            points = self._draw(drawn, batch, seed)
            values = evaluate(self.formula, points, self.variables)
            kept = self._accepts(values)
            inputs = np.concatenate([inputs, points[kept]])
            outputs = np.concatenate([outputs, values[kept]])
            drawn += batch
        return inputs[:n], outputs[:n]

    def probe(self, parameters: Any = None, *, n_points: int = 64, **options: Any) -> Probe:
        """A probe over the domain of this set.

        Where the formula is undefined at one of the design's points, they are sampled instead.

        Parameters
        ----------
        parameters : range or mapping from str to range, optional
            Ranges of free parameters, as ``Probe`` takes them.
        n_points : int
            How many input points.
        **options : Any
            What else ``Probe`` takes: ``n_draws``, ``design``, ``limit``, ``seed``.

        Examples
        --------
        >>> from symbed.workbench import dataset
        >>> dataset("I.29.4").probe(parameters=(0, 2), n_points=16)  # doctest: +ELLIPSIS
        Probe(X_0 in (1, 10), X_1 in (1, 10), parameters in (0, 2), 16 points x 32 draws, ...)
        """
        probe = Probe(self.domain, parameters, n_points=n_points, **options)
        if self._accepts(evaluate(self.formula, probe.points, self.variables)).all():
            return probe
        points, _ = self.sample(n_points, probe.seed)
        return Probe.at(points, self.variables, parameters=parameters, **options)

    def _draw(self, start: int, count: int, seed: int) -> Floats:
        # The name is part of the key: two sets with the same laws do not share their inputs.
        key = int.from_bytes(self.name.encode(), "little")
        levels = [uniforms(count, seed, key, j, start=start) for j in range(len(self.laws))]
        columns = zip(self.laws, levels, strict=True)
        return np.stack([law.ppf(np.clip(u, EDGE, 1.0 - EDGE)) for law, u in columns], axis=1)

    def _accepts(self, outputs: Floats) -> Booleans:
        smallest, largest = self.magnitudes
        size = np.abs(outputs)
        return np.isfinite(outputs) & (size >= smallest) & (size <= largest)

    def __repr__(self) -> str:
        shown = f"{self.output} = {self.written}" if self.output else self.written
        plural = "s" if len(self.laws) > 1 else ""
        return f"Dataset({self.name!r}: {shown}, {len(self.laws)} variable{plural})"


# Each is a table of its name: AI Feynman's equations of the lectures and those from other books,
# Nguyen's small formulas, SRSD's with physical ranges, and laws whose constants are to be found.
COLLECTIONS = ("feynman", "feynman-bonus", "nguyen", "srsd", "hidden")
# SRSD stores float32 and draws again whatever that type cannot hold as a normal number.
FLOAT32 = (2.0**-126, (2.0 - 2.0**-23) * 2.0**127)


def datasets(collection: str | None = None) -> tuple[Dataset, ...]:
    """The data sets of a collection, or of all of them.

    Parameters
    ----------
    collection : str, optional
        One of ``"feynman"`` (100 sets), ``"feynman-bonus"`` (20), ``"nguyen"`` (12), ``"srsd"``
        (120) and ``"hidden"`` (26); all of them by default.

    Examples
    --------
    >>> len(datasets("feynman")), len(datasets())
    (100, 278)
    """
    if collection is None:
        return tuple(one for name in COLLECTIONS for one in _read(name))
    if collection not in COLLECTIONS:
        known = ", ".join(COLLECTIONS)
        raise RangeError(f"collection must be one of {known}, got {collection!r}")
    return _read(collection)


def dataset(name: str) -> Dataset:
    """The data set of a name.

    >>> dataset("Nguyen-5").form, dataset("Nguyen-5").values
    (Expression('sin(X_0^2)*cos(X_0) - C'), (1.0,))
    """
    by_name = {one.name: one for one in datasets()}
    if name not in by_name:
        near = difflib.get_close_matches(str(name), by_name, n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "datasets() lists them"
        raise RangeError(f"there is no data set {name!r}; {hint}")
    return by_name[name]


@cache
def _read(collection: str) -> tuple[Dataset, ...]:
    table = files("symbed.workbench").joinpath("benchmark_tables", f"{collection}.csv")
    with table.open(encoding="utf-8") as file:
        return tuple(_dataset(collection, cells) for cells in csv.DictReader(file))


def _dataset(collection: str, cells: Mapping[str, str]) -> Dataset:
    originals, laws = zip(*(word.split(":", 1) for word in cells["variables"].split()), strict=True)
    variables = [f"X_{place}" for place in range(len(laws))]
    formula = parse(cells["formula"], variables)
    if cells["form"]:
        form = parse(cells["form"], variables)
        values = tuple(map(float, cells["values"].split()))
    else:
        form, values = parametrize(formula)
    constants = (word.split("=") for word in cells["constants"].split())
    plain = {name: cells[name] for name in PLAIN_CELLS}
    return Dataset(
        collection=collection, formula=formula, laws=tuple(map(read_law, laws)), form=form,
        values=values, originals=originals,
        magnitudes=FLOAT32 if collection == "srsd" else (0.0, math.inf),
        constants=tuple((name, float(value)) for name, value in constants),
        same_function_as=_names(cells["same_function_as"]),
        same_family_as=_names(cells["same_family_as"]), **plain,
    )  # fmt: skip


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(";")) if text else ()


@dataclass(frozen=True)
class Uniform:
    """Every number between two ends alike.

    >>> Uniform(1, 5).ppf([0.0, 0.25, 1.0])
    array([1., 2., 5.])
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        _require(self.low < self.high, "a uniform law needs low < high", self)

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels."""
        return self.low + (self.high - self.low) * np.asarray(levels, dtype=np.float64)


@dataclass(frozen=True)
class LogUniform:
    """Every order of magnitude between two positive ends alike, with one sign or both.

    >>> LogUniform(1, 4, "+-").ppf([0.0, 0.25, 0.75, 1.0])
    array([-4., -2.,  2.,  4.])
    """

    low: float
    high: float
    signs: Signs = "+"

    def __post_init__(self) -> None:
        _require(0 < self.low < self.high, "a log-uniform law needs 0 < low < high", self)
        _require_signs(self.signs)

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels."""
        sign, share = _sign_and_share(levels, self.signs)
        # The engine's own power: the same bits on every machine, where a library's differ.
        sizes = self.low * FUNCTIONS["^"](np.full_like(share, self.high / self.low), share)
        # Rounding may carry the ends a bit outside.
        return sign * np.clip(sizes, self.low, self.high)


@dataclass(frozen=True)
class IntegerUniform:
    """Every whole number from one to another alike, both included, with one sign or both.

    >>> IntegerUniform(1, 2, "+-").ppf([0.1, 0.3, 0.6, 0.9])
    array([-2., -1.,  1.,  2.])
    """

    low: int
    high: int
    signs: Signs = "+"

    def __post_init__(self) -> None:
        _require(self.low < self.high, "an integer law needs low < high", self)
        _require_signs(self.signs)
        if self.signs != "+" and self.low < 0:
            raise RangeError(f"an integer law with signs needs low >= 0, got {self.low}")

    def ppf(self, levels: ArrayLike) -> Floats:
        """The quantiles at some levels."""
        sign, share = _sign_and_share(levels, self.signs)
        count = self.high - self.low + 1
        # Level 1 is a step beyond the last.
        steps: Floats = np.minimum(np.floor(share * count), count - 1)
        return sign * (self.low + steps)


DataLaw = Uniform | LogUniform | IntegerUniform


def read_law(text: str) -> DataLaw:
    """A law from its text in the tables.

    >>> read_law("log-uniform:0.1:10:+-")
    LogUniform(low=0.1, high=10.0, signs='+-')
    """
    kind, low, high, *signs = text.split(":")
    if kind == "uniform" and not signs:
        return Uniform(float(low), float(high))
    if kind == "log-uniform":
        return LogUniform(float(low), float(high), *signs)  # type: ignore[arg-type]
    if kind == "integer":
        return IntegerUniform(int(low), int(high), *signs)  # type: ignore[arg-type]
    raise RangeError(f"a law is uniform:, log-uniform: or integer:low:high[:signs], got {text!r}")


def _sign_and_share(levels: ArrayLike, signs: Signs) -> tuple[Floats, Floats]:
    """Sign and level of the magnitude; the lower half of the levels is negative for both signs."""
    u = np.asarray(levels, dtype=np.float64)
    if signs == "+":
        return np.ones_like(u), u
    if signs == "-":
        # Quantiles rise with the level, so the largest magnitude comes first.
        return -np.ones_like(u), 1.0 - u
    return np.where(u < 0.5, -1.0, 1.0), np.abs(2.0 * u - 1.0)


def _require(holds: bool, needed: str, law: DataLaw) -> None:
    if not holds:
        raise RangeError(f"{needed}, got ({law.low}, {law.high})")


def _require_signs(signs: str) -> None:
    if signs not in ("+", "-", "+-"):
        raise RangeError(f"signs must be '+', '-' or '+-', got {signs!r}")
