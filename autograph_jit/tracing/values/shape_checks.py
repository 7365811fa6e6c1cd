"""Shapes in the words of NumPy's errors, with places for the sizes that only the run knows, and checks that arrays broadcast together."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.trace import constant, emit

MISFIT = "operands could not be broadcast together with shapes "

Shape = Sequence[tuple[Size, Value]]  # the label and the i64 value of each size


def shape_of(x: Value) -> Shape:
    """The sizes of an array; a number has none."""
    return [(size, length_of(x, axis)) for axis, size in enumerate(dims_of(x))] if isinstance(x.type, ArrayType) else []


def length_of(x: Value, axis: int) -> Value:
    """The i64 value of one of an array's sizes."""
    size = dims_of(x)[axis]
    return constant(np.int64(size)) if isinstance(size, int) else emit("dim", x, axis=axis).result


def shape_texts(shapes: Iterable[Shape]) -> tuple[list[str], list[Value]]:
    """Shapes as NumPy prints them, as templates, and the sizes that belong in their places."""
    texts, payload = [], list[Value]()
    for shape in shapes:
        parts = []
        for size, value in shape:
            parts.append(str(size) if isinstance(size, int) else f"{{{len(payload)}}}")
            payload += [] if isinstance(size, int) else [value]
        texts.append(f"({','.join(parts)}{',' if len(parts) == 1 else ''})")
    return texts, payload


def are_fitting(lengths: Iterable[tuple[Value, Value]]) -> Value:
    """Whether of each pair of lengths both are equal, or one of them is 1."""
    good, one = constant(np.bool_(True)), constant(np.int64(1))
    for first, second in lengths:
        single = emit("logical_or", emit("equal", first, one).result, emit("equal", second, one).result).result
        fits = emit("logical_or", emit("equal", first, second).result, single).result
        good = emit("logical_and", good, fits).result
    return good


def check_fitting(operands: Sequence[Value]) -> bool:
    """The run checks that operands broadcast together, where the trace does not know; False where they surely do not."""
    arrays = [x for x in operands if isinstance(x.type, ArrayType)]
    pairs: list[tuple[Value, Value]] = []
    for axis in range(1, max((len(dims_of(x)) for x in arrays), default=0) + 1):
        found: dict[Size, Value] = {}
        for x in arrays:
            if len(dims_of(x)) >= axis and (size := dims_of(x)[-axis]) != 1:
                found.setdefault(size, x)
        if sum(isinstance(size, int) for size in found) > 1:
            return False
        pairs += itertools.combinations([length_of(x, len(dims_of(x)) - axis) for x in found.values()], 2)
    if pairs:
        texts, payload = shape_texts(map(shape_of, operands))
        check(are_fitting(pairs), ValueError, f"{MISFIT}{' '.join(texts)} ", *payload)
    return True


def check_broadcast(x: Value, target: Value, what: str) -> None:
    """The run checks that an array of no higher rank takes the shape of another one, where the trace does not know, in NumPy's words."""
    axes = range(-len(dims_of(x)), 0)
    unequal = [axis for axis in axes if dims_of(x)[axis] not in (1, dims_of(target)[axis])]
    if not unequal:
        return
    good, one = constant(np.bool_(True)), constant(np.int64(1))
    for axis in unequal:
        size, wanted = (length_of(value, axis % len(dims_of(value))) for value in (x, target))
        fits = emit("logical_or", emit("equal", size, wanted).result, emit("equal", size, one).result).result
        good = emit("logical_and", good, fits).result
    (found, shape), payload = shape_texts([shape_of(x), shape_of(target)])
    check(good, ValueError, f"could not broadcast {what} from shape {found} into shape {shape}", *payload)


def dims_of(x: Value) -> tuple[Size, ...]:
    """The sizes of an array as the trace knows them."""
    return x.type.dims  # type: ignore[union-attr]  # callers ask for arrays only
