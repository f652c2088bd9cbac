r"""The cutting of LaTeX mathematics into infix tokens, which the common reader goes on with.

Groups become parentheses, ``\frac`` and ``\sqrt`` become calls, and two values side by side are a
product. The open groups are kept on a stack, so nothing recurses; each knows what follows it. What
looks like one thing to its writer and is another to LaTeX, or could be two things, is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from symbed.errors import ParseError
from symbed.language.dialects._latex_words import (
    BRACKETS,
    FENCES,
    FRACTIONS,
    FUNCTION_NAMES,
    FUNCTIONS,
    GAPS,
    INVERTIBLE,
    PROSE,
    REMEDIES,
    SEVERAL,
    SIGN_COMMANDS,
    SILENT,
    STOPS,
    WRAPPERS,
)
from symbed.language.dialects.tool_table import Token
from symbed.language.names import unexpected
from symbed.language.typesetting import COMMANDS, FUNCTION_COMMANDS
from symbed.limits import NESTING, TOKENS

PIECE = re.compile(
    r"\\[A-Za-z]+\*?|\\[^A-Za-z]|[A-Za-z]|[0-9]+(?:\.[0-9]*)?|\.[0-9]+|\s+|.", re.DOTALL
)
LETTERS = re.compile(r"[A-Za-z]+")
DIGITS = re.compile(r"[0-9]+")
ALONE = re.compile(r"(?:\\left)?\s*\(\s*\\?[A-Za-z]+(?:_(?:\{\w+\}|\w))?\s*(?:\\right)?\s*[),]")
OPENING = re.compile(r"\s*(?:\\left)?\s*\(")
# The same behind a power, as in \Gamma^{2}\left(x\right).
CALLED = re.compile(
    r"\s*(?:\^\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[^{}\\]|\\[A-Za-z]+)\s*)?(?:\\left)?\s*\("
)
INVERSE = re.compile(r"\{?\s*-\s*1\s*\}?")
CUBIC = re.compile(r"\[\s*3\s*\]")
WRAPPED = re.compile(r"\{\s*\\left\s*\(")
# What 1e-5 and 1.5e-5 look like when typeset: one number again, not a power or a product. Not
# in the middle of a number, as in 210^{3}, nor behind a group.
SCIENTIFIC = re.compile(
    r"(?<![0-9.}])(?:([0-9]+(?:\.[0-9]*)?)\s*\\(?:cdot|times)\s*)?10\s*\^\s*"
    r"(?:\{\s*(-?[0-9]{1,4})\s*\}|([0-9]))"
)
COMPUTED = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+")
# 1\,000 and 1~000: blanks that LaTeX sets between groups of three. A comma, as in 1{,}000, does so
# in English and is the decimal point elsewhere.
GROUPED = re.compile(r"[0-9]{1,3}(?:(?:\\[,;]|~)[0-9]{3})+(?![0-9])(?:\.[0-9]+)?")
COMMA = re.compile(r"[0-9]+\{,\}[0-9]")
SEPARATOR = re.compile(r"[^0-9.]")
UPRIGHT_D = r"(?:d|\\partial|\\mathrm\s*\{\s*d\s*\}|\\mathrm\s+d)"
DERIVATIVE = re.compile(
    rf"\\[dtc]?frac\s*\{{\s*{UPRIGHT_D}[^{{}}]*(?:\{{[^{{}}]*\}})?[^{{}}]*\}}\s*"
    rf"\{{\s*{UPRIGHT_D}\s*\\?[A-Za-z]"
)
MAX_PRODUCT = 3  # letters in a row that are a product, as in mgh; velocity is one name
# What \Delta is read together with: \Delta x is one quantity to most, and SymPy's product of two.
QUANTITY = re.compile(
    rf"\s*(?:[A-Za-z]|\\(?:math[a-z]+|text|{'|'.join(sorted(COMMANDS))})(?![A-Za-z]))"
)


@dataclass
class _Group:
    """An open group: what closes it, and the tokens that follow its content."""

    closer: str
    after: list[str]
    then: str = ""  # "argument": another group has to follow; "call": a function's argument


@dataclass
class LatexCutter:
    """Goes through a text once and puts out tokens."""

    source: str
    place: int = 0
    out: list[Token] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)
    power_end: int = -1  # where the last power's exponent ended
    name_end: int = -1  # where the last letter that is a name ended
    slash_level: int = -1  # in how many groups the last term divides, by a slash, what comes next

    def run(self) -> list[Token]:
        text = self.source
        while self.place < len(text):
            if self._number():
                continue
            piece = PIECE.match(text, self.place)
            assert piece is not None
            self._take(piece[0], piece.end())
        self._end_bare()
        if self.groups:
            raise self._error("a group is never closed", len(text.rstrip()), "write }")
        return self.out

    def _error(self, problem: str, place: int, hint: str = "") -> ParseError:
        return ParseError(problem, self.source, place, hint)

    # ---- where things begin and end ----

    def _at(self, place: int) -> str:
        """The character at a place; empty behind the end."""
        return self.source[place : place + 1]

    def _skip(self, start: int) -> int:
        """Where the blanks that begin at a place end."""
        while start < len(self.source) and self.source[start] in " \t\r\n\f\v~":
            start += 1
        return start

    def _skip_left(self, start: int) -> int:
        r"""Behind a ``\left`` or its like, if one stands before a parenthesis."""
        for word in ("\\left", "\\big", "\\Big"):
            end = start + len(word)
            if self.source.startswith(word, start) and self._at(end) in ("(", "[", " "):
                return self._skip(end)
        return start

    def _subscript(self, end: int) -> tuple[str, int]:
        """The subscript of the name that ends at a place, empty if it has none, and its own end."""
        start = self._skip(end)
        if self._at(start) != "_":
            return "", end
        start = self._skip(start + 1)
        if self._at(start) == "{":
            return self._braced(start)
        stop = self._single(start)
        if self.source[start:stop].isdigit() and self._at(stop).isdigit():
            raise self._bare_power(start)
        return _plain(self.source[start:stop]), stop

    def _braced(self, start: int) -> tuple[str, int]:
        """The plain text of a group, and where it ends."""
        start = self._skip(start)
        if self._at(start) != "{":
            raise self._error("a group in braces is missing", min(start, len(self.source)))
        depth, place = 0, start
        while place < len(self.source):
            depth += {"{": 1, "}": -1}.get(self.source[place], 0)
            place += 1
            if not depth:
                return _plain(self.source[start:place]), place
        raise self._error("'{' is never closed", start)

    def _single(self, start: int) -> int:
        """Where the one token ends that stands for a group."""
        command = PIECE.match(self.source, start) if self._at(start) == "\\" else None
        return command.end() if command else min(start + 1, len(self.source))

    # ---- numbers ----

    def _number(self) -> bool:
        """Take a number that is more than digits: a power of ten, grouped digits, 1.5e-3."""
        # Else the 10^3 of x_10^3 would be taken for a number.
        if self.place and self.source[self.place - 1] in "_^":
            return False
        found = SCIENTIFIC.match(self.source, self.place)
        # In 1/2 \cdot 10^3 the power of ten is a factor of the fraction; in 1/6.02 \times 10^{23}
        # it mostly belongs to the divisor.
        divides = found and found[1] and self.out and self.out[-1].text == "/"
        if found and divides and ("." in found[1] or "\\times" in found[0]):
            raise self._divided_product()
        if found and not divides:
            behind = self._skip(found.end())
            if self._at(behind) == "^":
                raise self._double_power(behind)
            # Without braces 10^34 raises the 3 only.
            if not found[2] and self._at(found.end()).isdigit():
                raise self._bare_power(found.end() - 1)
            self._numeral(f"{found[1] or 1}e{found[2] or found[3]}", found.end())
            return True
        if COMMA.match(self.source, self.place):
            hint = "write 1000 for a thousand, 1.5 for one and a half"
            raise self._error("a comma in a number can be a decimal point", self.place, hint)
        found = GROUPED.match(self.source, self.place) or COMPUTED.match(self.source, self.place)
        # In 2e3.5 the e is a factor.
        if found is None or (found.re is COMPUTED and self._at(found.end()) == "."):
            return False
        digits = found[0] if found.re is COMPUTED else "".join(SEPARATOR.split(found[0]))
        self._numeral(digits, found.end())
        return True

    def _numeral(self, digits: str, end: int) -> None:
        if self.place == self.name_end:
            name, digits = self.out[-1].text, self.source[self.place : end]
            problem = f"{name}{digits} can be a name or a product"
            hint = f"write {name}_{{{digits}}} for the name, {name} \\cdot {digits} for the product"
            raise self._error(problem, self.place, hint)
        last = self.out[-1].text if self.out else ""
        if last[:1].isdigit() or (last[:1] == "." and len(last) > 1):
            hint = "write \\cdot for a product, and a number's digits together"
            raise self._error("two numbers side by side", self.place, hint)
        self._value(digits, end)

    # ---- pieces and commands ----

    def _take(self, piece: str, end: int) -> None:
        if piece.isspace() or piece in "$&~":
            self.place = end
        elif piece[0] == "\\":
            self._command(piece[1:], end)
        elif piece[0].isdigit() or (piece[0] == "." and len(piece) > 1):
            self._numeral(piece, end)
        elif piece.isalpha() and piece.isascii():
            self._check_letters()
            self._name(piece, end)
        elif piece in BRACKETS:
            self._open("", BRACKETS[piece], end)
        elif piece in "})]":
            self._close(piece, end)
        elif piece == "^":
            self._power(end)
        elif piece == "|":
            self._bar(end)
        elif piece in "+-*/,<>":
            self._sign(piece, end)
        else:
            raise unexpected(self.source, self.place)

    def _command(self, word: str, end: int) -> None:
        if word in SILENT or word.isspace():
            # \left. is a fence that is not seen.
            self.place = end + (self._at(end) == "." and word in ("left", "right"))
        elif word in GAPS:
            if self.out and self.source[end:].strip():
                hint = f"give only what stands before \\{word}"
                raise self._error("another formula, or words, behind a gap", self.place, hint)
            self.place = end
        elif word in FRACTIONS:
            if DERIVATIVE.match(self.source, self.place):
                raise self._error("a derivative cannot be read", self.place, "write out what it is")
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
        # \gamma is a letter, though gamma in upright letters is a function.
        elif word in FUNCTIONS and word not in COMMANDS:
            self._function(FUNCTIONS[word], end)
        # With a parenthesis the function, without one the letter.
        elif word == "Gamma" and CALLED.match(self.source, end):
            self._function("gamma", end)
        elif word in ("pi", "infty"):
            self._value("pi" if word == "pi" else "1e999", end)
        elif word in COMMANDS or word in ("varepsilon", "varphi", "vartheta"):
            self._name(word.removeprefix("var") if word != "varsigma" else word, end)
        else:
            problem = f"unknown command '\\{word[:30]}'"
            raise self._error(problem, self.place, REMEDIES.get(word, ""))

    # ---- values ----

    def _name(self, name: str, end: int) -> None:
        index, end = self._subscript(end)
        if name == "Delta" and not index and QUANTITY.match(self.source, end):
            hint = r"write \Delta_{x} for one quantity, \Delta \cdot x for a product"
            raise self._error(r"\Delta x can be one quantity or a product", self.place, hint)
        name = f"{name}_{index}" if index else name
        self._check_application(name, end)
        self._value(name, end)
        self.name_end = -1 if index else end

    def _word(self, end: int) -> None:
        word, after = self._braced(end)
        written = self.source[end:after].strip(" {}")
        if " " in written or word in PROSE:
            raise self._error("words in a formula", self.place, "give only the formula")
        index, behind = self._subscript(after)
        if index and f"{word}_{index}" in FUNCTIONS:
            self._function(FUNCTIONS[f"{word}_{index}"], behind)
        elif word in FUNCTIONS and self._at(after) != "_":
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
            if self.slash_level == len(self.groups):
                raise self._divided_product()
            self._put("*")

    def _put(self, *texts: str) -> None:
        self.out.extend(Token(text, self.place) for text in texts)
        TOKENS.check(len(self.out))

    # ---- groups ----

    def _open(self, function: str, closer: str, end: int) -> None:
        self._begin_value()
        self._put(*[function] * bool(function), "(")
        self._push(_Group(closer, [")"]), end)

    def _push(self, group: _Group, end: int) -> None:
        self.groups.append(group)
        NESTING.check(len(self.groups))
        self.place = end

    def _close(self, closer: str, end: int) -> None:
        self._end_bare()
        if not self.groups or self.groups[-1].closer != closer:
            raise self._error(f"{closer!r} closes nothing", self.place)
        self.place = end
        self._finish(self.groups.pop())

    def _finish(self, group: _Group) -> None:
        if self.slash_level > len(self.groups):
            self.slash_level = -1
        self._put(*group.after)
        if group.then == "power":
            self.power_end = self.place
        if group.then == "call":
            self._call_argument(self.place, [")", ")"])
        if group.then == "argument":
            self._argument(self.place, [")"], "")
        if group.then == "brace" and self._at(self._skip(self.place)) != "}":
            raise self._error("'}' is missing behind the arguments", self.place)

    def _argument(self, start: int, after: list[str], then: str) -> None:
        """Begin a group in braces, or take the one token that stands for it."""
        start = self._skip(start)
        sign = self._at(start)
        if sign == "{":
            self._push(_Group("}", after, then), start + 1)
            return
        end = self._single(start)
        if sign in ("-", "+"):
            raise self._error("a sign alone", start, f"put it in braces: {{{sign}1}}")
        if end == start or sign in "})]":
            raise self._error("a value is missing", start)
        # One letter, digit or command, so that this call makes no further one.
        inner = LatexCutter(self.source[start:end]).run()
        self.out.extend(Token(text, start + place) for text, place in inner)
        self.place = end
        self._finish(_Group("", after, then))

    def _power(self, end: int) -> None:
        if self.power_end >= 0 and self._skip(self.power_end) == self.place:
            raise self._double_power(self.place)
        start = self._skip(end)
        if self._at(start).isdigit() and self._at(start + 1).isdigit():
            raise self._bare_power(start)
        self._put("^", "(")
        self._argument(end, [")"], "power")

    def _root(self, end: int) -> None:
        self._begin_value()
        start = self._skip(end)
        cubic = CUBIC.match(self.source, start)
        if cubic:
            # The real root; a power of 1/3 is undefined below zero.
            self._put("cbrt", "(")
            self._argument(cubic.end(), [")"], "")
        elif self._at(start) == "[":
            # The root's degree is written first, and is read so: power_of takes the exponent first.
            self._put("power_of", "(", "1", "/", "(")
            self._push(_Group("]", [")", ","], "argument"), start + 1)
        else:
            self._put("sqrt", "(")
            self._argument(start, [")"], "")

    def _function(self, word: str, end: int) -> None:
        if self.out and _ends_value(self.out[-1].text):
            self._end_bare()  # sin x cos y is a product of two
        self._begin_value()
        start = self._skip(end)
        if word == "ln" and self._at(start) == "_":
            index, start = self._subscript(start)
            # \log and \ln are one word here, so a subscript of either is a base.
            word = {"10": "log10", "2": "log2", "e": "ln"}.get(index, "")
            if not word:
                raise self._error(f"a logarithm of base {index!r}", start, "write it out")
            start = self._skip(start)
        if self._at(start) == "^":
            self._function_power(word, self._skip(start + 1))
            return
        self._put(word, "(")
        wrapped = WRAPPED.match(self.source, start) if word in SEVERAL else None
        if wrapped:  # the arguments in parentheses, and these in braces
            self._push(_Group("}", []), start)
            self._push(_Group(")", [")"], "brace"), wrapped.end())
        else:
            self._call_argument(start, [")"])

    def _function_power(self, word: str, start: int) -> None:
        if INVERSE.match(self.source, start) and word in INVERTIBLE:
            problem = f"{word}^-1 can be the inverse function or the reciprocal"
            raise self._error(problem, start, f"write \\arc{word} or \\frac{{1}}{{...}}")
        self._put("power_of", "(")
        self._argument(start, [",", word, "("], "call")

    def _call_argument(self, start: int, closers: list[str]) -> None:
        """The argument of a function: a group, or what follows up to the next sign."""
        start = self._skip_left(self._skip(start))
        closer = BRACKETS.get(self._at(start))
        if closer:
            self._push(_Group(closer, closers), start + 1)
        else:
            self._push(_Group("bare", closers), start)

    def _end_bare(self) -> None:
        """End the arguments that were written without a group."""
        while self.groups and self.groups[-1].closer == "bare":
            self._put(*self.groups.pop().after)

    def _sign(self, sign: str, end: int) -> None:
        # In \sin -x the sign is the argument's; elsewhere it ends an argument without a group.
        begun = not self.out or self.out[-1].text in ("(", ",")
        if sign in STOPS and not (begun and sign in "+-"):
            if sign == "/" and self.groups and self.groups[-1].closer == "bare":
                hint = r"write \sin(x)/2 or \sin(x/2)"
                raise self._error("a function's argument can end before '/'", self.place, hint)
            self._end_bare()
        # A sign within an operand, as in 1/-2x, ends no term.
        if self.out and _ends_value(self.out[-1].text):
            self.slash_level = len(self.groups) if sign == "/" else -1
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

    # ---- what looks like one thing to its writer and is another to LaTeX, or could be two ----

    def _double_power(self, place: int) -> ParseError:
        """The error of ``x^2^3``."""
        return self._error("a double superscript", place, "write x^{2^{3}} or {x^{2}}^{3}")

    def _divided_product(self) -> ParseError:
        """The error of ``1/2x``: SymPy prints it for ``1/(2x)``, and others mean ``(1/2)x``."""
        hint = r"write \frac{...}{...}, or brackets"
        return self._error("a product behind '/' can be its divisor or not", self.place, hint)

    def _bare_power(self, place: int) -> ParseError:
        """The error of ``x^10``, of which LaTeX raises the first digit only."""
        digits = DIGITS.match(self.source, place)
        assert digits is not None
        problem = f"without braces only the {digits[0][0]!r} of {digits[0]!r} is meant"
        return self._error(problem, place, f"put it in braces: {{{digits[0]}}}")

    def _check_letters(self) -> None:
        """Refuse letters that make a word: a name, or a command without its backslash."""
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
            problem = f"{word!r} without a backslash is a product of letters"
            command = rf"\{word}" if word in FUNCTION_COMMANDS else rf"\operatorname{{{word}}}"
            hint = rf"write {command}(...), or \cdot between the letters"
            raise self._error(problem, run.end() - len(word), hint)
        if run[0] in COMMANDS or run[0] in PROSE or len(run[0]) > MAX_PRODUCT:
            name = rf"\{run[0]}" if run[0] in COMMANDS else rf"\mathrm{{{run[0]}}}"
            hint = rf"write {name} for the name, \cdot between the letters for the product"
            raise self._error(f"{run[0]!r} can be a name or a product", self.place, hint)

    def _check_application(self, name: str, end: int) -> None:
        """Refuse f(x), which is a function of x to people; the product has a sign."""
        if OPENING.match(self.source, end) is None:
            return
        is_word = len(name) > 1 and "_" not in name and name not in COMMANDS
        if is_word or name in FUNCTION_NAMES or ALONE.match(self.source, self._skip(end)):
            hint = f"write {name} \\cdot (...) for the product, or the function's formula"
            raise self._error(f"{name}(...) can be a function or a product", self.place, hint)


def _plain(text: str) -> str:
    r"""A name's letters and digits: ``\mathrm{max}`` is max, ``\_`` is _."""
    text = re.sub(r"\\(?:mathrm|text|mathit|mathbf|operatorname)|[{}\s]", "", text)
    return text.replace("\\_", "_").replace("\\", "").replace(",", "_")


def _ends_value(text: str) -> bool:
    return text == ")" or text[0].isalnum()
