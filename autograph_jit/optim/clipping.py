"""Gradients cut to a range or to a norm, one by one or all together."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph_jit.optim.trees import leaves, with_leaves


def clip_by_value(tree: Any, clip_value_min: Any, clip_value_max: Any) -> Any:
    """Each element cut to the range.

    >>> clip_by_value([np.array([-2.0, 0.5, 3.0])], -1.0, 1.0)
    [array([-1. ,  0.5,  1. ])]
    """
    return with_leaves(tree, [np.clip(leaf, clip_value_min, clip_value_max) for leaf in leaves(tree)])


def clip_by_norm(tree: Any, clip_norm: Any) -> Any:
    """Each array scaled to the Euclidean norm `clip_norm` where its own is larger.

    >>> clip_by_norm([np.array([3.0, 4.0]), np.array([0.1])], 1.0)
    [array([0.6, 0.8]), array([0.1])]
    """
    return with_leaves(tree, [leaf * scale_to(global_norm(leaf), clip_norm).astype(leaf.dtype) for leaf in leaves(tree)])


def clip_by_global_norm(tree: Any, clip_norm: Any) -> tuple[Any, Any]:
    """All arrays scaled by one factor, so that their common norm is at most `clip_norm`; with the norm as it was (Pascanu et al. 2013).

    Where the norm is infinite all elements become NaN, as in TensorFlow.

    >>> clip_by_global_norm([np.array([3.0]), np.array([4.0])], 1.0)
    ([array([0.6]), array([0.8])], np.float64(5.0))
    """
    norm = global_norm(tree)
    scale = scale_to(norm, clip_norm)
    return with_leaves(tree, [leaf * scale.astype(leaf.dtype) for leaf in leaves(tree)]), norm


def global_norm(tree: Any) -> Any:
    """The Euclidean norm of all elements of all arrays, a float64.

    >>> global_norm([np.array([3.0]), np.array([[4.0]])])
    np.float64(5.0)
    """
    return np.sqrt(sum([np.sum(np.square(leaf), dtype=np.float64) for leaf in leaves(tree)], np.float64(0.0)))


def scale_to(norm: Any, clip_norm: Any) -> Any:
    """The factor that makes a norm at most `clip_norm`; NaN for an infinite one."""
    return np.where(np.isinf(norm), np.nan, clip_norm / np.maximum(norm, clip_norm))
