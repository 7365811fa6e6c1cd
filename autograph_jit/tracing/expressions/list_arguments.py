"""Lists and tuples of the run as arguments of NumPy's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.arrays.array_like import INHOMOGENEOUS
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.hosting.host_calls import host_array, host_object
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, truth, wrap
from autograph_jit.tracing.values.trace import active, emit
from autograph_jit.tracing.values.types import Array, ListOf, Tuple, ValueType

JOINS = {np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block}  # NumPy asks the items themselves
OF_SHAPES = {np.zeros, np.ones, np.empty}  # which are given sizes, and take an array of them for an object


def table_argument(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of `np.array(rows)`: tuples or lists of numbers in a list of compiled code as the array of two axes that they are; any
    others as they are."""
    rows = args[0] if fn in (np.array, np.asarray) and len(args) == 1 and not kwargs else None
    if not isinstance(rows, TracedList) or not rows.is_native:
        return args
    kind: Any = rows.kind
    of_lists = isinstance(kind, ListOf) and kind.made_by is list
    kinds = kind.items if isinstance(kind, Tuple) else (kind.item,) if of_lists else ()
    dtypes = [each.dtype_alone for each in kinds]
    if not dtypes or any(dtype is None for dtype in dtypes):
        return args
    dtype = np.result_type(*dtypes)

    def natively() -> Any:
        return filled_by_rows(rows, dtype) if of_lists else filled_by_columns(rows)

    def refused() -> Any:
        dims = active().fresh_atom("d", "rows"), active().fresh_atom("d", "rows") if of_lists else len(dtypes)
        return host_array(stacking(fn.__name__, "rows"), ((),), None, dtype, dims, "array of list", pure=False)

    has_items = language.compare(">", language.call(len, (rows,), None), 0)
    if of_lists:
        has_items = language.if_exp(has_items, lambda: language.compare(">", length_of_first(rows), 0), lambda: False)
    return (language.if_exp(has_items, natively, refused),)


def length_of_first(rows: Any) -> Any:
    """How many numbers the first row has."""
    return language.call(len, (language.getitem(rows, 0),), None)


def filled_by_columns(rows: Any) -> Any:
    """The array of tuples of numbers, whose columns are lists of compiled code."""
    size = active().fresh_atom("d", "rows")
    columns = tuple(wrap(emit("list_to_array", part, dims=(size,)).result) for part in rows.native.parts)
    return language.call_numpy(np.stack, (columns,), {"axis": 1})


def filled_by_rows(rows: Any, dtype: np.dtype) -> Any:
    """The array of lists of numbers, which have to be of one length."""
    count = language.call(len, (rows,), None)
    made = language.call_numpy(np.empty, ((count, length_of_first(rows)), dtype), {})
    check(truth(language.call(fill_rows, (made, rows), None)), ValueError, INHOMOGENEOUS, index_value(count))
    return made


def fill_rows(made: Any, rows: Any) -> bool:
    """Write lists of numbers into the rows of an array, as far as they are of its length; whether all are."""
    width = made.shape[1]
    for place in range(len(rows)):
        row = rows[place]
        if len(row) != width:
            return False
        for k in range(width):
            made[place, k] = row[k]
    return True


def array_argument(fn: Any, arg: Any) -> Any:
    """A run-time list as NumPy takes it: as an array where its elements are of one type."""
    if isinstance(arg, TracedTuple) and arg.items.kind.dtype_alone is not None and fn not in OF_SHAPES:
        arg = arg.items
    if not (isinstance(arg, Dynamic) and arg.dynamic is not None and isinstance(arg, list)):
        return arg
    kind: ValueType = arg.kind  # type: ignore[attr-defined]
    if kind.dtype_alone is not None and fn not in OF_SHAPES:
        return wrap(emit("list_to_array", arg.dynamic, dims=(active().fresh_atom("d", "list"),)).result)
    if kind.is_native:
        return host_object(lambda items: items, arg, label="list", python_type=list)
    if isinstance(kind, Array) and fn in (np.array, np.asarray, np.stack):
        dims = tuple(active().fresh_atom("d", "stacked") for _ in (None, *kind.dims))
        return host_array(stacking(fn.__name__), (arg.dynamic,), None, kind.dtype, dims, "array of list", pure=False)
    return arg if isinstance(kind, Array) and fn in JOINS else arg.dynamic


def stacking(name: str, what: str = "arrays") -> Callable[[list[Any]], Any]:
    """The array that the function of NumPy with this name makes of a list of arrays; `what` they are to the user, for the error."""

    def stacked(items: list[Any]) -> Any:
        if not items and name != "stack":
            found, why = f"`np.{name}` of a list of {what} that the data leaves empty", "it has one axis, otherwise it has more"
            raise ConversionError(found, None, why, "use np.stack, or branch on the length of the list")
        return np.stack(items) if name == "stack" or isinstance(items[0], Boxed) else np.array(items)

    return stacked
