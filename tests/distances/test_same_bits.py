"""The same bits on every machine: distances and intervals do not depend on the processor."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import hashlib
import numpy as np
import symbed

digest = hashlib.sha256()
for names in ("x", "xy", "xyz"):
    for design in ("lattice", "shared"):
        probe = symbed.Probe(dict.fromkeys(names, (1, 5)), (1, 5), design=design, seed=3)
        texts = ("C*x", f"a*sin({names[-1]})", f"C*exp(-x/3) + {names[-1]}", "1/(x - 3)")
        seen = [symbed.observe(text, probe) for text in texts]
        for settings in ({}, {"p": 2}, {"metric": "relative"}, {"metric": "arcsinh"}):
            for a, b in zip(seen, seen[1:]):
                found = symbed.compare(a, b, **settings)
                numbers = found.distance, found.stderr, found.noise_floor, *found.interval
                digest.update(np.array(numbers).tobytes())
print(digest.hexdigest())
"""


def told(*without: str) -> str:
    """The digest where NumPy and OpenBLAS take the processor for one without these features."""
    environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(without)}
    if without:
        environment["OPENBLAS_CORETYPE"] = "Nehalem"
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout


def test_a_processor_with_narrow_vectors_finds_the_same_numbers() -> None:
    assert told("X86_V3", "X86_V4", "AVX512_ICL", "AVX2", "FMA3", "AVX512F") == told()
