"""Tests of autodiff/staged_tape.py: a tape in a compiled function gives what it gives eagerly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

V = np.array([0.5, -1.0, 2.0])


@ag.custom_gradient
def clipped(x, low=-1.0):
    return np.maximum(x, low), lambda ct: ct * 10.0 * x


def square(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return y, tape.gradient(y, x)


def two_sources(x):
    a, b = x[0], x[1:]
    with ag.GradientTape() as tape:
        tape.watch([a, b])
        y = np.sum(a * b * b)
    return tape.gradient(y, {"a": a, "b": [b]})


def second_derivative(x):
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(np.sin(x) * x * x)
        slope = inner.gradient(y, x)
    return slope, outer.gradient(slope, x)


def third_derivative(x):
    with ag.GradientTape() as a:
        a.watch(x)
        with ag.GradientTape() as b:
            b.watch(x)
            with ag.GradientTape() as c:
                c.watch(x)
                y = np.sum(x * x * x * x)
            first = c.gradient(y, x)
        second = b.gradient(first, x)
    return a.gradient(second, x)


def persistent(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = np.sum(y * x)
    return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)


def persistent_over_a_loop(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 1.0
        for i in range(len(x) + 10):
            y = np.sin(y) * x + i
        z = np.sum(y)
    first = tape.gradient(z, x)
    return first, tape.gradient(y, x, output_gradients=np.arange(3.0)), tape.gradient(z, x) - first


def persistent_to_second_order(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sum(x**3)
        slope = tape.gradient(y, x)
        total = np.sum(slope * slope)
    return tape.gradient(total, x), tape.gradient(y, x)


def output_gradients(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y, s = x * x, np.sum(x)
    weight = np.exp(x)
    return tape.gradient([y, s], x, output_gradients=[weight, 2.0])


def unconnected(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        c = np.ones(2) * 3.0
        y = np.floor(x) * 2.0 + np.sum(c)
        z = np.sum(x)
    nothing = [tape.gradient(y, x), tape.gradient(z, c), tape.gradient(np.sum(x), x)]
    return [part is None for part in nothing], tape.gradient(y, x, unconnected_gradients="zero")


def not_watched(x):
    with ag.GradientTape() as tape:
        y = np.sum(x * x)
    return tape.gradient(y, x) is None


def used_before_it_is_watched(x):
    with ag.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = x * 3.0
    return tape.gradient(np.sum(y) + np.sum(z), x) is None, tape.used


def intermediate(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = np.exp(x)
        z = np.sum(y * y * x)
    return tape.gradient(z, [x, y])


def view_as_source(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x[1:]
        z = np.sum(y * y) + np.sum(x * x)
    return tape.gradient(z, [x, y])


def writes(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * 1.0
        y[1:] = y[1:] * y[:-1]
        z = y * y
        y[0] = x[2] * 5.0
        s = np.sum(z * x) + np.sum(y)
    return tape.gradient(s, x)


def written_after_the_tape(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
        z = np.sum(y * y)
    y[:] = 100.0
    return tape.gradient(z, x), y


def branch(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        if np.sum(x) > 0:
            y = x * x
        else:
            y = -x
        s = np.sum(y)
    return tape.gradient(s, x)


def tape_in_a_branch(x):
    slope = x * 0.0
    if x[0] > 0:
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
        slope = tape.gradient(y, x)
    return slope


def while_inside(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x
        while np.sum(y * y) < 100.0:
            y = y * 1.5 + 0.1 * x
    return tape.gradient(np.sum(y), x) is None, tape.used


def newton(x):
    y = x * 1.0
    for _ in range(12):
        with ag.GradientTape() as tape:
            tape.watch(y)
            f = y * y * y - x
        y = y - f / tape.gradient(f, y)
    return y


def line_search(x):
    for _ in range(len(x) + 15):
        with ag.GradientTape() as tape:
            tape.watch(x)
            f = np.sum((x - 1.0) ** 4)
        g = tape.gradient(f, x)
        rate = 1.0
        while np.sum((x - rate * g - 1.0) ** 4) > f - 0.1 * rate * np.sum(g * g):
            rate *= 0.5
        x = x - rate * g
    return x


def nested_loops_and_order(x):
    total = x * 0.0
    for i in range(len(x)):
        for _ in range(i + 1):
            with ag.GradientTape() as outer:
                outer.watch(x)
                with ag.GradientTape() as inner:
                    inner.watch(x)
                    y = np.sum(np.sin(x) ** 2) * i
                slope = inner.gradient(y, x)
            total = total + outer.gradient(slope, x)
    return total


def helper_functions(x):
    def loss(v):
        return np.sum(v**4)

    def slope(v):
        with ag.GradientTape() as tape:
            tape.watch(v)
            y = loss(v)
        return tape.gradient(y, v)

    with ag.GradientTape() as tape:
        tape.watch(x)
        s = slope(x)
    return tape.gradient(s, x)


def custom_rules(x):
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(2):
                y = clipped(y, low=-2.0)
            s = np.sum(y * ag.stop_gradient(x))
        slope = tape.gradient(s, x)
    return slope, outer.gradient(slope, x)


def jacobian(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x[:, None] * x[:2]
    return tape.jacobian(y, x)


def matrices(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        a = x[:, None] * x + np.eye(3) * 5.0
        y = np.sum(a @ a @ x)
    return tape.gradient(y, x)


def written_before_and_inside(x):
    buffer = ag.asarray(np.zeros(3))
    with ag.GradientTape() as tape:
        tape.watch(x)
        for i in range(3):
            buffer[i] = x[i] ** 2
        y = np.sum(buffer * x)
    return tape.gradient(y, x)


def overlapping(x):
    outer, inner = ag.GradientTape(), ag.GradientTape()
    with outer:
        outer.watch(x)
        y = x * x
        with inner:
            inner.watch(y)
            z = np.sum(y * y)
        slope = inner.gradient(z, y)
        total = np.sum(slope * x)
    return slope, outer.gradient(total, x)


def leaves_early(x):
    total, n = x * 0.0, 0
    while True:
        n += 1
        if n > 5:
            break
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x**2) * n
        total = total + tape.gradient(y, x)
    try:
        with ag.GradientTape() as tape:
            tape.watch(x)
            return total + tape.gradient(np.sum(x) + x[7], x)
    except IndexError:
        return total * 2.0


def left_from_inside(x):
    total = x * 0.0
    for i in range(10):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x**2) * i
            if y > 20.0:
                break
        total = total + tape.gradient(y, x)
    return total


def in_either_branch(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * 1.0
        for i in range(len(x) + 9):
            y = np.sin(y) * x + 0.1 * i
        s, t = np.sum(y), np.sum(y * y)
    if s > t:
        slope = tape.gradient(s, x)
        if x[0] > 0:
            slope = slope * 2.0
    else:
        slope = tape.gradient(t, x) if x[1] < 0 else x
    return slope


def caught(x):
    slopes = []
    for n in (1, 7):
        with ag.GradientTape() as tape:
            tape.watch(x)
            try:
                y = np.sum(x**2) * x[n]
            except IndexError:
                y = np.sum(x**3)
            z = y * 2.0
        slopes.append(tape.gradient(z, x))
    return slopes


def growing_list(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        items = []
        for i in range(len(x) + 20):
            items.append(x[i % 3] * i)
        y = 0.0
        for item in items:
            y = y + item * item
    return tape.gradient(y, x)


def hessian_rows(x):
    with ag.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = np.sum(x**3) * x[0]
        slope = inner.gradient(y, x)
        parts = [slope[k] for k in range(3)]
    return [outer.gradient(part, x) for part in parts], outer.jacobian(slope, {"x": x})


def gradient_in_loops_after(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * 1.0
        for i in range(len(x) + 9):
            y = np.sin(y) * x + 0.1 * i
        s, t = np.sum(y), np.sum(y * y)
    total, k = x * 0.0, 0
    while np.sum(total * total) < 1e3 and k < 20:
        for j in range(len(x) + 3):
            total = total + tape.gradient(s, x) * j
            if total[0] > 1.0:
                total = total - 0.5 * tape.gradient(t, x)
        k += 1
    return total, k


def written_in_the_loop_after(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sin(x) * x
        s = np.sum(y * y)
    for _ in range(len(x) + 5):
        g = tape.gradient(s, x)
        x[:] = x - 0.1 * g
        y[0] = 100.0
    return x, y, g


def gradient_in_loops_inside(x):
    slopes = ag.asarray(np.zeros((len(x) + 5, 3)))
    total, rate = 0.0, 1.0
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        z = np.exp(0.1 * x)
        for i in range(len(x) + 5):
            y = z * x * i * rate
            y[1:] = y[1:] * y[:-1]
            s = np.sum(y)
            if i > 2:
                slopes[i] = tape.gradient(s, x)
            else:
                a, b = tape.gradient(s, [x, z])
                slopes[i] = a + b + tape.gradient(np.sum(y), y)
            rate = rate * 0.9
            total = total + s
    return slopes, tape.gradient(total, x)


def second_order_over_loops(x):
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape(persistent=True) as inner:
            inner.watch(x)
            y = x * 1.0
            for i in range(len(x) + 4):
                y = np.sin(y) * x + 0.1 * i
            s = np.sum(y)
        total = 0.0
        for j in range(len(x) + 5):
            total = total + np.sum(inner.gradient(s, x) ** 2) * j
    return outer.gradient(total, x)


def watched_in_a_branch(x):
    a, b = x * 2.0, x * 3.0
    with ag.GradientTape() as tape:
        before = np.sum(a * x)
        if x[0] > 0:
            after = np.sum(a * 100.0)
            tape.watch(a)
            after = after + np.sum(a * a)
        else:
            tape.watch(b)
            after = np.sum(b * b)
        if x[1] > 0:
            tape.watch(b)
        total = before + after + np.sum(a * b * x)
    return tape.gradient(total, [a, b], unconnected_gradients="zero")


def in_a_handler(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = np.sum(x**2)
    try:
        return tape.gradient(y, x) + x[5]
    except IndexError:
        return x


def large_jacobian(x):
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.sin(np.arange(90.0).reshape(30, 3) * x) * x[0]
        for i in range(len(x) + 9):
            y = y * np.cos(x) + 0.01 * i
        s = x[1] * 2.0
        inside = tape.jacobian(y[:2], x)
    return tape.jacobian(y, x), tape.jacobian(y, s) is None, tape.jacobian(y, {"x": x, "y": y})["y"][3, 1], inside


def jacobian_of_run_time_size(x):
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x[x > 0] ** 2
    return tape.jacobian(y, x)


def jacobian_in_a_loop(x):
    total = np.zeros((3, 3))
    for i in range(len(x) + 6):
        with ag.GradientTape() as outer:
            outer.watch(x)
            with ag.GradientTape() as tape:
                tape.watch(x)
                y = np.sum(np.sin(x) * i * x[0])
            g = tape.gradient(y, x)
        total = total + outer.jacobian(g, x)
    return total


def second_order_through_a_jacobian(x):
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.exp(np.tile(x, 3) * 0.3) * x[1]
        s = np.sum(tape.jacobian(y, x) ** 2)
    return outer.gradient(s, x)


def wrapped_in_grad(x):
    return ag.grad(lambda v: np.sum(square(v)[1] ** 2))(x)


PROGRAMS = [
    square, two_sources, second_derivative, third_derivative, persistent,
    persistent_over_a_loop, output_gradients, unconnected, not_watched,
    used_before_it_is_watched, intermediate, writes,
    branch, tape_in_a_branch, while_inside, newton, line_search, nested_loops_and_order, helper_functions, jacobian,
    matrices, view_as_source, written_after_the_tape, custom_rules, persistent_to_second_order,
    written_before_and_inside, overlapping, leaves_early, left_from_inside, in_either_branch, caught, growing_list, hessian_rows,
    gradient_in_loops_after, written_in_the_loop_after, gradient_in_loops_inside, second_order_over_loops, in_a_handler, large_jacobian,
    jacobian_of_run_time_size, jacobian_in_a_loop, second_order_through_a_jacobian, watched_in_a_branch,
]  # fmt: skip


def plain(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [plain(item) for item in x]
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return np.asarray(x) if isinstance(x, ag.Tensor) else x


def assert_equal(mine: Any, theirs: Any) -> None:
    if isinstance(theirs, (list, dict)):
        assert type(mine) is type(theirs) and len(mine) == len(theirs)
        for key in theirs if isinstance(theirs, dict) else range(len(theirs)):
            assert_equal(mine[key], theirs[key])
    elif isinstance(theirs, np.ndarray):
        assert mine.shape == theirs.shape and mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    else:
        assert mine == theirs


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_compiled_tape_gives_what_the_eager_one_gives(program):
    eager = plain(program(ag.asarray(V.copy())))
    assert_equal(plain(ag.compile(program, fallback="error")(ag.asarray(V.copy()))), eager)


# --- Variables ---------------------------------------------------------------------------------------------------------------------

X = np.random.default_rng(0).standard_normal((40, 2))
Y = X @ np.array([1.0, -2.0]) + 0.5
W, B, RATE = ag.Variable(np.zeros(2), name="w"), ag.Variable(0.0), ag.Variable(0.2, trainable=False)


def train(x, y, steps):
    loss = 0.0
    for _ in range(steps):
        with ag.GradientTape() as tape:
            loss = np.mean((x @ W + B - y) ** 2)
        for v, g in zip([W, B], tape.gradient(loss, [W, B])):
            v.assign_sub(RATE * g)
        RATE.assign(RATE * 0.99)
    return loss


class Model:
    def __init__(self):
        self.layers = [{"w": ag.Variable(np.full((2, 3), 0.3)), "b": ag.Variable(np.zeros(3))}, {"w": ag.Variable(np.ones((3, 1)))}]

    def __call__(self, x):
        hidden = np.tanh(x @ self.layers[0]["w"] + self.layers[0]["b"])
        return (hidden @ self.layers[1]["w"])[:, 0]

    def step(self, x, y):
        with ag.GradientTape() as tape:
            loss = np.mean((self(x) - y) ** 2)
        variables = tape.watched_variables()
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.1 * g)
        return loss, len(variables)


def reset():
    W.assign(0.0)
    B.assign(0.0)
    RATE.assign(0.2)


def test_training_loop_in_compiled_code_trains_the_variables():
    reset()
    loss = train(X, Y, 15)
    expected = [W.numpy().copy(), float(B), float(RATE)]
    reset()
    assert float(ag.compile(train, fallback="error")(X, Y, 15)) == pytest.approx(float(loss), rel=1e-12)
    np.testing.assert_allclose(W.numpy(), expected[0], rtol=1e-12)
    np.testing.assert_allclose([float(B), float(RATE)], expected[1:], rtol=1e-12)


def test_model_with_variables_in_containers_of_attributes():
    eager, compiled = Model(), Model()
    step = ag.compile(compiled.step, fallback="error")
    for _ in range(5):
        loss, count = eager.step(X, Y)
        found, same = step(X, Y)
        assert float(found) == pytest.approx(float(loss), rel=1e-12) and count == same == 3
    for mine, theirs in zip(compiled.layers, eager.layers):
        for name in theirs:
            np.testing.assert_allclose(mine[name].numpy(), theirs[name].numpy(), rtol=1e-12)


def test_assignments_and_attributes_in_compiled_code():
    v = ag.Variable([1.0, 2.0], name="v")

    def change(x, flag):
        v.assign([5.0, 6.0])
        if flag > 0:
            v.assign_add(x)
        else:
            v.assign_sub(x)
        v[0] = v[0] * 10.0
        return v.assign(v * 2.0) + v.numpy(), v.name, v.trainable

    result, name, trainable = ag.compile(change, fallback="error")(np.ones(2), 1)
    assert v.numpy().tolist() == [120.0, 14.0] and np.asarray(result).tolist() == [240.0, 28.0] and (name, trainable) == ("v", True)
    ag.compile(change, fallback="error")(np.ones(2), -1)
    assert v.numpy().tolist() == [80.0, 10.0]


def test_variable_given_as_an_argument_and_one_that_is_not_trainable():
    def slopes(v, x):
        with ag.GradientTape() as tape:
            y = np.sum(v * v * x)
        return tape.gradient(y, v), tape.gradient is None

    compiled = ag.compile(slopes, fallback="error")
    np.testing.assert_array_equal(np.asarray(compiled(ag.Variable([1.0, 2.0]), 3.0)[0]), [6.0, 12.0])
    assert compiled(ag.Variable([1.0, 2.0], trainable=False), 3.0)[0] is None


def test_variables_are_not_watched_where_that_is_asked_for():
    v = ag.Variable([1.0, 2.0])

    def slope():
        with ag.GradientTape(watch_accessed_variables=False) as tape:
            y = np.sum(v * v)
        return tape.gradient(y, v)

    assert slope() is None and ag.compile(slope, fallback="error")() is None


# --- errors ------------------------------------------------------------------------------------------------------------------------


def raises(function, message):
    with pytest.raises(ag.ConversionError, match=message):
        ag.compile(function, fallback="error")(ag.asarray(V.copy()))


def test_second_call_on_a_tape_that_is_not_persistent():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x)
        return tape.gradient(y, x), tape.gradient(y, x)

    raises(f, "gradient was already called on this tape")


def test_gradient_in_a_loop_of_a_tape_that_is_not_persistent():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
        total = x * 0.0
        for _ in range(len(x) + 9):
            total = total + tape.gradient(y, x)
        return total

    raises(f, "gradient was already called on this tape")


def test_gradient_in_a_loop_of_a_variable_that_the_loop_changes():
    def f(x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = np.sum(x * x)
        for _ in range(len(x) + 9):
            y = y * 2.0
            x = x + (tape.gradient(y, x) is None)
        return x

    raises(f, "is given a variable that a loop changes")


@pytest.mark.parametrize("carried", ["number", "array", "memory"])
def test_gradient_in_a_loop_that_depends_on_the_trips_before(carried):
    def f(x):
        total, buffer, state = x * 0.0, x * 1.0, x[0] * 1.0
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            for i in range(len(x) + 9):
                if carried == "number":
                    state = state * x[1] + i
                    y = np.sum(x * state)
                elif carried == "array":
                    buffer = buffer * x
                    y = np.sum(buffer * i)
                else:
                    y = np.sum(buffer * x)
                total = total + tape.gradient(y, x)
                if carried == "memory":
                    buffer[0] = y * 0.1
        return total

    raises(f, "depends on the trips before")


def test_gradient_in_a_loop_by_the_trips_before_alone():
    def f(x):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = np.exp(x)
            for _ in range(len(x) + 9):
                y = tape.gradient(y, x) * y
        return y

    raises(f, "depends on the trips before")


def test_the_refusal_names_the_reason_though_numbers_may_be_constants():
    def f(x):
        total, s = 0.0, x
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            for _ in range(20):
                s = np.sin(s) * x
                total = total + tape.gradient(s, x)
        return total

    with pytest.raises(ag.ConversionError, match="depends on the trips before"):
        ag.compile(f, fallback="error")(0.7)


def test_watch_in_a_loop():
    def f(x):
        with ag.GradientTape() as tape:
            for _ in range(len(x) + 9):
                tape.watch(x)
                y = np.sum(x * x)
        return tape.gradient(y, x)

    raises(f, "watch is called in a loop inside the with statement")


def test_second_call_on_the_path_of_a_branch():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
        slope = tape.gradient(y, x) if x[0] > 0 else x
        return slope + tape.gradient(y, x)

    raises(f, "gradient was already called on this tape")


def test_integers_cannot_be_watched():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x.astype(int))
        return x

    raises(f, "a tape watches Tensors of floats, not int64")


def test_write_beside_a_view_made_before_the_tape():
    def f(x):
        row = x[1:]
        with ag.GradientTape() as tape:
            tape.watch(x)
            row[0] = 2.0 * x[0]
            y = np.sum(x)
        return tape.gradient(y, x)

    raises(f, "written while another view of it, made before the tape")


def test_unknown_way_to_answer_for_unconnected_sources():
    def f(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
        return tape.gradient(x, x, unconnected_gradients="one")

    with pytest.raises(ValueError, match="unconnected_gradients must be"):
        ag.compile(f, fallback="error")(ag.asarray(V.copy()))


def test_reset_in_compiled_code():
    def forgets(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = np.sum(x * x)
            slope = tape.gradient(y, x)
            tape.reset()
            tape.watch(x)
            z = np.sum(x * x * x)
        return slope, tape.gradient(z, x)

    eager, compiled = forgets(ag.asarray(V)), ag.compile(forgets, fallback="error")(V)
    for found, expected in zip(compiled, eager):
        np.testing.assert_allclose(found, expected.numpy())

    @ag.compile(fallback="error")
    def in_a_branch(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            if x[0] > 0:
                tape.reset()
            y = np.sum(x * x)
        return tape.gradient(y, x)

    with pytest.raises(ag.ConversionError, match="reset is called in a branch"):
        in_a_branch(V)


def test_stop_recording_in_compiled_code():
    @ag.compile(fallback="error")
    def stops(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            with tape.stop_recording():
                y = np.sum(x * x)
        return tape.gradient(y, x)

    with pytest.raises(ag.ConversionError, match="stop_gradient"):
        stops(V)
