"""Arguments that NumPy refuses: it is called on the real values, so that the exception is its own, text and all."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.errors import AutographJitError
from autograph_jit.ir.graph import Block
from autograph_jit.ir.opdef import Effect
from autograph_jit.library.numpy.axes import UnknownAxis, on_each_axis
from autograph_jit.library.numpy.host import is_user_function
from autograph_jit.tracing.arrays.register import NotNative
from autograph_jit.tracing.values.abstract import is_staged
from autograph_jit.tracing.values.faults import acts_for_program, fault_of
from autograph_jit.tracing.values.trace import active

NO_NATIVE_FORM = object()
COMPUTING = {"einsum", "holes", "linalg", "order_statistics", "reductions", "signals", "statistics"}
REFUSALS = (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError)


@acts_for_program
def natively(
    implementation: Callable[..., Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], label: str
) -> Any:
    """What a native implementation makes of a call, NO_NATIVE_FORM where it does not take these arguments, or fails by a fault of its own.

    Where it raises as NumPy would, and the exception ends the compiled function, the function that the user called is called on the real
    values, and raises it. Should NumPy find nothing wrong after all, the implementation's exception still ends the call.
    """
    trace = active()
    if trace.handling.float_errors is not None and computes(function, implementation) or is_staged(kwargs.get("dtype")):
        return NO_NATIVE_FORM
    trace.calls.natively += 1
    block, length = trace.block, len(trace.block.operations)
    try:
        return implementation(*args, **kwargs)
    except NotNative:
        return NO_NATIVE_FORM
    except UnknownAxis as unknown:
        return on_each_axis(unknown, partial(expect_native, implementation, unknown), args, kwargs)
    except REFUSALS as error:
        if not isinstance(error, AutographJitError) and fault_of(error) is not None and not has_written(block, length):
            return NO_NATIVE_FORM
        values = (*args, *kwargs.values())
        if trace.calls.natively == 1 and not isinstance(error, AutographJitError) and not any(map(is_user_function, values)):
            error.__dict__["__autograph_refusal__"] = (function, args, kwargs, label)
        raise
    finally:
        trace.calls.natively -= 1


def expect_native(implementation: Callable[..., Any], unknown: UnknownAxis, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a native implementation makes of a call in one of several branches."""
    try:
        return implementation(*args, **kwargs)
    except NotNative:
        raise unknown from None


def computes(function: Callable[..., Any], implementation: Callable[..., Any]) -> bool:
    """Whether a call may meet floating-point errors: ufuncs with their methods, and functions that stand on them."""
    if isinstance(function, np.ufunc) or isinstance(getattr(function, "__self__", None), np.ufunc):
        return True
    return implementation.__module__.rpartition(".")[2] in COMPUTING


def has_written(block: Block, length: int) -> bool:
    """Whether operations with effects were recorded in a block beyond its first so many."""
    return any(operation.opdef.effect in (Effect.WRITE, Effect.HOST, Effect.DRAW) for operation in block.operations[length:])
