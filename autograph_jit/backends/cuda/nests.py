"""Loop nests of a graph, found when it is compiled; kernels of a nest, made when the layout of its operands is known."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from autograph_jit.backends.cuda.expressions import Statements
from autograph_jit.backends.cuda.kernel_text import Kernel, Leaf, map_kernel
from autograph_jit.errors import LoweringError
from autograph_jit.ir.graph import Graph, Operation, Value
from autograph_jit.ir.opdef import Pointwise
from autograph_jit.ir.scalar import Expr, operand
from autograph_jit.ir.types import ArrayType
from autograph_jit.kernels.facts import find_facts
from autograph_jit.kernels.fusion import FUSING_POSITION, NestBuilder, find_fusions, is_pointwise_array, pointwise_expression
from autograph_jit.kernels.loop_nest import Fold, LoopNest, Store
from autograph_jit.records import dataclass


@dataclass(slots=True, eq=False)
class Nest:
    """One element as an expression over the values that it reads, with the kernels made of it so far."""

    expression: Expr
    values: tuple[Value, ...]
    loops: LoopNest | None = None
    kernels: dict[Any, Kernel] = field(default_factory=dict)

    def map_kernel(self, leaves: tuple[Leaf, ...], rank: int) -> Kernel:
        """The kernel that stores the element everywhere."""
        if (leaves, rank) not in self.kernels:
            self.kernels[leaves, rank] = map_kernel(self.expression, leaves, rank)
        return self.kernels[leaves, rank]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided before a graph runs.

    consumers   maps an operation that runs inside another's nest to that other one
    nests       by operation
    on_host     operations of arrays that run by their eager rule on the host
    """

    consumers: dict[Operation, Operation]
    nests: dict[Operation, Nest]
    on_host: frozenset[Operation]


def make_plan(graph: Graph, distinct_parameters: bool, layouts: tuple[str, ...]) -> Plan:
    """Fuse elementwise operations and build the nests."""
    facts = find_facts(graph, layouts, distinct_parameters)
    found = find_fusions(graph, facts)
    on_host = frozenset(operation for operation in graph.walk() if is_pointwise_array(operation) and not is_emittable(operation))
    consumers = {producer: consumer for producer, consumer in found.items() if not {producer, consumer} & on_host}
    nests = {}
    for operation in graph.walk():
        if operation not in consumers and operation not in on_host and (is_pointwise_array(operation) or operation.name in FUSING_POSITION):
            nests[operation] = build_nest(operation, consumers)
    return Plan(consumers, nests, on_host)


def is_emittable(operation: Operation) -> bool:
    """Whether the device has a form of an elementwise operation."""
    dtypes = [value.type.dtype for value in operation.operands]  # type: ignore[union-attr]
    try:
        expression = pointwise_expression(operation, [operand(k, dtype) for k, dtype in enumerate(dtypes)])
        Statements("t").emit(expression, [f"x{k}" for k in range(len(dtypes))])
    except LoweringError:
        return False
    return True


def build_nest(operation: Operation, consumers: dict[Operation, Operation]) -> Nest:
    """The nest of an operation with those that were fused into it."""
    pointwise = isinstance(operation.opdef.kernel, Pointwise)
    position = None if pointwise else FUSING_POSITION[operation.name]
    type = operation.result.type if position is None else operation.operands[0].type
    assert isinstance(type, ArrayType)
    builder = NestBuilder(type.rank, consumers)
    expression = builder.apply(operation) if position is None else builder.expression_of(operation.operands[position])
    output: Store | Fold = Store("out", expression.dtype)
    if operation.name == "reduce":
        output = Fold(operation.attributes["op"], expression.dtype, tuple(axis % type.rank for axis in operation.attributes["axes"]))
    loops = LoopNest(operation.name, type.dims, tuple(builder.operands), expression, output)
    return Nest(expression, tuple(builder.values), loops)


def copying_nest(dtype: np.dtype) -> Nest:
    """The nest that copies its one operand."""
    return Nest(operand(0, dtype), ())
