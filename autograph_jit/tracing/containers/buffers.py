"""`array.array` and `bytearray` objects of the caller's: vectors in their own memory, whose items are Python's numbers.

Before: `a[i] = a[i] ^ k` of a bytearray: two calls of Python
After:  a load and a store in the memory of the object, under one guard: it is one of this item type

What may change its length, or gives it to Python code, makes it an object of the run: no one can resize what is viewed.
"""

from __future__ import annotations

import operator
from array import array
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import OBJECT
from autograph_jit.tracing.hosting.host_calls import host_bool, host_effect, host_object
from autograph_jit.tracing.sequences.dynamic import position
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.getters import Applied, Attribute, Getter
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, TaggedScalar, check
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dimension, dtype_of, index_value, is_number, lift_number, scalar, truth
from autograph_jit.tracing.values.trace import Restart, constant, emit, note_tracer

CODES = "bBhHiIlqfd"  # of items that a Python int of compiled code, or a float, holds
READING = set("tobytes tolist count index decode hex find rfind startswith endswith isalnum isdigit isspace".split())
FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)


def looks_at_number_first() -> bool:
    """Whether a bytearray looks at the number to be stored before the index, as later versions of Python do."""
    try:
        bytearray(1)[1] = 256
    except ValueError:
        return True
    except IndexError:
        return False
    raise AssertionError("256 is no byte")


NUMBER_FIRST = looks_at_number_first()


class ViewedObject(Indexed):
    """Base of what stands for an object of the caller's by views of its memory. Where it is asked for more than its class tells, or given
    to Python, tracing starts again with the object of the run; leaving the program is the object of the call."""

    __array_ufunc__ = None
    covered_names = ("item",)
    name: Any

    def be_object(self, *_: Any, **__: Any) -> Any:
        """Trace again with the object of the run."""
        raise Restart(left_to_python(self.name))

    def attribute_of_object(self, name: str) -> Any:
        """The same for an attribute, where the object has one of that name."""
        kind = self.__rebuilt_type__  # type: ignore[attr-defined]
        if name.startswith("__") and name.endswith("__") or not hasattr(kind, name):
            raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}'", name=name)
        return self.be_object()

    __getattr__ = attribute_of_object
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = __imul__ = be_object
    __delitem__ = __hash__ = __staged_object__ = __template__ = contains = be_object  # type: ignore[assignment]


