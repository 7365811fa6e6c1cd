"""Reads and writes of memory, copies, and questions about where arrays lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE, FLAT, Derivative
from autograph_jit.ir.opdef import Attributes, Effect, OpDef
from autograph_jit.ir.types import BOOL, ArrayType, ScalarType
from autograph_jit.ops.derivatives.shared import elementwise
from autograph_jit.ops.inference import Types, expect_array, expect_count, expect_indices, expect_numeric, expect_type, fresh
from autograph_jit.ops.registry import define_op


def infer_load(types: Types, attributes: Attributes) -> Types:
    """One index for each axis."""
    array = expect_array("load", types[0])
    expect_indices("load", types[1:])
    expect_count("load", types, array.rank + 1)
    return (ScalarType(array.dtype),)


def load_element(array: np.ndarray, *index: Any, proved: bool = False, text: str | None = None) -> Any:
    """The element at the index; `text` is that of the IndexError where there is none and NumPy's is not wanted."""
    try:
        return array[index]
    except IndexError:
        if text is None:
            raise
        raise IndexError(text) from None


def infer_store(types: Types, attributes: Attributes) -> Types:
    """A scalar of the array's dtype, then one index for each axis."""
    array = expect_array("store", types[0])
    expect_count("store", types, array.rank + 2)
    expect_type("store", types[1], ScalarType(array.dtype))
    expect_indices("store", types[2:])
    return ()


def store_element(array: np.ndarray, value: Any, *index: Any, proved: bool = False, text: str | None = None) -> tuple[()]:
    """Write one element; `text` as above."""
    try:
        array[index] = value
    except IndexError:
        if text is None:
            raise
        raise IndexError(text) from None
    return ()


def index_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the bounds are still to be checked; an array of rank 0 has one element."""
    return not attributes.get("proved", False) and bool(types[0].dims)  # type: ignore[union-attr]


def infer_assign(types: Types, attributes: Attributes) -> Types:
    """Operands of one dtype."""
    expect_count("assign", types, 2)
    target, source = expect_array("assign", types[0]), expect_numeric("assign", types[1])
    if target.dtype != source.dtype:
        raise GraphError(f"assign: cannot write {source} into {target}; cast first")
    return ()


def assign_values(target: np.ndarray, source: Any, in_any_order: bool = False) -> tuple[()]:
    """Write the whole target, as if the source were read first. `in_any_order`: it is a sum of the target and something else, and such sums
    may be taken in another order."""
    target[...] = source
    return ()


def assign_fails(types: Types, attributes: Attributes) -> bool:
    """Whether the source is not proved to broadcast to the target; leading axes of size 1 are dropped."""
    target, source = types
    if isinstance(source, ScalarType):
        return False
    assert isinstance(source, ArrayType) and isinstance(target, ArrayType)
    extra = max(source.rank - target.rank, 0)
    if any(size != 1 for size in source.dims[:extra]):
        return True
    return any(size not in (1, wanted) for size, wanted in zip(reversed(source.dims[extra:]), reversed(target.dims)))


def infer_copy(types: Types, attributes: Attributes) -> Types:
    """The same type."""
    expect_count("copy", types, 1)
    return (expect_array("copy", types[0]),)


def infer_pair(types: Types, attributes: Attributes) -> Types:
    """A bool about two arrays."""
    expect_count("is_same", types, 2)
    for type in types:
        expect_array("is_same", type)
    return (BOOL,)


def is_same_memory(x: np.ndarray, y: np.ndarray) -> np.bool_:
    """Whether two arrays have the same pointer, shape and strides."""
    same = x.__array_interface__["data"][0] == y.__array_interface__["data"][0] and x.shape == y.shape and x.strides == y.strides
    return np.bool_(same)


def define_structured(name: str, infer: Any, eager: Any, effect: Effect, derivative: Derivative, fails: Any = None) -> OpDef:
    """Define an operation that each backend has a rule of its own for; it can fail where `fails` says so."""
    may_fail = fails is not None
    return define_op(name, infer=infer, eager=eager, effect=effect, may_fail=may_fail, derivative=derivative, fails=fails)


load = define_structured("load", infer_load, load_element, Effect.PURE, BY_STRUCTURE, index_fails)
store = define_structured("store", infer_store, store_element, Effect.WRITE, BY_STRUCTURE, index_fails)
assign = define_structured("assign", infer_assign, assign_values, Effect.WRITE, BY_STRUCTURE, assign_fails)
copy = define_structured("copy", infer_copy, fresh, Effect.PURE, elementwise(1))
is_same = define_structured("is_same", infer_pair, is_same_memory, Effect.PURE, FLAT)
overlaps = define_structured("overlaps", infer_pair, lambda x, y: np.bool_(np.may_share_memory(x, y)), Effect.PURE, FLAT)
