"""Lists and tuples of the run as arguments of NumPy's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ops.dispatch import Boxed
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.hosting.host_calls import host_array, host_object
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import active, emit
from autograph_jit.tracing.values.types import Array, ValueType

JOINS = {np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block}  # NumPy asks the items themselves
OF_SHAPES = {np.zeros, np.ones, np.empty}  # which are given sizes, and take an array of them for an object


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


def stacking(name: str) -> Callable[[list[Any]], Any]:
    """The array that the function of NumPy with this name makes of a list of arrays."""

    def stacked(items: list[Any]) -> Any:
        if not items and name != "stack":
            what = f"`np.{name}` of a list of arrays that the data leaves empty"
            raise ConversionError(what, None, "it has one axis, otherwise it has more", "use np.stack, or branch on the length of the list")
        return np.stack(items) if name == "stack" or isinstance(items[0], Boxed) else np.array(items)

    return stacked
