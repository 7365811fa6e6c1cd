"""Iterating every element: x.flat, np.ndenumerate, np.ndindex and itertools.product as loops of the run."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.reductions import count_of
from autograph_jit.tracing.arrays.array_like import as_array, fresh_copy
from autograph_jit.tracing.arrays.indexing import READ_ONLY, assign, getitem, setitem
from autograph_jit.tracing.arrays.views import flat, reshape, shape_entries
from autograph_jit.tracing.containers.outside import items_of_any
from autograph_jit.tracing.expressions.register import builtin
from autograph_jit.tracing.sequences.cursors import Cursor, over
from autograph_jit.tracing.sequences.indexed import Composed, Indexed, indexed
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, index_value, scalar, shape_of
from autograph_jit.tracing.values.trace import constant, emit, user_span


def positions(index: Any, shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """The place of the element number `index` in C order, one staged int per axis."""
    if isinstance(index, int) and all(isinstance(size, int) for size in shape):
        return tuple(int(place) for place in np.unravel_index(index, shape))
    rest: Value = index_value(index)
    found: list[Any] = []
    for size in reversed(shape):
        length = index_value(size)
        found.append(scalar(emit("remainder", rest, length).result, True, bits=48))
        rest = emit("floor_divide", rest, length).result
    return tuple(reversed(found))


def is_position(key: Any) -> bool:
    """Whether a subscript of `x.flat` is an int."""
    kind = key.scalar_dtype.kind if isinstance(key, StagedScalar) else "i" if isinstance(key, (int, np.integer)) else "O"
    return kind in "iu" and not isinstance(key, bool)


def expect_no_bool(key: Any) -> Any:
    """The subscript of `x.flat`, which may not be a truth value: NumPy means something of its own by it, and deprecates it."""
    if isinstance(key, (bool, np.bool_)) or isinstance(key, StagedScalar) and key.scalar_dtype.kind == "b":
        why = "NumPy takes it for an index of its own kind, which it deprecates"
        raise ConversionError("the subscript of `.flat` is a truth value", user_span(), why, "an int, a slice or an array of indices")
    return key


def count(shape: tuple[Any, ...]) -> Any:
    """The number of elements of a shape."""
    total: Any = 1
    for size in shape:
        total = total * size
    return total


def expect_element(value: Any, dtype: np.dtype) -> None:
    """NumPy's error for a Python number that one element under `x.flat` cannot hold."""
    value, template = content_of(value), "Error setting single item of array."
    if dtype.kind not in "iu" or not isinstance(value, (float, int, StagedScalar)) or isinstance(value, np.generic):
        return
    limits = np.iinfo(dtype)
    if not isinstance(value, StagedScalar):
        if not limits.min - 1 < value < limits.max + 1:
            raise ValueError(template)
    elif value.scalar_dtype.kind == "f" and (value.weak or dtype.kind == "i"):
        number = cast(value.value, np.dtype(np.float64))
        below = np.nextafter(np.float64(limits.min), -np.inf) if dtype.itemsize == 8 else np.float64(limits.min) - 1
        least, most = constant(below), constant(np.float64(limits.max) + 1)
        inside = (emit("greater", number, least), emit("less", number, most))
        check(emit("logical_and", *(bound.result for bound in inside)).result, ValueError, template)
    elif value.scalar_dtype.kind == "i" and value.weak and dtype.itemsize < 8:
        least, most = constant(np.int64(limits.min)), constant(np.int64(limits.max))
        inside = (emit("greater_equal", value.value, least), emit("less_equal", value.value, most))
        check(emit("logical_and", *(bound.result for bound in inside)).result, ValueError, template)


