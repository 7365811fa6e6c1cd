"""Views: new pointer, sizes and strides of the same memory."""

from __future__ import annotations

from llvmlite import ir

from autograph_jit.backends.cpu.arrays.indexing import wrapped_index
from autograph_jit.backends.cpu.arrays.memory import copy_rows
from autograph_jit.backends.cpu.arrays.slices import emit_slice
from autograph_jit.backends.cpu.blocks import alias_scope
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import emit_by_eager_rule, fail_by_eager_rule
from autograph_jit.backends.cpu.nests.domains import emit_either
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted, array_type, constant_of
from autograph_jit.ir.graph import Operation, Value


def make_view(e: Emitter, value: Value, source: Array, pointer: ir.Value, shape: list[ir.Value], strides: list[ir.Value]) -> Array:
    """The view; strides that follow from the sizes are taken from them."""
    dtype, contiguous = array_type(value).dtype, e.facts.is_contiguous(value)
    found = e.contiguous_strides(tuple(shape), dtype.itemsize) if contiguous else tuple(strides)
    return Array(pointer, source.owner, tuple(shape), found, dtype, contiguous, alias_scope(e, value))


@rule("basic_index")
def emit_basic_index(e: Emitter, operation: Operation) -> list[Emitted]:
    source, numbers = e.get(operation.operands[0]), iter(operation.operands[1:])
    dims, result_dims = array_type(operation.operands[0]).dims, iter(array_type(operation.result).dims)
    pointer, axis = source.pointer, 0
    shape: list[ir.Value] = []
    strides: list[ir.Value] = []
    for item in operation.attributes["items"]:
        if item[0] == "newaxis":
            next(result_dims)
            shape.append(I64(1))
            strides.append(I64(0))
            continue
        size, stride = source.shape[axis], source.strides[axis]
        if item[0] == "int":
            number = next(numbers)
            proved = bool(operation.attributes.get("proved"))
            position = e.get(number) if proved else wrapped_index(e, source, axis, number, dims[axis])
            pointer = e.offset(pointer, e.mul(position, stride))
        elif item[0] == "full":
            next(result_dims)
            shape.append(size)
            strides.append(stride)
        else:
            bounds = [next(numbers) if present else None for present in item[1:]]
            first, length, step = emit_slice(e, bounds, size, dims[axis], next(result_dims))
            pointer = e.offset(pointer, e.mul(first, stride))
            shape.append(length)
            strides.append(e.mul(stride, step))
        axis += 1
    return [make_view(e, operation.result, source, pointer, shape, strides)]


@rule("transpose")
def emit_transpose(e: Emitter, operation: Operation) -> list[Emitted]:
    source, perm = e.get(operation.operands[0]), operation.attributes["perm"]
    shape, strides = [source.shape[axis] for axis in perm], [source.strides[axis] for axis in perm]
    return [make_view(e, operation.result, source, source.pointer, shape, strides)]


@rule("real_view", "imag_view")
def emit_part(e: Emitter, operation: Operation) -> list[Emitted]:
    source = e.get(operation.operands[0])
    shift = source.dtype.itemsize // 2 if operation.name == "imag_view" else 0
    return [make_view(e, operation.result, source, e.offset(source.pointer, I64(shift)), list(source.shape), list(source.strides))]


@rule("diagonal")
def emit_diagonal(e: Emitter, operation: Operation) -> list[Emitted]:
    source, offset = e.get(operation.operands[0]), operation.attributes["offset"]
    rank = len(source.shape)
    first, second = operation.attributes["axis1"] % rank, operation.attributes["axis2"] % rank
    rows, columns = e.sub(source.shape[first], I64(max(-offset, 0))), e.sub(source.shape[second], I64(max(offset, 0)))
    length = e.maximum(e.minimum(rows, columns), I64(0))
    start = e.mul(source.strides[second], I64(offset)) if offset >= 0 else e.mul(source.strides[first], I64(-offset))
    kept = [axis for axis in range(rank) if axis not in (first, second)]
    shape = [*(source.shape[axis] for axis in kept), length]
    strides = [*(source.strides[axis] for axis in kept), e.add(source.strides[first], source.strides[second])]
    pointer = e.offset(source.pointer, e.select(e.compare(">", length, I64(0)), start, I64(0)))
    return [make_view(e, operation.result, source, pointer, shape, strides)]


@rule("as_strided")
def emit_as_strided(e: Emitter, operation: Operation) -> list[Emitted]:
    source, layout = e.get(operation.operands[0]), [e.get(value) for value in operation.operands[1:]]
    rank = len(layout) // 2
    return [make_view(e, operation.result, source, source.pointer, layout[:rank], layout[rank:])]


@rule("broadcast_to")
def emit_broadcast_to(e: Emitter, operation: Operation) -> list[Emitted]:
    source, shape = e.get(operation.operands[0]), [e.get(value) for value in operation.operands[1:]]
    dims, wanted_dims = array_type(operation.operands[0]).dims, array_type(operation.result).dims
    if len(dims) > len(shape):
        return emit_by_eager_rule(e, operation)
    shift = len(shape) - len(dims)
    strides: list[ir.Value] = [I64(0)] * len(shape)
    fits: ir.Value = I1(1)
    for axis, (dim, size, stride) in enumerate(zip(dims, source.shape, source.strides), shift):
        if dim == 1:
            continue
        if dim == wanted_dims[axis]:
            strides[axis] = stride
            continue
        repeated = e.compare("==", size, I64(1))
        strides[axis] = e.b.select(repeated, I64(0), stride)
        fits = e.b.and_(fits, e.b.or_(repeated, e.compare("==", size, shape[axis])))
    for size in shape:
        fits = fits if constant_of(size) is not None else e.b.and_(fits, e.compare(">=", size, I64(0)))
    view = make_view(e, operation.result, source, source.pointer, shape, strides)
    fail_by_eager_rule(e, operation, fits)
    return [view]


