"""The words of LaTeX mathematics: functions, signs, fences, and commands that mean nothing here."""

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
