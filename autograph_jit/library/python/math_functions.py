"""The `math` module on staged numbers: Python floats out, ValueError and OverflowError where Python raises them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ScalarType
from autograph_jit.library.numpy.attributes import python_value
from autograph_jit.library.numpy.methods import number_in
from autograph_jit.ops.derivatives.library import RULES
from autograph_jit.ops.dispatch import kept_boxed
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.hosting.host_calls import host, host_int, host_object, host_scalar
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.objects.callers_objects import is_callers_instance
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, TaggedScalar, check, content_of
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dtype_of, is_weak, lift_array, lift_number, scalar
from autograph_jit.tracing.values.trace import constant, emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)
DOMAIN, RANGE = "math domain error", "math range error"
UNARY = {
    math.sqrt: "sqrt",
    math.sin: "sin",
    math.cos: "cos",
    math.tan: "tan",
    math.asin: "arcsin",
    math.acos: "arccos",
    math.atan: "arctan",
    math.asinh: "arcsinh",
    math.acosh: "arccosh",
    math.atanh: "arctanh",
    math.tanh: "tanh",
    math.log2: "log2",
    math.log10: "log10",
    math.log1p: "log1p",
    math.cbrt: "cbrt",
    math.fabs: "absolute",
    math.degrees: "degrees",
    math.radians: "radians",
    math.erf: "erf",
    math.erfc: "erfc",
}
OVERFLOWING = {math.exp: "exp", math.expm1: "expm1", math.exp2: "exp2", math.sinh: "sinh", math.cosh: "cosh"}
BAD_ARGUMENTS = {
    math.sqrt: -1.0,
    math.asin: 2.0,
    math.acos: 2.0,
    math.acosh: 0.0,
    math.atanh: 2.0,
    math.log2: -1.0,
    math.log10: -1.0,
    math.log1p: -2.0,
    math.sin: math.inf,
    math.cos: math.inf,
    math.tan: math.inf,
    math.log: -1.0,
    math.lgamma: 0.0,
}
OF_INTS = {math.log, math.log2, math.log10}  # functions that do not make a float of an int
TOTAL = {math.atan, math.asinh, math.tanh, math.cbrt, math.fabs, math.degrees, math.radians, math.erf, math.erfc}
PREDICATES = {math.isnan: "isnan", math.isinf: "isinf", math.isfinite: "isfinite"}
ROUNDINGS = {math.floor: "floor", math.ceil: "ceil", math.trunc: "trunc"}
HOSTED_INTS = (math.factorial, math.comb, math.perm, math.lcm)
LARGEST_ROOT = 3_037_000_499  # of 2**63 - 1
HOSTED_FLOATS = (math.gamma, math.ldexp, math.nextafter, math.ulp, math.remainder, math.fsum)


def domain_text(function: Any, x: Any = None) -> str:
    """The template of this Python's own message for a bad argument such as `x`, `{0}` in the place of the argument."""
    bad = BAD_ARGUMENTS.get(function)
    if bad is None:
        return DOMAIN
    if function in OF_INTS and x is not None and is_weak(x) and dtype_of(x).kind in "bi":
        bad = int(bad)
    try:
        function(bad)
    except ValueError as error:
        return str(error).replace("{", "{{").replace("}", "}}").replace(repr(bad), "{0}")
    return DOMAIN


def float_of_number(x: Any) -> float:
    """What `math` takes for a float; `float` reads texts, too."""
    return x if type(x) is float else math.ldexp(x, 0)


def number(x: Any) -> Any:
    """An argument as a real number: arrays of rank 0 count as their element, NumPy's complex numbers as their real part."""
    x = content_of(x)
    if isinstance(x, np.ndarray):
        x = lift_array(x)
    if isinstance(x, StagedArray):
        if x.dtype.kind == "c":
            raise TypeError(text_with_stand_ins(float, x))
        x = number_in(x)
    if isinstance(x, StagedObject):
        return host_scalar(kept_boxed(float_of_number), x, dtype=FLOAT, weak=True, label="float")
    if isinstance(x, TaggedScalar) and x.scalar_dtype.kind == "c":
        return distribute(x, lambda plain: scalars.to_float(number(plain)))
    if isinstance(x, StagedScalar) and x.scalar_dtype.kind == "c":
        if x.weak:
            raise TypeError("must be real number, not complex")
        return scalars.to_float(x)
    return x


def float_value(x: Any) -> Value:
    """An argument as a float64 value."""
    if not isinstance(x, (StagedScalar, int, float, np.number, np.bool_)):
        raise TypeError(f"must be real number, not {type(x).__name__}")
    return lift_number(x, FLOAT)


def both(x: Value, y: Value) -> Value:
    """Logical and."""
    return emit("logical_and", x, y).result


def negated(x: Value) -> Value:
    """Logical not."""
    return emit("logical_not", x).result


