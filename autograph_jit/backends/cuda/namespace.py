"""The names that the text of kernels uses: conversions and functions, as the device has them and as the simulator can run them."""

from __future__ import annotations

import importlib
import inspect
import math
import types
from typing import Any

import numpy as np

from autograph_jit.backends.cuda import device_functions
from autograph_jit.backends.cuda.provider import numba_config
from autograph_jit.backends.once import once
from autograph_jit.ir.scalar_eager import call_name
from autograph_jit.ir.types import LONG_NAMES

FLOAT_CALLS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt pow cbrt atan2 hypot fmod"
    " copysign nextafter ldexp erf erfc lgamma floor ceil trunc rint fabs fma"
).split()
BITS = {
    ("float64", "int64"): "double_as_longlong",
    ("int64", "float64"): "longlong_as_double",
    ("float32", "int32"): "float_as_int",
    ("int32", "float32"): "int_as_float",
}
WITHOUT_UFUNC = {"erf": math.erf, "erfc": math.erfc, "lgamma": math.lgamma}


@once
def namespace() -> dict[str, Any]:
    """The globals of kernels."""
    names: dict[str, Any] = {"cuda": importlib.import_module("numba.cuda"), "inf": math.inf, "nan": math.nan, "bool_": np.bool_}
    names |= {f"dtype_{name}": getattr(np, name) for name in ("bool_", *LONG_NAMES.values()) if name != "bool"}
    names |= simulator_names() if numba_config.ENABLE_CUDASIM else device_names()
    return names


def device_names() -> dict[str, Any]:
    """Conversions and functions that numba compiles: libdevice for floats, device functions for the rest."""
    cuda, libdevice = importlib.import_module("numba.cuda"), importlib.import_module("numba.cuda.libdevice")
    names: dict[str, Any] = {name: getattr(np, name) for name in LONG_NAMES.values() if name != "bool"}
    for name in FLOAT_CALLS:
        names[f"{name}_float64"] = getattr(libdevice, name)
        names[f"{name}_float32"] = getattr(libdevice, f"{name}f")
    names |= {"multiply_float64": libdevice.dmul_rn, "multiply_float32": libdevice.fmul_rn}
    names |= {f"bits_{source}_{target}": getattr(libdevice, name) for (source, target), name in BITS.items()}
    compiled: dict[str, Any] = {}
    for name, function in inspect.getmembers(device_functions, inspect.isfunction):
        compiled[name] = cuda.jit(device=True)(with_globals(function, compiled))
    return names | compiled


def with_globals(function: types.FunctionType, compiled: dict[str, Any]) -> types.FunctionType:
    """A device function that calls the compiled forms of the others."""
    scope = dict(function.__globals__)
    for name in function.__code__.co_names:
        if name in scope and inspect.isfunction(scope[name]):
            if name not in compiled:
                cuda = importlib.import_module("numba.cuda")
                compiled[name] = cuda.jit(device=True)(with_globals(scope[name], compiled))
            scope[name] = compiled[name]
    return types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)


def simulator_names() -> dict[str, Any]:
    """The same names over NumPy scalars, which never raise as Python's math does."""
    names: dict[str, Any] = {name: conversion(np.dtype(name)) for name in LONG_NAMES.values() if name != "bool"}
    for width in ("float32", "float64"):
        for name in FLOAT_CALLS:
            names[f"{name}_{width}"] = float_call(name, np.dtype(width))
        names[f"multiply_{width}"] = np.multiply
    names |= {f"bits_{source}_{target}": bit_conversion(np.dtype(source), np.dtype(target)) for source, target in BITS}
    names |= dict(inspect.getmembers(device_functions, inspect.isfunction))
    for name in [name for name in names if name.startswith("complex_") and name not in ("complex_divide", "complex_scaled_log")]:
        names[name] = complex_call(name.removeprefix("complex_"))
    names["complex"] = lambda re, im: np.complex128(complex(re, im))
    names["complex_divide"] = lambda x, y: np.divide(np.complex128(x), np.complex128(y))
    names["complex_scaled_log"] = lambda z, factor: np.log(np.complex128(z)) * factor
    return names


def conversion(dtype: np.dtype) -> Any:
    """A conversion that wraps and truncates as C's."""
    return lambda x: np.asarray(x).astype(dtype)[()]


def bit_conversion(source: np.dtype, target: np.dtype) -> Any:
    return lambda x: np.asarray(x, source).view(target)[()]


def float_call(name: str, dtype: np.dtype) -> Any:
    """A function of floats by NumPy."""
    if name == "fma":
        return lambda x, y, z: dtype.type(x * y + z)
    if name in WITHOUT_UFUNC:
        return lambda x: dtype.type(special_function(name, float(x)))
    function = call_name(name)
    return lambda *args: dtype.type(function(*args))


def special_function(name: str, x: float) -> float:
    """erf, erfc or lgamma; infinite where Python's math raises."""
    try:
        return WITHOUT_UFUNC[name](x)
    except (ValueError, OverflowError):
        return math.inf


def complex_call(name: str) -> Any:
    function = call_name(name)
    return lambda *args: function(*map(np.complex128, args))
