"""What a call has left behind as a flat list that two runs can be compared by: values, types, and which names mean one object.

Two modules made from one text have different classes; they are compared by their names.
"""

from __future__ import annotations

import enum
import functools
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.fuzz.oracle import ADDRESS

PLAIN = (bool, int, str, bytes, type(None), complex)


def portrait(value: Any) -> list[Any]:
    """The leaves of a value, each with where it stands."""
    return list(leaves(value, "", {}, []))


def leaves(value: Any, where: str, seen: dict[int, str], kept: list[Any]) -> Iterator[tuple[str, Any]]:
    """What stands where; an object that was there before is named by its first place. `kept` keeps alive whose id is known."""
    if isinstance(value, (float, *PLAIN)) and not isinstance(value, enum.Enum):
        yield where, (type(value).__name__, ADDRESS.sub("0x", value) if isinstance(value, str) else value)
        return
    if isinstance(value, enum.Enum):
        yield where, f"{value!r} of {type(value).__name__}"
        return
    if not isinstance(value, (tuple, frozenset)) or hasattr(value, "__dict__"):
        if id(value) in seen:
            yield where, f"is {seen[id(value)]}"
            return
        seen[id(value)] = where
        kept.append(value)
    yield where, type(value).__qualname__
    for part, item in contents(value):
        yield from leaves(item, f"{where}{part}", seen, kept)


def contents(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object by name; sets in the order of their texts."""
    if isinstance(value, dict):
        for index, (key, item) in enumerate(value.items()):
            yield f".key{index}", key
            yield f"[{key!r}]" if isinstance(key, PLAIN) else f"[key{index}]", item
    elif isinstance(value, (list, tuple, deque)):
        yield from ((f"[{index}]", item) for index, item in enumerate(value))
    elif isinstance(value, (set, frozenset)):
        yield from ((f"{{{index}}}", item) for index, item in enumerate(sorted(value, key=repr)))
    elif isinstance(value, functools.partial):
        yield from ((".args", value.args), (".keywords", value.keywords))
    elif isinstance(value, np.ndarray):
        yield from ((".dtype", str(value.dtype)), ("", value.tolist()))
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    if isinstance(value, BaseException):
        yield from ((".args", value.args), (".__cause__", value.__cause__), (".__suppress__", value.__suppress_context__))
    if not isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, types.MethodType, functools.partial)):
        yield from ((f".{name}", item) for name, item in attributes(value))


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that an object has itself, those of slots after the others."""
    own = getattr(value, "__dict__", {}).items()
    yield from ((name, item) for name, item in own if name != "__wrapped__" and not name.startswith("__autograph"))
    for owner in type(value).__mro__:
        slots = owner.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name in ("__dict__", "__weakref__") or not hasattr(value, name):
                continue
            yield name, getattr(value, name)


def module_state(module: dict[str, Any]) -> dict[str, Any]:
    """What a module's names and its classes' attributes mean, without functions, modules and what every class has."""
    found = {}
    for name, value in module.items():
        if isinstance(value, type) and value.__module__ == module["__name__"] and not issubclass(value, enum.Enum):
            found.update((f"{name}.{key}", item) for key, item in vars(value).items() if is_data(key, item))
        elif not isinstance(value, type) and is_data(name, value) and name not in ("f", "CALLS"):
            found[name] = value
        elif isinstance(value, types.FunctionType) and value.__module__ == module["__name__"] and name != "f":
            found[f"{name}.defaults"] = value.__defaults__
            found.update((f"{name}.{key}", item) for key, item in vars(value).items() if is_data(key, item))
    return found


def is_data(name: str, value: Any) -> bool:
    """Whether a name is one of the program's own for something that may change."""
    codes = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, property, classmethod, staticmethod, type)
    return not name.startswith("__") and not isinstance(value, codes) and not hasattr(value, "__get__")


def portrait_fault(got: list[Any], want: list[Any]) -> str | None:
    """The first difference between two portraits; floats may differ in their last digits."""
    for (place, a), (where, b) in zip(got, want):
        if place != where or not same_leaf(a, b):
            return f"{place}: {a!r}, expected {where}: {b!r}"
    if len(got) != len(want):
        longer = got if len(got) > len(want) else want
        return f"{'more' if longer is got else 'less'} than expected: {longer[min(len(got), len(want))]!r}"
    return None


def same_leaf(got: Any, want: Any) -> bool:
    """Whether two leaves are the same; of floats the sign of zero counts."""
    if isinstance(want, tuple) and isinstance(want[1], float):
        if not isinstance(got, tuple) or got[0] != want[0]:
            return False
        a, b = got[1], want[1]
        return bool(np.isclose(a, b, rtol=1e-12, atol=0, equal_nan=True)) and bool(b != 0 or np.signbit(a) == np.signbit(b))
    return got == want
