"""Identities that only differentiation looks at: where no derivative flows, and where a rule of the user's takes over."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import BY_STRUCTURE, FLAT, Derivative
from autograph_jit.ir.graph import Graph, Operation
from autograph_jit.ir.opdef import Attributes, OpDef, Pointwise
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.derivatives.shared import elementwise
from autograph_jit.ops.inference import Types, elementwise_type, expect_count, expect_numeric, ndarray
from autograph_jit.ops.memory import copy
from autograph_jit.ops.registry import define_op


def identity(x: Any) -> Any:
    """A number as it is, an array as a fresh one."""
    return ndarray(np.array(x, order="C")) if isinstance(x, np.ndarray) else x


def define_mark(name: str, derivative: Derivative) -> OpDef:
    """An elementwise identity; an array gives a fresh one."""

    def infer(types: Types, attributes: Attributes) -> Types:
        expect_count(name, types, 1)
        return (elementwise_type(name, types, expect_numeric(name, types[0]).dtype),)

    return define_op(name, infer=infer, eager=identity, kernel=Pointwise(lambda x: x), derivative=derivative)


def infer_custom(types: Types, attributes: Attributes) -> Types:
    """The first operands, as many as the attribute `count` says."""
    found = types[: attributes["count"]]
    return tuple(elementwise_type("custom_result", (type_,), expect_numeric("custom_result", type_).dtype) for type_ in found)


def eager_custom(*operands: Any, count: int, rule: Any) -> Any:
    """The first operands, each as a fresh array."""
    results = tuple(identity(x) for x in operands[:count])
    return results if count > 1 else results[0]


stop_gradient = define_mark("stop_gradient", FLAT)
# What is computed from the result is computed anew: no earlier result stands for it, though it is equal.
recomputed = define_mark("recomputed", elementwise(1))
# The results of a function with a rule of the user's own; the operands behind them and the rule are for the reverse sweep alone.
custom_result = define_op("custom_result", infer=infer_custom, eager=eager_custom, derivative=BY_STRUCTURE)


def without_sources(graph: Graph) -> None:
    """Make plain identities of the marks of a traced program: of arrays copies, which go where nothing can tell (`transforms.copies`)."""
    for block in [graph.block, *(region for operation in graph.walk() for region in operation.regions)]:
        plain = (identities(operation) if operation.opdef is custom_result else [operation] for operation in block.operations)
        block.operations = [operation for operations in plain for operation in operations]


def identities(mark: Operation) -> list[Operation]:
    """One identity for each result of a mark, which it defines from now on."""
    made = []
    for result, operand in zip(mark.results, mark.operands):
        plain = Operation(copy if isinstance(operand.type, ArrayType) else stop_gradient, [operand], {}, [], mark.span)
        plain.results, plain.block, plain.unwind = [result], mark.block, mark.unwind
        result.owner, result.index = plain, 0
        made.append(plain)
    return made
