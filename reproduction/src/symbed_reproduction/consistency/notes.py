"""Notes of the consistency experiment: findings go in; how it was done, in Markdown, comes out."""

from __future__ import annotations

from symbed_reproduction.consistency.expressions import APART, LARGEST, LONGEST
from symbed_reproduction.consistency.findings import Findings
from symbed_reproduction.consistency.given_sets import PLACE, REPOSITORY
from symbed_reproduction.consistency.units import CODE_LIMIT

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

GIVEN_TEXT = """
**Given sets.** The paper does not print its expressions. Its authors' repository `{repository}` has
files of them, named `expressions_N.txt`, in
`{place}`.
They are not shipped with symbed, since that repository has no licence. Files of these names were
given to this run (`--expressions`); the table *given* tells which, by digest. Cells of the
published heatmaps are judged on them. Sets of our own stand beside them, and all other claims are
judged on those alone.

**Rules.** On given sets there are two ways to count, both with the paper's sampling (table *given
agreement*). The first is that of all other sets here. The second is that of the published code,
beside its text: outputs beyond {limit:g} are dropped, so that an expression without any other at
some point is infinitely far from the rest, and ties do not share a rank: the last bit of a distance
decides, and among equal ones the order in the file. The published numbers follow the second way;
what remains between it and them is other random numbers. Verdicts take the first.
"""


def make_notes(found: Findings) -> str:
    """What a reader needs to know to judge the tables."""
    size = found.size
    text = TEXT + GIVEN_TEXT * bool(found.given)
    return text.format(
        n_expressions=size.n_expressions,
        longest=LONGEST,
        largest=LARGEST,
        apart=APART,
        n_runs=size.n_runs,
        n_pairs=size.n_runs * (size.n_runs + 1) // 2,
        difference=max(abs(dealt - apart) for apart, dealt in found.independent.values()),
        n_infinite=found.n_infinite,
        repository=REPOSITORY,
        place=PLACE,
        limit=CODE_LIMIT,
    )
