"""`functools.cache` and `lru_cache` of a function, applied in the traced program: what was found is kept in a dict of the program.

The cache is one of the call, as in Python: made where the decorator is applied, asked and filled as any dict of converted code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.expressions.register import builtin, convert_on_call
from autograph_jit.tracing.values.trace import user_span

DEFAULT_SIZE = functools.lru_cache(lambda: None).cache_parameters()["maxsize"]
KEYWORDS = object()  # stands between positional and keyword arguments, as in functools


def remembering(function: Callable[..., Any], maxsize: int | None, typed: bool) -> Callable[..., Any]:
    """What the decorator gives; written like a user's function. The oldest result goes first: the dict is in the order of use."""
    found: dict[Any, Any] = {}

    def remembered(*args: Any, **kwargs: Any) -> Any:
        if maxsize == 0:
            return function(*args, **kwargs)
        key: Any = args
        if kwargs:
            key = (*args, KEYWORDS, *kwargs.items())
        if typed:
            key = (key, tuple([type(arg) for arg in args]), tuple([type(arg) for arg in kwargs.values()]))
        elif len(args) == 1 and not kwargs and (type(args[0]) is int or type(args[0]) is str):
            key = args[0]
        if key in found:
            if maxsize is None:
                return found[key]
            result = found.pop(key)
            found[key] = result
            return result
        result = function(*args, **kwargs)
        if maxsize is not None and key not in found and len(found) >= maxsize:
            del found[next(iter(found))]
        found[key] = result
        return result

    remembered.cache_clear = found.clear  # type: ignore[attr-defined]
    remembered.cache_info = refuse_counts  # type: ignore[attr-defined]
    remembered.cache_parameters = lambda: {"maxsize": maxsize, "typed": typed}  # type: ignore[attr-defined]
    remembered.__wrapped__ = function  # type: ignore[attr-defined]
    return remembered


def refuse_counts() -> Any:
    """ConversionError: hits and misses are not counted."""
    what, why = "`cache_info` of a cache that the compiled function makes", "compiled code does not count its hits and misses"
    raise ConversionError(what, user_span(), why, "count in the function that has the cache")


def remembered_by(maxsize: int | None, typed: bool) -> Callable[[Callable[..., Any]], Any]:
    """The decorator of this size."""
    return lambda function: convert_on_call(remembering)(function, maxsize, typed)


@builtin(functools.cache)
def cache(user_function: Callable[..., Any], /) -> Any:
    return remembered_by(None, False)(user_function)


@builtin(functools.lru_cache)
def lru_cache(maxsize: Any = DEFAULT_SIZE, typed: bool = False) -> Any:
    """With a size, a decorator; of a function, what it makes of it."""
    if callable(maxsize) and isinstance(typed, bool):
        return remembered_by(DEFAULT_SIZE, typed)(maxsize)
    if not isinstance(maxsize, (int, type(None))):
        return functools.lru_cache(maxsize, typed)  # Python's own error
    return remembered_by(maxsize if maxsize is None else max(maxsize, 0), bool(typed))
