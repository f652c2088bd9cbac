"""``Measure``: how distances are measured; and the table of metrics, one row for each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypedDict

from symbed._types import Floats
from symbed.errors import RangeError, ShapeError

Undefined = Literal["strict", "cemetery"]


class Metric(NamedTuple):
    """One row of the table."""

    name: str  # what ``metric=`` takes
    question: str  # what it answers, for the docs
    # What is done to outputs before they are compared; increasing, so that they stay sorted.
    transform: Callable[[Floats], Floats] | None = None
    relative: bool = False  # whether the distance is set in relation to the size of the outputs
    # Whether families are compared as distributions over whole functions, two at a time, and not as
    # distributions of outputs point by point.
    whole: bool = False

    @property
    def largest(self) -> float:
        """No distance is larger."""
        return 1.0 if self.relative else math.inf


def _asinh(outputs: Floats) -> Floats:
    """The engine's own, since NumPy's last bits depend on the machine."""
    from symbed.engine.backend import active_backend

    return active_backend().arcsinh(outputs)


METRICS: dict[str, Metric] = {
    row.name: row
    for row in (
        Metric("wasserstein", "how far apart are the outputs, in their own unit?"),
        Metric("relative", "how far apart are they, as a share of their size?", relative=True),
        Metric("arcsinh", "how far apart on a scale that is logarithmic far out?", _asinh),
        Metric("trajectory", "how far apart are they as families of whole functions?", whole=True),
        Metric("energy", "do they differ as families of whole functions at all?", whole=True),
    )
}

POINTWISE = tuple(name for name, row in METRICS.items() if not row.whole)


@dataclass(frozen=True)
class Measure:
    """How distances are measured: what every verb that measures takes as ``measure=``.

    Each verb takes the five settings as keywords, too.

    Parameters
    ----------
    metric : {"wasserstein", "relative", "arcsinh", "trajectory", "energy"}
        A row of the metric table; the last two compare two families at a time.
    p : {1, 2}
        Order of the Wasserstein distance.
    mismatch : float
        Point-wise distance where exactly one side is defined. A finite number breaks the triangle
        inequality.
    undefined : {"strict", "cemetery"}
        ``"strict"`` is the paper's rule: undefined outputs are dropped, and ``mismatch`` counts
        where one side has none left. ``"cemetery"`` is a finite metric that keeps their share as
        mass on an extra point, ``penalty`` away from zero.
    penalty : float, optional
        Length of the way from zero to the cemetery, in the unit of the outputs.

    Examples
    --------
    >>> import symbed
    >>> rms = symbed.Measure(p=2)
    >>> symbed.bed("x", "x + 2", domain={"x": (0, 1)}, measure=rms)
    2.0
    """

    metric: str = "wasserstein"
    p: int = 1
    mismatch: float = math.inf
    undefined: Undefined = "strict"
    penalty: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.metric, str) or self.metric not in METRICS:
            raise RangeError(f"metric must be one of {', '.join(METRICS)}, got {self.metric!r}")
        if self.p not in (1, 2):
            raise RangeError(f"p must be 1 or 2, got {self.p!r}")
        object.__setattr__(self, "p", int(self.p))  # 2.0 is 2, and the engine takes an integer
        # `not >=` refuses NaN, too.
        if not isinstance(self.mismatch, (int, float)) or not self.mismatch >= 0:
            raise RangeError(f"mismatch must be a number of at least 0, got {self.mismatch!r}")
        if self.undefined not in ("strict", "cemetery"):
            raise RangeError(f"undefined must be 'strict' or 'cemetery', got {self.undefined!r}")
        if self.row.whole and self.undefined == "cemetery":
            raise RangeError(
                f"undefined='cemetery' does not go with metric={self.metric!r}; "
                "give a finite mismatch=... instead"
            )
        if self.metric == "energy" and self.p != 1:
            raise RangeError("metric='energy' has no order p; leave p at 1")
        if self.undefined == "cemetery":
            self._check_cemetery()
        elif self.penalty is not None:
            raise RangeError("penalty goes with undefined='cemetery'")

    def require_pointwise(self, verb: str) -> None:
        """Raise ``RangeError`` for a metric that compares two families at a time."""
        if self.row.whole:
            raise RangeError(
                f"metric={self.metric!r} compares two families at a time, with compare and "
                f"distance; {verb} takes one of {', '.join(POINTWISE)}"
            )

    def _check_cemetery(self) -> None:
        # Outputs joined to the cemetery at zero are a tree, on which W1 has a closed form.
        if self.p != 1:
            raise RangeError("undefined='cemetery' is defined for p = 1 only")
        if not isinstance(self.penalty, (int, float)) or not 0 < self.penalty < math.inf:
            raise RangeError(
                "undefined='cemetery' needs penalty=..., a positive number in the unit of the "
                f"outputs, got {self.penalty!r}"
            )

    @property
    def row(self) -> Metric:
        """The row of the metric table."""
        return METRICS[self.metric]

    @property
    def in_own_unit(self) -> Measure:
        """The point-wise measure in the unit of the (transformed) outputs behind this one."""
        if self.row.relative or self.row.whole:
            return replace(self, metric="wasserstein")
        return self

    def to_dict(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self)


_DEFAULT = Measure()


class MeasureSettings(TypedDict, total=False):
    """The settings of a ``Measure`` as keywords of a verb."""

    metric: str
    p: int
    mismatch: float
    undefined: Undefined
    penalty: float | None


def as_measure(measure: Measure | None, settings: MeasureSettings) -> Measure:
    """The measure of a call: the one given, or one of the settings given instead.

    >>> as_measure(None, {"p": 2}).p
    2
    """
    if measure is None:
        return Measure(**settings) if settings else _DEFAULT
    if not isinstance(measure, Measure):
        raise ShapeError(
            f"measure must be a Measure, got {measure!r}; the name of a metric goes to metric=..."
        )
    if settings:
        given = ", ".join(f"{name}=..." for name in settings)
        raise RangeError(f"give measure=... or {given}, not both")
    return measure
