"""Pictures of one or two behaviors: densities, CDFs, profiles, the four panels, fits."""

from __future__ import annotations

import numpy as np
import pytest

import symbed
from symbed import plots
from symbed.errors import PointsMismatch, RangeError
from symbed.plots.comparisons import pick_point
from symbed.workbench import fit

matplotlib = pytest.importorskip("matplotlib")

PROBE = symbed.Probe({"x": (-2.0, 4.0)}, parameters=(1, 5), n_points=16, n_draws=8)
PLANE = symbed.Probe({"x": (1, 5), "y": (0, 2)}, parameters=(1, 5), n_points=32, n_draws=8)


def observed(*texts: str, probe: symbed.Probe = PROBE) -> list[symbed.Behavior]:
    return [symbed.observe(text, probe) for text in texts]


def meshes(ax) -> list:
    return [c for c in ax.collections if isinstance(c, matplotlib.collections.QuadMesh)]


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_density_has_a_column_for_each_point_and_names_the_formula() -> None:
    ax = plots.density(*observed("a*x"))
    (mesh,) = meshes(ax)
    assert mesh.get_array().shape[1] == 16
    assert ax.get_title() == r"$a \cdot x$"
    assert ax.get_xlabel() == "$x$"


def test_a_density_is_dark_where_the_outputs_are() -> None:
    behavior = symbed.Behavior.from_samples(
        [[0.0, 0.1, 0.2, 9.0, 9.1, 9.2] * 10] * 5, np.arange(5.0)
    )
    ax = plots.density(behavior)
    cloud = meshes(ax)[0].get_array().filled(0.0)
    rows = np.flatnonzero(cloud[:, 2] > 0)
    heights = np.linspace(*ax.get_ylim(), len(cloud))[rows]
    assert (heights < 2).any()
    assert (heights > 7).any()
    assert not ((heights > 3) & (heights < 6)).any()


def test_where_other_variables_vary_a_column_mixes_points() -> None:
    ax = plots.density(*observed("a*x + y", probe=PLANE), along="y")
    assert meshes(ax)[0].get_array().shape[1] == 4
    assert ax.get_xlabel() == "$y$"


def test_an_expression_without_parameters_is_a_line() -> None:
    ax = plots.density(*observed("x^2"))
    assert not meshes(ax)
    assert np.allclose(ax.lines[0].get_ydata(), np.sort(PROBE.points[:, 0]) ** 2, atol=40)
    assert len(ax.lines[0].get_xdata()) == 16


def test_a_curve_lies_over_the_density_with_its_name_in_the_legend() -> None:
    cloud, curve = observed("a*x", "2*x")
    ax = plots.density(cloud, curve=curve)
    assert np.allclose(ax.lines[-1].get_ydata(), 2 * ax.lines[-1].get_xdata())
    assert legend(ax) == [r"$2 \cdot x$"]


def test_a_fit_can_be_the_curve() -> None:
    x = np.linspace(-2, 4, 20)
    fitted = fit("a*x", x, 3 * x, variables=["x"])
    ax = plots.density(*observed("a*x"), curve=fitted)
    assert np.allclose(ax.lines[-1].get_ydata(), 3 * ax.lines[-1].get_xdata())


def test_what_is_undefined_is_hatched_and_counted() -> None:
    ax = plots.density(*observed("a*ln(x)"))
    spans = [p for p in ax.patches if p.get_hatch()]
    assert len(spans) == 1
    assert [t.get_text() for t in ax.texts] == ["31% of the outputs undefined"]


@pytest.mark.parametrize("text", ["ln(-1 - a*x^2)", "ln(-1 - x^2)"])
def test_a_behavior_that_is_defined_nowhere_can_be_drawn(text: str, tmp_path) -> None:
    one, other = observed(text, "a*x")
    plots.save(plots.density(one), tmp_path / "density.png")
    plots.save(plots.cdfs(one, other), tmp_path / "cdfs.png")
    ax = plots.cdfs(one, one)
    assert all("undefined here" in entry for entry in legend(ax))


def test_heavy_tails_get_a_logarithmic_scale_and_ordinary_outputs_do_not() -> None:
    assert plots.density(*observed("exp(a*x)")).get_yscale() == "asinh"
    assert plots.density(*observed("a*x")).get_yscale() == "linear"
    assert plots.density(*observed("a*x"), scale="log").get_yscale() == "asinh"
    assert plots.density(*observed("exp(a*x)"), scale="linear").get_yscale() == "linear"


