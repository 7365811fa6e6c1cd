"""Where the windows of a convolution or of a pooling lie: sizes, padding, and the elements that one place of all windows covers."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.convolution.marking import converted_when_called
from autograph_jit.convolution.requirements import require
from autograph_jit.errors import SettingError, ShapeError
from autograph_jit.records import dataclass

PADDINGS = ("valid", "same")


@dataclass(frozen=True, slots=True)
class Geometry:
    """How windows move: the step from one to the next and the distance of their elements, along each spatial axis; whether they stay inside
    the array ("valid") or there is one for every step of it ("same"); how many groups the channels form."""

    strides: tuple[Any, ...]
    dilation: tuple[Any, ...]
    padding: str
    groups: Any = 1


@converted_when_called
def geometry_of(name: str, rank: int, strides: Any, padding: Any, dilation: Any = 1, groups: Any = 1) -> Geometry:
    """The geometry that the options of `ag.<name>` say, for so many spatial axes."""
    require(padding in PADDINGS, SettingError, f'{name}(padding={padding!r}): expected "valid" or "same"')
    strides = for_each_axis(name, "strides", strides, rank)
    return Geometry(strides, for_each_axis(name, "dilation", dilation, rank), padding, groups)


@converted_when_called
def for_each_axis(name: str, option: str, value: Any, rank: int) -> tuple[Any, ...]:
    """An option that is one positive int for all spatial axes, or one for each."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * rank
    require(len(values) == rank, SettingError, f"{name}({option}={value!r}): there are {rank} spatial axes")
    for one in values:
        expected = "expected a positive int, or one for each spatial axis"
        require(isinstance(one, (int, np.integer)), SettingError, f"{name}({option}={value!r}): {expected}")
        require(one >= 1, SettingError, f"{name}: {option} of {{0}}: {expected}", one)
    return values


@converted_when_called
def product(sizes: Any) -> Any:
    """The product of sizes."""
    total = 1
    for size in sizes:
        total = total * size
    return total


@converted_when_called
def examples_of(elements: Any, most: int) -> Any:
    """How many examples of so many elements are worked on at a time."""
    return max(1, most // max(1, elements))


@converted_when_called
def spans_of(window: Any, geometry: Geometry) -> list[Any]:
    """How many elements lie between the first and the last of a window, along each axis, both of them counted."""
    return [(size - 1) * dilation + 1 for size, dilation in zip(window, geometry.dilation)]


@converted_when_called
def output_of(shape: Any, window: Any, geometry: Geometry) -> list[Any]:
    """How many windows there are along each axis of so many elements."""
    if geometry.padding == "same":
        return [steps_to(size - 1, stride) + 1 for size, stride in zip(shape, geometry.strides)]
    return [steps_to(size - span, stride) + 1 for size, span, stride in zip(shape, spans_of(window, geometry), geometry.strides)]


@converted_when_called
def steps_to(distance: Any, stride: Any) -> Any:
    """How many whole steps there are; steps of one are not divided: sizes stay sums, which can be compared before the program runs."""
    return distance if stride == 1 else distance // stride


@converted_when_called
def margins_of(shape: Any, window: Any, geometry: Geometry) -> list[Any]:
    """How many elements are missing before and after each axis; the odd one is missing after it, as in TensorFlow."""
    margins = []
    for size, span, stride in zip(shape, spans_of(window, geometry), geometry.strides):
        missing = max(steps_to(size - 1, stride) * stride + span - size, 0)
        margins.append((missing // 2, missing - missing // 2))
    return margins


@converted_when_called
def padded(x: Any, window: Any, geometry: Geometry, filling: Any = 0) -> Any:
    """The array [batch, *spatial, channels] with what is missing at its edges; itself where nothing can be missing."""
    if geometry.padding == "valid":
        return x
    margins = margins_of(x.shape[1:-1], window, geometry)
    spatial = [before + size + after for size, (before, after) in zip(x.shape[1:-1], margins)]
    wide = np.full((x.shape[0], *spatial, x.shape[-1]), filling, dtype=x.dtype)
    inner(wide, x.shape[1:-1], margins)[...] = x
    return wide


@converted_when_called
def inner(wide: Any, shape: Any, margins: Any) -> Any:
    """The part of a padded array that is not its margins: a view."""
    return wide[(slice(None), *[slice(before, before + size) for size, (before, after) in zip(shape, margins)])]


@converted_when_called
def covered(x: Any, place: Any, window: Any, output: Any, geometry: Geometry) -> Any:
    """What the element of all windows at one place of theirs covers, places counted in C order: a view [batch, *output, channels]."""
    slices: list[Any] = []
    for axis in range(len(window) - 1, -1, -1):
        first = place % window[axis] * geometry.dilation[axis]
        place = place // window[axis]
        slices.insert(0, slice(first, first + (output[axis] - 1) * geometry.strides[axis] + 1, geometry.strides[axis]))
    return x[(slice(None), *slices)]


@converted_when_called
def expect_windows(name: str, shape: Any, window: Any, geometry: Geometry) -> None:
    """Windows must have elements, and so must spatial axes; windows of "valid" must fit into them."""
    for axis, (size, span) in enumerate(zip(shape, spans_of(window, geometry))):
        require(span >= 1, ShapeError, f"{name}: the window has no elements along spatial axis {axis}")
        if geometry.padding == "same":
            require(size >= 1, ShapeError, f"{name}: spatial axis {axis} has no elements")
        else:
            text = f'{name}: a window of {{0}} does not fit into the {{1}} elements of spatial axis {axis}; padding="same" makes room'
            require(span <= size, ShapeError, text, span, size)
