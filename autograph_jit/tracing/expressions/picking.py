"""An item of what is no container of the run: of a sequence of known structure, a branch over the items; of a number, an error."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph_jit.tracing.containers.constant_items import constant_items
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.structures.demands import write_out_short
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check
from autograph_jit.tracing.values.alternatives import in_each_kind
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, is_number
from autograph_jit.tracing.values.trace import constant, emit

FEW = 4  # items that branches tell apart as quickly as a list


def out_of_range(items: Any) -> str:
    """Python's text for an index beyond the items of a sequence."""
    return f"{type(items).__name__} index out of range"


def pick(items: Any, key: Any) -> Any:
    """An item of a sequence of known structure at an index that only the run knows."""
    if isinstance(key, StagedScalar) and isinstance(key.size, int):
        return items[key.size]
    if isinstance(items, str):
        return host_object(operator.getitem, items, key, label="string item", python_type=str)
    if not items:
        raise IndexError(out_of_range(items))
    if isinstance(key, StagedScalar) and not all(map(is_number, items)):
        write_out_short(key.size)
    index = language.if_exp(key < 0, lambda: key + len(items), lambda: key)
    low = emit("greater_equal", index_value(index), constant(np.int64(0))).result
    check(
        emit("logical_and", low, emit("less", index_value(index), constant(np.int64(len(items)))).result).result,
        IndexError,
        out_of_range(items),
    )
    known = constant_items(list(items)) if len(items) > FEW else None
    return pick_from(items, index, 0, len(items)) if known is None else known.get(index)


def pick_from(items: Any, index: Any, low: int, high: int) -> Any:
    """A binary tree of branches over the items."""
    if high - low == 1:
        return items[low]
    middle = (low + high) // 2
    return language.if_exp(index < middle, lambda: pick_from(items, index, low, middle), lambda: pick_from(items, index, middle, high))


@in_each_kind
def item_of_number(x: StagedScalar, key: Any) -> Any:
    """`x[key]` of a number: an error, but for the keys of an array of rank 0."""
    if x.weak:
        raise TypeError(f"'{x.type_name}' object is not subscriptable")
    parts = key if isinstance(key, tuple) else (key,)
    if any(part is not None and part is not Ellipsis and not is_truth_value(part) for part in parts):
        raise IndexError("invalid index to scalar variable.")
    return language.getitem(language.call(np.asarray, (x,), None), key) if parts else StagedScalar(x.value, False)


def is_truth_value(part: Any) -> bool:
    """Whether a part of a subscript is a mask of rank 0."""
    if isinstance(part, StagedScalar):
        return part.scalar_dtype.kind == "b"
    if isinstance(part, StagedArray):
        return part.ndim == 0 and part.dtype.kind == "b"
    return isinstance(part, bool | np.bool_)
