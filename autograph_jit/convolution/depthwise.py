"""The products of a convolution where each channel has filters of its own: element by element of the window, for all windows at once.

Filters are ordered by channels: those of the first one come first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.convolution.geometry import Geometry, covered, examples_of, inner, margins_of, output_of, padded, product
from autograph_jit.convolution.marking import converted
from autograph_jit.library.directives.functional import loop_options

ELEMENTS = 1 << 15  # of the examples that are gone through once for each element of the window


@converted
def correlated(x: Any, kernel: Any, geometry: Geometry) -> Any:
    """`products.correlate`."""
    window, channels = kernel.shape[:-2], geometry.groups
    output = output_of(x.shape[1:-1], window, geometry)
    weights = np.reshape(kernel, (product(window), channels, kernel.shape[-1] // channels))
    y = np.zeros((x.shape[0], *output, channels, weights.shape[-1]), dtype=x.dtype)
    step = examples_of(product(output) * kernel.shape[-1], ELEMENTS)
    for start in range(0, x.shape[0], step):
        part, target = padded(x[start : start + step], window, geometry), y[start : start + step]
        for place in loop_options(range(weights.shape[0]), unroll=False):
            for k in loop_options(range(weights.shape[-1]), unroll=False):
                target[..., k] += covered(part, place, window, output, geometry) * weights[place, :, k]
    return np.reshape(y, (x.shape[0], *output, kernel.shape[-1]))


@converted
def spread_out(y: Any, kernel: Any, shape: Any, geometry: Geometry) -> Any:
    """`products.spread`."""
    window, output, channels = kernel.shape[:-2], y.shape[1:-1], geometry.groups
    weights = np.reshape(kernel, (product(window), channels, kernel.shape[-1] // channels))
    every = np.reshape(y, (y.shape[0], *output, channels, weights.shape[-1]))
    x = np.zeros((y.shape[0], *shape, channels), dtype=y.dtype)
    step = examples_of(product(shape) * kernel.shape[-1], ELEMENTS)
    for start in range(0, y.shape[0], step):
        part, source = x[start : start + step], every[start : start + step]
        wide = padded(part, window, geometry)
        for place in loop_options(range(weights.shape[0]), unroll=False):
            for k in loop_options(range(weights.shape[-1]), unroll=False):
                covered(wide, place, window, output, geometry)[...] += source[..., k] * weights[place, :, k]
        if geometry.padding == "same":
            part[...] = inner(wide, shape, margins_of(shape, window, geometry))
    return x


@converted
def rows_correlated(x: Any, y: Any, window: Any, geometry: Geometry) -> Any:
    """`products.correlate_rows`."""
    output, channels = y.shape[1:-1], geometry.groups
    every = np.reshape(y, (y.shape[0], *output, channels, y.shape[-1] // channels))
    kernel = np.zeros((product(window), channels, every.shape[-1]), dtype=x.dtype)
    axes = tuple(range(len(window) + 1))
    step = examples_of(product(output) * y.shape[-1], ELEMENTS)
    for start in range(0, x.shape[0], step):
        part, other = padded(x[start : start + step], window, geometry), every[start : start + step]
        for place in loop_options(range(kernel.shape[0]), unroll=False):
            for k in loop_options(range(kernel.shape[-1]), unroll=False):
                kernel[place, :, k] += np.sum(covered(part, place, window, output, geometry) * other[..., k], axis=axes)
    return np.reshape(kernel, (*window, 1, y.shape[-1]))
