"""Elementwise nests of a few elements with divisions: no loop, and the divisions of all elements are one instruction.

A processor divides two or four numbers in about the time of one; all other arithmetic stays in single registers.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from autograph_jit.backends.cpu.arithmetic.scalars import emit_node
from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.signatures import I32
from autograph_jit.backends.cpu.values import Emitted, constant_of
from autograph_jit.ir.scalar import Expr, in_order

F64_DTYPE = np.dtype(np.float64)
MOST_LANES = 4


def lane_count(sizes: tuple[ir.Value, ...], expression: Expr) -> int:
    """The number of elements of a nest that runs in lanes, 0 where a loop is better."""
    count = constant_of(sizes[0]) if len(sizes) == 1 else None
    return count if count is not None and 1 < count <= MOST_LANES and divides(expression) else 0


def divides(expression: Expr) -> bool:
    """Whether an expression divides numbers of float64 somewhere."""
    return any(map(is_division, in_order(expression)))


def is_division(node: Expr) -> bool:
    return node.op == "div" and node.dtype == F64_DTYPE


def emit_lanes(e: Emitter, expression: Expr, lanes: list[list[Emitted]]) -> list[Emitted]:
    """The values of an expression for the operands of each lane."""
    done: dict[int, list[Emitted]] = {}
    for node in in_order(expression):
        args = [done[id(arg)] for arg in node.args]
        if node.op == "operand":
            done[id(node)] = [operands[node.value] for operands in lanes]
        elif is_division(node):
            done[id(node)] = divide(e, *args)
        else:
            done[id(node)] = [emit_node(e, node, [arg[lane] for arg in args]) for lane in range(len(lanes))]
    return done[id(expression)]


def divide(e: Emitter, dividends: list[Emitted], divisors: list[Emitted]) -> list[Emitted]:
    quotients = e.b.fdiv(pack(e, dividends), pack(e, divisors))
    return [e.b.extract_element(quotients, I32(lane)) for lane in range(len(dividends))]


def pack(e: Emitter, numbers: list[Emitted]) -> ir.Value:
    """Numbers in one register, filled up with ones."""
    width = 2 if len(numbers) == 2 else MOST_LANES
    vector: ir.Value = ir.Constant(ir.VectorType(numbers[0].type, width), [1.0] * width)
    for lane, number in enumerate(numbers):
        vector = e.b.insert_element(vector, number, I32(lane))
    return vector
