"""Pictures of many expressions: heatmaps, maps, neighbors, groups, fronts."""

from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed import duplicates, nearest, plots
from symbed.distances.layout import lay_out
from symbed.errors import DataError, RangeError, ShapeError
from symbed.plots.heatmaps import dendrogram

pytest.importorskip("matplotlib")

PROBE = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
TEXTS = ["C*x + C", "C + x*C", "C + C*exp(ln(x))", "C*x", "x*C", "C*sin(x)", "x^2", "exp(C*x)"]
ATLAS = symbed.survey(TEXTS, PROBE)
INF = float("inf")


def matrix(values, names=None) -> symbed.DistanceMatrix:
    names = names or [f"f{i}" for i in range(len(values))]
    return symbed.DistanceMatrix(np.array(values, float), names, names)


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def ticks(ax) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def test_a_heatmap_shows_the_matrix_with_its_labels() -> None:
    distances = symbed.pairwise(ATLAS)
    ax = plots.heatmap(distances)
    assert np.array_equal(ax.images[0].get_array(), distances.values)
    assert ticks(ax) == TEXTS


def test_with_clusters_rows_are_reordered_bordered_and_have_a_tree() -> None:
    pytest.importorskip("scipy")
    distances = symbed.pairwise(ATLAS)
    clusters = symbed.cluster(distances, 3)
    ax = plots.heatmap(distances, clusters=clusters)
    order = dendrogram(clusters.tree).order
    assert ticks(ax) == [TEXTS[i] for i in order]
    assert np.array_equal(ax.images[0].get_array(), distances.values[np.ix_(order, order)])
    assert len(ax.patches) == 2 * 3
    (tree,) = ax.child_axes
    assert len(tree.collections[0].get_segments()) == len(TEXTS) - 1


def test_the_layout_of_a_tree_is_that_of_scipy() -> None:
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    tree = hierarchy.linkage(np.random.default_rng(3).normal(size=(20, 3)), "average")
    drawn, scipys = dendrogram(tree), hierarchy.dendrogram(tree, no_plot=True)
    assert drawn.order.tolist() == scipys["leaves"]
    brackets = sorted(zip(scipys["icoord"], scipys["dcoord"], strict=True))
    ours = sorted((((x * 10 + 5).tolist()), y.tolist()) for x, y in drawn.forks.transpose(0, 2, 1))
    assert np.allclose(ours, brackets)


def test_a_tree_as_deep_as_it_is_large_is_laid_out() -> None:
    n = 5000
    tree = np.stack(
        [np.r_[0, n : 2 * n - 2], np.arange(1, n), np.arange(1.0, n), np.arange(2, n + 1)], 1
    )
    assert dendrogram(tree).order.tolist() == list(range(n))


def test_infinite_distances_are_hatched_and_explained() -> None:
    ax = plots.heatmap(matrix([[0, 1, INF], [1, 0, INF], [INF, INF, 0]]))
    assert ax.images[0].get_array().mask.sum() == 4
    assert ax.patch.get_hatch()
    assert legend(ax) == ["infinite"]
    assert plots.heatmap(matrix([[0, 1], [1, 0]])).patch.get_hatch() is None


def test_what_is_infinitely_far_is_merged_last_by_a_dotted_line() -> None:
    pytest.importorskip("scipy")
    distances = matrix([[0, INF, 1, INF], [INF, 0, INF, 2], [1, INF, 0, INF], [INF, 2, INF, 0]])
    clusters = plots.arrange(distances)
    assert clusters.tree[:, 2].tolist() == [1.0, 2.0, INF]
    ax = plots.heatmap(distances, clusters=clusters)
    styles = ax.child_axes[0].collections[0].get_linestyles()
    assert [dashes is not None for _, dashes in styles] == [False, False, True]


def test_a_heatmap_of_two_sets_names_both() -> None:
    distances = symbed.pairwise(ATLAS, symbed.survey(["x", "C*x"], PROBE))
    ax = plots.heatmap(distances)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["x", "C*x"]


@pytest.mark.no_cover
def test_five_hundred_expressions_are_drawn_without_labels(tmp_path) -> None:
    rng = np.random.default_rng(0)
    places = rng.normal(size=(500, 3))
    distances = matrix(np.abs(places[:, None] - places).sum(axis=2))
    assert ticks(plots.heatmap(distances)) == []
    ax = plots.mds(distances)
    assert len(ax.lines[0].get_xdata()) == 500
    plots.save(ax, tmp_path / "map.png")


