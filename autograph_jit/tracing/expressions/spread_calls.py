"""Calls with `*items` and `**mapping` of which only the run knows how many there are, or that are no such thing."""

from __future__ import annotations

import inspect
import types
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.containers.lists import Rest, TracedList
from autograph_jit.tracing.containers.tuples import TracedTuple, transposed
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.hosting.host_calls import host_effect, host_object
from autograph_jit.tracing.plain import calls as plain_calls
from autograph_jit.tracing.plain.calls import MISFIT, Misfit, is_numpy
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.alternatives import in_each_kind
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import user_span
from autograph_jit.tracing.values.types import stays_as_it_is


def call_with_rest(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with `*items` of a run-time list: in Python where the function is a builtin or NumPy's, by a branch for each number of
    parameters where it has so many, otherwise the items are demanded."""
    if MISFIT in kwargs:
        return call_with_mapping(fn, args, kwargs)
    if isinstance(args[0], Misfit):
        refuse_spreading(args[0].content, lambda x: fn(*x))
    if isinstance(fn, StagedObject):
        pieces = tuple(arg.items.listed() if isinstance(arg, Rest) else (arg,) for arg in args)
        return host_object(call_pieces, fn, pieces, kwargs, label="object call")
    if not isinstance(fn, types.BuiltinFunctionType) and fn is not zip and not is_numpy(fn):
        most = parameters_of(fn)
        known = taken_before_rest(fn, args, kwargs)
        if known is not None and isinstance(rest := packed_items(args[known:]), TracedTuple):
            return language.call(fn, (*args[:known], Packed(rest)), kwargs)
        if most is not None and [isinstance(arg, Rest) for arg in args].index(True) == len(args) - 1:
            return call_by_length(fn, args[:-1], args[-1].items, kwargs, most - len(args) + 1)
        flat = [item for arg in args for item in (arg.items if isinstance(arg, Rest) else (arg,))]
        return language.call(fn, tuple(flat), kwargs)

    if fn is zip and len(args) == 1 and not kwargs and (made := transposed(args[0].items)) is not None:
        return made

    def run(parts: Any, **named: Any) -> Any:
        flat = [item for open_, part in zip(opened, parts) for item in (part if open_ else (part,))]
        return list(fn(*flat, **named)) if fn is zip else fn(*flat, **named)

    opened = [isinstance(arg, Rest) for arg in args]
    parts = tuple(arg.items.listed() if isinstance(arg, Rest) else arg for arg in args)
    if fn is print:
        return host_effect(run, parts, label="print", **kwargs)
    return host_object(run, parts, label=getattr(fn, "__name__", "call"), python_type=list if fn is zip else None, **kwargs)


def call_pieces(fn: Any, pieces: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A call of an object of the run with the items of all pieces."""
    return fn(*(item for piece in pieces for item in piece), **named)


def function_behind(fn: Any) -> tuple[types.FunctionType | None, bool]:
    """The function of the user's that a call of a function, method or class runs, and whether its first parameter is bound; None for
    others."""
    function: Any = fn.__init__ if isinstance(fn, type) else getattr(fn, "__func__", fn)  # type: ignore[misc]
    is_own = isinstance(function, types.FunctionType) and not plain_calls.is_library(function)
    return (function if is_own else None), isinstance(fn, (types.MethodType, type))


def parameters_of(fn: Any) -> int | None:
    """How many arguments by position a function or class of the user's takes; None where that is not known, or any number."""
    function, bound = function_behind(fn)
    if function is None or hasattr(function, "__wrapped__"):
        return None
    return None if function.__code__.co_flags & inspect.CO_VARARGS else function.__code__.co_argcount - bound


class Packed:
    """The items that the last parameter `*rest` of a function takes, as a tuple of which only the run knows how long it is."""

    def __init__(self, items: TracedTuple) -> None:
        self.items = items


def taken_before_rest(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> int | None:
    """How many arguments parameters of their own take, where the parameter `*rest` of a function of the user's takes all that are not
    known; None for other functions."""
    function, bound = function_behind(fn)
    if function is None or not function.__code__.co_flags & inspect.CO_VARARGS or function.__code__.co_kwonlyargcount:
        return None
    code = function.__code__
    are_kept = all(arg.items.is_native and stays_as_it_is(arg.items.kind) for arg in args if isinstance(arg, Rest))
    if not are_kept or code.co_varnames[code.co_argcount] in kwargs:
        return None
    count = code.co_argcount - bound
    return count if count <= [isinstance(arg, Rest) for arg in args].index(True) else None


def packed_items(args: tuple[Any, ...]) -> Any:
    """`(*args,)`, some of which stand for the items of a list of the run."""
    items = TracedList.made([])
    for arg in args:
        items.extend(arg.items if isinstance(arg, Rest) else [arg])
    return language.call(tuple, (items,), None)


def packed_form(fn: types.FunctionType) -> types.FunctionType:
    """A function that takes what its parameter `*rest` holds as one argument."""
    code = fn.__code__
    plain = code.replace(co_argcount=code.co_argcount + 1, co_flags=code.co_flags & ~inspect.CO_VARARGS)
    return types.FunctionType(plain, fn.__globals__, fn.__name__, None, fn.__closure__)


def call_by_length(fn: Any, known: tuple[Any, ...], items: Any, kwargs: dict[str, Any], most: int, count: int = 0) -> Any:
    """A call with the items of a run-time list behind the known arguments: a branch for every number of them that fits."""
    if count > most:
        return host_object(lambda rest: fn(*known, *rest), items.listed(), label="call")  # which raises Python's TypeError
    return language.if_exp(
        compare("==", items.length(), count),
        lambda: language.call(fn, (*known, *(items[place] for place in range(count))), kwargs),
        lambda: call_by_length(fn, known, items, kwargs, most, count + 1),
    )


def call_with_mapping(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with `**mapping` where the mapping is known only at run time: in Python where the function is a builtin."""
    mapping = kwargs.pop(MISFIT)
    if isinstance(mapping, Misfit):
        refuse_spreading(mapping.content, lambda x: fn(**x))
    if not isinstance(fn, types.BuiltinFunctionType) and fn is not dict:
        raise ConversionError(
            "keyword arguments that only the run knows",
            user_span(),
            "which names this mapping has depends on the data",
            "pass the mapping itself, or make it with the same keys on every way",
        )

    def run(mapping: Any, *values: Any, **named: Any) -> Any:
        return fn(*values, **mapping, **named)

    return host_object(run, mapping, *args, label=fn.__name__, python_type=dict if fn is dict else None, **kwargs)


@in_each_kind
def refuse_spreading(content: Any, spread: Any) -> None:
    """The error of a call with `*content` or `**content` that is no iterable or mapping."""
    raise TypeError(text_with_stand_ins(spread, content))
