"""symbed measures how differently mathematical expressions behave.

Nothing is imported before it is asked for, so that importing the package stays cheap.

>>> import symbed
>>> symbed.bed("x", "x + 2", domain={"x": (0, 1)})
2.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from symbed.lazy import find_lazily

if TYPE_CHECKING:
    from symbed.behavior.atlas import Atlas as Atlas
    from symbed.behavior.behavior import Behavior as Behavior
    from symbed.behavior.family import Family as Family
    from symbed.behavior.observation import observe as observe
    from symbed.behavior.surveying import survey as survey
    from symbed.distance.clustering import Clusters as Clusters
    from symbed.distance.clustering import cluster as cluster
    from symbed.distance.comparison import Comparison as Comparison
    from symbed.distance.comparison import compare as compare
    from symbed.distance.comparison import distance as distance
    from symbed.distance.duplication import duplicates as duplicates
    from symbed.distance.matrix import DistanceMatrix as DistanceMatrix
    from symbed.distance.matrix import pairwise as pairwise
    from symbed.distance.neighbors import Neighbors as Neighbors
    from symbed.distance.neighbors import nearest as nearest
    from symbed.distance.shortcut import bed as bed
    from symbed.errors import SymbedError as SymbedError
    from symbed.language.expression import Expression as Expression
    from symbed.language.parser import parse as parse
    from symbed.sampling.probe import Probe as Probe
else:
    # The room and the verb share a name. The room is bound here once and for all, so that loading
    # it later cannot hide the verb.
    import_module("symbed.distance")
    del distance

__version__ = "0.1.0"

# Where each public name lives.
_HOMES = {
    "Atlas": "behavior.atlas",
    "Behavior": "behavior.behavior",
    "Clusters": "distance.clustering",
    "Comparison": "distance.comparison",
    "DistanceMatrix": "distance.matrix",
    "Expression": "language.expression",
    "Family": "behavior.family",
    "Neighbors": "distance.neighbors",
    "Probe": "sampling.probe",
    "SymbedError": "errors",
    "bed": "distance.shortcut",
    "cluster": "distance.clustering",
    "compare": "distance.comparison",
    "distance": "distance.comparison",
    "duplicates": "distance.duplication",
    "nearest": "distance.neighbors",
    "observe": "behavior.observation",
    "pairwise": "distance.matrix",
    "parse": "language.parser",
    "survey": "behavior.surveying",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