@pytest.mark.no_cover
def test_one_point_one_draw_and_numbers_near_overflow_can_be_drawn(tmp_path) -> None:
    for samples in ([[1.0]], [[0.0, 0.0]], [[-1e300, 1e300]], [[1e-300, 2e-300, 1e300]]):
        behavior = symbed.Behavior.from_samples(samples, [0.0])
        comparison = symbed.compare(behavior, behavior)
        axes = plots.breakdown(comparison, behavior, behavior)
        plots.save(axes.ravel(), tmp_path / "one.png")
    largest = symbed.Behavior.from_samples([[-1.7e308, 0.0, 1.7e308]], [0.0])
    plots.save(plots.density(largest), tmp_path / "two.png")
    plots.save(plots.cdfs(largest, largest), tmp_path / "three.png")
    single = symbed.Behavior.from_samples([[-1.7e308], [1.7e308]], [0.0, 1.0])
    plots.save(plots.density(single), tmp_path / "four.png")
    assert (tmp_path / "one.png").stat().st_size > 5000


def test_the_area_between_two_cdfs_is_the_distance_at_the_point() -> None:
    a, b = observed("a*x", "a + x")
    comparison = symbed.compare(a, b)
    ax = plots.cdfs(a, b, at=3.0, comparison=comparison)
    number = pick_point(a, b, 3.0, 0)
    steps = [line.get_data() for line in ax.lines]
    grid = np.unique(np.concatenate([x for x, _ in steps]))
    heights = [y[np.searchsorted(x, grid, "right") - 1] for x, y in steps]
    area = float((np.abs(heights[0] - heights[1])[:-1] * np.diff(grid)).sum())
    assert area == pytest.approx(comparison.profile[number])
    assert f"distance {comparison.profile[number]:.4g}" in ax.get_title()
    assert len(ax.collections) == 1


def test_cdfs_are_told_apart_without_color() -> None:
    ax = plots.cdfs(*observed("a*x", "a + x"))
    assert [line.get_linestyle() for line in ax.lines] == ["-", "--"]


def test_cdfs_need_the_same_points() -> None:
    (a,), (b,) = observed("a*x"), observed("a*x", probe=PROBE.with_(n_points=8))
    with pytest.raises(PointsMismatch):
        plots.cdfs(a, b)


def test_without_a_wish_the_point_is_one_where_both_are_defined() -> None:
    a, b = observed("a*x", "a*ln(x)")
    assert PROBE.points[pick_point(a, b, None, 0), 0] > 0


def test_a_profile_shows_every_point_the_distance_and_the_noise_floor() -> None:
    comparison = symbed.compare(*observed("a*x + b", "a*x"))
    ax = plots.profile(comparison, variables=["x"])
    assert np.allclose(np.sort(ax.lines[0].get_ydata()), np.sort(comparison.profile))
    assert legend(ax)[0] == f"BED = {comparison.distance:.4g}"
    assert legend(ax)[1].startswith("noise floor")


def test_points_where_only_one_is_defined_are_crosses_at_the_top() -> None:
    comparison = symbed.compare(*observed("a*x", "a*ln(x)"))
    ax = plots.profile(comparison)
    assert f"infinite ({comparison.mismatched_points})" in legend(ax)
    (crosses,) = (line for line in ax.lines if line.get_marker() == "x")
    assert len(crosses.get_xdata()) == comparison.mismatched_points
    assert ax.get_xlabel() == "$X_{0}$"


def test_a_profile_in_several_variables_is_dots_along_one() -> None:
    comparison = symbed.compare(*observed("a*x", "a*y", probe=PLANE))
    ax = plots.profile(comparison, variables=["x", "y"], along=1)
    assert ax.lines[0].get_linestyle() == "None"
    assert np.array_equal(ax.lines[0].get_xdata(), PLANE.points[:, 1])


def test_the_four_panels_are_densities_cdfs_and_profile() -> None:
    a, b = observed("a*x + b*x", "2*a*x")
    comparison = symbed.compare(a, b)
    line = plots.cross_section(PROBE, n_points=40, n_draws=16)
    axes = plots.breakdown(comparison, a, b, fine=tuple(observed("a*x + b*x", "2*a*x", probe=line)))
    assert axes.shape == (2, 2)
    assert meshes(axes[0, 0])[0].get_array().shape[1] == 40
    assert axes[0, 0].get_ylim() == axes[1, 0].get_ylim()
    assert axes[0, 1].get_ylabel() == "share of draws up to it"
    assert axes[0, 0].get_figure().get_suptitle().startswith(f"BED = {comparison.distance:.4g}")


