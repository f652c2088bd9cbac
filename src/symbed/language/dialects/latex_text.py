"""A LaTeX text: its words, where things begin and end in it, and what could mean two things."""

from __future__ import annotations

import re
from dataclasses import dataclass

from symbed.errors import ParseError
from symbed.language.operators import TABLE
from symbed.language.typesetting import COMMANDS, FUNCTION_COMMANDS

# Functions by command or upright name; those of the table of operators by both of their names.
FUNCTIONS = {
    **{
        title: row.name
        for row in TABLE
        if row.form == "call" and "latex" in row.dialects.split()
        for title in (row.name, row.title or row.name)
    },
    **{name: name for name in ("max", "min", "sinc")},
    **{f"arc{name}": f"a{name}" for name in ("sinh", "cosh", "tanh")},
    "atan_2": "atan2", "log": "ln", "lg": "log10", "sgn": "sign", "Abs": "abs",
}  # fmt: skip
INVERTIBLE = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh"})
# Those that take more than one argument.
SEVERAL = frozenset(row.name for row in TABLE if row.form == "call" and row.arity > 1)
REMEDIES = {
    "begin": "cases are read from SymPy's str or srepr text",
    "hat": "write a plain name", "bar": "write a plain name", "vec": "write a plain name",
    "tilde": "write a plain name", "dot": "write a plain name",
}  # fmt: skip
SIGN_COMMANDS = {
    "cdot": "*", "times": "*", "div": "/", "ast": "*", "lt": "<", "gt": ">", "equiv": "==",
    **dict.fromkeys(("le", "leq", "leqslant"), "<="), **dict.fromkeys(("ne", "neq"), "!="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
}  # fmt: skip
# Each is closed by its word with an r: \rfloor.
FENCES = {"lfloor": "floor", "lceil": "ceil", "lvert": "abs"}
SILENT = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "displaystyle",
    "textstyle", "quad", "qquad", "limits", ",", ";", ":", "!", ">", "$", "[", "]", "(", ")",
})  # fmt: skip
WRAPPERS = frozenset({
    "mathrm", "text", "mathit", "mathbf", "mathsf", "mathtt", "operatorname", "operatorname*",
    "textrm", "boldsymbol",
})  # fmt: skip
FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})


PIECE = re.compile(
    r"\\[A-Za-z]+\*?|\\[^A-Za-z]|[A-Za-z]|[0-9]+(?:\.[0-9]*)?|\.[0-9]+|\s+|.", re.DOTALL
)
LETTERS = re.compile(r"[A-Za-z]+")
FUNCTION_NAMES = frozenset("fghFGH")  # whatever stands in their parentheses
ALONE = re.compile(r"(?:\\left)?\s*\(\s*\\?[A-Za-z]+(?:_(?:\{\w+\}|\w))?\s*(?:\\right)?\s*[),]")
OPENING = re.compile(r"\s*(?:\\left)?\s*\(")


