"""Verdicts on families: how many are right, proven and explained, and how long they take.

Run with ``python -m benchmarks.relate [cases.json] [--seeds N] [--every K]``: a case file has rows
with the kinds ``family...`` (e, f, domain, parameters, label) and ``redundancy`` (e, label); the
built-in tables serve without one. ``--every K`` takes each K-th of the shipped forms.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.family_pairs import ONE, REDUNDANT, family_pairs
from symbed.errors import DataError
from symbed.language.expression import Expression, Item
from symbed.language.operators import POW
from symbed.language.parser import parse
from symbed.verdicts.families.effective_parameters import effective
from symbed.verdicts.families.form_comparison import compare_forms
from symbed.verdicts.families.relation import relate
from symbed.workbench import datasets

CONTAINED = {
    "same": (True, True), "e_in_f": (True, False), "f_in_e": (False, True),
    "neither": (False, False),
}  # fmt: skip
RESPELLINGS = ("C^2", "1/C", "2*C", "sqrt(C)")
POSITIVE = (0.0, math.inf)
MOVED = 0.02  # of an exponent


def read_cases(path: str | None) -> list[dict[str, Any]]:
    """The rows of a case file, or the built-in ones."""
    if path is None:
        redundant = [
            {"kind": "redundancy", "e": e, "domain": ONE, "parameters": (0.5, 2.0), "label": rank}
            for e, rank in REDUNDANT
        ]
        return [*family_pairs(), *redundant]
    rows: list[dict[str, Any]] = json.loads(Path(path).read_text(encoding="utf-8"))
    return rows


def arguments_of(case: dict[str, Any]) -> tuple[dict[str, tuple[float, float]], Any]:
    """Domain and parameter ranges of a case."""
    domain = {name: (float(low), float(high)) for name, (low, high) in case["domain"].items()}
    given = case.get("parameters")
    if isinstance(given, dict):
        return domain, {name: (float(a), float(b)) for name, (a, b) in given.items()}
    return domain, None if given is None else (float(given[0]), float(given[1]))


def families_table(cases: Sequence[dict[str, Any]], seeds: int) -> None:
    """Containments found and refuted, substitutions, times."""
    print("seed  found  false  refuted  falsely  substitutions  median ms  95 % ms  longest ms")
    for seed in range(seeds):
        counts: Counter[Any] = Counter()
        times = []
        for case in cases:
            domain, parameters = arguments_of(case)
            began = time.process_time()
            relation = relate(case["e"], case["f"], domain, parameters, seed=seed)
            times.append(1e3 * (time.process_time() - began))
            truth = CONTAINED[case["label"].lower()]
            for half, is_contained in zip((relation.e_in_f, relation.f_in_e), truth, strict=True):
                counts[is_contained, half.contained] += 1
                counts["map"] += half.contained is True and half.substitution is not None
        right, wrong = (sum(counts[t, c] for c in (True, False, None)) for t in (True, False))
        print(
            f"{seed:4d}  {counts[True, True] / max(right, 1):5.1%}  {counts[False, True]:5d}  "
            f"{counts[False, False] / max(wrong, 1):7.1%}  {counts[True, False]:7d}  "
            f"{counts['map'] / max(counts[True, True], 1):13.1%}  {np.median(times):9.1f}  "
            f"{np.quantile(times, 0.95):7.1f}  {max(times):10.1f}"
        )


def effective_table(cases: Sequence[dict[str, Any]]) -> None:
    """Effective parameters of the cases, and of random products."""
    right, times = 0, []
    rows = [(case["e"], case["label"], *arguments_of(case)) for case in cases]
    rows += [(text, rank, ONE, None) for text, rank in random_products(100)]
    for text, rank, domain, parameters in rows:
        began = time.process_time()
        answer = effective(text, domain, parameters)
        times.append(1e3 * (time.process_time() - began))
        right += answer.rank == rank
        if answer.rank != rank:
            print(f"  wrong: {text} has {rank}, got {answer.rank}")
    print(f"effective: {right} of {len(rows)} right, median {np.median(times):.1f} ms, ", end="")
    print(f"longest {max(times):.1f} ms")


def random_products(n: int, seed: int = 0) -> list[tuple[str, int]]:
    """Families in which known groups of parameters act only as products, and their ranks."""
    generator = np.random.default_rng(seed)
    basis = ("x", "x^2", "exp(-x)", "sin(x)", "ln(x)", "1/x")
    wrapped = ("{}", "{}^2", "exp({})", "1/{}")
    families = []
    for _ in range(n):
        names = (f"p{k}" for k in itertools.count())
        terms = generator.permutation(len(basis))[: generator.integers(1, 4)]
        parts = []
        for term in terms:
            factors = [
                wrapped[generator.integers(len(wrapped))].format(next(names))
                for _ in range(generator.integers(1, 4))
            ]
            parts.append("*".join([*factors, basis[term]]))
        families.append((" + ".join(parts), len(terms)))
    return families


def respelled(form: Expression, pattern: str) -> Expression:
    """A form with each of its constants written in another way."""
    part = parse(pattern).postfix
    items = itertools.chain(*(part if item == "C" else (item,) for item in form.postfix))
    return Expression(tuple(items), form.declared)


def moved(form: Expression) -> Expression | None:
    """A form with one exponent moved; None if it has none."""
    powers = {"^2": 2.0, "^3": 3.0, "^4": 4.0, "sqrt": 0.5, "^-1": -1.0}
    items: list[Item] = []
    done = False
    for item in form.postfix:
        name = getattr(item, "name", "")
        if not done and name in powers:
            items += [powers[name] + MOVED, POW]
            done = True
        else:
            items.append(item)
    if not done and form.variables:
        place = items.index(form.variables[0])
        items[place : place + 1] = [form.variables[0], 1.0 + MOVED, POW]
        done = True
    return Expression(tuple(items), form.declared) if done else None


def shipped_forms(every: int) -> list[tuple[Expression, dict[str, Any]]]:
    """Forms with constants, and their domains."""
    rows = []
    for data in datasets()[::every]:
        if "C" in data.form.postfix:
            laws = zip(data.variables, data.laws, strict=True)
            domain = {
                name: (law.low, law.high) if hasattr(law, "low") else law for name, law in laws
            }
            rows.append((data.form, domain))
    return rows


def forms_table(every: int) -> None:
    """Shipped forms against respellings of themselves, and against neighbors."""
    counts: Counter[str] = Counter()
    inside, outside = [], []
    forms = shipped_forms(every)
    for k, (form, domain) in enumerate(forms):
        for pattern in RESPELLINGS:
            relation = relate(form, respelled(form, pattern), domain, POSITIVE)
            counts["same" if relation.relation == "same" else "other"] += 1
            inside += [relation.e_in_f.distance, relation.f_in_e.distance]
        neighbor = moved(form)
        if neighbor is not None:
            relation = relate(form, neighbor, domain, POSITIVE)
            counts["neighbor same" if relation.relation == "same" else "neighbor apart"] += 1
            if relation.e_in_f.contained is not True:
                outside.append(relation.e_in_f.distance)
        other, other_domain = forms[(k + 1) % len(forms)]
        if len(other_domain) == len(domain):
            renamed = dict(zip(other.variables, form.variables, strict=False))
            items = tuple(renamed.get(i, i) if isinstance(i, str) else i for i in other.postfix)
            relation = relate(form, Expression(items, form.declared), domain, POSITIVE)
            if relation.e_in_f.contained is not True:
                outside.append(relation.e_in_f.distance)
    print(f"respellings over (0, inf): {dict(counts)}")
    ranks = np.searchsorted(np.sort(outside), inside, side="left")
    area = 1.0 - float(ranks.mean()) / max(len(outside), 1)
    print(f"form distance: AUC {area:.5f} ({len(inside)} contained, {len(outside)} not)")


def ranking_table(n_truths: int) -> None:
    """How often the truth and its respellings come before every wrong candidate."""
    forms = shipped_forms(6)[:n_truths]
    first = 0
    for form, domain in forms:
        right = [respelled(form, pattern) for pattern in ("C", *RESPELLINGS)]
        wrong = [candidate for candidate in mutants(form) if candidate is not None]
        distances = [distance_to(form, candidate, domain) for candidate in [*right, *wrong]]
        first += max(distances[: len(right)]) < min(distances[len(right) :], default=1.0)
    print(f"ranking: the truth and its respellings first for {first} of {len(forms)} truths")


def distance_to(form: Expression, candidate: Expression, domain: dict[str, Any]) -> float:
    """The directed distance; a candidate that is defined nowhere is as far as can be."""
    try:
        return compare_forms(form, candidate, domain, POSITIVE).e_to_f
    except DataError:
        return 1.0


def mutants(form: Expression) -> list[Expression | None]:
    """Wrong candidates: an exponent moved, a function or an operation exchanged."""
    changes = {"sin": "tanh", "cos": "sin", "exp": "sqrt", "sqrt": "exp", "+": "-", "*": "+"}
    candidates = [moved(form)]
    from symbed.language.operators import BY_NAME

    for place, item in enumerate(form.postfix):
        name = getattr(item, "name", "")
        if name in changes and len(candidates) < 12:
            items = (*form.postfix[:place], BY_NAME[changes[name]], *form.postfix[place + 1 :])
            candidates.append(Expression(items, form.declared))
    return candidates


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="?")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--every", type=int, default=12)
    options = parser.parse_args()
    cases = read_cases(options.cases)
    families_table([c for c in cases if c["kind"].startswith("family")], options.seeds)
    effective_table([c for c in cases if c["kind"] == "redundancy"])
    forms_table(options.every)
    ranking_table(20 if options.every < 12 else 5)


if __name__ == "__main__":
    main()
