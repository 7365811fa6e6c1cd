"""Functions that `functools` makes of the user's: with a cache, which is asked when the program runs, or with one for each type."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.library.numpy.host import call_host
from autograph_jit.tracing.expressions.calls import OF_FUNCTOOLS
from autograph_jit.tracing.functions.callbacks import host_calling_back
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import depends_on_run
from autograph_jit.tracing.structures.getters import Known
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active

FIXED = (int, float, complex, str, bytes, type(None), np.generic, np.ndarray, FunctionType, type)
METHOD = "_method"  # what functools calls the function that a singledispatchmethod gives


def call_cached(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a function with a cache. What the cache gives now, or keeps from now on, shows the type of what the run will find in it;
    what may change is the very object that the cache keeps."""
    label = getattr(fn, "__name__", "cached function")
    if depends_on_run((args, kwargs)) or fn.cache_parameters()["maxsize"] == 0:
        return host_calling_back(fn, *args, label=label, **kwargs)
    try:
        found = fn(*args, **kwargs)
    except Exception:  # noqa: BLE001 - the run will raise it, if it still does
        return host_object(fn, *args, label=label, **kwargs)
    if not is_fixed(found):
        return host_object(fn, *args, label=label, python_type=type(found), **kwargs)
    return call_host(fn, args, kwargs, label, lambda *_, **__: found)


def is_fixed(x: Any) -> bool:
    """Whether a result cannot change, or is an array, which is data wherever it is."""
    return isinstance(x, FIXED) or isinstance(x, (tuple, frozenset)) and all(map(is_fixed, x))


def chosen_by_type(fn: FunctionType, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What a function of `functools.singledispatch`, or a method of `singledispatchmethod`, calls for its first argument, under guard;
    None for other functions."""
    if fn.__code__.co_filename != functools.__file__ or not args:
        return None
    captured = inspect.getclosurevars(fn).nonlocals if fn.__code__.co_name == METHOD else {}
    owner: Any = captured.get("self")
    dispatch: Any = owner.dispatcher.dispatch if owner is not None else captured.get("dispatch", fn.__dict__.get("dispatch"))
    kind, trace = None if dispatch is None else language.call(type, args[:1], None), active()
    if not isinstance(kind, type):
        return None
    chosen = dispatch(kind)
    if trace.inputs is not None:
        find = Known(dispatch)
        trace.inputs.guard(lambda given: find(given)(kind), "is", chosen, f"{fn.__name__} has the same function for {kind.__name__}")
    return chosen.__get__(captured["obj"], captured["cls"]) if captured else chosen


OF_FUNCTOOLS["cached"], OF_FUNCTOOLS["by type"] = call_cached, chosen_by_type
