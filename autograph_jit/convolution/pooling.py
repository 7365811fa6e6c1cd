"""`max_pool` and `avg_pool`: windows of one or more spatial axes, channels last."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.convolution.geometry import (
    Geometry,
    expect_windows,
    for_each_axis,
    geometry_of,
    margins_of,
    output_of,
    product,
)
from autograph_jit.convolution.marking import converted_when_called
from autograph_jit.convolution.requirements import require
from autograph_jit.convolution.windows import gather, maxima
from autograph_jit.errors import ShapeError


@converted_when_called
def max_pool(x: Any, pool_size: Any = 2, strides: Any = None, padding: str = "valid") -> Any:
    """The largest element of each window, for each channel; the first of equal ones has the derivative.

    x          [batch, *spatial, channels], of real numbers
    pool_size  of a window: an int for all spatial axes, or one for each
    strides    from one window to the next: an int for all spatial axes, or one for each; None: `pool_size`
    padding    "valid": windows lie inside the array; "same": there are size / stride of them along an axis, rounded up, and what they have
               outside of the array does not count

    Returns [batch, *output, channels]. Raises ShapeError and SettingError (ValueErrors) for what does not fit.

    >>> max_pool(np.array([1.0, 3.0, 2.0, 5.0, 4.0]).reshape(1, 5, 1), 2, padding="same")[0, :, 0]
    array([3., 5., 4.])
    """
    window, geometry = windows_over("max_pool", x, pool_size, strides, padding)
    return maxima(x, window=window, geometry=geometry)


@converted_when_called
def avg_pool(x: Any, pool_size: Any = 2, strides: Any = None, padding: str = "valid") -> Any:
    """The mean of each window, for each channel, of those of its elements that lie inside the array; arguments and errors of `max_pool`.

    >>> avg_pool(np.array([1.0, 3.0, 2.0, 5.0, 4.0]).reshape(1, 5, 1), 2, padding="same")[0, :, 0]
    array([2. , 3.5, 4. ])
    """
    window, geometry = windows_over("avg_pool", x, pool_size, strides, padding)
    sums = gather(x, window=window, geometry=geometry)
    if padding == "valid":
        return sums / product(window)
    return sums / numbers_inside(x.shape[1:-1], window, geometry, sums.dtype if sums.dtype.kind == "f" else np.dtype(float))


@converted_when_called
def windows_over(name: str, x: Any, pool_size: Any, strides: Any, padding: Any) -> tuple[Any, Geometry]:
    """The windows of a pooling and how they move."""
    text = f"{name}: x is an array of {x.dtype} with {len(x.shape)} axes; it takes [batch, *spatial, channels] of real numbers"
    require(len(x.shape) >= 3 and x.dtype.kind in ("i", "u", "f"), ShapeError, text)
    rank = len(x.shape) - 2
    window = for_each_axis(name, "pool_size", pool_size, rank)
    geometry = geometry_of(name, rank, window if strides is None else strides, padding)
    expect_windows(name, x.shape[1:-1], window, geometry)
    return window, geometry


@converted_when_called
def numbers_inside(shape: Any, window: Any, geometry: Geometry, dtype: Any) -> Any:
    """How many elements of each window lie inside the array: [*output, 1]."""
    output = output_of(shape, window, geometry)
    numbers = np.ones((1,), dtype=dtype)
    for axis, (before, _) in enumerate(margins_of(shape, window, geometry)):
        first = np.arange(output[axis]) * geometry.strides[axis] - before
        inside = np.minimum(first + window[axis], shape[axis]) - np.maximum(first, 0)
        numbers = np.expand_dims(numbers, -2) * np.reshape(inside, (output[axis], 1)).astype(dtype)
    return numbers
