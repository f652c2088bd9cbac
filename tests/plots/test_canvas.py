"""Files, missing packages, and texts that matplotlib would stumble over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symbed
from symbed import plots
from symbed.errors import MissingExtra, RangeError
from symbed.language.operators import TABLE
from symbed.plots.axis_scales import Scale, name_tick
from symbed.plots.canvas import COLORS, MARKERS, look
from symbed.plots.labels import shorten, typeset

pytest.importorskip("matplotlib")

BEHAVIOR = symbed.Behavior.from_samples(
    np.random.default_rng(0).normal(size=(8, 8)), np.arange(8.0)
)
HEADS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("ending", HEADS)
def test_each_format_is_written_with_the_same_bytes_again(ending: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        plots.save(plots.density(BEHAVIOR), tmp_path / (name + ending))
    one, two = ((tmp_path / (name + ending)).read_bytes() for name in ("one", "two"))
    assert one.startswith(HEADS[ending])
    assert one == two


def test_several_panels_are_saved_as_one_picture(tmp_path: Path) -> None:
    comparison = symbed.compare(BEHAVIOR, BEHAVIOR)
    plots.save(plots.breakdown(comparison, BEHAVIOR, BEHAVIOR), tmp_path / "all.png")
    assert (tmp_path / "all.png").stat().st_size > 10_000


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RangeError, match=r"must end in \.png, \.svg, \.pdf, got 'a\.bmp'"):
        plots.save(plots.density(BEHAVIOR), "a.bmp")


def test_drawing_touches_no_global_state_and_not_pyplot() -> None:
    script = (
        "import sys, matplotlib, symbed; from symbed import plots\n"
        "before = matplotlib.rcParams.copy()\n"
        "b = symbed.Behavior.from_samples([[1.0, 2.0], [3.0, 4.0]], [0.0, 1.0])\n"
        "plots.breakdown(symbed.compare(b, b), b, b)\n"
        "after = matplotlib.rcParams\n"
        "same = all(after[k] == before[k] for k in after if k != 'backend')\n"
        "print('matplotlib.pyplot' in sys.modules, same)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_given_axes_are_drawn_on() -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert plots.density(BEHAVIOR, ax=ax) is ax


def test_without_matplotlib_the_message_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra) as caught:
        plots.density(BEHAVIOR)
    message = "plots need matplotlib; install it with: pip install 'symbed[plot]'"
    assert str(caught.value) == message


def test_the_package_of_plots_imports_nothing_before_it_is_asked() -> None:
    script = "import sys, symbed.plots; print('matplotlib' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "False"], done.stderr
    assert set(plots.__all__) <= set(dir(plots))


STRANGE = [
    "$x",
    "$x$ and $\\frac",
    "_hidden",
    "",
    "日本\u0007語",
    "a\nb",
    "%s {} \\",
    "x" * 5000,
    "<b>",
]


@pytest.mark.no_cover
@pytest.mark.parametrize("label", STRANGE, ids=range(len(STRANGE)))
def test_any_label_can_be_drawn(label: str, tmp_path: Path) -> None:
    behavior = symbed.Behavior.from_samples(BEHAVIOR.values, BEHAVIOR.points, label)
    ax = plots.cdfs(behavior, behavior)
    plots.save(ax, tmp_path / "strange.svg")
    assert len(ax.get_legend().get_texts()) == 2
    matrix = symbed.DistanceMatrix(np.zeros((2, 2)), [label] * 2, [label] * 2)
    plots.save(plots.mds(matrix), tmp_path / "map.png")
    plots.save(plots.heatmap(matrix), tmp_path / "heat.png")


@pytest.mark.parametrize("row", [row for row in TABLE if row.arity], ids=lambda row: row.name)
def test_every_operator_is_typeset_without_a_latex_installation(row) -> None:
    operands = [symbed.parse("x + 1"), symbed.parse("y_1/z")]
    text = str(symbed.Expression((*(i for o in operands[: row.arity] for i in o.postfix), row)))
    assert typeset(text).startswith("$")


def test_long_labels_lose_their_middle() -> None:
    assert len(shorten("x + " * 100, 20)) == 20
    assert shorten("short") == "short"
    assert "$" not in typeset("x + " * 30 + "x")


def test_looks_differ_for_as_many_series_as_there_are_combinations() -> None:
    looks = {(look(i).color, look(i).marker) for i in range(len(COLORS) * len(MARKERS))}
    assert len(looks) == len(COLORS) * len(MARKERS)


@pytest.mark.parametrize(
    ("low", "high", "width", "ticks"),
    [
        (0.0, 5e3, 1.0, [0, 1, 10, 100, 1000]),
        (-200.0, 5e3, 1.0, [-100, -10, 0, 10, 100, 1000]),
        (0.0, 1e12, 1.0, [0, 1e3, 1e6, 1e9, 1e12]),
        (5.0, 50.0, 10.0, [10]),
    ],
)
def test_ticks_are_zero_and_decades_with_room_between(low, high, width, ticks) -> None:
    assert Scale(low, high, width).ticks() == pytest.approx(ticks)


def test_ticks_are_named_as_people_write_them() -> None:
    assert [name_tick(v) for v in (1e-5, 0.1, 1.0, -1e4)] == ["$10^{-5}$", "0.1", "1", "$-10^{4}$"]


def test_a_scale_undoes_what_it_does() -> None:
    values = np.array([-1e5, -1.0, 0.0, 0.3, 1e7])
    for scale in (Scale(0, 1), Scale(0, 1, 10.0)):
        assert np.allclose(scale.undo(scale.apply(values)), values)
