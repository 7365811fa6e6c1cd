"""Values on their way into an array: NumPy's conversions and errors of an element store, which differ from those of a cast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.dims import lower_bound
from autograph_jit.ir.graph import Value
from autograph_jit.ops.dispatch import kept_boxed
from autograph_jit.tracing.hosting.host_calls import host_scalar
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.lift import cast, element, scalar
from autograph_jit.tracing.values.trace import constant, emit


def element_value(x: Any, dtype: np.dtype, check_place: Callable[[], Any] = lambda: None) -> Value:
    """The value that storing `x` into one element of an array of `dtype` writes. Where that may fail, `check_place` has emitted before
    what fails if there is no such element."""
    x = content_of(x)
    if may_misfit(x, dtype):
        check_place()
    if isinstance(x, StagedArray):
        return cast(element(x).value, dtype) if x.ndim == 0 else constant_element(np.zeros((2,) * x.ndim, x.dtype), dtype)
    if isinstance(x, (list, tuple)) and contains_staged(x):
        return constant_element(type(x)((0, 0)), dtype)
    if isinstance(x, StagedScalar):
        return staged_element(x, dtype)
    if isinstance(x, StagedObject):
        return object_element(x, dtype)
    return constant_element(x, dtype)


def may_misfit(x: Any, dtype: np.dtype) -> bool:
    """Whether NumPy may refuse to store a value of the run, or a number of Python's, into an element."""
    if isinstance(x, StagedArray):
        return x.ndim > 0
    if not isinstance(x, StagedScalar):
        return not isinstance(x, (np.generic, float, bool)) or (isinstance(x, float) and dtype.kind in "iu")
    kind = x.scalar_dtype.kind
    if x.is_tagged or kind == "c":
        return dtype.kind != "c"
    if dtype.kind not in "iu" or kind == "b":
        return False
    if kind == "f":
        return x.weak or dtype.kind == "i"
    return (is_below(x, dtype) or may_exceed(x, dtype)) if x.weak else dtype.kind == "i" and not np.can_cast(x.scalar_dtype, dtype)


def is_below(x: StagedScalar, dtype: np.dtype) -> bool:
    """Whether a staged int may be less than the least of an integer dtype."""
    lowest = int(np.iinfo(dtype).min)
    if lowest == 0:
        return not is_length(x)
    return lowest > -(2**63) and scalars.bits_of(x) > dtype.itemsize * 8 - 1


def may_exceed(x: StagedScalar, dtype: np.dtype) -> bool:
    """Whether a staged int may be more than the largest of an integer dtype."""
    highest = int(np.iinfo(dtype).max)
    return highest < 2**63 - 1 and 2 ** scalars.bits_of(x) - 1 > highest


def object_element(x: StagedObject, dtype: np.dtype) -> Value:
    """The value that NumPy stores for an object that only the run knows."""

    def stored(found: Any) -> Any:
        place = np.zeros(1, dtype)
        place[0] = found
        return place[0]

    return host_scalar(kept_boxed(stored), x, dtype=dtype, weak=False, label="store into an array").value


@acts_for_program
def constant_element(x: Any, dtype: np.dtype) -> Value:
    """The value that NumPy itself stores for a number, a string or None; its own error where it refuses."""
    with np.errstate(all="ignore"):
        place = np.zeros(1, dtype)
        place[0] = x
    return constant(place[0])


def staged_element(x: StagedScalar, dtype: np.dtype) -> Value:
    """The value that storing a staged number writes."""
    kind = x.scalar_dtype.kind
    if x.is_tagged and (dtype.kind in "iu" or kind == "c"):
        return distribute(x, lambda number: scalar(staged_element(number, dtype))).value
    if dtype.kind not in "iu" or kind == "b":
        if x.weak and kind == "c" and dtype.kind == "f":
            raise TypeError("float() argument must be a string or a real number, not 'complex'")
        return cast(x.value, dtype)
    if x.weak and kind == "c":
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'")
    if kind == "f" and (x.weak or dtype.kind == "i"):
        return in_range(scalars.to_int(x), dtype)
    if kind in "iu" and dtype.kind == "i" and not x.weak and not np.can_cast(x.scalar_dtype, dtype):
        return in_range(scalars.to_int(x), dtype)
    if kind == "i" and x.weak:
        return in_range(x, dtype)
    return cast(x.value, dtype)


def in_range(x: StagedScalar, dtype: np.dtype) -> Value:
    """A staged Python int as an integer dtype: out of its bounds is an error, as for `np.uint8(300)`."""
    limits = np.iinfo(dtype)
    template = "Python integer {0} out of bounds for " + dtype.name
    if is_below(x, dtype):
        check(emit("greater_equal", x.value, constant(np.int64(limits.min))).result, OverflowError, template, x.value)
    if may_exceed(x, dtype):
        check(emit("less_equal", x.value, constant(np.int64(limits.max))).result, OverflowError, template, x.value)
    return cast(x.value, dtype)


def is_length(x: StagedScalar) -> bool:
    """Whether a staged int is known not to be negative."""
    bound = lower_bound(x.size) if x.size is not None else None
    return bound is not None and bound >= 0
