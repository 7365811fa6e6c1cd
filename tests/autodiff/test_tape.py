"""Tests of autodiff/tape.py: gradients of what ran on Tensors and Variables."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag


def test_gradient_of_a_square():
    x = ag.asarray([1.0, 2.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x * x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [2.0, 4.0])


def test_second_call_on_a_tape_that_is_not_persistent_is_an_error():
    x = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0
    with pytest.raises(ag.ConversionError, match="gradient was already called on this tape"):
        tape.gradient(y, x)


def test_persistent_tape_answers_again():
    x = ag.Variable(3.0)
    with ag.GradientTape(persistent=True) as tape:
        y = x * x
        z = y * x
    assert [float(tape.gradient(t, x)) for t in (y, z, y)] == [6.0, 27.0, 6.0]


def test_nested_tapes_give_the_second_derivative():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = np.sum(np.sin(x) * x * x)
        g = inner.gradient(y, x)
    v = np.array([1.0, 2.0])
    np.testing.assert_allclose(g.numpy(), np.cos(v) * v * v + 2 * v * np.sin(v))
    second = outer.gradient(g, x).numpy()
    np.testing.assert_allclose(second, -np.sin(v) * v * v + 4 * v * np.cos(v) + 2 * np.sin(v))


def test_unconnected_source_is_none_or_zero():
    x, y = ag.Variable([1.0, 2.0]), ag.Variable([3.0])
    with ag.GradientTape(persistent=True) as tape:
        z = np.sum(x * 2)
    assert tape.gradient(z, y) is None
    np.testing.assert_array_equal(tape.gradient(z, y, unconnected_gradients="zero").numpy(), [0.0])
    with pytest.raises(ValueError, match="unconnected_gradients must be"):
        tape.gradient(z, y, unconnected_gradients="one")


def test_output_gradients_weigh_the_target():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape() as tape:
        y = x * x
    np.testing.assert_array_equal(tape.gradient(y, x, output_gradients=np.array([10.0, 1.0])).numpy(), [20.0, 4.0])


def test_sources_may_be_a_structure():
    w, b = ag.Variable([1.0, 2.0]), ag.Variable(0.5)
    with ag.GradientTape() as tape:
        y = np.sum(w * 3 + b)
    found = tape.gradient(y, {"w": w, "b": [b]})
    np.testing.assert_array_equal(found["w"].numpy(), [3.0, 3.0])
    assert float(found["b"][0]) == 2.0
    assert [id(v) for v in tape.watched_variables()] == [id(w), id(b)]


def test_writes_views_and_overwritten_values_are_followed():
    def run(x):
        y = x * 1.0
        y[1:] = y[1:] * y[:-1]
        z = y * y
        y[0] = x[2] * 5.0
        return np.sum(z * x) + np.sum(y.reshape(-1)[:2] * x.T[:2])

    value = np.array([1.5, -2.0, 0.7])
    x = ag.Variable(value)
    with ag.GradientTape() as tape:
        y = run(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), ag.grad(run)(value), rtol=1e-13)


def test_jacobian_of_a_vector():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape() as tape:
        y = x * x
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), [[2.0, 0.0], [0.0, 4.0]])


def test_matrix_product_and_broadcast():
    a, b = ag.Variable([[1.0, 2.0], [3.0, 4.0]]), ag.Variable([0.5, -1.0])
    with ag.GradientTape() as tape:
        y = np.sum(np.square(a @ b + b))
    ga, gb = tape.gradient(y, [a, b])
    expected = ag.grad(lambda a, b: np.sum((a @ b + b) ** 2), argnums=(0, 1))(a.numpy(), b.numpy())
    np.testing.assert_allclose(ga.numpy(), expected[0])
    np.testing.assert_allclose(gb.numpy(), expected[1])


def test_call_that_no_operation_stands_for_is_an_error():
    x = ag.Variable([[2.0]])
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="a tape does not record inv"):
        np.linalg.inv(x)


def test_integers_cannot_be_watched():
    with ag.GradientTape() as tape, pytest.raises(TypeError, match="watches Tensors of floats, not int64"):
        tape.watch(ag.asarray([1, 2]))


def test_variable_that_is_not_trainable_is_not_watched():
    x = ag.Variable(2.0, trainable=False, name="rate")
    with ag.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is None and x.name == "rate"


def test_stop_gradient_on_a_tape():
    x = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        y = x * ag.stop_gradient(x)
    assert float(tape.gradient(y, x)) == 3.0


def test_write_into_fresh_memory_carries_the_gradient():
    x = ag.Variable([2.0, 3.0])
    with ag.GradientTape() as tape:
        y = ag.asarray(np.zeros(3))
        y[1:] = x * x
        z = np.sum(y)
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), [4.0, 6.0])
