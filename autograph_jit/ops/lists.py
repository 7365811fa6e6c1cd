"""Growable lists of scalars or of lists: references, as Python's lists are."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes, Effect, OpDef
from autograph_jit.ir.types import BOOL, I64, OBJECT, ArrayType, ListType, ScalarType, Type
from autograph_jit.ops.inference import Types, dims_of, expect_array, expect_count, expect_indices, expect_list, expect_type
from autograph_jit.ops.registry import define_op

ELEMENT = "element"

Signature = tuple[str, ...]


def expect_numbers(name: str, type: Type) -> ScalarType:
    """The type of the items, if it is a list of scalars."""
    elem = expect_list(name, type).elem
    if not isinstance(elem, ScalarType):
        raise GraphError(f"{name} takes a list of scalars, not {type}")
    return elem


def list_rule(name: str, operands: Signature, results: Signature) -> Callable[[Types, Attributes], Types]:
    """The type rule of an operation on a list: "element" and "index" operands after it, "element", "index" or "list" results."""

    def infer(types: Types, attributes: Attributes) -> Types:
        expect_count(name, types, len(operands) + 1)
        type = expect_list(name, types[0])
        kinds: dict[str, Type] = {ELEMENT: type.elem, "index": I64, "list": type}
        for found, kind in zip(types[1:], operands, strict=True):
            expect_type(name, found, kinds[kind])
        return tuple(kinds[kind] for kind in results)

    return infer


def define_list_op(name: str, operands: Signature, results: Signature, eager: Callable[..., Any], effect: Effect, may_fail: bool) -> OpDef:
    """Define an operation on a list."""
    infer = list_rule(name, operands, results)
    return define_op(name, infer=infer, eager=eager, effect=effect, may_fail=may_fail, derivative=BY_STRUCTURE)


def set_item(items: list[Any], index: Any, value: Any) -> tuple[()]:
    """Write one item."""
    items[int(index)] = value
    return ()


def push_item(items: list[Any], value: Any) -> tuple[()]:
    """Append one item."""
    items.append(value)
    return ()


def insert_item(items: list[Any], index: Any, value: Any) -> tuple[()]:
    """Insert before the index; out of range means at an end."""
    items.insert(int(index), value)
    return ()


def clear_items(items: list[Any]) -> tuple[()]:
    """Remove all items."""
    items.clear()
    return ()


def shift_items(items: list[Any], by: Any) -> tuple[()]:
    """So many places in front of the items, which nobody has written yet; of a negative number so many items fewer there."""
    if by < 0:
        del items[: -int(by)]
    else:
        items[:0] = [np.zeros_like(items[0]) if items else 0] * int(by)
    return ()


def infer_list_new(types: Types, attributes: Attributes) -> Types:
    """A list of `elem`, a type of scalars or of lists."""
    expect_count("list_new", types, 0)
    elem = attributes["elem"]
    return (ListType(elem if isinstance(elem, ScalarType | ListType) else ScalarType(np.dtype(elem))),)


def infer_list_is_same(types: Types, attributes: Attributes) -> Types:
    """Two lists give a bool."""
    expect_count("list_is_same", types, 2)
    for type in types:
        expect_list("list_is_same", type)
    return (BOOL,)


def infer_list_identity(types: Types, attributes: Attributes) -> Types:
    """A list gives a number."""
    expect_count("list_identity", types, 1)
    expect_list("list_identity", types[0])
    return (I64,)


def infer_list_to_array(types: Types, attributes: Attributes) -> Types:
    """A vector of the list's length: its size is an atom of its own in the attribute `dims`."""
    expect_count("list_to_array", types, 1)
    elem = expect_numbers("list_to_array", types[0])
    return (ArrayType(elem.dtype, dims_of("list_to_array", attributes, 1)),)


def array_of_items(items: list[Any], dims: Any = None) -> np.ndarray:
    """A fresh vector of the items; the dtype of an empty one is unknown here and corrected by the caller."""
    return np.array(items, dtype=object if items and isinstance(items[0], str) else None)


def infer_list_extend(types: Types, attributes: Attributes) -> Types:
    """A list and an array of its element dtype."""
    expect_count("list_extend", types, 2)
    elem, array = expect_numbers("list_extend", types[0]), expect_array("list_extend", types[1])
    if array.dtype != elem.dtype:
        raise GraphError(f"list_extend takes an array of {elem}, not {array}")
    return ()


def extend_items(items: list[Any], array: np.ndarray) -> tuple[()]:
    """Append every element in C order."""
    items.extend(array.ravel())
    return ()


def infer_list_take(types: Types, attributes: Attributes) -> Types:
    """A list and the sizes of the array that its last elements make."""
    elem = expect_numbers("list_take", types[0])
    expect_indices("list_take", types[1:])
    return (ArrayType(elem.dtype, dims_of("list_take", attributes, len(types) - 1)),)


def take_items(items: list[Any], *sizes: Any, dims: Any = None) -> np.ndarray:
    """Remove the last elements and return them as a fresh array: the inverse of `list_extend`."""
    shape = tuple(int(size) for size in sizes)
    count = math.prod(shape)
    taken = items[len(items) - count :]
    del items[len(items) - count :]
    return np.array(taken).reshape(shape)


def infer_list_of_object(types: Types, attributes: Attributes) -> Types:
    """A list of Python's gives a list of `elem`."""
    expect_count("list_of_object", types, 1)
    expect_type("list_of_object", types[0], OBJECT)
    return (ListType(attributes["elem"]),)


list_of_object = define_op("list_of_object", infer=infer_list_of_object, eager=lambda items, elem: list(items), derivative=BY_STRUCTURE)
list_extend = define_op("list_extend", infer=infer_list_extend, eager=extend_items, effect=Effect.WRITE, derivative=BY_STRUCTURE)
list_take = define_op("list_take", infer=infer_list_take, eager=take_items, effect=Effect.WRITE, derivative=BY_STRUCTURE)
list_new = define_op("list_new", infer=infer_list_new, eager=lambda elem: [], derivative=BY_STRUCTURE)
list_is_same = define_op("list_is_same", infer=infer_list_is_same, eager=lambda x, y: np.bool_(x is y), derivative=BY_STRUCTURE)
list_identity = define_op(  # of lists that exist at one time: another list may have the number of one that is gone
    "list_identity",
    infer=infer_list_identity,
    eager=lambda items: np.int64(id(items)),
    derivative=BY_STRUCTURE,
)
list_push = define_list_op("list_push", (ELEMENT,), (), push_item, Effect.WRITE, False)
list_pop = define_list_op("list_pop", ("index",), (ELEMENT,), lambda items, index: items.pop(int(index)), Effect.WRITE, True)
list_get = define_list_op("list_get", ("index",), (ELEMENT,), lambda items, index: items[int(index)], Effect.PURE, True)
list_set = define_list_op("list_set", ("index", ELEMENT), (), set_item, Effect.WRITE, True)
list_len = define_list_op("list_len", (), ("index",), lambda items: np.int64(len(items)), Effect.PURE, False)
list_insert = define_list_op("list_insert", ("index", ELEMENT), (), insert_item, Effect.WRITE, False)
list_shift = define_list_op("list_shift", ("index",), (), shift_items, Effect.WRITE, False)
list_clear = define_list_op("list_clear", (), (), clear_items, Effect.WRITE, False)
list_copy = define_list_op("list_copy", (), ("list",), lambda items: list(items), Effect.PURE, False)
list_to_array = define_op("list_to_array", infer=infer_list_to_array, eager=array_of_items, derivative=BY_STRUCTURE)
