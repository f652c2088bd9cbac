"""The grammars that ship by name: the paper's, with and without free parameters."""

from __future__ import annotations

from collections.abc import Sequence

from symbed.errors import RangeError, ShapeError
from symbed.language.names import clean_name
from symbed.language.operators import BY_NAME
from symbed.limits import VARIABLES
from symbed.workbench.grammar.grammar import Grammar
from symbed.workbench.grammar.text_format import read_grammar

# Appendix B of the paper. There R -> E^P has probability 0.0036 and P is 2 (0.65) or 3 (0.35): the
# two are multiplied here. It raises all of E, so its text needs the brackets that a tree does
# without. The logarithm is natural, and `ln` says so in every dialect.
PAPER = """
E -> E + F [0.2004] | E - F [0.1108] | F [0.6888]
F -> F * T [0.3349] | F / T [0.1098] | T [0.5553]
T -> C [0.1174] | R [0.1746] | X [0.708]
R -> (E) [0.6841] | (E) ^2 [0.00234] | (E) ^3 [0.00126] | sin(E) [0.028] | cos(E) [0.049]
   | sqrt(E) [0.0936] | exp(E) [0.0878] | ln(E) [0.0539]
"""

# The same without free parameters: T keeps the proportion of R and X.
PAPER_WITHOUT_PARAMETERS = PAPER.replace(
    "C [0.1174] | R [0.1746] | X [0.708]", f"R [{0.1746 / 0.8826!r}] | X [{0.708 / 0.8826!r}]"
)

TAKEN = frozenset({"C", "E", "F", "R", "T", "X"}) | BY_NAME.keys()
GRAMMARS = {"paper": PAPER, "paper-without-parameters": PAPER_WITHOUT_PARAMETERS}


def paper_grammar(variables: int | Sequence[str] = 2) -> Grammar:
    """The paper's grammar of random expressions.

    Parameters
    ----------
    variables : int or sequence of str
        Their names, or their number for X_0, X_1 and so on; each is equally likely.

    Examples
    --------
    >>> paper_grammar(2)
    Grammar(5 nonterminals, 19 rules, expected length 8.886)
    """
    return named_grammar("paper", variables)


def named_grammar(name: str, variables: int | Sequence[str] = 2) -> Grammar:
    """A grammar of ``GRAMMARS`` for these variables."""
    if name not in GRAMMARS:
        raise RangeError(f"grammar must be one of {', '.join(GRAMMARS)}, got {name!r}")
    names = variable_names(variables)
    for word in TAKEN.intersection(names):
        raise RangeError(f"variable {word!r} has the name of a symbol of the grammar; rename it")
    return read_grammar(f"{GRAMMARS[name]}X -> {' | '.join(names)}")


def variable_names(variables: int | Sequence[str]) -> tuple[str, ...]:
    """The names of variables given by number or by name.

    >>> variable_names(2), variable_names(["x", "t"])
    (('X_0', 'X_1'), ('x', 't'))
    """
    if isinstance(variables, (str, bool)):
        raise ShapeError(f"variables must be a number or a list of names, got {variables!r}")
    n_variables = variables if isinstance(variables, int) else len(variables)
    VARIABLES.check(n_variables)
    if isinstance(variables, int):
        names = tuple(f"X_{number}" for number in range(variables))
    else:
        names = tuple(map(clean_name, variables))
    if not names or len(set(names)) < len(names):
        raise RangeError(f"variables must be distinct, and at least one, got {variables!r}")
    return names
