"""The Mandelbrot set by escape time: a `while` with two conditions inside two counted loops."""

from __future__ import annotations

import numpy as np


def mandelbrot(width, height, limit):
    """Steps until |z| > 2, at most `limit`, for each of width x height points of [-2.2, 0.8] x [-1.2, 1.2]."""
    counts = np.zeros((height, width), dtype=np.int64)
    for row in range(height):
        imag = -1.2 + 2.4 * row / (height - 1)
        for column in range(width):
            real = -2.2 + 3.0 * column / (width - 1)
            x = y = 0.0
            steps = 0
            while x * x + y * y <= 4.0 and steps < limit:
                x, y = x * x - y * y + real, 2.0 * x * y + imag
                steps += 1
            counts[row, column] = steps
    return counts


def example(size: int = 640) -> tuple:
    """Arguments for a picture `size` points wide."""
    return size, max(2, size * 4 // 5), 100
