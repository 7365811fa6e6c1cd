"""`conv` and `conv_transpose`: convolutions over any number of spatial axes, channels last."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.convolution.geometry import expect_windows, geometry_of, spans_of
from autograph_jit.convolution.marking import converted_when_called
from autograph_jit.convolution.products import correlate, spread
from autograph_jit.convolution.requirements import require
from autograph_jit.errors import SettingError, ShapeError


@converted_when_called
def conv(x: Any, kernel: Any, strides: Any = 1, padding: str = "valid", dilation: Any = 1, groups: int = 1) -> Any:
    """The convolution of TensorFlow and Keras, which does not turn the kernel round: channels last, over one or more spatial axes.

    x        [batch, *spatial, channels]
    kernel   [*window, channels // groups, filters]; groups == channels is the depthwise convolution
    strides  from one window to the next: an int for all spatial axes, or one for each
    padding  "valid": windows lie inside the array, (size - span) // stride + 1 of them; "same": size / stride, rounded up, with zeros
             around the array, the odd one behind it; a window spans (its size - 1) * dilation + 1
    dilation distance of a window's elements: an int for all spatial axes, or one for each
    groups   each group of channels has filters of its own; filters come in the order of their groups

    Returns [batch, *output, filters] in the common dtype of both arrays. Raises ShapeError (a ValueError) for arrays that do not fit each
    other, SettingError (a ValueError) for other options.

    >>> x = np.arange(5.0).reshape(1, 5, 1)
    >>> conv(x, np.ones((3, 1, 1)), padding="same")[0, :, 0]
    array([1., 3., 6., 9., 7.])
    """
    x, kernel = arrays_of("conv", x, kernel)
    geometry = geometry_of("conv", len(kernel.shape) - 2, strides, padding, dilation, groups)
    expect_groups("conv", groups, kernel.shape[-1])
    expect_channels("conv", x.shape[-1], kernel.shape[-2] * groups)
    expect_windows("conv", x.shape[1:-1], kernel.shape[:-2], geometry)
    return correlate(x, kernel, geometry=geometry)


@converted_when_called
def conv_transpose(x: Any, kernel: Any, strides: Any = 1, padding: str = "valid", dilation: Any = 1, groups: int = 1) -> Any:
    """The transposed convolution of TensorFlow and Keras: each element of x adds a window, weighed by the kernel, to the result.

    x        [batch, *spatial, channels]
    kernel   [*window, filters // groups, channels]: that of the convolution whose derivative this is
    padding  "valid": (size - 1) * stride + max(span, stride) elements along each axis; "same": size * stride

    `strides`, `dilation` and `groups` are those of `conv`, whose result for an array of the result's shape has the shape of x.
    Returns [batch, *output, filters]. Raises what `conv` raises.

    >>> x = np.array([1.0, 2.0]).reshape(1, 2, 1)
    >>> conv_transpose(x, np.ones((3, 1, 1)), strides=2)[0, :, 0]
    array([1., 1., 3., 2., 2.])
    """
    x, kernel = arrays_of("conv_transpose", x, kernel)
    window = kernel.shape[:-2]
    geometry = geometry_of("conv_transpose", len(window), strides, padding, dilation, groups)
    expect_groups("conv_transpose", groups, kernel.shape[-1])
    expect_channels("conv_transpose", x.shape[-1], kernel.shape[-1])
    shape = [size * stride for size, stride in zip(x.shape[1:-1], geometry.strides)]
    if padding == "valid":
        reach = [max(span - stride, 0) for span, stride in zip(spans_of(window, geometry), geometry.strides)]
        shape = [size + more for size, more in zip(shape, reach)]
    expect_windows("conv_transpose", shape, window, geometry)
    return spread(x, kernel, shape=tuple(shape), geometry=geometry)


@converted_when_called
def arrays_of(name: str, x: Any, kernel: Any) -> tuple[Any, Any]:
    """Both arrays in their common dtype, of real numbers, with a spatial axis or more."""
    dtype = np.result_type(x, kernel)
    require(dtype.kind in ("i", "u", "f"), ShapeError, f"{name}: arrays of {x.dtype} and {kernel.dtype}; it takes real numbers")
    require(
        len(x.shape) == len(kernel.shape) and len(x.shape) >= 3,
        ShapeError,
        f"{name}: x has {len(x.shape)} axes and the kernel {len(kernel.shape)}; it takes [batch, *spatial, channels] and [*window, "
        "channels, filters], with as many axes for the window as there are spatial ones",
    )
    return x if x.dtype == dtype else x.astype(dtype), kernel if kernel.dtype == dtype else kernel.astype(dtype)


@converted_when_called
def expect_channels(name: str, found: Any, expected: Any) -> None:
    """The last axis of x must have the size that the kernel takes."""
    require(found == expected, ShapeError, f"{name}: x has {{0}} channels, the kernel and the groups take {{1}}", found, expected)


@converted_when_called
def expect_groups(name: str, groups: Any, filters: Any) -> None:
    """Groups must divide the filters."""
    if groups != 1:
        text = f"{name}: {{0}} groups do not divide {{1}}, the last axis of the kernel"
        require(groups >= 1 and filters % groups == 0, SettingError, text, groups, filters)
