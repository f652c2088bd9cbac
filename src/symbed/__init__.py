"""symbed measures how differently mathematical expressions behave.

Nothing is imported before it is asked for, so that importing the package stays cheap.

>>> import symbed
>>> symbed.bed("x", "x + 2", domain={"x": (0, 1)})
2.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbed._lazy import find_lazily

if TYPE_CHECKING:
    from symbed import plots as plots
    from symbed import scoring as scoring
    from symbed import verdicts as verdicts
    from symbed import workbench as workbench
    from symbed.behavior.atlas import Atlas as Atlas
    from symbed.behavior.behavior import Behavior as Behavior
    from symbed.behavior.observation import Family as Family
    from symbed.behavior.observation import observe as observe
    from symbed.behavior.surveying import survey as survey
    from symbed.distances.clustering import Clusters as Clusters
    from symbed.distances.clustering import cluster as cluster
    from symbed.distances.comparison import Comparison as Comparison
    from symbed.distances.comparison import compare as compare
    from symbed.distances.duplicates.duplicate_groups import DuplicateGroups as DuplicateGroups
    from symbed.distances.duplicates.duplicate_groups import duplicates as duplicates
    from symbed.distances.matrix.distance_matrix import DistanceMatrix as DistanceMatrix
    from symbed.distances.matrix.distance_matrix import pairwise as pairwise
    from symbed.distances.measure import Measure as Measure
    from symbed.distances.pair_distance import bed as bed
    from symbed.distances.pair_distance import distance as distance
    from symbed.distances.search.neighbors import Neighbors as Neighbors
    from symbed.distances.search.neighbors import nearest as nearest
    from symbed.distances.selection import Selection as Selection
    from symbed.distances.selection import select as select
    from symbed.distances.transformer import BehaviorTransformer as BehaviorTransformer
    from symbed.errors import SymbedError as SymbedError
    from symbed.formula_files.formulas import Formulas as Formulas
    from symbed.formula_files.formulas import read_formulas as read_formulas
    from symbed.language.definitions import define as define
    from symbed.language.expression import Expression as Expression
    from symbed.language.parser import parse as parse
    from symbed.sampling.probe import Probe as Probe
    from symbed.scoring.run_score import score as score
    from symbed.scoring.scores import Score as Score
    from symbed.verdicts.families.effective_parameters import Effective as Effective
    from symbed.verdicts.families.effective_parameters import effective as effective
    from symbed.verdicts.families.form_comparison import form_distance as form_distance
    from symbed.verdicts.families.relation import Relation as Relation
    from symbed.verdicts.families.relation import relate as relate
    from symbed.verdicts.functions.decision import decide as decide
    from symbed.verdicts.functions.verdict import Verdict as Verdict

__version__ = "0.1.0"

# Where each public name lives; the public sub-packages are their own homes.
_HOMES = {
    "Atlas": "behavior.atlas",
    "Behavior": "behavior.behavior",
    "BehaviorTransformer": "distances.transformer",
    "Clusters": "distances.clustering",
    "Comparison": "distances.comparison",
    "DistanceMatrix": "distances.matrix.distance_matrix",
    "DuplicateGroups": "distances.duplicates.duplicate_groups",
    "Effective": "verdicts.families.effective_parameters",
    "Expression": "language.expression",
    "Family": "behavior.observation",
    "Formulas": "formula_files.formulas",
    "Measure": "distances.measure",
    "Neighbors": "distances.search.neighbors",
    "Probe": "sampling.probe",
    "Relation": "verdicts.families.relation",
    "Score": "scoring.scores",
    "Selection": "distances.selection",
    "SymbedError": "errors",
    "Verdict": "verdicts.functions.verdict",
    "bed": "distances.pair_distance",
    "cluster": "distances.clustering",
    "compare": "distances.comparison",
    "decide": "verdicts.functions.decision",
    "define": "language.definitions",
    "distance": "distances.pair_distance",
    "duplicates": "distances.duplicates.duplicate_groups",
    "effective": "verdicts.families.effective_parameters",
    "form_distance": "verdicts.families.form_comparison",
    "nearest": "distances.search.neighbors",
    "observe": "behavior.observation",
    "pairwise": "distances.matrix.distance_matrix",
    "parse": "language.parser",
    "plots": "plots",
    "read_formulas": "formula_files.formulas",
    "relate": "verdicts.families.relation",
    "score": "scoring.run_score",
    "scoring": "scoring",
    "select": "distances.selection",
    "survey": "behavior.surveying",
    "verdicts": "verdicts",
    "workbench": "workbench",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
