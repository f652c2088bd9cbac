"""How structures lie in the memory of the native core: every C structure, field by field.

The one mirror of ``native/api/structures.h``. Sizes of these structures are compared with those of
the core when it is loaded, and the shapes of arrays with each other when they are packed, so that
neither a stale core nor a wrong array can make it read what is not there.
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

POINTER, INTEGER, SMALL, REAL = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
Dimensions = tuple[tuple[int, int], ...]  # number of a size, and what is added to it


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
    shape : tuple of str
        The sizes of the array: names, numbers, or ``name + 1``. A name is the same number wherever
        it occurs in the structure.
    filled : bool
        Whether the core writes to the array.
    """

    __slots__ = ("dtype", "filled", "name", "shape", "type")

    def __init__(
        self,
        name: str,
        type: Any,
        dtype: np.dtype[Any] | None = None,
        shape: tuple[str, ...] = (),
        filled: bool = False,
    ) -> None:
        self.name, self.type, self.dtype = name, type, dtype
        self.shape, self.filled = shape, filled


def integer(name: str, kind: Any = INTEGER) -> Field:
    """A number; where nobody gives it, the size of that name among the arrays' shapes."""
    return Field(name, kind)


def real(name: str) -> Field:
    """A floating-point number."""
    return Field(name, REAL)


def pointer(name: str) -> Field:
    """A pointer to another structure, or to text."""
    return Field(name, POINTER)


def array(name: str, dtype: Any, *shape: str, filled: bool = False) -> Field:
    """A pointer to an array, whose sizes are names, numbers, or ``name + 1``; null for None."""
    return Field(name, POINTER, np.dtype(dtype), shape, filled)


