"""Fit the polynomials of the vectorised functions with mpmath and write `kernels/vecmath/coefficients.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp
import numpy as np

TARGET = Path(__file__).resolve().parent.parent / "autograph_jit" / "kernels" / "vecmath" / "coefficients.py"
HEAD = '"""Coefficients of the polynomials, the constant term first, by dtype; written by scripts/fit_polynomials.py."""\n'
mp.mp.dps = 60
TINY = mp.mpf(10) ** -30
SIXTH, HALF = mp.mpf(1) / 6, mp.mpf(1) / 2


@dataclass(frozen=True, slots=True)
class Fit:
    """A smooth function on an interval and the number of coefficients that each dtype takes."""

    name: str
    meaning: str
    function: Callable[[mp.mpf], mp.mpf]
    low: float
    high: float
    terms64: int
    terms32: int


def exp_rest(r: mp.mpf) -> mp.mpf:
    return mp.mpf(1) / 2 if abs(r) < TINY else (mp.expm1(r) - r) / r**2


def exp2_rest(r: mp.mpf) -> mp.mpf:
    return mp.log(2) if abs(r) < TINY else (mp.mpf(2) ** r - 1) / r


def log_rest(z: mp.mpf) -> mp.mpf:
    s = mp.sqrt(z)
    return mp.mpf(2) / 3 if z < TINY else (2 * mp.atanh(s) - 2 * s) / (s * z)


def log_rest_of_second_order(z: mp.mpf) -> mp.mpf:
    s = mp.sqrt(z)
    return mp.mpf(2) / 5 if z < TINY else (2 * mp.atanh(s) - 2 * s - 2 * s * z / 3) / (s * z * z)


def erf_rest(z: mp.mpf) -> mp.mpf:
    x = mp.sqrt(z)
    return (2 / mp.sqrt(mp.pi) if z < TINY else mp.erf(x) / x) - 1


def erfc_factor(t: mp.mpf) -> mp.mpf:
    x = 3 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def lgamma_factor(t: mp.mpf) -> mp.mpf:
    x = mp.mpf(3) / 2 * (1 + t) / (1 - t)
    if min(abs(x - 1), abs(x - 2)) < TINY:
        return mp.euler if x < mp.mpf(3) / 2 else 1 - mp.euler
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def stirling_rest(z: mp.mpf) -> mp.mpf:
    if z < mp.mpf(10) ** -24:
        return mp.mpf(1) / 12
    x = 1 / mp.sqrt(z)
    with mp.workdps(90):
        return x * (mp.loggamma(x) - (x - HALF) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def odd_rest(function: Callable[[mp.mpf], mp.mpf], third: mp.mpf) -> Callable[[mp.mpf], mp.mpf]:
    """(f(x) - x) / x**3 as a function of x**2, for an odd function whose third-order coefficient is given."""
    return lambda z: third if z < TINY else (function(mp.sqrt(z)) - mp.sqrt(z)) / (mp.sqrt(z) * z)


def even_rest(function: Callable[[mp.mpf], mp.mpf], second: mp.mpf) -> Callable[[mp.mpf], mp.mpf]:
    """(f(x) - 1) / x**2 as a function of x**2, for an even function whose second-order coefficient is given."""
    return lambda z: second if z < TINY else (function(mp.sqrt(z)) - 1) / z


FITS = (
    Fit("EXP", "(exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2", exp_rest, -0.3466, 0.3466, 10, 5),
    Fit("EXPM1", "EXP, for less error relative to exp(r) - 1", exp_rest, -0.3466, 0.3466, 11, 6),
    Fit("EXP2", "(2**r - 1) / r for |r| <= 1/2", exp2_rest, -0.5, 0.5, 11, 6),
    Fit("LOG", "(log((1 + s) / (1 - s)) - 2 * s) / s**3 of s**2, for s between -+(sqrt(2) - 1)**2", log_rest, 0.0, 0.02945, 7, 3),
    Fit("POW_LOG", "LOG without its constant 2/3, divided by s**2", log_rest_of_second_order, 0.0, 0.02945, 7, 3),
    Fit("LGAMMA", "lgamma(x) / ((x - 1) * (x - 2)) of (x - 1.5) / (x + 1.5), for 3/4 <= x <= 3", lgamma_factor, -1 / 3, 1 / 3, 21, 10),
    Fit("STIRLING", "what Stirling's series adds up to, times x, of 1 / x**2, for x >= 3", stirling_rest, 0.0, 0.11112, 10, 4),
    Fit("SINH", "(sinh(r) - r) / r**3 of r**2, for |r| <= log(2) / 2", odd_rest(mp.sinh, SIXTH), 0.0, 0.1202, 5, 3),
    Fit("ERF", "erf(x) / x - 1 of x**2, for |x| <= 1", erf_rest, 0.0, 1.0, 12, 7),
    Fit("ERFC", "(1 + 2 * x) * exp(x**2) * erfc(x) of (x - 3) / (x + 3), for 0.8 <= x <= 27.5", erfc_factor, -0.5792, 0.8033, 20, 10),
    Fit("SIN_HALF", "(sin(r) - r) / r**3 of r**2, for |r| <= pi / 2", odd_rest(mp.sin, -SIXTH), 0.0, 2.62, 8, 4),
    Fit("SIN_QUARTER", "(sin(r) - r) / r**3 of r**2, for |r| <= pi / 4", odd_rest(mp.sin, -SIXTH), 0.0, 0.65, 6, 3),
    Fit("COS_QUARTER", "(cos(r) - 1) / r**2 of r**2, for |r| <= pi / 4", even_rest(mp.cos, -HALF), 0.0, 0.65, 7, 4),
    Fit("ATAN", "(atan(t) - t) / t**3 of t**2, for |t| <= tan(pi / 8)", odd_rest(mp.atan, -2 * SIXTH), 0.0, 0.17158, 10, 5),
    Fit("ASIN", "(asin(s) - s) / s**3 of s**2, for |s| <= 1/2", odd_rest(mp.asin, SIXTH), 0.0, 0.25, 12, 5),
    Fit("COSH", "(cosh(r) - 1) / r**2 of r**2, for |r| <= log(2) / 2", even_rest(mp.cosh, HALF), 0.0, 0.1202, 5, 3),
)


def coefficients(fit: Fit, terms: int, dtype: str) -> list[float]:
    """The Chebyshev interpolant of the function, which is within a few parts in a hundred of the best polynomial."""
    high_first, error = mp.chebyfit(fit.function, [fit.low, fit.high], terms, error=True)
    print(f"{fit.name:6} {dtype} {terms:2} coefficients, error {mp.nstr(error, 3)}")
    return [float(np.dtype(dtype).type(float(c))) for c in reversed(high_first)]


def listing(fit: Fit) -> str:
    """One table as Python source."""
    lines = [f"# {fit.meaning}", f"{fit.name} = {{"]
    for dtype, terms in (("f8", fit.terms64), ("f4", fit.terms32)):
        numbers = coefficients(fit, terms, dtype)
        lines += [f'    "{dtype}": (', *(f"        {number!r}," for number in numbers), "    ),"]
    return "\n".join([*lines, "}"])


def main() -> int:
    TARGET.write_text("\n\n".join([HEAD.rstrip(), *map(listing, FITS)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