def expect_number(result: Value, *arguments: Value, text: str = DOMAIN) -> None:
    """A result that is NaN although no argument is NaN lies outside the domain."""
    wrong = emit("isnan", result).result
    for argument in arguments:
        wrong = both(wrong, negated(emit("isnan", argument).result))
    check(negated(wrong), ValueError, text, *arguments)


def expect_finite(result: Value, arguments: tuple[Value, ...], exception: type[Exception], text: str) -> None:
    """A result that is infinite although every argument is finite is an error."""
    wrong = emit("isinf", result).result
    for argument in arguments:
        wrong = both(wrong, emit("isfinite", argument).result)
    check(negated(wrong), exception, text, *arguments)


def unary(function: Any, name: str, overflows: bool) -> Callable[[Any], Any]:
    """The staged form of a function of one number."""

    def rule(x: Any, /) -> Any:
        if not is_staged(x):
            return function(x)
        value = float_value(number(x))
        result = emit(name, value).result
        if function not in TOTAL:
            text = domain_text(function, number(x))
            expect_number(result, value, text=text)
            if overflows:
                expect_finite(result, (value,), OverflowError, RANGE)
            elif function in BAD_ARGUMENTS and function not in (math.sin, math.cos, math.tan, math.sqrt):
                expect_finite(result, (value,), ValueError, text)
        return scalar(result, True)

    return rule


def is_staged(*args: Any) -> bool:
    """Whether an argument is staged, or an array or an instance of the caller's, which are data."""
    return contains_staged(args) or any(isinstance(arg, np.ndarray) or is_callers_instance(arg) for arg in args)


def logarithm(x: Any, base: Any = None, /) -> Any:
    """math.log."""
    if not is_staged(x, base):
        return math.log(x) if base is None else math.log(x, base)
    results = []
    for part in (x,) if base is None else (x, base):
        value = float_value(number(part))
        result = emit("log", value).result
        text = domain_text(math.log, number(part))
        check(
            emit("logical_or", emit("greater", value, constant(np.float64(0))).result, emit("isnan", value).result).result,
            ValueError,
            text,
            value,
        )
        results.append(scalar(result, True))
    return results[0] if base is None else scalars.binary("/", results[0], results[1])


def log_gamma(x: Any, /) -> Any:
    """math.lgamma: infinite at a pole, where Python raises, and where it overflows."""
    if not is_staged(x):
        return math.lgamma(x)
    value = float_value(number(x))
    result = emit("lgamma", value).result
    infinite = both(emit("isinf", result).result, emit("isfinite", value).result)
    positive = emit("greater", value, constant(np.float64(0))).result
    check(negated(both(infinite, negated(positive))), ValueError, domain_text(math.lgamma), value)
    check(negated(infinite), OverflowError, RANGE)
    return scalar(result, True)


def power(x: Any, y: Any, /) -> Any:
    """math.pow."""
    if not is_staged(x, y):
        return math.pow(x, y)
    left, right = float_value(number(x)), float_value(number(y))
    result = emit("power", left, right).result
    expect_number(result, left, right)
    zero = emit("equal", left, constant(np.float64(0))).result
    infinite = both(both(emit("isinf", result).result, emit("isfinite", left).result), emit("isfinite", right).result)
    check(negated(both(infinite, zero)), ValueError, DOMAIN)
    check(negated(infinite), OverflowError, RANGE)
    return scalar(result, True)


def binary(function: Any, name: str) -> Callable[[Any, Any], Any]:
    """The staged form of a function of two numbers that accepts them all, or gives NaN outside its domain."""

    def rule(x: Any, y: Any, /) -> Any:
        if not is_staged(x, y):
            return function(x, y)
        left, right = float_value(number(x)), float_value(number(y))
        result = emit(name, left, right).result
        if function is math.fmod:
            expect_number(result, left, right)
        return scalar(result, True)

    return rule


def hypotenuse(*coordinates: Any) -> Any:
    """math.hypot of any number of coordinates."""
    if not is_staged(*coordinates):
        return math.hypot(*coordinates)
    total: Value = emit("absolute", float_value(number(coordinates[0]))).result
    for x in coordinates[1:]:
        total = emit("hypot", total, float_value(number(x))).result
    return scalar(total, True)


def rounding(function: Any, name: str) -> Callable[[Any], Any]:
    """math.floor and its like: Python ints."""

    def rule(x: Any, /) -> Any:
        if not is_staged(x):
            return function(x)
        found = number(x)
        is_refused = function is math.trunc and (isinstance(x, StagedArray) or dtype_of(x).kind == "c")
        if is_refused or not isinstance(found, (StagedScalar, TaggedScalar)):
            raise TypeError(text_with_stand_ins(function, x))
        if found.scalar_dtype.kind in "biu":
            return scalars.to_int(found)
        return scalars.to_int(scalar(emit(name, cast(found.value, FLOAT)).result, True))

    return rule


