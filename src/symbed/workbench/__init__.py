"""The symbolic-regression workbench: grammars, equivalents, data sets, fitting, syntactic measures.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbed._lazy import find_lazily

if TYPE_CHECKING:
    from symbed.workbench.benchmark_datasets import Dataset as Dataset
    from symbed.workbench.benchmark_datasets import dataset as dataset
    from symbed.workbench.benchmark_datasets import datasets as datasets
    from symbed.workbench.data_files import Data as Data
    from symbed.workbench.data_files import read_data as read_data
    from symbed.workbench.evaluation import errors_on as errors_on
    from symbed.workbench.evaluation import evaluate as evaluate
    from symbed.workbench.fit_results import Fit as Fit
    from symbed.workbench.fit_results import Fits as Fits
    from symbed.workbench.fitting import fit as fit
    from symbed.workbench.fitting import fit_many as fit_many
    from symbed.workbench.grammar.grammar import Grammar as Grammar
    from symbed.workbench.grammar.grammar import Rule as Rule
    from symbed.workbench.grammar.sampling import Sample as Sample
    from symbed.workbench.grammar.sampling import sample as sample
    from symbed.workbench.grammar.text_format import paper_grammar as paper_grammar
    from symbed.workbench.grammar.text_format import read_grammar as read_grammar
    from symbed.workbench.grammar.text_format import write_grammar as write_grammar
    from symbed.workbench.parametrization import parametrize as parametrize
    from symbed.workbench.rewriting import BASE_GROUPS as BASE_GROUPS
    from symbed.workbench.rewriting import Rewriter as Rewriter
    from symbed.workbench.rewriting import equivalent_groups as equivalent_groups
    from symbed.workbench.rewriting import equivalents as equivalents
    from symbed.workbench.syntactic_measures import MEASURES as MEASURES
    from symbed.workbench.syntactic_measures import nearest as nearest
    from symbed.workbench.syntactic_measures import pairwise as pairwise
    from symbed.workbench.syntactic_measures import syntactic_distance as syntactic_distance

# The public names of each module.
_MODULES = {
    "grammar.grammar": ("Grammar", "Rule"),
    "grammar.text_format": ("read_grammar", "write_grammar", "paper_grammar"),
    "grammar.sampling": ("Sample", "sample"),
    "rewriting": ("Rewriter", "equivalents", "equivalent_groups", "BASE_GROUPS"),
    "fit_results": ("Fit", "Fits"),
    "fitting": ("fit", "fit_many"),
    "benchmark_datasets": ("Dataset", "dataset", "datasets"),
    "parametrization": ("parametrize",),
    "evaluation": ("errors_on", "evaluate"),
    "data_files": ("Data", "read_data"),
    "syntactic_measures": ("MEASURES", "syntactic_distance", "pairwise", "nearest"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
