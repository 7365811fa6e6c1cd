"""Numbers that a program writes into text and reads from it again: their derivative would be lost, so it is refused.

Python code on the path of a derivative sees to it where texts go from one call of Python to another (`tapes.objects`); compiled code that
puts texts together, or cuts them, stands in between here.
"""

from __future__ import annotations

from autograph_jit.autodiff.sweeps.classes import Classes, is_differentiable
from autograph_jit.ir.graph import Block, Operation, Value, walk_block
from autograph_jit.tensor.recorded import lost_in_text

INTO_TEXT = ("text_codes", "text_of_object", "list_of_object")
OUT_OF_TEXT = ("text_of_codes", "text_object")


def refuse_texts(classes: Classes, block: Block) -> None:
    """NotDifferentiable where a call makes a float of a text of compiled code, if a number with a derivative was written into one."""
    operations = list(walk_block(block))
    if not any(operation.name in INTO_TEXT and is_written(classes, operation.operands[0]) for operation in operations):
        return
    for operation in operations:
        if operation.name == "host_call" and any(map(is_differentiable, operation.results)) and any(map(is_text, operation.operands)):
            raise lost_in_text(operation.span)


def is_written(classes: Classes, x: Value) -> bool:
    """Whether an object is made of a number with a derivative, by one call of Python or by several."""
    waiting, seen = [x], set[Operation]()
    for value in waiting:
        if classes.is_active(value):
            return True
        if isinstance(value.owner, Operation) and value.owner not in seen:
            seen.add(value.owner)
            waiting += value.owner.operands
    return False


def is_text(x: Value) -> bool:
    """Whether an object is made of a text of compiled code."""
    return isinstance(x.owner, Operation) and x.owner.name in OUT_OF_TEXT
