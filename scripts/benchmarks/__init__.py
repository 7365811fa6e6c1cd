"""Benchmarks: plain NumPy, hand-written numba and autograph_jit on the same functions, side by side in one process."""
