"""The three products of a convolution, each linear in both of its factors: the derivatives of one are the other two.

correlate(x, kernel)     what each window of x gives, weighed by the kernel: the convolution
spread(y, kernel)        y at each window, weighed by the kernel, and added up: the transposed convolution
correlate_rows(x, y)     the elements of windows of x times y, added up over all windows: the derivative by the kernel
"""

from __future__ import annotations

from typing import Any

from autograph_jit.autodiff.custom import CustomGradient, Pullbacks
from autograph_jit.convolution import depthwise, matrices
from autograph_jit.convolution.geometry import Geometry
from autograph_jit.convolution.marking import as_it_stands, on_arrays


@CustomGradient
@as_it_stands
def correlate(x: Any, kernel: Any, *, geometry: Geometry) -> Any:
    """[batch, *spatial, channels] and [*window, channels // groups, filters] to [batch, *output, filters]."""
    return correlated(x, kernel, geometry), Pullbacks(
        (
            lambda ct: spread(ct, kernel, shape=tuple(x.shape[1:-1]), geometry=geometry),
            lambda ct: correlate_rows(x, ct, window=tuple(kernel.shape[:-2]), geometry=geometry),
        )
    )


@CustomGradient
@as_it_stands
def spread(y: Any, kernel: Any, *, shape: Any, geometry: Geometry) -> Any:
    """[batch, *output, filters] and [*window, channels // groups, filters] to [batch, *shape, channels]."""
    return spread_out(y, kernel, shape, geometry), Pullbacks(
        (
            lambda ct: correlate(ct, kernel, geometry=geometry),
            lambda ct: correlate_rows(ct, y, window=tuple(kernel.shape[:-2]), geometry=geometry),
        )
    )


@CustomGradient
@as_it_stands
def correlate_rows(x: Any, y: Any, *, window: Any, geometry: Geometry) -> Any:
    """[batch, *spatial, channels] and [batch, *output, filters] to [*window, channels // groups, filters]."""
    return rows_correlated(x, y, window, geometry), Pullbacks(
        (
            lambda ct: spread(y, ct, shape=tuple(x.shape[1:-1]), geometry=geometry),
            lambda ct: correlate(x, ct, geometry=geometry),
        )
    )


@on_arrays
def correlated(x: Any, kernel: Any, geometry: Geometry) -> Any:
    """The value of `correlate`."""
    if geometry.groups != 1 and kernel.shape[-2] == 1:
        return depthwise.correlated_by_channel(x, kernel, geometry)
    return matrices.correlated(x, kernel, geometry)


@on_arrays
def spread_out(y: Any, kernel: Any, shape: Any, geometry: Geometry) -> Any:
    """The value of `spread`."""
    if geometry.groups != 1 and kernel.shape[-2] == 1:
        return depthwise.spread_out_by_channel(y, kernel, shape, geometry)
    return matrices.spread_out(y, kernel, shape, geometry)


@on_arrays
def rows_correlated(x: Any, y: Any, window: Any, geometry: Geometry) -> Any:
    """The value of `correlate_rows`."""
    if geometry.groups != 1 and x.shape[-1] == geometry.groups:
        return depthwise.rows_correlated_by_channel(x, y, window, geometry)
    return matrices.rows_correlated(x, y, window, geometry)
