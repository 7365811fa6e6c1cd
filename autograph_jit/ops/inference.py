"""What the type rules of operations share: checks of operands, broadcasting, the results of NumPy's ufunc loops."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import Size, broadcast_size
from autograph_jit.ir.opdef import Attributes
from autograph_jit.ir.types import I64, ArrayType, ListType, ScalarType, Type

Types = tuple[Type, ...]


def expect_count(name: str, types: Types, count: int) -> None:
    """Refuse a number of operands other than `count`."""
    if len(types) != count:
        raise GraphError(f"{name} takes {count} operands, not {len(types)}")


def expect_array(name: str, type: Type) -> ArrayType:
    """The type, if it is an array's."""
    if not isinstance(type, ArrayType):
        raise GraphError(f"{name} takes an array, not {type}")
    return type


def expect_list(name: str, type: Type) -> ListType:
    """The type, if it is a list's."""
    if not isinstance(type, ListType):
        raise GraphError(f"{name} takes a list, not {type}")
    return type


def expect_numeric(name: str, type: Type) -> ScalarType | ArrayType:
    """The type, if it is a scalar's or an array's."""
    if not isinstance(type, ScalarType | ArrayType):
        raise GraphError(f"{name} takes scalars and arrays, not {type}")
    return type


def expect_indices(name: str, types: Sequence[Type]) -> None:
    """Refuse anything but i64 scalars."""
    for type in types:
        if type != I64:
            raise GraphError(f"{name} takes i64 scalars as sizes and indices, not {type}")


def expect_type(name: str, found: Type, expected: Type) -> None:
    """Refuse a type other than the one expected."""
    if found != expected:
        raise GraphError(f"{name} takes {expected} here, not {found}")


def dims_of(name: str, attributes: Attributes, rank: int | None = None) -> tuple[Size, ...]:
    """The attribute `dims`, of the given rank."""
    if "dims" not in attributes:
        raise GraphError(f"{name} needs the attribute dims")
    dims = tuple(attributes["dims"])
    if rank is not None and len(dims) != rank:
        raise GraphError(f"{name}: {len(dims)} dims for rank {rank}")
    return dims


def normalize_axis(name: str, axis: int, rank: int) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        raise GraphError(f"{name}: axis {axis} is out of bounds for an array of rank {rank}")
    return axis % rank


def shape_of(type: Type) -> tuple[Size, ...]:
    """The dims of an array type; a scalar has none."""
    return type.dims if isinstance(type, ArrayType) else ()


def broadcast_dims(name: str, shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...]:
    """The dims that shapes broadcast to; refused where they provably do not."""
    dims = common_dims(shapes)
    if dims is None:
        raise GraphError(f"{name}: operands do not broadcast together: {', '.join(map(str, shapes))}")
    return dims


def common_dims(shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...] | None:
    """The dims that shapes broadcast to; None where they provably do not."""
    rank = max((len(shape) for shape in shapes), default=0)
    result: list[Size] = [1] * rank
    for shape in shapes:
        for axis, size in enumerate(shape, rank - len(shape)):
            common = broadcast_size(result[axis], size)
            if common is None:
                return None
            result[axis] = common
    return tuple(result)


def broadcasts_surely(shapes: Sequence[tuple[Size, ...]]) -> bool:
    """Whether the shapes are proved to broadcast together: on every axis the sizes other than 1 are equal."""
    rank = max((len(shape) for shape in shapes), default=0)
    for back in range(1, rank + 1):
        sizes = {shape[-back] for shape in shapes if len(shape) >= back} - {1}
        if len(sizes) > 1:
            return False
    return True


def broadcast_may_fail(types: Types, attributes: Attributes) -> bool:
    """Whether an elementwise operation needs a check of its operands' shapes."""
    return not broadcasts_surely([shape_of(type) for type in types])


def elementwise_type(name: str, types: Types, dtype: np.dtype) -> ScalarType | ArrayType:
    """The result of an elementwise operation: a scalar if all operands are."""
    if all(isinstance(type, ScalarType) for type in types):
        return ScalarType(dtype)
    return ArrayType(dtype, broadcast_dims(name, [shape_of(type) for type in types]))


@functools.cache
def ufunc_dtype(ufunc: np.ufunc, dtypes: tuple[np.dtype, ...]) -> np.dtype:
    """The dtype of the result of the ufunc's loop for exactly these dtypes; refused where NumPy would cast first."""
    try:
        resolved = ufunc.resolve_dtypes((*dtypes, None))
    except TypeError as error:
        raise GraphError(f"{ufunc.__name__}: {error}") from None
    if resolved[: len(dtypes)] != dtypes:
        raise GraphError(f"{ufunc.__name__} has no loop for {', '.join(map(str, dtypes))}: cast to {', '.join(map(str, resolved[:-1]))}")
    return resolved[-1]


def ndarray(value: Any) -> np.ndarray:
    """A C-order array of a result that NumPy may have made a scalar."""
    return np.asarray(value, order="C")


def fresh(value: Any) -> np.ndarray:
    """A new C-order array, never a view."""
    return np.array(value, order="C")
