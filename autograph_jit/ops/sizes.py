"""Checks that arrays have the symbolic sizes that their types claim: equal atoms are equal numbers, within their bounds.

Empty arrays are left out: tracing lets them stand for variables that are not bound yet, and nothing reads them.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.errors import GraphError
from autograph_jit.ir.dims import LOWER_BOUNDS, Dim
from autograph_jit.ir.types import ArrayType

Bindings = dict[str, int]


def bind_sizes(array: np.ndarray, type: ArrayType, bindings: Bindings) -> None:
    """Give atoms their numbers at their first sight, compare them later; raise GraphError where a claim is wrong."""
    if array.size == 0:
        return
    for size, found in zip(type.dims, array.shape, strict=True):
        if isinstance(size, Dim) and not bind_size(size, found, bindings):
            known = {name: bindings.get(name) for name, _ in size.terms}
            raise GraphError(f"an array of shape {list(array.shape)} has the type {type}, where {known}")


def bind_size(size: Dim, found: int, bindings: Bindings) -> bool:
    """Whether the size can be this number; one unknown atom becomes known by it."""
    unknown = [(name, coefficient) for name, coefficient in size.terms if name not in bindings]
    rest = found - size.const - sum(coefficient * bindings[name] for name, coefficient in size.terms if name in bindings)
    if not unknown:
        return rest == 0
    if len(unknown) > 1:
        return True
    ((name, coefficient),) = unknown
    if rest % coefficient or rest // coefficient < LOWER_BOUNDS.get(name[0], rest // coefficient):
        return False
    bindings[name] = rest // coefficient
    return True
