"""Notes of the consistency experiment: findings go in; how it was done, in Markdown, comes out."""

from __future__ import annotations

from symbed.experiments.consistency_expressions import APART, LARGEST, LONGEST
from symbed.experiments.consistency_findings import Findings

TEXT = """
**Expressions.** {n_expressions} from the paper's grammar, no text twice, at most {longest} tokens,
defined at every checked point of [1, 5], no larger than {largest:g}, no two closer than {apart:g}
in relative distance. The limits on length and size are those of the published code. The set with
seed 0 is taken, whatever it shows; the table *sets* has others. Sets made so contain some
expressions with poles in the domain, as the published ones do. Their distance to any other
expression is infinite, and the number that a sample gives instead says how near to the pole it
came. The sets called *bounded* are without them: no denominator changes its sign or is zero in a
corner of the domain. The designs are compared on these. This division was made after a look at the
results: on bounded sets some published cells would be farther off, at most where each pair has new
points; the tables *cells* have both.

**Samples.** X and parameters are in [1, 5]. The paper's sampling is that of `Probe.paper`: X is a
Latin hypercube with lowered discrepancy, and every expression has Latin hypercube draws of its own.
Ours is the default design. Runs have different seeds.

**Ranking.** For each expression all are ranked by their distance to it. It is among them itself, as
in the published code; the table *itself* shows what this changes. Ties share their mean rank.
Distances that agree in 12 digits are ties: `x + C` and `x - C` are equally far from `x`, and
rounding alone would decide which comes first.

**Self-pairs.** The published scores count each run's correlation with itself, {n_runs} of {n_pairs}
pairs. Tables say which cells do.

**New X per pair.** All distances of an expression in one run have points and draws of their own,
and a pair never meets the same ones in two runs. They serve again for other pairs in other runs, as
in the published code, where seeds move on by one. Where nothing serves again, scores differ by at
most {difference:.4f} (table *independent*).

**Undefined.** Of all distances in the heatmaps {n_infinite} were infinite.
"""


def make_notes(found: Findings) -> str:
    """What a reader needs to know to judge the tables."""
    size = found.size
    return TEXT.format(
        n_expressions=size.n_expressions,
        longest=LONGEST,
        largest=LARGEST,
        apart=APART,
        n_runs=size.n_runs,
        n_pairs=size.n_runs * (size.n_runs + 1) // 2,
        difference=max(abs(dealt - apart) for apart, dealt in found.independent.values()),
        n_infinite=found.n_infinite,
    )
