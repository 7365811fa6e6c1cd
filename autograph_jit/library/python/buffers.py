"""`bytearray` and `array.array` objects that a program makes: vectors that leave it as such objects.

Before: `marks = bytearray(n)`, `marks[k] = 1`: two calls of Python
After:  a vector of n zeros, and a store in it

One whose length changes is a list of compiled code, one that Python code is given an object of the run: tracing starts again.
"""

from __future__ import annotations

from array import array as PythonArray
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.library.python.byte_items import ints_given, vector_of_bytes
from autograph_jit.ops.texts import BYTE
from autograph_jit.tracing.containers.buffers import CODES, INT, ViewedArray, ViewedBytes, left_to_python
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import as_array
from autograph_jit.tracing.expressions.calls import construct
from autograph_jit.tracing.expressions.register import builtin
from autograph_jit.tracing.hosting.host_calls import host_object, host_operator
from autograph_jit.tracing.structures.demands import made_before
from autograph_jit.tracing.structures.rebuilding import Made, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.texts.text import Bytes, is_int
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, check, content_of
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dimension, index_value, lift_array, lift_number, scalar, truth
from autograph_jit.tracing.values.trace import active, emit, user_span

LENGTH_CHANGES = "a slice of a bytearray changes its length in compiled code"
OTHER_SIZE = "attempt to assign bytes of size {0} to extended slice of size {1}"


