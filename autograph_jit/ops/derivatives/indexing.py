"""Derivatives of gathers, scatters, masks and sorting."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Derivative, Into, Unsupported, unsupported
from autograph_jit.ops.derivatives.shared import positions

Items = tuple[tuple[str, ...], ...]
SIGNS = {"add": 1, "subtract": -1}
SINGLE_BYTES = 8
DIGITS = 4096


def subscript(items: Items, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The NumPy subscript of the items."""
    rest = iter(index)
    return tuple(next(rest) if item[0] == "array" else slice(None) for item in items)


def gather_vjp(ct: Any, result: Any, array: Any, *index: Any, items: Items, dims: Any = None) -> tuple[Any, ...]:
    """The cotangent is added where the elements came from; duplicates all count."""
    key = subscript(items, index)
    return Into(lambda shadow: np.add.at(shadow, key, ct)), *(None for _ in index)


def gather_jvp(tangents: tuple[Any, ...], result: Any, array: Any, *index: Any, items: Items, dims: Any = None) -> Any:
    """The same elements of the tangent."""
    return None if tangents[0] is None else tangents[0][subscript(items, index)]


def is_last_writer(memory: Any, key: tuple[Any, ...], numbers: Any) -> Any:
    """Which of the writes to `memory[key]` are not overwritten by later ones to the same place; uses the memory to find out."""
    memory[key] = numbers
    return memory[key] == numbers


def last_writers(memory: Any, key: tuple[Any, ...], written: Any) -> Any:
    """As `is_last_writer`, for writes of the shape of `written`: each is told by its number, in digits that the dtype holds exactly."""
    numbers = np.reshape(positions(np.ravel(written), 0), np.shape(written))
    single = memory.dtype.itemsize <= (SINGLE_BYTES if memory.dtype.kind == "c" else SINGLE_BYTES // 2)
    if not single:
        return is_last_writer(memory, key, numbers.astype(memory.dtype))
    low = is_last_writer(memory, key, (numbers % DIGITS).astype(memory.dtype))
    return low & is_last_writer(memory, key, (numbers // DIGITS).astype(memory.dtype))


def scatter_vjp(ct: Any, result: Any, array: Any, value: Any, *index: Any, items: Items, mode: str) -> tuple[Any, ...] | Unsupported:
    """What was written takes the cotangent of its place, what was overwritten none."""
    key = subscript(items, index)
    nothing = tuple(None for _ in index)
    if mode in SIGNS:
        return None, SIGNS[mode] * ct[key], *nothing
    if mode != "set":
        return unsupported(f"np.{mode}.at has no derivative rule; use np.add.at, or assign the elements in a loop")
    written = ct[key]
    last = last_writers(ct, key, written)
    ct[key] = 0
    return None, np.where(last, written, 0), *nothing


def scatter_jvp(tangents: tuple[Any, ...], result: Any, array: Any, value: Any, *index: Any, items: Items, mode: str) -> Any:
    """The tangent of the value is written as the value is."""
    key = subscript(items, index)
    tangent, by_value = tangents[:2]
    if mode == "set":
        tangent[key] = 0 if by_value is None else by_value
    elif mode not in SIGNS:
        return unsupported(f"np.{mode}.at has no derivative rule; use np.add.at, or assign the elements in a loop")
    elif by_value is not None:
        np.add.at(tangent, key, SIGNS[mode] * by_value)
    return ()


def add_to_selected(shadow: Any, mask: Any, ct: Any) -> None:
    """Add to the elements that a mask selects, in place."""
    shadow[mask] += ct


def mask_select_vjp(ct: Any, result: Any, array: Any, mask: Any, dims: Any = None) -> tuple[Any, None]:
    """The cotangent is added where the elements came from."""
    return Into(lambda shadow: add_to_selected(shadow, mask, ct)), None


def mask_select_jvp(tangents: tuple[Any, None], result: Any, array: Any, mask: Any, dims: Any = None) -> Any:
    """The same elements of the tangent."""
    return None if tangents[0] is None else tangents[0][mask]


def mask_assign_vjp(ct: Any, result: Any, array: Any, mask: Any, value: Any) -> tuple[None, None, Any]:
    """What was written takes the cotangent of its place, what was overwritten none."""
    written = ct[mask]
    ct[mask] = 0
    return None, None, written


def mask_assign_jvp(tangents: tuple[Any, None, Any], result: Any, array: Any, mask: Any, value: Any) -> tuple[()]:
    """The tangent of the value is written as the value is."""
    tangents[0][mask] = 0 if tangents[2] is None else tangents[2]
    return ()


def sort_vjp(ct: Any, result: Any, array: Any, axis: int, descending: bool = False, kind: Any = None) -> tuple[Any]:
    """Each element takes the cotangent of the place that it went to."""
    places = np.argsort(np.argsort(array, axis=axis, kind="stable"), axis=axis, kind="stable")
    return (np.take_along_axis(np.flip(ct, axis) if descending else ct, places, axis),)


def sort_jvp(tangents: tuple[Any], result: Any, array: Any, axis: int, descending: bool = False, kind: Any = None) -> Any:
    """The tangent in the order of the array."""
    if tangents[0] is None:
        return None
    moved = np.take_along_axis(tangents[0], np.argsort(array, axis=axis, kind="stable"), axis)
    return np.copy(np.flip(moved, axis)) if descending else moved


def key_along(places: Any, axis: int) -> tuple[Any, ...]:
    """The subscript of elements at these positions along an axis."""
    rank = np.ndim(places)
    return tuple(places if k == axis % rank else positions(places, k) for k in range(rank))


def sources_of(array: Any, ranks: Any, axis: int) -> Any:
    """Where the elements of these ranks stand in the array, as positions along the axis."""
    return np.take(np.argsort(array, axis=axis, kind="stable"), ranks, axis, mode="clip")


def order_statistics_vjp(ct: Any, result: Any, array: Any, ranks: Any, axis: int) -> tuple[Any, None]:
    """The cotangents are added where the elements stand, those of equal ranks all count."""
    places = sources_of(array, ranks, axis)
    key = key_along(places, axis)
    return Into(lambda shadow: np.add.at(shadow, key, ct)), None


def order_statistics_jvp(tangents: tuple[Any, None], result: Any, array: Any, ranks: Any, axis: int) -> Any:
    """The tangents of those elements."""
    return None if tangents[0] is None else np.take_along_axis(tangents[0], sources_of(array, ranks, axis), axis)


def repeat_vjp(ct: Any, result: Any, array: Any, counts: Any, axis: int, dims: Any = None) -> tuple[Any, None]:
    """Each element takes the cotangents of all its places."""
    source = np.repeat(positions(array, axis), counts, axis)
    key = key_along(source, axis)
    return Into(lambda shadow: np.add.at(shadow, key, ct)), None


def repeat_jvp(tangents: tuple[Any, None], result: Any, array: Any, counts: Any, axis: int, dims: Any = None) -> Any:
    """The tangents, as often as the elements."""
    return None if tangents[0] is None else np.repeat(tangents[0], counts, axis)


GATHER = Derivative(gather_vjp, gather_jvp)
SCATTER = Derivative(scatter_vjp, scatter_jvp)
MASK_SELECT = Derivative(mask_select_vjp, mask_select_jvp)
MASK_ASSIGN = Derivative(mask_assign_vjp, mask_assign_jvp)
REPEAT = Derivative(repeat_vjp, repeat_jvp)
SORT = Derivative(sort_vjp, sort_jvp)
ORDER_STATISTICS = Derivative(order_statistics_vjp, order_statistics_jvp)
