"""Programs whose ints leave 64 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .harness import Programs

PROGRAMS = Programs()
program = PROGRAMS.add


def fl(*values):
    return np.array(values, dtype=float)


def it(*values):
    return np.array(values, dtype=np.int64)


@program(lambda: (it(2**40, 2**40, 3),), lambda: (it(2, 3),), lambda: (it(),))
def product_beyond_64_bits(n):
    t = 1
    steps = []
    for v in n:
        t = t * int(v)
        steps.append(t)
    return t, t % 7, steps


@program(lambda: (it(*range(40)),), lambda: (it(*range(5)),))
def fresh_arrays_and_large_ints(x):
    y = np.zeros(len(x))
    p = 1
    seen = {}
    for i in range(len(x)):
        y[i] += 1
        p *= int(x[i]) + 1
        seen[int(x[i])] = p.bit_length()
    return p, y, seen


@program(lambda: (30,), lambda: (5,), lambda: (0,))
def factorial_and_fibonacci(n):
    f = 1
    a, b = 0, 1
    for i in range(1, n + 1):
        f *= i
        a, b = b, a + b
    return f, a, f // a if a else None, math.gcd(f, a)


@program(lambda: (it(1, 5, 63),), lambda: (it(0, 2, 40),), lambda: (it(70),))
def shifts_and_masks(n):
    out = []
    for v in n:
        k = int(v)
        out.append((1 << k, (1 << k) - 1, (-1) >> k, -5 >> 1, k ^ -1, ~k, k | 6, k & -k, (1 << k).bit_length(), bin(k), hex(k), oct(k)))
    return out


@program(lambda: (it(10, 3),), lambda: (it(2, 100),), lambda: (it(0, 0),), lambda: (it(7, 40),))
def big_powers(n):
    b, e = int(n[0]), int(n[1])
    r = b**e
    return r, r % 1000, len(str(r)), r > 10**18, r.bit_length()


@program(lambda: (it(1, 2, 3),), lambda: (it(),), lambda: (it(-5, 2**62),))
def large_constants(x):
    h = 14695981039346656037
    best = 2**100
    out = []
    for v in x:
        h ^= int(v) & 0xFF
        h = (h * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        out.append(int(v) + 2**70)
        if v < best:
            best = v
    return h, h % 1000, h / 2**64, h >> 33, best, out, x < 2**70, -(2**65) // 7 if len(x) else 0


@program(lambda: (12,), lambda: (2,))
def product_beyond_64_bits_behind_fractions(n):
    harmonic = Fraction(1, n) + 1
    product = 1
    for factor in range(1, n + 15):
        product *= factor
    return str(harmonic), product
