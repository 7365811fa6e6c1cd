"""np.histogram of floats in bins of equal width: one loop over the elements, converted and staged as the user's loops are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph_jit.tracing.arrays.array_like import as_array
from autograph_jit.tracing.arrays.register import implements, refuse
from autograph_jit.tracing.arrays.views import flat
from autograph_jit.tracing.expressions import calls

MOST_BINS = 1 << 16
BLOCK = 4096
WIDE = 16  # errors of rounding in the width of a bin: then a quotient is near enough, and so is a product


@implements(np.histogram)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:  # noqa: A002 NumPy's name
    """Counts and edges; other bins than a known number of equal ones, weights and densities are NumPy's business."""
    refuse(weights is not None, bool(density), type(bins) is not int or not 1 <= bins <= MOST_BINS)
    x = as_array(a)
    refuse(x.dtype not in (np.float32, np.float64), range is not None and not is_range(range))
    assert calls.converter is not None
    elements = flat(x)
    if range is not None:
        first, last = range if range[0] != range[1] else (range[0] - 0.5, range[1] + 0.5)
        return calls.converter(count_in_bins)(elements, float(first), float(last), bins, np.dtype(np.float64))
    return calls.converter(count_in_bins)(elements, *calls.converter(limits_of)(elements), bins, x.dtype)


def is_range(limits: Any) -> bool:
    """Whether limits are two finite Python numbers in order."""
    if not isinstance(limits, tuple | list) or len(limits) != 2 or any(type(limit) not in (int, float) for limit in limits):
        return False
    return all(map(math.isfinite, limits)) and limits[0] <= limits[1]


def limits_of(x: Any) -> Any:
    """The smallest and the largest element, a little apart where they are equal."""
    first, last = x.dtype.type(0), x.dtype.type(1)
    if len(x) > 0:
        first, last = np.min(x), np.max(x)
        if not (np.isfinite(first) and np.isfinite(last)):
            raise ValueError(f"autodetected range of [{first}, {last}] is not finite")
        if first == last:
            first = first - 0.5
            last = last + 0.5
    return first, last


def count_in_bins(x: Any, first: Any, last: Any, bins: Any, dtype: Any) -> Any:
    """NumPy's histogram: the bin that a quotient gives, corrected by the edges, which are computed in `dtype`. The last bin has both of its
    edges."""
    edges = np.linspace(first, last, bins + 1, dtype=x.dtype)
    widths = edges[1:] - edges[:-1]
    if np.any(widths <= 0.0):
        raise ValueError(f"Too many bins for data range. Cannot create {bins} finite-sized bins.")
    counts = np.zeros(bins + 1, dtype=np.int64)
    if np.min(widths) > WIDE * np.finfo(x.dtype).eps * max(abs(first), abs(last)):
        for start in range(0, len(x), BLOCK):
            places = place_in_bins(x[start : start + BLOCK], first, last, bins, dtype)
            for k in range(len(places)):
                counts[places[k]] += 1
        return counts[:bins].copy(), edges
    for k in range(len(x)):
        value = x[k]
        if first <= value <= last:
            place = min(int((value - first) / (last - first) * bins), bins - 1)
            if value < edges[place]:
                place -= 1
            elif place != bins - 1 and value >= edges[place + 1]:
                place += 1
            counts[place] += 1
    return counts[:bins].copy(), edges


def place_in_bins(x: Any, first: Any, last: Any, bins: Any, dtype: Any) -> Any:
    """The bin of each element, `bins` where it has none. A product is near enough where bins are wide: it is corrected by the edges, which
    are computed as np.linspace does."""
    width = last - first
    step = width / bins
    guess = np.minimum(((x - first) * (bins / width)).astype(np.int64), bins - 1)
    number = guess.astype(dtype)
    is_below = x < (number * step + first).astype(x.dtype)
    is_above = (x >= ((number + 1) * step + first).astype(x.dtype)) & (guess != bins - 1)
    return np.where((first <= x) & (x <= last), guess - is_below + is_above, bins)