def predicate(function: Any, name: str) -> Callable[[Any], Any]:
    """math.isnan and its like: Python bools."""

    def rule(x: Any, /) -> Any:
        return scalar(emit(name, float_value(number(x))).result, True) if is_staged(x) else function(x)

    return rule


def hosted(function: Any, dtype: np.dtype) -> Callable[..., Any]:
    """A function that Python computes when the compiled function runs."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        if not is_staged(*args) and not contains_staged(kwargs):
            return function(*args, **kwargs)
        options: dict[str, Any] = {"label": f"math.{function.__name__}", "rule": None if kwargs else RULES.get(function)}
        options["pure"] = not any(isinstance(arg, StagedObject) for arg in args)

        def call(*values: Any) -> Any:
            return function(*values, **kwargs)

        if dtype == INT:
            return host_int(call, *args, **options)
        (result,) = host(call, tuple(map(plain, args)), types=(ScalarType(dtype),), **options)
        result.weak = True
        return result

    return rule


def are_plain_ints(*args: Any) -> bool:
    """Whether these are Python's ints, whose kind no path decides."""
    return all(isinstance(x, StagedScalar) and x.weak and x.scalar_dtype.kind == "i" and not x.is_tagged or type(x) is int for x in args)


def greatest_divisor(*args: Any) -> Any:
    """math.gcd."""
    if not is_staged(*args) or not are_plain_ints(*args):
        return hosted(math.gcd, INT)(*args)
    found: Any = 0
    for x in args:
        found = scalar(emit("gcd", lift_number(found, INT), lift_number(language.call(abs, (x,), None), INT)).result, True)
    return found


def whole_root(n: Any) -> Any:
    """The root of an int of 64 bits, rounded down: the float's may be one off."""
    if n < 0:
        raise ValueError("isqrt() argument must be nonnegative")
    root = int(math.sqrt(n))
    if root > LARGEST_ROOT or root * root > n:
        return root - 1
    return root + 1 if root < LARGEST_ROOT and (root + 1) * (root + 1) <= n else root


def square_root(n: Any, /) -> Any:
    """math.isqrt."""
    return convert_on_call(whole_root)(n) if is_staged(n) and are_plain_ints(n) else hosted(math.isqrt, INT)(n)


def plain(x: Any) -> Any:
    """An argument of a hosted function of floats: numbers as Python's, but for NumPy's complex ones, which count as real."""
    is_plain = isinstance(x, StagedScalar) and (x.weak or x.scalar_dtype.kind != "c")
    return scalar(python_value(x), True, x.size, x.bits) if is_plain else x


def product(items: Any, /, *, start: Any = 1) -> Any:
    """math.prod."""
    if isinstance(items, (list, tuple)) and getattr(items, "dynamic", None) is None:
        total = start
        for item in items:
            total = total * item
        return total
    return host_object(math.prod, items, label="math.prod", start=start) if is_staged(items) else math.prod(items, start=start)


def fraction_and_whole(x: Any, /) -> Any:
    """math.modf."""
    if not is_staged(x):
        return math.modf(x)
    value = float_value(number(x))
    whole = emit("trunc", value).result
    rest = emit("where", emit("isinf", value).result, constant(np.float64(0)), emit("subtract", value, whole).result).result
    return scalar(emit("copysign", rest, value).result, True), scalar(whole, True)


def mantissa_and_exponent(x: Any, /) -> Any:
    """math.frexp."""
    if not is_staged(x):
        return math.frexp(x)
    value = scalar(float_value(number(x)), True)
    found = host(math.frexp, (value,), types=(value.value.type, lift_number(0, INT).type), label="math.frexp", rule=RULES[math.frexp])
    for part in found:
        part.weak = True
    return tuple(found)


def install() -> None:
    """Enter the rules where calls are resolved."""
    BUILTINS.update({function: unary(function, name, False) for function, name in UNARY.items()})
    BUILTINS.update({function: unary(function, name, True) for function, name in OVERFLOWING.items()})
    BUILTINS.update({function: predicate(function, name) for function, name in PREDICATES.items()})
    BUILTINS.update({function: rounding(function, name) for function, name in ROUNDINGS.items()})
    BUILTINS.update(
        {
            function: binary(function, name)
            for function, name in {math.atan2: "arctan2", math.fmod: "fmod", math.copysign: "copysign"}.items()
        }
    )
    BUILTINS.update({function: hosted(function, INT) for function in HOSTED_INTS})
    BUILTINS.update({function: hosted(function, FLOAT) for function in HOSTED_FLOATS})
    BUILTINS.update(
        {
            math.log: logarithm,
            math.pow: power,
            math.lgamma: log_gamma,
            math.hypot: hypotenuse,
            math.prod: product,
            math.gcd: greatest_divisor,
            math.isqrt: square_root,
            math.modf: fraction_and_whole,
            math.frexp: mantissa_and_exponent,
        }
    )


install()
