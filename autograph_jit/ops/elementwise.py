"""Arithmetic and mathematical functions, element by element; names and meaning are those of NumPy's ufuncs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir import scalar
from autograph_jit.ir.derivative import FLAT
from autograph_jit.ir.opdef import Attributes, OpDef, Pointwise
from autograph_jit.ir.scalar import Expr, call, real_dtype
from autograph_jit.ir.types import F64, I64
from autograph_jit.ops import expressions as ex
from autograph_jit.ops.derivatives import elementwise as rules
from autograph_jit.ops.derivatives.shared import CHAIN_PRODUCT, derivative_of_choice, derivative_of_linear, elementwise
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED
from autograph_jit.ops.inference import Types, elementwise_type, expect_count, expect_indices, expect_numeric
from autograph_jit.ops.pointwise import define_pointwise, define_ufunc
from autograph_jit.ops.registry import define_op

DTypes = tuple[np.dtype, ...]
LOG_2, LOG_10 = math.log(2), math.log(10)


def calling(c_name: str) -> Callable[..., Expr]:
    """The expression that calls a C function."""
    return lambda *operands: call(c_name, *operands)


add = define_ufunc("add", ex.add, elementwise(1, 1))
subtract = define_ufunc("subtract", scalar.sub, elementwise(1, -1))
multiply = define_ufunc("multiply", ex.multiply, elementwise(lambda r, x, y: y, lambda r, x, y: x))
# one division for both operands
divide = define_ufunc("divide", scalar.div, elementwise(lambda r, x, y: 1 / y, lambda r, x, y: -r * (1 / y)))
floor_divide = define_ufunc("floor_divide", ex.floor_divide, FLAT)
remainder = define_ufunc("remainder", ex.remainder, elementwise(1, lambda r, x, y: -np.floor_divide(x, y)))
fmod = define_ufunc("fmod", ex.fmod, elementwise(1, lambda r, x, y: -np.trunc(x / y)))
power = define_ufunc("power", calling("pow"), rules.POWER)
negative = define_ufunc("negative", scalar.neg, elementwise(-1))
positive = define_ufunc("positive", lambda x: x, elementwise(1))
absolute = define_ufunc("absolute", ex.absolute, rules.ABSOLUTE)
sign = define_ufunc("sign", ex.sign, rules.SIGN)
square = define_ufunc("square", lambda x: x * x, elementwise(lambda r, x: 2 * x))
reciprocal = define_ufunc("reciprocal", ex.reciprocal, elementwise(lambda r, x: -r * r))
conjugate = define_ufunc("conjugate", ex.conjugate, rules.CONJUGATE)

sqrt = define_ufunc("sqrt", scalar.sqrt, elementwise(lambda r, x: 0.5 / r))
cbrt = define_ufunc("cbrt", calling("cbrt"), elementwise(lambda r, x: 1 / (3 * r * r)))
exp = define_ufunc("exp", calling("exp"), elementwise(lambda r, x: r, regular=True))
exp2 = define_ufunc("exp2", calling("exp2"), elementwise(lambda r, x: LOG_2 * r, regular=True))
expm1 = define_ufunc("expm1", calling("expm1"), elementwise(lambda r, x: np.exp(x), regular=True))
log = define_ufunc("log", calling("log"), elementwise(lambda r, x: 1 / x))
log2 = define_ufunc("log2", calling("log2"), elementwise(lambda r, x: 1 / (LOG_2 * x)))
log10 = define_ufunc("log10", calling("log10"), elementwise(lambda r, x: 1 / (LOG_10 * x)))
log1p = define_ufunc("log1p", calling("log1p"), elementwise(lambda r, x: 1 / (1 + x)))
sin = define_ufunc("sin", calling("sin"), elementwise(lambda r, x: np.cos(x), regular=True))
cos = define_ufunc("cos", calling("cos"), elementwise(lambda r, x: -np.sin(x), regular=True))
tan = define_ufunc("tan", calling("tan"), elementwise(lambda r, x: 1 + r * r, regular=True))
sinh = define_ufunc("sinh", calling("sinh"), elementwise(lambda r, x: np.cosh(x), regular=True))
cosh = define_ufunc("cosh", calling("cosh"), elementwise(lambda r, x: np.sinh(x), regular=True))
tanh = define_ufunc("tanh", calling("tanh"), elementwise(lambda r, x: 1 - r * r, regular=True))
arcsin = define_ufunc("arcsin", calling("asin"), rules.ARCSIN)
arccos = define_ufunc("arccos", calling("acos"), rules.ARCCOS)
arctan = define_ufunc("arctan", calling("atan"), elementwise(lambda r, x: 1 / (1 + x * x)))
arcsinh = define_ufunc("arcsinh", calling("asinh"), elementwise(lambda r, x: 1 / np.sqrt(1 + x * x)))
arccosh = define_ufunc("arccosh", calling("acosh"), elementwise(lambda r, x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))))
arctanh = define_ufunc("arctanh", calling("atanh"), elementwise(lambda r, x: 1 / ((1 - x) * (1 + x))))
arctan2 = define_ufunc("arctan2", calling("atan2"), rules.ARCTAN2)
hypot = define_ufunc("hypot", calling("hypot"), rules.HYPOT)
logaddexp = define_ufunc("logaddexp", ex.logaddexp, rules.LOGADDEXP)
logaddexp2 = define_ufunc("logaddexp2", ex.logaddexp2, rules.LOGADDEXP2)
degrees = define_ufunc(
    "degrees", lambda x: x * (180.0 / math.pi), derivative_of_linear(lambda ct, x: np.degrees(ct), lambda t, x: np.degrees(t))
)
radians = define_ufunc(
    "radians", lambda x: x * (math.pi / 180.0), derivative_of_linear(lambda ct, x: np.radians(ct), lambda t, x: np.radians(t))
)

floor = define_ufunc("floor", ex.rounding(scalar.floor), FLAT)
ceil = define_ufunc("ceil", ex.rounding(scalar.ceil), FLAT)
trunc = define_ufunc("trunc", ex.rounding(scalar.trunc), FLAT)
rint = define_ufunc("rint", ex.rint, FLAT)

copysign = define_ufunc("copysign", calling("copysign"), rules.COPYSIGN)
nextafter = define_ufunc("nextafter", calling("nextafter"), FLAT)
spacing = define_ufunc("spacing", ex.spacing, FLAT)
heaviside = define_ufunc("heaviside", ex.heaviside, FLAT)
ldexp = define_ufunc("ldexp", calling("ldexp"), rules.LDEXP)
maximum = define_ufunc("maximum", ex.maximum_or_nan, derivative_of_choice(lambda x, y: x >= y))
minimum = define_ufunc("minimum", ex.minimum_or_nan, derivative_of_choice(lambda x, y: x <= y))
fmax = define_ufunc("fmax", ex.fmax, derivative_of_choice(lambda x, y: (x >= y) | np.isnan(y)))
fmin = define_ufunc("fmin", ex.fmin, derivative_of_choice(lambda x, y: (x <= y) | np.isnan(y)))
gcd = define_ufunc("gcd", calling("gcd"), FLAT)
lcm = define_ufunc("lcm", calling("lcm"), FLAT)


def same_dtype(dtypes: DTypes) -> np.dtype:
    """Two floats or complex numbers of one dtype."""
    if dtypes[0] != dtypes[1] or dtypes[0].kind not in "fc":
        raise GraphError(f"chain_product takes two floats or complex numbers of one dtype, not {dtypes[0]} and {dtypes[1]}")
    return dtypes[0]


def multiply_nonzero(ct: Any, partial: Any) -> Any:
    """The product, zero where the first factor is zero."""
    product = ct * partial
    return np.where(ct == 0, ct.dtype.type(0), product)[()] if np.isnan(product).any() else product


def product_unless_zero(ct: Expr, partial: Expr) -> Expr:
    """The same as an expression; a sign is put in front, where a sum takes it."""
    if ct.op == "neg":
        return -product_unless_zero(ct.args[0], partial)
    zero = scalar.const(0, ct.dtype)
    return scalar.select(scalar.eq(ct, zero), zero, ct * partial)


chain_product = define_pointwise(
    "chain_product",
    2,
    same_dtype,
    multiply_nonzero,
    product_unless_zero,
    CHAIN_PRODUCT,
)


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


LARGEST_LGAMMA = 2.55e305  # beyond it overflows


def log_gamma(x: float) -> float:
    """`math.lgamma`, infinite at its poles, at infinities and where it overflows."""
    return math.inf if math.isinf(x) or x > LARGEST_LGAMMA or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


erf = define_pointwise("erf", 1, one_float, vectorize(math.erf), calling("erf"), rules.ERF)
erfc = define_pointwise("erfc", 1, one_float, vectorize(math.erfc), calling("erfc"), rules.ERFC)
lgamma = define_pointwise("lgamma", 1, one_float, vectorize(log_gamma), calling("lgamma"), rules.LGAMMA)


gammaln = define_pointwise(
    "gammaln",
    1,
    one_float,
    vectorize(lambda x: x if x == -math.inf else log_gamma(x)),
    lambda x: scalar.select(scalar.eq(x, -math.inf), x, scalar.call("lgamma", x)),
    rules.LGAMMA,
)


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


real = define_pointwise("real", 1, part_dtype, lambda x: x.real.copy(), scalar.real, rules.REAL)
imag = define_pointwise("imag", 1, part_dtype, lambda x: x.imag.copy(), scalar.imag, rules.IMAG)
angle = define_pointwise(
    "angle",
    1,
    angle_dtype,
    lambda x: np.arctan2(x.imag, x.real),
    lambda x: call("atan2", scalar.imag(x), scalar.real(x)),
    rules.ANGLE,
)
complex_ = define_pointwise("complex", 2, joined_dtype, join_parts, scalar.complex_, rules.COMPLEX)


def infer_cast(types: Types, attributes: Attributes) -> Types:
    """The operand's shape with the attribute `dtype`."""
    expect_count("cast", types, 1)
    expect_numeric("cast", types[0])
    return (elementwise_type("cast", types, np.dtype(attributes["dtype"])),)


