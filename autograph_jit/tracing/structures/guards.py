"""Guards: the conditions under which a later call finds what the trace found, and what kinds of values there are."""

from __future__ import annotations

import datetime
import numbers
import operator
import pathlib
import re
from array import array
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from itertools import repeat
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.garbage import without_collection
from autograph_jit.ir.types import is_supported
from autograph_jit.tensor.tensor import Tensor
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.plain.packages import package_of
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known
from autograph_jit.tracing.structures.made_containers import BASES
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.values.axis_order import order_in_memory

SMALL_INT, SMALL_SIZE = 2**62, 8
MAX_ITEMS = 1000
FEW = 2  # objects that the items of a list are compared with one by one
ATOMIC = (bool, str, bytes, type(None), type(Ellipsis))
CONSTANT = (*ATOMIC, int, float, complex, np.generic)
LIBRARY_CONSTANTS = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    datetime.tzinfo,
    numbers.Rational,
    pathlib.PurePath,
    re.Pattern,
    slice,
)
COLLECTIONS = (Set, Mapping, Sequence, deque, array, bytearray)
IN_C: tuple[Any, ...] = (*BASES, array, bytearray)  # which classes of the user's ask by `super()`


def is_opaque(x: Any) -> bool:
    """Whether an object is known by its identity only: functions, classes, what has no attributes, what a library calls. A generator of
    random numbers is not: the program draws from that of the call."""
    if isinstance(x, (np.random.Generator, np.random.RandomState)):
        return False
    if isinstance(x, (type, FunctionType)) or type(x).__module__ == "builtins" or fields_of(x) is None:
        return True
    if not callable(x):
        return False
    method = type(x).__call__
    return not isinstance(method, FunctionType) or is_library(method)


def holds_arrays(x: Any, around: tuple[Any, ...] = ()) -> bool:
    """Whether a list, dict or tuple holds arrays or Tensors, at any depth: what is read at every call, so that the trace may not use it. It
    stands in those `around`, one of which it may be."""
    if type(x) in (list, dict) or isinstance(x, tuple):
        items, inside = x.values() if isinstance(x, dict) else x, (*around, x)
        return len(x) <= MAX_ITEMS and not any(x is other for other in around) and any(holds_arrays(item, inside) for item in items)
    return isinstance(x, Tensor) or (type(x) is np.ndarray and is_supported(x.dtype))


def is_constant(x: Any) -> bool:
    """Whether a value is known by itself: a number, text, None, or a tuple of such."""
    return isinstance(x, CONSTANT) or (type(x) is tuple and all(map(is_constant, x)))


def has_own_content(x: Any) -> bool:
    """Whether an object is a collection whose content Python's own code looks up: no read of it is seen, so that all of it is guarded."""
    kind = type(x)
    if not isinstance(x, COLLECTIONS) or kind in (list, dict, tuple, str, bytes) or hasattr(kind, "_fields"):
        return False
    methods = [getattr(kind, name, None) for name in ("__iter__", "__getitem__")]
    if package_of(getattr(methods[1], "__module__", None)) in ("numpy", "scipy"):
        return False  # what reads a file when it is asked for an item
    return isinstance(x, IN_C) or all(not isinstance(method, FunctionType) or is_library(method) for method in methods)


def content_of(x: Any) -> Any:
    """The content of a collection, in its order, to compare: constants as they are, other items by their identity. Methods of a user's
    class do not tell what the collection holds that it is derived from."""
    if type(x) is range:
        return x.start, x.stop, x.step
    base = next((base for base in IN_C if isinstance(x, base)), None)
    if isinstance(x, Mapping):
        return tuple((token_of(key), token_of(value)) for key, value in (base or type(x)).items(x))
    return tuple(map(token_of, x if base is None else base.__iter__(x)))


def holds_what(x: frozenset[Any]) -> Callable[[Any], bool]:
    """Whether a collection is this one, which cannot change, or has its content."""
    content = content_of(x)
    return lambda found: found is x or type(found) is type(x) and content_of(found) == content


