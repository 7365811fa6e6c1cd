"""Arithmetic of numbers whose type the path decides: by one operation where the types do not matter, by a branch where they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.staging import scalars, ufuncs
from autograph_jit.staging.checks import check
from autograph_jit.staging.lift import cast, dtype_of, is_number, is_weak, scalar
from autograph_jit.staging.trace import constant, emit
from autograph_jit.staging.values import Arithmetic, Protocol, StagedArray, StagedScalar, TaggedScalar

UNIFORM = ("+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=")


def of_kind(x: TaggedScalar, index: int) -> StagedScalar:
    """The number as its alternative `index`."""
    dtype, weak = x.kinds[index]
    return StagedScalar(cast(x.value, dtype), weak)


def by_kind(x: TaggedScalar, use: Callable[[StagedScalar], Any], first: int = 0) -> Any:
    """Branch over the alternatives of x."""
    if first == len(x.kinds) - 1:
        return use(of_kind(x, first))
    hit = StagedScalar(emit("equal", x.tag, constant(np.int64(first))).result, True)
    return Protocol.if_exp(hit, lambda: use(of_kind(x, first)), lambda: by_kind(x, use, first + 1))


def integer_of(x: TaggedScalar) -> StagedScalar:
    """The number as an index or a size: a TypeError where the path made it a float."""
    alternatives = [(index, of_kind(x, index)) for index in range(len(x.kinds))]
    result = constant(np.int64(0))
    good = constant(np.bool_(False))
    others = [number.python_type.__name__ for _, number in alternatives if number.scalar_dtype.kind not in "iub"]
    for index, number in alternatives:
        if number.scalar_dtype.kind in "iub":
            hit = emit("equal", x.tag, constant(np.int64(index))).result
            result = emit("where", hit, cast(number.value, np.dtype(np.int64)), result).result
            good = emit("logical_or", good, hit).result
    if others:
        check(good, TypeError, f"'{others[0]}' object cannot be interpreted as an integer")
    return scalar(result, True, bits=62)


def by_kinds_in(key: Any, use: Callable[[Any], Any]) -> Any:
    """`use` with every number in a subscript as one of its alternatives: an int is an index where a float is an error."""
    parts = key if isinstance(key, tuple) else (key,)
    for place, part in enumerate(parts):
        if isinstance(part, TaggedScalar):

            def settled(plain: StagedScalar, place: int = place) -> Any:
                return by_kinds_in((*parts[:place], plain, *parts[place + 1 :]) if isinstance(key, tuple) else plain, use)

            return by_kind(part, settled)
    return use(key)


def binary(symbol: str, x: Any, y: Any) -> Any:
    """`x symbol y`, one of them tagged."""
    subject, other, swapped = (x, y, False) if isinstance(x, TaggedScalar) else (y, x, True)
    plain = uniform(symbol, subject, other, swapped)
    if plain is not None:
        return scalars.PYTHON_OPERATORS[symbol](other, plain) if swapped else scalars.PYTHON_OPERATORS[symbol](plain, other)
    apply = Arithmetic.binary  # Python's operators would ask the right side first, which is of the narrower class
    return by_kind(subject, lambda number: apply(symbol, other, number) if swapped else apply(symbol, number, other))


def uniform(symbol: str, x: TaggedScalar, other: Any, swapped: bool) -> StagedScalar | None:
    """x as one plain number, where every alternative gives the same operation on the same value; None where not."""
    ordered = symbol in ("==", "!=") or not any(dtype.kind == "c" for dtype, _ in x.kinds)
    is_plain = is_number(other) and is_weak(other) and x.weak and not isinstance(other, TaggedScalar)
    if symbol in scalars.COMPARISONS and is_plain and ordered:
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
        loops.add(ufunc.resolve_dtypes((theirs, mine, None) if swapped else (mine, theirs, None)))
    if len(loops) > 1:
        return None
    return StagedScalar(cast(x.value, loops.pop()[1 if swapped else 0]), False)


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

Protocol.integer_of = integer_of
