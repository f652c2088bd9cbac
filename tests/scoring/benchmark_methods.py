"""Methods for the tests of the benchmark: one that finds a line, and others that misbehave."""

from __future__ import annotations

import itertools
import os
import signal
import time

import numpy as np


class Line:
    """Least squares with a line in the first variable: quick, and the same every time."""

    def __init__(self, decimals: int = 6) -> None:
        self.decimals = decimals

    def fit(self, X, y) -> None:
        self.slope, self.offset = np.polyfit(X[:, 0], y, 1).round(self.decimals)

    def formulas(self):
        return [f"{self.slope}*X_0 + {self.offset}", "X_0"]


class Truth:
    """Knows what Newton's law of cooling looks like, and what else it could say."""

    dialect = "infix"

    def fit(self, X, y, variables, seconds, seed) -> None:
        self.told = (variables, seconds, seed)

    def formulas(self):
        return [
            {"formula": "21.4 + 63.1*exp(-0.131*X_0)", "loss": 0.1, "complexity": 8},
            {"formula": "X_0 +* 2"},
            {"formula": "a*X_0"},
        ]


class Crash(Line):
    def fit(self, X, y) -> None:
        raise ArithmeticError("this went wrong\nin two lines")


class Hang(Line):
    def fit(self, X, y) -> None:
        time.sleep(600)


class Hungry(Line):
    def fit(self, X, y) -> None:
        self.kept = [np.ones(1 << 24) for _ in range(64)]
        time.sleep(600)


class Refused(Line):
    def fit(self, X, y) -> None:
        raise MemoryError


class Silent(Line):
    def formulas(self):
        return []


class Leaves(Line):
    def fit(self, X, y) -> None:
        os._exit(0)


class Killed(Line):
    def fit(self, X, y) -> None:
        os.kill(os.getpid(), 11)


class NoFormulas:
    def fit(self, X, y) -> None:
        pass


class Garbage(Line):
    def fit(self, X, y) -> None:
        os.write(1, bytes(range(256)) * 500)
        os.write(2, bytes(range(256)) * 500 + b"\n")
        raise ValueError("the end \x1b[31m of it")


class Forks(Line):
    def fit(self, X, y) -> None:
        self.children = []
        for _ in range(3):
            self.children.append(os.fork())
            if not self.children[-1]:
                os.setsid()
                time.sleep(600)

    def formulas(self):
        return [str(child) for child in self.children]


class Stubborn(Line):
    def fit(self, X, y) -> None:
        for number in (2, 15):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(600)


class Endless(Line):
    def formulas(self):
        return (f"X_0 + {number}" for number in itertools.count())


class Huge(Line):
    def formulas(self):
        return ["X_0" + " + X_0" * 200_000, "X_0 \udcff", {"formula": "X_0", "loss": float("nan")}]


class Unnamed(Line):
    def formulas(self):
        return [{"expr": "X_0"}]


class Number(Line):
    def formulas(self):
        return 7