class ViewedArray(ViewedObject):
    """An `array.array`; `source` is the object itself, where it is one of the caller's."""

    __rebuilt_type__: type = array

    def __init__(self, items: StagedArray, source: StagedObject | None, like: Any, name: Any) -> None:
        self.items, self.source, self.name = items, source, name
        self.code, self.dtype, self.itemsize = getattr(like, "typecode", "B"), items.dtype, items.dtype.itemsize
        note_tracer(self)

    def length(self) -> Any:
        return dimension(self.items, 0)

    @acts_for_program
    def item(self, index: Any) -> Any:
        text = f"{self.__rebuilt_type__.__name__} index out of range"
        return self.number(emit("load", self.items.value, index_value(index), text=text).result)

    def number(self, item: Value) -> StagedScalar:
        """Python's number for an item."""
        is_float = self.dtype.kind == "f"
        return scalar(cast(item, FLOAT if is_float else INT), True, bits=64 if is_float else 8 * self.itemsize)

    def __getitem__(self, key: Any) -> Any:
        if is_int(key):
            return self.item(key)
        return host_object(operator.getitem, self.object_to_read(), key, label="object item", python_type=self.__rebuilt_type__)

    def object_to_read(self) -> StagedObject:
        """The object itself, for Python code that changes nothing."""
        assert self.source is not None
        return self.source

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        key = position(key)
        if not is_int(key):
            self.be_object()
        if self.fits(value):
            text = f"{self.__rebuilt_type__.__name__} {'assignment ' if self.__rebuilt_type__ is array else ''}index out of range"
            index = index_value(key)
            if self.dtype.kind != "f" and self.dtype != INT:
                if self.__rebuilt_type__ is array or not NUMBER_FIRST:
                    emit("load", self.items.value, index, text=text)  # the index is looked at before the number
                self.expect_in_range(lift_number(value, INT))
            emit("store", self.items.value, cast(lift_number(value), self.dtype), index, text=text)
        else:
            host_effect(operator.setitem, self.source, key, value, label="object item assignment")

    def contains(self, x: Any) -> Any:
        """`x in self`: of a bytearray, also whether it has these bytes in a row."""
        is_bytes = self.__rebuilt_type__ is bytearray
        if not is_number(x) or isinstance(x, TaggedScalar) or is_bytes and dtype_of(x).kind not in "biu":
            return host_bool(operator.contains, self.object_to_read(), x, label="in")
        if is_bytes:
            is_byte = language.if_exp(x >= 0, lambda: x < 256, lambda: False)
            check(truth(is_byte), ValueError, "byte must be in range(0, 256)")
        return language.call(bool, (language.numpy(np.any, (language.compare("==", self.items, x),), {}),), None)

    def fits(self, value: Any) -> bool:
        """Whether a value is a number of a type of which items are made."""
        if not is_number(value) or isinstance(value, TaggedScalar) or dtype_of(value) == np.uint64:
            return False
        return dtype_of(value).kind in ("fiub" if self.dtype.kind == "f" else "iub")

    def expect_in_range(self, value: Any) -> None:
        """Python's error for a number that no item holds."""
        limits = np.iinfo(self.dtype)
        for name, bound, beyond in (("greater_equal", limits.min, limits.min - 1), ("less_equal", limits.max, limits.max + 1)):
            found = self.error_of(int(beyond))
            check(emit(name, value, constant(INT.type(bound))).result, type(found), str(found))

    def error_of(self, value: int) -> Exception:
        """What Python raises for an item of this value."""
        made: Any = array(self.code, [0]) if self.__rebuilt_type__ is array else bytearray(1)
        try:
            made[0] = value
        except (OverflowError, ValueError) as error:
            return error
        raise AssertionError(f"{value} is an item of {made}")

    def __getattr__(self, name: str) -> Any:
        if name == "typecode" and self.__rebuilt_type__ is array:
            return self.code
        if name not in READING or not hasattr(self.__rebuilt_type__, name):
            self.attribute_of_object(name)
        return lambda *args: host_object(getattr(self.__rebuilt_type__, name), self.object_to_read(), *args, label=f"method {name}")


class ViewedBytes(ViewedArray):
    """A bytearray."""

    __rebuilt_type__ = bytearray


ViewedArray.__name__, ViewedBytes.__name__ = "array.array", "bytearray"  # in the texts of errors that Python raises itself


def left_to_python(name: Any) -> tuple[str, Any]:
    """The decision that one is an object of the run."""
    return "as object", name


def is_viewed(inputs: Any, x: Any, name: str) -> bool:
    """Whether an object of the caller's is one of these, and nothing in the program speaks against it."""
    is_known = type(x) is bytearray or type(x) is array and x.typecode in CODES
    return is_known and left_to_python(name) not in inputs.trace.decisions and id(x) not in inputs.given


def view(inputs: Any, x: Any, getter: Getter, name: str) -> ViewedObject:
    """The stand-in of one of the caller's."""
    inputs.identify(x, getter, name)
    known = inputs.reads.get(("buffer", id(x)))
    if known is None:
        inputs.guard(getter, "type", type(x), f"{name} is of type {type(x).__name__}")
        if type(x) is array:
            inputs.guard(Attribute(getter, "typecode"), "value", x.typecode, f"the items of {name} are of type {x.typecode}")
        seen = np.asarray(x)
        items = inputs.array_of(seen, seen.dtype, seen.shape, "array", Applied(np.asarray, (getter,)), name)
        source = StagedObject(inputs.parameter(OBJECT, getter, name), type(x))
        made = (ViewedBytes if type(x) is bytearray else ViewedArray)(items, source, x, name)
        known = inputs.reads["buffer", id(x)] = x, made
        inputs.read_in.append((x, made, left_to_python(name), getter))
        inputs.views.append((made, getter))
    return known[1]
