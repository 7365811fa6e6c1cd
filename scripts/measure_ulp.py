"""Measure the error of the vectorised functions against mpmath, in units in the last place: --quick, --only NAME, --samples N."""

from __future__ import annotations

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special

import autograph_jit as ag

DIGITS = 40
DTYPES = (np.float64, np.float32)
SUBNORMAL = 0.0  # an interval that ends here stands for magnitudes down to the least subnormal


@dataclass(frozen=True, slots=True)
class Function:
    """A function, its exact meaning, the bound in ulp that it keeps, and where it is sampled: intervals by dtype, points.

    A function of two numbers has the intervals of the first and of the second by turns.
    """

    name: str
    compute: Callable[..., Any]
    exact: Callable[..., Any]
    bound: float
    intervals: tuple[tuple[float, float], ...]
    intervals32: tuple[tuple[float, float], ...] = ()
    points: tuple[float, ...] = ()
    arity: int = 1

    def intervals_of(self, dtype: type) -> tuple[tuple[float, float], ...]:
        return self.intervals32 if dtype is np.float32 and self.intervals32 else self.intervals


def log2(x: Any) -> Any:
    return mp.log(x) / mp.log(2)


def cube_root(x: Any) -> Any:
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


def log_gamma(x: Any) -> Any:
    """The real part of mpmath's, which is infinite at a pole."""
    return mp.inf if x == 0 else mp.re(mp.loggamma(x))


Intervals = tuple[tuple[float, float], ...]
# All positive numbers, and those about 1.
POSITIVE: Intervals = ((5e-324, 1.7e308), (0.5, 2), (0.99, 1.01), (1e-8, 100))
POSITIVE32: Intervals = ((1e-45, 3.4e38), (0.5, 2), (0.99, 1.01), (1e-8, 100))
# Where a hyperbolic function does not overflow.
GROWING: Intervals = ((1e-320, 1), (-1, 1), (-709, 709), (709, 710.47))
GROWING32: Intervals = ((1e-44, 1), (-1, 1), (-88, 88), (88, 89.41))
UNIT: Intervals = ((1e-320, 1), (-1, 1), (-0.1, 0.1), (0.999, 1))
UNIT32: Intervals = ((1e-44, 1), (-1, 1), (-0.1, 0.1), (0.999, 1))
ALL: Intervals = ((1e-320, 1.7e308), (-1, 1), (-5, 5))
ALL32: Intervals = ((1e-44, 3.4e38), (-1, 1), (-5, 5))

# For functions with a period: about its multiples, too.
ANGLES: Intervals = ((1e-320, 1), (-4, 4), (-1e3, 1e3), (1e3, 1.4e14), (1.4e14, 1.7e308))
ANGLES32: Intervals = ((1e-44, 1), (-4, 4), (-1e3, 1e3), (1e3, 5.2e5), (5.2e5, 3.4e38))
MULTIPLES = tuple(float(k * np.pi / 4) for k in (1, 2, 3, 4, 5, 6, 7, 8, 100, 355, 710, 12345, 123456, 2**30, 10**12, 10**13))
RATIOS: Intervals = ((1e-320, 1.7e308), (-1, 1), (-3, 3), (0.41, 0.42), (2.4, 2.42))
RATIOS32: Intervals = ((1e-44, 3.4e38), (-1, 1), (-3, 3), (0.41, 0.42), (2.4, 2.42))

