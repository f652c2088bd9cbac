"""The published limits: one table that parser, compiler and sampler obey and the docs print.

Formulas come from strangers. Each limit is far above ordinary use (a sum of ten thousand terms
passes) and low enough that no input costs more than a moment.
"""

from __future__ import annotations

from typing import NamedTuple

from symbed.errors import LimitError


class Limit(NamedTuple):
    """One limit: the largest allowed count, and of what."""

    name: str
    maximum: int
    what: str

    def check(self, count: int) -> None:
        """Raise ``LimitError`` if ``count`` passes the maximum."""
        if count > self.maximum:
            raise LimitError(f"{self.what}: {count:,} is over the limit of {self.maximum:,}")


TEXT = Limit("text", 256 * 1024, "bytes of text in one expression")
TOKENS = Limit("tokens", 50_000, "tokens in one expression")
NESTING = Limit("nesting", 200, "parentheses, calls and stacked powers inside each other")
DIGITS = Limit("digits", 400, "digits in one number")
NAME = Limit("name", 64, "characters in one name")
VARIABLES = Limit("variables", 64, "variables in one domain")
PARAMETERS = Limit("parameters", 20_000, "free parameters in one expression")
FITTED = Limit("fitted", 256, "free parameters in one fit")
STACK = Limit("stack", 1_000, "operands waiting at once in one expression")
NODES = Limit("nodes", 1_000_000, "nodes in one derived expression")
# As far as the nested generator of the lattice goes.
POINTS = Limit("points", 1 << 20, "input points in one probe")
DRAWS = Limit("draws", 1 << 16, "parameter draws in one probe")
# 134 MB of float64; the entries of a matrix are 2 GB.
OUTPUTS = Limit("outputs", 1 << 24, "outputs (points x draws) in one behavior")
MATRIX = Limit("matrix", 1 << 28, "entries of one distance matrix in memory")
# The recursion keeps 8 bytes for each pair of nodes: 134 MB at the limit, in each thread.
TREE = Limit("tree", 4_096, "nodes of one tree in a tree edit distance")
# About half a minute.
TREE_STEPS = Limit("tree_steps", 10**10, "steps of the tree edit distance of one pair")
NONTERMINALS = Limit("nonterminals", 500, "nonterminals in one grammar")
# The cost of changing each label to each other is a table: 67 MB of int32.
LABELS = Limit("labels", 4_096, "different labels in tree edit distances with string costs")
# Half a gigabyte. Of more, programs are kept: their outputs are remade as fast as they are read.
KEPT = Limit("kept", 1 << 26, "outputs that a survey keeps unasked")
PAGE_FORMULAS = Limit("page_formulas", 100_000, "formulas on one map of the explorer")
PAGE_TEXT = Limit("page_text", 1 << 24, "characters of one file that the explorer reads")
PAGE_ROWS = Limit("page_rows", 100_000, "rows of one data file that the explorer reads")

ALL = tuple(limit for limit in vars().values() if isinstance(limit, Limit))
