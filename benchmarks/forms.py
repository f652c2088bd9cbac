"""The shipped forms as families: respelled, over all reals, beside neighbors, and in a ranking.

``python -m benchmarks.forms`` takes every twelfth of the shipped forms, ``--every 1`` all of them.
``--tables`` chooses among ``spellings``, ``reals``, ``distances`` and ``ranking``; ``--start`` and
``--every`` cut a long run into pieces.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import symbed
from benchmarks.common import Goal, Report, argument_parser, finish
from symbed.errors import DataError
from symbed.language.expression import ANONYMOUS, Expression, Item
from symbed.language.operators import BY_NAME, POW
from symbed.language.parser import parse
from symbed.verdicts.families.form import make_grid, read_form
from symbed.verdicts.families.form_comparison import compare_forms
from symbed.verdicts.families.relation import relate
from symbed.workbench import datasets
from symbed.workbench.tree_edit import tree_edit_distances

RESPELLINGS = ("C^2", "1/C", "2*C", "sqrt(C)")
SIGNED = ("C^2", "sqrt(C)")  # over all reals these lose what a negative constant gives
POSITIVE = (0.0, math.inf)
BED_RANGE = (0.2, 5.0)  # of constants, where a range is needed
MOVED = 0.02  # of an exponent
POWERS = {"^2": 2.0, "^3": 3.0, "^4": 4.0, "sqrt": 0.5, "^-1": -1.0}
EXCHANGED = {
    "sin": ("cos", "tanh"), "cos": ("sin", "tanh"), "tanh": ("sin",), "exp": ("sqrt", "sin"),
    "sqrt": ("exp", "ln"), "ln": ("sqrt", "exp"), "asin": ("tanh",), "+": ("-", "*"),
    "-": ("+", "/"), "*": ("+", "/"), "/": ("*", "-"), "^2": ("^3", "sqrt"), "^3": ("^2",),
    "^4": ("^3",),
}  # fmt: skip
N_TRUTHS, N_CANDIDATES = 20, 30
N_MUTANTS = 6  # of each form, for distances
N_SIGNED = 64  # members of which a sign is turned


class ShippedForm(NamedTuple):
    """A form of the data sets with its domain."""

    name: str
    form: Expression
    domain: dict[str, Any]


def shipped_forms(start: int = 0, every: int = 1) -> list[ShippedForm]:
    """The forms and their domains."""
    rows = []
    for data in datasets()[start::every]:
        laws = zip(data.variables, data.laws, strict=True)
        domain = {
            name: (float(law.low), float(law.high)) if hasattr(law, "low") else law
            for name, law in laws
        }
        rows.append(ShippedForm(data.name, data.form, domain))
    return rows


def respelled(form: Expression, pattern: str) -> Expression:
    """A form with each of its constants written in another way."""
    part = parse(pattern).postfix
    items = itertools.chain(*(part if item == ANONYMOUS else (item,) for item in form.postfix))
    return Expression(tuple(items), form.declared)


def moved(form: Expression) -> Expression | None:
    """A form with one exponent moved: of a power, or else of a variable.

    None where every variable stands under a free exponent, as in ``C*x^C``: moved, that is the same
    family.
    """
    items: list[Item] = list(form.postfix)
    for place, item in enumerate(items):
        power = POWERS.get(getattr(item, "name", ""))
        if power is not None:
            items[place : place + 1] = [power + MOVED, POW]
            return Expression(tuple(items), form.declared)
    for place, item in enumerate(items):
        is_free = items[place + 1 : place + 3] == [ANONYMOUS, POW]
        if item in form.variables and not is_free:
            items[place : place + 1] = [item, 1.0 + MOVED, POW]
            return Expression(tuple(items), form.declared)
    return None


def neighbors(form: Expression) -> list[Expression]:
    """The form with an exponent moved, if that is another family."""
    neighbor = moved(form)
    return [] if neighbor is None else [neighbor]


def mutants(form: Expression) -> Iterator[Expression]:
    """Forms with one function or operation exchanged."""
    for place, item in enumerate(form.postfix):
        for other in EXCHANGED.get(getattr(item, "name", ""), ()):
            items = (*form.postfix[:place], BY_NAME[other], *form.postfix[place + 1 :])
            yield Expression(items, form.declared)


def other_laws(shipped: ShippedForm, among: list[ShippedForm]) -> Iterator[Expression]:
    """Other forms of as many variables, with the names of this one."""
    names = list(shipped.domain)
    for other in among:
        if other.name != shipped.name and len(other.domain) == len(names):
            renamed = dict(zip(other.domain, names, strict=True))
            items = tuple(
                renamed.get(item, item) if isinstance(item, str) else item
                for item in other.form.postfix
            )
            yield Expression(items, shipped.form.declared)


def spellings(shipped: list[ShippedForm]) -> Report:
    """Respelled over (0, inf) a form is the same family; with an exponent moved it is not."""
    report = Report(f"{len(shipped)} shipped forms, constants written otherwise over (0, inf)")
    same = trials = n_neighbors = mistaken = 0
    for each in _shown(shipped):
        if ANONYMOUS in each.form.postfix:
            for pattern in RESPELLINGS:
                relation = relate(each.form, respelled(each.form, pattern), each.domain, POSITIVE)
                trials += 1
                same += relation.relation == "same"
                if relation.relation != "same":
                    report.facts.append(f"{relation.relation}: {each.name} {each.form}, {pattern}")
        for neighbor in neighbors(each.form):
            relation = relate(each.form, neighbor, each.domain, POSITIVE)
            n_neighbors += 1
            mistaken += relation.relation == "same"
            if relation.relation == "same":
                report.facts.append(f"WRONG, neighbor the same: {each.name} {each.form}")
    report.goals += [
        Goal(f"same, share of {trials}", same / max(1, trials), 0.99),
        Goal(f"neighbors called the same, of {n_neighbors}", mistaken, 0, at_least=False),
    ]
    return report


def reals(shipped: list[ShippedForm]) -> Report:
    """Over all reals a square and a root lack what negative constants give, where these show."""
    report = Report("the same over all reals")
    right = trials = 0
    for each in _shown(shipped):
        if ANONYMOUS not in each.form.postfix:
            continue
        for pattern in RESPELLINGS:
            wanted = "f_in_e" if pattern in SIGNED and signs_show(each) else "same"
            relation = relate(each.form, respelled(each.form, pattern), each.domain)
            trials += 1
            right += relation.relation == wanted
            if relation.relation != wanted:
                report.facts.append(
                    f"{relation.relation}, not {wanted}: {each.name} {each.form}, {pattern}"
                )
    report.goals.append(Goal(f"right, share of {trials}", right / max(1, trials), 0.99))
    return report


def signs_show(shipped: ShippedForm) -> bool:
    """Whether a negative constant gives a function that no positive ones do.

    That is so where turning the sign of one constant changes the function, unless it is nowhere
    defined then. Magnitudes are drawn from ever wider ranges: inputs near 1e10 hide the part that
    a constant near 1 has. A difference of two constants, which would make up for a sign, is in none
    of the shipped forms.
    """
    form = read_form(shipped.form, shipped.domain, None)
    points = make_grid(shipped.domain).points
    generator = np.random.default_rng(0)
    for decades in (0.6, 3.0, 10.0, 25.0):
        exponents = generator.uniform(-decades, decades, (N_SIGNED, form.n_parameters))
        plain = form.outputs(points, 10.0**exponents)
        for place in range(form.n_parameters):
            turned = 10.0**exponents
            turned[:, place] *= -1.0
            outputs = form.outputs(points, turned)
            with np.errstate(all="ignore"):
                sizes = np.fmax(np.abs(plain), np.abs(outputs)).max(axis=1, keepdims=True)
                same = np.isclose(outputs / sizes, plain / sizes, 1e-9, 1e-9, equal_nan=True)
            shows = np.isfinite(outputs).sum(axis=1) >= len(points) // 2
            if (shows & (sizes[:, 0] > 0.0) & ~same.all(axis=1)).any():
                return True
    return False


def distances(shipped: list[ShippedForm], among: list[ShippedForm]) -> Report:
    """The form distance tells what is contained from what is not."""
    inside: list[tuple[float, str]] = []
    outside: list[tuple[float, str]] = []
    for each in _shown(shipped):
        for pattern in RESPELLINGS if ANONYMOUS in each.form.postfix else ("C",):
            other = respelled(each.form, pattern)
            both = compare_forms(each.form, other, each.domain, POSITIVE)
            inside += [(d, f"{each.form}, {pattern}") for d in (both.e_to_f, both.f_to_e)]
        wrong = [*neighbors(each.form), *itertools.islice(mutants(each.form), N_MUTANTS)]
        wrong += itertools.islice(other_laws(each, among), 2)
        for candidate in wrong:
            distance = _distance_if_outside(each, candidate)
            if distance is not None:
                outside.append((distance, f"{each.form} in {candidate}"))
    a, b = (np.array([d for d, _ in side]) for side in (inside, outside))
    below = np.searchsorted(np.sort(b), a, "left") + np.searchsorted(np.sort(b), a, "right")
    area = 1.0 - float(below.mean()) / 2 / max(len(b), 1)
    report = Report(f"form distance: {len(a)} directions contained, {len(b)} not")
    report.facts += [f"contained at {d:.2g}: {text}" for d, text in sorted(inside)[-8:] if d > 1e-9]
    report.facts += [f"not contained at {d:.2g}: {text}" for d, text in sorted(outside)[:5]]
    report.goals.append(Goal("area under the curve", area, 0.999))
    return report


def _distance_if_outside(shipped: ShippedForm, candidate: Expression) -> float | None:
    """The directed distance to a candidate that does not contain the form; None if it may."""
    try:
        if relate(shipped.form, candidate, shipped.domain, POSITIVE).e_in_f.contained:
            return None
        return compare_forms(shipped.form, candidate, shipped.domain, POSITIVE).e_to_f
    except DataError:
        return None  # the mutant is defined nowhere


def ranking(n_truths: int, n_candidates: int) -> Report:
    """The truth and its respellings come before every wrong candidate."""
    among = shipped_forms()
    truths = [each for each in among if ANONYMOUS in each.form.postfix]
    truths = truths[:: max(1, len(truths) // n_truths)][:n_truths]
    first = dict.fromkeys(("form distance", "relative BED", "tree edit"), 0)
    total = 0
    report = Report(f"{len(truths)} truths, {n_candidates} candidates each")
    for each in _shown(truths):
        right = [respelled(each.form, pattern) for pattern in ("C", *RESPELLINGS)]
        wrong = list(itertools.islice(_wrong(each, among), n_candidates - len(right)))
        total += len(right) + len(wrong)
        scores = {
            "form distance": [_symmetric(each, other) for other in (*right, *wrong)],
            "relative BED": [_relative_bed(each, other) for other in (*right, *wrong)],
            "tree edit": tree_edit_distances([each.form], [*right, *wrong])[0].tolist(),
        }
        for name, values in scores.items():
            ahead = max(values[: len(right)]) < min(values[len(right) :])
            first[name] += ahead
            if name == "form distance" and not ahead:
                worst = int(np.argmin(values[len(right) :]))
                report.facts.append(
                    f"{each.form}: {wrong[worst]} at {min(values[len(right) :]):.2g}"
                )
    report.facts += [f"{total} candidates; ahead of every wrong one, truths by each measure:"]
    report.facts += [f"{name:<16}{count} of {len(truths)}" for name, count in first.items()]
    report.goals.append(
        Goal("truths whose right candidates lead, share", first["form distance"] / len(truths), 1.0)
    )
    return report


def _wrong(shipped: ShippedForm, among: list[ShippedForm]) -> Iterator[Expression]:
    """Candidates that are not the same family: neighbors, mutants, other laws."""
    seen = {str(shipped.form)}
    for other in itertools.chain(
        neighbors(shipped.form), mutants(shipped.form), other_laws(shipped, among)
    ):
        if str(other) in seen:
            continue
        seen.add(str(other))
        try:
            if relate(shipped.form, other, shipped.domain, POSITIVE).relation != "same":
                yield other
        except DataError:
            continue  # defined nowhere


def _symmetric(shipped: ShippedForm, other: Expression) -> float:
    try:
        return compare_forms(shipped.form, other, shipped.domain, POSITIVE).distance
    except DataError:
        return 1.0


def _relative_bed(shipped: ShippedForm, other: Expression) -> float:
    return symbed.bed(
        shipped.form, other, domain=shipped.domain, parameters=BED_RANGE, metric="relative"
    )


def _shown(shipped: list[ShippedForm]) -> Iterator[ShippedForm]:
    for number, each in enumerate(shipped):
        print(f"\r{number + 1} of {len(shipped)}", end="", file=sys.stderr, flush=True)
        yield each
    print(file=sys.stderr)


def main() -> int:
    """Print the tables."""
    parser = argument_parser(__doc__)
    parser.add_argument("--every", type=int, default=12, help="take each K-th form; 1 for all")
    parser.add_argument("--start", type=int, default=0, help="the first form")
    names = ("spellings", "reals", "distances", "ranking")
    parser.add_argument("--tables", nargs="+", choices=names, default=list(names))
    options = parser.parse_args()
    shipped = shipped_forms(options.start, options.every)
    reports = []
    if "spellings" in options.tables:
        reports.append(spellings(shipped))
    if "reals" in options.tables:
        reports.append(reals(shipped))
    if "distances" in options.tables:
        reports.append(distances(shipped, shipped_forms()))
    if "ranking" in options.tables:
        n_truths = N_TRUTHS if options.every == 1 else max(2, N_TRUTHS // options.every)
        reports.append(ranking(n_truths, N_CANDIDATES))
    return finish(reports, options.json)


if __name__ == "__main__":
    raise SystemExit(main())
