"""Are two formulas without free parameters the same function? What ``decide`` rests on."""
