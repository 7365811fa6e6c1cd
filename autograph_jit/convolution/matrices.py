"""The products of a convolution by products of matrices: each window of some examples is a row (Chellapilla, Puri and Simard 2006).

There are as many examples as make a matrix that stays in a cache; the matrix of all of them would take as many times the memory of the
array as a window has elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from autograph_jit.convolution.geometry import Geometry, covered, examples_of, inner, margins_of, output_of, padded, product, spans_of
from autograph_jit.convolution.marking import converted
from autograph_jit.library.directives.functional import loop_options

ELEMENTS = 1 << 18  # of a matrix of windows


@converted
def windows_of(x: Any, window: Any, geometry: Geometry) -> Any:
    """The windows of a padded array as the rows of a new matrix."""
    rank = len(window)
    axes = tuple(range(1, rank + 1))
    every = sliding_window_view(x, tuple(spans_of(window, geometry)), axis=axes)
    strides = [slice(None, None, stride) for stride in geometry.strides]
    inside = [slice(None, None, dilation) for dilation in geometry.dilation]
    ordered = np.transpose(every[(slice(None), *strides, slice(None), *inside)], (0, *axes, *range(rank + 2, 2 * rank + 2), rank + 1))
    rows = np.empty(ordered.shape, dtype=x.dtype)
    rows[...] = ordered
    return np.reshape(rows, (product(ordered.shape[: rank + 1]), product(ordered.shape[rank + 1 :])))


@converted
def of_group(x: Any, group: Any, count: Any, geometry: Geometry) -> Any:
    """The part of the last axis that belongs to a group, so many elements for each: a view."""
    return x if geometry.groups == 1 else x[..., group * count : (group + 1) * count]


@converted
def correlated(x: Any, kernel: Any, geometry: Geometry) -> Any:
    """`products.correlate`."""
    window, channels, filters = kernel.shape[:-2], kernel.shape[-2], kernel.shape[-1]
    output = output_of(x.shape[1:-1], window, geometry)
    places, terms, wide = product(output), product(window) * channels, filters // geometry.groups
    weights = np.reshape(kernel, (terms, filters))
    y = np.empty((x.shape[0] * places, filters), dtype=x.dtype)
    step = examples_of(places * terms, ELEMENTS)
    for start in range(0, x.shape[0], step):
        part = padded(x[start : start + step], window, geometry)
        lines = y[start * places : (start + step) * places]
        for group in range(geometry.groups):
            rows = windows_of(of_group(part, group, channels, geometry), window, geometry)
            of_group(lines, group, wide, geometry)[...] = rows @ of_group(weights, group, wide, geometry)
    return np.reshape(y, (x.shape[0], *output, filters))


@converted
def spread_out(y: Any, kernel: Any, shape: Any, geometry: Geometry) -> Any:
    """`products.spread`."""
    window, output, channels, filters = kernel.shape[:-2], y.shape[1:-1], kernel.shape[-2], kernel.shape[-1]
    places, elements, wide = product(output), product(window), filters // geometry.groups
    weights = np.reshape(kernel, (elements * channels, filters))
    lines = np.reshape(y, (y.shape[0] * places, filters))
    x = np.zeros((y.shape[0], *shape, geometry.groups * channels), dtype=y.dtype)
    step = examples_of(places * elements * channels, ELEMENTS)
    for start in range(0, y.shape[0], step):
        part, some = x[start : start + step], lines[start * places : (start + step) * places]
        wide_part = padded(part, window, geometry)
        for group in range(geometry.groups):
            rows = of_group(some, group, wide, geometry) @ np.transpose(of_group(weights, group, wide, geometry))
            parts = np.reshape(rows, (part.shape[0], *output, elements, channels))
            target = of_group(wide_part, group, channels, geometry)
            for place in loop_options(range(elements), unroll=False):
                covered(target, place, window, output, geometry)[...] += parts[..., place, :]
        if geometry.padding == "same":
            part[...] = inner(wide_part, shape, margins_of(shape, window, geometry))
    return x


@converted
def rows_correlated(x: Any, y: Any, window: Any, geometry: Geometry) -> Any:
    """`products.correlate_rows`."""
    output, channels, filters = y.shape[1:-1], x.shape[-1] // geometry.groups, y.shape[-1]
    places, terms, wide = product(output), product(window) * channels, filters // geometry.groups
    lines = np.reshape(y, (y.shape[0] * places, filters))
    kernel = np.zeros((terms, filters), dtype=x.dtype)
    step = examples_of(places * terms, ELEMENTS)
    for start in range(0, x.shape[0], step):
        part, some = padded(x[start : start + step], window, geometry), lines[start * places : (start + step) * places]
        for group in range(geometry.groups):
            rows = windows_of(of_group(part, group, channels, geometry), window, geometry)
            of_group(kernel, group, wide, geometry)[...] += np.transpose(rows) @ of_group(some, group, wide, geometry)
    return np.reshape(kernel, (*window, channels, filters))
