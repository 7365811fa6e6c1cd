"""numexpr as a contender: elementwise chains (its sums of float32 lose digits)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numexpr

from benchmarks.peers.program import Program, by_name

VERSION = numexpr.__version__


def arithmetic(x: Any, y: Any) -> Any:
    known = {"x": x, "y": y, "half": x.dtype.type(0.5), "one": x.dtype.type(1)}  # a literal would make float32 double
    return numexpr.evaluate("sqrt(x * x + y * y) / (one + abs(x - y)) + half * x * y", local_dict=known)


def transcendental(x: Any, y: Any) -> Any:
    return numexpr.evaluate("exp(-x * x) * tanh(y) + log1p(abs(x))", local_dict={"x": x, "y": y})


PROGRAMS = by_name((Program(arithmetic), Program(transcendental)))


def prepare(name: str, arguments: list) -> Callable[[], Any]:
    """A call that evaluates the expression; the first one compiles it."""
    function = PROGRAMS[name].function
    return lambda: function(*arguments)
