"""Functions of cmath on numbers of the run: Python's values, signs of zeros and errors; they have derivatives."""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table

PARTS = (0.0, -0.0, 1.0, -2.3, 0.3, 1e-310, -5e-324, 1e300, 699.0, 710.0, -745.0, math.inf, -math.inf, math.nan)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "exp": lambda z: cmath.exp(z),
    "sqrt": lambda z: cmath.sqrt(z),
    "phase": lambda z: cmath.phase(z),
    "polar": lambda z: cmath.polar(z),
}


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, as parts, or what it raises."""
    try:
        found = f(*args)
    except (OverflowError, ValueError) as error:
        return str(error)
    return list(found) if isinstance(found, tuple) else [found.real, found.imag]


@table("name", FUNCTIONS)
def test_values_signs_and_errors_are_pythons(name: str) -> None:
    f = FUNCTIONS[name]
    compiled = ag.compile(f, fallback="error")
    for z in (*itertools.starmap(complex, itertools.product(PARTS, PARTS)), -4.0, 2, True):
        found, want = outcome(compiled, z), outcome(f, z)
        if isinstance(want, str):
            assert found == want, z
        else:
            np.testing.assert_allclose(found, want, rtol=4e-16, atol=0, err_msg=str(z))
            assert [math.copysign(1.0, x) for x in found if x == x] == [math.copysign(1.0, x) for x in want if x == x], z


def test_transform_by_its_definition_is_native_where_nothing_overflows() -> None:
    def transform(xs: Any) -> Any:
        n = len(xs)
        return [abs(sum(xs[t] * cmath.exp(-2j * math.pi * t * k / n) for t in range(n))) for k in range(n)]

    xs = [math.sin(k * k) for k in range(24)]
    assert ag.compile(transform, fallback="error")(xs) == pytest.approx(transform(xs), rel=1e-14)


def test_derivatives_through_cmath() -> None:
    def size(x: Any) -> Any:
        z = cmath.exp(1j * x) + cmath.sqrt(complex(x, 1.0))
        return abs(z) + cmath.phase(z)

    assert ag.grad(size)(0.7) == pytest.approx((size(0.7 + 1e-6) - size(0.7 - 1e-6)) / 2e-6, rel=1e-8)
