"""Computes scalar operations on constants, by their eager rules.

Before::                                   After::

    %a: f64 = constant() {value = f64(2.0)}    %a: f64 = constant() {value = f64(2.0)}
    %b: f64 = multiply(%a, %a)                 %b: f64 = constant() {value = f64(4.0)}

Keeps: what may fail on these very operands stays, so that it fails where and when the program says. Sizes that are known numbers
become constants too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ir.graph import Block, Graph, Operation, Value, constant_of
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ScalarType
from autograph_jit.transforms.rewriting import make_constant, replace_values, size_asked


def fold(graph: Graph, distinct_parameters: bool = False) -> None:
    """Fold the whole graph in one walk."""
    replaced: dict[Value, Value] = {}
    fold_block(graph.block, replaced)
    replace_values(graph, replaced)


def fold_block(block: Block, replaced: dict[Value, Value]) -> None:
    """Fold the operations of a block and of its regions."""
    for position, operation in enumerate(block.operations):
        operation.operands = [replaced.get(value, value) for value in operation.operands]
        number = number_whenever_run(operation)
        if number is not None:
            constant = make_constant(number, operation)
            block.operations[position] = constant
            replaced[operation.result] = constant.result
        for region in operation.regions:
            fold_block(region, replaced)


def number_whenever_run(operation: Operation) -> np.generic | None:
    """The number that the operation gives whenever it runs; None where it is not known."""
    if operation.name == "constant" or operation.regions or operation.opdef.effect is not Effect.PURE:
        return None
    if len(operation.results) != 1 or not isinstance(operation.results[0].type, ScalarType):
        return None
    if operation.name == "dim":
        size = size_asked(operation)
        return np.int64(size) if isinstance(size, int) else None
    numbers = [constant_of(value) for value in operation.operands]
    if any(number is None for number in numbers):
        return None
    return computed(operation, numbers)


def computed(operation: Operation, numbers: list[Any]) -> np.generic | None:
    """The result of the eager rule; None where it raises, or where the operation may fail for another reason than its operands."""
    if operation.can_fail and not operation.name.startswith("pyint_"):
        return None
    try:
        number = operation.opdef.eager(*numbers, **operation.attributes)
    except (ArithmeticError, ValueError):
        return None
    expected = operation.results[0].type
    assert isinstance(expected, ScalarType)
    return number if isinstance(number, np.generic) and number.dtype == expected.dtype else None
