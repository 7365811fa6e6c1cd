"""Small systems of equations, inverses, determinants and Cholesky's decomposition without a call of Python: what NumPy's functions give.

Larger ones, shapes that do not fit and singular matrices are NumPy's, which also knows the exceptions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import Native, emit_alternatives
from autograph_jit.backends.cpu.arithmetic.scalars import emit_expression
from autograph_jit.backends.cpu.call_counts import HOST_CALLS, add_to
from autograph_jit.backends.cpu.control.catching import MADE
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.host import call_directly, call_python, is_ready
from autograph_jit.backends.cpu.nests.domains import emit_loop
from autograph_jit.backends.cpu.nests.elementwise import fill_elements
from autograph_jit.backends.cpu.products.cholesky import CHOLESKY_TYPE, load_cholesky, row_width
from autograph_jit.backends.cpu.products.elimination import ELIMINATION_TYPE, SINGULAR, load_elimination
from autograph_jit.backends.cpu.published import declared
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Array, Emitted, literal
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.scalar import call, operand
from autograph_jit.ir.types import ArrayType, ScalarType
from autograph_jit.kernels.fusion import NestBuilder
from autograph_jit.ops.direct_calls import direct_call

LARGEST = 96  # rows, and right sides


@rule("host_call")
def emit_host_call(e: Emitter, operation: Operation) -> list[Emitted]:
    """A call of Python, or of native code where that is the routine of a small matrix."""

    def by_python() -> list[Emitted]:
        if e.counts_host_calls:
            add_to(e, HOST_CALLS, I64(1))
        direct = direct_call(operation.attributes["fn"])
        if direct is not None and is_ready(operation, direct.arguments):
            return call_directly(e, operation, direct)
        return call_python(e, operation, operation.attributes["fn"], operation.attributes.get("label") or "host call")

    if operation in e.told:
        site, answer = e.told[operation]
        is_told = e.b.icmp_signed("!=", site, I64(MADE))
        return emit_alternatives(e, operation, is_told, lambda *_: (I1(1), [answer]), by_python)
    native = ROUTINES.get(operation.attributes.get("routine", ""))
    if native is None or not has_code(operation):
        return by_python()
    return emit_alternatives(e, operation, suits(e, operation), native, by_python)


def has_code(operation: Operation) -> bool:
    """Whether all numbers are float64 (NumPy computes with these where it is given float32, too) and the first operand is a matrix."""
    types = [value.type for value in (*operation.operands, *operation.results)]
    if not all(isinstance(type, ArrayType | ScalarType) and type.dtype == np.float64 for type in types):
        return False
    return [value.type.rank for value in operation.operands if isinstance(value.type, ArrayType)] in ([2], [2, 1], [2, 2])


def suits(e: Emitter, operation: Operation) -> ir.Value:
    """Whether the matrix is square and small, and the right sides have its rows and are few."""
    matrix, *others = (e.get(value) for value in operation.operands)
    rows, columns = matrix.shape
    fits = e.b.and_(e.compare("==", rows, columns), e.b.icmp_unsigned("<", e.b.sub(rows, I64(1)), I64(LARGEST)))
    for sides in others:
        fits = e.b.and_(fits, e.compare("==", sides.shape[0], rows))
        for size in sides.shape[1:]:
            fits = e.b.and_(fits, e.b.icmp_unsigned("<", e.b.sub(size, I64(1)), I64(LARGEST)))
    return fits


def work_space(e: Emitter, matrix: Value, sides: ir.Value) -> tuple[Array, ir.Value]:
    """A matrix with columns of zeros behind it, and where these begin."""
    source = e.get(matrix)
    rows = source.shape[0]
    space = e.allocate((rows, e.add(rows, sides)), source.dtype, zero=True)
    copy_into(e, matrix, replace(space, shape=(rows, rows), contiguous=False))
    return space, e.offset(space.pointer, e.mul(rows, I64(source.dtype.itemsize)))


def copy_into(e: Emitter, value: Value, target: Array) -> None:
    builder = NestBuilder(len(target.shape), {})
    type = value.type
    assert isinstance(type, ArrayType)
    fill_elements(e, "small system", target, type, builder, builder.expression_of(value))


def eliminate(e: Emitter, space: Array, sides: ir.Value) -> ir.Value:
    """The sign of the permutation, 0 where the matrix is singular."""
    name = load_elimination()
    function = declared(e.module, name, ELIMINATION_TYPE)
    return e.b.call(function, [space.pointer, space.shape[0], sides])


def is_regular(e: Emitter, sign: ir.Value) -> ir.Value:
    return e.b.icmp_signed("!=", sign, SINGULAR)


def take_sides(e: Emitter, operation: Operation, space: Array, first: ir.Value, shape: tuple[ir.Value, ...]) -> Array:
    """What stands behind the matrix as an array of its own; the work space is given up."""
    result = operation.result
    assert isinstance(result.type, ArrayType)
    solution = Value(result.type, Block(), 0, "solution")
    e.facts.strided.add(solution)
    e.values[solution] = replace(space, pointer=first, shape=shape, strides=space.strides[: len(shape)], contiguous=False)
    taken = e.allocate(shape, space.dtype)
    copy_into(e, solution, taken)
    e.call("ag_release", e.frame, space.owner)
    return taken


def solve(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
    """`np.linalg.solve`."""
    matrix, right = operation.operands
    given = e.get(right)
    sides = given.shape[1] if len(given.shape) == 2 else I64(1)
    space, first = work_space(e, matrix, sides)
    strides = space.strides[: len(given.shape)]
    copy_into(e, right, replace(space, pointer=first, shape=given.shape, strides=strides, contiguous=False))
    sign = eliminate(e, space, sides)
    return is_regular(e, sign), [take_sides(e, operation, space, first, given.shape)]


def invert(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
    """`np.linalg.inv`."""
    rows = e.get(operation.operands[0]).shape[0]
    space, first = work_space(e, operation.operands[0], rows)
    step = e.add(space.strides[0], space.strides[1])

    def one(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        e.store_number(literal(1, space.dtype), e.offset(first, e.mul(index, step)), space.dtype)
        return []

    emit_loop(e, rows, [], one, in_vectors=False)
    sign = eliminate(e, space, rows)
    return is_regular(e, sign), [take_sides(e, operation, space, first, (rows, rows))]


def determinant(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
    """`np.linalg.det`, by the logarithms of the pivots as NumPy: no product leaves the range of floats before it is complete."""
    dtype = e.get(operation.operands[0]).dtype
    regular, (sign, total) = signed_logarithm(e, operation)
    return regular, [e.b.fmul(sign, emit_expression(e, call("exp", operand(0, dtype)), [total]))]


def signed_logarithm(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
    """`np.linalg.slogdet`."""
    dtype = e.get(operation.operands[0]).dtype
    space, _ = work_space(e, operation.operands[0], I64(0))
    permutation = eliminate(e, space, I64(0))
    size = call("log", operand(0, dtype))
    step, zero = e.add(space.strides[0], space.strides[1]), literal(0, dtype)

    def pivot(index: ir.Value, state: list[ir.Value]) -> list[ir.Value]:
        number = e.load_number(e.offset(space.pointer, e.mul(index, step)), dtype)
        negative = e.b.fcmp_ordered("<", number, zero)
        magnitude = emit_expression(e, size, [e.b.select(negative, e.b.fneg(number), number)])
        return [e.b.select(negative, e.b.neg(state[0]), state[0]), e.b.fadd(state[1], magnitude)]

    sign, total = emit_loop(e, space.shape[0], [permutation, zero], pivot, in_vectors=False)
    e.call("ag_release", e.frame, space.owner)
    return is_regular(e, permutation), [e.b.sitofp(sign, zero.type), total]


def decompose(e: Emitter, operation: Operation) -> tuple[ir.Value, list[Emitted]]:
    """`np.linalg.cholesky`: the lower triangle of the matrix decides, as in NumPy."""
    source = e.get(operation.operands[0])
    rows = source.shape[0]
    space = e.allocate((rows, row_width(e.b, rows)), source.dtype)
    turned = replace(space, strides=space.strides[::-1])
    copy_triangle(e, source, turned)
    name = load_cholesky()
    function = declared(e.module, name, CHOLESKY_TYPE)
    positive = e.b.call(function, [space.pointer, rows, space.shape[1]])
    target = e.allocate((rows, rows), source.dtype, zero=True)
    copy_triangle(e, turned, target)
    e.call("ag_release", e.frame, space.owner)
    return positive, [target]


def copy_triangle(e: Emitter, source: Array, target: Array) -> None:
    """The lower triangle of a matrix into another one."""

    def row(index: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        here, there = (e.offset(array.pointer, e.mul(index, array.strides[0])) for array in (source, target))

        def element(column: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            number = e.load_number(e.offset(here, e.mul(column, source.strides[1])), source.dtype)
            e.store_number(number, e.offset(there, e.mul(column, target.strides[1])), source.dtype)
            return []

        emit_loop(e, e.add(index, I64(1)), [], element, in_vectors=False)
        return []

    emit_loop(e, source.shape[0], [], row, in_vectors=False)


ROUTINES: dict[str, Native] = {
    "solve": solve,
    "inv": invert,
    "det": determinant,
    "slogdet": signed_logarithm,
    "cholesky": decompose,
}
