"""Functions that SciPy writes in Python, as functions of NumPy on stand-ins: by name, since SciPy itself is not loaded here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.matrices import row_order
from autograph_jit.tracing.expressions.package_forms import PACKAGE_FORMS
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array
from autograph_jit.tracing.values.trace import emit

OPTIONS = {"axis", "b", "keepdims"}
LINALG, MATRIX_OPTIONS = "scipy.linalg", {"lower", "trans", "check_finite"}


def float_array(a: Any) -> Any:
    """An argument as an array of floats or complex numbers."""
    return language.numpy(np.asarray, (a,), {}) * 1.0


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
    return language.getitem(np.squeeze(x, axis=axis), ())


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


def linalg(name: str, *args: Any, **kwargs: Any) -> Any:
    """A function of scipy.linalg."""
    return language.numpy(getattr(sys.modules[LINALG], name), args, kwargs)


def cho_factor(a: Any, lower: bool = False, check_finite: bool = True) -> Any:
    """`scipy.linalg.cho_factor`: nothing in particular stands in the other triangle, zeros here."""
    return linalg("cholesky", a, lower=lower, check_finite=check_finite), bool(lower)


def cho_solve(c_and_lower: Any, b: Any, check_finite: bool = True) -> Any:
    """`scipy.linalg.cho_solve`: two triangular solutions."""
    factor, lower = c_and_lower
    first, second = (0, 2) if lower else (2, 0)
    middle = linalg("solve_triangular", factor, b, trans=first, lower=lower, check_finite=check_finite)
    return linalg("solve_triangular", factor, middle, trans=second, lower=lower, check_finite=check_finite)


def lu_solve(lu_and_piv: Any, b: Any, trans: int = 0, check_finite: bool = True) -> Any:
    """`scipy.linalg.lu_solve`: the rows in the order of the pivots, and two triangular solutions."""
    lu, pivots = lu_and_piv
    order = language.numpy(row_order, (pivots,), {})
    if trans == 0:
        rows = language.numpy(np.take, (b, order), {"axis": 0})
        middle = linalg("solve_triangular", lu, rows, lower=True, unit_diagonal=True, check_finite=check_finite)
        return linalg("solve_triangular", lu, middle, check_finite=check_finite)
    middle = linalg("solve_triangular", lu, b, trans=trans, check_finite=check_finite)
    turned = linalg("solve_triangular", lu, middle, trans=trans, lower=True, unit_diagonal=True, check_finite=check_finite)
    return turned[np.argsort(order)]


FORMS: dict[str, Callable[..., Any]] = {"logsumexp": log_sum_exp, "softmax": soft_max, "log_softmax": log_soft_max}
MATRIX_FORMS: dict[str, Callable[..., Any]] = {"cho_factor": cho_factor, "cho_solve": cho_solve, "lu_solve": lu_solve}


def library_form(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The form of a function of SciPy's for this call; the function itself where it has none."""
    module = fn.__module__ or ""
    if module.startswith(LINALG) and not kwargs.keys() - MATRIX_OPTIONS and contains_staged((args, kwargs)):
        return MATRIX_FORMS.get(fn.__name__, fn)
    is_known = module.startswith("scipy.special") and len(args) <= 4 and not kwargs.keys() - OPTIONS
    return FORMS.get(fn.__name__, fn) if is_known else fn


PACKAGE_FORMS["scipy"] = library_form
