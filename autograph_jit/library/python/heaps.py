"""The standard library's heaps and bisection, `heapq` and `bisect`, on lists of converted code: its own source in Python is converted."""

from __future__ import annotations

import bisect
import heapq
import importlib.util
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from autograph_jit.library.python.iteration import collect, staged_sorted
from autograph_jit.tracing.expressions.access import getitem
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.sequences.cursors import cursor

OF_ITEMS = {"heappop", "heapreplace", "_heappop_max", "_heapreplace_max", "heappop_max", "heapreplace_max"}


def written_in_python(module: ModuleType, in_c: str) -> ModuleType:
    """A module of the standard library with its functions in Python, which it replaces by those of another one in C."""
    spec = importlib.util.find_spec(module.__name__)
    assert spec is not None and spec.loader is not None
    made, hidden = importlib.util.module_from_spec(spec), sys.modules[in_c]
    sys.modules[in_c] = None  # type: ignore[assignment]  # an import of it fails
    try:
        spec.loader.exec_module(made)
    finally:
        sys.modules[in_c] = hidden
    made.__name__ += " in Python"  # of a library by its name nothing is converted
    return made


def of_items(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a heap that is not empty, which fails in C's words for one that is."""

    def checked(heap: Any, *items: Any) -> Any:
        if len(heap) == 0:
            raise IndexError("index out of range")
        return function(heap, *items)

    return checked


def merge_two(first: Any, second: Any, key: Callable[[Any], Any] | None, reverse: bool) -> Any:
    """The items of two lists, one after another the head that is less; of the first list where neither is."""
    merged = []
    i = j = 0
    while i < len(first) and j < len(second):
        x = first[i] if key is None else key(first[i])
        y = second[j] if key is None else key(second[j])
        if x < y if reverse else y < x:
            merged.append(second[j])
            j += 1
        else:
            merged.append(first[i])
            i += 1
    return merged + first[i:] + second[j:]


for _module, _in_c in ((heapq, "_heapq"), (bisect, "_bisect")):
    for _name, _function in vars(written_in_python(_module, _in_c)).items():
        _called = getattr(_module, _name, None)
        if isinstance(_function, FunctionType) and _name not in ("merge", "nlargest", "nsmallest"):
            for _each in (_function, _called):
                builtin(_each)(for_c(convert_on_call(of_items(_function) if _name in OF_ITEMS and _each is _called else _function)))


@builtin(heapq.nlargest)
def staged_nlargest(n: Any, iterable: Any, key: Any = None) -> Any:
    return getitem(staged_sorted(iterable, key=key, reverse=True), slice(None, n))


@builtin(heapq.nsmallest)
def staged_nsmallest(n: Any, iterable: Any, key: Any = None) -> Any:
    return getitem(staged_sorted(iterable, key=key), slice(None, n))


@builtin(heapq.merge)
def staged_merge(*iterables: Any, key: Any = None, reverse: Any = False) -> Any:
    merged = collect(iterables[0] if iterables else ())
    for items in iterables[1:]:
        merged = convert_on_call(merge_two)(merged, collect(items), key, reverse)
    return cursor(merged, "generator")
