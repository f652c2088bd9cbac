"""The paper's two clustering tables: data, one row for each measure, means with deviations."""

from __future__ import annotations

SCORES = ("ARI", "silhouette", "V-measure", "Fowlkes-Mallows")
ROUNDING = 0.0005  # half a unit of the last printed digit

Printed = tuple[tuple[float, float], ...]  # for each score the mean and the deviation

# Section 4.2 has BED, BED-CN and the plain syntactic rows; its appendix all syntactic ones.
PUBLISHED: dict[str, Printed] = {
    "edit": ((0.002, 0.001), (0.318, 0.051), (0.166, 0.011), (0.217, 0.002)),
    "tree edit": ((0.004, 0.004), (0.276, 0.060), (0.184, 0.023), (0.218, 0.003)),
    "Jaro": ((0.002, 0.002), (-0.120, 0.140), (0.182, 0.019), (0.213, 0.002)),
    "BED": ((0.203, 0.025), (0.537, 0.014), (0.697, 0.028), (0.393, 0.018)),
    "BED-CN": ((1.000, 0.000), (0.939, 0.001), (1.000, 0.000), (1.000, 0.000)),
    "edit-CN": ((0.003, 0.001), (0.373, 0.113), (0.185, 0.009), (0.215, 0.003)),
    "tree edit-CN": ((0.009, 0.006), (0.304, 0.075), (0.232, 0.037), (0.216, 0.005)),
    "Jaro-CN": ((0.003, 0.001), (-0.372, 0.040), (0.182, 0.011), (0.216, 0.002)),
}


def misfit(name: str, score: int, mean: float) -> float:
    """How far a mean is from a printed one, in printed deviations; 0 if it may round to it.

    >>> round(misfit("BED", 0, 0.25), 2), misfit("BED", 0, 0.2034)
    (1.86, 0.0)
    """
    printed, deviation = PUBLISHED[name][score]
    return max(0.0, abs(mean - printed) - ROUNDING) / max(deviation, ROUNDING)
