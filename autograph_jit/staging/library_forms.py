"""Functions that SciPy writes in Python, as functions of NumPy on stand-ins: by name, since SciPy itself is not loaded here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.staging.lift import array
from autograph_jit.staging.trace import emit
from autograph_jit.staging.values import Protocol

OPTIONS = {"axis", "b", "keepdims"}


def float_array(a: Any) -> Any:
    """An argument as an array of floats or complex numbers."""
    return Protocol.function(np.asarray, (a,), {}) * 1.0


def log_sum_exp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False) -> Any:
    """`scipy.special.logsumexp`: the greatest elements are counted, the others added to them (as in SciPy 1.15); with weights, or of
    complex numbers, all are added. What is subtracted is a constant, so derivatives are exact where elements are equal."""
    a = float_array(a)
    if b is not None or a.dtype.kind == "c":
        weights = float_array(1.0 if b is None else b)
        greatest = constant_of(finite_or_zero(np.max(np.where(weights == 0, -np.inf, np.real(a)), axis=axis, keepdims=True)))
        found = np.log(np.sum(weights * np.exp(a - greatest), axis=axis, keepdims=True)) + greatest
    else:
        greatest = constant_of(np.max(a, axis=axis, keepdims=True))
        is_greatest, shifted = a == greatest, a - finite_or_zero(greatest)
        count = np.sum(is_greatest, axis=axis, keepdims=True).astype(a.dtype)
        others = np.sum(np.where(is_greatest, np.expm1(shifted), np.exp(shifted)), axis=axis, keepdims=True)
        found = np.log1p(others / np.maximum(count, 1)) + np.log(np.maximum(count, 1)) + greatest
    return found if keepdims else squeezed(found, axis)


def squeezed(x: Any, axis: Any) -> Any:
    """Without the axes of a reduction; a number where none is left."""
    return Protocol.getitem(np.squeeze(x, axis=axis), ())


def finite_or_zero(x: Any) -> Any:
    """Infinities cannot be subtracted from themselves."""
    return np.where(np.isfinite(x), x, 0)


def constant_of(x: Any) -> Any:
    """An array as a constant of differentiation."""
    return array(emit("stop_gradient", x.value).result)


def soft_max(x: Any, axis: Any = None) -> Any:
    """`scipy.special.softmax`."""
    x = float_array(x)
    weights = np.exp(x - constant_of(np.max(x, axis=axis, keepdims=True)))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def log_soft_max(x: Any, axis: Any = None) -> Any:
    """`scipy.special.log_softmax`."""
    x = float_array(x)
    shifted = x - constant_of(finite_or_zero(np.max(x, axis=axis, keepdims=True)))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


FORMS: dict[str, Callable[..., Any]] = {"logsumexp": log_sum_exp, "softmax": soft_max, "log_softmax": log_soft_max}


def library_form(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The form of a function of scipy.special for this call; the function itself where it has none."""
    is_known = (fn.__module__ or "").startswith("scipy.special") and len(args) <= 4 and not kwargs.keys() - OPTIONS
    return FORMS.get(fn.__name__, fn) if is_known else fn
