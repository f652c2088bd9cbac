"""Notes on the smoothness experiment: findings go in, paragraphs on how it was done come out."""

from __future__ import annotations

from symbed_reproduction.smoothness.findings import Findings

NOTES = """
**Data.** {n_sets} data sets of the Feynman benchmark, {n_points:,} rows each, drawn uniformly from
the benchmark's ranges; the published experiment has 10,000 rows. The formulas are the benchmark's.
Two captions of the paper differ from it: I.43.43 prints X_0*X_1*X_3/X_2 where the benchmark has
1/(X_0 - 1)*X_1*X_3/X_2, and II.35.18 prints the same function by sech.

**Candidates.** {n_candidates:,} for each data set, from the paper's grammar with as many variables
as the data set has, at most 40 tokens, no token sequence twice. Each data set has its own. A
candidate is invalid if it is undefined at one of the rows, if its RMSE is over 1e20, or if it has
more than 8 parameters (it gets no label, as in the published experiment). The published labels are
missing also where the one random start of a fit is undefined. The column *one random start* counts
so: parameters at one random place, {n_dense:,} rows, which is the published number at the paper's
scale.

**Labels.** RMSE after fitting the parameters inside of [-5, 5]. The published labels are those of
one random start of L-BFGS-B. Here {n_places} random places are measured, and Levenberg and
Marquardt's method goes down from the best 2, 4 or 8 of them (one, two, more parameters).
Candidates that are equal up to commutativity are fitted once. An RMSE below 1e-12 of the target's
size counts as 0.

**Distances.** BED in {n_repeats} repeats, each at 64 other rows of the data, 32 draws, parameters
in [-5, 5], the truth's constants as they are; every candidate with parameters has a Latin
hypercube of its own, as in the paper. *Default design* means our lattice instead, with the same
points. An infinite BED comes last. Edit and Jaro distance compare tokens in infix order, brackets
included; the tree edit distance has unit costs. Equal distances keep the order in which candidates
were drawn; the columns *random ties* have them in random order instead, {n_repeats} times.

**Curves.** For each n up to {n_nearest}, the median or mean RMSE of the n nearest valid
candidates. BED's curve on a data set is the median (or mean) of its repeats. Ranks are given for
each data set and n, equal values share their mean rank, and are then averaged over data sets.
Bands in the figures of single data sets show the lowest and highest repeat; in the figures of
average ranks, two standard errors over data sets.

**Published curves** were read off the figures; where lines cover each other there is no value.
Some of the values read off the mean-aggregated figure (BED at n = 5 and 10, tree edit up to n =
10) are likely those of a line nearby.
"""


def make_notes(found: Findings) -> str:
    """What to know about the numbers."""
    return NOTES.format(n_sets=len(found.names), **found.sizes._asdict())
