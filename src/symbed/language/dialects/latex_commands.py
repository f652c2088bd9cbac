r"""LaTeX's words: a command goes in, what it is to the reader comes out."""

from __future__ import annotations

FUNCTIONS = {
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sec", "csc", "cot")},
    **{name: name for name in ("csch", "coth", "ceil")},
    **{f"ar{name}": f"a{name}" for name in ("sinh", "cosh", "tanh")},
    **{f"arc{name}": f"a{name}" for name in ("sinh", "cosh", "tanh")},
    "atan_2": "atan2",
    **{name: name for name in ("sech", "exp", "ln", "max", "min", "sqrt", "abs", "sign", "floor")},
    **{name: name for name in ("pdiv", "plog", "pinv", "cond")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan")},
    **{f"a{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "log": "ln",
    "lg": "log10",
    "sgn": "sign",
    "Abs": "abs",
}
INVERTIBLE = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh"})
SEVERAL = frozenset({"max", "min", "atan2", "cond", "pdiv"})  # take more than one argument
REMEDIES = {
    "begin": "cases are read from SymPy's str or srepr text",
    "hat": "write a plain name", "bar": "write a plain name", "vec": "write a plain name",
    "tilde": "write a plain name", "dot": "write a plain name",
}  # fmt: skip
SIGNS = {"cdot": "*", "times": "*", "div": "/", "ast": "*"}
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
