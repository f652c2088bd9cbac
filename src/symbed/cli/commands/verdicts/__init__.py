"""Commands that judge: the same, a special case, how good a run was."""
