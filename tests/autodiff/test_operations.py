"""Every elementwise operation in one compiled gradient: first and second order against central differences, each operation a row."""

import numpy as np
import pytest

import autograph_jit as ag

pytestmark = pytest.mark.native

RANDOM = np.random.default_rng(5)
STEP = 1e-6


def real_unary(x):
    rows = [
        np.positive(x[0]), np.negative(x[1]), np.absolute(x[2]), np.square(x[3]), np.reciprocal(x[4]), np.sqrt(x[5]), np.cbrt(x[6]),
        np.exp(x[7]), np.exp2(x[8]), np.expm1(x[9]), np.log(x[10]), np.log2(x[11]), np.log10(x[12]), np.log1p(x[13]), np.sin(x[14]),
        np.cos(x[15]), np.tan(x[16]), np.sinh(x[17]), np.cosh(x[18]), np.tanh(x[19]), np.arcsin(x[20]), np.arccos(x[21]),
        np.arctan(x[22]), np.arcsinh(x[23]), np.arccosh(x[24] + 1), np.arctanh(x[25]), np.degrees(x[26]), np.radians(x[27]),
        np.floor(x[28]), np.sign(x[29]), np.where(x[30] > 0.5, x[30] ** 3, np.sin(x[30])), np.ldexp(x[31], 2), np.sinc(x[32]),
    ]  # fmt: skip
    return np.stack(rows)


def real_binary(x):
    y = x[:, ::-1]
    rows = [
        x[0] + y[0], x[1] - y[1], x[2] * y[2], x[3] / y[3], x[4] ** y[4], np.arctan2(x[5], y[5]), np.hypot(x[6], y[6]),
        np.logaddexp(x[7], y[7]), np.logaddexp2(x[8], y[8]), np.maximum(x[9], y[9]) ** 2, np.minimum(x[10], y[10]) ** 2,
        np.fmax(x[11], y[11]) ** 2, np.fmin(x[12], y[12]) ** 2, np.copysign(x[13], y[13]) ** 3, np.remainder(x[14], y[14]) ** 2,
        np.fmod(x[15], y[15]) ** 2, np.float_power(x[16], y[16]), np.heaviside(x[17], y[17]), x[18] ** 3, 2.0 ** x[19],
    ]  # fmt: skip
    return np.stack(rows)


def complex_functions(x):
    z = x + 1j * x[:, ::-1] ** 2
    rows = [
        np.abs(z[0]), np.angle(z[1]), np.conj(z[2]), np.sign(z[3]), np.square(z[4]), np.sqrt(z[5]), np.exp(z[6]), np.log(z[7]),
        np.sin(z[8]),
        np.cos(z[9]), np.tan(z[10]), np.sinh(z[11]), np.cosh(z[12]), np.tanh(z[13]), np.arcsin(z[14]), np.arccos(z[15]), np.arctan(z[16]),
        np.arcsinh(z[17]), np.arccosh(z[18]), np.arctanh(z[19]), z[20] ** z[0], z[21] / z[1], z[22] * z[2], np.reciprocal(z[23]),
        np.log1p(z[24]), np.expm1(z[25]), z[26].real * z[26].imag, np.log2(z[27]), np.log10(z[28]), np.exp2(z[29]),
    ]  # fmt: skip
    values = np.stack(rows)
    return values.real + 2 * values.imag


def check(function, rows):
    """The gradient of each row along one direction, and the second derivative along two."""
    x, w, s, t = (RANDOM.uniform(0.1, 0.9, (rows, 3)) for _ in range(4))

    first = ag.grad(lambda x: np.sum(function(x) * w))
    moved = (function(x + STEP * t) - function(x - STEP * t)) / (2 * STEP)
    np.testing.assert_allclose(np.sum(first(x) * t), np.sum(moved * w), rtol=1e-6)
    slope = first(x)
    for k in range(rows):
        part = np.zeros_like(t)
        part[k] = t[k]
        expected = np.sum((function(x + STEP * part) - function(x - STEP * part)) / (2 * STEP) * w)
        np.testing.assert_allclose(np.sum(slope * part), expected, rtol=1e-6, atol=1e-7, err_msg=f"row {k}")
    second = ag.grad(lambda x: np.sum(first(x) * s))(x)
    along = (first(x + STEP * t) - first(x - STEP * t)) / (2 * STEP)
    np.testing.assert_allclose(np.sum(second * t), np.sum(along * s), rtol=1e-5)


def test_functions_of_a_real_number():
    check(real_unary, 33)


def test_functions_of_two_real_numbers():
    check(real_binary, 20)


def test_functions_of_complex_numbers():
    check(complex_functions, 30)


def test_single_precision_gives_single_precision():
    x = RANDOM.uniform(0.1, 0.9, (33, 3)).astype(np.float32)
    gradient = ag.grad(lambda x: np.sum(real_unary(x)))(x)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, ag.grad(lambda x: np.sum(real_unary(x)))(x.astype(float)), rtol=2e-4, atol=1e-6)
