"""Convolutions and poolings window by window, element by element, as their definitions say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def per_axis(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def windows(shape: tuple[int, ...], spans: list[int], strides: tuple[int, ...], padding: str) -> tuple[list[int], list[int]]:
    """How many windows there are along each axis, and how far the first one begins before the array."""
    if padding == "valid":
        return [(size - span) // stride + 1 for size, span, stride in zip(shape, spans, strides)], [0] * len(shape)
    counts = [-(-size // stride) for size, stride in zip(shape, strides)]
    return counts, [max((n - 1) * stride + span - size, 0) // 2 for n, stride, span, size in zip(counts, strides, spans, shape)]


def pairs(
    shape: tuple[int, ...], window: tuple[int, ...], strides: Any, padding: str, dilation: Any = 1
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """Each window, each place in it, and the element there, where the array has one."""
    rank = len(shape)
    strides, dilation = per_axis(strides, rank), per_axis(dilation, rank)
    spans = [(size - 1) * step + 1 for size, step in zip(window, dilation)]
    counts, before = windows(shape, spans, strides, padding)
    for output in np.ndindex(*counts):
        for place in np.ndindex(*window):
            at = tuple(o * s + p * d - b for o, s, p, d, b in zip(output, strides, place, dilation, before))
            if all(0 <= k < size for k, size in zip(at, shape)):
                yield output, place, at


def output_shape(shape: tuple[int, ...], window: tuple[int, ...], strides: Any, padding: str, dilation: Any = 1) -> tuple[int, ...]:
    rank = len(shape)
    spans = [(size - 1) * step + 1 for size, step in zip(window, per_axis(dilation, rank))]
    return tuple(windows(shape, spans, per_axis(strides, rank), padding)[0])


def conv(x: np.ndarray, kernel: np.ndarray, strides: Any = 1, padding: str = "valid", dilation: Any = 1, groups: int = 1) -> np.ndarray:
    shape, window, each, filters = x.shape[1:-1], kernel.shape[:-2], kernel.shape[-2], kernel.shape[-1]
    result = np.zeros((len(x), *output_shape(shape, window, strides, padding, dilation), filters))
    for output, place, at in pairs(shape, window, strides, padding, dilation):
        for k in range(filters):
            first = k // (filters // groups) * each
            result[(slice(None), *output, k)] += x[(slice(None), *at)][:, first : first + each] @ kernel[(*place, slice(None), k)]
    return result


def pool(combine: Callable[..., Any], x: np.ndarray, window: tuple[int, ...], strides: Any, padding: str) -> np.ndarray:
    shape = x.shape[1:-1]
    found: dict[tuple[int, ...], list[np.ndarray]] = {}
    for output, _, at in pairs(shape, window, strides, padding):
        found.setdefault(output, []).append(x[(slice(None), *at)])
    result = np.zeros((len(x), *output_shape(shape, window, strides, padding), x.shape[-1]))
    for output, elements in found.items():
        result[(slice(None), *output)] = combine(elements, axis=0)
    return result
