"""Tests of runtime/recordings.py and autodiff/splitting.py: a compiled function under an eager tape is one operation of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

W = ag.Variable([0.3, -0.8, 0.5], name="w")
SCALE = np.array([1.0, 2.0, 3.0])


@ag.custom_gradient
def doubled_slope(x):
    e = np.exp(x)
    return e, lambda ct: 2.0 * ct * e * SCALE


class Layer:
    def __init__(self) -> None:
        self.weights = {"w": ag.Variable(np.arange(6.0).reshape(2, 3) / 5), "b": ag.Variable([0.1, 0.2])}
        self.calls, self.last = 0, None

    def __call__(self, x):
        self.calls += 1
        self.last = np.tanh(self.weights["w"] @ x + self.weights["b"])
        return self.last


LAYER = Layer()


def elementwise(x):
    return np.sum(np.sin(x) * W * x)


def counted(x):
    y = x * 1.0
    for i in range(len(x) + 20):
        y = np.sin(y) * W + 0.1 * i
        if y[0] > 1.0:
            y = y * y
    return np.sum(y)


def until(x):
    s = 0.0
    while s < 20.0:
        s = s + np.sum(x * x) + 0.5
    return s * x[0]


def scalars(x):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(x[i]) * W[i]
    return total


def growing(x):
    items = []
    for i in range(len(x) + 9):
        items.append(x[i % 3] ** 2 * i)
    total = 0.0
    for item in items:
        total = total + np.sin(item)
    return total


def own_rule(x):
    return np.sum(doubled_slope(x * W))


def attributes(x):
    return np.sum(LAYER(x) ** 2)


def writes(x):
    y = x * 1.0
    y[1:] = y[1:] * y[:-1] * W[1:]
    y[0] = W[1]
    return np.sum(y * y)


def library(x):
    return np.linalg.det(np.outer(x, W) + np.eye(3)) + np.sum(np.sort(x) * W)


def handler(x):
    try:
        return np.sum(x * W) * x[7]
    except IndexError:
        return np.sum(x**3)


def objects(x):
    parts = {}
    for i in range(len(x)):
        parts[f"{i}"] = x[i] * W[i]
    total = 0.0
    for value in parts.values():
        total = total + value * value
    return total


PROGRAMS = [elementwise, counted, until, scalars, growing, own_rule, attributes, writes, library, handler, objects]


def derivatives(f: Any, sources: list[Any]) -> list[Any]:
    """First, second and third derivatives by nested tapes."""
    with ag.GradientTape() as a:
        a.watch(sources)
        with ag.GradientTape() as b:
            b.watch(sources)
            with ag.GradientTape() as c:
                c.watch(sources)
                y = f(sources[0])
            first = c.gradient(y, sources, unconnected_gradients="zero")
            s = sum(np.sum(np.cos(part)) for part in first)
        second = b.gradient(s, sources, unconnected_gradients="zero")
        t = sum(np.sum(part * part) for part in second)
    third = a.gradient(t, sources, unconnected_gradients="zero")
    return [y, *first, *second, *third]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_derivatives_of_a_compiled_function_are_those_of_the_eager_one(program):
    x = ag.asarray([0.4, 0.9, -0.6])
    sources = [x, *LAYER.weights.values()] if program is attributes else [x, W]
    expected = derivatives(program, sources)
    compiled = ag.compile(program, fallback="error")
    for _ in range(2):
        for mine, theirs in zip(derivatives(compiled, sources), expected, strict=True):
            assert type(mine) is ag.Tensor
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-9, atol=1e-9)


def test_nothing_is_warned_of_and_the_reverse_sweep_runs_nothing_again(capsys):
    noise = np.random.default_rng(0)

    @ag.compile
    def noisy(x):
        e = noise.standard_normal(3)
        print("forward")
        return np.sum(x * e), e

    x = ag.Variable(np.ones(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with ag.GradientTape(persistent=True) as tape:
            y, e = noisy(x)
        for _ in range(2):
            np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.asarray(e))
    assert capsys.readouterr().out == "forward\n"


def test_persistent_tape_over_a_loop_with_saved_values():
    x = ag.Variable([0.5, 0.25, 0.75])
    compiled = ag.compile(counted, fallback="error")
    with ag.GradientTape(persistent=True) as tape:
        y = compiled(x)
        z = compiled(y * x)
    found = [tape.gradient(y, x).numpy(), tape.gradient(z, [y, W]), tape.gradient(y, x).numpy()]
    with ag.GradientTape(persistent=True) as tape:
        y = counted(x)
        z = counted(y * x)
    np.testing.assert_allclose(found[0], tape.gradient(y, x).numpy(), rtol=1e-9)
    np.testing.assert_array_equal(found[0], found[2])
    for mine, theirs in zip(found[1], tape.gradient(z, [y, W])):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-9)


def assign_inside(x):
    with ag.GradientTape() as tape:
        before = np.sum(W * W)
        changed(x)
        after = np.sum(W * W * x)
    return tape.gradient([before, after], [x, W])


def changed(x):
    W.assign_add(x * W)
    W[0] = x[2] * 2.0


def test_variables_that_a_compiled_function_writes_under_a_tape():
    global changed
    plain, start = changed, W.numpy().copy()
    x = ag.Variable([0.5, 0.25, 0.75])
    expected, left = assign_inside(x), W.numpy().copy()
    W.assign(start)
    changed = ag.compile(plain, fallback="error")
    try:
        for _ in range(2):
            W.assign(start)
            for mine, theirs in zip(assign_inside(x), expected):
                np.testing.assert_allclose(mine.numpy(), theirs.numpy(), rtol=1e-12)
            np.testing.assert_array_equal(W.numpy(), left)
    finally:
        changed = plain
        W.assign(start)


def test_what_was_read_is_kept_when_it_is_written_after_the_call():
    x = ag.Variable([1.0, 2.0])
    square = ag.compile(lambda v: (v * v, np.exp(v)), fallback="error")
    with ag.GradientTape() as tape:
        y, e = square(x)
        s = np.sum(y) + np.sum(e)
    expected = 2.0 * x.numpy() + np.exp(x.numpy())
    x.assign(10.0)
    e[:] = 0.0
    np.testing.assert_allclose(tape.gradient(s, x).numpy(), expected)


def test_structures_constants_and_numbers_in_the_result():
    @ag.compile(fallback="error")
    def several(x, n):
        return {"y": [x * n, x], "n": n, "count": len(x), "size": float(x[0])}, np.argmax(x), "text"

    x = ag.Variable([1.0, 3.0])
    with ag.GradientTape() as tape:
        found, where, text = several(x, 2.0)
        s = np.sum(found["y"][0]) * 3.0
        s = s + found["size"]
    assert found["y"][1] is x and type(found["n"]) is float and type(found["count"]) is int
    assert (int(where), text, found["size"].numpy()) == (1, "text", 1.0)  # a number that depends on x stays recorded
    np.testing.assert_array_equal(tape.gradient(s, x).numpy(), [7.0, 6.0])


def test_attributes_are_written_once_and_carry_the_gradient():
    layer = Layer()
    call = ag.compile(layer.__call__, fallback="error")
    x = ag.asarray([1.0, 0.5, 0.25])
    with ag.GradientTape() as tape:
        call(x)
        s = np.sum(layer.last * layer.last)
    gradient = tape.gradient(s, layer.weights["b"])
    assert layer.calls == 1
    out = layer.last.numpy()
    np.testing.assert_allclose(gradient.numpy(), 2.0 * out * (1.0 - out**2))


def test_call_with_nothing_watched_is_not_recorded():
    x = ag.asarray([1.0, 2.0])
    double = ag.compile(lambda v: v * 2.0, fallback="error")
    with ag.GradientTape() as tape:
        y = double(x)
        assert isinstance(double(np.ones(2)), np.ndarray)
    assert tape.records == [] and tape.gradient(y, x) is None


def test_sizes_and_constants_that_change_from_call_to_call():
    power = ag.compile(lambda v, n: np.sum(v**n), fallback="error")
    for size, n in ((2, 2), (5, 2), (7, 3), (5, 3)):
        x = ag.Variable(np.linspace(0.5, 1.5, size))
        with ag.GradientTape() as tape:
            y = power(x, n)
        np.testing.assert_allclose(tape.gradient(y, x).numpy(), n * x.numpy() ** (n - 1))


def test_exception_in_a_recorded_call_has_the_users_line():
    @ag.compile(fallback="error")
    def fails(x, k):
        return x[k] * 2.0  # the line

    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape(), pytest.raises(IndexError) as caught:
        fails(x, 5)
    assert "x[k] * 2.0  # the line" in str(caught.traceback[-1].statement)


HISTORY: list[Any] = []


def remembers(x):
    HISTORY.append(x * 2.0)
    y = np.sin(x) * np.cos(x) + np.exp(x) * 0.0  # so that it is worth compiling
    return np.sum(HISTORY[-1] * x) + np.sum(y - np.sin(x) * np.cos(x))


def test_container_of_the_callers_falls_back_or_is_refused():
    x = ag.Variable([1.0, 2.0])
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="goes into a Python object that outlives the call"):
        ag.compile(remembers, fallback="error")(x)
    HISTORY.clear()
    compiled = ag.compile(remembers)
    told = pytest.warns(UserWarning, match="remembers runs in Python, uncompiled, where ag.GradientTape")
    for expected in (told, warnings.catch_warnings()):
        with ag.GradientTape() as tape, expected:
            y = compiled(x)
        np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [4.0, 8.0])
    assert len(HISTORY) == 2


def test_plain_array_may_not_take_what_is_recorded():
    @ag.compile(fallback="error")
    def into(x, out):
        out[:] = x * 2.0
        return np.sum(out)

    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="is written to a plain array of the caller's"):
        into(ag.Variable([1.0, 2.0]), np.zeros(2))
    x, out = ag.Variable([1.0, 2.0]), ag.asarray(np.zeros(2))
    with ag.GradientTape() as tape:
        into(x, out)
        s = np.sum(out * out)
    np.testing.assert_array_equal(tape.gradient(s, x).numpy(), 8.0 * x.numpy())


def test_view_that_a_compiled_function_returns_may_not_be_written():
    tail = ag.compile(lambda v: v[1:], fallback="error")
    x = ag.Variable([1.0, 2.0, 3.0])
    with ag.GradientTape() as tape:
        y = np.sum(tail(x) ** 2)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [0.0, 4.0, 6.0])
    with ag.GradientTape(), pytest.raises(ag.ConversionError, match="written while another view of it"):
        tail(x)[0] = 1.0


def test_training_step_of_compiled_model_under_an_eager_tape():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((50, 2))
    y = x @ np.array([2.0, -1.0]) + 0.5
    w, b = ag.Variable([0.0, 0.0]), ag.Variable(0.0)
    loss = ag.compile(lambda x, y: np.mean((x @ w + b - y) ** 2), fallback="error")
    for _ in range(100):
        with ag.GradientTape() as tape:
            value = loss(x, y)
        for v, gradient in zip([w, b], tape.gradient(value, [w, b])):
            v.assign_sub(0.3 * gradient)
    np.testing.assert_allclose([*w.numpy(), float(b)], [2.0, -1.0, 0.5], atol=1e-10)
