"""exp, sin, cos, tan and their like of complex numbers, from functions of the parts, which are neither too large nor infinite or NaN."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, complex_, imag, lt, neg, not_, or_, real
from autograph_jit.kernels.vecmath.arithmetic import F32, F64, Format, clamp, format_of, fused, number
from autograph_jit.kernels.vecmath.exponential import exp as exp_of
from autograph_jit.kernels.vecmath.exponential import exp_in_parts, scale
from autograph_jit.kernels.vecmath.exponential import expm1 as expm1_of
from autograph_jit.kernels.vecmath.hyperbolic import cosh as cosh_of
from autograph_jit.kernels.vecmath.hyperbolic import sinh as sinh_of
from autograph_jit.kernels.vecmath.trigonometric import LIMIT, sin_cos

EXP_RANGE = {F64: 1418.0, F32: 176.0}  # where twice the largest exponent scales exp
GROWS_TO = {F64: 709.0, F32: 88.0}  # sinh and cosh overflow beyond
SQUARE_GROWS_TO = {F64: 350.0, F32: 40.0}


def parts(z: Expr) -> tuple[Expr, Expr]:
    return real(z), imag(z)


def turned(z: Expr) -> Expr:
    """i * z."""
    return complex_(neg(imag(z)), real(z))


def is_beyond(x: Expr, limit: float) -> Expr:
    """Whether a number is at least as large as a limit, or NaN."""
    return not_(lt(x, number(limit, x)))


def is_outside(growing: Expr, turning: Expr, limits: dict[Format, float]) -> Expr:
    """Whether the part that functions grow with, or the one that is an angle, is too large or NaN."""
    return or_(is_beyond(growing, limits[format_of(growing)]), is_beyond(absolute(turning), LIMIT[format_of(turning)]))


def exp_is_outside(z: Expr) -> Expr:
    return is_outside(real(z), imag(z), EXP_RANGE)


def exp2_is_outside(z: Expr) -> Expr:
    return exp_is_outside(scaled(z, math.log(2)))


def expm1_is_outside(z: Expr) -> Expr:
    return is_outside(real(z), imag(z), GROWS_TO)


def sinh_is_outside(z: Expr) -> Expr:
    return is_outside(absolute(real(z)), imag(z), GROWS_TO)


def sin_is_outside(z: Expr) -> Expr:
    return sinh_is_outside(turned(z))


def tanh_is_outside(z: Expr) -> Expr:
    return is_outside(absolute(real(z)), imag(z), SQUARE_GROWS_TO)


def tan_is_outside(z: Expr) -> Expr:
    return tanh_is_outside(turned(z))


def scaled(z: Expr, factor: float) -> Expr:
    return complex_(real(z) * factor, imag(z) * factor)


def exp(z: Expr) -> Expr:
    """The parts are scaled one by one: one that is finite may belong to a number whose size is not."""
    x, y = parts(z)
    most = EXP_RANGE[format_of(x)]
    size, word = exp_in_parts(clamp(x, -most, most))
    sine, cosine = sin_cos(y)
    return complex_(scale(size * cosine, word), scale(size * sine, word))


def exp2(z: Expr) -> Expr:
    return exp(scaled(z, math.log(2)))


def expm1(z: Expr) -> Expr:
    """expm1(x) * cos(y) - 2 * sin(y / 2)**2, as NumPy computes it."""
    x, y = parts(z)
    sine, cosine = sin_cos(y)
    half, _ = sin_cos(y * 0.5)
    return complex_(fused(expm1_of(x), cosine, half * half * -2.0), exp_of(x) * sine)


def sinh(z: Expr) -> Expr:
    x, y = parts(z)
    sine, cosine = sin_cos(y)
    return complex_(sinh_of(x) * cosine, cosh_of(x) * sine)


def cosh(z: Expr) -> Expr:
    x, y = parts(z)
    sine, cosine = sin_cos(y)
    return complex_(cosh_of(x) * cosine, sinh_of(x) * sine)


def sin(z: Expr) -> Expr:
    """-i * sinh(i * z)."""
    x, y = parts(z)
    sine, cosine = sin_cos(x)
    return complex_(sine * cosh_of(y), cosine * sinh_of(y))


def cos(z: Expr) -> Expr:
    """cosh(i * z)."""
    x, y = parts(z)
    sine, cosine = sin_cos(x)
    return complex_(cosine * cosh_of(y), neg(sine * sinh_of(y)))


def tangents(growing: Expr, turning: Expr) -> tuple[Expr, Expr]:
    """The parts of tanh(growing + i * turning)."""
    sine, cosine = sin_cos(turning)
    grown = sinh_of(growing)
    below = fused(grown, grown, cosine * cosine)
    return grown * cosh_of(growing) / below, sine * cosine / below


def tanh(z: Expr) -> Expr:
    return complex_(*tangents(*parts(z)))


def tan(z: Expr) -> Expr:
    """-i * tanh(i * z)."""
    x, y = parts(z)
    return complex_(*tangents(y, x)[::-1])
