"""erf and erfc: near zero an odd polynomial, elsewhere exp(-x**2) / (1 + 2 * x) times a function that varies little.

That function is fitted in t = (x - 3) / (x + 3), which maps all positive x to a short interval (Shepherd and Laframboise,
Mathematics of Computation 36, 1981).
"""

from __future__ import annotations

from autograph_jit.ir.scalar import Expr, absolute, lt, select
from autograph_jit.kernels.vecmath.arithmetic import (
    F32,
    F64,
    LOG_2,
    format_of,
    fused,
    number,
    polynomial,
    round_by_magic,
    sign_of,
    with_sign,
)
from autograph_jit.kernels.vecmath.coefficients import ERF, ERFC, EXP
from autograph_jit.kernels.vecmath.exponential import LOG2_E, scale

ERFC_IS_ZERO = {F64: 27.5, F32: 10.2}
CENTRE = 3.0


def erfc_of_size(size: Expr) -> Expr:
    """erfc of a number that is not negative; the rounding error of its square is taken along."""
    most = number(ERFC_IS_ZERO[format_of(size)], size)
    x = select(lt(most, size), most, size)
    square = x * x
    error = fused(x, x, -square)
    n, word = round_by_magic(-square, LOG2_E)
    high, low = LOG_2[format_of(x)]
    r = fused(n, -low, fused(n, -high, -square)) - error
    growth = fused(r * r, polynomial(r, EXP), r)
    t = (x - CENTRE) / (x + CENTRE)
    factor = polynomial(t, ERFC) / fused(x, 2.0, 1.0)
    return scale(fused(factor, growth, factor), word)


def erf_near_zero(x: Expr) -> Expr:
    return fused(x, polynomial(x * x, ERF), x)


def erf(x: Expr) -> Expr:
    size = absolute(x)
    value = select(lt(size, number(1.0, x)), erf_near_zero(size), number(1.0, x) - erfc_of_size(size))
    return with_sign(value, sign_of(x))


def erfc(x: Expr) -> Expr:
    size = absolute(x)
    value = erfc_of_size(size)
    far = select(lt(x, number(0.0, x)), number(2.0, x) - value, value)
    return select(lt(size, number(0.8, x)), number(1.0, x) - erf_near_zero(x), far)
