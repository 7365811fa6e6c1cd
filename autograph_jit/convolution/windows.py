"""Sums, maxima and single elements of windows, channel by channel; the derivative of a sum and of a choice of elements is the other way.

    gather(x)                   the sum of each window
    gather(x, choice=places)    of each window the element at the place that `places` tells
    scatter(y), scatter(y, choice=places)   y at these elements, added up: the transpose of `gather`
    maxima(x)                   the largest element of each window, which has the derivative: the first one of equal ones, as in TensorFlow

Some examples are gone through at a time, once for each place of the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import CustomGradient, Pullbacks
from autograph_jit.convolution.geometry import Geometry, covered, examples_of, inner, margins_of, output_of, padded, product
from autograph_jit.convolution.marking import as_it_stands, converted, on_arrays
from autograph_jit.library.directives.functional import loop_options

ELEMENTS = 1 << 15


@CustomGradient
@as_it_stands
def gather(x: Any, *, window: Any, geometry: Geometry, choice: Any = None) -> Any:
    """[batch, *spatial, channels] to [batch, *output, channels]."""
    pulled = Pullbacks((lambda ct: scatter(ct, shape=tuple(x.shape[1:-1]), window=window, geometry=geometry, choice=choice),))
    return gathered(x, window, geometry, choice), pulled


@CustomGradient
@as_it_stands
def scatter(y: Any, *, shape: Any, window: Any, geometry: Geometry, choice: Any = None) -> Any:
    """[batch, *output, channels] to [batch, *shape, channels]."""
    pulled = Pullbacks((lambda ct: gather(ct, window=window, geometry=geometry, choice=choice),))
    return scattered(y, shape, window, geometry, choice), pulled


@CustomGradient
@as_it_stands
def maxima(x: Any, *, window: Any, geometry: Geometry) -> Any:
    """[batch, *spatial, channels] to [batch, *output, channels]."""

    def pulled(ct: Any) -> Any:
        return scatter(ct, shape=tuple(x.shape[1:-1]), window=window, geometry=geometry, choice=places_of_maxima(x, window, geometry))

    return largest(x, window, geometry), Pullbacks((pulled,))


@on_arrays
def gathered(x: Any, window: Any, geometry: Geometry, choice: Any) -> Any:
    """The value of `gather`."""
    output = output_of(x.shape[1:-1], window, geometry)
    y = np.empty((x.shape[0], *output, x.shape[-1]), dtype=x.dtype)
    step = examples_of(product(output) * x.shape[-1], ELEMENTS)
    for start in range(0, x.shape[0], step):
        part = padded(x[start : start + step], window, geometry)
        total = chosen(covered(part, 0, window, output, geometry), choice, start, step, 0)
        for place in range(1, product(window)):
            total = total + chosen(covered(part, place, window, output, geometry), choice, start, step, place)
        y[start : start + step] = total
    return y


@converted
def chosen(elements: Any, choice: Any, start: Any, step: Any, place: Any) -> Any:
    """Elements of some examples where this place was chosen, zeros elsewhere; without a choice all of them."""
    return elements if choice is None else np.where(choice[start : start + step] == place, elements, elements.dtype.type(0))


@on_arrays
def scattered(y: Any, shape: Any, window: Any, geometry: Geometry, choice: Any) -> Any:
    """The value of `scatter`."""
    output = y.shape[1:-1]
    x = np.zeros((y.shape[0], *shape, y.shape[-1]), dtype=y.dtype)
    step = examples_of(product(shape) * y.shape[-1], ELEMENTS)
    for start in range(0, y.shape[0], step):
        part, source = x[start : start + step], y[start : start + step]
        wide = padded(part, window, geometry)
        for place in loop_options(range(product(window)), unroll=False):
            elements = covered(wide, place, window, output, geometry)
            elements += chosen(source, choice, start, step, place)
        if geometry.padding == "same":
            part[...] = inner(wide, shape, margins_of(shape, window, geometry))
    return x


@on_arrays
def largest(x: Any, window: Any, geometry: Geometry) -> Any:
    """The value of `maxima`."""
    output = output_of(x.shape[1:-1], window, geometry)
    y = np.empty((x.shape[0], *output, x.shape[-1]), dtype=x.dtype)
    step = examples_of(product(output) * x.shape[-1], ELEMENTS)
    for start in range(0, x.shape[0], step):
        part = padded(x[start : start + step], window, geometry, lowest(x.dtype))
        found = covered(part, 0, window, output, geometry)
        for place in range(1, product(window)):
            found = np.maximum(found, covered(part, place, window, output, geometry))
        y[start : start + step] = found
    return y


@on_arrays
def places_of_maxima(x: Any, window: Any, geometry: Geometry) -> Any:
    """Where in each window its largest element stands, the first of equal ones."""
    output = output_of(x.shape[1:-1], window, geometry)
    y = np.empty((x.shape[0], *output, x.shape[-1]), dtype=np.int32)
    step = examples_of(product(output) * x.shape[-1], ELEMENTS)
    for start in range(0, x.shape[0], step):
        part = padded(x[start : start + step], window, geometry, lowest(x.dtype))
        found = covered(part, 0, window, output, geometry)
        places = np.zeros(found.shape, dtype=np.int32)
        for place in range(1, product(window)):
            elements = covered(part, place, window, output, geometry)
            is_larger = elements > found
            places = np.where(is_larger, np.int32(place), places)
            found = np.where(is_larger, elements, found)
        y[start : start + step] = places
    return y


@as_it_stands
def lowest(dtype: np.dtype) -> Any:
    """The number of a dtype below which there is none."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min
