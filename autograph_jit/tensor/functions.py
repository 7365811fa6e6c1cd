"""NumPy's functions as operations; its ufuncs are in `tensor.ufuncs`."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.types import is_supported
from autograph_jit.ops.dispatch import Boxed, bind, unboxed
from autograph_jit.tensor.ufuncs import UNSUPPORTED, cast, is_operand

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
COUNTS = frozenset("axis axes axis1 axis2 source destination offset shift reps pad_width shape newshape k n".split())


def implements(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the rule of NumPy functions; it returns UNSUPPORTED for arguments that it leaves to NumPy."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            FUNCTIONS[function] = rule
        return rule

    return register


@functools.cache
def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of a function's parameters, none where it does not tell."""
    try:
        return tuple(inspect.signature(function).parameters)
    except ValueError:
        return ()


def is_count(name: str, x: Any) -> bool:
    """Whether an argument is an array of ints that say where or how much."""
    return name in COUNTS and type(x) is np.ndarray and x.dtype.kind in "iu"


def with_counts(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, arrays of ints that say where or how much as the numbers that they hold: they have no derivative."""
    names = parameter_names(function)
    placed = tuple(x.tolist() if is_count(name, x) else x for name, x in zip(names, args))
    return placed + args[len(placed) :], {name: x.tolist() if is_count(name, x) else x for name, x in kwargs.items()}


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes that `axis` names, counted from the front; AxisError as NumPy raises it."""
    if axis is None:
        return tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    return tuple(np.lib.array_utils.normalize_axis_tuple(axis, rank))


def reduction(op: str, accumulate: Callable[[np.dtype], np.dtype]) -> Callable[..., Any]:
    """The rule of a reduction; `accumulate` gives the dtype that it works in."""

    def rule(x: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, **others: Any) -> Any:
        if others or dtype is not None or not isinstance(x, Boxed) or not is_operand(x):
            return UNSUPPORTED
        axes = axes_of(axis, x.array.ndim)
        return bind("reduce", cast(x, accumulate(x.array.dtype)), op=op, axes=axes, keepdims=bool(keepdims))

    return rule


def sum_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of a sum or a product: small integers and bools are added as int64 or uint64."""
    return np.result_type(dtype, np.uint64 if dtype.kind == "u" else np.int64) if dtype.kind in "biu" else dtype


FUNCTIONS[np.sum] = reduction("sum", sum_dtype)
FUNCTIONS[np.prod] = reduction("prod", sum_dtype)
FUNCTIONS[np.min] = FUNCTIONS[np.amin] = reduction("min", lambda dtype: dtype)
FUNCTIONS[np.max] = FUNCTIONS[np.amax] = reduction("max", lambda dtype: dtype)
FUNCTIONS[np.any] = reduction("any", lambda dtype: np.dtype(bool))
FUNCTIONS[np.all] = reduction("all", lambda dtype: np.dtype(bool))


@implements(np.mean)
def mean(x: Any, axis: Any = None, *, keepdims: Any = False, **others: Any) -> Any:
    """The sum over the count, for floats and integers."""
    if others or not isinstance(x, Boxed) or not is_operand(x):
        return UNSUPPORTED
    axes = axes_of(axis, x.array.ndim)
    dtype = x.array.dtype if x.array.dtype.kind in "fc" else np.dtype(np.float64)
    total = bind("reduce", cast(x, dtype), op="sum", axes=axes, keepdims=bool(keepdims))
    count = math.prod([x.array.shape[axis] for axis in axes])
    return total / dtype.type(count)


@implements(np.reshape)
def reshape(x: Any, shape: Any, **others: Any) -> Any:
    """A view where the strides allow it."""
    if others or not isinstance(x, Boxed):
        return UNSUPPORTED
    sizes = [int(unboxed(size)) for size in (shape if isinstance(shape, tuple | list) else (shape,))]
    return bind("reshape", x, *map(np.int64, sizes), dims=x.array.reshape(sizes).shape)


@implements(np.ravel)
def ravel(x: Any, **others: Any) -> Any:
    """A view of one axis where the strides allow it."""
    return reshape(x, -1, **others)


@implements(np.transpose)
def transpose(x: Any, axes: Any = None) -> Any:
    """A view with the axes in another order."""
    if not isinstance(x, Boxed):
        return UNSUPPORTED
    rank = x.array.ndim
    perm = tuple(reversed(range(rank))) if axes is None else tuple(axis % rank for axis in axes)
    return bind("transpose", x, perm=perm) if sorted(perm) == list(range(rank)) else UNSUPPORTED


@implements(np.where)
def choose_elements(condition: Any, *choices: Any) -> Any:
    """The choice between two values, element by element."""
    if len(choices) != 2 or not all(is_operand(x) for x in (condition, *choices)):
        return UNSUPPORTED
    dtype = np.result_type(*(unboxed(x) for x in choices))
    return bind("where", cast(condition, np.dtype(bool)), *(cast(x, dtype) for x in choices)) if is_supported(dtype) else UNSUPPORTED


@implements(np.concatenate)
def concatenate(arrays: Any, axis: Any = 0, **others: Any) -> Any:
    """Arrays of one rank, one after the other."""
    items = list(arrays)
    if others or axis is None or not items or not all(is_operand(x) and isinstance(unboxed(x), np.ndarray) for x in items):
        return UNSUPPORTED
    if len({unboxed(x).ndim for x in items}) != 1 or unboxed(items[0]).ndim == 0:
        return UNSUPPORTED
    dtype = np.result_type(*(unboxed(x) for x in items))
    (axis,) = axes_of(axis, unboxed(items[0]).ndim)
    return bind("concat", *(cast(x, dtype) for x in items), axis=axis) if is_supported(dtype) else UNSUPPORTED


@implements(np.stack)
def stack(arrays: Any, axis: Any = 0, **others: Any) -> Any:
    """Arrays of one shape along a new axis."""
    items = [np.asarray(x) if not isinstance(x, Boxed) else x for x in arrays]
    if others or len({np.shape(unboxed(x)) for x in items}) != 1:
        return UNSUPPORTED
    (axis,) = axes_of(axis, unboxed(items[0]).ndim + 1)
    return concatenate([bound_reshape(x, np.expand_dims(unboxed(x), axis).shape) for x in items], axis)


def bound_reshape(x: Any, sizes: tuple[int, ...]) -> Any:
    """An array in another shape, boxed where it is."""
    return bind("reshape", x, *map(np.int64, sizes), dims=sizes)


@implements(np.copy)
def copy(x: Any, order: str = "K", **others: Any) -> Any:
    """Fresh memory."""
    is_c_order = order == "C" or order in ("K", "A") and isinstance(x, Boxed) and x.array.flags.c_contiguous
    return bind("copy", x) if isinstance(x, Boxed) and is_c_order and not others else UNSUPPORTED


@implements(np.astype)
def astype(x: Any, dtype: Any, /, **others: Any) -> Any:
    """A copy in another dtype."""
    dtype = np.dtype(dtype)
    if others or not isinstance(x, Boxed) or not is_supported(dtype) or not is_supported(x.array.dtype):
        return UNSUPPORTED
    return bind("cast", x, dtype=dtype)


def asking(question: Callable[[Any], Any]) -> Callable[..., Any]:
    """The rule of a function that only looks at the shape or dtype of its one argument."""
    return lambda x, **others: UNSUPPORTED if others else question(unboxed(x))


for _question in (np.ndim, np.shape, np.size, np.iscomplexobj, np.isrealobj):
    FUNCTIONS[_question] = asking(_question)


@implements(np.expand_dims)
def expand_dims(x: Any, axis: Any) -> Any:
    """A view with axes of size 1."""
    return reshape(x, np.expand_dims(unboxed(x), axis).shape)


@implements(np.broadcast_to)
def broadcast_to(x: Any, shape: Any, **others: Any) -> Any:
    """A view that repeats an array."""
    if others or not isinstance(x, Boxed):
        return UNSUPPORTED
    sizes = tuple(int(size) for size in (shape if isinstance(shape, tuple | list) else (shape,)))
    return bind("broadcast_to", x, *map(np.int64, sizes), dims=sizes)


@implements(np.apply_along_axis)
def apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """The function of one row after the other, each a Tensor, so that what it computes is recorded."""
    if not isinstance(arr, Boxed) or arr.array.ndim == 0 or arr.array.size == 0:
        return UNSUPPORTED
    moved: Any = np.moveaxis(arr, axis, -1)  # type: ignore[type-var]
    rows = np.reshape(moved, (-1, moved.shape[-1]))
    found = joined([func1d(rows[index], *args, **kwargs) for index in range(len(rows))])
    shaped = np.reshape(found, moved.shape[:-1] + found.shape[1:])
    return np.moveaxis(shaped, range(arr.array.ndim - 1, shaped.ndim), range(axis % arr.array.ndim, axis % arr.array.ndim + found.ndim - 1))


def joined(items: list[Any]) -> Any:
    """Results of a function that was called several times as one array: a Tensor where one of them is."""
    return np.stack(items)


def elements_of_function(function: Callable[..., Any], *arrays: Any) -> Any:
    """What a function of numbers gives for the elements of arrays, some of them Tensors."""
    shape = np.broadcast_shapes(*map(np.shape, map(unboxed, arrays)))
    rows = [np.ravel(np.broadcast_to(array, shape)) for array in arrays]
    return np.reshape(joined([function(*(row[index] for row in rows)) for index in range(int(np.prod(shape)))]), shape)
