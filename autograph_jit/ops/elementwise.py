"""Arithmetic and mathematical functions, element by element; names and meaning are those of NumPy's ufuncs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.opdef import Attributes, Effect, OpDef, Pointwise, Structured
from autograph_jit.ir.scalar import Expr, call, real_dtype
from autograph_jit.ir.types import I64
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.inference import Types, elementwise_type, expect_count, expect_indices, expect_numeric
from autograph_jit.ops.pointwise import define_pointwise, define_ufunc
from autograph_jit.ops.registry import define_op

DTypes = tuple[np.dtype, ...]


def calling(c_name: str) -> Callable[..., Expr]:
    """The expression that calls a C function."""
    return lambda *operands: call(c_name, *operands)


add = define_ufunc("add", ex.add)
subtract = define_ufunc("subtract", scalar.sub)
multiply = define_ufunc("multiply", ex.multiply)
divide = define_ufunc("divide", scalar.div)
floor_divide = define_ufunc("floor_divide", ex.floor_divide)
remainder = define_ufunc("remainder", ex.remainder)
fmod = define_ufunc("fmod", ex.fmod)
power = define_ufunc("power", calling("pow"))
negative = define_ufunc("negative", scalar.neg)
positive = define_ufunc("positive", lambda x: x)
absolute = define_ufunc("absolute", ex.absolute)
sign = define_ufunc("sign", ex.sign)
square = define_ufunc("square", lambda x: x * x)
reciprocal = define_ufunc("reciprocal", ex.reciprocal)
conjugate = define_ufunc("conjugate", ex.conjugate)

sqrt = define_ufunc("sqrt", scalar.sqrt)
cbrt = define_ufunc("cbrt", calling("cbrt"))
exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan, sinh, cosh, tanh = (
    define_ufunc(name, calling(name))
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh")
)
arcsin, arccos, arctan, arcsinh, arccosh, arctanh = (
    define_ufunc(f"arc{name}", calling(f"a{name}")) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
)
arctan2 = define_ufunc("arctan2", calling("atan2"))
hypot = define_ufunc("hypot", calling("hypot"))
logaddexp = define_ufunc("logaddexp", ex.logaddexp)
logaddexp2 = define_ufunc("logaddexp2", ex.logaddexp2)
degrees = define_ufunc("degrees", lambda x: x * (180.0 / math.pi))
radians = define_ufunc("radians", lambda x: x * (math.pi / 180.0))

floor = define_ufunc("floor", ex.rounding(scalar.floor))
ceil = define_ufunc("ceil", ex.rounding(scalar.ceil))
trunc = define_ufunc("trunc", ex.rounding(scalar.trunc))
rint = define_ufunc("rint", ex.rint)

copysign = define_ufunc("copysign", calling("copysign"))
nextafter = define_ufunc("nextafter", calling("nextafter"))
spacing = define_ufunc("spacing", ex.spacing)
heaviside = define_ufunc("heaviside", ex.heaviside)
ldexp = define_ufunc("ldexp", calling("ldexp"))
maximum = define_ufunc("maximum", ex.maximum)
minimum = define_ufunc("minimum", ex.minimum)
fmax = define_ufunc("fmax", ex.fmax)
fmin = define_ufunc("fmin", ex.fmin)
gcd = define_ufunc("gcd", calling("gcd"))
lcm = define_ufunc("lcm", calling("lcm"))


def one_float(dtypes: DTypes) -> np.dtype:
    """The result of a function of one float."""
    if dtypes[0].kind != "f":
        raise GraphError(f"takes a float, not {dtypes[0]}")
    return dtypes[0]


def vectorize(function: Callable[[float], float]) -> Callable[..., Any]:
    """A function of Python floats over NumPy scalars and arrays, in the operand's dtype."""

    def compute(x: Any) -> Any:
        values = np.array([function(float(item)) for item in np.ravel(x)]).reshape(np.shape(x))
        return values.astype(x.dtype)[()]

    return compute


def log_gamma(x: float) -> float:
    """`math.lgamma`, infinite at its poles and at infinities."""
    return math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