def test_the_cdfs_are_at_a_typical_point_unless_one_is_asked_for() -> None:
    a, b = observed("a*x + b*x", "2*a*x")
    comparison = symbed.compare(a, b)
    panel = plots.breakdown(comparison, a, b)[0, 1]
    typical = np.sort(np.abs(comparison.profile - comparison.distance))[0]
    shown = float(panel.get_title().split()[-1])
    assert abs(shown - comparison.distance) == pytest.approx(typical, abs=1e-3)
    nearest = min(comparison.points[:, 0], key=lambda x: abs(x - 4.0))
    title = plots.breakdown(comparison, a, b, at=4.0)[0, 1].get_title()
    assert title.startswith(f"x = {nearest:.4g}")


def test_an_infinite_distance_is_explained_in_the_headline() -> None:
    a, b = observed("a*x", "a*ln(x)")
    axes = plots.breakdown(symbed.compare(a, b), a, b)
    assert axes[0, 0].get_figure().get_suptitle() == (
        "BED is infinite: at 5 of 16 points only one of the two is defined"
    )


def test_a_comparison_of_other_points_is_refused() -> None:
    a, b = observed("a*x", "a + x")
    (other,) = observed("a*x", probe=PROBE.with_(n_points=8))
    with pytest.raises(PointsMismatch):
        plots.breakdown(symbed.compare(a, b), other, other)


def test_an_unknown_variable_to_look_along_is_refused_with_the_names() -> None:
    (behavior,) = observed("a*x + y", probe=PLANE)
    with pytest.raises(RangeError, match="one of the variables x, y, got 'z'"):
        plots.density(behavior, along="z")
    with pytest.raises(RangeError, match="got 2"):
        plots.density(behavior, along=2)


def test_a_cross_section_moves_one_variable_and_keeps_the_rest_of_the_probe() -> None:
    probe = PLANE.with_(seed=7, limit=100.0)
    line = plots.cross_section(probe, "y", at={"x": 2.5}, n_points=5, n_draws=4)
    assert line.points.tolist() == [[2.5, y] for y in (0.0, 0.5, 1.0, 1.5, 2.0)]
    assert (line.n_draws, line.seed, line.limit) == (8, 7, 100.0)
    (behavior,) = observed("a*x + y", probe=line)
    assert plots.density(behavior, along="y").get_title().endswith("(x = 2.5)")


def test_a_cross_section_of_data_goes_from_the_least_to_the_largest() -> None:
    line = plots.cross_section(symbed.Probe.at([1.0, 5.0, 2.0], "x"), n_points=3)
    assert line.points.ravel().tolist() == [1.0, 3.0, 5.0]


def test_a_law_without_ends_is_cut_at_its_tails() -> None:
    norm = pytest.importorskip("scipy.stats").norm(0, 1)
    line = plots.cross_section(symbed.Probe({"x": norm}), n_points=3)
    assert line.points.ravel() == pytest.approx([-2.5758, 0.0, 2.5758], abs=1e-4)


def test_a_fit_is_drawn_with_its_data_and_residuals() -> None:
    x = np.linspace(0, 5, 30)
    y = 2 * np.exp(-x) + 1
    fitted = fit("a*exp(-x) + b", x, y + 0.1 * np.sin(9 * x), variables=["x"])
    upper, lower = plots.fitted(fitted, x, y)
    assert np.allclose(upper.lines[0].get_ydata(), y)
    assert np.allclose(lower.lines[1].get_ydata(), y - fitted.predict(x))
    assert legend(upper)[0] == "data"
    assert lower.get_xlabel() == "$x$"


def test_a_fit_in_several_variables_is_dots_along_one() -> None:
    X = np.random.default_rng(0).uniform(1, 2, (20, 2))
    fitted = fit("a*x*y", X, 3 * X[:, 0] * X[:, 1], variables=["x", "y"])
    upper, _ = plots.fitted(fitted, X, 3 * X[:, 0] * X[:, 1], along="y")
    assert upper.lines[1].get_marker() == "x"
    assert np.array_equal(upper.lines[1].get_xdata(), X[:, 1])
