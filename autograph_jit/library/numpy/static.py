"""NumPy functions that are answered while the program is traced: of dtypes, ranks, shapes, and the handling of floating-point errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.library.numpy import attributes as array_attributes
from autograph_jit.library.numpy.host import call_host
from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import NotNative, refuse
from autograph_jit.tracing.hosting import host_calls as hosting
from autograph_jit.tracing.values.abstract import Maybe, Staged, StagedArray, StagedObject, StagedScalar, content_of
from autograph_jit.tracing.values.float_errors import ACTING
from autograph_jit.tracing.values.lift import is_number, lift_array, shape_of
from autograph_jit.tracing.values.trace import user_span


def dtype_argument(x: Any) -> Any:
    """What stands for an argument of a function that looks at dtypes alone."""
    x = content_of(x)
    refuse(isinstance(x, StagedObject))
    if isinstance(x, StagedArray):
        return x.dtype
    if isinstance(x, StagedScalar):
        return x.python_type(0) if x.weak else x.dtype
    return x


def on_dtypes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function that looks at the dtypes of its arguments: called at once."""
    return function(*(dtype_argument(arg) for arg in args), **{name: dtype_argument(value) for name, value in kwargs.items()})


def on_examples(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of the dtype of an array: called at once on an example."""
    refuse(any(isinstance(content_of(x), StagedObject) for x in args))
    samples = [
        np.zeros(1, x.dtype) if isinstance(x, StagedArray) else x.python_type(0) if isinstance(x, StagedScalar) else x
        for x in map(content_of, args)
    ]
    return function(*samples, **kwargs)


def least_type(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.min_scalar_type, which looks at the value of a number: only the run knows it."""
    if not args or not is_number(content_of(args[0])):
        return on_examples(function, args, kwargs)
    return hosting.host_object(function, *args, label="np.min_scalar_type", **kwargs)


def rank_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.ndim."""
    x = content_of(args[0])
    return 0 if is_number(x) else as_array(x).ndim


def shape_of_any(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.shape."""
    x = content_of(args[0])
    return () if is_number(x) else shape_of(as_array(x))


def size_of_any(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.size."""
    x = content_of(args[0])
    if is_number(x):
        return 1
    axis = args[1] if len(args) > 1 else kwargs.get("axis")
    refuse(isinstance(axis, StagedArray))
    return array_attributes.number_of_elements(as_array(x)) if axis is None else shape_of(as_array(x))[axis]


def is_scalar(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.isscalar."""
    x = args[0]
    refuse(isinstance(x, (Maybe, StagedObject)))
    return True if isinstance(x, StagedScalar) else False if isinstance(x, Staged) else np.isscalar(x)


def shares_memory(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """np.shares_memory: NumPy looks at the real arrays."""
    x, y = (lift_array(x) if isinstance(x, np.ndarray) else x for x in map(content_of, args[:2]))
    return call_host(lambda one, other: bool(function(one, other)), (x, y), {}, "np.shares_memory")


def set_error_modes(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, str]:
    """np.seterr: what was set when the program was traced; the modes that leave results as they are go on to Python."""
    if any(mode in ACTING for mode in (*args, *kwargs.values())):
        raise ConversionError(
            "`np.seterr` cannot make compiled code raise, print or call",
            user_span(),
            "native operations do not look at floating-point errors",
            "`with np.errstate(...)` around the operations",
        )
    hosting.host_object(function, *args, label="np.seterr", **kwargs)
    return {kind: str(mode) for kind, mode in np.geterr().items()}


STATIC: dict[Any, Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]] = {
    np.result_type: on_dtypes,
    np.can_cast: on_dtypes,
    np.promote_types: on_dtypes,
    np.iscomplexobj: on_examples,
    np.isrealobj: on_examples,
    np.min_scalar_type: least_type,
    np.issubdtype: on_dtypes,
    np.ndim: rank_of,
    np.shape: shape_of_any,
    np.size: size_of_any,
    np.isscalar: is_scalar,
    np.shares_memory: shares_memory,
    np.may_share_memory: shares_memory,
    np.seterr: set_error_modes,
}

EXAMPLES: dict[Any, Any] = {np.size: 1, np.ndim: 1, np.isscalar: True}


def answer(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What such a function gives; the run tells where it is asked about an object that only the run knows."""
    try:
        return STATIC[function](function, args, kwargs)
    except NotNative:
        example = EXAMPLES.get(function)
        return call_host(function, args, kwargs, f"np.{function.__name__}", None if example is None else lambda *_, **__: example)
