"""How arguments become structures in the memory of the native core.

A ``Layout`` is one C structure; ``symbed.engine.layouts`` has them all. Shapes of arrays are
compared with each other when they are packed, so that no wrong array can make the core read what is
not there. Every observation and distance packs some, so what can be known before the values is kept
in a plan.
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

    def __init__(self, name: str, kind: str, shape: str, filled: bool) -> None:
        pointer = kind.endswith("*")
        self.name, self.type = name, POINTER if pointer else NUMBERS[kind]
        self.dtype = np.dtype(ITEMS[kind[:-1]]) if pointer and shape else None
        self.shape, self.filled = tuple(shape.rstrip("]").split(", ")), filled


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
        # All objects of a type are taken to have the same attributes.
        key = (type(source), *given)
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = _Plan(self.fields, source, tuple(given))
        taken = (*plan.take(source), *given.values())
        sizes: list[int | None] = plan.sizes.copy()
        values = plan.values.copy()
        kept: list[Any] = []
        # Given sizes come first, so that arrays are held to them. None stays a null pointer.
        for number, place, size in plan.others:
            value = taken[number]
            if value is None:
                continue
            # Number 0 is the nameless size, and stands for "no size" here.
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


def _split(declaration: str) -> tuple[str, list[str], str]:
    """Type, names and shape of a declaration."""
    declared, _, shape = declaration.removeprefix("const ").partition(" [")
    kind, _, names = declared.partition(" ")
    return kind, names.split(", "), shape


class _Plan:
    """How a structure is packed of one kind of source and of fields given by these names.

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


def _writable(array: NDArray[Any], name: str) -> NDArray[Any]:
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ShapeError(f"{name} must be contiguous and writable, as numpy.empty makes it")
    return array
