"""What a notebook shows: complete, escaped, and small for anything large."""

from __future__ import annotations

import sys
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import symbed
from symbed import duplicates, nearest, plots
from symbed.errors import ShapeError
from symbed.workbench import fit

PROBE = symbed.Probe({"x": (-1, 3)}, parameters=(1, 5), n_points=16, n_draws=8)
ATLAS = symbed.survey(["C*x", "x*C", "ln(x)", "x^2", "C*exp(ln(x))"], PROBE)
PNG = b"\x89PNG"
NASTY = "<script>alert('&\"')</script>"


class Reader(HTMLParser):
    """Collects the text and the tags, and checks that tags are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.seen, self.words, self.pictures = [], set(), "", []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        self.words += data + " "


def words(result) -> str:
    return Reader(result._repr_html_()).words


def observed(text: str) -> symbed.Behavior:
    return symbed.observe(text, PROBE)


def nasty_results():
    one = symbed.Behavior.from_samples([[1.0, 2.0]], [0.0], NASTY)
    matrix = symbed.DistanceMatrix(np.zeros((1, 1)), [NASTY], [NASTY])
    atlas = symbed.Atlas.from_behaviors([one, one]).with_metadata(**{NASTY: [1, 2]})
    groups = duplicates(symbed.Atlas.from_behaviors([one, one]), within=0.1)
    yield from (one, matrix, atlas, groups, groups[0], nearest(one, atlas, 1))
    yield symbed.compare(one, one)
    yield symbed.Clusters(np.zeros(1, int), np.zeros(1, int), [NASTY])
    yield symbed.Verdict("undecided", note=NASTY)


@pytest.mark.parametrize("result", list(nasty_results()), ids=lambda result: type(result).__name__)
def test_text_of_users_is_escaped_everywhere(result) -> None:
    html = Reader(result._repr_html_())
    assert "script" not in html.seen
    assert "<script>alert" in html.words


def test_a_behavior_tells_its_size_and_outputs() -> None:
    shown = words(observed("C*ln(x)"))
    assert all(text in shown for text in ("C*ln(x)", "16", "8", "75%", "median"))
    assert "none defined" in words(observed("ln(-1 - x^2)"))


def test_a_comparison_tells_what_must_stand_beside_the_number() -> None:
    comparison = symbed.compare(observed("C*x"), observed("ln(x)"))
    shown = words(comparison)
    assert "∞" in shown
    assert (
        f"{comparison.mismatched_points} points; over the others {comparison.finite_part:.6g}"
        in shown
    )
    assert comparison._repr_latex_() == (
        r"$\displaystyle d\left(C \cdot x,\; \ln\left(x\right)\right) = \infty$"
    )


def test_a_distance_in_latex_has_its_power_of_ten_and_labels_cannot_be_commands() -> None:
    one = symbed.Behavior.from_samples([[0.0]], [0.0], r"a \input{x} $")
    other = symbed.Behavior.from_samples([[1.5e-9]], [0.0], "x")
    shown = symbed.compare(one, other)._repr_latex_()
    assert r"\approx 1.5 \cdot 10^{-9}" in shown
    assert r"\text{a  input x   }" in shown


def test_a_matrix_shows_its_corner() -> None:
    values = np.arange(400.0).reshape(20, 20)
    names = [f"f{i}" for i in range(20)]
    shown = words(symbed.DistanceMatrix(values, names, names))
    assert "20 x 20" in shown
    assert "12 more" in shown
    assert "f7" in shown
    assert "f8" not in shown


def test_an_atlas_tells_counts_columns_and_its_first_expressions() -> None:
    shown = words(ATLAS.with_metadata(loss=[1, 2, 3, 4, 5]))
    assert all(text in shown for text in ("C*x", "expressions", "5", "loss"))


def test_neighbors_are_a_table_and_those_of_many_queries_a_count() -> None:
    neighbors = nearest("C*x", ATLAS, 3)
    assert all(label in words(neighbors) for label in neighbors.labels)
    assert "queries" in words(nearest(["x", "C*x"], ATLAS, 2))


def test_clusters_and_groups_show_their_members() -> None:
    clusters = symbed.Clusters(np.array([0, 0, 1]), np.array([1, 2]), ["a", "b", "c"])
    assert "Clusters of 3 expressions" in words(clusters)
    groups = duplicates(ATLAS)
    assert "x*C" in words(groups)
    assert "C*x" in words(next(groups.repeated))


def test_a_fit_shows_its_values_and_its_formula() -> None:
    x = np.linspace(1, 2, 9)
    fitted = fit("a*x", x, 3 * x, variables=["x"])
    assert all(text in words(fitted) for text in ("a*x", "rmse", "9"))
    assert fitted._repr_latex_() == r"$3 \cdot x$"


def test_a_verdict_shows_its_grade_and_the_point_that_shows_it() -> None:
    pytest.importorskip("flint")
    shown = words(symbed.decide("ln(x^2)", "2*ln(x)", {"x": (-5, 5)}))
    assert all(text in shown for text in ("different", "witnessed", "x = -1", "undefined"))
    assert "bounded" in words(symbed.decide("x + x", "2*x", {"x": (0, 1)}))
    assert "x = 0" in words(symbed.decide("x/x", "1", {"x": (-1, 1)}))


def test_a_relation_shows_both_directions_and_effective_parameters_their_groups() -> None:
    pytest.importorskip("flint")
    shown = words(symbed.relate("a*x", "a*x + b", {"x": (0, 1)}))
    assert all(text in shown for text in ("e_in_f", "E in F", "not contained", "form distance"))
    shown = words(symbed.effective("a*b*x", {"x": (0, 1)}))
    assert all(text in shown for text in ("1  of 2", "a, b", "a*b"))


def test_a_score_shows_its_formulas_best_first() -> None:
    shown = words(symbed.score(["x^2", "2*x"], "2.5*x", {"x": (1, 5)}))
    assert shown.index("2*x") < shown.index("x^2")
    assert "the true form" in shown


def test_a_fit_without_its_data_is_drawn_with_data_that_are_given() -> None:
    pytest.importorskip("matplotlib")
    fitted = replace(fit("a*x", X, 3 * X, variables=["x"]), target=None)
    assert Reader(fitted._repr_html_()).pictures == []
    with pytest.raises(ShapeError, match="give X and y"):
        plots.fitted(fitted)


def test_an_expression_is_mathematics() -> None:
    assert symbed.parse("x^2/2")._repr_latex_() == r"$\frac{x^{2}}{2}$"


def drawable_results():
    pytest.importorskip("matplotlib")
    yield observed("C*x")
    yield symbed.compare(observed("C*x"), observed("ln(x)"))
    yield symbed.pairwise(ATLAS)
    yield nearest("C*x", ATLAS, 3)
    yield duplicates(ATLAS)
    yield symbed.cluster(symbed.survey(["x", "x + 0.1", "x^2"], PROBE), 2)
    yield fit("a*x", X, 3 * X, variables=["x"])
    yield symbed.select(ATLAS.with_metadata(**COLUMNS), 2, metric="relative")
    yield symbed.score(["2*x", "x^2"], "2.5*x", {"x": (1, 5)})


def test_a_table_has_the_picture_of_the_same_result_folded_below() -> None:
    for result in drawable_results():
        html = Reader(result._repr_html_())
        assert {"table", "details", "summary"} <= html.seen
        (source,) = html.pictures
        assert b64decode(source.removeprefix("data:image/png;base64,")).startswith(PNG)
        assert "symbed.plots." in html.words


def test_without_matplotlib_the_tables_are_shown_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    results = list(drawable_results())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for result in results:
        html = Reader(result._repr_html_())
        assert "table" in html.seen
        assert html.pictures == []


def test_what_is_large_or_has_nothing_to_draw_gets_no_picture() -> None:
    names = [f"f{i}" for i in range(61)]
    large = symbed.DistanceMatrix(np.zeros((61, 61)), names, names)
    alone = duplicates(symbed.survey(["x", "x^2"], PROBE))
    for result in (large, alone, nearest(["x", "C*x"], ATLAS, 2)):
        assert Reader(result._repr_html_()).pictures == []


A, B, X = observed("C*x"), observed("C*sin(x)"), np.linspace(1, 2, 9)
COLUMNS = {"loss": [1, 2, 3, 4, 5], "complexity": [1, 2, 3, 4, 5]}
DRAWN = {
    "density": lambda: plots.density(A),
    "cdfs": lambda: plots.cdfs(A, B),
    "profile": lambda: plots.profile(symbed.compare(A, B)),
    "breakdown": lambda: plots.breakdown(symbed.compare(A, B), A, B),
    "heatmap": lambda: plots.heatmap(symbed.pairwise(ATLAS)),
    "mds": lambda: plots.mds(symbed.pairwise(symbed.survey(["x", "x^2", "C*x"], PROBE))),
    "neighbors": lambda: plots.neighbors(nearest("C*x", ATLAS, 3)),
    "groups": lambda: plots.groups(duplicates(ATLAS)),
    "pareto": lambda: plots.pareto(duplicates(ATLAS.with_metadata(**COLUMNS))),
    "fitted": lambda: plots.fitted(fit("a*x", X, 3 * X, variables=["x"]), X, 3 * X),
    "selected": lambda: plots.selected(symbed.select(ATLAS.with_metadata(**COLUMNS), 2)),
    "scored": lambda: plots.scored(symbed.score(["2*x", "x^2"], "2.5*x", {"x": (1, 5)})),
}


@pytest.mark.parametrize("plot", DRAWN)
def test_what_a_plot_returns_is_shown_as_its_picture(plot) -> None:
    pytest.importorskip("matplotlib")
    picture, size = DRAWN[plot]()._repr_png_()
    assert picture.startswith(PNG)
    dots = [int.from_bytes(picture[at : at + 4]) for at in (16, 20)]
    assert np.allclose(dots, [2 * size["width"], 2 * size["height"]], rtol=0, atol=1)


def test_every_plot_is_among_those() -> None:
    assert set(DRAWN) == set(plots.__all__) - {"arrange", "cross_section", "save"}


def test_axes_of_ones_own_are_left_to_whoever_made_them() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    assert not hasattr(plots.density(observed("C*x"), ax=figure.add_subplot()), "_repr_png_")
