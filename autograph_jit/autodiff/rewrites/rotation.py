"""Rotated loops: each region is swept once, so a test that has a derivative, or may fail, becomes the end of the body.

Before: `while_loop(s)[test(s), body(s)]`
After:  `go, p = test(s); while_loop(go, p)[(go, p), test(body(p))]`
"""

from __future__ import annotations

from autograph_jit.ir.copying import Visible, copy_block
from autograph_jit.ir.graph import Block, Operation, Value
from autograph_jit.ir.types import BOOL, ArrayType, ScalarType


def rotate(operation: Operation, renamed: dict[Value, Value]) -> list[Operation]:
    """The first test and the rotated loop; `renamed` gets what the loop's old values are now."""
    test, body = operation.regions
    again, tail, inner = Block(), Block(), Block()
    arguments = [inner.add_argument(BOOL, "go_on"), *(inner.add_argument(arg.type, arg.hint) for arg in body.args)]
    renamed.update(zip(body.args, arguments[1:]))
    inner.operations, inner.terminated = body.operations, body.terminated
    if not body.terminated:
        copy_block(test, again, Visible())
        renamed.update(zip(again.args, body.yields))
        inner.operations, inner.yields = [*body.operations, *again.operations], again.yields
    renamed.update(zip(test.args, operation.operands))
    passed = [tail.add_argument(value.type) for value in arguments]
    tail.yields = [passed[0], *passed]
    types = tuple(value.type for value in test.yields)
    attributes = {"results": types, **{name: value for name, value in operation.attributes.items() if name == "checkpoint"}}
    made = Operation(operation.opdef, list(test.yields), attributes, [tail, inner], operation.span)
    made.results = [Value(type_, made, index) for index, type_ in enumerate(types)]
    renamed.update(zip(operation.results, made.results[1:]))
    return [*test.operations, made]


def is_rotated(operation: Operation) -> bool:
    """Whether a loop's test is a value of its state and nothing else."""
    test = operation.regions[0]
    return not test.operations and test.yields[:1] == test.args[:1] and test.yields[1:] == test.args


def needs_rotation(operation: Operation) -> bool:
    """Whether the reverse sweep may want values of a loop's test: it computes with floats, calls Python, has regions, or does not pass the
    state on as it is; or whether segments of the loop are to go on where others end (`autodiff.checkpointing.checkpoints`)."""
    if operation.name != "while_loop":
        return False
    if operation.attributes.get("checkpoint") is not None:
        return not is_rotated(operation)
    test = operation.regions[0]
    if any(is_inexact_value(value) and value is not arg for value, arg in zip(test.yields[1:], test.args, strict=True)):
        return True
    return any(
        inner.regions or inner.name == "host_call" or any(is_inexact_value(value) for value in (*inner.operands, *inner.results))
        for inner in test.operations
        if inner.name != "constant"
    )


def is_inexact_value(value: Value) -> bool:
    """Whether a value is a float or complex number or array."""
    return not isinstance(value.type, ScalarType | ArrayType) or value.type.dtype.kind in "fc"
