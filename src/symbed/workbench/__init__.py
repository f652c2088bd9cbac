"""The symbolic-regression workbench: grammars, equivalents, data sets, fitting, syntactic measures.

Nothing is imported before it is asked for, so that importing the package stays cheap.
"""

from __future__ import annotations

from symbed.lazy import find_lazily

# Where each public name lives.
_HOMES = {
    "Grammar": "grammar",
    "Rule": "grammar",
    "read_grammar": "grammar_text",
    "write_grammar": "grammar_text",
    "paper_grammar": "named_grammars",
    "Sample": "samples",
    "sample": "generation",
    "Rewriter": "rewriting",
    "equivalents": "rewriting",
    "equivalent_groups": "rewriting",
    "BASE_GROUPS": "base_groups",
    "Fit": "fit_results",
    "Fits": "fit_results",
    "fit": "fitting",
    "fit_many": "fitting",
    "Dataset": "benchmark_sets",
    "dataset": "dataset_tables",
    "datasets": "dataset_tables",
    "parametrise": "parametrisation",
    "evaluate": "evaluation",
    "Data": "data_files",
    "read_data": "data_files",
    "MEASURES": "syntax",
    "syntactic_distance": "syntax",
    "pairwise": "syntax",
    "nearest": "syntax",
}

__all__ = list(_HOMES)


__getattr__, __dir__ = find_lazily(__name__, _HOMES)
