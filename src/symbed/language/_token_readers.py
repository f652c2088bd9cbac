"""The readers of tokens in infix, prefix and postfix notation, for our own language and dialects.

Infix is read by the shunting-yard algorithm, writing postfix directly. A value goes to the output
at once; an operator waits until one that binds less tightly, or the end of its group, releases it.
Each token is handled once and waits at most once, so the work is linear whatever the input.

In prefix and postfix lists, without parentheses, nothing tells the function ``gamma`` from a
variable of that name, so a list that holds names of this kind beside functions of this kind has the
names as ``(gamma)``.
"""

from __future__ import annotations

from dataclasses import dataclass

from symbed.language.expression import Item, emit
from symbed.language.operators import COMPARISON, NEG, POW, Operator, is_nameable
from symbed.language.tokens import Fault, Symbols, Word, brief, counted, suggest
from symbed.limits import NESTING

# -9 is below the dialects' "and" and "or" too, which are -1 and -2.
FLOOR = Operator("(", 0, "call", -9)  # lies under the operators of a group and binds least


# What people write, and a near word of ours would mean something else by.
OTHER_WORDS = {
    "lg": "write log10(...), or log2(...)",
    "mod": "write mod(x, y)",
    "if": "write where(x > 0, u, v)",
    "else": "write where(x > 0, u, v)",
    "and": "write min(x > 0, y > 0)",
    "or": "write max(x > 0, y > 0)",
}


