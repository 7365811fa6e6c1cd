"""Edit distance (Levenshtein) of two texts by dynamic programming on two rows."""

from __future__ import annotations

import bisect
import heapq
import inspect

import numpy as np


def edit_distance(a, b):
    """Least number of inserted, deleted and replaced codes that turns `a` into `b` (Wagner and Fischer 1974)."""
    above = np.arange(len(b) + 1)
    row = np.empty_like(above)
    for i in range(len(a)):
        row[0] = i + 1
        for j in range(len(b)):
            cost = above[j] if a[i] == b[j] else above[j] + 1
            row[j + 1] = min(cost, above[j + 1] + 1, row[j] + 1)
        above, row = row, above
    return above[-1]


def codes(text: str, size: int) -> np.ndarray:
    """The first `size` code points of a text."""
    return np.array([ord(c) for c in text[:size]], dtype=np.int64)


def example(size: int = 1200) -> tuple:
    """The beginnings of two modules of Python's own library, found on any machine."""
    return codes(inspect.getsource(bisect), size), codes(inspect.getsource(heapq), size)
