"""Accumulation in place by ufuncs other than sums, element by element: each step has a derivative, the operation as a whole has no rule.

Before: `scatter(array, value, index) mode=max`
After:  `for k in range(...): array[index[k]] = maximum(array[index[k]], value[k])`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.rewrites.rotation import is_inexact_value
from autograph_jit.ir.graph import Block, Operation, walk_block
from autograph_jit.ops.derivatives.indexing import SIGNS
from autograph_jit.ops.indexing import MODES
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.values.lift import wrap
from autograph_jit.tracing.values.trace import active, detached


@convert_on_call
def accumulate_at(function: Callable[..., Any], array: Any, value: Any, index: Any) -> None:
    """`ufunc.at` for index arrays on the leading axes."""
    places = [np.ravel(part) for part in np.broadcast_arrays(*index)]
    rest = np.shape(array)[len(index) :]
    values = np.reshape(np.broadcast_to(value, np.shape(np.broadcast_arrays(*index)[0]) + rest), (np.size(places[0]), *rest))
    for k in range(np.size(places[0])):
        at = tuple([part[k] for part in places])
        array[at] = function(array[at], values[k])


def accumulate_by_elements(block: Block) -> None:
    """Replace such accumulations of floats, in a block and in its regions."""
    operations, block.operations = block.operations, []
    for operation in operations:
        for region in operation.regions:
            accumulate_by_elements(region)
        if is_accumulation(operation):
            array, value, *index = map(wrap, operation.operands)
            made = Block()
            with detached(active(), made):
                accumulate_at(MODES[operation.attributes["mode"]], array, value, index)
            for step in walk_block(made):
                step.span = operation.span
            block.operations += block.adopt(made.operations)
        else:
            block.operations.append(operation)


def is_accumulation(operation: Operation) -> bool:
    """Whether an operation accumulates floats by a ufunc that has no rule here, at index arrays on the leading axes."""
    if operation.name != "scatter" or operation.attributes["mode"] in ("set", *SIGNS):
        return False
    kinds = [item[0] for item in operation.attributes["items"]]
    return is_inexact_value(operation.operands[0]) and "array" not in kinds[kinds.count("array") :]
