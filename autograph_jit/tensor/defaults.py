"""`constant` and `convert_to_tensor`: Tensors with the dtypes that TensorFlow gives Python's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.tensor.tensor import Tensor, asarray


def constant(value: Any, dtype: Any = None, shape: Any = None) -> Tensor:
    """A new Tensor by TensorFlow's rules: Python's floats become float32, its ints int32 (int64 beyond), arrays keep their dtype.

    shape  the shape of the result, which the value has as many elements for, or one

    >>> constant([1.0, 2.0])
    Tensor([1., 2.], dtype=float32)
    >>> constant(7, shape=(2, 2))
    Tensor([[7, 7],
            [7, 7]], dtype=int32)
    """
    made: Any = asarray(value, dtype, copy=True)
    if dtype is None and is_python(value):
        made = made.astype(default_dtype(made.dtype, made.array))
    if shape is None:
        return made
    filled: Any = np.reshape(made, shape) if made.size != 1 else made * np.ones(shape, made.dtype)
    return filled


def convert_to_tensor(value: Any, dtype: Any = None) -> Tensor:
    """`value` as a Tensor, by the rules of `constant`; a Tensor or array of that dtype is not copied.

    >>> convert_to_tensor(np.ones(2))
    Tensor([1., 1.], dtype=float64)
    """
    return constant(value, dtype) if is_python(value) else asarray(value, dtype)


def is_python(x: Any) -> bool:
    """Whether a value is a number of Python's, or a structure of lists and tuples of them."""
    return all(map(is_python, x)) if isinstance(x, list | tuple) else type(x) in (bool, int, float, complex)


def default_dtype(dtype: np.dtype, values: np.ndarray) -> np.dtype:
    """TensorFlow's dtype for what NumPy makes of Python's numbers."""
    if dtype == np.float64:
        return np.dtype(np.float32)
    limits = np.iinfo(np.int32)
    fits = dtype == np.int64 and (values.size == 0 or limits.min <= values.min() and values.max() <= limits.max)
    return np.dtype(np.int32) if fits else dtype
