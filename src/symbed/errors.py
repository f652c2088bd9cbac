"""Every error of symbed: one clear sentence that names the thing and what would work.

::

    SymbedError
    |-- ParseError          (ValueError)    the text is no expression; points at the character
    |-- LimitError          (ValueError)    a published limit was passed (symbed.limits)
    |-- MissingVariable     (NameError)     a name looks like a variable that the domain lacks
    |-- RangeError          (ValueError)    a range, a count or a choice that cannot be
    |-- MissingRange        (ValueError)    a domain or a parameter range was not given
    |-- PointsMismatch      (ValueError)    two behaviors were not observed at the same points
    |-- DataError           (ValueError)    samples, a data file or a column that cannot be used
    |-- StorageError        (OSError)       a folder or a file that cannot be read or written now
    |-- WorkerError         (RuntimeError)  an executor lost its workers, or no scheduler is there
    |-- ShapeError          (TypeError)     an argument of the wrong kind
    `-- MissingExtra        (ImportError)   an optional package is not installed

and warnings, which the command line tells as one line each:

::

    SymbedWarning           (UserWarning)   base of those below
    |-- UnfinishedSurvey    an atlas is used whose survey was interrupted
    |-- ReadAs              formulas were read in a tool's own meaning (symbed.formula_files)
    |-- LossyConstants      a tool rounded the constants that it wrote (symbed.language.dialects)
    `-- RoundedLiteral      a number has more digits than a double (symbed.language)
"""

from __future__ import annotations


class SymbedError(Exception):
    """Base of every error that symbed raises on purpose.

    Attributes
    ----------
    line : int, optional
        Number of the source (from 1) that caused it, where many were read.
    finished : object
        What was computed before it, where there is something to keep.
    in_command : str, optional
        What the command line says instead, where the remedy is an option there.
    """

    line: int | None = None
    finished: object = None
    in_command: str | None = None


class ParseError(SymbedError, ValueError):
    """The text is no expression.

    Parameters
    ----------
    problem : str
        What is wrong, without the position.
    source : str
        The text (or the token list joined by spaces) that was read.
    position : int, optional
        Index of the offending character, or None.
    hint : str
        What would work, or an empty string.
    """

    def __init__(
        self, problem: str, source: str = "", position: int | None = None, hint: str = ""
    ) -> None:
        self.problem, self.source, self.position, self.hint = problem, source, position, hint
        super().__init__(_pointed(problem, source, position, hint))


class LimitError(SymbedError, ValueError):
    """A published limit was passed."""


class MissingVariable(SymbedError, NameError):
    """A name looks like a variable that the domain lacks."""


class RangeError(SymbedError, ValueError):
    """A range, a count or a choice that cannot be."""


class MissingRange(SymbedError, ValueError):
    """A domain or a parameter range was not given, and there is no honest default."""


class PointsMismatch(SymbedError, ValueError):
    """Two behaviors were not observed at the same points."""


class DataError(SymbedError, ValueError):
    """Samples, a data file or a column that cannot be used."""


class StorageError(SymbedError, OSError):
    """A folder or a file that cannot be read or written now: full, read-only or in use."""


class WorkerError(SymbedError, RuntimeError):
    """An executor lost its workers, or a scheduler is not there."""


class ShapeError(SymbedError, TypeError):
    """An argument of the wrong kind."""


class MissingExtra(SymbedError, ImportError):
    """An optional package is not installed."""


class SymbedWarning(UserWarning):
    """Base of every warning of ours: what was assumed, or what an answer should not be taken for.

    Attributes
    ----------
    in_command : str, optional
        What the command line says instead.
    """

    in_command: str | None = None


class UnfinishedSurvey(SymbedWarning):
    """An atlas is used whose survey was interrupted: there should be more in it."""


CONTEXT = 60  # characters shown on a caret line; longer sources are cut around the caret


def _pointed(problem: str, source: str, position: int | None, hint: str) -> str:
    remedy = f"; {hint}" if hint else ""
    if position is None:
        return problem + remedy
    line = source.rfind("\n", 0, position) + 1
    # The caret stands in the middle of what is shown of a long line.
    start = max(line, position - CONTEXT // 2)
    shown = source[start : start + CONTEXT].split("\n")[0]
    # One character for one, so that the caret below still stands under its place.
    visible = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    caret = " " * (position - start) + "^"
    return f"{problem} at column {position - line + 1}{remedy}\n    {visible}\n    {caret}"
