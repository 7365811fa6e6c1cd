"""Arithmetic of numbers whose type the path decides: by one operation where the types do not matter, by a branch where they do."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar, TaggedScalar, check, may_be_none
from autograph_jit.tracing.values.alternatives import distribute, distribute_in
from autograph_jit.tracing.values.float_errors import raises_float_errors
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import cast, dtype_of, is_number, is_weak, lift_number, scalar
from autograph_jit.tracing.values.trace import constant, emit

FLOAT, INT = np.dtype(np.float64), np.dtype(np.int64)
TRUTHS = (np.any, np.all)  # None is false
Use = Callable[[tuple[Any, ...], dict[str, Any]], Any]
UNIFORM = ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")


def integer_of(x: TaggedScalar) -> StagedScalar:
    """The number as an index or a size: a TypeError where the path made it a float."""
    alternatives = [(index, x.of_kind(index)) for index in range(len(x.kinds))]
    result = constant(np.int64(0))
    good = constant(np.bool_(False))
    others = [(index, number) for index, number in alternatives if number.scalar_dtype.kind not in "iub"]
    for index, number in alternatives:
        if number.scalar_dtype.kind in "iub":
            hit = emit("equal", x.tag, constant(np.int64(index))).result
            result = emit("where", hit, cast(number.value, np.dtype(np.int64)), result).result
            good = emit("logical_or", good, hit).result
    for index, number in others:
        hit = emit("equal", x.tag, constant(np.int64(index))).result
        check(emit("logical_not", hit).result if len(others) > 1 else good, TypeError, text_with_stand_ins(operator.index, number))
    return scalar(result, True, bits=62)


def by_kinds_in(key: Any, use: Callable[[Any], Any]) -> Any:
    """`use` with every number in a subscript as one of its alternatives: an int is an index where a float is an error. A bound of a slice
    that may be None is one or the other, too."""
    return distribute_in(key, lambda x, owner: isinstance(x, TaggedScalar) or isinstance(owner, slice) and may_be_none(x), use)


def by_kinds_among(args: tuple[Any, ...], kwargs: dict[str, Any], use: Use, ufunc: bool = False) -> Any:
    """`use(args, kwargs)` with every tagged number among the arguments as one of its alternatives; plain where a ufunc has one loop."""

    def known(x: TaggedScalar, arguments: Any) -> StagedScalar:
        others = [y for y in arguments[0] if y is not x and (is_number(y) or isinstance(y, (StagedArray, np.ndarray)))]
        dtype = common_inexact(x, others) if ufunc else None
        return x if dtype is None else StagedScalar(cast(x.value, dtype), False)

    return distribute_in((args, kwargs), lambda x, _: isinstance(x, TaggedScalar), lambda plain: use(*plain), known)


def by_options(args: tuple[Any, ...], kwargs: dict[str, Any], use: Use, operands: int) -> Any:
    """`use(args, kwargs)` in a branch for each value of an option that may be None. The first arguments are `operands`, which may not."""
    x = next((y for y in (*args[operands:], *kwargs.values()) if may_be_none(y)), None)
    if x is None:
        return use(args, kwargs)

    def decided(known: Any) -> Any:
        plain = tuple(known if y is x else y for y in args)
        return by_options(plain, {name: known if y is x else y for name, y in kwargs.items()}, use, operands)

    return distribute(x, decided)


def common_inexact(x: TaggedScalar, others: list[Any]) -> np.dtype | None:
    """The float or complex dtype that every alternative has together with the other operands; None where there is none."""
    if not others:
        return None
    tokens = [token_of(dtype_of(other), is_number(other) and is_weak(other)) for other in others]
    found = {np.result_type(*tokens, token_of(dtype, weak)) for dtype, weak in x.kinds}
    return found.pop() if len(found) == 1 and next(iter(found)).kind in "fc" else None


def token_of(dtype: np.dtype, weak: bool) -> Any:
    """What stands for an operand where dtypes are promoted: its dtype, or a Python number."""
    return ufuncs.PYTHON_TYPES[dtype.kind](0) if weak and dtype.kind != "b" else dtype


def binary(symbol: str, x: Any, y: Any, apply: Callable[[str, Any, Any], Any] | None = None) -> Any:
    """`x symbol y`, one of them tagged; `apply` is what the operator comes to for plain numbers, where it is updated in place."""
    subject, other, swapped = (x, y, False) if isinstance(x, TaggedScalar) else (y, x, True)
    plain = uniform(symbol, subject, other, swapped)
    if plain is not None:
        return scalars.PYTHON_OPERATORS[symbol](other, plain) if swapped else scalars.PYTHON_OPERATORS[symbol](plain, other)
    if symbol in UNIFORM and symbol != "/" and are_floats(subject, other) and not raises_float_errors():
        return of_floats(symbol, x, y, subject, other)
    if symbol in scalars.COMPARISONS and are_integers(subject, other):
        left, right = (StagedScalar(lift_number(number, INT), False) for number in (x, y))
        return scalars.PYTHON_OPERATORS[symbol](left, right)
    apply = apply or language.binary  # Python's operators would ask the right side first, which is of the narrower class
    return distribute(subject, lambda number: apply(symbol, other, number) if swapped else apply(symbol, number, other))


def are_floats(*numbers: Any) -> bool:
    """Whether each is a Python float or a float64, and the path may decide which."""
    return all(
        (FLOAT, True) in x.kinds and {dtype for dtype, _ in x.kinds} == {FLOAT}
        if isinstance(x, TaggedScalar)
        else is_number(x) and is_weak(x) and dtype_of(x) == FLOAT
        for x in numbers
    )


def are_integers(subject: TaggedScalar, other: Any) -> bool:
    """Whether an int64 holds every alternative and the NumPy integer that it is compared with: NumPy compares a Python int exactly."""
    if isinstance(other, TaggedScalar) or not is_number(other) or is_weak(other):
        return False
    dtypes = [dtype_of(other), *(dtype for dtype, _ in subject.kinds)]
    return all(dtype.kind == "i" or (dtype.kind == "u" and dtype.itemsize < INT.itemsize) for dtype in dtypes)


def of_floats(symbol: str, x: Any, y: Any, subject: TaggedScalar, other: Any) -> TaggedScalar:
    """`x symbol y` of Python floats and float64s: one operation, whose result is Python's where both operands are."""
    left, right = (StagedScalar(lift_number(number, FLOAT), False) for number in (x, y))
    result, tag = scalars.PYTHON_OPERATORS[symbol](left, right), subject.tag
    if isinstance(other, TaggedScalar):
        theirs = other.tag if other.kinds == subject.kinds else emit("subtract", constant(np.int64(1)), other.tag).result
        hit = emit("equal", tag, constant(np.int64(subject.kinds.index((FLOAT, False))))).result
        tag = emit("where", hit, tag, theirs).result
    return TaggedScalar(result.value, tag, tuple((dtype_of(result), weak) for _, weak in subject.kinds))


