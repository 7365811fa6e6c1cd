"""Tensors and Variables in converted code: arrays, with methods and attributes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.errors import VariableMade
from autograph_jit.tensor.defaults import constant, convert_to_tensor
from autograph_jit.tensor.tensor import Tensor, asarray
from autograph_jit.tensor.variable import Variable
from autograph_jit.tracing.arrays.indexing import assign
from autograph_jit.tracing.expressions.calls import BUILTINS
from autograph_jit.tracing.values.abstract import StagedArray, StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, user_span


def variable_attribute(x: StagedArray, name: str) -> Any:
    """An attribute of a Variable that is no method; AttributeError for any other array."""
    return active().inputs.variable_attribute(x.value, name)


def class_of_array(x: StagedArray) -> type:
    """The class of an array: that of the Tensor or Variable that an input is, ndarray for anything else."""
    inputs = active().inputs
    if inputs is None or id(x.value) not in inputs.tensors:
        return np.ndarray
    return Variable if x.value in inputs.variables else Tensor


def is_frozen(x: Any) -> bool:
    """Whether a value is a Variable that is not trainable."""
    return isinstance(x, StagedArray) and issubclass(class_of_array(x), Variable) and not variable_attribute(x, "trainable")


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
    made = language.numpy(np.asarray, (x,), {} if dtype is None else {"dtype": dtype})
    return language.numpy(np.copy, (made,), {}) if copy else made


def staged_constant(value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """`ag.constant`; ints of the run are int32, since their values are not known."""
    made = staged_asarray(value, default_dtype(value) if dtype is None else dtype, copy=True)
    if shape is None:
        return made
    ones = (language.numpy(np.ones, (shape,), {"dtype": made.dtype}),)
    return made * ones[0] if made.ndim == 0 else language.numpy(np.reshape, (made, shape), {})


def staged_convert(value: Any, dtype: Any = None) -> Any:
    """`ag.convert_to_tensor`."""
    return staged_asarray(value, default_dtype(value) if dtype is None else dtype)


def default_dtype(value: Any) -> np.dtype | None:
    """The dtype that TensorFlow gives a structure of Python's numbers; None for what has a dtype."""
    types = set(python_types(value))
    if not types <= {bool, int, float, complex}:
        return None
    kind = np.result_type(*types, False) if types else np.dtype(float)
    return {np.dtype(float): np.dtype(np.float32), np.dtype(int): np.dtype(np.int32)}.get(kind, kind)


def python_types(value: Any) -> Iterator[type]:
    """The classes of the numbers in a structure; ndarray for one of NumPy's."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from python_types(item)
    else:
        yield value.python_type if isinstance(value, StagedScalar) else type(value)


def refuse_variable(*args: Any, **kwargs: Any) -> Any:
    """A Variable outlives the call that makes it."""
    raise VariableMade(
        "a Variable is made in a compiled function",
        user_span(),
        "it is state between calls: one call may make it, in Python, and keep it in an object where later calls find it",
        "make it outside and assign to it here, call the function once outside of transforms, or use an array",
    )


BUILTINS[asarray], BUILTINS[constant], BUILTINS[convert_to_tensor] = staged_asarray, staged_constant, staged_convert
BUILTINS[Variable] = refuse_variable
