"""What is known of an operator: the columns of the table in ``symbed.language.operators``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Form = Literal["infix", "sign", "postfix", "call", "constant"]
Loop = Literal["plain", "arithmetic", "angle", "exponential", "own"]

COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)  # precedences, loosest first


@dataclass(frozen=True, eq=False, repr=False)
class Operator:
    """One operator.

    Attributes
    ----------
    name : str
        Canonical name; infix operators are named by their symbol, postfix powers by ``^2``.
    arity : int
        Number of operands (0 for the constants pi and e).
    form : Form
        How text shows it.
    precedence : int
        How tightly it binds; ``ATOM`` for calls.
    derivative : tuple of str
        For each operand the partial derivative in our own language, in terms of the operands ``a``,
        ``b`` and the result ``y``.
    slope : tuple of str
        The same as a fitter uses it, where a finite number serves it better than the derivative;
        empty if it is the derivative.
    spellings : tuple of str
        Other names that text may use for it.
    title : str
        What mathematics calls it, if not by its name.
    latex, mathml : str
        Templates, operands as ``{0}`` and ``{1}``, already wrapped where they need it; empty for
        what its form makes of its title.
    commutative : bool
        Whether the operands can change places without changing one bit.
    token : str
        Its symbol in the paper's token lists, if not its name.
    chains : bool
        Whether a call may have more operands, as other tools' ``Max(x, y, z)`` has.
    dialects : str
        The tools that have a word for it: ``tool`` if that is its name, else ``tool=word,word``,
        the one to write first.
    written : mapping of str to str
        Templates of tools that write it in another way than by their word.
    detours : tuple
        How to say it where a tool has no word, the best first: text in terms of ``a`` and ``b``, or
        a postfix sequence in which operands are numbers, where text would be this operator again.
    loop : Loop
        How the native core goes through an array: ``plain`` calls the kernel for each element; for
        the others see ``native/elementary/elementary.h``.
    definition : str
        What it is as a real function, in terms of ``a``, ``b`` and other rows. Verdicts read it
        in place of the operator, so that only a row without one needs arithmetic of its own
        there; and it is the last detour.
    nameable : bool
        Whether its word is a plain name where no parenthesis follows, as in ``gamma*x``: so for
        words that came into the language when formulas already had such names.
    """

    name: str
    arity: int
    form: Form
    precedence: int
    derivative: tuple[str, ...] = ()
    slope: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    title: str = ""
    latex: str = ""
    mathml: str = ""
    commutative: bool = False
    token: str = ""
    chains: bool = False
    dialects: str = ""
    written: Mapping[str, str] = field(default_factory=dict)
    detours: tuple[str | tuple[int | float | str, ...], ...] = ()
    loop: Loop = "plain"
    definition: str = ""
    nameable: bool = False

    @property
    def symbol(self) -> str:
        """The operator's token in token lists."""
        return self.token or self.name

    @property
    def identifier(self) -> str:
        """The word that names its kernels: ``sin``, ``add``, ``square``."""
        return next(word for word in (self.name, *self.spellings) if word.isidentifier())

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __reduce__(self) -> tuple[Callable[[str], Operator], tuple[str]]:
        # Rows are compared by identity, so a copy from another process must be this very row.
        from symbed.language.operators import row_named

        return row_named, (self.name,)
