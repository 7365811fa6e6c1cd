"""Calls of functions that are graphs of their own."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes, Effect, OpDef
from autograph_jit.ir.verifier import fits
from autograph_jit.ops.inference import Types, expect_count
from autograph_jit.ops.registry import define_op


def infer_call(types: Types, attributes: Attributes) -> Types:
    """One operand for each parameter; `results` are the results' types, with the caller's names of sizes."""
    graph, results = attributes["callee"].graph, tuple(attributes["results"])
    if attributes["callee"].is_open:
        return results
    expect_count(f"call of {graph.name}", types, len(graph.block.args))
    expected = [value.type for value in (*graph.block.args, *graph.block.yields)]
    if len(results) != len(graph.block.yields) or not all(map(fits, (*types, *results), expected)):
        found = ", ".join(map(str, (*types, *results)))
        raise GraphError(f"call of {graph.name} with ({found}) where ({', '.join(map(str, expected))}) is expected")
    return results


def call_fails(types: Types, attributes: Attributes) -> bool:
    """A call fails where an operation of the function can."""
    return bool(attributes["callee"].can_fail)


def run_call(*operands: Any, **attributes: Any) -> Any:
    """Functions are run by `evaluate`, not by a rule over values alone."""
    raise GraphError("a call of a function has no value outside a graph")


def define_call(name: str, effect: Effect) -> OpDef:
    """Define a call of functions with this effect; all else is said by the function."""
    return define_op(name, infer=infer_call, eager=run_call, effect=effect, may_fail=True, derivative=BY_STRUCTURE, fails=call_fails)


call = define_call("call", Effect.PURE)
call_writing = define_call("call_writing", Effect.WRITE)  # of a function that writes to its first arguments, so many as `writes`
