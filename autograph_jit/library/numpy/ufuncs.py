"""Calls of NumPy ufuncs on stand-ins: `__call__` with out, where and dtype; reduce, accumulate, outer and at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.library.numpy.linalg import matmul
from autograph_jit.library.numpy.outputs import expect_castable, expect_outputs_fit, writable_outputs
from autograph_jit.library.numpy.reductions import accumulate_ufunc, reduce_ufunc
from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.arrays.array_like import as_array, has_staged_form, is_sequence, strong, wrap_result
from autograph_jit.tracing.arrays.elements import in_range
from autograph_jit.tracing.arrays.indexing import assign, getitem, is_advanced, parse_key, scatter, setitem
from autograph_jit.tracing.arrays.register import NotNative, refuse
from autograph_jit.tracing.arrays.views import add_axes, expect_fitting
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, content_of
from autograph_jit.tracing.values.lift import array, cast, dtype_of, element, is_number, is_weak, lift_number, scalar
from autograph_jit.tracing.values.memory_order import elementwise
from autograph_jit.tracing.values.shape_checks import check_fitting
from autograph_jit.tracing.values.trace import constant, emit

COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
SCATTER_MODES = {np.add: "add", np.subtract: "subtract", np.multiply: "multiply", np.divide: "divide", np.minimum: "min", np.maximum: "max"}
OPERATORS_OF_AT = {np.add, np.subtract, np.multiply, np.divide, np.minimum, np.maximum}
HAS_ARRAYS_OUT = np.lib.NumpyVersion(np.__version__) >= "2.3.0"  # `out=...`: the result is an array, of rank 0 where it were a number
ALWAYS = {"isnan": False, "isinf": False, "isfinite": True}


def operand(x: Any) -> Any:
    """A number or an array of rank 1 or more; rank-0 arrays count as NumPy scalars."""
    x = content_of(x)
    if isinstance(x, np.ndarray):
        x = as_array(x)
    if is_sequence(x) or has_staged_form(x):
        x = as_array(x)
    if isinstance(x, StagedArray):
        return element(x) if x.ndim == 0 else x
    if not is_number(x):
        raise NotNative
    return x


def call(
    ufunc: np.ufunc,
    *inputs: Any,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
    order: str = "K",
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
    axis: Any = None,
    axes: Any = None,
    keepdims: Any = False,
) -> Any:
    """`ufunc(*inputs, out=..., where=..., dtype=...)`."""
    if len(inputs) > ufunc.nin and out is None:
        inputs, out = inputs[: ufunc.nin], inputs[ufunc.nin :]
    refuse(
        signature is not None,
        sig is not None,
        axis is not None,
        axes is not None,
        keepdims,
        casting != "same_kind",
        len(inputs) != ufunc.nin,
    )
    if out is ... and HAS_ARRAYS_OUT:
        refuse(where is not True)
        results = call(ufunc, *inputs, dtype=dtype, order=order, subok=subok)
        return as_array(results) if ufunc.nout == 1 else tuple(map(as_array, results))
    targets = out if isinstance(out, tuple) else (out,) * (ufunc.nout == 1)
    refuse(bool(targets) and len(targets) != ufunc.nout, where is not True and any(target is None for target in targets))
    refuse(sum(target is not None for target in targets) > 1)  # which may share memory
    targets = writable_outputs(targets)
    if ufunc is np.matmul:
        refuse(where is not True, dtype is not None)
        if targets[0] is not None:
            expect_castable(ufunc, ufuncs.resolve(ufunc, tuple(as_array(x) for x in inputs))[ufunc.nin :], targets)
        results = (matmul(*inputs),)
    else:
        refuse(ufunc.signature is not None)  # of matrices and vectors: NumPy's own
        refuse(ufunc not in COMPOSED and (ufuncs.operation_name(ufunc) is None or ufunc.nout != 1))
        operands, mask = tuple(operand(x) for x in inputs), True if where is True else mask_of(where)
        found = result_dtypes(ufunc, operands, None if dtype is None else np.dtype(dtype))  # NumPy looks at types before it looks at shapes
        expect_castable(ufunc, found, targets)
        expect_outputs_fit(targets, operands, mask)
        expect_fitting(*operands)
        results = compute(ufunc, operands, None if dtype is None else np.dtype(dtype))
    if not any(target is not None for target in targets):
        return results[0] if ufunc.nout == 1 else results
    stored = tuple(
        result if target is None else store_result(target, result, where) for target, result in zip(targets, results, strict=True)
    )
    return stored[0] if ufunc.nout == 1 else stored


def result_dtypes(ufunc: np.ufunc, operands: tuple[Any, ...], dtype: np.dtype | None) -> tuple[np.dtype, ...]:
    """What a ufunc gives for these operands, or TypeError where it takes none such."""
    if dtype is not None:
        return resolve_for(ufunc, operands, dtype)[ufunc.nin :] if ufunc.nout == 1 else ()
    return ufuncs.resolve(ufunc, widen_compared(ufunc, operands))[ufunc.nin :]


def store_result(target: StagedArray, result: Any, where: Any) -> StagedArray:
    """Write a result into `out`, where the mask says so."""
    if where is not True:
        old = element(target) if target.ndim == 0 else target
        result = wrap_result(emit("where", mask_value(where), lifted(result, target.dtype), lifted(old, target.dtype)).result)
    assign(target, result)
    return target


def mask_of(where: Any) -> Any:
    """A `where=` argument, which holds truth values."""
    mask = operand(where)
    if not np.can_cast(dtype_of(mask), np.bool_, "safe"):
        raise TypeError(f"Cannot cast array data from {dtype_of(mask)!r} to dtype('bool') according to the rule 'safe'")
    return mask


def mask_value(where: Any) -> Value:
    """A `where=` argument as b1."""
    where = operand(where)
    return cast(where.value, np.dtype(bool)) if isinstance(where, (StagedArray, StagedScalar)) else constant(np.bool_(where))


def lifted(x: Any, dtype: np.dtype) -> Value:
    """An operand as a graph value of `dtype`; a staged Python int must fit."""
    if isinstance(x, StagedArray):
        return cast(x.value, dtype)
    if isinstance(x, StagedScalar) and x.weak and x.scalar_dtype.kind == "i" and dtype.kind in "iu":
        return in_range(x, dtype)
    return lift_number(x, dtype)


# SciPy has them for complex numbers too.
REAL_ONLY = frozenset({"erf", "erfc", "ndtr"})


def compute(ufunc: np.ufunc, operands: tuple[Any, ...], dtype: np.dtype | None) -> tuple[Any, ...]:
    """The results of a ufunc, one per output."""
    composed = COMPOSED.get(ufunc)
    if composed is not None:
        return composed(*operands)
    name = ufuncs.operation_name(ufunc)
    if name is None or ufunc.nout != 1:
        raise NotNative
    if ufunc.__name__ in ALWAYS and dtype_of(operands[0]).kind in "biu":
        return (constant_mask(operands[0], ALWAYS[ufunc.__name__]),)
    if ufunc is np.signbit and dtype_of(operands[0]).kind in "bu":
        return (constant_mask(operands[0], False),)
    return (apply(ufunc, name, operands, dtype),)


def apply(ufunc: np.ufunc, name: str, operands: tuple[Any, ...], dtype: np.dtype | None) -> Any:
    """One elementwise operation at NumPy's loop dtype."""
    operands = widen_compared(ufunc, operands)
    dtypes = ufuncs.resolve(ufunc, operands) if dtype is None else resolve_for(ufunc, operands, dtype)
    if any(found.name == "float16" or (found.kind == "c" and name in REAL_ONLY) for found in dtypes):
        raise NotNative
    if ufunc.__name__ in ufuncs.LOGICAL:
        dtypes = (np.dtype(bool),) * len(dtypes)
    values = [lifted(x, found) for x, found in zip(operands, dtypes)]
    if ufunc is np.power and dtypes[-1].kind in "iu":
        check_fitting(values)
        ufuncs.check_integer_power(*operands[:2])
    result = elementwise(name, *values)
    return wrap_result(cast(result, dtypes[-1]))