def uniform(symbol: str, x: TaggedScalar, other: Any, swapped: bool) -> StagedScalar | None:
    """x as one plain number, where every alternative gives the same operation on the same value; None where not."""
    ordered = symbol in ("==", "!=") or not any(dtype.kind == "c" for dtype, _ in x.kinds)
    is_plain = is_number(other) and is_weak(other) and x.weak and not isinstance(other, TaggedScalar)
    if symbol in scalars.COMPARISONS and is_plain and ordered and x.whole is None:
        return x.plain()
    if (
        symbol not in UNIFORM
        or isinstance(other, TaggedScalar)
        or not (isinstance(other, (StagedArray, np.ndarray)) or is_number(other) and not is_weak(other))
    ):
        return None
    ufunc = UFUNCS[symbol]
    loops = set()
    for dtype, weak in x.kinds:
        mine = ufuncs.PYTHON_TYPES[dtype.kind] if weak and dtype.kind != "b" else dtype
        theirs = dtype_of(other)
        if mine is int and theirs.kind in "iu" and theirs != np.int64:  # it must fit into the other's type
            return None
        try:
            loops.add(ufunc.resolve_dtypes((theirs, mine, None) if swapped else (mine, theirs, None)))
        except TypeError:  # only one alternative fails
            return None
    if len(loops) > 1:
        return None
    return StagedScalar(cast(x.value, loops.pop()[1 if swapped else 0]), False)


def by_alternatives(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose last arguments are those of another call, with tagged numbers and options that may be None among them as their
    alternatives. All arguments of a ufunc by position are operands."""

    @functools.wraps(call)
    def by_kinds(*arguments: Any) -> Any:
        *first, args, kwargs = arguments
        is_ufunc = first[-1] == "__call__"
        plainly = functools.partial(by_kinds_among, use=lambda *plain: call(*first, *plain), ufunc=is_ufunc)
        operands = len(args) if is_ufunc else 0 if first[0] in TRUTHS else 1
        return by_options(args, kwargs, plainly, operands)

    return by_kinds


def method_by_alternatives(call: Callable[..., Any]) -> Callable[..., Any]:
    """A method with tagged numbers and options that may be None among its arguments as their alternatives."""

    def by_kinds(x: Any, *args: Any, **kwargs: Any) -> Any:
        plainly = functools.partial(by_kinds_among, use=lambda args, kwargs: call(x, *args, **kwargs))
        return by_options(args, kwargs, plainly, 0)

    return by_kinds


UFUNCS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