@dataclass
class LatexText:
    """A text that is gone through, and the place that was reached."""

    source: str
    place: int = 0

    # ---- where things begin and end ----

    def skip(self, start: int) -> int:
        """Where the blanks that begin at a place end."""
        while start < len(self.source) and self.source[start] in " \t\r\n\f\v~":
            start += 1
        return start

    def skip_left(self, start: int) -> int:
        r"""Behind a ``\left`` or its like, if one stands before a parenthesis."""
        for word in ("\\left", "\\big", "\\Big"):
            rest = self.source[start + len(word) : start + len(word) + 1]
            if self.source.startswith(word, start) and rest in ("(", "[", " "):
                return self.skip(start + len(word))
        return start

    # Else the 10^3 of x_10^3 would be taken for a number.
    def follows_subscript(self) -> bool:
        """Whether a subscript or a power begins right before the place."""
        return self.place > 0 and self.source[self.place - 1] in "_^"

    def subscript(self, end: int) -> tuple[str, int]:
        """The subscript of the name that ends at a place, empty if it has none, and its own end."""
        start = self.skip(end)
        if self.source[start : start + 1] != "_":
            return "", end
        start = self.skip(start + 1)
        if self.source[start : start + 1] == "{":
            return self.braced(start)
        stop = self.single(start)
        if self.source[start:stop].isdigit() and self.source[stop : stop + 1].isdigit():
            self.refuse_bare_power(start)
        return _plain(self.source[start:stop]), stop

    def braced(self, start: int) -> tuple[str, int]:
        """The plain text of a group, and where it ends."""
        start = self.skip(start)
        if self.source[start : start + 1] != "{":
            raise ParseError(
                "a group in braces is missing", self.source, min(start, len(self.source))
            )
        depth, place = 0, start
        while place < len(self.source):
            depth += {"{": 1, "}": -1}.get(self.source[place], 0)
            place += 1
            if not depth:
                return _plain(self.source[start:place]), place
        raise ParseError("'{' is never closed", self.source, start)

    def single(self, start: int) -> int:
        """Where the one token ends that stands for a group."""
        if self.source[start : start + 1] == "\\":
            found = PIECE.match(self.source, start)
            return found.end() if found else start
        return min(start + 1, len(self.source))

    # ---- what looks like one thing to its writer and is another to LaTeX, or could be two ----

    def refuse_double_power(self, place: int) -> None:
        """Refuse ``x^2^3``."""
        hint = "write x^{2^{3}} or {x^{2}}^{3}"
        raise ParseError("a double superscript", self.source, place, hint)

    def refuse_bare_power(self, place: int) -> None:
        """Refuse ``x^10``, of which LaTeX raises the first digit only."""
        digits = re.compile("[0-9]+").match(self.source, place)
        assert digits is not None
        problem = f"without braces only the {digits[0][0]!r} of {digits[0]!r} is meant"
        raise ParseError(problem, self.source, place, f"put it in braces: {{{digits[0]}}}")

    def check_letters(self) -> None:
        """Refuse a function without its backslash, which would be a product of letters."""
        before = self.source[self.place - 1 : self.place]
        # Inside a run of letters, which was looked at where it began.
        if before.isalpha() or before == "\\":
            return
        run = LETTERS.match(self.source, self.place)
        assert run is not None
        names = [name for name in FUNCTIONS if len(name) > 1 and run[0].endswith(name)]
        word = max(names, key=len, default="")
        called = OPENING.match(self.source, run.end())
        if word and (word == run[0] or (called and len(word) > 2)):
            place = run.end() - len(word)
            raise ParseError(
                f"{word!r} without a backslash is a product of letters", self.source, place,
                f"write {_command_of(word)}",
            )  # fmt: skip

    def check_application(self, name: str, end: int) -> None:
        r"""Refuse f(x), which is a function of x to people; the product has a sign."""
        called = OPENING.match(self.source, end)
        if called is None:
            return
        is_word = len(name) > 1 and "_" not in name and name not in COMMANDS
        if is_word or name in FUNCTION_NAMES or ALONE.match(self.source, self.skip(end)):
            raise ParseError(
                f"{name}(...) can be a function or a product", self.source, self.place,
                f"write {name} \\cdot (...) for the product, or the function's formula",
            )  # fmt: skip


def _command_of(word: str) -> str:
    command = rf"\{word}" if word in FUNCTION_COMMANDS else rf"\operatorname{{{word}}}"
    return rf"{command}(...), or \cdot between the letters"


def _plain(text: str) -> str:
    r"""A name's letters and digits: ``\mathrm{max}`` is max, ``\_`` is _."""
    text = re.sub(r"\\(?:mathrm|text|mathit|mathbf|operatorname)|[{}\s]", "", text)
    return text.replace("\\_", "_").replace("\\", "").replace(",", "_")
