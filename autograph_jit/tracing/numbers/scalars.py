"""Arithmetic of staged Python numbers: Python's result types, division by zero, and overflow checks where an int could leave 64 bits."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import F64
from autograph_jit.tracing.numbers import complex_scalars
from autograph_jit.tracing.plain.python_texts import division_text
from autograph_jit.tracing.values.abstract import PYTHON_TYPES, StagedScalar, check
from autograph_jit.tracing.values.checks import nonzero
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dtype_of, lift_number, scalar, size_bits, size_of
from autograph_jit.tracing.values.trace import constant, emit, user_span

PYTHON_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "@": operator.matmul,
    "divmod": divmod,
}


@acts_for_program
def apply_operator(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y`, as Python finds what it means."""
    return PYTHON_OPERATORS[symbol](x, y)


COMPARISONS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
NAMES_IN_ERRORS = {"**": "** or pow()", "divmod": "divmod()"}
EXACT_BITS = 53
INT_TOO_LARGE = "Python int too large for compiled code (ints are int64)"
CHECKED = {"+": "pyint_add", "-": "pyint_subtract", "*": "pyint_multiply"}
PLAIN = {"+": "add", "-": "subtract", "*": "multiply"}
BITWISE = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
COUNTER_BITS = 62
SMALL_STEP = 2**15
INT, FLOAT, COMPLEX = np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.complex128)