erf = define_pointwise("erf", 1, one_float, vectorize(math.erf), calling("erf"))
erfc = define_pointwise("erfc", 1, one_float, vectorize(math.erfc), calling("erfc"))
lgamma = define_pointwise("lgamma", 1, one_float, vectorize(log_gamma), calling("lgamma"))


def part_dtype(dtypes: DTypes) -> np.dtype:
    """The dtype of the parts of a number."""
    return real_dtype(dtypes[0])


def angle_dtype(dtypes: DTypes) -> np.dtype:
    """The dtype of an angle: that of the parts of a float or complex number."""
    if dtypes[0].kind not in "fc":
        raise GraphError(f"angle takes a float or a complex number, not {dtypes[0]}")
    return real_dtype(dtypes[0])


def joined_dtype(dtypes: DTypes) -> np.dtype:
    """The complex dtype of two float parts."""
    if dtypes[0] != dtypes[1] or dtypes[0].kind != "f":
        raise GraphError(f"complex takes two floats of one dtype, not {dtypes[0]} and {dtypes[1]}")
    return scalar.complex_dtype(dtypes[0])


def join_parts(re: Any, im: Any) -> Any:
    """Complex numbers of their parts, without arithmetic, so that infinities and signed zeros stay."""
    re, im = np.broadcast_arrays(re, im)
    result = np.empty(re.shape, scalar.complex_dtype(re.dtype))
    result.real, result.imag = re, im
    return result[()]


real = define_pointwise("real", 1, part_dtype, lambda x: x.real.copy(), scalar.real)
imag = define_pointwise("imag", 1, part_dtype, lambda x: x.imag.copy(), scalar.imag)
angle = define_pointwise(
    "angle", 1, angle_dtype, lambda x: np.arctan2(x.imag, x.real), lambda x: call("atan2", scalar.imag(x), scalar.real(x))
)
complex_ = define_pointwise("complex", 2, joined_dtype, join_parts, scalar.complex_)


def infer_cast(types: Types, attributes: Attributes) -> Types:
    """The operand's shape with the attribute `dtype`."""
    expect_count("cast", types, 1)
    expect_numeric("cast", types[0])
    return (elementwise_type("cast", types, np.dtype(attributes["dtype"])),)


def cast_values(x: Any, dtype: np.dtype) -> Any:
    """Convert as `ndarray.astype` does, in C order; complex to real takes the real part."""
    dtype = np.dtype(dtype)
    with np.errstate(all="ignore"):
        source = x.real if x.dtype.kind == "c" and dtype.kind not in "cb" else x
        return source.astype(dtype, order="C") if isinstance(x, np.ndarray) else source.astype(dtype)


cast = define_op(
    "cast",
    infer=infer_cast,
    eager=cast_values,
    kernel=Pointwise(lambda x, dtype: scalar.cast(x, dtype)),
    effect=Effect.PURE,
    may_fail=False,
)


def infer_overflow_checked(types: Types, attributes: Attributes) -> Types:
    """Two i64 scalars to one."""
    expect_count("pyint", types, 2)
    expect_indices("pyint", types)
    return (I64,)


def define_overflow_checked(name: str, compute: Callable[[int, int], int]) -> OpDef:
    """Define integer arithmetic that fails instead of wrapping: for Python ints, which never wrap."""

    def eager(x: Any, y: Any) -> np.int64:
        result = compute(int(x), int(y))
        if not -(2**63) <= result < 2**63:
            raise OverflowError(OVERFLOW_MESSAGE)
        return np.int64(result)

    return define_op(f"pyint_{name}", infer=infer_overflow_checked, eager=eager, kernel=Structured(), effect=Effect.PURE, may_fail=True)


OVERFLOW_MESSAGE = "Python int too large for compiled code, which holds ints in 64 bits"
pyint_add = define_overflow_checked("add", lambda x, y: x + y)
pyint_subtract = define_overflow_checked("subtract", lambda x, y: x - y)
pyint_multiply = define_overflow_checked("multiply", lambda x, y: x * y)
