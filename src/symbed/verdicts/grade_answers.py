"""``grade``: is an answer the right formula? For graders of people, models and benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from symbed.errors import RangeError, SymbedError, WorkerError
from symbed.language.expression import ANONYMOUS, Expression
from symbed.verdicts._answer_reader import read_answer
from symbed.verdicts.arithmetic.ball_programs import BallProgram
from symbed.verdicts.arithmetic.values import is_defined, working_precision
from symbed.verdicts.domains import Box, generic_points
from symbed.verdicts.functions.decision import decide
from symbed.verdicts.functions.verdict import Verdict
from symbed.verdicts.worker_process import (
    START_SECONDS,
    WorkerPool,
    WorkerTimeout,
    decoded_domain,
    encoded_domain,
)

Mark = Literal["correct", "incorrect", "cannot tell"]

SECONDS = 5.0
MEGABYTES = 1024
GRACE = 2.0  # seconds that a worker has to notice by itself that its time is up

# Where formulas are compared when nobody says: all signs, unless the truth is undefined on much of
# that; then positive numbers, then small ones, then what is left for roots and logarithms.
USUAL_RANGES: tuple[tuple[float, float], ...] = (
    (-5.0, 5.0), (0.1, 5.0), (-0.9, 0.9), (0.1, 0.9), (1.1, 9.0), (-5.0, -0.1), (11.0, 99.0),
)  # fmt: skip
POSITIVE = USUAL_RANGES[1]
LEAST_DEFINED = 0.9  # share of points where the truth must be defined for a range to be taken
# The same where no range has as many: sqrt(c^2 - v^2) is defined on half of any.
LEAST_HALFWAY = 0.25
N_TRIED = 24
TRY_BITS = 64


@dataclass(frozen=True)
class GradedAnswer:
    """Whether an answer is right.

    Attributes
    ----------
    mark : str
        ``correct``, ``incorrect`` or ``cannot tell``.
    reason : str
        Why, in a sentence.
    answer, truth : str
        The formulas as they were read.
    domain : dict
        The range of each variable that they were compared on, as text.
    domain_chosen : bool
        Whether the domain was chosen here, since none was given.
    witness : dict or None
        A point where the two differ, as exact fractions in text.
    verdict, relation : dict or None
        What ``decide`` or, for forms, ``relate`` said.
    """

    mark: Mark
    reason: str
    answer: str = ""
    truth: str = ""
    domain: dict[str, list[str]] | None = None
    domain_chosen: bool = False
    witness: dict[str, str] | None = None
    verdict: dict[str, Any] | None = None
    relation: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return dict(self.__dict__)

    def __str__(self) -> str:
        said = ""
        if self.domain_chosen and self.domain:
            ranges = ", ".join(f"{n} in ({a}, {b})" for n, (a, b) in self.domain.items())
            said = f" (compared on {ranges}, since no domain was given)"
        return f"{self.mark}: {self.reason}{said}"


def grade(
    answer: Any,
    truth: Any,
    domain: Mapping[str, Any] | None = None,
    form: bool = False,
    *,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
) -> GradedAnswer:
    r"""Whether an answer is the true formula, however either is written.

    Text, LaTeX, SymPy's text, a spreadsheet's formula or a Python ``def`` is read, never executed,
    and compared in a process of its own that is stopped when its time or memory is used up. So a
    hostile answer costs no more than that, and gets ``cannot tell``.

    Parameters
    ----------
    answer, truth : str, Expression or SymPy object
        The formulas.
    domain : mapping, optional
        The range of each variable. Without one, a domain is chosen, and the result says which.
    form : bool
        Whether only the form counts: constants may differ, as the fitted ones of a discovered law.
    seconds : float
        How long to try at most.
    megabytes : int
        How much memory may be used for it, where the system can limit that.

    Returns
    -------
    GradedAnswer
        ``correct``, ``incorrect`` with a witness, or ``cannot tell``, with the reason.

    Raises
    ------
    SymbedError
        The truth cannot be read, or the domain is none; an answer that cannot be read is
        no error, but ``cannot tell``.

    Examples
    --------
    >>> print(grade("2x + 2", "2*(x + 1)").mark)
    correct
    >>> print(grade(r"\sqrt{x^2}", "x", domain={"x": (-5, 5)}).mark)
    incorrect
    """
    if not seconds > 0:
        raise RangeError(f"seconds must be a positive number, got {seconds!r}")
    arguments = {
        "answer": _as_text(answer),
        "truth": _as_text(truth),
        "domain": None if domain is None else encoded_domain(Box.of(domain)),
        "form": bool(form),
        "seconds": float(seconds),
    }
    request = {"task": "grade", "arguments": arguments}
    try:
        values = _pool(megabytes).ask(request, seconds + GRACE)
    except WorkerTimeout:
        return GradedAnswer("cannot tell", f"no answer within {seconds:g} seconds")
    except WorkerError as error:
        return GradedAnswer("cannot tell", str(error))
    return GradedAnswer(**values)


_POOLS: dict[int, WorkerPool] = {}


def _pool(megabytes: int) -> WorkerPool:
    """The workers with so much memory; each is started once and kept."""
    if megabytes not in _POOLS:
        _POOLS[megabytes] = WorkerPool(megabytes)
        _POOLS[megabytes].ask({"task": "ready"}, START_SECONDS)
    return _POOLS[megabytes]


def _as_text(source: Any) -> str:
    """A formula as text, for another process; SymPy's objects in the library's own words."""
    return source if isinstance(source, str) else str(read_answer(source)[0])


def grade_here(
    answer: str,
    truth: str,
    domain: Mapping[str, Any] | None,
    form: bool,
    seconds: float,
) -> GradedAnswer:
    """``grade`` in this process, without limits of its own; the domain as ``encoded_domain``."""
    # Outside of the try: a truth that cannot be read is the asker's mistake, an answer is not.
    true, _ = read_answer(truth)
    try:
        claimed, _ = read_answer(answer)
    except SymbedError as error:
        reason = f"the answer cannot be read: {str(error).splitlines()[0]}"
        return GradedAnswer("cannot tell", reason, answer, str(true))
    claimed = _renamed(_with_letters_apart(claimed, answer, true), true)
    if not form:
        if ANONYMOUS in true.names:
            raise RangeError(f"the truth {str(true)!r} has free parameters; give form=True")
        if ANONYMOUS in claimed.names:
            reason = f"the answer has a free parameter {ANONYMOUS!r}; form=True compares forms"
            return GradedAnswer("cannot tell", reason, str(claimed), str(true))
    chosen = domain is None
    if domain is not None:
        ranges: dict[str, Any] = decoded_domain(domain)
    else:
        ranges = choose_domain(true, claimed, form)
        if not ranges:
            reason = "no domain was found on which the truth is defined; give one"
            return GradedAnswer("cannot tell", reason, str(claimed), str(true))
    draft = GradedAnswer(
        "cannot tell", "", str(claimed), str(true), encoded_domain(Box.of(ranges)), chosen
    )
    try:
        if form:
            return _form_grade(draft, claimed, true, ranges, seconds)
        return _function_grade(draft, decide(claimed, true, ranges, seconds=seconds))
    except SymbedError as error:
        return replace(draft, reason=str(error).splitlines()[0])


def _function_grade(draft: GradedAnswer, verdict: Verdict) -> GradedAnswer:
    values = verdict.to_dict()
    if verdict.verdict == "different":
        at = ", ".join(f"{name} = {value}" for name, value in values["witness"].items())
        e, f = verdict.values or ("", "")
        reason = f"at {at} the answer is {e}, the truth {f}"
        return replace(
            draft, mark="incorrect", reason=reason, witness=values["witness"], verdict=values
        )
    # Formulas that are defined nowhere are equal with coverage 0: that makes no answer right.
    if verdict.verdict == "undecided" or not verdict.coverage:
        said = verdict.note or "no difference was found, and no agreement either"
        return replace(draft, reason=said, verdict=values)
    reason = "the same function"
    if verdict.exceptions:
        reason += f", but for isolated points such as {verdict.exceptions[0]}"
    return replace(draft, mark="correct", reason=reason, verdict=values)


def _form_grade(
    draft: GradedAnswer,
    claimed: Expression,
    true: Expression,
    ranges: Mapping[str, Any],
    seconds: float,
) -> GradedAnswer:
    from symbed.verdicts.families.relation import relate
    from symbed.workbench.parametrization import parametrize

    forms = []
    for expression in (claimed, true):
        declared = expression.with_variables(tuple(ranges))
        # A formula without free parameters has numbers for them: these become free.
        forms.append(declared if declared.parameters else parametrize(declared)[0])
    relation = relate(forms[0], forms[1], dict(ranges), seconds=seconds)
    draft = replace(draft, answer=str(forms[0]), truth=str(forms[1]), relation=relation.to_dict())
    if relation.relation == "same":
        return replace(draft, mark="correct", reason="the same form")
    halves = relation.e_in_f.contained, relation.f_in_e.contained
    if False not in halves:  # what was not found is not wrong
        return replace(draft, reason="it is open whether the forms are the same")
    said = {
        "undecided": "the forms are different",
        "e_in_f": "the answer's form is only a special case of the truth's",
        "f_in_e": "the answer's form is more general than the truth's",
        "neither": "the forms are different",
    }
    return replace(draft, mark="incorrect", reason=said[relation.relation])


def _with_letters_apart(claimed: Expression, answer: str, true: Expression) -> Expression:
    """The answer with ``mc^2`` as ``m*c^2``, where the truth has m and c but no mc."""
    letters = {name for name in true.names if len(name) == 1}
    unknown = [name for name in claimed.names if name not in true.names and len(name) > 1]
    if not unknown or any(not set(name) <= letters for name in unknown):
        return claimed
    try:
        # LaTeX reads letters side by side as a product.
        apart, _ = read_answer(answer, dialect="latex")
    except SymbedError:
        return claimed
    return apart if set(apart.names) <= set(true.names) else claimed


def _renamed(claimed: Expression, true: Expression) -> Expression:
    """The answer with the truth's spelling of names that differ in underscores or case only."""
    known = {_plain(name): name for name in dict.fromkeys(true.names)}
    # The truth itself tells m from M: then spelling counts.
    if len(known) < len(set(true.names)):
        return claimed
    names = set(claimed.names)
    spelling = {
        name: known[_plain(name)]
        for name in names
        # An answer that uses the truth's spelling as well means something else by this one.
        if name not in true.names and _plain(name) in known and known[_plain(name)] not in names
    }
    items = tuple(spelling.get(i, i) if isinstance(i, str) else i for i in claimed.postfix)
    return Expression(items)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def choose_domain(true: Expression, claimed: Expression, form: bool) -> dict[str, Any]:
    """A range for each variable, the same for all, on which the truth is mostly defined.

    Every name is a variable where constants count; for forms only the conventional ones are, or
    those which both formulas share if there are none.
    """
    names: Sequence[str] = [
        n for n in dict.fromkeys([*true.names, *claimed.names]) if n != ANONYMOUS
    ]
    if form:
        conventional = [n for n in names if n in {*true.variables, *claimed.variables}]
        names = conventional or [n for n in names if n in true.names and n in claimed.names]
    if not names:
        names = ["x"]  # two constants: any domain does
    if form:
        return dict.fromkeys(names, POSITIVE)
    program = BallProgram.of([true])
    shares = {}
    for ends in USUAL_RANGES:
        ranges = dict.fromkeys(names, ends)
        with working_precision(TRY_BITS):
            points = generic_points(Box.of(ranges), N_TRIED)
            values = [program.trace(point)[program.roots[0]] for point in points]
        shares[ends] = sum(map(is_defined, values)) / N_TRIED
        if shares[ends] >= LEAST_DEFINED:
            return ranges
    # Positive numbers where others have no more: quantities of physics mostly are.
    best = max(shares, key=lambda ends: (shares[ends], ends == POSITIVE))
    return dict.fromkeys(names, best) if shares[best] >= LEAST_HALFWAY else {}
