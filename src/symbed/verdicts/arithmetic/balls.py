"""Every operator of the language on exact numbers and on balls, one row each."""

from __future__ import annotations

from collections.abc import Callable

from symbed.verdicts.arithmetic.elementary import (
    add,
    arc_cosine,
    arc_sine,
    arc_tangent,
    cosine,
    cube_root,
    divide,
    exponential,
    integer_power,
    logarithm,
    logarithm_to,
    multiply,
    negate,
    odd_at_zero,
    one_at_zero,
    power,
    sine,
    square_root,
    subtract,
    tangent,
)
from symbed.verdicts.arithmetic.flint_access import arb
from symbed.verdicts.arithmetic.piecewise import (
    absolute,
    conditional,
    floor,
    maximum,
    minimum,
    protected_divide,
    protected_inverse,
    protected_log,
    signum,
)
from symbed.verdicts.arithmetic.special import gamma_function, polygamma
from symbed.verdicts.arithmetic.values import ONE, PI, Value

Operation = Callable[..., Value]

# One row for each operator of the language that its row does not define by others; a test compares
# the two lists of names.
BALL_OPERATIONS: dict[str, Operation] = {
    "+": add, "-": subtract, "*": multiply, "/": divide, "^": power, "neg": negate,
    "^2": lambda a: integer_power(a, 2),
    "^3": lambda a: integer_power(a, 3),
    "^4": lambda a: integer_power(a, 4),
    "^5": lambda a: integer_power(a, 5),
    "^-1": lambda a: divide(ONE, a),
    "sin": sine, "cos": cosine, "tan": tangent,
    "asin": arc_sine, "acos": arc_cosine, "atan": arc_tangent,
    "sinh": odd_at_zero("sinh"), "cosh": one_at_zero("cosh"), "tanh": odd_at_zero("tanh"),
    "sech": one_at_zero("sech"),
    "sqrt": square_root, "cbrt": cube_root, "exp": exponential,
    "ln": logarithm, "log10": logarithm_to(10), "log2": logarithm_to(2),
    "abs": absolute, "sign": signum, "min": minimum, "max": maximum,
    "pdiv": protected_divide, "plog": protected_log, "pinv": protected_inverse,
    "cond": conditional, "floor": floor,
    "erf": odd_at_zero("erf"), "gamma": gamma_function, "polygamma": polygamma,
    "pi": lambda: PI, "e": lambda: arb(1).exp(),
}  # fmt: skip

# It looks at one operand before it needs the other; the others are undefined with an operand.
LAZY_OPERATIONS = frozenset({"cond"})
