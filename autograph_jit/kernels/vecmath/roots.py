"""cbrt and hypot."""

from __future__ import annotations

import math

from autograph_jit.ir.scalar import Expr, absolute, eq, lt, or_, select, shl, shr, sqrt
from autograph_jit.kernels.vecmath.arithmetic import F64, bits, format_of, from_bits, fused, number, sign_of, with_sign

# The bits of x**(-1/3), in units of 2**fraction, are about 4/3 * bias less this, less a third of the bits of x (as for the inverse square
# root in Lomont 2003); the result's third power is right to about a tenth.
INVERSE_CBRT_OFFSET = 0.0677


def inverse_cbrt(x: Expr) -> Expr:
    """x**(-1/3) for a normal number, to about 1e-5: from the leading bits, then a step of fourth order."""
    format = format_of(x)
    whole = from_bits(or_(shr(bits(x), format.exponent_bits), format.plain_bits))
    origin = (format.bias * 4 / 3 - INVERSE_CBRT_OFFSET) * 2.0 ** (format.fraction - format.exponent_bits)
    moved = fused(whole, -1 / 3, format.plain * 4 / 3 + math.floor(origin))
    rough = from_bits(shl(bits(moved) - format.plain_bits, format.exponent_bits))
    lacking = fused(-(x * rough), rough * rough, 1.0)
    return fused(rough * lacking, fused(fused(lacking, 14 / 81, 2 / 9), lacking, 1 / 3), rough)


def cbrt(x: Expr) -> Expr:
    """m * m**(-1/3)**2 and a step of Newton's; m is |x|, scaled where residuals would vanish."""
    format, size = format_of(x), absolute(x)
    shift = format.fraction // 3 + 4
    is_small = lt(size, number(format.smallest * 2.0 ** (3 * shift), x))
    m = select(is_small, size * 2.0 ** (3 * shift), size)
    inverse = inverse_cbrt(m)
    if format is F64:
        inverse = fused(inverse * (1 / 3), fused(-(m * inverse), inverse * inverse, 1.0), inverse)
    square = inverse * inverse
    root = m * square
    root = fused(fused(-(root * root), root, m), square * (1 / 3), root) * select(is_small, number(2.0**-shift, x), number(1.0, x))
    return select(lt(size, number(math.inf, x)), with_sign(root, sign_of(x)), x)


def hypot(x: Expr, y: Expr) -> Expr:
    """sqrt(x**2 + y**2), scaled where squares would overflow or vanish; infinite if either is, NaN otherwise if either is."""
    format, x, y = format_of(x), absolute(x), absolute(y)
    is_swapped = lt(x, y)
    large, small = select(is_swapped, y, x), select(is_swapped, x, y)
    shift = 2.0 ** (format.bias * 3 // 5)
    bound = 2.0 ** (format.bias * 2 // 5)
    is_large, is_small = lt(number(bound, x), large), lt(large, number(1 / bound, x))
    one = number(1.0, x)
    factor = select(is_large, number(1 / shift, x), select(is_small, number(shift, x), one))
    back = select(is_large, number(shift, x), select(is_small, number(1 / shift, x), one))
    large, small = large * factor, small * factor
    length = sqrt(fused(large, large, small * small)) * back
    infinity = number(math.inf, x)
    return select(or_(eq(x, infinity), eq(y, infinity)), infinity, length)
