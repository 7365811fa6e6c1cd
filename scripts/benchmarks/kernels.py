"""The suite of NumPy kernels: every benchmark under NumPy, hand-written numba, compiled as it stands, and JAX where it is installed."""

from __future__ import annotations

from benchmarks import algebra, arrays, everyday, learning, loops, sequences, signals, stencils

MODULES = (loops, sequences, stencils, signals, algebra, learning, arrays, everyday)
BENCHMARKS = tuple(case for module in MODULES for case in module.BENCHMARKS)
