"""Operators of Python's complex numbers give what this Python gives, to the last digit and for every zero, infinity and NaN."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

PARTS = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan)
COMPLEX = [complex(re, im) for re, im in itertools.product(PARTS, PARTS)]
INTS = (0, 1, -2, 3, 100, -101)
KINDS = {
    "complex and complex": (COMPLEX, COMPLEX),
    "float and complex": (PARTS, COMPLEX),
    "complex and float": (COMPLEX, PARTS),
    "int and complex": (INTS, COMPLEX),
    "complex and int": (COMPLEX, INTS),
}


def squared(x: Any, y: Any) -> Any:
    return x**2 + y * 0


def inverted(x: Any, y: Any) -> Any:
    return x**-1 + y * 0


def halved(x: Any, y: Any) -> Any:
    return (x + y) / 2.0, 2.0 / (x + y + 0j), 3 - (x + y), (x + y) * (1 - 2j)


def outcome(function: Callable[..., Any], x: Any, y: Any) -> str:
    """What a call gives, or the error that it raises, as a text that tells the signs of zeros."""
    try:
        return repr(function(x, y))
    except (ZeroDivisionError, OverflowError) as error:
        return repr(error)


@pytest.mark.native
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, squared, inverted, halved])
def test_every_corner_is_pythons(function: Callable[..., Any], kind: str) -> None:
    def program(x, y):
        return function(x, y)

    compiled = ag.compile(program, fallback="error")
    pairs = list(itertools.product(*KINDS[kind]))
    found = [outcome(compiled, x, y) for x, y in pairs]
    assert found == [outcome(function, x, y) for x, y in pairs]


@pytest.mark.parametrize("other", [2, 2.5, True, 1j])
@pytest.mark.parametrize("function", [operator.mod, operator.floordiv, divmod, operator.lshift, operator.and_])
def test_what_complex_numbers_have_not_is_pythons_error(function: Callable[..., Any], other: Any) -> None:
    def program(x, y):
        return function(x, y)

    for pair in ((2 - 1j, other), (other, 2 - 1j)):
        with pytest.raises(TypeError) as expected:
            program(*pair)
        with pytest.raises(TypeError) as found:
            ag.compile(program, fallback="error")(*pair)
        assert str(found.value) == str(expected.value)


def test_a_power_in_a_loop_is_that_of_the_number_of_the_trip() -> None:
    def series(z, n):
        total = 0j
        for k in range(n):
            total += z**k / (k + 1)
        return total

    for z in (0.5 + 0.25j, -1j, 1.0 - 0j, 0j):
        assert ag.compile(series, fallback="error")(z, 20) == series(z, 20)


@pytest.mark.parametrize("z", [0.75 - 1.25j, 2j, -3.0 + 0.5j])
@pytest.mark.parametrize("n", [0, 1, 5, -3, 2.5])
def test_powers_and_quotients_have_derivatives(z: complex, n: float) -> None:
    def objective(x, y, n):
        w = complex(x, y)
        value = w**n / (w + 3.5j) * 2.0 - 1.5 / w
        return value.real + 2 * value.imag

    found = ag.grad(objective, argnums=(0, 1))(z.real, z.imag, n)
    step = 1e-6
    across = [(objective(z.real + step * re, z.imag + step * im, n) - objective(z.real - step * re, z.imag - step * im, n)) / (2 * step)
              for re, im in ((1, 0), (0, 1))]  # fmt: skip
    np.testing.assert_allclose(found, across, rtol=1e-6, atol=1e-6)


def test_factors_that_are_not_needed_do_not_spoil_the_gradient() -> None:
    def objective(x, n):
        return (complex(x, 1e300) ** n).real + (complex(x, 0.0) / complex(0.0, 2.0)).imag

    assert ag.grad(objective)(1.5, 1) == pytest.approx(0.5)
