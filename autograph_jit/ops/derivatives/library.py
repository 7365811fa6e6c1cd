"""Derivatives of NumPy functions that compiled code calls in Python: the table `RULES`, by the function.

A rule is called as the function was, with the arguments at their places. Contributions and tangents are dicts from a place in `args`, or a
name in `kwargs`, to a value; a place that is missing has no derivative. Functions with several results take and give tuples, in which None
stands for zero. The rule of an unsupported call gives `Unsupported`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autograph_jit.ir.derivative import Unsupported
from autograph_jit.ops.derivatives import eigen as eigen
from autograph_jit.ops.derivatives import factoring as factoring
from autograph_jit.ops.derivatives import fourier as fourier
from autograph_jit.ops.derivatives import matrices as matrices
from autograph_jit.ops.derivatives import norms as norms
from autograph_jit.ops.derivatives import samples as samples
from autograph_jit.ops.derivatives import solving as solving
from autograph_jit.ops.derivatives import special as special
from autograph_jit.ops.derivatives.elementwise import digamma
from autograph_jit.records import dataclass

Place = int | str


@dataclass(frozen=True, slots=True)
class LibraryRule:
    """The rules of one function. `parameters` are those that NumPy takes by place, in order; the first `count` of them are arrays that
    it is differentiated by. `by_reverse(ct, result, **named)` gives a tuple of `count` contributions,
    `by_forward(tangents, result, **named)` takes a tuple of `count` tangents."""

    parameters: tuple[str, ...]
    count: int
    by_reverse: Callable[..., Any]
    by_forward: Callable[..., Any]

    def named(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name."""
        return {**dict(zip(self.parameters, args)), **kwargs}

    def places(self, args: tuple[Any, ...]) -> list[Place]:
        """Where the arrays stand in the call."""
        return [name if place >= len(args) else place for place, name in enumerate(self.parameters[: self.count])]

    def covers(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Whether the rule knows every option of this call."""
        try:
            inspect.signature(self.by_reverse).bind(None, None, **self.named(args, kwargs))
        except TypeError:
            return False
        return len(args) <= len(self.parameters)

    def vjp(self, ct: Any, result: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[Place, Any] | Unsupported:
        """What each array contributes to."""
        found = self.by_reverse(ct, result, **self.named(args, kwargs))
        if isinstance(found, Unsupported):
            return found
        return {place: each for place, each in zip(self.places(args), found, strict=True) if each is not None}

    def jvp(self, tangents: Mapping[Place, Any], result: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The tangent of the result; None where all tangents are."""
        along = tuple(tangents.get(place) for place in self.places(args))
        if all(each is None for each in along):
            return None
        return self.by_forward(along, result, **self.named(args, kwargs))


def rule(parameters: str, by_reverse: Callable[..., Any], by_forward: Callable[..., Any], count: int = 1) -> LibraryRule:
    """A rule; parameters are separated by spaces."""
    return LibraryRule(tuple(parameters.split()), count, by_reverse, by_forward)


def slope_rule(slope: Callable[[Any, Any], Any]) -> LibraryRule:
    """The rules of a real function of one number; `slope(result, x)` is its derivative."""
    return rule("x", lambda ct, r, x: (ct * slope(r, x),), lambda tangents, r, x: tangents[0] * slope(r, x))


def ldexp_vjp(ct: Any, r: Any, x: Any, i: Any) -> tuple[Any]:
    """Linear in x."""
    return (ct * np.exp2(1.0 * i),)


def ldexp_jvp(tangents: tuple[Any], r: Any, x: Any, i: Any) -> Any:
    """Linear in x."""
    return tangents[0] * np.exp2(1.0 * i)


def fsum_vjp(ct: Any, r: Any, seq: Any) -> tuple[Any]:
    """The same for each number of an array, or of a list."""
    return (np.full(len(seq), ct) if isinstance(seq, (list, tuple)) else np.zeros_like(seq) + ct,)


def special_rule(name: str) -> LibraryRule:
    """The rules of a function of scipy.special."""
    if len(special.SLOPES[name]) == 1:
        return rule("x", lambda ct, r, x: special.special_vjp(ct, r, name, (x,)), lambda t, r, x: special.special_jvp(t, r, name, (x,)))
    return rule(
        "x y",
        lambda ct, r, x, y: special.special_vjp(ct, r, name, (x, y)),
        lambda tangents, r, x, y: special.special_jvp(tangents, r, name, (x, y)),
        2,
    )


def find_rule(function: Any) -> LibraryRule | None:
    """The rules of a function of NumPy or SciPy, None where it has none."""
    found = RULES.get(function)
    if found is None and (name := special.name_of(function)):
        found = special_rule(name)
    if found is None and (name := matrices.name_of(function)):
        found = rule(*matrices.RULES[name])
    return found


def shift_rule(shift: Callable[..., Any], back: Callable[..., Any]) -> LibraryRule:
    """The rules of fftshift and ifftshift, each the adjoint of the other."""
    return rule("x axes", lambda ct, r, x, axes=None: (back(ct, axes),), lambda tangents, r, x, axes=None: shift(tangents[0], axes))


ONE_AXIS, AXES = "a n axis norm", "a s axes norm"
RULES: dict[Any, LibraryRule] = {
    np.linalg.solve: rule("a b", solving.solve_vjp, solving.solve_jvp, 2),
    np.linalg.inv: rule("a", solving.inv_vjp, solving.inv_jvp),
    np.linalg.det: rule("a", solving.det_vjp, solving.det_jvp),
    np.linalg.slogdet: rule("a", solving.slogdet_vjp, solving.slogdet_jvp),
    np.linalg.lstsq: rule("a b rcond", solving.lstsq_vjp, solving.lstsq_jvp, 2),
    np.linalg.pinv: rule("a rcond hermitian", solving.pinv_vjp, solving.pinv_jvp),
    np.linalg.matrix_power: rule("a n", solving.matrix_power_vjp, solving.matrix_power_jvp),
    np.linalg.cholesky: rule("a", factoring.cholesky_vjp, factoring.cholesky_jvp),
    np.linalg.eig: rule("a", eigen.eig_vjp, eigen.eig_jvp),
    np.linalg.eigvals: rule("a", eigen.eigvals_vjp, eigen.eigvals_jvp),
    np.linalg.eigh: rule("a UPLO", factoring.eigh_vjp, factoring.eigh_jvp),
    np.linalg.eigvalsh: rule("a UPLO", factoring.eigvalsh_vjp, factoring.eigvalsh_jvp),
    np.linalg.svd: rule("a full_matrices compute_uv hermitian", factoring.svd_vjp, factoring.svd_jvp),
    np.linalg.qr: rule("a mode", factoring.qr_vjp, factoring.qr_jvp),
    np.linalg.norm: rule("x ord axis keepdims", norms.norm_vjp, norms.norm_jvp),
    np.fft.fft: rule(ONE_AXIS, *fourier.define_transform(np.fft.fft)),
    np.fft.ifft: rule(ONE_AXIS, *fourier.define_transform(np.fft.ifft)),
    np.fft.rfft: rule(ONE_AXIS, fourier.rfft_vjp, fourier.rfft_jvp),
    np.fft.irfft: rule(ONE_AXIS, fourier.irfft_vjp, fourier.irfft_jvp),
    np.fft.fft2: rule(AXES, *fourier.define_transform_of_axes(np.fft.fft2, (-2, -1))),
    np.fft.ifft2: rule(AXES, *fourier.define_transform_of_axes(np.fft.ifft2, (-2, -1))),
    np.fft.fftn: rule(AXES, *fourier.define_transform_of_axes(np.fft.fftn, None)),
    np.fft.ifftn: rule(AXES, *fourier.define_transform_of_axes(np.fft.ifftn, None)),
    np.fft.fftshift: shift_rule(np.fft.fftshift, np.fft.ifftshift),
    np.fft.ifftshift: shift_rule(np.fft.ifftshift, np.fft.fftshift),
    np.vecdot: rule("x y", samples.vecdot_vjp, samples.vecdot_jvp, 2),
    np.nanvar: rule("a axis", samples.nanvar_vjp, samples.nanvar_jvp),
    np.nanstd: rule("a axis", samples.nanstd_vjp, samples.nanstd_jvp),
    np.polyfit: rule("x y deg rcond", samples.polyfit_vjp, samples.polyfit_jvp, 2),
    np.unwrap: rule("p discont axis", samples.unwrap_vjp, samples.unwrap_jvp),
    np.frexp: rule("x", norms.frexp_vjp, norms.frexp_jvp),
    math.frexp: rule("x", norms.frexp_vjp, norms.frexp_jvp),
    math.ldexp: rule("x i", ldexp_vjp, ldexp_jvp),
    math.fsum: rule("seq", fsum_vjp, lambda tangents, r, seq: np.sum(tangents[0])),
    math.gamma: slope_rule(lambda r, x: r * digamma(x)),
}
if hasattr(np, "matvec"):  # NumPy 2.2
    RULES[np.matvec] = rule("a x", samples.matvec_vjp, samples.matvec_jvp, 2)
if hasattr(np.linalg, "svdvals"):
    RULES[np.linalg.svdvals] = rule("x", lambda ct, s, x: factoring.svdvals_vjp(ct, s, x), lambda t, s, x: factoring.svdvals_jvp(t, s, x))

# Functions that write nothing and give integers alone.
FLAT_FUNCTIONS = {
    np.argpartition, np.lexsort, np.digitize, np.unravel_index, np.ravel_multi_index, np.packbits, np.unpackbits, np.nanargmax,
    np.nanargmin, np.linalg.matrix_rank, np.isin,
}  # fmt: skip
