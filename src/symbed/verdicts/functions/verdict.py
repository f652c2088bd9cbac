"""What was decided about two formulas, with the evidence and its grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

VerdictName = Literal["equal", "different", "undecided"]
Grade = Literal["witnessed", "bounded", "sampled", ""]
Reason = Literal["values", "only_e_defined", "only_f_defined", ""]


@dataclass(frozen=True)
class PointException:
    """An isolated place where two formulas differ although they agree around it.

    Attributes
    ----------
    point : dict
        For each variable its exact value as text, or the digits that are known of an
        irrational one.
    reason : str
        How they differ there.
    exact : bool
        Whether ``point`` is exact; otherwise the exception lies within the last digit shown.
    """

    point: dict[str, str]
    reason: Reason
    exact: bool = True

    def __str__(self) -> str:
        sign = "=" if self.exact else "~"
        return ", ".join(f"{name} {sign} {value}" for name, value in self.point.items())


@dataclass(frozen=True)
class Verdict:
    """Whether two formulas are the same function on a domain.

    Attributes
    ----------
    verdict : str
        ``equal``, ``different`` or ``undecided``.
    grade : str
        What the verdict rests on. ``witnessed``: a point where they differ, with certainty.
        ``bounded``: they differ by at most ``bound`` on all but ``uncovered`` of the domain, with
        certainty. ``sampled``: no difference at ``n_points`` points; not certain. Empty where
        nothing was decided.
    witness : dict or None
        An exact point where they differ, and near which they differ on a region; None if they
        do not.
    values : tuple or None
        What the two formulas are there, as enclosures in text.
    reason : str
        How they differ: by ``values``, or only one is defined there.
    exceptions : tuple of PointException
        Isolated points where they differ although they agree around.
    bound, uncovered : float or None
        Of the grade ``bounded``: the largest difference, and the share of the domain
        for which nothing was proven.
    n_points, bits : int
        How many points were compared, and the highest precision used.
    coverage : float
        The share of the compared points where both formulas are defined.
    note : str
        What stood in the way, or what else to know; empty if nothing.
    domain : mapping
        The domain as text.
    """

    verdict: VerdictName
    grade: Grade = ""
    witness: dict[str, Fraction] | None = None
    values: tuple[str, str] | None = None
    reason: Reason = ""
    exceptions: tuple[PointException, ...] = ()
    bound: float | None = None
    uncovered: float | None = None
    n_points: int = 0
    bits: int = 0
    coverage: float = 1.0
    note: str = ""
    domain: str = field(default="", repr=False)

    def to_frame(self) -> Any:
        """A pandas table with one row."""
        from symbed._export import data_frame

        return data_frame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON; the witness as exact fractions in text."""
        witness = None
        if self.witness is not None:
            witness = {name: str(value) for name, value in self.witness.items()}
        return {
            **self.__dict__,
            "witness": witness,
            "values": None if self.values is None else list(self.values),
            "exceptions": [
                {"point": dict(e.point), "reason": e.reason, "exact": e.exact}
                for e in self.exceptions
            ],
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Verdict:
        """The verdict that ``to_dict`` gave."""
        fields = dict(values)
        if fields["witness"] is not None:
            witness = fields["witness"].items()
            fields["witness"] = {name: Fraction(value) for name, value in witness}
        if fields["values"] is not None:
            fields["values"] = tuple(fields["values"])
        fields["exceptions"] = tuple(PointException(**e) for e in fields["exceptions"])
        return cls(**fields)

    def _repr_html_(self) -> str:
        from symbed._notebook import verdict_html

        return verdict_html(self)

    def __str__(self) -> str:
        return "; ".join(part for part in (self._sentence(), self._exceptions(), self.note) if part)

    def _sentence(self) -> str:
        where = f" on {self.domain}" if self.domain else ""
        if self.verdict == "different":
            return f"different{where}: {self._difference()}"
        if self.verdict == "undecided":
            return f"undecided{where}: {self.n_points} points compared, up to {self.bits} bits"
        if self.grade == "bounded":
            share = f" on all but {self.uncovered:.0e} of it" if self.uncovered else ""
            if self.bound == 0:
                return f"equal{where}: identical by algebra{share}"
            return f"equal{where}: they differ by at most {self.bound:.0e}{share}"
        digits = int(self.bits * 0.30103)  # log10(2)
        return (
            f"equal{where}: no difference at {_points(self.n_points)}, to {digits} digits at most; "
            "not a proof"
        )

    def _difference(self) -> str:
        at = ", ".join(f"{name} = {value}" for name, value in (self.witness or {}).items())
        e, f = self.values or ("", "")
        if self.reason == "only_e_defined":
            return f"at {at} E is {e}, F is undefined"
        if self.reason == "only_f_defined":
            return f"at {at} E is undefined, F is {f}"
        return f"at {at} E is {e}, F is {f}"

    def _exceptions(self) -> str:
        if not self.exceptions:
            return ""
        shown = "; ".join(map(str, self.exceptions[:3]))
        more = f" and {len(self.exceptions) - 3} more" if len(self.exceptions) > 3 else ""
        return f"they differ at isolated points: {shown}{more}"


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"
