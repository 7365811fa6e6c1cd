"""Functions that write to the array they are given: copyto, put, place, putmask, put_along_axis, fill_diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.types import I64
from autograph_jit.library.numpy.axes import normalize_axis
from autograph_jit.library.numpy.creation import arange
from autograph_jit.library.numpy.selection import BOOL, along_key, operand
from autograph_jit.library.numpy.ufuncs import mask_of
from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.arrays.array_like import as_array, size_operand
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.indexing import assign, getitem, setitem
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import diagonal_view, flat
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, index_value, is_array, is_number, is_weak, scalar
from autograph_jit.tracing.values.shape_checks import check_broadcast
from autograph_jit.tracing.values.trace import constant, emit


def written_array(x: Any) -> StagedArray:
    """The array to write to. Numbers and lists are none: NumPy says so, and an array made of them would be written and dropped."""
    found = content_of(x)
    refuse(not is_array(found))
    return as_array(found)


@implements(np.put)
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    x, places, value = written_array(a), as_array(ind), operand(v)
    refuse(mode != "raise", x.ndim != 1, isinstance(value, StagedArray) and value.type.dims != places.type.dims)
    bare = emit("equal", size_operand(x, 0), constant(np.int64(0))).result
    wanted = emit("not_equal", index_value(places.size), constant(np.int64(0))).result
    good = emit("logical_not", emit("logical_and", bare, wanted).result).result
    check(good, IndexError, "cannot replace elements of an empty array")
    if places.ndim == 0:
        setitem(x, places, value)
        return
    places, value = flat(places), flat(value) if isinstance(value, StagedArray) else value
    count = sound_part(x, places)
    for part in (slice(None, count), slice(count, None)):  # what stands in front of the first wrong index is written
        setitem(x, getitem(places, part), getitem(value, part) if isinstance(value, StagedArray) else value)


def sound_part(x: StagedArray, places: StagedArray) -> StagedScalar:
    """How many indices stand in front of the first wrong one; 0 where NumPy writes to a copy of an array with gaps, and drops it."""
    index, size = cast(places.value, I64.dtype), size_operand(x, 0)
    least, dense = emit("negative", size).result, cast(x.flags.c_contiguous.value, I64.dtype)
    inside = emit("logical_and", emit("greater_equal", index, least).result, emit("less", index, size).result).result
    so_far = language.ufunc(np.minimum, "accumulate", (array(cast(inside, I64.dtype)),), {})
    return scalar(emit("multiply", dense, index_value(language.numpy(np.sum, (so_far,), {}))).result, True)


@implements(np.put_along_axis)
def put_along_axis(arr: Any, indices: Any, values: Any, axis: Any) -> None:
    x, index = written_array(arr), as_array(indices)
    refuse(axis is None)
    setitem(x, along_key(x, index, normalize_axis(axis, x.ndim)), values)


@implements(np.place)
def place(arr: Any, mask: Any, vals: Any) -> None:
    x, value = written_array(arr), operand(vals)
    where = array(cast(as_array(mask).value, BOOL))
    if isinstance(value, StagedArray):
        expect_safe(value, x.dtype)
        refuse(where.type.dims != x.type.dims)
        size = value.type.dims[0] if value.ndim == 1 else 0
        refuse(not isinstance(size, int) or size == 0)
        count = language.numpy(np.count_nonzero, (where,), {})
        value = getitem(value, ufuncs.apply(np.remainder, arange(count), size))
    setitem(x, where, value)


@implements(np.fill_diagonal)
def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    x, value = written_array(a), operand(val)
    refuse(x.ndim != 2, wrap)
    target = diagonal_view(x, 0, 0, 1)
    refuse(isinstance(value, StagedArray) and value.type.dims != target.type.dims)
    target[...] = value


def expect_safe(value: StagedArray, dtype: np.dtype) -> None:
    """NumPy makes an array of the target's dtype of what is put into it."""
    if not np.can_cast(value.dtype, dtype):
        raise TypeError(f"Cannot cast array data from {value.dtype!r} to {dtype!r} according to the rule 'safe'")


@implements(np.putmask)
def putmask(a: Any, mask: Any, values: Any) -> None:
    x, value = written_array(a), operand(values)
    if isinstance(value, StagedArray):
        expect_safe(value, x.dtype)
        refuse(value.type.dims != x.type.dims)
    masked = array(cast(as_array(mask).value, BOOL))
    refuse(masked.type.dims != x.type.dims)
    setitem(x, masked, getitem(value, masked) if isinstance(value, StagedArray) else value)


def expect_castable(source: Any, dtype: np.dtype) -> None:
    """What is copied must be of the same kind as the target; a Python int also fits unsigned integers."""
    if not is_number(source) and not isinstance(source, (StagedArray, np.ndarray)):
        return
    found = dtype_of(source) if is_number(source) else as_array(source).dtype
    is_plain_int = is_number(source) and is_weak(source) and found.kind == "i" and dtype.kind == "u"
    if not is_plain_int and not np.can_cast(found, dtype, "same_kind"):
        what = "scalar" if is_number(source) else "array data"
        raise TypeError(f"Cannot cast {what} from {found!r} to {dtype!r} according to the rule 'same_kind'")


@implements(np.copyto)
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    target = written_array(dst)
    refuse(casting != "same_kind")
    source = content_of(src)
    expect_castable(source, target.dtype)
    if where is True:
        assign(target, source)
        return
    mask = mask_of(where)
    refuse(not target.writeable)
    for part, what in ((source, "input array"), (mask, "where mask")):
        if isinstance(part, (StagedArray, np.ndarray)):
            refuse(as_array(part).ndim > target.ndim)
            check_broadcast(as_array(part).value, target.value, what)
    if is_number(source):
        source = scalar(element_value(source, target.dtype))
    elif target.dtype.kind != "b" and as_array(source).dtype.kind == "b":
        source = array(cast(as_array(source).value, target.dtype))
    same = (np.logical_or, (source, source)) if target.dtype.kind == "b" else (np.positive, (source,))
    language.ufunc(same[0], "__call__", same[1], {"out": (target,), "where": where})
