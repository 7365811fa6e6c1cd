"""Structured control flow: branches, loops and handlers; the grammar stands in `ir.graph`, `evaluate` runs their regions."""

from __future__ import annotations

from typing import Any

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import BY_STRUCTURE
from autograph_jit.ir.opdef import Attributes, Effect, OpDef
from autograph_jit.ir.types import BOOL
from autograph_jit.ops.inference import Types, expect_count, expect_indices, expect_type
from autograph_jit.ops.registry import define_op


def run_regions(*operands: Any, **attributes: Any) -> Any:
    """Regions are run by `evaluate`, not by a rule over values alone."""
    raise GraphError("an operation with regions has no value outside a graph")


def infer_cond(types: Types, attributes: Attributes) -> Types:
    """A bool; the results are stated in `results`."""
    expect_count("cond", types, 1)
    expect_type("cond", types[0], BOOL)
    return tuple(attributes.get("results", ()))


def infer_for_loop(types: Types, attributes: Attributes) -> Types:
    """Start, stop, step, then the state."""
    if len(types) < 3:
        raise GraphError("for_loop takes start, stop and step")
    expect_indices("for_loop", types[:3])
    return tuple(attributes.get("results", types[3:]))


def infer_try(types: Types, attributes: Attributes) -> Types:
    """No operands; the results are stated in `results`."""
    expect_count("try_", types, 0)
    return tuple(attributes.get("results", ()))


def define_region_op(name: str, infer: Any) -> OpDef:
    """Define an operation with regions; what fails is inside them."""
    return define_op(name, infer=infer, eager=run_regions, effect=Effect.CONTROL, derivative=BY_STRUCTURE)


cond = define_region_op("cond", infer_cond)
while_loop = define_region_op("while_loop", lambda types, attributes: tuple(attributes.get("results", types)))
for_loop = define_region_op("for_loop", infer_for_loop)
try_ = define_region_op("try_", infer_try)
