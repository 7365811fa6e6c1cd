"""NumPy ufuncs on stand-ins: dtype by NumPy's own resolution (NEP 50), casts, one elementwise operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops import registry
from autograph_jit.tracing.values.abstract import PYTHON_TYPES, StagedArray, StagedScalar, check, content_of
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import array, cast, dtype_of, element, is_weak, lift_array, lift_number, scalar
from autograph_jit.tracing.values.memory_order import elementwise
from autograph_jit.tracing.values.trace import constant, emit

RENAMED = {
    "power": "power",
    "float_power": "power",
    "fabs": "absolute",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "conjugate": "conjugate",
    "divide": "divide",
}
LOGICAL = {"logical_and", "logical_or", "logical_xor", "logical_not"}
BOOLEAN_RESULT = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isnan", "isinf", "isfinite", "signbit"} | LOGICAL


def operation_name(ufunc: np.ufunc) -> str | None:
    """The graph operation of a ufunc, or None where it has none."""
    name = RENAMED.get(ufunc.__name__, ufunc.__name__)
    return name if name in registry.OPS else None


def normalize_operand(x: Any) -> Any:
    """A number or an array stand-in: rank-0 arrays count as NumPy scalars, sequences become arrays."""
    x = content_of(x)
    if isinstance(x, np.ndarray):
        x = lift_array(x)
    if isinstance(x, StagedArray):
        return element(x) if x.ndim == 0 else x
    if isinstance(x, (list, tuple)):
        return normalize_operand(language.numpy(np.asarray, (x,), {}))
    return x


def dtype_token(x: Any) -> Any:
    """What `ufunc.resolve_dtypes` takes for an operand: a dtype, or int, float, complex for Python numbers."""
    if is_weak(x):
        kind = dtype_of(x).kind
        return np.dtype(bool) if kind == "b" else PYTHON_TYPES[kind]
    return dtype_of(x)


@acts_for_program
def resolve(ufunc: np.ufunc, operands: tuple[Any, ...]) -> tuple[np.dtype, ...]:
    """The loop's dtypes, inputs then outputs; TypeError as NumPy raises it where there is no loop."""
    tokens = [dtype_token(x) for x in operands]
    if all(isinstance(token, type) for token in tokens):
        tokens = [np.dtype(token) for token in tokens]
    dtypes = ufunc.resolve_dtypes((*tokens, *(None,) * ufunc.nout))
    for x, dtype in zip(operands, dtypes):
        if isinstance(x, int) and not isinstance(x, bool) and dtype.kind in "iu" and is_weak(x):
            limits = np.iinfo(dtype)
            if not limits.min <= x <= limits.max and ufunc.__name__ not in BOOLEAN_RESULT:
                raise OverflowError(f"Python integer {x} out of bounds for {dtype.name}")
    return dtypes


def lift_operand(x: Any, dtype: np.dtype) -> Value:
    """A number or array as a graph value of `dtype`."""
    return cast(x.value, dtype) if isinstance(x, StagedArray) else lift_number(x, dtype)


def apply(ufunc: np.ufunc, *operands: Any) -> Any:
    """`ufunc(*operands)` for a ufunc that has a graph operation and one output."""
    name = operation_name(ufunc)
    assert name is not None
    inputs = tuple(normalize_operand(x) for x in operands)
    dtypes = resolve(ufunc, inputs)
    if ufunc.__name__ in LOGICAL:
        dtypes = (np.dtype(bool),) * len(dtypes)
    if ufunc is np.power and dtypes[-1].kind in "iu":
        check_integer_power(*inputs)
    values = [lift_operand(x, dtype) for x, dtype in zip(inputs, dtypes)]
    return wrap_result(elementwise(name, *values), dtypes[-1])


def wrap_result(value: Value, dtype: np.dtype) -> Any:
    """A stand-in for a ufunc's result, cast to the dtype that the ufunc promises."""
    value = cast(value, dtype)
    return array(value) if isinstance(value.type, ArrayType) else scalar(value)


def check_integer_power(base: Any, exponent: Any) -> None:
    """NumPy refuses negative integer powers, where there is something to raise."""
    if dtype_of(exponent).kind in "bu":
        return
    if not isinstance(exponent, (StagedArray, StagedScalar)) and exponent >= 0:
        return
    text = "Integers to negative integer powers are not allowed."
    size = base.size if isinstance(base, StagedArray) else 1
    known = isinstance(size, int)
    if known and size == 0:
        return
    good = constant(np.bool_(False)) if known else emit("equal", lift_number(size), constant(np.int64(0))).result
    if isinstance(exponent, (StagedArray, StagedScalar)):
        lowest = language.numpy(np.min, (exponent,), {"initial": 0}) if isinstance(exponent, StagedArray) else exponent
        positive = emit("greater_equal", lift_number(lowest), constant(np.zeros((), dtype_of(lowest))[()])).result
        good = positive if known else emit("logical_or", positive, good).result
    elif known:
        raise ValueError(text)
    check(good, ValueError, text)
