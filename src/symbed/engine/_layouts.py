"""The structures of the native core, field by field, and how arguments become them.

A ``Layout`` is one C structure, declared as in ``native/api/structures.h``: loading the core
compares all sizes, a test the declarations. Shapes of arrays are compared with each other when they
are packed, so that no wrong array can make the core read what is not there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbed.errors import ShapeError

POINTER, INTEGER, REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
NUMBERS: dict[str, Any] = {
    "int64_t": INTEGER,
    "double": REAL,
    "int32_t": ctypes.c_int32,
    "uint64_t": ctypes.c_uint64,
}
WIDTHS = {name: ctypes.sizeof(kind) for name, kind in NUMBERS.items()}
ITEMS = {
    "double": np.float64,
    "float": np.float32,
    "int64_t": np.int64,
    "int32_t": np.int32,
    "uint64_t": np.uint64,
    "uint8_t": np.uint8,
    "char": np.uint8,
}  # of arrays, by their types in C


class Layout:
    """A structure of the core.

    Parameters
    ----------
    name : str
        As in C.
    declarations : str
        Its fields as in C, a line each, with the shapes of arrays behind them. An array that is not
        ``const`` is filled by the core. A whole number that nobody gives is the size of that name
        among the shapes.

    Examples
    --------
    >>> rows = Layout("Rows", "const double* values [n_rows, 2]; int64_t n_rows")
    >>> rows.size, rows.pack(values=np.zeros((5, 2))).n_rows
    (16, 5)
    """

    def __init__(self, name: str, declarations: str) -> None:
        self.name = name
        lines = map(str.strip, declarations.replace(";", "\n").splitlines())
        self.declarations = tuple(filter(None, lines))
        self._plans: dict[tuple[Any, ...], _Plan] = {}

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields, like the class of them made when first wanted: most processes need few."""
        return tuple(
            Field(name, kind, shape, not declaration.startswith("const"))
            for declaration in self.declarations
            for kind, names, shape in [_split(declaration)]
            for name in names
        )

    @cached_property
    def structure(self) -> Any:
        """The ctypes class."""
        members = {"_fields_": [(field.name, field.type) for field in self.fields]}
        return type(self.name, (ctypes.Structure,), members)

    @property
    def size(self) -> int:
        """Bytes of the structure: each field at a multiple of its own size, as C aligns them."""
        # Without the ctypes class: loading compares all sizes, and few classes are used.
        end, widest = 0, 1
        for declaration in self.declarations:
            kind, names, _ = _split(declaration)
            width = WIDTHS.get(kind, ctypes.sizeof(POINTER))
            end, widest = -(-end // width) * width + len(names) * width, max(widest, width)
        return -(-end // widest) * widest

    def pack(self, source: object = None, **given: Any) -> Any:
        """The structure of these values; it keeps the arrays alive as long as it lives itself.

        Parameters
        ----------
        source : object
            Whose attributes are the fields that are not given by name.
        given
            Fields by name. What is nowhere given is a size that the arrays tell, or zero.
        """
        # Every observation and distance packs some: what can be known before the values is kept.
        # All objects of a type are taken to have the same attributes.
        key = (type(source), *given)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = _Plan(self.fields, source, tuple(given))
        taken = (*plan.take(source), *given.values())
        sizes, values, kept = {"": 0}, [0] * len(self.fields), list[Any]()
        # Given sizes come first, so that arrays are held to them. None stays a null pointer.
        for number, place, field in plan.others:
            value = taken[number]
            if value is None:
                continue
            if field.type is INTEGER:
                sizes[field.name] = value
            elif isinstance(value, ctypes.Structure):
                kept.append(value)
                value = ctypes.addressof(value)
            values[place] = value
        for number, place, field in plan.arrays:
            value = taken[number]
            if value is None:
                continue
            if value.dtype != field.dtype or not field.fits(value.shape, sizes):
                raise ShapeError(field.misfit(value, sizes))
            if not field.filled:
                value = np.ascontiguousarray(value)
            elif not (value.flags.c_contiguous and value.flags.writeable):
                raise ShapeError(
                    f"{field.name} must be contiguous and writable, as numpy.empty makes it"
                )
            kept.append(value)
            values[place] = address(value)
        for place, name in plan.sizes:
            values[place] = sizes.get(name, 0)
        packed = self.structure(*values)
        packed.kept = kept
        return packed


class Field:
    """One field of a structure.

    Attributes
    ----------
    name : str
        As in C.
    type : type
        The ctypes type.
    dtype : np.dtype, optional
        Of the array that a pointer points to; None if it points to something else.
    shape : list of (str, int)
        The dimensions of the array: a size that has the same name wherever it occurs in the
        structure, and what is added to it. A number is added to the size without a name, which is
        0.
    filled : bool
        Whether the core writes to the array.
    """

    def __init__(self, name: str, kind: str, shape: str, filled: bool) -> None:
        pointer = kind.endswith("*")
        self.name, self.type = name, POINTER if pointer else NUMBERS[kind]
        self.dtype = np.dtype(ITEMS[kind[:-1]]) if pointer and shape else None
        self.shape, self.filled = [_dimension(d) for d in shape.rstrip("]").split(", ")], filled

    def fits(self, shape: tuple[int, ...], sizes: dict[str, int]) -> bool:
        """Whether a shape agrees with the sizes known so far; those not met before are learned."""
        if len(shape) != len(self.shape):
            return False
        for (name, more), length in zip(self.shape, shape, strict=True):
            size = sizes.setdefault(name, length - more)
            if size + more != length and (shape[0] or name == self.shape[0][0]):
                return False  # where there are no rows, though, their length cannot be wrong
        return True

    def misfit(self, array: NDArray[Any], sizes: dict[str, int]) -> str:
        """What an array should have been."""
        lengths = [*array.shape, *[0] * len(self.shape)]
        wanted = tuple(
            sizes.get(name, length - more) + more
            for (name, more), length in zip(self.shape, lengths, strict=False)
        )
        return (
            f"{self.name} must be {self.dtype} of shape {wanted}, "
            f"got {array.dtype.name} of shape {array.shape}"
        )


class _Plan:
    """How a structure is packed of one kind of source and of fields given by these names.

    ``take`` gets the values of those fields that a source has; what is given follows them. Arrays
    and other fields have their places among these values and in the structure, sizes the latter.
    """

    def __init__(self, fields: tuple[Field, ...], source: object, given: tuple[str, ...]) -> None:
        own = [f.name for f in fields if f.name not in given and hasattr(source, f.name)]
        self.take = _taker(own)
        numbers = {name: number for number, name in enumerate((*own, *given))}
        rows = [(numbers[f.name], p, f) for p, f in enumerate(fields) if f.name in numbers]
        self.arrays = [row for row in rows if row[2].dtype is not None]
        self.others = [row for row in rows if row[2].dtype is None]
        self.sizes = [(p, f.name) for p, f in enumerate(fields) if f.type is INTEGER]


def _taker(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Several attributes of an object at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda source: tuple(getattr(source, name) for name in names)


def _split(declaration: str) -> tuple[str, list[str], str]:
    """Type, names and shape of a declaration."""
    declared, _, shape = declaration.removeprefix("const ").partition(" [")
    kind, _, names = declared.partition(" ")
    return kind, names.split(", "), shape


def _dimension(text: str) -> tuple[str, int]:
    """The name of a size, and what is added to it.

    >>> _dimension("n + 1"), _dimension("n"), _dimension("3")
    (('n', 1), ('n', 0), ('', 3))
    """
    if text.isdigit():
        return "", int(text)
    name, _, more = text.partition(" + ")
    return name, int(more or 0)


class _ArrayInterface(ctypes.Structure):
    """What ``array.__array_struct__`` points to; see NumPy's array interface protocol."""

    _fields_ = (
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", POINTER),
        ("strides", POINTER),
        ("data", POINTER),
        ("descr", POINTER),
    )


# PYFUNCTYPE keeps the GIL, which a call of Python's own interface needs.
_interface_of = ctypes.PYFUNCTYPE(
    ctypes.POINTER(_ArrayInterface), ctypes.py_object, ctypes.c_char_p
)(("PyCapsule_GetPointer", ctypes.pythonapi))


def address(array: NDArray[Any]) -> int:
    """Where the memory of an array begins: ``array.ctypes.data`` in a third of its time.

    A distance of two behaviors needs five addresses and an observation nine; that way they would
    take longer than what the core does there.
    """
    return int(_interface_of(array.__array_struct__, None).contents.data or 0)


# fmt: off

# What programs are, and what they are evaluated on.
PROGRAMS = """
const int32_t* words [n_words]
const int64_t* starts [n_programs + 1]
int64_t n_words, n_programs
const double* variables [n_variables, n_points]
int64_t n_variables, n_points
"""

OBSERVATION = Layout("Observation", PROGRAMS + """
const double* columns [n_all_columns, n_draws, column_points]
int64_t n_all_columns, n_draws, column_points
const int64_t* bases [n_programs]
int64_t n_columns
const double* moves [n_moves, 3]
int64_t n_moves
const int64_t* sentinels [n_sentinels]
int64_t n_sentinels
double limit
double* out [n_programs, n_draws, n_points]
int32_t* defined [n_programs, n_points]
""")
BEHAVIORS = Layout("Behaviors", """
const double* values [count, draws, n_points]
const int32_t* defined [count, n_points]
int64_t count, draws, n_points
""")
MEASURE = Layout("Measure", "int64_t order; double mismatch")
PAIRS = Layout("Pairs", "const int64_t* a [count]; const int64_t* b [count]; int64_t count")
SKETCH_PLAN = Layout("SketchPlan", """
int64_t n_points, n_blocks, width
const int32_t* groups [n_points]
const double* shares [width]
const double* signs [n_points]
""")
SCAN = Layout("Scan", """
const float* values [n_sketches, n_blocks, width]
int64_t n_sketches, n_blocks, width
const int64_t* rows [count]
int64_t first, count
const float* query [query_blocks, width]
int64_t query_blocks
const float* weights [width]
int64_t order
""")
FIT_TASK = Layout("FitTask", PROGRAMS + """
const double* targets [n_targets, n_points]
const double* scales [n_targets]
const double* floors [n_targets]
const double* middles [n_targets]
int64_t n_targets
const double* bounds [n_ranges, 2]
const double* initial [n_ranges, n_starts, n_slots]
int64_t n_ranges, n_starts, n_slots
const double* own [n_targets, n_own, n_slots]
int64_t n_own, n_descents, max_iterations
const int64_t* places [n_fits + 1]
double* values [n_values]
double* errors [n_fits, 2]
int32_t* counts [n_fits, 2]
""")
GRAMMAR_TABLES = Layout("GrammarTables", """
const int64_t* rules [n_nonterminals + 1]
const uint64_t* thresholds [n_rules]
const int64_t* sides [n_rules + 1]
const int32_t* symbols [n_symbols]
const int64_t* growth [n_rules]
int64_t n_nonterminals, n_rules, n_symbols, n_tokens, shortest
""")
READER_TABLES = Layout("ReaderTables", """
const int32_t* tokens [n_tokens, 6]
const int32_t* items [n_items, 4]
int64_t n_tokens, n_items
int32_t power, negation
int64_t nesting
""")
SAMPLING = Layout("Sampling", """
const GrammarTables* grammar
const ReaderTables* reader
uint64_t origin
int64_t attempt, steps, patience, n_found, n_wanted, shortest, longest
int32_t* tokens [capacity]
int64_t capacity
int64_t* starts [n_starts]
int64_t* counts [n_rules]
int64_t* applied [n_rules]
int32_t* scratch [n_scratch]
uint64_t* seen [n_seen]
int64_t n_seen, outcome
""")
READING = Layout("Reading", """
const ReaderTables* reader
const int32_t* tokens [n_all_tokens]
const int64_t* starts [n_words + 1]
int64_t n_words, capacity
int32_t* items [capacity]
int64_t* ends [n_words + 1]
int32_t* scratch [n_scratch]
int64_t failed
""")
TREES = Layout("Trees", """
const int32_t* labels [n_nodes]
const int32_t* arities [n_nodes]
const int64_t* starts [count + 1]
int64_t count
""")
EDIT_COSTS = Layout("EditCosts", """
const int32_t* weights [n_labels]
const int32_t* changes [n_labels, n_labels]
int64_t n_labels
""")
SYMBOL_TABLE = Layout("SymbolTable", """
const char* names [n_letters]
const int64_t* name_starts [n_names + 1]
const int32_t* roles [n_names]
const int32_t* values [n_names]
const double* numbers [n_names]
int64_t n_names
const uint8_t* commutative [256]
""")

# In the order in which the core tells their sizes.
LAYOUTS = (
    OBSERVATION, BEHAVIORS, MEASURE, PAIRS, SKETCH_PLAN, SCAN, FIT_TASK, GRAMMAR_TABLES,
    READER_TABLES, SAMPLING, READING, TREES, EDIT_COSTS, SYMBOL_TABLE,
)
