"""Tests of autodiff/tape.py: gradients of what ran on Tensors and Variables."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.autodiff.tapes import replay


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


# --- NumPy functions that no operation stands for -------------------------------------------------------------------------------------

A = np.array([[2.0, 0.5, 0.1], [0.3, 1.5, -0.2], [0.0, 0.4, 3.0]])


def written_by_numpy(x):
    y = x * 1.0
    y[np.array([0, 2])] = y[[1, 1]] * 3.0
    y[y > 1.0] = 0.5
    y.sort(axis=1)
    np.add.at(y, ([0, 0], [1, 1]), x[1, :2])
    return np.sum(y * y * x)


HOST_CALLS = {
    "inv": lambda x: np.sum(np.linalg.inv(x) ** 2),
    "slogdet": lambda x: np.linalg.slogdet(x)[1] * np.linalg.det(x),
    "eigh": lambda x: np.sum(np.linalg.eigh(x + x.T)[0] ** 3),
    "einsum": lambda x: np.einsum("ij,jk,ki->", x, x, x),
    "cumsum": lambda x: np.sum(x.cumsum(axis=0) ** 2),
    "outer": lambda x: np.sum(np.outer(x[0], x[1]) @ x),
    "sort": lambda x: np.sum(np.sort(x, axis=1) * np.arange(9.0).reshape(3, 3)),
    "fancy index": lambda x: np.sum(x[[0, 2, 0]] ** 2 * x[x[:, 0] >= 0.0]),
    "clip": lambda x: np.sum(np.clip(x, 0.1, 1.6) ** 2),
    "std": lambda x: x.std() * np.var(x, axis=1)[1],
    "split": lambda x: np.sum(np.split(x, 3)[1] ** 2) + np.sum(np.vstack([x, x[0]]) ** 3),
    "pad and roll": lambda x: np.sum(np.pad(x, 1)[:3, :3] * np.roll(x, 1, axis=0)),
    "methods": lambda x: np.sum(x.ravel()[::2] * x.flatten()[1:6] + x.dot(x).diagonal().repeat(2)[:5]) + x.T.take([3, 4]).sum(),
    "fft": lambda x: np.sum(np.abs(np.fft.fft(x[0])) ** 2 * np.arange(3.0)),
    "writes": written_by_numpy,
}


@pytest.mark.parametrize("name", HOST_CALLS)
def test_numpy_function_without_an_operation(name):
    f = HOST_CALLS[name]
    x = ag.Variable(A)
    with ag.GradientTape() as tape:
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), ag.grad(f)(A.copy()), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", ["inv", "fancy index"])
def test_second_derivative_of_a_numpy_function_without_an_operation(name):
    f = HOST_CALLS[name]
    x = ag.Variable(A)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = f(x)
        s = np.sum(np.sin(inner.gradient(y, x)))
    expected = ag.grad(lambda v: np.sum(np.sin(ag.grad(f)(v))))(A.copy())
    np.testing.assert_allclose(outer.gradient(s, x).numpy(), expected, rtol=1e-9, atol=1e-10)


def test_calls_of_one_structure_share_a_program(caplog):
    x = ag.Variable(A)
    with caplog.at_level(logging.INFO, logger="autograph_jit.recompiles"):
        for _ in range(4):
            with ag.GradientTape() as tape:
                y = np.sum(np.tril(x, -1) ** 2)
            tape.gradient(y, x)
    assert len(caplog.records) <= 1


def test_tensor_that_would_become_a_plain_array_is_an_error():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape(), ag.GradientTape():
        y = x * x
        for convert in (lambda: np.array([y[0], y[1]]), lambda: np.asarray(y)):
            with pytest.raises(ag.ConversionError, match="becomes a plain array here"):
                convert()
        assert y.numpy().tolist() == np.asarray(ag.stop_gradient(y)).tolist() == [1.0, 4.0]
    np.testing.assert_array_equal(np.asarray(y), [1.0, 4.0])


def test_tensors_made_of_tensors():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape() as tape:
        y = ag.asarray([[x[0] * x[1], 3.0], (x[1], x[0])])
        z = np.sum(y * y)
    assert y.shape == (2, 2) and y.numpy().tolist() == [[2.0, 3.0], [2.0, 1.0]]
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), [10.0, 8.0])
    assert ag.asarray([ag.asarray(1), 2], dtype=np.float32).dtype == np.float32


# --- memory -----------------------------------------------------------------------------------------------------------------------------


def test_value_read_is_kept_when_the_variable_is_assigned_after_the_tape():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape(persistent=True) as tape:
        y = np.sum(x * x)
    for _ in range(2):
        slope = tape.gradient(y, x)
        np.testing.assert_array_equal(slope.numpy(), [2.0, 4.0])
        x.assign_sub(0.5 * slope)


def test_view_made_before_the_tape_may_be_read_but_not_written():
    x = ag.Variable([1.0, 2.0, 3.0])
    row = x[1:]
    with ag.GradientTape() as tape:
        y = np.sum(row * x[:2])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [2.0, 3.0, 0.0])
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="written while another view of it"):
        z = x * 2.0
        row[0] = 5.0
        assert z is not None
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="written while another view of it"):
        x.assign(x * 2.0)
        assert row * 2.0 is None


def test_view_made_by_numpy_itself_may_be_read_but_not_written_through():
    x = ag.Variable(A)
    with ag.GradientTape() as tape:
        y = np.sum(np.diagonal(x) ** 2)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.diag(2 * np.diag(A)))
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="written while another view of it"):
        part = np.split(x, 3)[0]
        part[0, 0] = 2.0


# --- compiled functions and gradient functions under a tape ------------------------------------------------------------------------------


def test_gradient_function_under_a_tape():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape() as tape:
        slope = ag.grad(lambda v: np.sum(v**3))(x)
    np.testing.assert_array_equal(tape.gradient(slope, x).numpy(), [6.0, 12.0])
    w = ag.Variable(2.0)
    with ag.GradientTape() as tape:
        slope = ag.grad(lambda v: np.sum(w * v**3))(x)
    np.testing.assert_array_equal(tape.gradient(slope, w).numpy(), 15.0)


def test_compiled_function_that_writes_a_variable_after_the_tape():
    v = ag.Variable([1.0, 2.0])
    double = ag.compile(lambda: v.assign(v * 2.0), fallback="error")
    double()
    double()
    with ag.GradientTape() as tape:
        y = np.sum(v * v)
    double()
    np.testing.assert_array_equal(tape.gradient(y, v).numpy(), [8.0, 16.0])


# --- rules of the user's own ------------------------------------------------------------------------------------------------------------


@ag.custom_gradient
def tripled(x, y, scale=1.0):
    e = np.exp(x)
    return (e * scale, x * y), lambda a, b: (3.0 * a * e, None if y is None else 5.0 * b * x)


def test_rule_of_ones_own_under_a_tape():
    x, y = ag.Variable([0.5, 1.0]), ag.Variable(2.0)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as tape:
            a, b = tripled(x, y, scale=10.0)
            s = np.sum(a) + np.sum(b)
        gx, gy = tape.gradient(s, [x, y])
        total = np.sum(gx)
    np.testing.assert_allclose(gx.numpy(), 3.0 * np.exp([0.5, 1.0]))
    np.testing.assert_allclose(gy.numpy(), 5.0 * 1.5)
    np.testing.assert_allclose(outer.gradient(total, x).numpy(), 3.0 * np.exp([0.5, 1.0]))


def test_rule_of_the_wrong_length_under_a_tape():
    x = ag.Variable(1.0)
    wrong = ag.custom_gradient(lambda v, w: (v * w, lambda ct: ct))
    with ag.GradientTape() as tape:
        y = wrong(x, 2.0)
    with pytest.raises(TypeError, match="returns 1 cotangents for 2 arguments"):
        tape.gradient(y, x)


def test_call_that_gives_its_argument_another_name():
    a, x = ag.Variable(np.arange(6.0).reshape(2, 3)), ag.Variable([1.0, -2.0, 0.5])
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            y = np.sum(np.squeeze(a @ x) ** 2)
        slope = inner.gradient(y, x)
        total = np.sum(slope * slope)
    hessian = 2.0 * a.numpy().T @ a.numpy()
    np.testing.assert_allclose(slope.numpy(), hessian @ x.numpy())
    np.testing.assert_allclose(outer.gradient(total, x).numpy(), 2.0 * hessian @ hessian @ x.numpy())


def test_operand_that_is_not_watched_has_no_gradient():
    x, w = ag.asarray([1.0, 2.0]), ag.Variable([3.0, 4.0])
    with ag.GradientTape(persistent=True) as tape:
        y = np.sum(x * w)
        tape.watch(x)
        z = np.sum(np.where(x > 1.5, x, w))
    assert tape.gradient(y, x) is None
    np.testing.assert_array_equal(tape.gradient([y, z], x).numpy(), [0.0, 1.0])
    np.testing.assert_array_equal(tape.gradient([y, z], w).numpy(), [2.0, 2.0])


def test_what_is_computed_while_recording_is_stopped_is_a_constant():
    x, v = ag.asarray([1.0, 2.0]), ag.Variable(3.0)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * v
            first = x[:1]
            slope = tape.gradient(y, x)
        w = np.sum(y * z * v) + np.sum(first * x)
        buffer = y * 1.0
        with tape.stop_recording():
            buffer[0] = x[1]
        total = np.sum(buffer * buffer)
    np.testing.assert_allclose(slope.numpy(), [2.0, 4.0])
    np.testing.assert_allclose(tape.gradient(w, x).numpy(), [2 * 9.0 + 1.0, 4 * 36.0 + 1.0])
    assert tape.gradient(w, v).item() == pytest.approx(3.0 * (1.0 + 16.0))
    np.testing.assert_allclose(tape.gradient(total, x).numpy(), [0.0, 2 * 4.0 * 4.0])


def test_stopped_tape_lets_the_tape_around_it_record():
    x = ag.Variable(2.0)
    with ag.GradientTape() as outer:
        with ag.GradientTape() as inner:
            with inner.stop_recording():
                y = x * x
            z = y * x
    assert inner.gradient(z, x).item() == 4.0 and outer.gradient(z, x).item() == 12.0


def test_call_that_writes_while_recording_is_stopped():
    x = ag.asarray([3.0, 1.0, 2.0])
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
        with tape.stop_recording(), pytest.raises(ag.NotDifferentiable, match="while the tape does not record"):
            np.copyto(y, np.ones(3), where=np.array([True, False, True]))


def test_reset_forgets_what_was_recorded_and_watched():
    v, x = ag.Variable(2.0), ag.asarray(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = v * x
        tape.reset()
        z = v * v * x
    assert tape.gradient([y, z], [v, x], unconnected_gradients="zero")[0].item() == 12.0
    with ag.GradientTape() as tape:
        tape.gradient(v * v, v)
        tape.reset()
        z = v * v * v
    assert tape.gradient(z, v).item() == 12.0


def test_number_of_a_recorded_tensor_is_a_constant_that_a_warning_announces():
    v = ag.Variable(2.0)
    with ag.GradientTape() as tape:
        with pytest.warns(ag.ConstantWarning, match=r"float\(x\) of a Tensor that a tape records is a constant"):
            y = float(v) * v
    assert tape.gradient(y, v).item() == 2.0
    with ag.GradientTape(), pytest.warns(ag.ConstantWarning, match=r"complex\(x\)"):
        assert complex(v) == 2.0
    with ag.GradientTape(), pytest.raises(TypeError, match="becomes a plain number"):
        complex(v, v)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ag.GradientTape():
            assert v.item() == 2.0 and int(v) == 2 and float(ag.stop_gradient(v)) == 2.0
        assert float(v) == 2.0


def test_variable_that_was_not_used_yet_does_not_become_a_plain_array():
    v = ag.Variable([1.0, 2.0])
    with ag.GradientTape(), pytest.raises(TypeError, match="becomes a plain array"):
        np.array(v)


def test_tangent_of_an_array_of_rank_zero_may_be_a_number():
    assert ag.jvp(lambda v: v * v, (np.array(2.0),), (1.0,))[1] == 4.0
    assert ag.jvp(lambda v: v * v, (ag.asarray(2.0),), (3.0,))[1].item() == 12.0


def test_loop_options_of_a_tensors_condition():
    x = ag.asarray(0.3)
    with ag.GradientTape() as tape:
        tape.watch(x)
        s = x * 1.0
        while ag.loop_options(s < 1.0, checkpoint=True):
            s = s * 2.0
    assert tape.gradient(s, x).item() == 4.0


def test_calls_with_other_index_arrays_share_a_pullback():
    table = ag.Variable(np.arange(12.0).reshape(4, 3))
    replay.KEPT.clear()
    for rows in ([0, 1], [3, 3], [1, 2]):
        with ag.GradientTape() as tape:
            y = np.sum(table[np.array(rows)] ** 2)
        expected = np.zeros((4, 3))
        np.add.at(expected, rows, 2 * table.numpy()[rows])
        np.testing.assert_allclose(tape.gradient(y, table).numpy(), expected)
    (pullback,) = replay.KEPT.values()
    assert len(pullback.compiled.specializations) == 1


def test_index_array_that_must_be_a_constant_is_one():
    v = ag.Variable(np.arange(6.0).reshape(2, 3))
    with ag.GradientTape() as tape:
        y = np.sum(np.swapaxes(v, np.array(0), np.array(1)) * np.arange(2.0))
    np.testing.assert_allclose(tape.gradient(y, v).numpy(), [[0.0] * 3, [1.0] * 3])
