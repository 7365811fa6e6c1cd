"""The math module on staged numbers against Python's: results, types, domain errors."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.expressions.calls import BUILTINS
from tests.tables import table
from tests.tracing.agreement import assert_agrees
from tests.tracing.staged_run import assert_same, run_staged

UNARY = [
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "expm1",
    "exp2",
    "log",
    "log2",
    "log10",
    "log1p",
    "cbrt",
    "fabs",
    "degrees",
    "radians",
    "erf",
    "erfc",
    "gamma",
    "lgamma",
    "floor",
    "ceil",
    "trunc",
    "isnan",
    "isinf",
    "isfinite",
    "modf",
    "frexp",
    "ulp",
]
BINARY = ["pow", "atan2", "fmod", "copysign", "hypot", "log", "remainder", "isclose", "nextafter", "dist"]
POINTS = [0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.5, 710.0, 1e308, math.inf, -math.inf, math.nan]


def outcome(function, *args):
    try:
        return function(*args), None
    except Exception as error:  # noqa: BLE001 - compared
        return None, error


def check(function, *args) -> None:
    want, error = outcome(function, *args)
    got, found = outcome(lambda: run_staged(lambda np, *xs: BUILTINS[function](*xs), *args))
    if error is None:
        assert found is None, f"{found!r} instead of {want!r}"
        assert_same(got, want)
    else:
        assert type(found) is type(error), f"{found!r}, {got!r} instead of {error!r}"
        assert str(found) == str(error) or function not in (math.sqrt, math.log, math.exp, math.pow, math.acos, math.floor)


@table("x", POINTS, ids=repr)
@table("name", UNARY)
def test_functions_of_one_number(name: str, x: float) -> None:
    if name in ("floor", "ceil", "trunc") and x == 1e308:
        with pytest.raises(OverflowError, match="Python int too large for compiled code"):
            run_staged(lambda np, x: BUILTINS[getattr(math, name)](x), x)
        return
    check(getattr(math, name), x)
    check(getattr(math, name), np.float64(x))


@table("x", [0.0, 0.5, -2.0, 3.0, 1e300, math.inf, math.nan], ids=repr)
@table("y", [0.0, 0.5, -2.0, 3.0, 1e300, math.inf, math.nan], ids=repr)
@table("name", [name for name in BINARY if name != "dist"])
def test_functions_of_two_numbers(name: str, x: float, y: float) -> None:
    check(getattr(math, name), x, y)


@table("name", ["factorial", "isqrt", "sqrt", "floor", "exp", "log"])
@table("n", [0, 1, 5, 12, -3])
def test_functions_of_an_int(name: str, n: int) -> None:
    check(getattr(math, name), n)


@table("name", ["gcd", "lcm", "comb", "perm"])
def test_functions_of_two_ints(name: str) -> None:
    check(getattr(math, name), 12, 9)


@table("numbers", [(0, 0), (12, -18, 27), (-5,), (2**63 - 1, 7), (-(2**63), 6), (2**40, 2**50), (True, 4)], ids=repr)
def test_greatest_divisors(numbers: tuple[int, ...]) -> None:
    check(math.gcd, *numbers)


@table("n", [k * k + d for k in (1, 2, 94906266, 94906267, 2**31, 3037000498, 3037000499) for d in (-1, 0, 1)] + [2**63 - 1])
def test_whole_roots(n: int) -> None:
    check(math.isqrt, n)


@table("name", ["exp", "sqrt", "log", "sin", "cos", "phase"])
def test_complex_functions(name: str) -> None:
    check(getattr(cmath, name), 1.5 - 2j)


def test_one_element_arrays_count_as_numbers() -> None:
    def function(np, x):
        return BUILTINS[math.sqrt](x[0]), BUILTINS[math.prod]([x[0], 2, 3.0]), BUILTINS[math.hypot](x[0], 2, 3)

    x = np.array([4.0])
    assert_same(run_staged(function, x), (2.0, np.float64(24.0), math.hypot(4, 2, 3)))


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="must be real number, not complex"):
        run_staged(lambda np, z: BUILTINS[math.sin](z), 1j)


def distances_and_closeness(points: list, numbers: list):
    steps = [math.dist(p, q) for p, q in zip(points, points[1:])]
    pairs = list(zip(numbers, numbers[1:]))
    close = [(math.isclose(a, b), math.isclose(a, b, rel_tol=0.1), math.isclose(a, b, rel_tol=0, abs_tol=0.5)) for a, b in pairs]
    return steps, close, math.dist((), ()), [math.dist((p[0],), (1,)) for p in points]


def dimensions_that_differ(points: list):
    return [math.dist(p, (0.0,)) for p in points]


def test_distances_and_closeness_are_native() -> None:
    points = [(k * 0.37, k * k % 7 * 1.0) for k in range(20)]
    numbers = [1.0, 1.0 + 1e-10, math.inf, math.inf, -math.inf, math.nan, 0.0, -0.0, 1e-300, 1.04, 1, 2, *(k * 0.1 for k in range(9))]
    assert_agrees(distances_and_closeness, (points, numbers), (points[:3], [0.0]))
    assert_agrees(dimensions_that_differ, points)
    compiled = ag.compile(distances_and_closeness, fallback="error")
    compiled(points, numbers)
    assert "host calls    none" in str(compiled.explain(points, numbers))


def said_by(function, *args) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "sin", "fmod", "pow", "isclose", "dist", "gcd"])
def test_what_is_no_number_and_arguments_that_do_not_fit_are_refused_in_pythons_words(name: str) -> None:
    function = getattr(math, name)
    for f in (lambda xs: function(xs[0]), lambda xs: function(), lambda xs: function(xs), lambda xs: function(xs[0], xs[1], xs)):
        for xs in (["a", "b"], [1.5, 2.5]):
            assert said_by(ag.compile(f, fallback="error"), xs) == said_by(f, xs)
