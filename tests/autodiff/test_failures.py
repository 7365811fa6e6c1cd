"""Tests of what a function that fails inside a transform leaves in the caller's objects: what the plain call leaves."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

X = np.array([1.0, 2.0, 3.0])


class Walker:
    def __init__(self):
        self.steps, self.last, self.done, self.log = 0, 0.0, False, {"steps": 0}

    def walk(self, x, count):
        self.steps += 1
        total = 0.0
        for i in range(count):
            self.last = x[i] * 2.0
            total = total + x[i] ** 2
            self.steps += 1
            if total > 4.0:
                self.log["steps"] = i
        self.done = True
        return total

    def invert(self, x):
        self.steps = 5
        inverse = np.linalg.inv(np.outer(x, x) * 0.0)
        self.done = True
        return np.sum(inverse)

    def state(self):
        return self.steps, float(self.last), self.done, dict(self.log)


TRANSFORMS = {
    "grad": lambda walker, k: ag.grad(lambda x: walker.walk(x, k))(X),
    "value_and_grad": lambda walker, k: ag.value_and_grad(lambda x, k: walker.walk(x, k))(X, k),
    "jvp": lambda walker, k: ag.jvp(lambda x: walker.walk(x, k), (X,), (X,)),
    "second order": lambda walker, k: ag.grad(ag.grad(lambda x, s: s * walker.walk(x, k), argnums=1), argnums=1)(X, 1.0),
    "in compiled code": lambda walker, k: ag.compile(lambda x: ag.grad(lambda x: walker.walk(x, k))(x), fallback="error")(X),
    "inverse": lambda walker, k: ag.grad(lambda x: walker.invert(x) if k > 3 else walker.walk(x, k))(X),
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("count", [2, 3, 9])
def test_attributes_are_left_as_by_the_plain_call(name, count):
    walker, plain = Walker(), Walker()
    run, error = (plain.invert, np.linalg.LinAlgError) if name == "inverse" and count == 9 else (lambda x: plain.walk(x, count), IndexError)
    if count == 9:
        with pytest.raises(error):
            run(X)
        with pytest.raises(error):
            TRANSFORMS[name](walker, count)
    else:
        run(X)
        TRANSFORMS[name](walker, count)
    assert walker.state() == plain.state()


def raises_in_a_try(x, n):
    try:
        return x * [1, 2][n]
    finally:
        x[0] = 7.0


def raises_after_printing(x, n):
    print("sum", x.sum())
    x[0] = 7.0
    raise KeyError(n)


@pytest.mark.parametrize("function", [raises_in_a_try, raises_after_printing])
@pytest.mark.parametrize("transform", [ag.grad, lambda compiled: lambda x, n: ag.jvp(lambda y: compiled(y, n), (x,), (x,))])
def test_function_that_always_raises_does_so_when_differentiated(function, transform, capsys) -> None:
    found = []
    for run in (function, transform(ag.compile(function, fallback="error"))):
        x = np.ones(3)
        with pytest.raises((IndexError, KeyError)) as caught:
            run(x, 3)
        found.append((type(caught.value), str(caught.value), x.tolist(), capsys.readouterr().out))
    assert found[0] == found[1]


def test_refusal_under_a_tape_passes_the_handlers_of_the_program() -> None:
    def total(x):
        try:
            x = x + np.full(3, x[0])
        except Exception:
            pass
        return x.sum()

    x = ag.asarray(np.ones(3))
    with pytest.raises(ag.NotDifferentiable, match="becomes a plain array"), ag.GradientTape() as tape:
        tape.watch(x)
        ag.convert(total)(x)


def test_refusal_is_caught_by_its_own_name() -> None:
    def caught(error):
        try:
            raise error
        except ag.ConversionError:
            return "caught"

    assert ag.convert(caught)(ag.ConversionError("what")) == "caught"