def token_of(item: Any) -> Any:
    """What tells an item from others: a constant by its type and value, named tuples and tuples with constants alone by what they hold, all
    else by identity."""
    if is_constant(item):
        return type(item), item
    parts = tuple(map(token_of, item)) if is_tuple_class(type(item)) else (Itself(item),)
    return Itself(item) if any(isinstance(part, Itself) for part in parts) else (type(item), parts)


def is_tuple_class(kind: Any) -> bool:
    """Whether tuples of a class are nothing but their items: Python's own, and named ones without attributes."""
    return kind is tuple or issubclass(kind, tuple) and hasattr(kind, "_make") and kind.__dictoffset__ == 0


class Itself:
    """An object that equals no other; it is kept, so that no later object has its address."""

    __slots__ = ("item",)

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.item is other.item

    def __hash__(self) -> int:
        return id(self.item)

    def __repr__(self) -> str:
        return f"<{type(self.item).__name__} at {id(self.item):#x}>"


def device_layout(x: Any) -> tuple[np.dtype, tuple[int, ...]] | None:
    """dtype and shape of an array on a CUDA device (`__cuda_array_interface__`, or numba's simulator), None for anything else."""
    kind: Any = type(x)
    if isinstance(x, type) or not (hasattr(kind, "__cuda_array_interface__") or hasattr(kind, "__cuda_ndarray__")):
        return None  # asked for either, a class with `__getattr__` might raise anything
    interface = getattr(x, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        return np.dtype(interface["typestr"]), tuple(interface["shape"])
    return (x.dtype, tuple(x.shape)) if getattr(x, "__cuda_ndarray__", None) is True else None


def unchanged(function: FunctionType, decisions: Container[Any]) -> list[Guard]:
    """That a function is made of what it was made of: reloading a module in place replaces its code. A container that is a default holds
    what it held, unless the program changes it."""
    parts = ["__code__", *(["__defaults__"] if function.__defaults__ else [])]
    text = f"{function.__name__} has the code that it had"
    guards = [Guard(Attribute(Known(function), part), "code", getattr(function, part), text) for part in parts]
    if function.__kwdefaults__:
        named, text = function.__kwdefaults__, f"{function.__name__} has the defaults that it had"
        guards.append(Guard(Attribute(Known(function), "__kwdefaults__"), "code", named, text))
        guards += [Guard(Entry(Known(named), key), "is", value, text) for key, value in named.items()]
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        if (type(value) in (list, dict) or has_own_content(value)) and ("outside", id(value)) not in decisions:
            text = f"a default of {function.__name__} has the same content"
            guards.append(Guard(Applied(content_of, (Known(value),)), "value", content_of(value), text))
    return guards


def is_always_true(kind: Any) -> bool:
    """Whether nothing says of the instances of a class that they are false."""
    return not any(name in vars(base) for base in kind.__mro__ for name in ("__bool__", "__len__"))  # not of the class of its class


def share_no_list(*found: list[Any]) -> bool:
    """Whether no list is one of these, or a row of one, twice: the rows of one may be one."""
    lists = [{id(x), *ids_of_rows(x)} for x in found]
    return len(set().union(*lists)) == sum(map(len, lists))


def ids_of_rows(x: list[Any]) -> Iterable[int]:
    """The identities of the lists and dicts in a list."""
    types = set(map(type, x))
    if types <= {list, dict}:
        return map(id, x)
    return () if types.isdisjoint((list, dict)) else (id(row) for row in x if type(row) in (list, dict))


def item_type(x: list[Any]) -> type | None:
    """The one type of Python's numbers, or str, that all items of a list have, ints within the range of inputs; None where there
    is none."""
    kinds = set(map(type, x))
    found = kinds.pop() if len(kinds) == 1 else None
    if found is int and not are_small(x):
        return None
    return found if found in (bool, int, float, complex, str) else None


def are_small(x: list[int]) -> bool:
    """Whether ints are within the range of inputs."""
    return not x or -SMALL_INT < min(x) and max(x) < SMALL_INT


def are_apart(*found: Any) -> bool:
    """Whether these are different objects."""
    return len(set(map(id, found))) == len(found)


def same_objects(x: Any) -> tuple[int, ...]:
    """For each list, dict, set or instance in a collection the place where that very object stands first."""
    first: dict[int, int] = {}
    items = enumerate(x.values() if isinstance(x, dict) else x)
    return tuple(first.setdefault(id(item), place) for place, item in items if not is_constant(item))


def is_none_of(x: Any, *others: Any) -> bool:
    """Whether an object is none of some others."""
    return all(x is not other for other in others)


@without_collection
def has_none_of(found: list[Any], *others: Any) -> bool:
    """Whether the items of a list are none of some objects."""
    if len(others) > FEW:
        return set(map(id, found)).isdisjoint(map(id, others))
    return not any(any(map(operator.is_, found, repeat(other))) for other in others)


def rows_held(x: Any) -> dict[int, Any]:
    """The lists, dicts and sets in a container, by identity."""
    inside: Any = dict.values(x) if isinstance(x, dict) else x if type(x) in (list, tuple, deque) else ()
    return {id(row): row for row in inside if isinstance(row, (list, dict, set))}


def holds_none_of(x: Any, *others: Any) -> bool:
    """Whether a container holds none of some others, nor what one of them holds."""
    held = rows_held(x).keys()
    return all(id(other) not in held and held.isdisjoint(rows_held(other)) for other in others)


@without_collection
def are_others(found: list[Any], *others: Any) -> bool:
    """Whether some objects are different ones, and none of the others."""
    return len(set(map(id, found))) == len(found) and has_none_of(found, *others)


class Guard:
    """A condition on later calls: `holds(args)`; `text` says what it is for the user."""

    __slots__ = ("getter", "kind", "expected", "text")

    def __init__(self, getter: Getter, kind: str, expected: Any, text: str) -> None:
        self.getter, self.kind, self.expected, self.text = getter, kind, expected, text

    def holds(self, args: tuple[Any, ...]) -> bool:
        try:
            found = self.getter(args)
        except (AttributeError, KeyError, IndexError, NameError, TypeError):
            return False
        return self.accepts(found)

    def accepts(self, found: Any) -> bool:
        """Whether a value is what the trace found, as far as it matters."""
        if self.kind in ("is", "code"):
            return found is self.expected
        if self.kind == "type":
            return type(found) is self.expected
        if self.kind == "apart":
            return found is True
        if self.kind == "int":
            return type(found) is int and abs(found) < self.expected
        if self.kind == "array":
            return (
                type(found) is np.ndarray
                and bool(found.flags.writeable) is self.expected[3]
                and self.fits(found.dtype, found.shape)
                and order_in_memory(found) == self.expected[4]
            )
        if self.kind == "device array":
            layout = device_layout(found)
            return layout is not None and self.fits(*layout)
        if self.kind == "fits":
            return found is not None
        if self.kind == "longer":
            return bool(found > self.expected[1])
        if self.kind == "length":
            return type(found) is self.expected[0] and len(found) == self.expected[1]
        if type(found) is not type(self.expected):
            return False
        if isinstance(found, (float, complex, tuple, np.inexact)):  # 0.0 is not -0.0, (1,) is not (True,), nan is nan
            return repr(found) == repr(self.expected)
        return bool(found == self.expected)

    def fits(self, dtype: np.dtype, shape: tuple[int, ...]) -> bool:
        """Whether an array is as expected: sizes that are not fixed are greater than 1."""
        expected, rank, fixed, *_ = self.expected
        if dtype != expected or len(shape) != rank:
            return False
        known = dict(fixed)
        return all(known[axis] == size if axis in known else size > 1 for axis, size in enumerate(shape))
