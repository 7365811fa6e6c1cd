"""Binary, in-place and unary operators on stand-ins: chooses Python's or NumPy's meaning by the operands."""

from __future__ import annotations

import operator
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.containers import frozen_sets, tuples
from autograph_jit.tracing.expressions import tagged
from autograph_jit.tracing.expressions.absent_operands import present_operands
from autograph_jit.tracing.hosting import host_calls as hosting
from autograph_jit.tracing.hosting.host_calls import UNARY
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.plain.calls import forwarded, is_library
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.templates import is_user_instance
from autograph_jit.tracing.texts import text as texts
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import (
    INPLACE_OPERATORS,
    Maybe,
    Staged,
    StagedArray,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    content_of,
    may_be_none,
)
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import INT64_LIMIT, dtype_of, is_number, is_weak, scalar
from autograph_jit.tracing.values.trace import constant, emit
from autograph_jit.tracing.values.types import TextType, ValueType

UFUNCS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "@": np.matmul,
}
UNARY_UFUNCS = {"-": np.negative, "+": np.positive, "abs": np.absolute, "~": np.invert}
WITHOUT_NUMBERS = (str, bytes, dict, set, type(None))  # operators of these and numbers fail, or do what only Python does
WITHOUT_COMPLEX = ("//", "%", "divmod")
MULTIPLIED = 100  # NumPy takes the logarithm from this exponent on
COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
INT_VALUED = frozenset("+ - * // % & | ^ << >>".split())
EQUALITY = {"==": False, "!=": True}
NAMES = {symbol: function.__name__.strip("_") for symbol, function in scalars.PYTHON_OPERATORS.items()}
REFLECTED = {"==": "__eq__", "!=": "__ne__", "<": "__gt__", "<=": "__ge__", ">": "__lt__", ">=": "__le__"}