def test_one_expression_is_enough(tmp_path) -> None:
    atlas = symbed.survey(["C*x"], PROBE)
    distances = symbed.pairwise(atlas)
    groups = duplicates(atlas)
    pictures = [
        plots.heatmap(distances),
        plots.mds(distances),
        plots.neighbors(nearest("x", atlas, 1)),
        plots.groups(groups),
        plots.pareto(groups, loss=[1.0]),
    ]
    if pytest.importorskip("scipy"):
        pictures.append(plots.heatmap(distances, clusters=plots.arrange(distances)))
    for number, picture in enumerate(pictures):
        plots.save(picture, tmp_path / f"{number}.png")
    assert len(list(tmp_path.iterdir())) == len(pictures)


def test_distances_over_many_orders_get_logarithmic_colors() -> None:
    ax = plots.heatmap(matrix([[0, 1, 1e9], [1, 0, 1], [1e9, 1, 0]]))
    assert type(ax.images[0].norm).__name__ == "AsinhNorm"
    assert type(plots.heatmap(matrix([[0, 1], [1, 0]])).images[0].norm).__name__ == "Normalize"


def test_distances_near_overflow_can_be_drawn(tmp_path) -> None:
    pytest.importorskip("scipy")
    distances = matrix([[0, 1e-9, 1.7e308], [1e-9, 0, 1e300], [1.7e308, 1e300, 0]])
    plots.save(plots.heatmap(distances, clusters=plots.arrange(distances)), tmp_path / "heat.png")
    plots.save(plots.mds(distances), tmp_path / "map.png")
    probe = symbed.Probe({"x": (1, 2)}, n_points=4)
    near = nearest("x", symbed.survey(["x", "x*1e300", "x*1e307"], probe), 3)
    plots.save(plots.neighbors(near), tmp_path / "near.png")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_few_monsters_do_not_take_all_colors() -> None:
    values = np.abs(np.subtract.outer(np.arange(30.0), np.arange(30.0)))
    values[0, 1:] = values[1:, 0] = 1e200
    ax = plots.heatmap(matrix(values))
    assert ax.images[0].norm.vmax < 1e6
    assert ax.images[0].colorbar.extend == "max"
    x, y = plots.mds(matrix(values)).lines[0].get_data()
    assert np.ptp(x[1:]) + np.ptp(y[1:]) > 0.05 * (np.ptp(x) + np.ptp(y))


def test_rounding_does_not_make_a_scale_logarithmic() -> None:
    ax = plots.heatmap(matrix([[0, 1e-16, 2], [1e-16, 0, 2], [2, 2, 0]]))
    assert type(ax.images[0].norm).__name__ == "Normalize"


def test_clusters_of_something_else_are_refused() -> None:
    clusters = symbed.Clusters(np.zeros(2, int), np.zeros(1, int), ["a", "b"])
    with pytest.raises(ShapeError, match="of 2 expressions"):
        plots.heatmap(matrix(np.zeros((3, 3))), clusters=clusters)
    with pytest.raises(ShapeError, match="of 2 expressions"):
        plots.mds(matrix(np.zeros((3, 3))), clusters=clusters)


def test_places_on_a_map_are_as_far_apart_as_distances_in_the_plane() -> None:
    places = np.random.default_rng(1).normal(size=(30, 2))
    wanted = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    layout = lay_out(wanted)
    actual = np.hypot(*(layout.places[:, None] - layout.places).transpose(2, 0, 1))
    assert np.allclose(actual, wanted, atol=1e-3)
    assert layout.stress < 1e-3


def test_the_stress_of_a_map_falls_below_that_of_its_start() -> None:
    rng = np.random.default_rng(2)
    wanted = rng.uniform(1, 2, (40, 40))
    wanted = (wanted + wanted.T) * (1 - np.eye(40))
    from symbed.distances.layout import _start, _stress_of

    scaled = wanted / wanted.max()
    assert lay_out(wanted).stress < _stress_of(scaled, _start(scaled))


def test_equal_expressions_are_one_place_on_a_map() -> None:
    ax = plots.mds(symbed.pairwise(ATLAS))
    x, y = ax.lines[0].get_data()
    assert np.hypot(x[0] - x[1], y[0] - y[1]) < 1e-6 * (np.ptp(x) + np.ptp(y))
    assert np.hypot(x[0] - x[6], y[0] - y[6]) > 1e-3 * (np.ptp(x) + np.ptp(y))


def test_clusters_on_a_map_differ_in_marker_and_color() -> None:
    distances = symbed.pairwise(ATLAS)
    ax = plots.mds(distances, clusters=symbed.cluster(distances, 3, method="medoids"))
    assert len({line.get_marker() for line in ax.lines}) == 3
    assert len({line.get_color() for line in ax.lines}) == 3
    assert len(legend(ax)) == 3


def test_labels_on_a_map_do_not_cover_each_other() -> None:
    places = np.random.default_rng(4).normal(size=(60, 2))
    ax = plots.mds(matrix(np.hypot(*(places[:, None] - places).transpose(2, 0, 1))))
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 5
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert not plots.mds(matrix(np.zeros((3, 3))), labels=False).texts