def resolve_for(ufunc: np.ufunc, operands: tuple[Any, ...], dtype: np.dtype) -> tuple[np.dtype, ...]:
    """The loop's dtypes where the caller asks for one."""
    tokens = tuple(np.dtype(token) if isinstance(token, type) else token for token in (ufuncs.dtype_token(x) for x in operands))
    return ufunc.resolve_dtypes((*tokens, None), signature=(None,) * ufunc.nin + (dtype,), casting="same_kind")


def widen_compared(ufunc: np.ufunc, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """A Python int that the other operand's dtype does not hold is compared exactly, in a wider dtype."""
    if ufunc not in COMPARISONS:
        return operands
    for x, y in (operands, operands[::-1]):
        if is_weak(x) and dtype_of(x).kind == "i" and not is_weak(y) and dtype_of(y).kind in "iu" and not fits(x, dtype_of(y)):
            wide = np.dtype(np.float64 if dtype_of(y) == np.uint64 else np.int64)
            return tuple(wrap_result(cast(z.value, wide)) if isinstance(z, (StagedArray, StagedScalar)) else wide.type(z) for z in operands)
    return operands


def fits(x: Any, dtype: np.dtype) -> bool:
    """Whether a Python int is known to fit the dtype."""
    if isinstance(x, StagedScalar):
        return dtype == np.int64
    limits = np.iinfo(dtype)
    return limits.min <= x <= limits.max


def constant_mask(x: Any, value: bool) -> Any:
    """One truth value in the shape of x."""
    if not isinstance(x, StagedArray):
        return scalar(constant(np.bool_(value)))
    false = emit("not_equal", x.value, x.value).result
    return array(emit("logical_not", false).result if value else false)


def fraction_and_whole(x: Any) -> tuple[Any, ...]:
    """modf: the fractional part has the sign of x, that of an infinity is 0."""
    dtype = ufuncs.resolve(np.modf, (x,))[0]
    if dtype.name == "float16":
        raise NotNative
    x = wrap_result(lifted(x, dtype))
    (whole,) = compute(np.trunc, (x,), None)
    (rest,) = compute(np.subtract, (x, whole), None)
    (infinite,) = compute(np.isinf, (x,), None)
    zero = constant(dtype_of(x).type(0))
    rest = wrap_result(emit("where", infinite.value, zero, rest.value).result)
    return compute(np.copysign, (rest, x), None) + (whole,)


def float_power(x: Any, y: Any) -> tuple[Any, ...]:
    """Power in float64 or complex128."""
    wide = np.dtype(np.complex128 if "c" in (dtype_of(x).kind, dtype_of(y).kind) else np.float64)
    return (wrap_result(emit("power", lifted(x, wide), lifted(y, wide)).result),)


def power(x: Any, y: Any) -> tuple[Any, ...]:
    """Power; NumPy takes the square root where the exponent of an array is the one number 0.5: infinities and the sign of 0 differ."""
    result = apply(np.power, "power", (x, y), None)
    if not ROOTS_IN_POWER or isinstance(y, StagedArray) or not isinstance(x, StagedArray) or dtype_of(result).kind != "f":
        return (result,)
    dtype = dtype_of(result)
    root = emit("sqrt", lifted(x, dtype)).result
    if not isinstance(y, StagedScalar):
        return (wrap_result(root),) if y == 0.5 else (result,)
    if y.scalar_dtype.kind != "f":
        return (result,)
    is_half = emit("equal", lifted(y, dtype), constant(dtype.type(0.5))).result
    return (wrap_result(emit("where", is_half, root, result.value).result),)


def takes_roots() -> bool:
    """Whether this NumPy's power of an array to 0.5 is the square root."""
    with np.errstate(all="ignore"):
        return bool(np.isnan(np.power(np.full(2, -np.inf), 0.5)[0]))


ROOTS_IN_POWER = takes_roots()
COMPOSED: dict[np.ufunc, Callable[..., tuple[Any, ...]]] = {
    np.divmod: lambda x, y: compute(np.floor_divide, (x, y), None) + compute(np.remainder, (x, y), None),
    np.modf: fraction_and_whole,
    np.power: power,
    np.float_power: float_power,
}


def reduce(
    ufunc: np.ufunc,
    x: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Any:
    """`ufunc.reduce`."""
    return reduce_ufunc(ufunc, as_array(x), axis, dtype, out, keepdims, initial, where)


def accumulate(ufunc: np.ufunc, x: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """`ufunc.accumulate`."""
    return accumulate_ufunc(ufunc, as_array(x), axis, dtype, out)


def outer(ufunc: np.ufunc, x: Any, y: Any, **kwargs: Any) -> Any:
    """`ufunc.outer`: every element of x with every element of y."""
    x, y = strong(operand(x)), strong(operand(y))
    if isinstance(x, StagedArray) and isinstance(y, StagedArray):
        x = add_axes(x, range(x.ndim, x.ndim + y.ndim))
    return call(ufunc, x, y, **kwargs)


def at(ufunc: np.ufunc, x: Any, indices: Any, value: Any = None) -> None:
    """`ufunc.at`: in place, duplicates count each time."""
    if ufunc not in OPERATORS_OF_AT or value is None or not isinstance(x, (StagedArray, np.ndarray)):
        raise NotNative
    x = as_array(x)
    entries = parse_key(x, indices)
    if not x.writeable:
        raise ValueError("array is read-only")
    source = operand(value)
    if x.dtype.kind in "iu" and is_weak(source) and dtype_of(source).kind == "i" and (x.dtype == np.uint64 or not fits(source, x.dtype)):
        source = strong(source)  # NumPy makes int64 of Python's ints here, and wraps
    found = ufuncs.resolve(ufunc, (x, source))[-1]
    if not np.can_cast(found, x.dtype, "same_kind"):
        ufunc.at(np.ones(1, x.dtype), [0], np.ones((), found))
    refuse(found != x.dtype)
    if is_advanced(entries):
        scatter(x, entries, source, SCATTER_MODES[ufunc])
    else:
        setitem(x, indices, call(ufunc, getitem(x, indices), source))


METHODS: dict[str, Callable[..., Any]] = {"__call__": call, "reduce": reduce, "accumulate": accumulate, "outer": outer, "at": at}