FUNCTIONS = (
    Function(
        "exp", np.exp, mp.exp, 1.5, ((-1, 1), (-700, 709), (-745.2, -708), (709, 709.8), (-1e-8, 1e-8)),
        ((-1, 1), (-86, 88), (-104, -87), (88, 88.75), (-1e-5, 1e-5)), (0.0, 1e-300, 0.34657359, -0.34657359, 1.0397207),
    ),
    Function(
        "exp2", np.exp2, lambda x: mp.mpf(2) ** x, 1.5, ((-1, 1), (-1022, 1024), (-1075.1, -1021), (-1e-8, 1e-8)),
        ((-1, 1), (-126, 128), (-150, -125), (-1e-5, 1e-5)), (0.5, -0.5, 1.5, 10.0, -1074.0, 1023.0),
    ),
    Function(
        "expm1", np.expm1, mp.expm1, 1.5, ((-1, 1), (0.34, 0.36), (-50, 709), (709, 709.8), (1e-320, 1e-3)),
        ((-1, 1), (0.34, 0.36), (-30, 88), (88, 88.75), (1e-44, 1e-3)), (0.34657359, -0.34657359, 1.0397207, -1e-320),
    ),
    Function("log", np.log, mp.log, 1.5, POSITIVE, POSITIVE32),
    Function("log2", np.log2, log2, 1.5, POSITIVE, POSITIVE32),
    Function("log10", np.log10, mp.log10, 1.5, POSITIVE, POSITIVE32),
    Function(
        "log1p", np.log1p, mp.log1p, 1.5, ((5e-324, 1.7e308), (-0.99999, 1), (-0.01, 0.01), (-0.3, -0.29), (0.41, 0.42)),
        ((1e-45, 3.4e38), (-0.9999, 1), (-0.01, 0.01), (-0.3, -0.29), (0.41, 0.42)), (-1 + 2.0**-53, 1e15, 2.0**53, 2.0**54 + 4),
    ),
    Function("sinh", np.sinh, mp.sinh, 4.0, GROWING, GROWING32),
    Function("cosh", np.cosh, mp.cosh, 4.0, GROWING, GROWING32),
    Function("tanh", np.tanh, mp.tanh, 4.0, ((1e-320, 1), (-1, 1), (-21, 21), (0.1, 0.6)), ((1e-44, 1), (-1, 1), (-10, 10), (0.1, 0.6))),
    Function("asinh", np.arcsinh, mp.asinh, 4.0, ALL, ALL32),
    Function("acosh", np.arccosh, mp.acosh, 4.0, ((1, 1.01), (1, 3), (1, 1.7e308)), ((1, 1.01), (1, 3), (1, 3.4e38))),
    Function("atanh", np.arctanh, mp.atanh, 4.0, UNIT, UNIT32),
    Function("sin", np.sin, mp.sin, 4.0, ANGLES, ANGLES32, MULTIPLES),
    Function("cos", np.cos, mp.cos, 4.0, ANGLES, ANGLES32, MULTIPLES),
    Function("tan", np.tan, mp.tan, 4.0, ANGLES, ANGLES32, MULTIPLES),
    Function("asin", np.arcsin, mp.asin, 4.0, UNIT, UNIT32, (0.5, -0.5)),
    Function("acos", np.arccos, mp.acos, 4.0, UNIT, UNIT32, (0.5, -0.5)),
    Function("atan", np.arctan, mp.atan, 4.0, RATIOS, RATIOS32),
    Function(
        "atan2", np.arctan2, mp.atan2, 4.0, ((-1, 1), (-1, 1), (-3, 3), (-1e-3, 1e3), (1e-320, 1e308), (1e-320, 1e308)),
        ((-1, 1), (-1, 1), (-3, 3), (-1e-3, 1e3), (1e-44, 3e38), (1e-44, 3e38)), arity=2,
    ),
    Function(
        "hypot", np.hypot, mp.hypot, 4.0, ((-1, 1), (-1, 1), (-3, 3), (-1e-3, 1e3), (1e-320, 1e308), (1e-320, 1e308)),
        ((-1, 1), (-1, 1), (-3, 3), (-1e-3, 1e3), (1e-44, 2e38), (1e-44, 2e38)), arity=2,
    ),
    Function(
        "pow", np.power, mp.power, 4.0,
        ((1e-3, 10), (-5, 5), (0.9, 1.1), (-7000, 7000), (1e-310, 1e308), (-1.1, 1.1), (0.5, 2), (-1070, 1023)),
        ((1e-3, 10), (-5, 5), (0.9, 1.1), (-800, 800), (1e-42, 3e38), (-1.1, 1.1), (0.5, 2), (-148, 127)), (-2.0, 3.0, -0.5, -7.0), arity=2,
    ),
    Function(
        "erf", scipy.special.erf, mp.erf, 4.0, ((1e-320, 1), (-1, 1), (-6, 6), (0.9, 1.1)),
        ((1e-44, 1), (-1, 1), (-4, 4), (0.9, 1.1)),
    ),
    Function(
        "erfc", scipy.special.erfc, mp.erfc, 4.0, ((1e-320, 1), (-1, 1), (-6, 27), (26, 27.22)),
        ((1e-44, 1), (-1, 1), (-4, 10), (9, 10.05)),
    ),
    Function("cbrt", np.cbrt, cube_root, 4.0, ALL, ALL32, (8.0, 27.0, -64.0, 1e-300)),
    Function(
        "lgamma", scipy.special.gammaln, log_gamma, 4.0, ((5e-324, 1e305), (0.5, 3.5), (0.99, 1.01), (1.99, 2.01), (1e-3, 30)),
        ((1e-45, 3.9e36), (0.5, 3.5), (0.99, 1.01), (1.99, 2.01), (1e-3, 30)), (1.0, 2.0, 3.0, 0.75, 1 + 1e-9, 2 - 1e-9),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measurement:
    """The largest error that was found, and where."""

    name: str
    dtype: str
    samples: int
    error_ulp: float
    worst: tuple[float, ...]
    bound: float


def compiled(function: Function) -> Callable[..., Any]:
    """The function over arrays, compiled."""
    compute = function.compute

    def over_array(x):  # type: ignore[no-untyped-def]
        return compute(x)

    def over_arrays(x, y):  # type: ignore[no-untyped-def]
        return compute(x, y)

    return ag.compile(over_array if function.arity == 1 else over_arrays)


def arguments(function: Function, dtype: type, samples: int) -> list[np.ndarray]:
    """Random arguments in every interval, its ends, the special points, and neighbours of all these."""
    rng = np.random.default_rng(zlib.crc32(function.name.encode()))
    intervals = function.intervals_of(dtype)
    found = []
    for position in range(function.arity):
        parts = [np.array(function.points[position :: function.arity], np.float64)]
        for low, high in intervals[position :: function.arity]:
            parts += [np.array([low, high]), rng.uniform(low, high, samples)]
            parts.append(np.exp(rng.uniform(np.log(low), np.log(high), samples)) if low > 0 else rng.uniform(low, high, samples))
        with np.errstate(over="ignore"):
            x = np.concatenate(parts).astype(dtype)
        near = [np.nextafter(x[:64], dtype(direction)) for direction in (-np.inf, np.inf)]
        found.append(np.concatenate([x, *near]))
    return found


def ulp(exact: Any, dtype: type) -> Any:
    """The distance between floats of the dtype about a number."""
    information = np.finfo(dtype)
    _, exponent = mp.frexp(exact)
    return mp.mpf(2) ** (max(exponent, information.minexp + 1) - 1 - information.nmant)


def errors_ulp(function: Function, operands: list[np.ndarray], got: np.ndarray) -> Iterator[float]:
    """The error of each result; infinite where the result is not finite and should be, or the other way round."""
    dtype = got.dtype.type
    overflow = mp.mpf(float(np.finfo(dtype).max)) * (1 + mp.mpf(2) ** -(np.finfo(dtype).nmant + 2))
    for arguments, result in zip(zip(*(x.tolist() for x in operands)), got.tolist()):
        exact = function.exact(*map(mp.mpf, arguments))
        if isinstance(exact, mp.mpc) or not mp.isfinite(exact):
            yield 0.0 if not np.isfinite(result) else float("inf")
        elif abs(exact) >= overflow:
            yield 0.0 if result == (np.inf if exact > 0 else -np.inf) else float("inf")
        else:
            yield float(abs(mp.mpf(result) - exact) / ulp(exact, dtype)) if np.isfinite(result) else float("inf")


def measure(function: Function, dtype: type, samples: int) -> Measurement:
    operands = arguments(function, dtype, samples)
    with mp.workdps(DIGITS):
        errors = list(errors_ulp(function, operands, compiled(function)(*operands)))
    worst = int(np.argmax(errors))
    at = tuple(float(x[worst]) for x in operands)
    return Measurement(function.name, np.dtype(dtype).name, len(errors), errors[worst], at, function.bound)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--samples", type=int, default=20_000, help="arguments in each interval")
    parser.add_argument("--quick", action="store_true", help="500 samples in each interval")
    options = parser.parse_args(arguments)
    failures = 0
    print("| function | dtype | samples | largest error, ulp | at | bound |\n|---|---|---|---|---|---|")
    for function in FUNCTIONS:
        if options.only and function.name not in options.only:
            continue
        for dtype in DTYPES:
            found = measure(function, dtype, 500 if options.quick else options.samples)
            failures += found.error_ulp > found.bound
            at = ", ".join(f"{x:.6g}" for x in found.worst)
            row = (found.name, found.dtype, str(found.samples), f"{found.error_ulp:.2f}", at, str(found.bound))
            print(f"| {' | '.join(row)} |", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
