"""What tells the executables of one program apart: how the memory of its arguments is laid out."""

from __future__ import annotations

from typing import Any

import numpy as np


def layout_key(leaves: list[Any]) -> tuple[Any, ...]:
    """Per array "C" or "A" (any), and whether no two arrays overlap."""
    arrays = [leaf for leaf in leaves if type(leaf) is np.ndarray]
    layouts = tuple(("C" if leaf.flags.c_contiguous and leaf.flags.aligned else "A") if type(leaf) is np.ndarray else "" for leaf in leaves)
    return layouts, are_distinct(arrays)


def are_distinct(arrays: list[np.ndarray]) -> bool:
    """Whether no two arrays share memory bounds."""
    for index, first in enumerate(arrays):
        for second in arrays[index + 1 :]:
            if first is second or not (first.base is None and second.base is None) and np.may_share_memory(first, second):
                return False
    return True
