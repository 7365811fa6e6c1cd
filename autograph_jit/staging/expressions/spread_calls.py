"""Calls with `*items` and `**mapping` of which only the run knows how many there are, or that are no such thing."""

from __future__ import annotations

import types
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.staging.containers.lists import Rest
from autograph_jit.staging.expressions.alternatives import in_each_kind
from autograph_jit.staging.hosting import host_effect, host_object
from autograph_jit.staging.plain.calls import MISFIT, Misfit, is_numpy
from autograph_jit.staging.stand_in_texts import text_with_stand_ins
from autograph_jit.staging.trace import user_span
from autograph_jit.staging.values import Protocol


def call_with_rest(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with `*items` of a run-time list: in Python where the function is a builtin or NumPy's, otherwise the items are demanded."""
    if MISFIT in kwargs:
        return call_with_mapping(fn, args, kwargs)
    if isinstance(args[0], Misfit):
        refuse_spreading(args[0].content, lambda x: fn(*x))
    if not isinstance(fn, types.BuiltinFunctionType) and fn is not zip and not is_numpy(fn):
        flat = [item for arg in args for item in (arg.items if isinstance(arg, Rest) else (arg,))]
        return Protocol.call(fn, tuple(flat), kwargs)

    def run(parts: Any, **named: Any) -> Any:
        flat = [item for open_, part in zip(opened, parts) for item in (part if open_ else (part,))]
        return list(fn(*flat, **named)) if fn is zip else fn(*flat, **named)

    opened = [isinstance(arg, Rest) for arg in args]
    parts = tuple(arg.items.listed() if isinstance(arg, Rest) else arg for arg in args)
    if fn is print:
        return host_effect(run, parts, label="print", **kwargs)
    return host_object(run, parts, label=getattr(fn, "__name__", "call"), python_type=list if fn is zip else None, **kwargs)


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