class Layout:
    """A structure of the core.

    Parameters
    ----------
    name : str
        As in C.
    fields : Field
        In the order of the C structure.
    """

    def __init__(self, name: str, *fields: Field) -> None:
        self.name, self.fields = name, fields
        self._plans: dict[tuple[Any, ...], _Plan] = {}

    @cached_property
    def structure(self) -> Any:
        """The ctypes class, made when it is first wanted: most processes need few of them."""
        members = {"_fields_": [(field.name, field.type) for field in self.fields]}
        return type(self.name, (ctypes.Structure,), members)

    @property
    def size(self) -> int:
        """Bytes of the structure: each field at a multiple of its own size, as C aligns them."""
        end, widest = 0, 1
        for field in self.fields:
            width = ctypes.sizeof(field.type)
            end, widest = -(-end // width) * width + width, max(widest, width)
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
        # For every observation and distance: what can be known before the values is in the plan.
        key = (type(source), *given)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = _Plan(self.fields, source, tuple(given))
        taken = (*plan.take(source), *given.values())
        sizes: list[int | None] = plan.sizes.copy()
        values = plan.values.copy()
        kept: list[Any] = []
        for number, place, size in plan.others:
            value = taken[number]
            if value is None:
                continue
            if size:
                sizes[size] = value
            elif isinstance(value, ctypes.Structure):
                kept.append(value)
                value = ctypes.addressof(value)
            values[place] = value
        for number, place, name, dtype, dimensions, filled in plan.arrays:
            value = taken[number]
            if value is None:
                continue
            if value.dtype != dtype or not _fit(value.shape, dimensions, sizes):
                raise ShapeError(_misfit(value, name, dtype, dimensions, sizes))
            value = _writable(value, name) if filled else np.ascontiguousarray(value)
            kept.append(value)
            values[place] = address(value)
        for place, size in plan.told:
            values[place] = sizes[size] or 0
        packed = self.structure(*values)
        packed.kept = kept
        return packed


class _Plan:
    """How a structure is packed of one kind of source and of fields given by these names.

    Parameters
    ----------
    fields : tuple of Field
        Of the structure.
    source : object
        One of the kind.
    given : tuple of str
        The names.

    Attributes
    ----------
    take : callable
        From a source to the values of those fields that it has; what is given follows them.
    arrays : list
        Number among the values, place in the structure, name, dtype, dimensions (number of a size,
        what is added to it) and whether the core writes to it, of each array.
    others : list
        Number, place and, if it is a size, its number, of each other field.
    told : list
        Place and number of each field that is a size.
    sizes, values : list
        The sizes before any is known, but for the nameless one, which is 0; the fields before any
        is filled.
    """

    def __init__(self, fields: tuple[Field, ...], source: object, given: tuple[str, ...]) -> None:
        own = (field.name for field in fields if field.name not in given)
        attributes = [name for name in own if hasattr(source, name)]
        self.take = _taker(attributes)
        numbers = {name: number for number, name in enumerate((*attributes, *given))}
        names = [""]  # of the sizes
        self.arrays, self.others, self.told = [], [], []
        for place, field in enumerate(fields):
            number = numbers.get(field.name)
            if field.dtype is not None:
                dimensions = tuple(_dimension(text, names) for text in field.shape)
                if number is not None:
                    self.arrays.append(
                        (number, place, field.name, field.dtype, dimensions, field.filled)
                    )
                continue
            size = _dimension(field.name, names)[0] if field.type is INTEGER else 0
            if size:
                self.told.append((place, size))
            if number is not None:
                self.others.append((number, place, size))
        self.sizes: list[int | None] = [0, *[None] * (len(names) - 1)]
        self.values: list[Any] = [0] * len(fields)


def _taker(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Several attributes of an object at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda source: tuple(getattr(source, name) for name in names)


def _dimension(text: str, names: list[str]) -> tuple[int, int]:
    """The number of a size and what is added to it; ``3`` is the nameless size, which is 0, and 3.

    >>> names = [""]
    >>> _dimension("n + 1", names), _dimension("n", names), _dimension("3", names)
    ((1, 1), (1, 0), (0, 3))
    """
    if text.isdigit():
        return 0, int(text)
    name, _, more = text.partition(" + ")
    if name not in names:
        names.append(name)
    return names.index(name), int(more or 0)


def _fit(shape: tuple[int, ...], dimensions: Dimensions, sizes: list[int | None]) -> bool:
    """Whether a shape agrees with the sizes known so far; those not met before are learned."""
    if len(shape) != len(dimensions):
        return False
    for (number, more), length in zip(dimensions, shape, strict=True):
        size = sizes[number]
        if size is None:
            sizes[number] = length - more
        elif size + more != length and (shape[0] or number == dimensions[0][0]):
            return False  # where there are no rows, though, their length cannot be wrong
    return True


def _misfit(
    array: NDArray[Any],
    name: str,
    dtype: np.dtype[Any],
    dimensions: Dimensions,
    sizes: list[int | None],
) -> str:
    """What an array should have been."""
    shape = [*array.shape, *[0] * len(dimensions)]
    wanted = tuple(
        length if (size := sizes[number]) is None else size + more
        for (number, more), length in zip(dimensions, shape, strict=False)
    )
    return (
        f"{name} must be {dtype} of shape {wanted}, got {array.dtype.name} of shape {array.shape}"
    )


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


_interface_of = ctypes.PYFUNCTYPE(
    ctypes.POINTER(_ArrayInterface), ctypes.py_object, ctypes.c_char_p
)(("PyCapsule_GetPointer", ctypes.pythonapi))


def address(array: NDArray[Any]) -> int:
    """Where the memory of an array begins: ``array.ctypes.data`` in a third of its time.

    A distance of two behaviors needs five addresses and an observation nine; that way they would
    take longer than what the core does there.
    """
    return int(_interface_of(array.__array_struct__, None).contents.data or 0)


def _writable(array: NDArray[Any], name: str) -> NDArray[Any]:
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ShapeError(f"{name} must be contiguous and writable, as numpy.empty makes it")
    return array


OBSERVATION = Layout(
    "Observation",
    array("words", np.int32, "n_words"),
    array("starts", np.int64, "n_programs + 1"),
    integer("n_words"),
    integer("n_programs"),
    array("variables", np.float64, "n_variables", "n_points"),
    integer("n_variables"),
    integer("n_points"),
    array("columns", np.float64, "n_all_columns", "n_draws", "column_points"),
    integer("n_all_columns"),
    integer("n_draws"),
    integer("column_points"),
    array("bases", np.int64, "n_programs"),
    integer("n_columns"),
    array("moves", np.float64, "n_moves", "3"),
    integer("n_moves"),
    array("sentinels", np.int64, "n_sentinels"),
    integer("n_sentinels"),
    real("limit"),
    array("out", np.float64, "n_programs", "n_draws", "n_points", filled=True),
    array("defined", np.int32, "n_programs", "n_points", filled=True),
)
BEHAVIORS = Layout(
    "Behaviors",
    array("values", np.float64, "count", "draws", "n_points"),
    array("defined", np.int32, "count", "n_points"),
    integer("count"),
    integer("draws"),
)
MEASURE = Layout("Measure", integer("n_points"), integer("order"), real("mismatch"))
PAIRS = Layout(
    "Pairs", array("a", np.int64, "count"), array("b", np.int64, "count"), integer("count")
)
SKETCH_PLAN = Layout(
    "SketchPlan",
    integer("n_points"),
    integer("n_blocks"),
    integer("width"),
    array("groups", np.int32, "n_points"),
    array("shares", np.float64, "width"),
    array("signs", np.float64, "n_points"),
)
SCAN = Layout(
    "Scan",
    array("values", np.float32, "n_sketches", "n_blocks", "width"),
    integer("n_sketches"),
    integer("n_blocks"),
    integer("width"),
    array("rows", np.int64, "count"),
    integer("first"),
    integer("count"),
    array("query", np.float32, "query_blocks", "width"),
    integer("query_blocks"),
    array("weights", np.float32, "width"),
    integer("order"),
)
FIT_TASK = Layout(
    "FitTask",
    array("words", np.int32, "n_words"),
    array("starts", np.int64, "n_programs + 1"),
    integer("n_words"),
    integer("n_programs"),
    array("variables", np.float64, "n_variables", "n_points"),
    integer("n_variables"),
    integer("n_points"),
    array("targets", np.float64, "n_targets", "n_points"),
    array("scales", np.float64, "n_targets"),
    array("floors", np.float64, "n_targets"),
    array("middles", np.float64, "n_targets"),
    integer("n_targets"),
    array("bounds", np.float64, "n_ranges", "2"),
    array("initial", np.float64, "n_ranges", "n_starts", "n_slots"),
    integer("n_ranges"),
    integer("n_starts"),
    integer("n_slots"),
    array("own", np.float64, "n_targets", "n_own", "n_slots"),
    integer("n_own"),
    integer("n_descents"),
    integer("max_iterations"),
    array("places", np.int64, "n_fits + 1"),
    array("values", np.float64, "n_values", filled=True),
    array("errors", np.float64, "n_fits", "2", filled=True),
    array("counts", np.int32, "n_fits", "2", filled=True),
)
GRAMMAR_TABLES = Layout(
    "GrammarTables",
    array("rules", np.int64, "n_nonterminals + 1"),
    array("thresholds", np.uint64, "n_rules"),
    array("sides", np.int64, "n_rules + 1"),
    array("symbols", np.int32, "n_symbols"),
    array("growth", np.int64, "n_rules"),
    integer("n_nonterminals"),
    integer("n_rules"),
    integer("n_symbols"),
    integer("n_tokens"),
    integer("shortest"),
)
READER_TABLES = Layout(
    "ReaderTables",
    array("tokens", np.int32, "n_tokens", "6"),
    array("items", np.int32, "n_items", "4"),
    integer("n_tokens"),
    integer("n_items"),
    integer("power", SMALL),
    integer("negation", SMALL),
    integer("nesting"),
)
SAMPLING = Layout(
    "Sampling",
    pointer("grammar"),
    pointer("reader"),
    integer("origin", ctypes.c_uint64),
    integer("attempt"),
    integer("steps"),
    integer("patience"),
    integer("n_found"),
    integer("n_wanted"),
    integer("shortest"),
    integer("longest"),
    array("tokens", np.int32, "capacity", filled=True),
    integer("capacity"),
    array("starts", np.int64, "n_starts", filled=True),
    array("counts", np.int64, "n_rules", filled=True),
    array("applied", np.int64, "n_rules", filled=True),
    array("scratch", np.int32, "n_scratch", filled=True),
    array("seen", np.uint64, "n_seen", filled=True),
    integer("n_seen"),
    integer("outcome"),
)
READING = Layout(
    "Reading",
    pointer("reader"),
    array("tokens", np.int32, "n_all_tokens"),
    array("starts", np.int64, "n_words + 1"),
    integer("n_words"),
    integer("capacity"),
    array("items", np.int32, "capacity", filled=True),
    array("ends", np.int64, "n_words + 1", filled=True),
    array("scratch", np.int32, "n_scratch", filled=True),
    integer("failed"),
)
TREES = Layout(
    "Trees",
    array("labels", np.int32, "n_nodes"),
    array("arities", np.int32, "n_nodes"),
    array("starts", np.int64, "count + 1"),
    integer("count"),
)
EDIT_COSTS = Layout(
    "EditCosts",
    array("weights", np.int32, "n_labels"),
    array("changes", np.int32, "n_labels", "n_labels"),
    integer("n_labels"),
)
SYMBOL_TABLE = Layout(
    "SymbolTable",
    array("names", np.uint8, "n_letters"),
    array("name_starts", np.int64, "n_names + 1"),
    array("roles", np.int32, "n_names"),
    array("values", np.int32, "n_names"),
    array("numbers", np.float64, "n_names"),
    integer("n_names"),
    array("commutative", np.uint8, "256"),
)

# In the order in which the core tells their sizes.
LAYOUTS = (
    OBSERVATION, BEHAVIORS, MEASURE, PAIRS, SKETCH_PLAN, SCAN, FIT_TASK, GRAMMAR_TABLES,
    READER_TABLES, SAMPLING, READING, TREES, EDIT_COSTS, SYMBOL_TABLE,
)  # fmt: skip
