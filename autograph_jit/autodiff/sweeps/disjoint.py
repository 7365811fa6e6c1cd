"""Arrays that a loop carries and writes have a shadow under each name, so the run checks that they lie apart.

Before: `for_loop(..., a, b)[b[...] = f(a); yield b, a]`
After:  `for_loop(..., a, b)[check(not overlaps(a, b)); b[...] = f(a); yield b, a]`
"""

from __future__ import annotations

from itertools import combinations

from autograph_jit.autodiff.sweeps.classes import Classes
from autograph_jit.errors import NotDifferentiable
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.ir.types import ArrayType
from autograph_jit.tracing.values.abstract import check
from autograph_jit.tracing.values.trace import active, detached, emit

MESSAGE = """the gradient of this loop needs arrays of their own
it writes to an array that shares memory with another one that it carries
copy one of them before the loop"""


def check_disjoint(block: Block) -> None:
    """Check at the start of each trip that arrays which change places, and are written, share no memory."""
    loops = [operation for operation in walk_block(block) if len(carried_arrays(operation)) > 1]
    if not loops:
        return
    classes = Classes(block, block.args)
    for loop in loops:
        pairs = [pair for pair in combinations(carried_arrays(loop), 2) if may_share(classes, *pair)]
        if pairs:
            made, body = Block(), loop.regions[-1]
            with detached(active(), made):
                for x, y in pairs:
                    check(emit("logical_not", emit("overlaps", x, y).result).result, NotDifferentiable, MESSAGE)
            for operation in made.operations:
                operation.block, operation.span = body, loop.span
            body.operations[:0] = made.operations


def carried_arrays(operation: Operation) -> list[Value]:
    """The arrays among a loop's variables, as its body names them."""
    if not operation.name.endswith("_loop") or operation.regions[-1].terminated:
        return []
    return [arg for arg in operation.regions[-1].args if isinstance(arg.type, ArrayType)]


def may_share(classes: Classes, x: Value, y: Value) -> bool:
    """Whether two arrays may be one that is written, on the path of a derivative."""
    return classes.root(x) is classes.root(y) and classes.is_written(x) and classes.is_active(x)
