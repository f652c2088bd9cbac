r"""The words of LaTeX mathematics: which are functions, signs or fences, and which mean nothing."""

from __future__ import annotations

from symbed.language.operators import TABLE

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
FUNCTION_NAMES = frozenset("fghFGH")  # whatever stands in their parentheses
INVERTIBLE = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh"})
# Those that take more than one argument.
SEVERAL = frozenset(row.name for row in TABLE if row.form == "call" and row.arity > 1)
REMEDIES = {
    "begin": "give what stands inside; cases are read from SymPy's str or srepr text",
    **dict.fromkeys(("hat", "bar", "vec", "tilde", "dot"), "write a plain name"),
}
SIGN_COMMANDS = {
    "cdot": "*", "times": "*", "div": "/", "ast": "*", "lt": "<", "gt": ">", "equiv": "==",
    **dict.fromkeys(("le", "leq", "leqslant"), "<="), **dict.fromkeys(("ne", "neq"), "!="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
}  # fmt: skip
# Signs that end an argument without a group.
STOPS = frozenset({"+", "-", ")", ",", "|", "*", "/", "=", "]", "<", ">", "<=", ">=", "==", "!="})
BRACKETS = {"{": "}", "(": ")", "[": "]"}
FENCES = {"lfloor": "floor", "lceil": "ceil", "lvert": "abs"}  # closed by their word with an r
SILENT = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "displaystyle",
    "textstyle", "limits", ",", ";", ":", "!", ">",
})  # fmt: skip
WRAPPERS = frozenset({
    "mathrm", "text", "mathit", "mathbf", "mathsf", "mathtt", "operatorname", "operatorname*",
    "textrm", "boldsymbol",
})  # fmt: skip
# What people write in words between formulas, in \text or without it.
PROSE = frozenset({"and", "for", "if", "in", "or", "otherwise", "when", "where", "with"})
GAPS = frozenset({"quad", "qquad"})  # between two formulas, or before the number of one
FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
