"""A batch divided into parts, and results of parts added up in their order."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag


def divided(batch: tuple[Any, ...], count: int) -> list[tuple[Any, ...]]:
    """The arguments of each of `count` parts: arrays are cut into as many pieces of rows, the first ones a row longer where that is uneven.
    Numbers and other objects go to all.

    >>> divided((np.arange(3), 0.5), 2)
    [(array([0, 1]), 0.5), (array([2]), 0.5)]
    """
    lengths = {len(x) for x in batch if np.ndim(x)}
    if len(lengths) != 1:
        found = f"its arrays have {sorted(lengths)} rows" if lengths else "it has no array"
        raise ag.ShapeError(f"the batch cannot be divided: {found}; give arrays with as many rows each")
    if min(lengths) < count:
        raise ag.ShapeError(f"the batch cannot be divided: {min(lengths)} rows for {count} parts; give more rows or a smaller parts=")
    columns = [np.array_split(np.asarray(x), count) if np.ndim(x) else [x] * count for x in batch]
    return list(zip(*columns))


def shares(batch: tuple[Any, ...], parts: list[tuple[Any, ...]]) -> list[float]:
    """The share of each part in the rows of its batch."""
    place, whole = next((i, x) for i, x in enumerate(batch) if np.ndim(x))
    return [len(part[place]) / len(whole) for part in parts]


def added(results: list[list[Any]], factors: list[float]) -> list[Any]:
    """Sums of results times factors, item by item, from the first part to the last; each has the dtype of its terms. None stays None."""
    sums: list[Any] = []
    for terms in zip(*results):
        if terms[0] is None:
            sums.append(None)
            continue
        total = terms[0] * factors[0]
        for term, factor in zip(terms[1:], factors[1:]):
            total = total + term * factor
        sums.append(total)
    return sums
