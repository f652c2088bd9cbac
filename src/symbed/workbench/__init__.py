"""The symbolic-regression workbench: grammars, equivalents, data sets, fitting, syntactic measures.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from symbed._lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Grammar": "grammar.grammar",
    "Rule": "grammar.grammar",
    "read_grammar": "grammar.text_format",
    "write_grammar": "grammar.text_format",
    "paper_grammar": "grammar.named_grammars",
    "Sample": "grammar.sampling",
    "sample": "grammar.sampling",
    "Rewriter": "equivalence.rewriting",
    "equivalents": "equivalence.rewriting",
    "equivalent_groups": "equivalence.base_groups",
    "BASE_GROUPS": "equivalence.base_groups",
    "Fit": "fitting.results",
    "Fits": "fitting.results",
    "fit": "fitting.fitter",
    "fit_many": "fitting.fitter",
    "Dataset": "data.benchmark_datasets",
    "dataset": "data.benchmark_datasets",
    "datasets": "data.benchmark_datasets",
    "parametrize": "parametrization",
    "errors_on": "evaluation",
    "evaluate": "evaluation",
    "Data": "data.data_files",
    "read_data": "data.data_files",
    "MEASURES": "syntax.measures",
    "syntactic_distance": "syntax.measures",
    "pairwise": "syntax.measures",
    "nearest": "syntax.measures",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
