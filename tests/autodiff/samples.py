"""Sample calls of every differentiable operation and NumPy function: name, function, shapes of its arguments.

Arguments are filled with distinct numbers between 0.2 and 0.9, real and imaginary part alike; a function moves them to where it is regular.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.autodiff import samples_arrays, samples_elementwise, samples_library


@dataclass(frozen=True, slots=True)
class Sample:
    """One call: `function(*arguments)` gives an array or a number; an empty shape stands for a number."""

    name: str
    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    kinds: tuple[type, ...]

    def arguments(self, kind: type, seed: int = 7) -> list[Any]:
        """Arguments of a dtype; those of float32 are those of float64 rounded."""
        random = np.random.default_rng(seed)
        return [self.value(random.uniform(0.2, 0.9, (2, *shape)), kind) for shape in self.shapes]

    def directions(self, kind: type, seed: int) -> list[Any]:
        """Directions in the space of the arguments."""
        random = np.random.default_rng(seed)
        return [self.value(random.normal(size=(2, *shape)), kind) for shape in self.shapes]

    def value(self, parts: np.ndarray, kind: type) -> Any:
        """An array, or a number of Python's where it has one of the kind."""
        x = (parts[0] + 1j * parts[1] if kind is np.complex128 else parts[0]).astype(kind)
        return x if x.ndim else x[()] if kind is np.float32 else x.item()


REAL, BOTH = (np.float32, np.float64), (np.float32, np.float64, np.complex128)
TABLES = [
    (samples_elementwise.ELEMENTWISE, BOTH),
    (samples_elementwise.REAL_ELEMENTWISE, REAL),
    (samples_arrays.ARRAYS, BOTH),
    (samples_arrays.REAL_ARRAYS, REAL),
    (samples_arrays.DOUBLE_ARRAYS, REAL[1:]),
    (samples_library.LINALG, BOTH),
    (samples_library.FFT, BOTH),
    (samples_library.REAL_FFT, REAL),
    (samples_library.DRAWS, REAL[1:]),
]
# NumPy functions that came after 2.0.
NEWER = {"cumulative_sum", "cumulative_prod", "unstack", "matvec"}
SAMPLES = [
    Sample(name, row[0], row[1:], kinds) for table, kinds in TABLES for name, row in table.items() if name not in NEWER or hasattr(np, name)
]
