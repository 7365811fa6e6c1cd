"""What tells the executables of one program apart: how the memory of its arguments is laid out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

FEW = 8  # arrays that are compared two by two


def layout_key(leaves: list[Any]) -> tuple[Any, ...]:
    """Per array "C" or "A" (any), and whether no two arrays overlap."""
    arrays = [leaf for leaf in leaves if type(leaf) is np.ndarray]
    layouts = tuple(("C" if leaf.flags.c_contiguous and leaf.flags.aligned else "A") if type(leaf) is np.ndarray else "" for leaf in leaves)
    return layouts, are_distinct(arrays)


def are_distinct(arrays: list[np.ndarray]) -> bool:
    """Whether no two arrays share memory, as far as their bounds and steps tell. Of many the bounds are looked at in order."""
    if len(arrays) > FEW and len({*map(id, arrays)}) == len(arrays):
        if all(x.base is None for x in arrays) or are_apart(sorted(map(byte_bounds, arrays))):
            return True
    for index, first in enumerate(arrays):
        for second in arrays[index + 1 :]:
            may_share = not (first.base is None and second.base is None) and np.may_share_memory(first, second)
            if first is second or may_share and not are_interleaved(first, second):
                return False
    return True


def are_apart(bounds: list[tuple[int, int]]) -> bool:
    """Whether each part of memory ends before the next one begins."""
    return all(end <= start for (_, end), (start, _) in pairwise(bounds))


def are_interleaved(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two arrays are fields of one array of records: of one step along the first axis, and apart within it."""
    if not first.ndim or not second.ndim or (step := abs(first.strides[0])) == 0 or abs(second.strides[0]) != step:
        return False
    (start, size), (other_start, other_size) = part_of_record(first), part_of_record(second)
    rest = (other_start - start) % step
    return bool(rest >= size and rest + other_size <= step)


def part_of_record(x: np.ndarray) -> tuple[int, int]:
    """Where the first item along the first axis begins in memory, and over how many bytes it reaches."""
    reaches = [(size - 1) * step for size, step in zip(x.shape[1:], x.strides[1:])]
    return x.__array_interface__["data"][0] + sum(min(reach, 0) for reach in reaches), x.itemsize + sum(map(abs, reaches))
