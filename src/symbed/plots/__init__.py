"""Pictures of results, as matplotlib axes (``pip install 'symbed[plot]'``).

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbed._lazy import find_lazily

if TYPE_CHECKING:
    from symbed.plots.canvas import save as save
    from symbed.plots.comparisons import breakdown as breakdown
    from symbed.plots.comparisons import cdfs as cdfs
    from symbed.plots.comparisons import profile as profile
    from symbed.plots.densities import cross_section as cross_section
    from symbed.plots.densities import density as density
    from symbed.plots.fit_curves import fitted as fitted
    from symbed.plots.fronts import pareto as pareto
    from symbed.plots.fronts import scored as scored
    from symbed.plots.heatmaps import arrange as arrange
    from symbed.plots.heatmaps import heatmap as heatmap
    from symbed.plots.lists import groups as groups
    from symbed.plots.lists import neighbors as neighbors
    from symbed.plots.maps import mds as mds
    from symbed.plots.maps import selected as selected

# The public names of each module.
_MODULES = {
    "canvas": ("save",),
    "comparisons": ("breakdown", "cdfs", "profile"),
    "densities": ("cross_section", "density"),
    "fit_curves": ("fitted",),
    "fronts": ("pareto", "scored"),
    "heatmaps": ("arrange", "heatmap"),
    "lists": ("groups", "neighbors"),
    "maps": ("mds", "selected"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
