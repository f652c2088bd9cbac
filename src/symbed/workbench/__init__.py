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
    "paper_grammar": "grammar.text_format",
    "Sample": "grammar.sampling",
    "sample": "grammar.sampling",
    "Rewriter": "rewriting",
    "equivalents": "rewriting",
    "equivalent_groups": "rewriting",
    "BASE_GROUPS": "rewriting",
    "Fit": "fit_results",
    "Fits": "fit_results",
    "fit": "fitting",
    "fit_many": "fitting",
    "Dataset": "data.benchmark_datasets",
    "dataset": "data.benchmark_datasets",
    "datasets": "data.benchmark_datasets",
    "parametrize": "parametrization",
    "errors_on": "evaluation",
    "evaluate": "evaluation",
    "Data": "data.data_files",
    "read_data": "data.data_files",
    "MEASURES": "syntactic_measures",
    "syntactic_distance": "syntactic_measures",
    "pairwise": "syntactic_measures",
    "nearest": "syntactic_measures",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
