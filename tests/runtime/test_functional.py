"""Control flow as functions, unrolling, functions that stay in Python: the same eagerly, converted and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag


def newton(a: Any) -> Any:
    return ag.while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: 0.5 * (x + a / x), a)


def powers(x: Any, n: int) -> Any:
    return ag.for_loop(0, n, lambda i, state: (state[0] * x, state[1] + i), (x, 0))


def clipped(x: Any, limit: float) -> Any:
    return ag.cond(x.sum() > limit, lambda x: x / x.sum(), lambda x: x.copy(), x)


def variables(n: int) -> Any:
    return ag.while_loop(cond=lambda i, x: i < n, body=lambda i, x: (i + 1, x * 2.0), loop_vars=[0, np.ones(10)])


def one_variable(n: int) -> Any:
    return ag.while_loop(lambda i: i < n, lambda i: i + 1, loop_vars=(0,))


def nested_variables(n: int) -> Any:
    change = lambda i, d: (i + 1, {"a": d["a"] + 1.0, "b": d["b"]})  # noqa: E731
    return ag.while_loop(lambda i, d: i < n, change, loop_vars=[0, {"a": 1.0, "b": np.zeros(3)}])[1]["a"]


def named_branches(n: int) -> Any:
    return ag.cond(n > 3, true_fn=lambda: n * 2, false_fn=lambda: n)


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (newton, (2.0,)),
    (powers, (np.full(5, 1.5), 6)),
    (powers, (2.0, 0)),
    (clipped, (np.ones(10), 5.0)),
    (clipped, (np.ones(10), 50.0)),
    (variables, (5,)),
    (one_variable, (5,)),
    (nested_variables, (5,)),
    (named_branches, (5,)),
    (named_branches, (2,)),
]


def assert_equal(found: Any, expected: Any) -> None:
    """Equal structures of numbers and arrays; sums may differ in their last bits."""
    if isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for x, y in zip(found, expected):
            assert_equal(x, y)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-15)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_functional_control_flow_means_the_same_everywhere(case: int) -> None:
    function, args = CASES[case]
    expected = function(*args)
    assert_equal(ag.convert(function)(*args), expected)
    assert_equal(ag.compile(function, fallback="error")(*args), expected)


@pytest.mark.parametrize(
    ("function", "args", "operation"),
    [(newton, (2.0,), "while_loop("), (powers, (2.0, 9), "for_loop("), (clipped, (np.ones(9), 1.0), "cond(")],
)
def test_functional_control_flow_is_staged(function: Any, args: Any, operation: str) -> None:
    assert operation in ag.compile(function, fallback="error").graph(*args)


def changing(start: Any, change: Any) -> Any:
    """A loop of two variables whose second one changes like this."""
    return lambda n: ag.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, *change(x)), loop_vars=[0, start])


CHANGES = {
    "a longer array": (np.ones(10), lambda x: (np.concatenate([x, x]),), r"variable 1 .* (shape \(10,\)|size 10 along axis 0) before"),
    "another rank": (np.ones(3), lambda x: (x[None],), "float64 of rank 1 before and float64 of rank 2 after"),
    "an int becomes a float": (0, lambda x: (x + 0.5,), "int64 of rank 0 before and float64 of rank 0 after"),
    "float32 becomes float64": (np.ones(3, np.float32), lambda x: (x * np.float64(2),), "float32 of rank 1 before and float64 of rank 1"),
    "a tuple of another length": ((0, 1), lambda x: ((*x, 2),), "loop variable 1 of ag.while_loop changes its structure"),
    "one variable less": (0, lambda x: (), "gives 1 loop variables for 2"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_loop_variables_keep_type_and_shape_alike_in_python_and_compiled(case: str) -> None:
    start, change, text = CHANGES[case]
    function = changing(start, change)
    for form in (function, ag.compile(function, fallback="error")):
        for builtin in (TypeError, ValueError, ag.LoopVariableError):
            with pytest.raises(builtin, match=text):
                form(3)


def test_while_loop_takes_a_state_or_loop_variables() -> None:
    for given in ({}, {"state": 1, "loop_vars": [1]}):
        with pytest.raises(ag.SettingError, match="a state, or loop_vars"):
            ag.while_loop(lambda x: x < 3, lambda x: x + 1, **given)
    with pytest.raises(ag.IterationLimitError):
        ag.while_loop(lambda x: x < 9, lambda x: x + 1, loop_vars=[0], max_iterations=3)
    slope = ag.grad(lambda y: ag.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * y), loop_vars=[0, 1.0])[1])
    assert abs(slope(2.0) - 12.0) < 1e-12


def test_unrolled_loop_has_python_values_and_no_loop() -> None:
    def stack(x: Any, n: int) -> Any:
        parts = {}
        for i in ag.unroll(range(n)):
            parts[f"part{i}"] = x * i
        return parts

    f = ag.compile(stack, fallback="error")
    found = f(np.ones(10), 12)
    assert list(found) == [f"part{i}" for i in range(12)] and found["part11"][0] == 11.0
    assert "for_loop" not in f.graph(np.ones(10), 12)
    assert len(f(np.ones(10), 13)) == 13


def test_unrolling_works_on_arrays_lists_and_nested_loops() -> None:
    def total(x: Any, items: Any) -> Any:
        result = 0.0
        for row in ag.unroll(x):
            for item in ag.unroll(items):
                if row[0] < 0.0:
                    continue
                if item > 2.5:
                    break
                result = result + row[0] * item
        return result

    x, items = np.array([[1.0, 2.0], [-3.0, 4.0], [5.0, 6.0]]), [1.0, 2.0, 3.0]
    f = ag.compile(total, fallback="error")
    assert f(x, items) == total(x, items) == 18.0
    assert "for_loop" not in f.graph(x, items)


@pytest.mark.parametrize(("unroll", "loops"), [(True, 0), (False, 1), (None, 0)])
def test_loop_options_choose_between_loop_and_unrolling(unroll: bool | None, loops: int) -> None:
    def add(x: Any) -> Any:
        for i in ag.loop_options(range(3), unroll=unroll):
            x = x + i
        return x

    f = ag.compile(add, fallback="error")
    assert f(np.ones(9))[0] == add(np.ones(9))[0] == 4.0
    assert f.graph(np.ones(9)).count("for_loop(") == loops


def test_unconverted_function_is_called_in_python_with_real_values() -> None:
    seen: list[Any] = []

    @ag.do_not_convert
    def host(x: Any, n: Any) -> Any:
        seen.append((type(x), x.copy(), n))
        x[0] = 100.0
        return float(x.sum())

    def run(x: Any) -> Any:
        y = x * 2.0
        total = host(y, len(y))
        return y, total

    f = ag.compile(run, fallback="error")
    y, total = f(np.ones(10))
    assert y[0] == 100.0 and total == 118.0 and type(total) is float
    assert seen[0][0] is np.ndarray and seen[0][1].tolist() == [2.0] * 10 and seen[0][2] == 10
    assert host(np.ones(2), 2) == 101.0
    assert "host  at test_functional.py" in f.explain(np.ones(10))


def test_only_python_functions_can_be_kept_unconverted() -> None:
    with pytest.raises(ag.SettingError, match="takes a Python function"):
        ag.do_not_convert(len)