class StagedFlat(Indexed):
    """`x.flat`: the elements in C order, read and written by position."""

    def __init__(self, array: StagedArray) -> None:
        self.array = array

    def length(self) -> Any:
        return count_of(self.array, tuple(range(self.array.ndim))) if self.array.ndim else 1

    def item(self, index: Any) -> Any:
        return getitem(self.array, positions(index, shape_of(self.array)))

    def __staged_array__(self) -> StagedArray:
        return fresh_copy(flat(self.array))

    def place(self, key: Any) -> tuple[Any, ...]:
        """Where the element under an int stands; an error of its own where there is none."""
        index, size = index_value(key), index_value(self.length())
        zero = constant(np.int64(0))
        from_end = emit("where", emit("less", index, zero).result, emit("add", index, size).result, index).result
        inside = emit("logical_and", emit("greater_equal", from_end, zero).result, emit("less", from_end, size).result).result
        check(inside, IndexError, "index {0} is out of bounds for size {1}", index, size)
        return positions(scalar(from_end, weak=True), shape_of(self.array))

    def __getitem__(self, key: Any) -> Any:
        key = content_of(key)
        if is_position(key):
            return getitem(self.array, self.place(key))
        found = language.getitem(flat(self.array), expect_no_bool(key))
        return fresh_copy(found) if isinstance(found, StagedArray) else found

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.array.writeable:
            raise ValueError(READ_ONLY)
        key = content_of(key)
        if is_position(key):
            place = self.place(key)
            expect_element(value, self.array.dtype)
            setitem(self.array, place, value)
            return
        elements = self.__staged_array__()
        value = content_of(value)
        if isinstance(value, (list, tuple, np.ndarray, StagedArray)):
            value = repeated_to_fit(as_array(value), language.getitem(elements, expect_no_bool(key)))
        language.setitem(elements, expect_no_bool(key), value)
        assign(self.array, reshape(elements, shape_of(self.array)))

    def copy(self) -> StagedArray:
        return self.__staged_array__()


def repeated_to_fit(values: StagedArray, chosen: StagedArray) -> Any:
    """What NumPy stores in the elements that a subscript of `x.flat` chooses: the values over and over; nothing where there are none."""
    if values.ndim == 0:
        return values
    given = flat(values)
    length, wanted = shape_of(given)[0], count_of(chosen, tuple(range(chosen.ndim)))
    if given.type.dims == chosen.type.dims:
        return given
    cast_values = given.astype(chosen.dtype)
    return language.if_exp(
        language.compare(">", length, 0), lambda: language.numpy(np.resize, (cast_values, wanted), {}), lambda: flat(fresh_copy(chosen))
    )


class StagedIndices(Indexed):
    """`np.ndindex(shape)`: every index tuple in C order."""

    def __init__(self, shape: tuple[Any, ...]) -> None:
        self.shape = shape

    def length(self) -> Any:
        return count(self.shape)

    def item(self, index: Any) -> Any:
        return positions(index, self.shape)


class StagedEnumeration(Indexed):
    """`np.ndenumerate(x)`: every index tuple with its element."""

    def __init__(self, array: StagedArray) -> None:
        self.array = array

    def length(self) -> Any:
        return StagedFlat(self.array).length()

    def item(self, index: Any) -> Any:
        place = positions(index, shape_of(self.array))
        return place, getitem(self.array, place)


def every_index(*shape: Any) -> Cursor:
    """np.ndindex."""
    entries = shape_entries(shape[0]) if len(shape) == 1 else [content_of(size) for size in shape]
    return over(StagedIndices(tuple(entries)), "ndindex")


class StagedProduct(Composed):
    """`itertools.product(*sources)`: every tuple of items, the last changing fastest."""

    def __init__(self, sources: list[Indexed]) -> None:
        self.sources = sources

    def length(self) -> Any:
        return count(tuple(source.length() for source in self.sources))

    def item(self, index: Any) -> Any:
        places = positions(index, tuple(source.length() for source in self.sources))
        return tuple(source.item(place) for source, place in zip(self.sources, places))


@builtin(itertools.product)
def every_tuple(*iterables: Any, repeat: Any = 1) -> Any:
    sources = [indexed(x) for x in iterables]
    if any(source is None for source in sources) or not isinstance(repeat, int) or repeat < 0 or not sources:
        return itertools.product(*(items_of_any(language.collected(x)) for x in iterables), repeat=repeat)
    return StagedProduct(sources * repeat)  # type: ignore[arg-type]


builtin(np.ndindex)(every_index)
ITERATORS: dict[Any, Any] = {np.ndindex: every_index, np.ndenumerate: lambda x: over(StagedEnumeration(as_array(x)), "ndenumerate")}
