"""Tests of autodiff/custom.py: constants of differentiation, and rules of the user's own."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def log1pexp_plain(x):
    return np.log(1 + np.exp(x))


@ag.custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(ct):
        return ct * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


@ag.custom_gradient
def doubled_slope(x, y, scale=1.0):
    def grad(ct):
        return 2 * ct * y * scale, 3 * ct * x * scale

    return x * y * scale, grad


@ag.custom_gradient
def swapped(x, y):
    return (y * 1.0, x * 1.0), lambda a, b: (10 * b, 100 * a)


@pytest.mark.parametrize("x", [3.0, np.array([1.0, 2.0])])
def test_stop_gradient_is_a_constant_of_differentiation(x):
    gradient = ag.grad(lambda v: np.sum(v * ag.stop_gradient(v)))(x)
    np.testing.assert_array_equal(gradient, x)


def test_stop_gradient_of_plain_values_gives_them_back():
    x = np.array([1.0, 2.0])
    assert ag.stop_gradient(2.5) == 2.5 and ag.stop_gradient(3) == 3
    np.testing.assert_array_equal(ag.stop_gradient(x), x)
    np.testing.assert_array_equal(ag.compile(lambda v: ag.stop_gradient(v) * 2, fallback="error")(x), 2 * x)
    assert ag.stop_gradient({"a": (1.0, None)}) == {"a": (1.0, None)}


def test_log1pexp_with_its_own_rule_is_stable():
    assert ag.grad(log1pexp)(100.0) == 1.0
    assert log1pexp(100.0) == 100.0
    np.testing.assert_array_equal(ag.grad(lambda x: np.sum(log1pexp(x)))(np.array([0.0, 100.0])), [0.5, 1.0])


def test_log1pexp_without_a_rule_of_its_own_overflows():
    assert np.isnan(ag.grad(log1pexp_plain)(1000.0))


def test_second_derivative_differentiates_the_rule():
    s = 1 / (1 + np.exp(-0.3))
    assert ag.grad(ag.grad(log1pexp))(0.3) == pytest.approx(s * (1 - s), rel=1e-12)
    third = ag.grad(ag.grad(ag.grad(log1pexp)))(0.3)
    assert third == pytest.approx(s * (1 - s) * (1 - 2 * s), rel=1e-12)
    x = np.array([0.3, -1.0])
    t = 1 / (1 + np.exp(-x))
    np.testing.assert_allclose(ag.hessian(lambda v: np.sum(log1pexp(v)))(x), np.diag(t * (1 - t)), rtol=1e-12, atol=1e-15)


def test_rule_with_several_arguments_and_a_keyword():
    assert doubled_slope(3.0, 5.0, scale=2.0) == 30.0
    gradients = ag.grad(lambda x, y: doubled_slope(x, y, scale=2.0), argnums=(0, 1))(3.0, 5.0)
    assert gradients == (20.0, 18.0)


def test_rule_of_several_results():
    def loss(x, y):
        a, b = swapped(x, y)
        return a + 2 * b

    assert ag.grad(loss, argnums=(0, 1))(3.0, 5.0) == (20.0, 100.0)


def test_rule_in_a_staged_loop():
    def loss(x, n):
        for _ in range(n):
            x = doubled_slope(x, 0.5)
        return x

    assert ag.grad(loss)(3.0, 20) == pytest.approx(1.0)

    def total(x, n):
        y = x * 1.0
        s = 0.0
        while s < n:
            y = log1pexp(y)
            s = s + 1.0
        return np.sum(y)

    def reference(x, n):
        y, slope = x, np.ones_like(x)
        for _ in range(int(n)):
            slope = slope * (1 / (1 + np.exp(-y)))
            y = np.log(1 + np.exp(y))
        return slope

    x = np.array([0.1, 0.7, -2.0])
    np.testing.assert_allclose(ag.grad(total)(x, 12.0), reference(x, 12.0), rtol=1e-12)


def test_nested_rules():
    @ag.custom_gradient
    def outer(x):
        y = log1pexp(x)
        return y * y, lambda ct: ct * 7 * y

    assert ag.grad(outer)(0.3) == pytest.approx(7 * np.log(1 + np.exp(0.3)))
    assert ag.grad(ag.grad(outer))(0.3) == pytest.approx(7 / (1 + np.exp(-0.3)))


def test_rule_of_the_wrong_length_is_an_error():
    @ag.custom_gradient
    def wrong(x, y):
        return x * y, lambda ct: ct

    with pytest.raises(TypeError, match="returns 1 cotangents for 2 arguments"):
        ag.grad(wrong)(1.0, 2.0)


def test_function_without_a_rule_is_an_error():
    with pytest.raises(TypeError, match="must return a pair"):
        ag.custom_gradient(lambda x: x * 2)(1.0)


@ag.custom_gradient
def scaled_sum(a, n, flag=True, *, k=2.0):
    def grad(*cts):
        return cts[0] * 10.0 * k, None, None

    return {"u": a * n, "v": [np.sum(a), n, "text", None]}, grad


def test_rule_may_give_one_cotangent_for_every_argument():
    def loss(a):
        found = scaled_sum(a, 3, True, k=5.0)
        return np.sum(found["u"]) + found["v"][0] + found["v"][1]

    np.testing.assert_array_equal(ag.grad(loss)(np.ones(2)), [50.0, 50.0])


class Scaled:
    def __init__(self, k):
        self.k = k

    @ag.custom_gradient
    def method(self, x):
        return x * self.k, lambda ct: ct * 7.0


def test_rule_of_a_method():
    assert Scaled(3.0).method(2.0) == 6.0
    assert ag.grad(lambda x, o: o.method(x) * x)(2.0, Scaled(3.0)) == 20.0


@ag.custom_gradient
def with_loops(x):
    y = x
    for _ in range(5):
        y = y * 0.9 + x * 0.1

    def grad(ct):
        s = ct * 1.0
        for i in range(len(x)):
            s[i] = s[i] * (i + 2.0)
        while np.sum(s) > 20.0:
            s = s * 0.5
        return s if np.sum(s) > 1.0 else s * 0.0

    return y, grad


def test_rule_with_loops_branches_and_writes():
    np.testing.assert_array_equal(ag.grad(lambda x: np.sum(with_loops(x)))(np.ones(3)), [2.0, 3.0, 4.0])
    np.testing.assert_array_equal(ag.grad(lambda x: 4.0 * np.sum(with_loops(x)))(np.ones(3)), [4.0, 6.0, 8.0])

    def repeated(x, n):
        for _ in range(n):
            x = with_loops(x)
        return np.sum(x)

    np.testing.assert_array_equal(ag.grad(repeated)(np.ones(3), 2), [2.0, 4.5, 8.0])


@ag.custom_gradient
def square(x):
    e = x * 1.0
    return e * e, lambda ct: 2.0 * e * ct


def branches_in_a_loop(x, n):
    for _ in range(n):
        x = square(x) * 0.3 if x > 1.0 else square(x) + 0.5
    return x


def test_rule_in_branches_of_a_loop():
    ag.testing.check_grads(branches_in_a_loop, (0.8, 4))


def test_rule_with_every_transform():
    x = np.array([1.0, 2.0])
    assert ag.jvp(square, (3.0,), (1.0,)) == (9.0, 6.0)
    assert ag.vjp(square, 3.0)[1](2.0) == (12.0,)
    np.testing.assert_array_equal(ag.jacobian(square)(x), np.diag(2.0 * x))
    np.testing.assert_array_equal(ag.hvp(lambda v: np.sum(square(v) * v), (x,), (np.array([1.0, 0.0]),))[0], [6.0, 0.0])
    assert ag.compile(square, fallback="error")(3.0) == 9.0
    assert ag.grad(ag.compile(square))(3.0) == 6.0


def test_rule_that_differentiates():
    @ag.custom_gradient
    def cubes(x):
        return np.sum(x**3), lambda ct: ct * ag.grad(lambda v: np.sum(v**4))(x)

    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(ag.grad(cubes)(x), 4.0 * x**3)
    np.testing.assert_array_equal(ag.hessian(cubes)(x), np.diag(12.0 * x**2))


def test_value_that_the_rule_reads_is_kept_when_it_is_overwritten():
    def f(x):
        y = x * 2.0
        z = square(y)
        y[:] = 100.0
        return np.sum(z) + np.sum(y)

    np.testing.assert_array_equal(ag.grad(f)(np.array([1.0, 2.0])), [8.0, 16.0])


@pytest.mark.parametrize("ct, text", [(np.ones(7), r"returns shape \(7,\) for an argument of shape \(2,\)"), ("a", "returns str")])
def test_cotangent_of_another_shape_or_kind_is_an_error(ct, text):
    rule = ag.custom_gradient(lambda v: (v * 2.0, lambda _: ct))
    with pytest.raises(ag.ConversionError, match=text):
        ag.grad(lambda x: np.sum(rule(x)))(np.ones(2))


def test_stop_gradient_in_every_place():
    def in_a_loop(x, n):
        y = x
        for _ in range(n):
            y = y * ag.stop_gradient(y) * 0.5
        return y

    def written(x):
        y = ag.stop_gradient(x)
        y[0] = 9.0
        return np.sum(y * x)

    x = np.array([1.0, 2.0])
    assert ag.grad(in_a_loop)(1.5, 3) == pytest.approx(in_a_loop(1.5, 3) / 1.5)
    np.testing.assert_array_equal(ag.grad(written)(x), [9.0, 2.0])
    np.testing.assert_array_equal(x, [1.0, 2.0])
    assert ag.jvp(lambda v: v * ag.stop_gradient(v), (3.0,), (1.0,)) == (9.0, 3.0)
    np.testing.assert_array_equal(ag.hessian(lambda v: np.sum(v * v * ag.stop_gradient(v)))(x), np.diag(2.0 * x))
    assert ag.grad(lambda v: v * ag.stop_gradient(3))(2.0) == 3.0


@ag.custom_gradient
def softplus(x):
    e = np.exp(x)
    return np.log(1 + e), lambda ct: ct * (1 - 1 / (1 + e))


def in_a_while_loop(rule, x):
    u, k = x, 0
    while k < 5 and u < 10:
        u = rule(u) * x
        k += 1
    return u


def in_a_for_loop(rule, x):
    u = x
    for _ in range(5):
        u = rule(u) * x + np.sin(rule(u) * u)
    return u


def in_segments(rule, x):
    u = x
    for _ in ag.loop_options(range(9), checkpoint=True):
        u = rule(u) * x
    return u


def of_arrays_that_are_written(rule, x):
    u, v = np.array([x, x * x, 0.3]), np.zeros(3)
    for k in range(4):
        u = rule(u) * x + v
        v[k % 3] = np.sum(rule(u * v)) * 0.1
        if u[0] > 3:
            u = u * 0.5
    return np.sum(u * u)


def forward_over_reverse(f):
    return lambda x: ag.jvp(ag.grad(f), (x,), (1.0,))[1]


def reverse_over_forward(f):
    return ag.grad(lambda x: ag.jvp(f, (x,), (1.0,))[1])


@pytest.mark.parametrize("function", [in_a_while_loop, in_a_for_loop, in_segments, of_arrays_that_are_written])
@pytest.mark.parametrize("derivative", [lambda f: ag.grad(ag.grad(f)), forward_over_reverse, reverse_over_forward])
def test_rules_in_loops_that_capture_numbers_of_a_trip_have_second_derivatives(function, derivative):
    found = ag.compile(derivative(lambda x: function(softplus, x)), fallback="error")(0.8)
    expected = ag.compile(derivative(lambda x: function(lambda x: np.log(1 + np.exp(x)), x)), fallback="error")(0.8)
    assert found == pytest.approx(expected, rel=1e-9)


def test_third_derivatives_of_rules_in_loops():
    found = ag.grad(ag.grad(ag.grad(lambda x: in_a_for_loop(softplus, x))))(0.8)
    expected = ag.grad(ag.grad(ag.grad(lambda x: in_a_for_loop(lambda x: np.log(1 + np.exp(x)), x))))(0.8)
    assert found == pytest.approx(expected, rel=1e-9)


@ag.custom_gradient
def twisted(x, y):
    e = np.tanh(x) * y
    square = e * e
    return (e + y, square), lambda a, b: (a * e * 3 + b * square, a * square - b * e)


def test_second_derivatives_of_several_results_in_loops_are_those_of_the_tape():
    def total(x):
        u, t = x, 0.0
        for k in range(3):
            a, b = twisted(u, x * (k + 1))
            u = 0.3 * a - 0.1 * b
            t = t + u * b
        return t

    x = ag.asarray(0.8)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = total(x)
        slope = inner.gradient(y, x)
    assert ag.grad(ag.grad(total))(0.8) == pytest.approx(float(outer.gradient(slope, x)), rel=1e-10)


@ag.custom_gradient
def sine(x):
    result = np.zeros_like(x)
    result += np.sin(x)
    return result, lambda ct: ct * 7.0


def test_what_a_function_with_a_rule_does_is_not_swept_through():
    x = np.array([0.5, 1.0, 2.0])
    step = ag.compile(lambda x: ag.grad(lambda x: np.sum(sine(x) ** 2))(x), fallback="error")
    np.testing.assert_allclose(step(x), 14 * np.sin(x), rtol=1e-14)
    assert "cos" not in str(step.graph(x))


def test_the_array_that_a_function_with_a_rule_makes_is_its_result():
    compiled = ag.compile(sine, fallback="error")
    x = np.arange(20.0)
    np.testing.assert_array_equal(compiled(x), np.sin(x))
    assert "kernel copy" not in str(compiled.kernels(x))


def test_a_result_that_is_an_argument_stays_another_array():
    same = ag.compile(ag.custom_gradient(lambda x: (x, lambda ct: ct)), fallback="error")
    x = np.arange(3.0)
    assert not np.shares_memory(same(x), x)