def binary(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y` where at least one operand is a stand-in."""
    if isinstance(x, Maybe) or isinstance(y, Maybe):
        if symbol in EQUALITY and (x is None or y is None):
            return hosting.is_none(y if x is None else x, negate=EQUALITY[symbol])
        return binary_of_contents(symbol, x, y)
    if isinstance(x, Chosen):
        return distribute(x, lambda option: scalars.apply_operator(symbol, option, y))
    if isinstance(y, Chosen):
        return distribute(y, lambda option: scalars.apply_operator(symbol, x, option))
    if isinstance(x, Text) or isinstance(y, Text):
        return texts.binary(symbol, x, y)
    if isinstance(x, StagedObject) or isinstance(y, StagedObject):
        found = of_unchanging(symbol, x, y)
        return hosting.host_operator(symbol, x, y) if found is NotImplemented else found
    if isinstance(x, TaggedScalar) or isinstance(y, TaggedScalar):
        return tagged.binary(symbol, x, y)
    if symbol in COMPARISONS and (is_large(x) or is_large(y)):
        known = compared_with_large(symbol, x, y)
        if known is not None:
            return known
    numbers = is_number(x) and is_number(y)
    if numbers and symbol == "@":
        raise TypeError(text_with_stand_ins(scalars.PYTHON_OPERATORS[symbol], x, y))
    if numbers and is_weak(x) and is_weak(y):
        return large_binary(symbol, x, y) if is_large(x) or is_large(y) else scalars.binary(symbol, x, y)
    if numbers and symbol in WITHOUT_COMPLEX and "c" in (dtype_of(x).kind, dtype_of(y).kind):
        raise TypeError(text_with_stand_ins(scalars.PYTHON_OPERATORS[symbol], x, y))
    if numbers and is_weak(x) and dtype_of(x).kind == "c" and dtype_of(y) == np.float64:
        return scalars.binary(symbol, x, as_python_float(y))  # complex takes a NumPy float64 for the float that it also is
    for number, sequence in ((x, y), (y, x)):
        if isinstance(sequence, (list, tuple, dict)) and is_number(number) and (is_weak(number) or symbol == "*"):
            return sequence_binary(symbol, x, y)
        if symbol == "*" and type(sequence) in texts.CLASSES and is_count(number):
            return texts.known_text(sequence) * number
    if symbol not in COMPARISONS and (type(x) in texts.CLASSES or type(y) in texts.CLASSES):
        return texts.operator_in_python(symbol, x, y)
    if (
        isinstance(x, StagedArray)
        or isinstance(y, StagedArray)
        or numbers
        or (isinstance(x, (np.ndarray, list, tuple)) or isinstance(y, (np.ndarray, list, tuple)))
    ):
        return array_binary(symbol, x, y)
    if symbol in EQUALITY and not hasattr(type(x if not isinstance(x, StagedScalar) else y), "__array_ufunc__"):
        return EQUALITY[symbol] if x is None or y is None or isinstance(x, str) or isinstance(y, str) else NotImplemented
    return NotImplemented if has_python_operator(symbol, x, y) else hosting.host_operator(symbol, x, y)


def of_unchanging(symbol: str, x: Any, y: Any) -> Any:
    """An operator of tuples or frozensets of the run; NotImplemented where it is of others, or Python's."""
    found = tuples.binary(symbol, x, y)
    return frozen_sets.binary(symbol, x, y) if found is NotImplemented else found


def is_large(x: Any) -> bool:
    """Whether a value is an int that no int64 holds."""
    return isinstance(x, int) and not -INT64_LIMIT <= x < INT64_LIMIT


def compared_with_large(symbol: str, x: Any, y: Any) -> Any:
    """NumPy's integers against an int that no dtype holds: they all lie on one side of it. None for other operands."""
    large, other = (x, y) if is_large(x) else (y, x)
    is_whole = isinstance(other, StagedArray) or isinstance(other, StagedScalar) and not other.weak
    if not is_whole or dtype_of(other).kind not in "iu" or 0 <= large < 2 * INT64_LIMIT:
        return None
    answer = scalars.PYTHON_OPERATORS[symbol](0, y) if large is y else scalars.PYTHON_OPERATORS[symbol](x, 0)
    if isinstance(other, StagedArray):
        return language.numpy(np.full_like, (other, answer), {"dtype": bool})
    return StagedScalar(constant(np.bool_(answer)), False)


def large_binary(symbol: str, x: Any, y: Any) -> Any:
    """An operator with an int that no int64 holds: with another int Python computes it, exactly."""
    if symbol in COMPARISONS or dtype_of(x).kind not in "bi" or dtype_of(y).kind not in "bi":
        return scalars.binary(symbol, x, y)
    result = hosting.host_operator(symbol, x, y)
    result.python_type = int if symbol in INT_VALUED else None
    return result


@acts_for_program
def binary_of_contents(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y` where one of them may be absent: equal to nothing but another None, and for other operators Python's error."""
    if symbol in EQUALITY and (may_be_none(x) or may_be_none(y)):
        return language.compare(symbol, x, y)
    apply = scalars.PYTHON_OPERATORS[symbol]
    x, y = present_operands(apply, x, y)
    return language.compare(symbol, x, y) if symbol in COMPARISONS else apply(x, y)


def has_python_operator(symbol: str, x: Any, y: Any) -> bool:
    """Whether the operand that is no stand-in defines the operator in Python, outside of libraries, where it can be traced."""
    other, name = (y, REFLECTED.get(symbol) or f"__r{NAMES[symbol]}__") if isinstance(x, Staged) else (x, f"__{NAMES[symbol]}__")
    method = getattr(type(other), name, None)
    return isinstance(method, FunctionType) and not is_library(forwarded(method) or method)


def as_python_float(x: Any) -> Any:
    """A NumPy float64 as a Python float."""
    return StagedScalar(x.value, True) if isinstance(x, StagedScalar) else float(x)


def array_binary(symbol: str, x: Any, y: Any) -> Any:
    """An operator with NumPy's meaning."""
    for operand in (x, y):
        if isinstance(operand, WITHOUT_NUMBERS):
            if symbol in EQUALITY and operand is None:
                return array_binary_with_none(symbol, x, y)
            return hosting.host_operator(symbol, x, y)
        if symbol in EQUALITY and holds_texts(operand):
            return hosting.host_operator(symbol, x, y)  # the ufunc is none of theirs, the operator says that none is equal
        if not (is_number(operand) or isinstance(operand, (StagedArray, np.ndarray, list, tuple))):
            return NotImplemented if has_python_operator(symbol, x, y) else hosting.host_operator(symbol, x, y)
    if symbol == "divmod":
        return array_binary("//", x, y), array_binary("%", x, y)
    if is_square(symbol, x, y):
        return language.ufunc(np.square, "__call__", (x,), {})
    exponent = whole_exponent(y) if symbol == "**" and isinstance(x, StagedScalar) and dtype_of(x).kind == "c" else None
    if exponent is not None:
        return multiplied(x, exponent)
    return language.ufunc(UFUNCS[symbol], "__call__", (x, y), {})


def holds_texts(x: Any) -> bool:
    """Whether a list or tuple, or one in it, holds texts."""
    if isinstance(x, Dynamic) and x.dynamic is not None:
        return isinstance(x, list) and is_of_texts(x.kind)  # type: ignore[attr-defined]
    items = list.__iter__(x) if isinstance(x, list) else x if isinstance(x, tuple) else ()
    return any(isinstance(item, (str, bytes, Text)) or holds_texts(item) for item in items)


def is_of_texts(kind: ValueType) -> bool:
    """Whether values of a type are, or hold, texts."""
    return isinstance(kind, TextType) or any(map(is_of_texts, kind.inner))


def whole_exponent(y: Any) -> int | None:
    """A known exponent that NumPy multiplies complex numbers out for."""
    is_plain = isinstance(y, (int, float)) and not isinstance(y, np.generic)
    return int(y) if is_plain and (y == -1 or 2 <= abs(y) < MULTIPLIED) and y == int(y) else None


def multiplied(x: StagedScalar, exponent: int) -> StagedScalar:
    """A complex number of NumPy's to a whole power, by NumPy's products (`npy_cpow`)."""
    dtype = dtype_of(x)
    one, base = constant(dtype.type(1)), x.value
    if exponent in (2, 3):  # NumPy begins these with the number itself
        result = emit("multiply", base, base).result
        return scalar(result if exponent == 2 else emit("multiply", base, result).result)
    result = multiplied_out(one, base, abs(exponent))
    if exponent > 0:
        return scalar(result)
    is_zero = emit("equal", base, constant(dtype.type(0))).result
    return scalar(emit("where", is_zero, constant(dtype.type(complex(np.nan, np.nan))), emit("divide", one, result).result).result)


def multiplied_out(one: Value, base: Value, exponent: int) -> Value:
    """A whole power by products of squares, from `one` on."""
    result, square, digits = one, base, exponent
    while digits:
        result = emit("multiply", result, square).result if digits & 1 else result
        digits >>= 1
        square = emit("multiply", square, square).result if digits else square
    return result


def sequence_binary(symbol: str, x: Any, y: Any) -> Any:
    """An operator of a number of Python's, or `*` of any number, and a list, tuple or dict: the first two repeat, and all differ."""
    if symbol in EQUALITY:
        return EQUALITY[symbol]
    number, sequence = (y, x) if isinstance(x, (list, tuple, dict)) else (x, y)
    if symbol == "*" and is_count(number) and not isinstance(sequence, dict):
        return repeated(sequence, number)
    raise TypeError(text_with_stand_ins(scalars.PYTHON_OPERATORS[symbol], x, y))


def is_count(x: Any) -> bool:
    """Whether a number may say how often a sequence is repeated: an int of Python's or NumPy's, or a bool of Python's."""
    return is_number(x) and dtype_of(x).kind in ("bi" if is_weak(x) else "iu")


def repeated(sequence: Any, number: Any) -> Any:
    """`sequence * number`: of a tuple where the number stems from no input, one of the run."""
    if isinstance(sequence, list):
        return sequence * number
    try:
        return sequence * number.__index__()
    except ConversionError:
        made = tuples.as_run_time_tuple(sequence)
        if made is not None:
            return tuples.binary("*", made, number)
        return hosting.host_object(operator.mul, sequence, number, label="operator *", python_type=tuple, pure=True)


def is_square(symbol: str, x: Any, y: Any) -> bool:
    """Whether this is the square of truth values, which has another dtype than their power."""
    return symbol == "**" and isinstance(x, StagedArray) and x.dtype == bool and is_python_int(y) and y.__index__() == 2


def is_python_int(x: Any) -> bool:
    """Whether a value is an int of Python's, real or staged."""
    return is_number(x) and is_weak(x) and dtype_of(x).kind == "i"


def array_binary_with_none(symbol: str, x: Any, y: Any) -> Any:
    """`array == None` compares element by element, to False."""
    other = x if y is None else y
    if isinstance(other, StagedScalar):
        return EQUALITY[symbol]
    return language.numpy(np.full_like, (other, EQUALITY[symbol]), {"dtype": bool})


def inplace(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol= y`: in place for arrays, a new value for scalars and objects."""
    x, y = present_operands(INPLACE_OPERATORS[symbol], x, y)
    if isinstance(x, StagedArray):
        return updated_by_object(symbol, x, y) if isinstance(y, StagedObject) else array_inplace(symbol, x, y)
    if isinstance(x, StagedObject) or is_number(x) and isinstance(y, StagedObject):
        found = of_unchanging(symbol, x, y)
        return hosting.host_operator(symbol, x, y, inplace=True) if found is NotImplemented else found
    if isinstance(x, Chosen):
        return distribute(x, lambda option: apply_inplace(symbol, option, y))
    if isinstance(y, Chosen):
        return distribute(y, lambda option: apply_inplace(symbol, x, option))
    if is_number(x) and isinstance(y, TaggedScalar) or isinstance(x, TaggedScalar):
        return tagged.binary(symbol, x, y, inplace)
    if any(one is None and isinstance(other, StagedScalar) and other.weak for one, other in ((x, y), (y, x))):
        raise TypeError(text_with_stand_ins(INPLACE_OPERATORS[symbol], x, y))
    if is_number(x) and is_user_instance(y):
        return NotImplemented if has_python_operator(symbol, x, y) else hosting.host_operator(symbol, x, y, inplace=True)
    try:
        return binary(symbol, x, y)
    except TypeError:
        if not all(is_number(operand) or isinstance(operand, (Text, list, dict, tuple, *texts.PLAIN_VALUES)) for operand in (x, y)):
            raise
        raise TypeError(text_with_stand_ins(INPLACE_OPERATORS[symbol], x, y)) from None


@acts_for_program
def apply_inplace(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol= y`, as Python finds what it means; a text that stands behind a number would tell of another operator."""
    return inplace(symbol, x, y) if is_number(x) and isinstance(y, Text) else INPLACE_OPERATORS[symbol](x, y)


def updated_by_object(symbol: str, x: StagedArray, y: Any) -> StagedArray:
    """`x symbol= y` for an object that only the run knows, or no number: NumPy writes to the array, which stays what it is."""

    def update(array: np.ndarray, other: Any) -> None:
        if INPLACE_OPERATORS[symbol](array, other) is not array:
            raise ConversionError(f"`{symbol}=` gave another object than the array", None, "its class decides", f"write `{symbol}`")

    hosting.host_effect(update, x, y, label=f"operator {symbol}=")
    return x


def array_inplace(symbol: str, x: StagedArray, y: Any) -> Any:
    """NumPy's in-place ufunc: the result is cast back as `same_kind` allows."""
    if isinstance(y, (str, bytes)) or y is None:
        return updated_by_object(symbol, x, y)
    if symbol == "@":
        if x.ndim == 0 or language.numpy(np.ndim, (y,), {}) < 2:
            raise ValueError(
                "inplace matrix multiplication requires the first operand to have at least one and the second at least two dimensions."
            )
        result = language.ufunc(np.matmul, "__call__", (x, y), {})
        language.setitem(x, Ellipsis, result)
        return x
    if is_square(symbol, x, y):
        return language.ufunc(np.square, "__call__", (x,), {"out": (x,)})
    return language.ufunc(UFUNCS[symbol], "__call__", (x, y), {"out": (x,)})


def unary(symbol: str, x: Any) -> Any:
    """A unary operator on a stand-in."""
    if isinstance(x, Maybe):
        return apply_unary(symbol, content_of(x, TypeError, text_of(UNARY[symbol], None)))
    if isinstance(x, Chosen):
        return distribute(x, lambda option: apply_unary(symbol, option))
    if isinstance(x, StagedObject):
        return hosting.host_unary(symbol, x)
    if isinstance(x, TaggedScalar):
        return distribute(x, lambda plain: unary(symbol, plain))
    if isinstance(x, StagedScalar) and x.weak:
        return scalars.unary(symbol, x)
    return ufuncs.apply(UNARY_UFUNCS[symbol], x)


@acts_for_program
def apply_unary(symbol: str, x: Any) -> Any:
    """`symbol x`, as Python finds what it means."""
    return UNARY[symbol](x)
