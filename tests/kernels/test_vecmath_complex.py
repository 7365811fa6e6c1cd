"""Vectorised functions of complex numbers keep their error bounds and give NumPy's results at special values and anywhere else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.target import has_fused_multiply_add
from autograph_jit.ir.scalar import call, operand
from autograph_jit.kernels.vecmath.expand import COMPLEX_FUNCTIONS, expand
from measure_complex_ulp import DTYPES, FUNCTIONS, ComplexFunction, arguments, compiled, errors

each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
PARTS = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, 800.0, 1e300, -1e300, 1e-310, -1e-310, np.inf, -np.inf, np.nan)
C_NAMES = {"absolute": "abs"} | {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}


# Where NumPy's own rounding of the argument is what is seen: in units of the whole number, at least 1.
LOOSE = {"exp2": 2000, "log1p": 16}


def parts_of(z: np.ndarray) -> tuple[np.ndarray, ...]:
    return (z.real, z.imag) if z.dtype.kind == "c" else (z,)


def assert_near(name: str, got: np.ndarray, want: np.ndarray, rtol: float) -> None:
    """NaN and infinities at the same places, zeros of the same sign, and each part right to `rtol` of the whole number."""
    assert got.dtype == want.dtype
    size = np.abs(want)
    if name in LOOSE:
        rtol, size = LOOSE[name] * np.finfo(got.dtype).eps, np.maximum(size, 1)
    for a, b in zip(parts_of(got), parts_of(want), strict=True):
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
        np.testing.assert_array_equal(np.where(np.isinf(b), b, 0), np.where(np.isinf(b), a, 0))
        zeros = b == 0
        np.testing.assert_array_equal(np.signbit(a[zeros]), np.signbit(b[zeros]))
        finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(size)
        assert np.all(np.abs(a - b)[finite] <= rtol * size[finite])


def test_every_complex_expansion_is_measured() -> None:
    measured = {C_NAMES.get(function.name, function.name) for function in FUNCTIONS}
    assert measured | {"pow"} == set(COMPLEX_FUNCTIONS)


@each_dtype
@each_function
def test_error_stays_within_its_bound(function: ComplexFunction, dtype: type) -> None:
    real, imaginary, whole = errors(function, arguments(function, dtype, 24))
    assert max(real.max(), imaginary.max()) <= function.bound_of_parts and whole.max() <= function.bound


@each_dtype
@each_function
def test_special_values_are_those_of_numpy(function: ComplexFunction, dtype: type) -> None:
    """Each in an array of its own and so in a block of its own; all of them together."""
    f = compiled(function)
    with np.errstate(all="ignore"):
        z = np.array([complex(*parts) for parts in itertools.product(PARTS, repeat=2)], dtype)
        wanted = function.compute(z)
        got = np.concatenate([f(z[i : i + 1]) for i in range(len(z))])
        assert_near(function.name, got, wanted, 8 * np.finfo(dtype).eps)
        assert_near(function.name, f(z), wanted, 8 * np.finfo(dtype).eps)


@each_dtype
@each_function
def test_results_are_numpys_along_the_axes_and_cuts(function: ComplexFunction, dtype: type) -> None:
    x = np.concatenate([np.linspace(-2.5, 2.5, 41), [1e-5, -1e-5, 40.0, -40.0]])
    lines = [np.concatenate([x + 0j, np.conj(x + 0j)]), np.concatenate([x * 1j, -np.conj(x * 1j)])]
    with np.errstate(all="ignore"):
        for line in lines:
            z = line.astype(dtype)
            assert_near(function.name, compiled(function)(z), function.compute(z), 16 * np.finfo(dtype).eps)


EXPONENTS = (0, 1, 0.5, 1j, 2000 + 1j, -3000, 1e-300)


def power(x, y):
    return x**y


def known_powers(x):
    return x**2, x**3, x**-2, x**7.0, x**0


@each_dtype
def test_powers_are_numpys(dtype: type) -> None:
    rng = np.random.default_rng(7)
    x, y = ((rng.normal(size=600) + 1j * rng.normal(size=600)).astype(dtype) for _ in range(2))
    f = ag.compile(power, fallback="error")
    np.testing.assert_allclose(f(x, 3 * y), x ** (3 * y), rtol=30 * np.finfo(dtype).eps)
    with np.errstate(all="ignore"):
        for z, exponent in itertools.product(
            (0, 1, -1, 1j, 2 + 1j, 1e300, np.inf, complex(np.nan, 1)), (0, 1, 0.5, 1j, 2000 + 1j, -3000, 1e-300)
        ):
            a, b = np.full(3, z, dtype), np.full(3, exponent, dtype)
            got, want = f(a, b), a**b
            np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want), err_msg=f"{z} ** {exponent}")


@each_dtype
def test_powers_with_a_known_whole_exponent_are_numpys_products(dtype: type) -> None:
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.normal(size=40) + 1j * rng.normal(size=40), [0, 1j, -1, complex(-0.0, -0.0)]]).astype(dtype)
    with np.errstate(all="ignore"):
        for got, want in zip(ag.compile(known_powers)(x), known_powers(x), strict=True):
            np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps)


def polar(x):
    y = np.log(x)
    return np.abs(y) * np.exp(1j * np.angle(y)), np.sqrt(x * x - 1).sum(), np.abs(x).max(axis=0)


def test_chains_and_reductions_are_right_on_both_sides_of_the_borders() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(3, 700)) + 1j * rng.normal(size=(3, 700))
    x[1, 600], x[2, 3] = 0, 1e150
    with np.errstate(all="ignore"):
        for got, want in zip(ag.compile(polar, fallback="error")(x), polar(x), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.skipif(not has_fused_multiply_add(), reason="calls are expanded where the processor has fused multiply-add")
def test_integers_keep_their_calls() -> None:
    expression = call("pow", operand(0, np.dtype("i8")), operand(1, np.dtype("i8")))
    assert expand(expression).expression is expression