def test_a_map_takes_infinite_distances_and_says_so() -> None:
    ax = plots.mds(matrix([[0, 1, INF], [1, 0, INF], [INF, INF, 0]]))
    assert "infinite as 1.5 x the longest" in ax.get_title()
    assert np.isfinite(ax.lines[0].get_xydata()).all()


def test_a_map_refuses_what_is_not_square_or_too_large() -> None:
    with pytest.raises(ShapeError, match="square"):
        plots.mds(symbed.DistanceMatrix(np.zeros((2, 3)), ["a"] * 2, ["b"] * 3))
    with pytest.raises(RangeError, match="2,001 expressions"):
        plots.mds(matrix(np.zeros((2001, 2001))))


def test_neighbors_are_listed_with_the_nearest_on_top() -> None:
    neighbors = nearest("a*x", ATLAS, 4)
    ax = plots.neighbors(neighbors, query="a*x")
    assert ticks(ax) == neighbors.labels
    assert ax.yaxis_inverted()
    assert np.array_equal(ax.lines[0].get_xdata(), neighbors.distances)
    assert ax.get_title() == r"nearest to $a \cdot x$"


def test_infinitely_far_neighbors_are_crosses() -> None:
    probe = symbed.Probe({"x": (-1, 1)}, n_points=16)
    neighbors = nearest("x", symbed.survey(["x + 1", "ln(x)"], probe), 2)
    ax = plots.neighbors(neighbors)
    assert [text.get_text() for text in ax.texts] == ["1", "infinite"]


def test_neighbors_of_many_queries_are_drawn_one_by_one() -> None:
    neighbors = nearest(["x", "C*x"], ATLAS, 2)
    with pytest.raises(ShapeError, match=r"neighbors\[0\]"):
        plots.neighbors(neighbors)
    assert ticks(plots.neighbors(neighbors[1])) == neighbors.labels[1]


def test_groups_are_bars_as_long_as_they_have_members() -> None:
    groups = duplicates(ATLAS)
    ax = plots.groups(groups)
    assert [bar.get_width() for bar in ax.patches] == [len(g) for g in groups.repeated]
    assert ax.get_title() == f"8 expressions, {len(groups)} behaviors"


def test_no_duplicates_at_all_can_be_drawn(tmp_path) -> None:
    groups = duplicates(symbed.survey(["x", "x^2"], PROBE))
    plots.save(plots.groups(groups), tmp_path / "none.png")
    assert len(plots.pareto(groups, loss=[1.0, 0.5]).lines) == 2


def test_the_front_is_what_nothing_beats_in_both() -> None:
    groups = duplicates(ATLAS)
    loss = [5, 5, 5, 7, 7, 3, 9, 1]
    complexity = [5, 5, 8, 3, 3, 4, 2, 9]
    ax = plots.pareto(groups, loss=loss, complexity=complexity)
    front = ax.lines[0]
    assert front.get_xdata().tolist() == [2, 3, 4, 9]
    assert front.get_ydata().tolist() == [9, 7, 3, 1]


def test_where_nothing_is_equal_the_picture_says_so() -> None:
    probe = symbed.Probe({"x": (1, 5)})
    axes = plots.groups(symbed.duplicates(symbed.survey(["x", "x^2"], probe)))
    assert [text.get_text() for text in axes.texts] == ["all behave differently"]


def test_members_of_a_group_share_one_look_and_groups_differ() -> None:
    behaviors = duplicates(ATLAS)
    ax = plots.pareto(behaviors, loss=np.arange(8.0))
    groups = ax.lines[1:-1]
    assert [len(line.get_xdata()) for line in groups] == [len(g) for g in behaviors.repeated]
    assert len({line.get_marker() for line in groups}) == len(groups)
    assert legend(ax)[1].endswith("(3)")


def test_losses_come_from_the_atlas_and_unknown_ones_are_left_out() -> None:
    atlas = ATLAS.with_metadata(loss=[1.0, 1.0, 1.0, 10.0, 10.0, 100.0, float("inf"), 1e-3])
    ax = plots.pareto(duplicates(atlas))
    assert ax.get_yscale() == "log"
    assert sum(len(line.get_xdata()) for line in ax.lines[1:]) == 7


def test_a_front_without_losses_says_what_to_give() -> None:
    groups = duplicates(ATLAS)
    with pytest.raises(DataError, match=r"give loss=\.\.\."):
        plots.pareto(groups)
    with pytest.raises(DataError, match="shape"):
        plots.pareto(groups, loss=[1.0])
    with pytest.raises(DataError, match="must be numbers"):
        plots.pareto(groups, loss=["a"] * 8)