def cast_values(x: Any, dtype: np.dtype) -> Any:
    """Convert as `ndarray.astype` does, in C order; complex to real takes the real part."""
    dtype = np.dtype(dtype)
    source = x.real if x.dtype.kind == "c" and dtype.kind not in "cb" else x
    token = FLOAT_ERRORS.set(IGNORED)
    try:
        return source.astype(dtype, order="C") if isinstance(x, np.ndarray) else source.astype(dtype)
    finally:
        FLOAT_ERRORS.reset(token)


cast = define_op(
    "cast", infer=infer_cast, eager=cast_values, kernel=Pointwise(lambda x, dtype: scalar.cast(x, dtype)), derivative=rules.CAST
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

    return define_op(f"pyint_{name}", infer=infer_overflow_checked, eager=eager, may_fail=True, derivative=FLAT)


OVERFLOW_MESSAGE = "Python int too large for compiled code, which holds ints in 64 bits"
pyint_add = define_overflow_checked("add", lambda x, y: x + y)
pyint_subtract = define_overflow_checked("subtract", lambda x, y: x - y)
pyint_multiply = define_overflow_checked("multiply", lambda x, y: x * y)


def truncate_to_pyint(x: Any) -> np.int64:
    """`int(x)` of a float: nan, infinity and what leaves 64 bits are errors."""
    number = int(float(x))
    if not -(2**63) < number < 2**63:
        raise OverflowError(TOO_LARGE_MESSAGE)
    return np.int64(number)


def infer_truncated(types: Types, attributes: Attributes) -> Types:
    """An f64 scalar to an i64 scalar."""
    expect_count("pyint_truncate", types, 1)
    if types[0] != F64:
        raise GraphError(f"pyint_truncate takes a scalar of float64, not {types[0]}")
    return (I64,)


TOO_LARGE_MESSAGE = "Python int too large for compiled code (ints are int64)"
pyint_truncate = define_op("pyint_truncate", infer=infer_truncated, eager=truncate_to_pyint, may_fail=True, derivative=FLAT)
