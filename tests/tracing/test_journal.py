"""Writes to attributes, globals, captured variables and entries happen only where the run goes."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees

TALLY = 0


class Model:
    def __init__(self, weight: Any) -> None:
        self.weight = weight
        self.steps = 0
        self.history: list[Any] = []

    def step(self, amount: float) -> None:
        self.weight = self.weight - amount
        self.steps += 1


def test_attribute_written_in_an_untaken_branch_keeps_its_value() -> None:
    def f(model: Model, n: int) -> Any:
        if n > 0:
            model.step(0.5)
        return model.weight

    assert_agrees(f, (Model(np.ones(2)), 1), (Model(np.ones(2)), -1))


def test_method_that_writes_attributes_runs_in_a_loop() -> None:
    def f(model: Model, x: Any) -> Any:
        for value in x:
            model.step(value)
        return model.steps

    assert_agrees(f, (Model(2.0), np.arange(12.0)), (Model(2.0), np.zeros(0)))


def test_list_attribute_grows_in_a_loop() -> None:
    def f(model: Model, n: int) -> Any:
        for i in range(n):
            model.history.append(i)
        return len(model.history)

    assert_agrees(f, (Model(0.0), 3), (Model(0.0), 12))


def test_attribute_first_made_in_a_branch_is_missing_after_the_other() -> None:
    def f(model: Model, n: int) -> Any:
        if n > 0:
            model.extra = n
        return hasattr(model, "extra")

    assert_agrees(f, (Model(0.0), 1), (Model(0.0), -1))


def test_nonlocal_variable_is_carried() -> None:
    def f(x: Any) -> Any:
        calls = 0

        def visit(value: Any) -> Any:
            nonlocal calls
            calls += 1
            return value * calls

        total = 0.0
        for value in x:
            total += visit(value)
        return total, calls

    assert_agrees(f, np.arange(12.0))


def test_global_is_written_only_where_the_run_goes() -> None:
    def f(n: int) -> Any:
        global TALLY
        TALLY = 0
        if n > 0:
            TALLY += n
        return TALLY

    assert_agrees(f, 3, -3)


def test_writes_before_an_exception_reach_the_callers_object() -> None:
    def f(model: Model, x: Any, n: int) -> Any:
        for i in range(n):
            model.steps += 1
            model.weight += x[i]

    assert_agrees(f, (Model(0.0), np.ones(11), 20))


def test_two_names_of_one_object_see_one_state() -> None:
    def f(a: Model, b: Model, n: int) -> Any:
        for _ in range(n):
            a.step(1.0)
            b.step(1.0)
        return a.steps, b.steps

    one = Model(0.0)
    assert_agrees(f, (one, one, 10), (Model(0.0), Model(1.0), 10))


def test_gradient_of_a_function_that_writes_attributes_leaves_them_written() -> None:
    def loss(w: Any, model: Model) -> Any:
        model.steps += 1
        model.weight = w * 2
        return (w * w).sum()

    model = Model(0.0)
    assert np.array_equal(ag.grad(loss)(np.ones(3), model), np.full(3, 2.0))
    assert model.steps == 1 and np.array_equal(model.weight, np.full(3, 2.0))
