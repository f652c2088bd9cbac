r"""LaTeX: mathematics as SymPy, PySR and people typeset it, in and out.

It is cut into infix tokens, which the common reader goes on with. Groups become parentheses,
``\frac`` and ``\sqrt`` become calls, and two values side by side are a product. The open groups
are kept on a stack, so nothing recurses; each knows what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from symbed.errors import ParseError
from symbed.language.dialects.latex_text import (
    FENCES,
    FRACTIONS,
    FUNCTIONS,
    INVERTIBLE,
    OPENING,
    PIECE,
    REMEDIES,
    SEVERAL,
    SIGN_COMMANDS,
    SILENT,
    WRAPPERS,
    LatexText,
)
from symbed.language.dialects.templates import COMPARISONS, Builder, plain_sinc
from symbed.language.dialects.tool_table import SIGNS, Style, Token, Tool
from symbed.language.names import unexpected
from symbed.language.operators import POW
from symbed.language.typesetting import COMMANDS
from symbed.limits import NESTING, TOKENS

# What 1e-5 and 1.5e-5 look like when typeset: one number again, not a power or a product. Not
# in the middle of a number, as in 210^{3}, nor behind a group.
SCIENTIFIC = re.compile(
    r"(?<![0-9.}])(?:([0-9]+(?:\.[0-9]*)?)\s*\\(?:cdot|times)\s*)?10\s*\^\s*"
    r"(?:\{\s*(-?[0-9]{1,4})\s*\}|([0-9]))"
)
CUBIC = re.compile(r"\[\s*3\s*\]")
WRAPPED = re.compile(r"\{\s*\\left\s*\(")
STOPS = frozenset({"+", "-", ")", ",", "|", "*", "/", "=", "]", "<", ">", "<=", ">=", "==", "!="})
# What looks like one thing to its writer and is another to LaTeX, or could be two.
COMPUTED = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+")
# 1\,000, 1{,}000 and 1~000: blanks and commas that LaTeX sets between groups of three.
GROUPED = re.compile(r"[0-9]{1,3}(?:(?:\\[,;]|\{,\}|~)[0-9]{3})+(?![0-9])(?:\.[0-9]+)?")
SEPARATOR = re.compile(r"[^0-9.]")
UPRIGHT_D = r"(?:d|\\partial|\\mathrm\s*\{\s*d\s*\}|\\mathrm\s+d)"
DERIVATIVE = re.compile(
    rf"\\[dtc]?frac\s*\{{\s*{UPRIGHT_D}(?![A-Za-z])[^{{}}]*(?:\{{[^{{}}]*\}})?[^{{}}]*\}}\s*"
    rf"\{{\s*{UPRIGHT_D}\s*\\?[A-Za-z]"
)


def cut_latex(source: str) -> list[Token]:
    r"""The infix tokens of LaTeX mathematics.

    >>> " ".join(token.text for token in cut_latex(r"\frac{2 x}{\sin^{2}{\left(x_{1} \right)}}"))
    'div ( 2 * x , power_of ( 2 , sin ( ( x_1 ) ) ) )'
    """
    return _Cutter(source).run()


@dataclass
class _Group:
    """An open group: what closes it, and the tokens that follow its content."""

    closer: str
    after: list[str]
    then: str = ""  # "argument": another group has to follow; "call": a function's argument


@dataclass
class _Cutter(LatexText):
    """Goes through a text once and puts out tokens."""

    out: list[Token] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)
    power_end: int = -1  # where the last power's exponent ended

    def run(self) -> list[Token]:
        text = self.source
        while self.place < len(text):
            if self._number():
                continue
            piece = PIECE.match(text, self.place)
            assert piece is not None
            self._take(piece[0], piece.end())
        self._end_bare(self.place)
        if self.groups:
            raise ParseError("a group is never closed", text, len(text.rstrip()), "write }")
        return self.out

    def _number(self) -> bool:
        """Take a number that is more than digits: a power of ten, grouped digits, 1.5e-3."""
        text = self.source
        if self.follows_subscript():
            return False
        found = SCIENTIFIC.match(text, self.place)
        # In 1/2 \cdot 10^3 the power of ten is a factor of the fraction.
        if found and not (found[1] and self.out and self.out[-1].text == "/"):
            if text[self.skip(found.end()) :][:1] == "^":
                self.refuse_double_power(self.skip(found.end()))
            # Without braces 10^34 raises the 3 only.
            if not found[2] and text[found.end() : found.end() + 1].isdigit():
                self.refuse_bare_power(found.end() - 1)
            self._numeral(f"{found[1] or 1}e{found[2] or found[3]}", found.end())
            return True
        found = GROUPED.match(text, self.place) or COMPUTED.match(text, self.place)
        # In 2e3.5 the e is a factor.
        if found is None or (found.re is COMPUTED and text[found.end() : found.end() + 1] == "."):
            return False
        digits = found[0] if found.re is COMPUTED else "".join(SEPARATOR.split(found[0]))
        self._numeral(digits, found.end())
        return True

    def _numeral(self, digits: str, end: int) -> None:
        last = self.out[-1].text if self.out else ""
        if last[:1].isdigit() or (last[:1] == "." and len(last) > 1):
            raise ParseError(
                "two numbers side by side", self.source, self.place,
                "write \\cdot for a product, and a number's digits together",
            )  # fmt: skip
        self._value(digits, end)

    def _take(self, piece: str, end: int) -> None:
        if piece.isspace():
            self.place = end
        elif piece[0] == "\\":
            self._command(piece[1:], end)
        elif piece[0].isdigit() or (piece[0] == "." and len(piece) > 1):
            self._numeral(piece, end)
        elif piece.isalpha() and piece.isascii():
            self.check_letters()
            self._name(piece, end)
        elif piece in "{([":
            self._open("", {"{": "}", "(": ")", "[": "]"}[piece], end)
        elif piece in "})]":
            self._close(piece, end)
        elif piece == "^":
            self._power(end)
        elif piece == "|":
            self._bar(end)
        elif piece in "+-*/,<>":
            self._sign(piece, end)
        elif piece in "$&~":
            self.place = end
        else:
            raise unexpected(self.source, self.place)

    def _command(self, word: str, end: int) -> None:
        if word in SILENT or word.isspace():
            # \left. is a fence that is not seen.
            self.place = end + (self.source[end : end + 1] == "." and word in ("left", "right"))
        elif word in FRACTIONS:
            if DERIVATIVE.match(self.source, self.place):
                hint = "write out what it is"
                raise ParseError("a derivative cannot be read", self.source, self.place, hint)
            self._begin_value()
            self._put("div", "(")
            self._argument(end, [","], "argument")
        elif word == "sqrt":
            self._root(end)
        elif word in WRAPPERS:
            self._word(end)
        elif word in SIGN_COMMANDS:
            self._sign(SIGN_COMMANDS[word], end)
        elif word in FENCES:
            self._open(FENCES[word], f"r{word[1:]}", end)
        elif f"l{word[1:]}" in FENCES and word[0] == "r":
            self._close(word, end)
        elif word in ("vert", "mid"):
            self._bar(end)
        elif word in ("{", "}"):
            self._open("", "\\}", end) if word == "{" else self._close("\\}", end)
        elif word in FUNCTIONS:
            self._function(FUNCTIONS[word], end)
        # With a parenthesis the function, without one the letter.
        elif word == "Gamma" and OPENING.match(self.source, end):
            self._function("gamma", end)
        elif word == "pi":
            self._value("pi", end)
        elif word == "infty":
            self._value("1e999", end)
        elif word in COMMANDS or word in ("varepsilon", "varphi", "vartheta"):
            self._name(word.removeprefix("var") if word != "varsigma" else word, end)
        else:
            problem = f"unknown command '\\{word[:30]}'"
            raise ParseError(problem, self.source, self.place, REMEDIES.get(word, ""))

    # ---- values ----

    def _name(self, name: str, end: int) -> None:
        index, end = self.subscript(end)
        name = f"{name}_{index}" if index else name
        self.check_application(name, end)
        self._value(name, end)

    def _word(self, end: int) -> None:
        word, after = self.braced(end)
        index, behind = self.subscript(after)
        if index and f"{word}_{index}" in FUNCTIONS:
            self._function(FUNCTIONS[f"{word}_{index}"], behind)
        elif word in FUNCTIONS and self.source[after : after + 1] != "_":
            self._function(FUNCTIONS[word], after)
        else:
            self._name(word, after)

    def _value(self, text: str, end: int) -> None:
        self._begin_value()
        self._put(text)
        self.place = end

    def _begin_value(self) -> None:
        """A value that follows a value is a factor of it."""
        if self.out and _ends_value(self.out[-1].text):
            self._put("*")

    def _put(self, *texts: str) -> None:
        self.out.extend(Token(text, self.place) for text in texts)
        TOKENS.check(len(self.out))

    # ---- groups ----

    def _open(self, function: str, closer: str, end: int) -> None:
        self._begin_value()
        self._put(*[function] * bool(function), "(")
        self._push(_Group(closer, [")"]))
        self.place = end

    def _push(self, group: _Group) -> None:
        self.groups.append(group)
        NESTING.check(len(self.groups))

    def _close(self, closer: str, end: int) -> None:
        self._end_bare(self.place)
        if not self.groups or self.groups[-1].closer != closer:
            raise ParseError(f"{closer!r} closes nothing", self.source, self.place)
        group = self.groups.pop()
        self.place = end
        self._finish(group)

    def _finish(self, group: _Group) -> None:
        self._put(*group.after)
        if group.then == "power":
            self.power_end = self.place
        if group.then == "call":
            self._call_argument(self.place, [")", ")"])
        if group.then == "argument":
            self._argument(self.place, [")"], "")
        end = self.skip(self.place)
        if group.then == "brace" and self.source[end : end + 1] != "}":
            raise ParseError("'}' is missing behind the arguments", self.source, self.place)

    def _argument(self, start: int, after: list[str], then: str) -> None:
        """Begin a group in braces, or take the one token that stands for it."""
        start = self.skip(start)
        if self.source[start : start + 1] == "{":
            self._push(_Group("}", after, then))
            self.place = start + 1
            return
        end = self.single(start)
        self.place = start
        if self.source[start : start + 1] in ("-", "+"):
            sign = self.source[start]
            raise ParseError("a sign alone", self.source, start, f"put it in braces: {{{sign}1}}")
        if end == start or self.source[start] in "})]":
            raise ParseError("a value is missing", self.source, start)
        # One letter, digit or command, so that this call makes no further one.
        inner = cut_latex_piece(self.source, start, end)
        self.out.extend(inner)
        self.place = end
        self._finish(_Group("", after, then))

    def _power(self, end: int) -> None:
        if self.power_end >= 0 and self.skip(self.power_end) == self.place:
            self.refuse_double_power(self.place)
        start = self.skip(end)
        if (
            self.source[start : start + 1].isdigit()
            and self.source[start + 1 : start + 2].isdigit()
        ):
            self.refuse_bare_power(start)
        self._put("^", "(")
        self._argument(end, [")"], "power")

    def _root(self, end: int) -> None:
        self._begin_value()
        start = self.skip(end)
        cubic = CUBIC.match(self.source, start)
        if cubic:
            # The real root; a power of 1/3 is undefined below zero.
            self._put("cbrt", "(")
            self._argument(cubic.end(), [")"], "")
        elif self.source[start : start + 1] == "[":
            # The root's degree is written first, and is read so: power_of takes the exponent first.
            self._put("power_of", "(", "1", "/", "(")
            self._push(_Group("]", [")", ","], "argument"))
            self.place = start + 1
        else:
            self._put("sqrt", "(")
            self._argument(start, [")"], "")

    def _function(self, word: str, end: int) -> None:
        if self.out and _ends_value(self.out[-1].text):
            self._end_bare(self.place)  # sin x cos y is a product of two
        self._begin_value()
        start = self.skip(end)
        if word == "ln" and self.source[start : start + 1] == "_":
            index, start = self.subscript(start)
            # \log and \ln are one word here, so a subscript of either is a base.
            word = {"10": "log10", "2": "log2", "e": "ln"}.get(index, "")
            if not word:
                raise ParseError(
                    f"a logarithm of base {index!r}", self.source, start, "write it out"
                )
            start = self.skip(start)
        if self.source[start : start + 1] == "^":
            self._function_power(word, start + 1)
            return
        self._put(word, "(")
        wrapped = WRAPPED.match(self.source, start) if word in SEVERAL else None
        if wrapped:  # the arguments in parentheses, and these in braces
            self._push(_Group("}", []))
            self._push(_Group(")", [")"], "brace"))
            self.place = wrapped.end()
        else:
            self._call_argument(start, [")"])

    def _function_power(self, word: str, start: int) -> None:
        start = self.skip(start)
        inverse = re.compile(r"\{?\s*-\s*1\s*\}?").match(self.source, start)
        if inverse and word in INVERTIBLE:
            raise ParseError(
                f"{word}^-1 can be the inverse function or the reciprocal",
                self.source, start, f"write \\arc{word} or \\frac{{1}}{{...}}",
            )  # fmt: skip
        self._put("power_of", "(")
        self._argument(start, [",", word, "("], "call")

    def _call_argument(self, start: int, closers: list[str]) -> None:
        """The argument of a function: a group, or what follows up to the next sign."""
        start = self.skip_left(self.skip(start))
        opener = self.source[start : start + 1]
        if opener and opener in "{([":
            self._push(_Group({"{": "}", "(": ")", "[": "]"}[opener], closers))
            self.place = start + 1
            return
        self.place = start
        self._push(_Group("bare", closers))

    def _end_bare(self, place: int) -> None:
        """End the arguments that were written without a group."""
        while self.groups and self.groups[-1].closer == "bare":
            self._put(*self.groups.pop().after)

    def _sign(self, sign: str, end: int) -> None:
        # In \sin -x the sign is the argument's; elsewhere it ends an argument without a group.
        begun = not self.out or self.out[-1].text in ("(", ",")
        if sign in STOPS and not (begun and sign in "+-"):
            self._end_bare(self.place)
        self._put(sign)
        self.place = end

    def _bar(self, end: int) -> None:
        r"""A bar closes a magnitude if one is open and a value ends here; ``\left`` opens one."""
        # Eight characters: \left and some blanks; a look at the whole text would be quadratic.
        opens = self.source[max(0, self.place - 8) : self.place].rstrip().endswith("\\left")
        is_open = any(group.closer == "|" for group in self.groups)
        if is_open and not opens and _ends_value(self.out[-1].text):
            self._close("|", end)
        else:
            self._open("abs", "|", end)


def cut_latex_piece(source: str, start: int, end: int) -> list[Token]:
    """The tokens of one piece of LaTeX that stands for a group."""
    return [Token(text, start + place) for text, place in cut_latex(source[start:end])]


def _ends_value(text: str) -> bool:
    return text == ")" or text[0].isalnum()


LATEX = Tool(
    name="latex",
    title="LaTeX",
    base=None,
    constants="numbers in the text",
    words=SIGNS
    | COMPARISONS
    | {
        "max": "max(a, b)",
        "min": "min(a, b)",
        "sinc": Builder(1, plain_sinc),
        "power_of": (1, 0, POW),  # as \sin^{2} x has it
    },
    parameters="=",
    open_names=True,
    strict=False,
    loose=True,
    cut=cut_latex,
    style=Style("latex"),
)
