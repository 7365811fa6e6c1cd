"""Equivalents of NumPy's statistics; see `autodiff.equivalents.functions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.autodiff.custom import stop_gradient
from autograph_jit.errors import NotDifferentiable
from autograph_jit.tracing.expressions.register import convert_on_call
from autograph_jit.tracing.values.trace import user_span

POSITIONS: dict[str, tuple[float, float]] = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


@convert_on_call
def bin_edges(a: Any, bins: Any = 10, range: Any = None) -> Any:  # noqa: A002 NumPy's name
    """np.histogram_bin_edges of a number of bins, or of the edges themselves."""
    if isinstance(bins, str):
        raise NotDifferentiable(
            "a histogram with bins chosen by name has no derivative", user_span(), "their number depends on the data", "give their number"
        )
    if np.ndim(bins) > 0:
        return np.asarray(bins) * 1.0
    low, high = (np.min(a), np.max(a)) if range is None else (range[0], range[1])
    return low + (high - low) * np.linspace(0.0, 1.0, bins + 1)


@convert_on_call
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:  # noqa: A002 NumPy's name
    """np.histogram: an element's bin is a constant, its weight and the widths of the bins are not."""
    edges = bin_edges(a, bins, range)
    flat, steps = stop_gradient(np.ravel(a)), np.histogram_bin_edges(stop_gradient(a), bins, range)
    count = np.size(edges) - 1
    places = np.minimum(np.searchsorted(steps, flat, side="right") - 1, count - 1)
    inside = (flat >= steps[0]) & (flat <= steps[-1])
    totals = np.zeros(count, dtype=edges.dtype if weights is None else np.asarray(weights).dtype)
    each = (flat * 0 + 1).astype(totals.dtype) if weights is None else np.ravel(weights)
    np.add.at(totals, places[inside], each[inside])
    if density:
        return totals / (edges[1:] - edges[:-1]) / np.sum(totals), edges
    return (totals.astype(np.int64), edges) if weights is None else (totals, edges)


@convert_on_call
def quantile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    """np.quantile by the methods that interpolate between two neighbours."""
    if method not in POSITIONS:
        raise NotDifferentiable(
            f"np.quantile by the method {method!r} has no derivative", user_span(), "it chooses an element", f"use one of {list(POSITIONS)}"
        )
    alpha, beta = POSITIONS[method]
    q = np.asarray(q) if np.ndim(q) else q
    kept = None if axis is None else np.shape(np.sum(a, axis, keepdims=True))
    flat = np.ravel(a) if axis is None else np.moveaxis(a, axis, -1)
    ordered = np.sort(flat, -1)
    n = np.shape(ordered)[-1]
    place = np.clip((n * q + (alpha + q * (1 - alpha - beta))) - 1, 0, n - 1)
    below = np.minimum(np.floor(stop_gradient(place)).astype(np.int64), max(n - 2, 0))
    above = np.minimum(below + 1, n - 1)
    share = (place - below).astype(ordered.dtype) if np.ndim(q) else ordered.dtype.type(1) * (place - below)
    result = ordered[..., below] * (1 - share) + ordered[..., above] * share
    result = np.moveaxis(result, -1, 0) if np.ndim(q) else result
    if not keepdims:
        return result
    shape = (1,) * np.ndim(a) if kept is None else kept
    return np.reshape(result, (np.shape(q) if np.ndim(q) else ()) + shape)


@convert_on_call
def percentile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    """np.percentile."""
    return quantile(a, np.true_divide(q, 100), axis, method=method, keepdims=keepdims)


@convert_on_call
def mean_of_numbers(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """np.nanmean."""
    there = np.logical_not(np.isnan(stop_gradient(a)))
    return np.sum(np.where(there, a, 0), axis, keepdims=keepdims) / np.sum(there, axis, keepdims=keepdims)


STATISTICS: dict[Any, Callable[..., Any]] = {
    np.histogram: histogram,
    np.histogram_bin_edges: bin_edges,
    np.quantile: quantile,
    np.percentile: percentile,
    np.nanmean: mean_of_numbers,
}
