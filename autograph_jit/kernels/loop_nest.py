"""A loop nest as data: sizes, one scalar expression, index maps, and what becomes of each element.

    for i0 in range(sizes[0]): for i1 ...:  output[...] = expression(operands[0][...], ...)     a store
                                            total = combine(total, expression(...))             a reduction

An index map says for each axis of an array which axis of the domain walks it; None stands for an axis of size 1 that is repeated.
Where sizes are only known at run time, an axis mapped to the domain is repeated if it turns out to be of size 1.
Axes of an array may be read elsewhere: where an expression says, or rotated (`kernels.elsewhere`).
"""

from __future__ import annotations

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.graph import Value
from autograph_jit.ir.scalar import Expr
from autograph_jit.records import dataclass

IndexMap = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand of the expression: an array read through an index map, or a scalar where `index_map` is None.

    indices     for each axis the expression, of operands before this one, that says where it is read; None for an axis that is walked
    turns       axes that are rotated, with the part of the array that comes first
    """

    dtype: np.dtype
    name: str
    index_map: IndexMap | None
    indices: tuple[Expr | None, ...] = ()
    turns: tuple[tuple[int, Value], ...] = ()

    @property
    def is_elsewhere(self) -> bool:
        """Whether it is read at another index than that of the nest."""
        return bool(self.indices or self.turns)


@dataclass(frozen=True, slots=True)
class Store:
    """Every element is stored at the domain's index; `target` names the array."""

    target: str
    dtype: np.dtype


@dataclass(frozen=True, slots=True)
class Fold:
    """Elements are folded by `op` over `axes`."""

    op: str
    dtype: np.dtype
    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoopNest:
    """One nest over a rectangular domain, outermost axis first."""

    name: str
    sizes: tuple[Size, ...]
    operands: tuple[Operand, ...]
    expression: Expr
    output: Store | Fold


def trailing_map(dims: tuple[Size, ...], rank: int) -> IndexMap:
    """NumPy's broadcasting: axes aligned at the end, those of size 1 repeated."""
    shift = rank - len(dims)
    return tuple(None if size == 1 else axis + shift for axis, size in enumerate(dims))