class MadeBuffer(ViewedArray):
    """Base of both: as one of the caller's, but that nobody else has it. `depth` counts the regions around its creation."""

    knows_depth = True

    def __init__(self, items: StagedArray, like: Any, key: Any) -> None:
        super().__init__(items, None, like, key)
        self.like, self.depth = like, len(active().regions)

    def object_to_read(self) -> StagedObject:
        """A copy that Python reads."""
        return host_object(self.make, array(emit("copy", self.items.value).result), label="copy", python_type=self.__rebuilt_type__)

    @property
    def make(self) -> Callable[[np.ndarray], Any]:
        """What makes the object of a vector."""
        return partial(python_array, self.code) if self.__rebuilt_type__ is PythonArray else bytearray

    def __template__(self, template: Template) -> Rebuild:
        return Made(self.make, (template.leaves.position(self.items.value),))

    def __getitem__(self, key: Any) -> Any:
        if is_int(key):
            return self.item(key)
        if not isinstance(key, slice):
            return super().__getitem__(key)
        part = language.getitem(self.items, key)
        return made_buffer(self.like, lambda: array(emit("copy", part.value).result), lambda: super(MadeBuffer, self).__getitem__(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        given = vector_of(value) if isinstance(key, slice) and self.__rebuilt_type__ is bytearray else None
        if given is not None:
            self.set_slice(key, given)
        elif is_int(key) and self.fits(value):
            super().__setitem__(key, value)
        else:
            self.be_object()

    def set_slice(self, key: slice, given: StagedArray) -> None:
        """`self[key] = given`; what compiled code cannot do is to change the length."""
        count, size = dimension(given, 0), dimension(language.getitem(self.items, key), 0)
        same, has_steps = language.compare("==", count, size), key.step is not None and language.compare("!=", key.step, 1)
        stays = language.if_exp(has_steps, lambda: language.compare("!=", count, 0), lambda: False)
        check(truth(language.if_exp(same, lambda: True, lambda: stays)), ValueError, LENGTH_CHANGES)
        check(truth(same), ValueError, OTHER_SIZE, index_value(count), index_value(size))
        language.setitem(self.items, key, given)

    def __mul__(self, times: Any) -> Any:
        if not is_int(times):
            return host_operator("*", self, times)
        repeated = lambda: language.numpy(np.tile, (self.items, language.call(max, (times, 0), None)), {})  # noqa: E731
        return made_buffer(self.like, repeated, lambda: host_operator("*", self.object_to_read(), times))

    __rmul__ = __mul__

    def be_grown(self) -> Any:
        """The length changes: the trace goes on as if this had been one whose length changes from the beginning."""
        trace, begin, depth = active(), self.items, self.depth
        trace.foresee(grown(self.name))
        del self.items
        self.__class__ = GrownArray if isinstance(self, MadeArray) else GrownBytes
        with made_before(trace):
            self.__init__(begin, self.like, self.name)  # type: ignore[misc]
        self.depth = depth
        return self

    def append(self, value: Any) -> None:
        self.be_grown().append(value)

    def pop(self, index: Any = -1) -> Any:
        return self.be_grown().pop(index)

    def extend(self, added: Any) -> None:
        self.be_grown().extend(added)

    def __iadd__(self, added: Any) -> Any:  # type: ignore[misc]
        self.be_grown().extend(added)
        return self


class MadeArray(MadeBuffer):
    """An `array.array`."""


class MadeBytes(MadeBuffer, ViewedBytes):
    """A bytearray."""


class GrownBuffer(MadeBuffer):
    """One whose length changes: a list of compiled code of its items."""

    def __init__(self, items: StagedArray, like: Any, key: Any) -> None:
        self.part = emit("list_new", elem=ScalarType(items.dtype)).result
        self.changes = 0  # of its length
        super().__init__(items, like, key)

    @property
    def items(self) -> StagedArray:  # type: ignore[override]
        """The items that there are now, as a vector of their own."""
        return as_array(self.part)

    @items.setter
    def items(self, begin: StagedArray) -> None:
        if begin.type.dims != (0,):
            emit("list_extend", self.part, begin.value)

    def length(self) -> Any:
        return scalar(emit("list_len", self.part).result, True, bits=48)

    def changing(self) -> tuple[Any, ...]:
        return (self,)

    def __template__(self, template: Template) -> Rebuild:
        make = partial(PythonArray, self.code) if self.__rebuilt_type__ is PythonArray else bytearray
        return Made(make, (template.leaves.position(self.part),))

    @acts_for_program
    def item(self, index: Any) -> Any:
        self.expect_index(index)
        return self.number(emit("list_get", self.part, index_value(index)).result)

    def expect_index(self, index: Any, what: str = "") -> None:
        """Python's IndexError where no item has this index."""
        count = self.length()
        is_there = language.if_exp(index >= 0, lambda: index < count, lambda: index >= -count)
        check(truth(is_there), IndexError, f"{self.__rebuilt_type__.__name__} {what}index out of range")

    def stored(self, value: Any) -> Value:
        """A number on its way in."""
        wanted = "must be real number, not NoneType" if self.dtype.kind == "f" else "'NoneType' object cannot be interpreted as an integer"
        value = content_of(value, TypeError, wanted)
        if not self.fits(value):
            self.be_object()
        if self.dtype.kind != "f" and self.dtype != INT:
            self.expect_in_range(lift_number(value, INT))
        return cast(lift_number(value), self.dtype)

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        is_array = self.__rebuilt_type__ is PythonArray
        if not is_int(key) or not self.fits(value):
            self.be_object()
        if is_array:
            self.expect_index(key, "assignment ")
        stored = self.stored(value)
        if not is_array:
            self.expect_index(key)
        emit("list_set", self.part, index_value(key), stored)

    @acts_for_program
    def append(self, value: Any) -> None:
        self.changes += 1
        emit("list_push", self.part, self.stored(value))

    @acts_for_program
    def pop(self, index: Any = -1) -> Any:
        if type(index) is not int or index != -1:
            self.be_object()
        self.changes += 1
        check(truth(self.length() > 0), IndexError, f"pop from empty {self.__rebuilt_type__.__name__.removesuffix('.array')}")
        return self.number(emit("list_pop", self.part, index_value(index)).result)

    @acts_for_program
    def extend(self, added: Any) -> None:
        vector = vector_of(added) if self.__rebuilt_type__ is bytearray else None
        if vector is None or added is self:
            self.be_object()
        else:
            self.changes += 1
            emit("list_extend", self.part, vector.value)

    def __iadd__(self, added: Any) -> Any:  # type: ignore[misc]
        self.extend(added)
        return self


class GrownArray(GrownBuffer, MadeArray):
    """An `array.array` whose length changes."""


class GrownBytes(GrownBuffer, MadeBytes):
    """A bytearray whose length changes."""


for _kind in (MadeArray, MadeBytes, GrownArray, GrownBytes):  # in the texts of errors that Python raises itself
    _kind.__name__ = "bytearray" if issubclass(_kind, ViewedBytes) else "array.array"


def python_array(code: str, items: np.ndarray) -> Any:
    """An `array.array` of a vector."""
    return PythonArray(code, items.tobytes())


def made_buffer(like: Any, items: Callable[[], StagedArray], otherwise: Callable[[], Any]) -> Any:
    """One made here of a vector, or what Python makes where an earlier trace has found that it has to."""
    trace, span = active(), user_span(2)
    key = trace.occurrence(("buffer", span.filename, span.lineno) if span else ("buffer",))
    if not trace.decisions.isdisjoint({left_to_python(key), ("exact",)}):
        return otherwise()
    kinds = (GrownBytes, GrownArray) if grown(key) in trace.decisions else (MadeBytes, MadeArray)
    return kinds[type(like) is not bytearray](items(), like, key)


def grown(key: Any) -> tuple[str, Any]:
    """The decision that the length of one changes."""
    return "grown", key


@builtin(bytearray)
def staged_bytearray(*args: Any, **kwargs: Any) -> Any:
    items = bytes_given(args[0] if args else b"") if len(args) < 2 and not kwargs else None
    otherwise = partial(construct, active(), bytearray, args, kwargs)
    return otherwise() if items is None else made_buffer(bytearray(), items, otherwise)


def bytes_given(x: Any) -> Callable[[], StagedArray] | None:
    """The vector that a bytearray of `x` begins with; None where Python has to make it."""
    if is_int(x) and not isinstance(x, bool):
        check(truth(language.compare(">=", x, 0)), ValueError, "negative count")
        return lambda: language.numpy(np.zeros, (x, BYTE), {})
    if isinstance(x, TracedList) and x.dynamic is None and all(type(item) is int and 0 <= item < 256 for item in x):
        x = bytes(x)
    numbers = ints_given(x)
    if numbers is not None:
        return lambda: vector_of_bytes(numbers, "byte")
    vector = vector_of(x)
    return None if vector is None else lambda: array(emit("copy", vector.value).result)


def vector_of(x: Any) -> StagedArray | None:
    """The vector of a bytes object or bytearray; None of anything else."""
    if isinstance(x, (Bytes, ViewedBytes)):
        return x.codes if isinstance(x, Bytes) else x.items
    return lift_array(np.frombuffer(x, BYTE)) if isinstance(x, bytes) else None


@builtin(PythonArray)
def staged_array(*args: Any, **kwargs: Any) -> Any:
    otherwise = partial(construct, active(), PythonArray, args, kwargs)
    if not 0 < len(args) < 3 or kwargs or type(args[0]) is not str or args[0] not in tuple(CODES):
        return otherwise()
    like, x = PythonArray(args[0]), args[1] if len(args) == 2 else TracedList()
    dtype = np.asarray(like).dtype
    if isinstance(x, TracedList) and x.dynamic is None and not any(isinstance(item, StagedScalar) for item in list.__iter__(x)):
        known = np.asarray(PythonArray(args[0], list(x)))
        return made_buffer(like, lambda: array(emit("copy", lift_array(known).value).result), otherwise)
    if isinstance(x, TracedList) and x.is_native and x.kind.number == (dtype, True):
        return made_buffer(like, lambda: array(cast(as_array(x.native.parts[0]).value, dtype)), otherwise)
    return otherwise()
