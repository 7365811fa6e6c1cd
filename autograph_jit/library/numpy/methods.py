"""Methods of staged arrays that are not also NumPy functions with the same parameters."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.library.numpy.attributes import number_of_elements, python_value
from autograph_jit.library.numpy.linalg import dot
from autograph_jit.library.numpy.selection import choose, clip, compress, repeat, round_array, take
from autograph_jit.library.numpy.sorting import argsort, sort
from autograph_jit.library.numpy.writing import put
from autograph_jit.tracing.arrays.array_like import fresh_copy, require_dtype
from autograph_jit.tracing.arrays.elements import element_value
from autograph_jit.tracing.arrays.indexing import READ_ONLY, assign, getitem
from autograph_jit.tracing.arrays.register import METHODS, NotNative, method, refuse
from autograph_jit.tracing.arrays.views import basic_view, reshape
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.values.abstract import StagedArray, check
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, element, scalar
from autograph_jit.tracing.values.memory_order import elementwise
from autograph_jit.tracing.values.trace import constant, emit, user_span

LARGEST_LIST = 64
NOT_ONE = "can only convert an array of size 1 to a Python scalar"


@method("astype")
def astype(x: StagedArray, dtype: Any, order: Any = "K", casting: str = "unsafe", subok: bool = True, copy: Any = True) -> Any:
    wanted = require_dtype(dtype)
    if not np.can_cast(x.dtype, wanted, casting):  # type: ignore[arg-type]
        raise TypeError(f"Cannot cast array data from {x.dtype!r} to {wanted!r} according to the rule '{casting}'")
    if wanted == x.dtype:
        return array(elementwise("copy", x.value)) if copy else x
    return array(cast(x.value, wanted))


@method("fill")
def fill(x: StagedArray, value: Any) -> None:
    if not x.writeable:
        raise ValueError(READ_ONLY)
    emit("assign", x.value, element_value(value, x.dtype))


@method("item")
def item(x: StagedArray, *args: Any) -> Any:
    """`x.item()`: the element as a Python number."""
    if len(args) == 1 and isinstance(args[0], tuple):
        (args,) = args
    if not args:
        return scalar(python_value(sole_element(x)), True)
    if len(args) == 1 and x.ndim != 1:
        x = reshape(x, (-1,))
    return scalar(python_value(getitem(x, tuple(args))), True)


def number_in(x: StagedArray) -> Any:
    """The element of an array that stands where Python wants a number: of rank 0, or of one element for a NumPy that takes those."""
    if x.ndim and not takes_one_element():
        raise TypeError(text_of(float, np.zeros(2)))
    return sole_element(x, TypeError, text_of(float, np.zeros(2)))


@functools.cache
def takes_one_element() -> bool:
    """Whether this NumPy makes a number of any array of one element; it was deprecated in 1.25."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return float(np.ones(1)) == 1.0
        except TypeError:
            return False


def sole_element(x: StagedArray, kind: type[Exception] = ValueError, text: str = NOT_ONE) -> Any:
    """The element of an array that must have exactly one."""
    count = number_of_elements(x)
    if isinstance(count, int):
        if count != 1:
            raise kind(text)
    else:
        check(emit("equal", count.value, constant(np.int64(1))).result, kind, text)
    return element(x) if x.ndim == 0 else getitem(x, (0,) * x.ndim)


@method("tolist")
def tolist(x: StagedArray) -> Any:
    """Nested Python lists, where the shape is known and small."""
    count = number_of_elements(x)
    refuse(not isinstance(count, int), isinstance(count, int) and count > LARGEST_LIST)
    if x.ndim == 0:
        return scalar(python_value(element(x)), True)
    found = (getitem(x, k) for k in range(x.type.dims[0]))  # type: ignore[arg-type]
    return TracedList.made([tolist(part) if isinstance(part, StagedArray) else scalar(python_value(part), True) for part in found])


@method("sort")
def sort_in_place(x: StagedArray, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    assign(x, sort(x, axis, kind, order, stable=stable))


@method("partition")
def partition_in_place(x: StagedArray, kth: Any, axis: Any = -1, kind: str = "introselect", order: Any = None) -> None:
    assign(x, language.numpy(np.partition, (x, kth, axis, kind, order), {}))


@method("clip")
def clip_method(x: StagedArray, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    return clip(x, min, max, out, **kwargs)


@method("conj", "conjugate")
def conjugate(x: StagedArray) -> Any:
    return language.ufunc(np.conjugate, "__call__", (x,), {}) if x.dtype.kind == "c" else x


@method("view")
def view(x: StagedArray, *args: Any, **kwargs: Any) -> Any:
    """`x.view()`: a new name for the same memory; other dtypes are NumPy's business."""
    refuse(bool(args) or bool(kwargs))
    return basic_view(x, [("full",)] * x.ndim)


@method("dot")
def dot_method(x: StagedArray, b: Any, out: Any = None) -> Any:
    return dot(x, b, out)


def refuse_in_place(name: str) -> Any:
    """A method that changes the array itself otherwise than by its elements."""

    def refused(x: StagedArray, *args: Any, **kwargs: Any) -> Any:
        raise ConversionError(
            f"`{name}` of an array cannot be called in compiled code",
            user_span(),
            "it changes how the array's memory is read, for all names of the array",
            f"make a new array with {REMEDIES[name]}",
        )

    return refused


REMEDIES = {"resize": "np.resize, np.pad or reshape", "setfield": "view and an assignment", "setflags": "copy, before the call"}
for _name in REMEDIES:
    method(_name)(refuse_in_place(_name))


@method("byteswap")
def swapped(x: StagedArray, inplace: bool = False) -> Any:
    """The bytes of every element in the other order."""
    if inplace:
        assign(x, x.byteswap())
        return x
    raise NotNative


@method("dump", "tofile", "__deepcopy__")
def unstaged(x: StagedArray, *args: Any, **kwargs: Any) -> Any:
    raise NotNative


@method("__copy__")
def shallow_copy(x: StagedArray) -> Any:
    return fresh_copy(x)


for _name, _function in {
    "take": take,
    "put": put,
    "repeat": repeat,
    "compress": lambda x, condition, axis=None, out=None: compress(condition, x, axis, out),
    "choose": choose,
    "round": round_array,
    "argsort": argsort,
}.items():
    METHODS[_name] = _function
