"""A notebook that a real kernel runs: what its cells are given to show."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

CELLS = {
    "begin": """
        import symbed
        from symbed import plots
        from symbed.workbench import fit
        probe = symbed.Probe({"x": (1, 5)}, parameters=(1, 5), n_points=16, n_draws=8)
        atlas = symbed.survey(["a*x", "x*a", "a*x^2", "a*sin(x)"], probe)
        atlas = atlas.with_metadata(loss=[3, 2, 1, 4])
        x = [1.0, 2.0, 3.0, 4.0]
        """,
    "expression": 'symbed.parse("C*exp(-x)")',
    "comparison": 'symbed.compare(symbed.observe("a*x", probe), symbed.observe("b*x^2", probe))',
    "plot": 'plots.density(symbed.observe("a*x", probe))',
    "neighbors": 'symbed.nearest("a*x", atlas, 2)',
    "groups": "symbed.duplicates(atlas)",
    "clusters": "symbed.cluster(atlas, 2)",
    "selection": 'symbed.select(atlas, 2, metric="relative")',
    "fit": 'fit("a*x + b", x, [1.1, 2.9, 5.1, 6.9], variables=["x"])',
    "verdict": 'symbed.decide("x + x", "2*x", {"x": (0, 1)})',
    "progress": """
        import time
        from symbed.progress import Progress
        with Progress("tiles", 10) as bar:
            for _ in range(10):
                time.sleep(0.12)
                bar.advance()
        """,
}
PICTURED = ("comparison", "neighbors", "groups", "clusters", "selection", "fit")


class Notebook(nbclient.NotebookClient):
    """Runs the cells, and keeps what a bar showed on its way."""

    def process_message(self, message: Any, cell: Any, index: int) -> Any:
        if message["msg_type"] in ("display_data", "update_display_data"):
            shown.append(message["content"]["data"].get("text/html", ""))
        return super().process_message(message, cell, index)


shown: list[str] = []


@pytest.fixture(scope="module")
def outputs() -> dict[str, Any]:
    """The data of each cell's only output."""
    cells = [nbformat.v4.new_code_cell(dedent(text).strip()) for text in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    Notebook(notebook, timeout=120, kernel_name="python3").execute()
    return {
        name: [output.get("data", output) for output in cell.outputs]
        for name, cell in zip(CELLS, cells, strict=True)
    }


def test_results_are_tables_with_their_picture_folded_below(outputs) -> None:
    assert outputs["begin"] == []
    for name in PICTURED:
        (data,) = outputs[name]
        assert "<table>" in data["text/html"], name
        assert "<details><summary>picture" in data["text/html"], name


def test_plots_are_pictures_and_expressions_mathematics(outputs) -> None:
    (plot,), (expression,), (verdict,) = (outputs[n] for n in ("plot", "expression", "verdict"))
    assert plot["image/png"].startswith("iVBOR")
    assert expression["text/latex"].startswith("$C")
    assert "identical by algebra" in verdict["text/html"]


def test_progress_is_a_bar_that_moves_and_is_gone_in_the_end(outputs) -> None:
    bars = [html for html in shown if "<progress" in html]
    assert len(bars) > 2
    assert "tiles" in bars[0]
    assert len(set(bars)) == len(bars)
    (data,) = outputs["progress"]
    assert data["text/html"] == ""
