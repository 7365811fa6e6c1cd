"""`Variable`: a Tensor with a value that is assigned, a name, and a place among the trainable ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.ops.dispatch import unboxed
from autograph_jit.tensor.tensor import Tensor


class Variable(Tensor):
    """State: an array of its own that `assign` and item assignment write in place. Operations on it give Tensors.

    >>> v = Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0])
    Variable([2., 3.], dtype=float64)
    >>> v * 2
    Tensor([4., 6.], dtype=float64)
    """

    __slots__ = ("trainable", "name")

    def __init__(self, value: Any, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(np.array(unboxed(value)))
        self.trainable, self.name = trainable, name

    @classmethod
    def of(cls, result: Any) -> Any:
        """What an operation gives is a Tensor."""
        return Tensor.of(result)

    def assign(self, value: Any) -> Variable:
        """Write a value of the same shape in place."""
        self[...] = value
        return self

    def assign_add(self, value: Any) -> Variable:
        """Add in place."""
        return self.assign(self + value)

    def assign_sub(self, value: Any) -> Variable:
        """Subtract in place."""
        return self.assign(self - value)

    def __repr__(self) -> str:
        return "Variable" + repr(Tensor(self.array)).removeprefix("Tensor")