def binary(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y` for two Python numbers, at least one of them staged."""
    kinds: set[str] = {dtype_of(x).kind, dtype_of(y).kind}
    if symbol in COMPARISONS:
        return compare(symbol, x, y, common_dtype(kinds))
    if "c" in kinds:
        return complex_scalars.binary(symbol, x, y)
    if symbol == "divmod":
        check_divisor(symbol, y, common_dtype(kinds))
        return binary("//", x, y), binary("%", x, y)
    if "f" in kinds:
        return float_binary(symbol, x, y)
    if kinds == {"b"} and symbol in BITWISE:
        return scalar(emit(BITWISE[symbol], lift_number(x), lift_number(y)).result, True)
    return int_binary(symbol, x, y)


def common_dtype(kinds: set[str]) -> np.dtype:
    """The dtype that Python's coercion ends in: int, float or complex."""
    return COMPLEX if "c" in kinds else FLOAT if "f" in kinds else INT


def compare(symbol: str, x: Any, y: Any, dtype: np.dtype) -> StagedScalar:
    """A comparison: a staged Python bool."""
    if dtype == COMPLEX and symbol not in ("==", "!="):
        raise TypeError(f"'{symbol}' not supported between instances of {type_name(x)} and {type_name(y)}")
    for big, other, turned in ((y, x, symbol), (x, y, MIRRORED[symbol])):
        if isinstance(big, int) and not -(2**63) <= big < 2**63:
            return compare_with_large(turned, other, big)
    for number, other, turned in ((x, y, symbol), (y, x, MIRRORED[symbol])):
        if dtype == FLOAT and dtype_of(number).kind == "i" and dtype_of(other).kind == "f" and bits_of(number) > EXACT_BITS:
            return compare_int_with_float(turned, lift_number(number, INT), lift_number(other, FLOAT))
    return scalar(emit(COMPARISONS[symbol], lift_number(x, dtype), lift_number(y, dtype)).result, True)


def type_name(x: Any) -> str:
    """The quoted name of a Python number's type."""
    return f"'{PYTHON_TYPES[dtype_of(x).kind].__name__}'"


def compare_with_large(symbol: str, x: Any, large: int) -> StagedScalar:
    """A number against an int that no int64 holds: every int64 lies on one side of it, a float is compared with its neighbours."""
    operator_ = PYTHON_OPERATORS[symbol]
    if dtype_of(x).kind in "bi":
        return scalar(constant(np.bool_(operator_(0, large))), True)
    if dtype_of(x).kind == "c" or abs(large) >= 2**1024:
        infinity = math.inf if large > 0 else -math.inf
        infinite = emit("equal", lift_number(x, COMPLEX), constant(np.complex128(infinity))).result
        beyond = constant(np.bool_(operator_(infinity, large)))
        unequal = constant(np.bool_(symbol == "!="))
        within = emit("where", emit("isnan", lift_number(x, COMPLEX)).result, unequal, constant(np.bool_(operator_(0, large)))).result
        return scalar(emit("where", infinite, beyond, within).result, True)
    nearest = float(large)
    tie = emit("equal", lift_number(x, FLOAT), constant(np.float64(nearest))).result
    exact = constant(np.bool_(operator_(nearest, large)))
    below = emit(COMPARISONS[symbol], lift_number(x, FLOAT), constant(np.float64(nearest))).result
    return scalar(emit("where", tie, exact, below).result, True)


def compare_int_with_float(symbol: str, x: Value, y: Value) -> StagedScalar:
    """An int of up to 64 bits against a float, exactly: where the int rounds to that float, the float is compared as an int."""
    rounded = cast(x, FLOAT)
    tie = emit("equal", rounded, y).result
    fits = emit("less", y, constant(np.float64(2.0**63))).result
    whole = cast(emit("where", emit("logical_and", tie, fits).result, y, constant(np.float64(0))).result, INT)
    below = constant(np.bool_(symbol in ("<", "<=", "!=")))
    exact = emit("where", fits, emit(COMPARISONS[symbol], x, whole).result, below).result
    return scalar(emit("where", tie, exact, emit(COMPARISONS[symbol], rounded, y).result).result, True)


def bits_of(x: Any) -> int:
    """A bound on a Python int's magnitude, in bits."""
    if isinstance(x, StagedScalar):
        return 1 if x.scalar_dtype.kind == "b" else min(x.bits, size_bits(x.size)) if isinstance(x.size, int) else x.bits
    return int(x).bit_length()


def int_binary(symbol: str, x: Any, y: Any) -> StagedScalar:
    """Python int arithmetic."""
    if symbol in PLAIN:
        return int_sum_or_product(symbol, x, y)
    left, right = lift_number(x, INT), lift_number(y, INT)
    if symbol == "/":
        check_divisor(symbol, y, INT)
        return scalar(emit("divide", cast(left, FLOAT), cast(right, FLOAT)).result, True)
    if symbol in ("//", "%"):
        check_divisor(symbol, y, INT)
        if symbol == "//" and bits_of(x) > 63 and not (isinstance(y, int) and y != -1):
            fits = [emit("not_equal", value, constant(np.int64(edge))).result for value, edge in ((left, -(2**63)), (right, -1))]
            check(emit("logical_or", *fits).result, OverflowError, INT_TOO_LARGE)
        name, bits = ("floor_divide", bits_of(x) + 1) if symbol == "//" else ("remainder", bits_of(y))
        return scalar(emit(name, left, right).result, True, bits=min(bits, 64))
    if symbol in BITWISE:
        return scalar(emit(BITWISE[symbol], left, right).result, True, bits=max(bits_of(x), bits_of(y)))
    if symbol in ("<<", ">>"):
        return shift(symbol, x, y, left, right)
    if symbol == "**":
        return int_power(x, y, left)
    raise TypeError(f"unsupported operand type(s) for {symbol}: 'int' and 'int'")


def check_divisor(symbol: str, y: Any, dtype: np.dtype) -> None:
    """ZeroDivisionError where the divisor is zero."""
    if not (isinstance(y, (int, float)) and y != 0):
        check(nonzero(lift_number(y, dtype)), ZeroDivisionError, division_text(symbol, PYTHON_TYPES[dtype.kind]))


def int_sum_or_product(symbol: str, x: Any, y: Any) -> StagedScalar:
    """+, -, * with an overflow check unless the operands are provably small."""
    left, right = lift_number(x, INT), lift_number(y, INT)
    x_bits, y_bits = bits_of(x), bits_of(y)
    bits = x_bits + y_bits if symbol == "*" else max(x_bits, y_bits) + 1
    if symbol != "*" and bits > COUNTER_BITS and is_counter_step(x, y, x_bits, y_bits):
        bits = COUNTER_BITS
    checked = bits > COUNTER_BITS
    name = CHECKED[symbol] if checked else PLAIN[symbol]
    return scalar(emit(name, left, right).result, True, combined_size(symbol, x, y), 64 if checked else bits)


def is_counter_step(x: Any, y: Any, x_bits: int, y_bits: int) -> bool:
    """A sum of a value below 2**62 and a small constant: no feasible number of such steps overflows."""
    small = min(x_bits, y_bits)
    return max(x_bits, y_bits) <= COUNTER_BITS and 2**small <= SMALL_STEP


def combined_size(symbol: str, x: Any, y: Any) -> Any:
    """The size label of a sum, difference or product, where both operands have one."""
    x_size, y_size = (size_of(v) if not isinstance(v, bool) else None for v in (x, y))
    if x_size is None or y_size is None:
        return None
    if symbol == "*":
        return x_size * y_size if isinstance(x_size, int) or isinstance(y_size, int) else None
    return x_size + y_size if symbol == "+" else x_size - y_size


def shift(symbol: str, x: Any, y: Any, left: Value, right: Value) -> StagedScalar:
    """<< and >>: a negative count is an error, a left shift that leaves 64 bits too."""
    if not (isinstance(y, int) and y >= 0):
        check(emit("greater_equal", right, constant(np.int64(0))).result, ValueError, "negative shift count")
    if symbol == ">>":
        return scalar(emit("right_shift", left, emit("minimum", right, constant(np.int64(63))).result).result, True, bits=bits_of(x))
    count = y if isinstance(y, int) else None
    result = emit("left_shift", left, right).result
    if count is None or bits_of(x) + count > COUNTER_BITS:
        back = emit("right_shift", result, right).result
        fits = emit("bitwise_and", emit("equal", back, left).result, emit("less", right, constant(np.int64(63))).result).result
        check(fits, OverflowError, INT_TOO_LARGE)
        return scalar(result, True)
    return scalar(result, True, bits=bits_of(x) + count)


def int_power(x: Any, y: Any, base: Value) -> StagedScalar:
    """int ** int: small static exponents by multiplication; a negative exponent gives a float."""
    if isinstance(y, int):
        if y < 0:
            return float_binary("**", x, y)
        result: Any = 1
        for digit in bin(y)[2:]:
            result = binary("*", result, result) if isinstance(result, StagedScalar) else result * result
            result = result * x if digit == "1" else result
        return result if isinstance(result, StagedScalar) else scalar(constant(np.int64(result)), True, result, int(result).bit_length())
    return language.if_exp(compare(">=", y, 0, INT), lambda: nonnegative_power(base, lift_number(y, INT)), lambda: float_binary("**", x, y))


def nonnegative_power(base: Value, exponent: Value) -> StagedScalar:
    """int ** int with a staged exponent; leaving 64 bits is an error."""
    exact = emit("power", cast(base, FLOAT), cast(exponent, FLOAT)).result
    check(
        emit("less", emit("absolute", exact).result, constant(np.float64(2.0**63))).result,
        OverflowError,
        INT_TOO_LARGE,
    )
    return scalar(emit("power", base, exponent).result, True)


def float_binary(symbol: str, x: Any, y: Any) -> StagedScalar:
    """Python float arithmetic: division by zero and overflow of a power are errors."""
    left, right = lift_number(x, FLOAT), lift_number(y, FLOAT)
    if symbol in PLAIN:
        return scalar(emit(PLAIN[symbol], left, right).result, True)
    if symbol in ("/", "//", "%"):
        check_divisor(symbol, y, FLOAT)
        name = {"/": "divide", "//": "floor_divide", "%": "remainder"}[symbol]
        return scalar(emit(name, left, right).result, True)
    if symbol == "**":
        return float_power(x, y, left, right)
    raise TypeError(f"unsupported operand type(s) for {NAMES_IN_ERRORS.get(symbol, symbol)}: {type_name(x)} and {type_name(y)}")


def float_power(x: Any, y: Any, base: Value, exponent: Value) -> StagedScalar:
    """float ** float: 0.0 to a negative power is an error; a negative base needs an integral exponent (Python would give a complex)."""
    if isinstance(y, (int, float)) and y == 2:
        return scalar(finite_power(emit("multiply", base, base).result, base), True)
    zero = constant(np.float64(0.0))
    if not (isinstance(y, (int, float)) and y >= 0):
        fine = emit("logical_or", nonzero(base), emit("logical_not", emit("less", exponent, zero).result).result).result
        check(fine, ZeroDivisionError, division_text("**", float))
    if not (isinstance(y, (int, float)) and float(y).is_integer()) and not (isinstance(x, (int, float)) and x >= 0):
        integral = emit("logical_not", emit("less", emit("floor", exponent).result, exponent).result).result
        fine = emit("logical_or", emit("greater_equal", base, zero).result, integral).result
        check(
            fine, ValueError, "a negative float to a fractional power is complex in Python: use complex(x) ** y, or a NumPy scalar for nan"
        )
    return scalar(finite_power(emit("power", base, exponent).result, base, exponent), True)


def finite_power(result: Value, *operands: Value) -> Value:
    """The power, where it is finite or an operand is not; otherwise Python raises an error."""
    good = emit("isfinite", result).result
    for operand in operands:
        good = emit("logical_or", good, emit("logical_not", emit("isfinite", operand).result).result).result
    check(good, OverflowError, "(34, 'Numerical result out of range')")
    return result


def unary(symbol: str, x: StagedScalar) -> StagedScalar:
    """-x, +x, ~x, abs(x) of a staged Python number."""
    kind = x.scalar_dtype.kind
    if symbol == "~":
        if kind not in "bi":
            raise TypeError(f"bad operand type for unary ~: '{x.python_type.__name__}'")
        return scalar(emit("invert", lift_number(x, INT)).result, True, bits=min(bits_of(x) + 1, 64))
    value = lift_number(x, INT) if kind == "b" else x.value
    if kind in "bi":
        if symbol == "-":
            return binary("-", 0, x)
        if symbol == "abs":
            if kind == "i" and bits_of(x) > 63:
                return language.if_exp(compare("<", x, 0, INT), lambda: binary("-", 0, x), lambda: x)
            return scalar(emit("absolute", value).result, True, bits=x.bits)
        return scalar(value, True, x.size, x.bits)
    name = {"-": "negative", "+": "positive", "abs": "absolute"}[symbol]
    return scalar(emit(name, value).result, True)


def to_int(x: StagedScalar) -> StagedScalar:
    """`int(x)`: truncation; nan and infinity are errors. NumPy's complex numbers give their real parts, Python's none."""
    kind = x.scalar_dtype.kind
    if kind == "c" and x.weak:
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'complex'")
    if kind in "fc":
        return scalar(emit("pyint_truncate", cast(x.value, FLOAT)).result, True)
    if x.scalar_dtype == np.uint64:
        fits = emit("less_equal", x.value, constant(np.uint64(2**63 - 1))).result
        check(fits, OverflowError, INT_TOO_LARGE)
    return scalar(cast(x.value, INT), True, x.size if x.weak else None, x.bits if x.weak else 64)


def to_float(x: StagedScalar) -> StagedScalar:
    """`float(x)`; NumPy's complex numbers give their real parts, Python's none."""
    if x.scalar_dtype.kind == "c" and x.weak:
        raise TypeError("float() argument must be a string or a real number, not 'complex'")
    return scalar(cast(x.value, F64.dtype), True)


def to_complex(x: StagedScalar) -> StagedScalar:
    """`complex(x)`."""
    return scalar(cast(x.value, COMPLEX), True)


def unsupported(symbol: str, x: Any, y: Any) -> ConversionError:
    """An operator between these two cannot be staged."""
    return ConversionError(
        f"operator {symbol} between {type(x).__name__} and {type(y).__name__} cannot be staged",
        user_span(),
        "one side exists only when the compiled function runs",
        "convert both sides to numbers or arrays",
    )
