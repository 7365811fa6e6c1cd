"""np.r_, np.c_, np.ix_, np.mgrid and their like: arrays and indices built by a subscript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.library.numpy.creation import arange
from autograph_jit.library.numpy.joins import concatenate
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import refuse
from autograph_jit.tracing.arrays.views import add_axes, prepend_axes, shape_operands
from autograph_jit.tracing.values.abstract import StagedArray, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import dtype_of, is_number, is_weak


def parts_of(key: Any) -> list[StagedArray]:
    """The pieces of a subscript: slices count from start to stop, the rest are arrays and numbers, cast to one dtype."""
    items = [content_of(item) for item in (key if isinstance(key, tuple) else (key,))]
    refuse(not items, any(isinstance(item, str) for item in items))
    refuse(any(isinstance(item, slice) and isinstance(item.step, complex) for item in items))
    found = [arange(item.start or 0, item.stop, item.step) if isinstance(item, slice) else item for item in items]
    numbers = [item for item in found if is_number(item)]
    arrays = [as_array(item) for item in found if not is_number(item)]
    dtype = np.result_type(*(x.dtype for x in arrays), *(dtype_of(x).type(1).item() if is_weak(x) else dtype_of(x) for x in numbers))
    return [as_array(item, dtype) for item in found]


def join_columns(key: Any) -> StagedArray:
    """`np.c_[...]`: vectors become columns."""
    parts = [prepend_axes(x, 2) if x.ndim == 0 else add_axes(x, (1,)) if x.ndim == 1 else x for x in parts_of(key)]
    return concatenate(parts, -1)


def ends_of(part: Any) -> tuple[Any, Any, int]:
    """Start, stop and step of an axis of a grid, which are ints."""
    refuse(not isinstance(part, slice))
    start, stop, step = 0 if part.start is None else part.start, part.stop, 1 if part.step is None else part.step
    refuse(not isinstance(step, int), isinstance(step, bool), step == 0, not is_int(start), not is_int(stop))
    return start, stop, step


def is_int(x: Any) -> bool:
    """Whether this is an int of Python's, or one of its size."""
    return is_number(x) and dtype_of(x) == np.int64


def open_grid(key: Any) -> Any:
    """`np.ogrid[...]`: the numbers along each axis."""
    if not isinstance(key, tuple):
        return arange(*ends_of(key))
    parts = [arange(*ends_of(part)) for part in key]
    return tuple(add_axes(x, [axis for axis in range(len(parts)) if axis != k]) for k, x in enumerate(parts))


def full_grid(key: Any) -> Any:
    """`np.mgrid[...]`: the numbers along each axis, repeated along the others."""
    if not isinstance(key, tuple):
        return arange(*ends_of(key))
    refuse(not key)
    ends = [ends_of(part) for part in key]
    shape_operands(tuple(-((start - stop) // step) for start, stop, step in ends))  # refuses negative sizes, which arange takes
    return language.numpy(np.stack, (language.numpy(np.meshgrid, tuple(arange(*part) for part in ends), {"indexing": "ij"}),), {})


GETTERS = [type(owner).__getitem__ for owner in (np.r_, np.mgrid, np.s_)]
SUBSCRIPTS: dict[int, tuple[str, Callable[[Any], Any]]] = {
    id(np.r_): ("r_", lambda key: concatenate([prepend_axes(x, 1) for x in parts_of(key)], 0)),
    id(np.c_): ("c_", join_columns),
    id(np.mgrid): ("mgrid", full_grid),
    id(np.ogrid): ("ogrid", open_grid),
    id(np.s_): ("s_", lambda key: key),
    id(np.index_exp): ("index_exp", lambda key: key if isinstance(key, tuple) else (key,)),
}
