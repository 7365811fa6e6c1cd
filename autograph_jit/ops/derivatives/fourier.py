"""Derivatives of discrete Fourier transforms: linear, so the tangent is transformed, and the cotangent goes through the adjoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph_jit.ops.derivatives.shared import is_complex, positions

INVERSE_SCALE: dict[Any, Any] = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def fitted(x: Any, size: Any, axis: int) -> Any:
    """x cut or filled with zeros to a size along an axis."""
    axis = axis % np.ndim(x)
    shape = list(np.shape(x))
    shape[axis] = size
    before = (slice(None),) * axis
    zeros = np.broadcast_to(np.zeros_like(np.sum(x, axis=axis, keepdims=True)), tuple(shape))
    return np.concatenate([x, zeros], axis=axis)[(*before, slice(None, size))]


def of_kind(x: Any, a: Any) -> Any:
    """The real part where the operand is real."""
    return x if is_complex(a) else np.real(x)


def define_transform(transform: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The rules of fft or ifft, whose matrix is symmetric: the adjoint is the conjugate of the transform of the conjugate."""

    def vjp(ct: Any, result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any]:
        back = np.conjugate(transform(np.conjugate(ct), axis=axis, norm=norm))
        return (of_kind(back if n is None else fitted(back, np.shape(a)[axis], axis), a),)

    def jvp(tangents: tuple[Any], result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return transform(tangents[0], n=n, axis=axis, norm=norm)

    return vjp, jvp


def transformed_axes(a: Any, s: Any, axes: Any) -> tuple[int, ...]:
    """The axes of a transform, as NumPy chooses them."""
    if axes is None:
        return tuple(range(-len(s), 0)) if s is not None else tuple(range(np.ndim(a)))
    return tuple(axes)


def define_transform_of_axes(transform: Callable[..., Any], default: Sequence[int] | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The rules of fft2, fftn and their inverses."""

    def vjp(ct: Any, result: Any, a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> tuple[Any]:
        chosen = transformed_axes(a, s, axes)
        back = np.conjugate(transform(np.conjugate(ct), axes=chosen, norm=norm))
        for axis in chosen if s is not None else ():
            back = fitted(back, np.shape(a)[axis], axis)
        return (of_kind(back, a),)

    def jvp(tangents: tuple[Any], result: Any, a: Any, s: Any = None, axes: Any = default, norm: Any = None) -> Any:
        return transform(tangents[0], s=s, axes=transformed_axes(a, s, axes), norm=norm)

    return vjp, jvp


def rfft_vjp(ct: Any, result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any]:
    """The transform sees half of a spectrum: the other half has no cotangent."""
    size = np.shape(a)[axis]
    back = np.real(np.fft.fft(np.conjugate(ct), n=size if n is None else n, axis=axis, norm=norm))
    return (back if n is None else fitted(back, size, axis),)


def rfft_jvp(tangents: tuple[Any], result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Linear."""
    return np.fft.rfft(tangents[0], n=n, axis=axis, norm=norm)


def irfft_vjp(ct: Any, result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> tuple[Any]:
    """Each coefficient but the first, and the last of an even length, counts twice."""
    axis = axis % np.ndim(a)
    length = np.shape(result)[axis]
    back = np.fft.rfft(ct, axis=axis, norm=INVERSE_SCALE[norm])
    k = positions(back, axis)
    weights = np.where((k > 0) & (2 * k < length), 2, 1).astype(ct.dtype)
    return (of_kind(fitted(back * weights, np.shape(a)[axis], axis), a),)


def irfft_jvp(tangents: tuple[Any], result: Any, a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
    """Linear."""
    return np.fft.irfft(tangents[0], n=n, axis=axis, norm=norm)