@rule("reshape")
def emit_reshape(e: Emitter, operation: Operation) -> list[Emitted]:
    """A view of contiguous memory at once, a copy of rows where all axes become one and surely are not; else NumPy decides."""
    source, shape = e.get(operation.operands[0]), [e.get(value) for value in operation.operands[1:]]
    total = e.product(source.shape)
    shape, sane = infer_missing_size(e, shape, total)
    value = operation.result
    strides = list(e.contiguous_strides(tuple(shape), source.dtype.itemsize))
    if source.contiguous:
        if operation.can_fail:
            fail_by_eager_rule(e, operation, sane)
        e.call("ag_retain", source.owner)
        return [make_view(e, value, source, source.pointer, shape, strides)]

    fits = e.b.and_(sane, is_contiguous(e, source))

    def view() -> list[ir.Value]:
        e.call("ag_retain", source.owner)
        return [source.pointer, source.owner, *shape, *strides]

    def by_numpy() -> list[ir.Value]:
        (other,) = emit_by_eager_rule(e, operation)
        return [other.pointer, other.owner, *other.shape, *other.strides]

    def copy_or_by_numpy() -> list[ir.Value]:
        if len(shape) != 1 or len(source.shape) < 2:
            return by_numpy()
        has_rows = e.compare("==", source.strides[-1], I64(source.dtype.itemsize))
        return emit_either(e, e.b.and_(e.b.and_(sane, has_rows), e.b.not_(may_be_one_axis(e, source))), copy, by_numpy)

    def copy() -> list[ir.Value]:
        target = e.allocate(source.shape, source.dtype)
        copy_rows(e, target, source)
        return [target.pointer, target.owner, *shape, *strides]

    phis = emit_either(e, fits, view, copy_or_by_numpy)
    rank = len(shape)
    sizes = [I64(dim) if isinstance(dim, int) else phi for dim, phi in zip(array_type(value).dims, phis[2:])]
    found = make_view(e, value, source, phis[0], sizes, phis[2 + rank :])
    return [Array(found.pointer, phis[1], found.shape, found.strides, found.dtype, found.contiguous, found.scope)]


def may_be_one_axis(e: Emitter, source: Array) -> ir.Value:
    """Whether the elements may lie at equal distances: no two neighbouring axes of more than one element say that they do not."""
    regular: ir.Value = I1(1)
    for outer, inner in zip(range(len(source.shape)), range(1, len(source.shape))):
        single = e.b.or_(e.compare("<=", source.shape[outer], I64(1)), e.compare("<=", source.shape[inner], I64(1)))
        steady = e.compare("==", source.strides[outer], e.mul(source.strides[inner], source.shape[inner]))
        regular = e.b.and_(regular, e.b.or_(single, steady))
    return regular


def infer_missing_size(e: Emitter, shape: list[ir.Value], total: ir.Value) -> tuple[list[ir.Value], ir.Value]:
    """The shape with -1 replaced, and whether it has as many elements; a shape that is no such thing does not fit."""
    missing: ir.Value = I64(0)
    known: ir.Value = I64(1)
    sane: ir.Value = I1(1)
    for size in shape:
        if constant_of(size) is None:
            unknown = e.compare("<", size, I64(0))
            missing = e.add(missing, e.b.select(unknown, I64(1), I64(0)))
            known = e.mul(known, e.b.select(unknown, I64(1), size))
            sane = e.b.and_(sane, e.compare(">=", size, I64(-1)))
        elif size.constant == -1:
            missing = e.add(missing, I64(1))
        else:
            known = e.mul(known, size)
    if constant_of(missing) == 0:
        exact = I1(int(known.constant == total.constant)) if constant_of(known) is not None and constant_of(total) is not None else None
        return shape, e.compare("==", known, total) if exact is None else exact
    divisor = e.b.select(e.compare("==", known, I64(0)), I64(1), known)
    inferred = e.b.udiv(total, divisor)
    one = e.compare("==", missing, I64(1))
    found = e.b.and_(e.b.and_(one, e.compare("==", e.b.mul(inferred, known), total)), e.compare("!=", known, I64(0)))
    exact = e.b.and_(e.compare("==", missing, I64(0)), e.compare("==", known, total))
    filled = [e.b.select(e.compare("<", size, I64(0)), inferred, size) for size in shape]
    return filled, e.b.and_(sane, e.b.or_(found, exact))


def is_contiguous(e: Emitter, array: Array) -> ir.Value:
    """Whether strides at run time are those of C order."""
    same: ir.Value = I1(1)
    for size, stride, wanted in zip(array.shape, array.strides, e.contiguous_strides(array.shape, array.dtype.itemsize)):
        same = e.b.and_(same, e.b.or_(e.compare("==", stride, wanted), e.compare("==", size, I64(1))))
    return same
