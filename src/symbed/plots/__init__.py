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
    from symbed.plots.maps_and_lists import groups as groups
    from symbed.plots.maps_and_lists import mds as mds
    from symbed.plots.maps_and_lists import neighbors as neighbors
    from symbed.plots.maps_and_lists import selected as selected

# Where each public name lives.
_HOMES = {
    "arrange": "heatmaps",
    "breakdown": "comparisons",
    "cdfs": "comparisons",
    "cross_section": "densities",
    "density": "densities",
    "fitted": "fit_curves",
    "groups": "maps_and_lists",
    "heatmap": "heatmaps",
    "mds": "maps_and_lists",
    "neighbors": "maps_and_lists",
    "pareto": "fronts",
    "profile": "comparisons",
    "save": "canvas",
    "scored": "fronts",
    "selected": "maps_and_lists",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
