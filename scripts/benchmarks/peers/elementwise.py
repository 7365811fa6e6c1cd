"""The elementwise functions and reductions that read the same for every peer whose array functions have NumPy's names."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from benchmarks.peers.program import Program


def programs_with(numpy: ModuleType) -> tuple[Program, ...]:
    """The programs on the arrays of a module such as `jax.numpy` or `torch`."""

    def arithmetic(x: Any, y: Any) -> Any:
        return numpy.sqrt(x * x + y * y) / (1.0 + numpy.abs(x - y)) + 0.5 * x * y

    def transcendental(x: Any, y: Any) -> Any:
        return numpy.exp(-x * x) * numpy.tanh(y) + numpy.log1p(numpy.abs(x))

    def sum_of_products(x: Any, y: Any) -> Any:
        return numpy.sum(x * y)

    def largest_difference(x: Any, y: Any) -> Any:
        return numpy.max(numpy.abs(x - y))

    def log_sum_exp(x: Any, y: Any) -> Any:
        largest = numpy.max(x)
        return largest + numpy.log(numpy.sum(numpy.exp(x - largest) * numpy.abs(y)))

    def first_sum(x: Any, y: Any) -> Any:
        return x[0] + y[0]

    def add(x: Any, y: Any) -> Any:
        return x + y

    return tuple(map(Program, (arithmetic, transcendental, sum_of_products, largest_difference, log_sum_exp, first_sum, add)))
