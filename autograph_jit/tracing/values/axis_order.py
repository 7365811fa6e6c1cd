"""The order of axes in memory that NumPy gives an elementwise result: that of its operands, where they agree, else C's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def common_order(strides: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The axes from the slowest to the fastest, by the strides of every operand; None for C order. A stride of 0 tells nothing.

    NumPy's `npyiter_find_best_axis_ordering`: a stable insertion sort, in which C order wins where operands differ.
    """
    rank = len(strides[0])
    order = list(range(rank))[::-1]  # the fastest first
    for place in range(1, rank):
        axis, target = order[place], place
        for before in range(place - 1, -1, -1):
            verdict = has_larger_stride(strides, order[before], axis)
            if verdict is False:
                break
            if verdict:
                target = before
        order.insert(target, order.pop(place))
    found = tuple(order[::-1])
    return None if found == tuple(range(rank)) else found


def has_larger_stride(strides: Sequence[Sequence[int]], one: int, other: int) -> bool | None:
    """Whether all operands that tell have a larger stride on the one axis than on the other; None where none tells."""
    pairs = [(abs(steps[one]), abs(steps[other])) for steps in strides if steps[one] and steps[other]]
    return all(x > y for x, y in pairs) if pairs else None


def order_in_memory(x: np.ndarray) -> tuple[int, ...] | None:
    """The axes of an array from the slowest to the fastest; None for C order."""
    if x.ndim < 2 or x.flags.c_contiguous:
        return None
    return common_order([[step if size > 1 else 0 for step, size in zip(x.strides, x.shape)]])
