"""Tensors and Variables in converted code: arrays, with methods and attributes of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.errors import VariableMade
from autograph_jit.staging.arrays.indexing import assign
from autograph_jit.staging.expressions.calls import BUILTINS
from autograph_jit.staging.trace import active, user_span
from autograph_jit.staging.values import Protocol, StagedArray
from autograph_jit.tensor.tensor import asarray
from autograph_jit.tensor.variable import Variable


def variable_attribute(x: StagedArray, name: str) -> Any:
    """An attribute of a Variable that is no method; AttributeError for any other array."""
    return active().inputs.variable_attribute(x.value, name)


def write(x: StagedArray, value: Any) -> StagedArray:
    """`variable.assign(value)`; AttributeError for what is no Variable."""
    variable_attribute(x, "trainable")
    assign(x, value)
    return x


METHODS: dict[str, Callable[..., Any]] = {
    "assign": write,
    "assign_add": lambda x, value: write(x, x + value),
    "assign_sub": lambda x, value: write(x, x - value),
    "numpy": lambda x: x,
}
ATTRIBUTES = ("trainable", "name")


def staged_asarray(x: Any, dtype: Any = None, *, copy: bool | None = None) -> Any:
    """`ag.asarray`: an array, and what the compiled function returns are Tensors."""
    active().inputs.boxes = True
    made = Protocol.function(np.asarray, (x,), {} if dtype is None else {"dtype": dtype})
    return Protocol.function(np.copy, (made,), {}) if copy else made


def refuse_variable(*args: Any, **kwargs: Any) -> Any:
    """A Variable outlives the call that makes it."""
    raise VariableMade(
        "a Variable is made in a compiled function",
        user_span(),
        "it is state between calls: one call may make it, in Python, and keep it in an object where later calls find it",
        "make it outside and assign to it here, call the function once outside of transforms, or use an array",
    )


BUILTINS[asarray] = staged_asarray
BUILTINS[Variable] = refuse_variable
