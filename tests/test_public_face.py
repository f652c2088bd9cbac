"""What every public name keeps to: a clean ``dir``, one way to measure, plain values, real numpydoc."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import symbed
import symbed.plots
import symbed.scoring.benchmark
import symbed.verdicts
import symbed.workbench as workbench
from symbed._export import json_values

PACKAGES = (
    symbed, symbed.plots, workbench, symbed.verdicts, symbed.scoring, symbed.scoring.benchmark,
)  # fmt: skip
PROBE = symbed.Probe({"x": (1, 5)}, parameters=(0.2, 5), n_points=8, n_draws=4)
ATLAS = symbed.survey(["x", "C*x", "x*C", "sin(x)"], PROBE, metadata={"loss": [4.0, 3, 2, 1]})
A, B = symbed.observe("C*x", PROBE), symbed.observe("ln(x - 3)", PROBE)
X = np.linspace(1, 5, 9)
DOMAIN = {"x": (1, 5)}

# Verbs that can take longer than a moment.
LONG = [
    symbed.survey, symbed.pairwise, symbed.nearest, symbed.duplicates, symbed.cluster, symbed.select,
    symbed.score, workbench.fit_many, workbench.sample, workbench.equivalents,
    workbench.equivalent_groups, workbench.pairwise, workbench.nearest,
    symbed.verdicts.decide_pairs, symbed.verdicts.relate_many, symbed.verdicts.form_distances,
    symbed.scoring.judge_results, symbed.scoring.benchmark.run_benchmark,
    symbed.scoring.benchmark.read_leaderboard,
]  # fmt: skip

MEASURING: dict[str, Callable[..., Any]] = {
    "bed": lambda **how: symbed.bed("x", "C*x", domain=DOMAIN, parameters=(0, 1), **how),
    "distance": lambda **how: symbed.distance(A, B, **how),
    "compare": lambda **how: symbed.compare(A, B, **how),
    "pairwise": lambda **how: symbed.pairwise(ATLAS, **how),
    "nearest": lambda **how: symbed.nearest("x", ATLAS, k=2, **how),
    "duplicates": lambda **how: symbed.duplicates(ATLAS, **how),
    "cluster": lambda **how: symbed.cluster(["x", "C*x", "sin(x)"], 2, probe=PROBE, **how),
    "select": lambda **how: symbed.select(ATLAS, 2, **how),
}

RESULTS: dict[str, Callable[[], Any]] = {
    "Expression": lambda: symbed.parse("C*x"),
    "Formulas": lambda: symbed.read_formulas(["x", "sin(x)"]),
    "Measure": symbed.Measure,
    "Behavior": lambda: A,
    "Atlas": lambda: ATLAS,
    "Comparison": lambda: symbed.compare(A, B),
    "DistanceMatrix": lambda: symbed.pairwise([A, B]),
    "Neighbors": lambda: symbed.nearest("x", ATLAS, k=2),
    "Neighbors of many": lambda: symbed.nearest(["x", "C*x"], ATLAS, k=2),
    "DuplicateGroups": lambda: symbed.duplicates(ATLAS),
    "Clusters": lambda: symbed.cluster(["x", "C*x", "sin(x)"], 2, probe=PROBE),
    "Selection": lambda: symbed.select(ATLAS, 2),
    "Verdict": lambda: symbed.decide("x", "1/x", {"x": (-1, 1)}),
    "Relation": lambda: symbed.relate("a*x", "a*x + b", DOMAIN),
    "Effective": lambda: symbed.effective("a*b*x", DOMAIN),
    "Score": lambda: symbed.score(["2*x", "x^2"], "a*x", DOMAIN),
    "Fit": lambda: workbench.fit("a*x + b", X, 2 * X),
    "Fits": lambda: workbench.fit_many(["a*x", "b", "ln(-x)"], X, 2 * X),
    "ParameterErrors": lambda: workbench.fit("a*x + b", X, X**2).standard_errors(X, X**2),
    "Sample": lambda: workbench.sample(workbench.paper_grammar(1), 3),
}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_dir_shows_what_is_public_and_nothing_else(package: Any) -> None:
    assert [name for name in dir(package) if name[:2] != "__"] == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)


@pytest.mark.parametrize("verb", MEASURING)
def test_every_verb_that_measures_takes_a_measure_or_its_five_names(verb: str) -> None:
    five = {"metric": "relative", "p": 2, "mismatch": 3.0, "undefined": "strict", "penalty": None}
    by_names, by_measure = (
        MEASURING[verb](**how) for how in (five, {"measure": symbed.Measure(**five)})
    )
    assert str(by_names) == str(by_measure)


@pytest.mark.parametrize("verb", LONG, ids=lambda verb: verb.__name__)
def test_every_long_verb_tells_its_progress(verb: Callable[..., Any]) -> None:
    assert "progress" in inspect.signature(verb).parameters


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_a_dictionary_for_json(name: str) -> None:
    document = RESULTS[name]().to_dict()
    text = json.dumps(json_values(document), allow_nan=False)
    assert set(json.loads(text)) == set(document)


@pytest.mark.parametrize(
    "name", [name for name in RESULTS if name not in ("Expression", "Measure")]
)
def test_every_result_with_rows_is_a_frame(name: str) -> None:
    pytest.importorskip("pandas")
    assert len(RESULTS[name]().to_frame()) >= 1


def test_workbench_verbs_tell_how_far_they_are() -> None:
    told: list[int] = []
    workbench.equivalents("C*x", 3, progress=told.append)
    assert told == [1, 2, 3]
    for measure in ("edit", "jaccard", "tree"):
        told.clear()
        workbench.pairwise(["x", "x + 1", "sin(x)"], measure=measure, progress=told.append)
        assert told
        assert told == sorted(told)


def _callables() -> Iterator[tuple[str, Any]]:
    """Public functions and classes, and the public methods of the latter."""
    for package in PACKAGES:
        for name in package.__all__:
            thing = getattr(package, name)
            if inspect.isfunction(thing):
                yield f"{package.__name__}.{name}", thing
            elif inspect.isclass(thing) and not issubclass(thing, Exception):
                yield f"{package.__name__}.{name}", thing
                for method, code in vars(thing).items():
                    code = getattr(code, "__func__", code)  # of a class method
                    if inspect.isfunction(code) and method[0] != "_":
                        yield f"{package.__name__}.{name}.{method}", code


DOCUMENTED = dict(_callables())
ENTRY = re.compile(r"(?P<names>\*{0,2}\w+(, \*{0,2}\w+)*)( : (?P<type>.+))?")
PROSE = re.compile(r"\b(the|its|is|are|whether|which|where|when)\b|\.$")


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstrings_name_the_parameters_of_the_signature(name: str) -> None:
    thing = DOCUMENTED[name]
    entries = [ENTRY.fullmatch(line) for line in _parameter_lines(inspect.getdoc(thing) or "")]
    assert all(entries), "an entry is `name : type`, and what follows is indented"
    documented = [n.lstrip("*") for entry in entries if entry for n in entry["names"].split(", ")]
    wanted = [p for p in inspect.signature(thing).parameters if p not in ("self", "cls")]
    if documented:
        assert sorted(documented) == sorted(wanted)
    assert [e["type"] for e in entries if e and e["type"] and PROSE.search(e["type"])] == []


def _parameter_lines(text: str) -> list[str]:
    """The lines of the section of parameters that are not indented: its entries."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", text, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return [line for line in sections.get("Parameters", "").splitlines() if line[:1].strip()]
