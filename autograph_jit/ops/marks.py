"""Identities that only differentiation looks at: where no derivative flows, and where a rule of the user's takes over."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.derivative import BY_STRUCTURE, FLAT, Derivative
from autograph_jit.ir.graph import Graph
from autograph_jit.ir.opdef import Attributes, Effect, OpDef, Pointwise
from autograph_jit.ir.types import ArrayType
from autograph_jit.ops.inference import Types, elementwise_type, expect_numeric, ndarray
from autograph_jit.ops.memory import copy
from autograph_jit.ops.registry import define_op


def define_mark(name: str, derivative: Derivative) -> OpDef:
    """An elementwise identity of operand 0; an array gives a fresh one. Other operands and attributes are for the reverse sweep alone:
    `without_sources` takes them away once a program is complete."""

    def infer(types: Types, attributes: Attributes) -> Types:
        return (elementwise_type(name, types[:1], expect_numeric(name, types[0]).dtype),)

    def eager(x: Any, *sources: Any, **attributes: Any) -> Any:
        return ndarray(np.array(x, order="C")) if isinstance(x, np.ndarray) else x

    return define_op(
        name,
        infer=infer,
        eager=eager,
        kernel=Pointwise(lambda x, *sources, **attributes: x),
        effect=Effect.PURE,
        may_fail=False,
        derivative=derivative,
    )


stop_gradient = define_mark("stop_gradient", FLAT)
custom_result = define_mark("custom_result", BY_STRUCTURE)


def without_sources(graph: Graph) -> None:
    """Make plain identities of the marks of a traced program: of arrays copies, which go where nothing can tell (`transforms.copies`)."""
    for operation in graph.walk():
        if operation.opdef is custom_result:
            operation.operands, operation.attributes = operation.operands[:1], {}
            if isinstance(operation.operands[0].type, ArrayType):
                operation.opdef = copy
