"""The registry of operations: each is defined once, in the module of its family, and found by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.errors import GraphError
from autograph_jit.ir.derivative import Derivative
from autograph_jit.ir.opdef import Attributes, Effect, Kernel, OpDef, Structured
from autograph_jit.ir.types import Type

OPS: dict[str, OpDef] = {}


def define_op(
    name: str,
    *,
    infer: Callable[[tuple[Type, ...], Attributes], tuple[Type, ...]],
    eager: Callable[..., Any],
    derivative: Derivative,
    kernel: Kernel = Structured(),  # noqa: B008 it is immutable
    effect: Effect = Effect.PURE,
    may_fail: bool = False,
    fails: Callable[[tuple[Type, ...], Attributes], bool] | None = None,
) -> OpDef:
    """Define and register an operation; a name is defined once. Most are pure, cannot fail, and have an emission rule in each backend."""
    if name in OPS:
        raise GraphError(f"operation {name!r} is defined twice")
    OPS[name] = OpDef(name, infer, eager, kernel, effect, may_fail, derivative.vjp, derivative.jvp, fails)
    return OPS[name]


def get(name: str) -> OpDef:
    """The operation of that name."""
    try:
        return OPS[name]
    except KeyError:
        raise GraphError(f"no operation is named {name!r}") from None
