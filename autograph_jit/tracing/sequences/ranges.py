"""Ranges whose bounds only the run knows: their length, their items and their parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Dim, lower_bound
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, TaggedScalar, check, demand_python
from autograph_jit.tracing.values.checks import as_number
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import index_value, lift_number, scalar, truth
from autograph_jit.tracing.values.trace import constant, emit


@dataclass(frozen=True, eq=False)
class StagedRange(Indexed):
    """`range(start, stop, step)` with a staged bound: evaluated once, the count computed at entry."""

    __rebuilt_type__ = range
    start: Any
    stop: Any
    step: Any
    count: Any

    @classmethod
    def of(cls, known: range) -> StagedRange:
        """A range of which the run asks for an item or a part."""
        return cls(known.start, known.stop, known.step, len(known))

    def length(self) -> Any:
        return self.count

    def item(self, index: Any) -> Any:
        if isinstance(self.step, int) and self.step == 1 and isinstance(self.start, int) and self.start == 0:
            return index
        return self.start + index * self.step

    def __staged_array__(self) -> StagedArray:
        return language.call_numpy(np.arange, (self.start, self.stop, self.step), {})

    def __template__(self, template: Any) -> Any:
        bounds = [template.of(bound) for bound in (self.start, self.stop, self.step)]
        return lambda values: range(*(bound(values) for bound in bounds))

    def __getitem__(self, key: Any) -> Any:
        length = self.count
        if isinstance(key, slice):
            return self.part(key)
        key = as_int(key)
        wrapped = language.if_exp(key < 0, lambda: key + length, lambda: key)
        check_index(wrapped, length, "range object index out of range")
        return self.item(wrapped)

    def part(self, key: slice) -> Any:
        """The range of the items that a slice with a step known while tracing selects."""
        step = 1 if key.step is None else as_int(key.step)
        if not isinstance(step, int):
            step = step.__index__()
        if step == 0:
            raise ValueError("slice step cannot be zero")
        low, high = (0, self.count) if step > 0 else (-1, self.count - 1)
        first, last = (low, high) if step > 0 else (high, low)
        start = first if key.start is None else self.clipped(key.start, low, high)
        stop = last if key.stop is None else self.clipped(key.stop, low, high)
        return make_range(self.item(start), self.item(stop), self.step * step)

    def clipped(self, bound: Any, low: Any, high: Any) -> Any:
        """A bound of a slice, counted from the end where it is negative, and no further out than the range goes."""
        position = as_int(bound)
        position = language.if_exp(position < 0, lambda: position + self.count, lambda: position)
        position = language.if_exp(position < low, lambda: low, lambda: position)
        return language.if_exp(position > high, lambda: high, lambda: position)

    def __eq__(self, other: Any) -> Any:
        """Whether two ranges have the same items."""
        if isinstance(other, range):
            other = StagedRange.of(other)
        if not isinstance(other, StagedRange):
            return NotImplemented
        count, start, step = other.count, other.start, other.step

        def same_steps() -> Any:
            return language.if_exp(count > 1, lambda: language.compare("==", self.step, step), lambda: True)

        def same_items() -> Any:
            begins_alike = language.if_exp(count > 0, lambda: language.compare("==", self.start, start), lambda: True)
            return language.if_exp(begins_alike, same_steps, lambda: False)

        return language.if_exp(language.compare("==", self.count, count), same_items, lambda: False)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else language.unary("not", equal)

    def __hash__(self) -> int:
        return demand_python(self, "hashable value")

    def contains(self, x: Any) -> Any:
        """`x in range(...)` for an int."""
        offset = x - self.start
        ahead = language.if_exp(self.step > 0, lambda: offset >= 0, lambda: offset <= 0)
        inside = language.if_exp(self.step > 0, lambda: x < self.stop, lambda: x > self.stop)
        return language.if_exp(language.if_exp(ahead, lambda: inside, lambda: False), lambda: offset % self.step == 0, lambda: False)

    def index(self, x: Any) -> Any:
        check(truth(self.contains(x)), ValueError, "{0} is not in range", index_value(x))
        return (x - self.start) // self.step


StagedRange.__name__ = "range"  # in the texts of errors that Python raises itself


def check_index(index: Any, length: Any, text: str) -> None:
    """0 <= index < length, or IndexError."""
    low = emit("greater_equal", index_value(index), constant(np.int64(0))).result
    high = emit("less", index_value(index), index_value(length)).result
    check(emit("logical_and", low, high).result, IndexError, text)


@acts_for_program
def make_range(*args: Any) -> Any:
    """`range(...)`: a real one where all bounds are known."""
    bounds = [as_int(arg) for arg in args]
    if all(isinstance(bound, int) for bound in bounds):
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    return StagedRange(start, stop, step, range_length(start, stop, step))


@acts_for_program
def as_int(x: Any) -> Any:
    """A Python int, real or staged, of anything with an index."""
    if isinstance(x, (TaggedScalar, StagedObject)):
        return language.integer_of(x)
    if isinstance(x, StagedScalar):
        if x.scalar_dtype.kind not in ("iub" if x.weak else "iu"):
            raise TypeError(f"'{x.type_name}' object cannot be interpreted as an integer")
        if isinstance(x.size, int):
            return x.size
        return scalar(index_value(x), True, x.size if x.weak else None, min(x.bits, 62) if x.weak else 62)
    if isinstance(x, StagedArray) and x.ndim == 0 or isinstance(x, Maybe):
        return scalar(index_value(x), True, bits=62)
    if isinstance(x, StagedArray):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")
    number = as_number(x)
    if number is not x:
        return as_int(number)
    return x.__index__() if hasattr(x, "__index__") else range(x)


def range_length(start: Any, stop: Any, step: Any) -> Any:
    """The number of items; a zero step is an error."""
    if not isinstance(step, int):
        check(emit("not_equal", index_value(step), constant(np.int64(0))).result, ValueError, "range() arg 3 must not be zero")
        up, down = length_of_range(start, stop, step), length_of_range(stop, start, -step)
        positive = emit("greater", index_value(step), constant(np.int64(0))).result
        return scalar(emit("where", positive, up.value, down.value).result, True, bits=62)
    if step == 0:
        raise ValueError("range() arg 3 must not be zero")
    return length_of_range(start, stop, step) if step > 0 else length_of_range(stop, start, -step)


def length_of_range(low: Any, high: Any, step: Any) -> Any:
    """max(0, ceil((high - low) / step)) for a positive step; a division by a possibly zero step gives 0."""
    span = high - low
    if isinstance(step, int) and step == 1 and is_never_negative(span):
        return span
    if isinstance(step, int) and step == 1:
        steps = span
    else:
        total = scalars.binary("+", span, scalars.binary("-", step, 1) if isinstance(step, StagedScalar) else step - 1)
        steps = scalar(emit("floor_divide", lift_number(total), lift_number(step)).result, True, bits=62)
    if isinstance(steps, int):
        return scalar(constant(np.int64(max(steps, 0))), True, max(steps, 0), 48)
    result = emit("maximum", steps.value, constant(np.int64(0))).result
    return scalar(result, True, bits=min(steps.bits, 62))


def is_never_negative(x: Any) -> bool:
    """Whether a staged int is known by its label to be a size."""
    if not (isinstance(x, StagedScalar) and isinstance(x.size, Dim)):
        return False
    bound = lower_bound(x.size)
    return bound is not None and bound >= 0
