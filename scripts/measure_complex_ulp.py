"""Measure the errors of the vectorised functions of complex numbers against mpmath; prints the table of docs/math.md."""

from __future__ import annotations

import argparse
import functools
import math
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np

import autograph_jit as ag

DIGITS = 60
DTYPES = (np.complex128, np.complex64)
UNIT_POINTS = (0.6 + 0.8j, 0.28 - 0.96j, -0.8 + 0.6j, 1 + 1e-5j, 1e-4 + 1j, 0.1 + 0.9949874j, 0.5 + 0j, 0.5j, -1 + 1j)


@dataclass(frozen=True, slots=True)
class ComplexFunction:
    """A function, its exact meaning, bounds in ulp for the whole number and for each part, the sizes of arguments that are sampled."""

    name: str
    compute: Callable[..., Any]
    exact: Callable[..., Any]
    bound: float = 4.0
    bound_of_parts: float = 4.0
    sizes: tuple[float, ...] = (1e-8, 0.01, 1.0, 30.0)


def log2(z: Any) -> Any:
    return mp.log(z) / mp.log(2)


def exp2(z: Any) -> Any:
    return mp.mpf(2) ** z


# As NumPy computes them: the real part of expm1 is a difference, log1p rounds 1 + z, exp2 rounds z * log(2).
WIDE = (1e-12, 1e-3, 1.0, 1e3, 1e12)
FUNCTIONS = (
    ComplexFunction("absolute", np.absolute, abs, 1.5, 1.5, WIDE),
    ComplexFunction("exp", np.exp, mp.exp),
    ComplexFunction("exp2", np.exp2, exp2, bound_of_parts=math.inf, sizes=(1e-8, 0.01, 1.0)),
    ComplexFunction("expm1", np.expm1, mp.expm1, bound_of_parts=math.inf),
    ComplexFunction("log", np.log, mp.log, sizes=WIDE),
    ComplexFunction("log2", np.log2, log2, sizes=WIDE),
    ComplexFunction("log10", np.log10, mp.log10, sizes=WIDE),
    ComplexFunction("log1p", np.log1p, mp.log1p, bound_of_parts=math.inf, sizes=(30.0, 1e3, 1e12)),
    ComplexFunction("sqrt", np.sqrt, mp.sqrt, sizes=WIDE),
    ComplexFunction("sin", np.sin, mp.sin),
    ComplexFunction("cos", np.cos, mp.cos),
    ComplexFunction("tan", np.tan, mp.tan, 5.0, 6.0),
    ComplexFunction("sinh", np.sinh, mp.sinh),
    ComplexFunction("cosh", np.cosh, mp.cosh),
    ComplexFunction("tanh", np.tanh, mp.tanh, 5.0, 6.0),
    ComplexFunction("arcsin", np.arcsin, mp.asin, sizes=WIDE),
    ComplexFunction("arccos", np.arccos, mp.acos, sizes=WIDE),
    ComplexFunction("arctan", np.arctan, mp.atan, sizes=WIDE),
    ComplexFunction("arcsinh", np.arcsinh, mp.asinh, sizes=WIDE),
    ComplexFunction("arccosh", np.arccosh, mp.acosh, sizes=WIDE),
    ComplexFunction("arctanh", np.arctanh, mp.atanh, sizes=WIDE),
)


def arguments(function: ComplexFunction, dtype: type, samples: int) -> np.ndarray:
    """Random numbers of every size, numbers about the unit circle, and special points."""
    rng = np.random.default_rng(zlib.crc32(function.name.encode()))
    parts = [np.array(UNIT_POINTS)]
    for size in function.sizes:
        parts.append(rng.normal(scale=size, size=samples) + 1j * rng.normal(scale=size, size=samples))
        parts.append(rng.normal(scale=size, size=samples // 4) + 1j * rng.normal(scale=1.0, size=samples // 4))
        parts.append(rng.normal(scale=1.0, size=samples // 4) + 1j * rng.normal(scale=size, size=samples // 4))
    turns = rng.uniform(-np.pi, np.pi, samples)
    parts += [np.exp(1j * turns), np.exp(1j * turns) * (1 + rng.normal(scale=1e-4, size=samples))]
    return np.concatenate(parts).astype(dtype)


def spacing(exact: Any, information: Any) -> Any:
    """The distance between floats about a number."""
    exponent = mp.frexp(exact)[1] if exact else information.minexp
    return mp.mpf(2) ** (max(exponent, information.minexp + 1) - 1 - information.nmant)


@functools.cache
def compiled(function: ComplexFunction) -> Callable[..., Any]:
    """The function over arrays, compiled."""

    def compute(x):  # type: ignore[no-untyped-def]
        return function.compute(x)

    return ag.compile(compute, fallback="error")


def errors(function: ComplexFunction, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The errors of the real and imaginary part, and of the whole number, in ulp, where nothing overflows."""
    information = np.finfo(z.dtype)
    got = compiled(function)(z)
    found = []
    with mp.workdps(DIGITS):
        for argument, result in zip(z.tolist(), got.tolist(), strict=True):
            exact = mp.mpc(function.exact(mp.mpc(argument)))
            if max(abs(exact.real), abs(exact.imag)) > information.max:
                continue
            off = [abs(mp.mpf(a) - b) for a, b in ((result.real, exact.real), (result.imag, exact.imag))]
            each = [float(a / spacing(b, information)) for a, b in zip(off, (exact.real, exact.imag))]
            found.append((*each, float(mp.hypot(*off) / spacing(abs(exact), information))))
    return tuple(np.array(found).T)  # type: ignore[return-value]


def main(options: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--samples", type=int, default=2000, help="numbers of each size")
    chosen = parser.parse_args(options)
    failures = 0
    print("| function | dtype | samples | real part | imaginary part | whole number |\n|---|---|---|---|---|---|")
    for function in FUNCTIONS:
        for dtype in DTYPES if not chosen.only or function.name in chosen.only else ():
            z = arguments(function, dtype, chosen.samples)
            each = errors(function, z)
            failures += np.max(each[2]) > function.bound or max(map(np.max, each[:2])) > function.bound_of_parts
            row = (function.name, np.dtype(dtype).name, str(len(each[0])), *(f"{np.max(error):.2f}" for error in each))
            print(f"| {' | '.join(row)} |", flush=True)
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