def read_infix(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of one expression in infix notation."""
    reading = Reading(tokens)
    postfix, waiting = reading.postfix, reading.waiting
    before, infix = symbols.before, symbols.infix
    wanted = True  # a value is wanted, not an operator
    steps = enumerate(tokens)
    for place, token in steps:
        if wanted:
            item = before.get(token)
            if item is None:
                item = _leaf(reading, symbols, place)
            if not isinstance(item, Word):
                postfix.append(item)
                wanted = False
            elif item.role == "sign":
                # A sign releases nothing: in 2^-x the power waits for it.
                waiting.extend(item.rows)
            elif item.yields and tokens[place + 1 : place + 2] != ["("]:
                postfix.append(token)  # a name that is also a function's, but not called
                wanted = False
            else:
                _open(reading, item, place)
                if item.role == "call":
                    next(steps)  # its parenthesis
        elif token in infix:
            row = infix[token]
            # Also those that bind equally: all but powers group from the left.
            while waiting[-1].precedence >= row.precedence:
                released = waiting.pop()
                if released.precedence == COMPARISON == row.precedence:
                    raise _chained(symbols, place)
                # Only these two may take another form (see emit); the others spare the call.
                if released is POW or released is NEG:
                    emit(postfix, released)
                else:
                    postfix.append(released)
            waiting.append(row)
            wanted = True
        elif token == ")":
            _close(reading, token, place)
        else:
            wanted = _continue(reading, symbols, place)
    if wanted:
        problem = "a value is missing at the end" if tokens else "the expression is empty"
        raise Fault(len(tokens), problem)
    _release(reading)
    if reading.groups:
        raise _unclosed(reading)
    return postfix


@dataclass(slots=True, eq=False, repr=False)
class Group:
    """An open parenthesis, call or bar.

    Attributes
    ----------
    word : Word
        What opened it.
    place : int
        Place of the token that opened it.
    base, depth : int
        What ``Reading`` counted outside.
    values : int
        How many values it holds, that is commas plus one.
    """

    word: Word
    place: int
    base: int
    depth: int
    values: int


class Reading:
    """The state of reading one expression: output, waiting operators, open groups.

    ``depth`` is how many groups and stacked powers the present token lies in; ``base`` is the same
    without the powers of the present group.
    """

    __slots__ = ("base", "depth", "groups", "postfix", "tokens", "waiting")

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.postfix: list[Item] = []
        self.waiting: list[Operator] = [FLOOR]
        self.groups: list[Group] = []
        self.base = self.depth = 0

    def in_tower(self) -> bool:
        """Whether the next value is an exponent."""
        top = self.waiting[-1]
        if top is NEG:
            top = next(row for row in reversed(self.waiting) if row is not NEG)
        return top is POW


def _open(reading: Reading, word: Word, place: int) -> None:
    tokens = reading.tokens
    if word.role == "call" and (place + 1 == len(tokens) or tokens[place + 1] != "("):
        name = tokens[place]
        behind = tokens[place + 1 : place + 4]
        if behind[1:] == ["-", "1"]:
            hint = f"write a{name}(...) for the inverse function, 1/{name}(...) for the reciprocal"
        elif behind[:1] in (["^"], ["**"]):
            hint = f"write {name}(...)^2, the power behind it"
        else:
            hint = f"write {name}(...)"
        raise Fault(place, f"function {name!r} without its argument", hint)
    reading.groups.append(Group(word, place, reading.base, reading.depth, 1))
    # The powers of this group count only for what stands in their exponents.
    depth = 1 + (reading.depth if reading.in_tower() else reading.base)
    if depth > NESTING.maximum:
        NESTING.check(depth)
    reading.depth = reading.base = depth
    reading.waiting.append(FLOOR)


def _continue(reading: Reading, symbols: Symbols, place: int) -> bool:
    """Take a token after a value that is no plain infix operator; say if a value is wanted next."""
    token = reading.tokens[place]
    word = symbols.after.get(token)
    if word is None:
        raise _misplaced(reading, symbols, place)
    if word.role == "close":
        _close(reading, token, place)
    elif word.role == "postfix":
        reading.postfix.extend(word.rows)
    elif word.role == "comma":
        _separate(reading, place)
    else:
        # A power groups from the right, so nothing is released. On top of another one it nests
        # as a parenthesis would.
        reading.depth = reading.depth + 1 if reading.in_tower() else reading.base
        NESTING.check(reading.depth)
        reading.waiting.extend(word.rows)
    return word.role in ("comma", "power")


def _separate(reading: Reading, place: int) -> None:
    _release(reading)
    if not reading.groups or reading.groups[-1].word.role != "call":
        raise Fault(place, "',' outside the arguments of a function", "write 1.5, not 1,5")
    reading.groups[-1].values += 1


def _close(reading: Reading, token: str, place: int) -> None:
    _release(reading)
    if not reading.groups:
        raise Fault(place, f"{token!r} closes nothing")
    group = reading.groups.pop()
    if group.word.closer != token:
        opened, closer = reading.tokens[group.place], group.word.closer
        raise Fault(place, f"{token!r} where {opened!r} is still open", f"write {closer}")
    reading.waiting.pop()
    reading.base, reading.depth = group.base, group.depth
    for row in group.word.rows:
        if row.chains and group.values > row.arity:
            # The largest of three is the larger of one and the largest of two.
            reading.postfix.extend([row] * (group.values - 2))
        elif row.arity != group.values:
            raise _miscounted(reading, group, group.values)
        emit(reading.postfix, row)


def _release(reading: Reading) -> None:
    """Let go of every operator that waits in the present group."""
    postfix, waiting = reading.postfix, reading.waiting
    while waiting[-1] is not FLOOR:
        emit(postfix, waiting.pop())


def _unclosed(reading: Reading) -> Fault:
    group = reading.groups[-1]
    opened = reading.tokens[group.place] + "(" * (group.word.role == "call")
    return Fault(group.place, f"{opened!r} is never closed")


def _leaf(reading: Reading, symbols: Symbols, place: int) -> Item:
    token = reading.tokens[place]
    if token not in symbols.after and token not in symbols.infix:
        return symbols.leaf(token, place)
    if token == ")" and place and reading.tokens[place - 1] == "(":
        group = reading.groups[-1]
        if group.word.role == "call":
            raise _miscounted(reading, group, 0)
    raise Fault(place, f"a value is missing before {token!r}")


def _chained(symbols: Symbols, place: int) -> Fault:
    """The fault of ``a < b < c``: mathematics and programming languages disagree about it."""
    both = "(a < b) & (b < c)" if "&" in symbols.infix else "min(a < b, b < c)"
    return Fault(place, "a comparison of a comparison", f"write {both}")


def _miscounted(reading: Reading, group: Group, count: int) -> Fault:
    (row,) = group.word.rows
    name = reading.tokens[group.place]
    needs = counted(row.arity, "argument")
    return Fault(group.place, f"function {name!r} takes {needs}, got {count}")


def _misplaced(reading: Reading, symbols: Symbols, place: int) -> Fault:
    """The fault of a token that is no operator, right after a value."""
    left, token = reading.tokens[place - 1 : place + 1]
    if token not in symbols.before:
        symbols.leaf(token, place)  # raises if the token is nothing at all
    if "=" in reading.tokens:  # f(x) = ... is told of its sign, and not of its left side
        symbols.leaf("=", reading.tokens.index("="))
    # So f(x) with an unknown f is told as a function, not as a product without its sign.
    if token == "(" and isinstance(symbols.before.get(left, left), str) and left.isidentifier():
        close = suggest(left, symbols.functions)
        hint = f"did you mean {close!r}?" if close else f"write {left}*(...) for a product"
        hint = OTHER_WORDS.get(left, hint)
        return Fault(place - 1, f"unknown function {brief(left)}", hint)
    if left[0].isdigit() and token[0] in "dD" and _is_exponent(reading.tokens[place : place + 2]):
        return Fault(place, "a number in the notation of Fortran", "write e for d: 1.5e-3")
    if left[0].isdigit() and token[0] == "_":
        return Fault(place, "a number with an underscore", "write its digits together")
    hint = f"write {left}*{token}" if len(left) + len(token) < 40 else "write *"
    hint = OTHER_WORDS.get(token) or OTHER_WORDS.get(left, hint)
    return Fault(place, f"no operator between {brief(left)} and {brief(token)}", hint)


def _is_exponent(tokens: list[str]) -> bool:
    """Whether tokens begin with an exponent of Fortran: ``d0``, or ``d`` and a sign."""
    return tokens[0][1:].isdigit() or (len(tokens[0]) == 1 and tokens[1:] in (["+"], ["-"]))


BRACKETS = frozenset("(),|")


def read_prefix(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of one expression in prefix (Polish) notation."""
    postfix: list[Item] = []
    waiting: list[Operator] = []
    missing: list[int] = []  # for each waiting operator, how many operands are still to come
    for place, token in enumerate(tokens):
        if place and not waiting:
            raise Fault(place, f"{brief(token)} after the end of the expression")
        item = symbols.before.get(token)
        if item is None or isinstance(item, Word):
            item = _item(symbols, token, place)
            if isinstance(item, Operator):
                waiting.append(item)
                missing.append(item.arity)
                continue
        postfix.append(item)
        while waiting:
            missing[-1] -= 1
            if missing[-1]:
                break
            missing.pop()
            emit(postfix, waiting.pop())
    if waiting or not tokens:
        raise Fault(len(tokens), _ending(waiting, missing))
    return postfix


def read_postfix(tokens: list[str], symbols: Symbols) -> list[Item]:
    """Read the tokens of one expression in postfix (reverse Polish) notation."""
    postfix: list[Item] = []
    values = 0
    for place, token in enumerate(tokens):
        item = symbols.before.get(token)
        if item is None or isinstance(item, Word):
            item = _item(symbols, token, place)
        if not isinstance(item, Operator):
            postfix.append(item)
            values += 1
            continue
        if item.arity > values:
            needs = counted(item.arity, "value")
            raise Fault(place, f"{token!r} needs {needs} before it, got {values}")
        values -= item.arity - 1
        emit(postfix, item)
    if values != 1:
        problem = f"{values} values are left without an operator" if tokens else _ending([], [])
        raise Fault(len(tokens), problem)
    return postfix


def _item(symbols: Symbols, token: str, place: int) -> Item:
    """What a token is that is no known value: an operator, or a value met for the first time."""
    if token in BRACKETS:
        raise Fault(place, f"{token!r} has no place in prefix or postfix notation")
    if token[:1] == "(" and token[-1:] == ")" and is_nameable(token[1:-1], symbols.rows):
        return token[1:-1]
    row = symbols.rows.get(token)
    return symbols.leaf(token, place) if row is None else row


def _ending(waiting: list[Operator], missing: list[int]) -> str:
    if not waiting:
        return "the expression is empty"
    return f"{waiting[-1].symbol!r} still needs {counted(missing[-1], 'value')} at the end"
