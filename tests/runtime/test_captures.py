"""Captured values: arrays are read afresh at every call, numbers and objects are guarded, what is written is written back."""

from __future__ import annotations

import dataclasses
import linecache
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

WEIGHTS = np.ones(10)
SCALE = 2.0
COUNTER = 0
HISTORY: list[Any] = []


@ag.compile(fallback="error")
def weigh(x: Any) -> Any:
    return WEIGHTS * x * SCALE


def test_captured_array_is_read_afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.full(10, 3.0)
    before = len(weigh.specializations)
    assert weigh(x)[0] == 6.0
    monkeypatch.setitem(globals(), "WEIGHTS", np.full(10, 5.0))
    assert weigh(x)[0] == 30.0
    WEIGHTS[0] = 1.0
    assert weigh(x)[:2].tolist() == [6.0, 30.0]
    assert len(weigh.specializations) <= before + 1


def test_captured_array_may_change_its_dtype_and_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "WEIGHTS", np.arange(20).reshape(2, 10))
    np.testing.assert_array_equal(weigh(np.ones(10)), WEIGHTS * 2.0)


def test_captured_number_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(10)
    assert weigh(x)[0] == 2.0
    monkeypatch.setitem(globals(), "SCALE", 7.0)
    assert weigh(x)[0] == 7.0
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    assert weigh(x)[0] == 2.0


def test_closure_variables_are_read_afresh() -> None:
    factor, table = 2.0, np.ones(9)

    @ag.compile(fallback="error")
    def f(x: Any) -> Any:
        return x * factor + table

    assert f(np.ones(9))[0] == 3.0
    table = np.full(9, 10.0)
    assert f(np.ones(9))[0] == 12.0
    factor = 5.0
    assert f(np.ones(9))[0] == 15.0


def test_called_function_that_is_replaced_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    f = ag.compile(lambda x: inner(x), fallback="error")
    assert f(1.0) == 2.0
    monkeypatch.setitem(globals(), "inner", lambda x: x + 10.0)
    assert f(1.0) == 11.0


def inner(x: Any) -> Any:
    return x + 1.0


class Model:
    def __init__(self, size: int) -> None:
        self.w = np.ones(size)
        self.steps = 0
        self.rate = 0.5
        self.name = "model"
        self.log: list[Any] = []

    @ag.compile(fallback="error")
    def step(self, x: Any) -> Any:
        self.w = self.w + self.rate * x
        self.steps += 1
        return self.w.sum()

    @ag.compile(fallback="error")
    def scale(self, factor: Any) -> None:
        self.w *= factor
        self.log.append(factor)


def test_attributes_that_are_written_are_written_back() -> None:
    model = Model(10)
    first = model.w
    assert model.step(np.ones(10)) == 15.0 and model.step(np.ones(10)) == 20.0
    assert model.steps == 2 and type(model.steps) is int
    assert first[0] == 1.0 and model.w[0] == 2.0


def test_arrays_of_attributes_are_written_in_place() -> None:
    model = Model(10)
    first = model.w
    model.scale(3.0)
    model.scale(2.0)
    assert model.w is first and first[0] == 6.0 and model.log == [3.0, 2.0]


def test_instances_share_the_program() -> None:
    before = len(Model.step.specializations)
    for size in (30, 40, 50):
        assert Model(size).step(np.zeros(size)) == size
    assert len(Model.step.specializations) <= before + 1


def test_list_and_dict_arguments_are_changed_in_place() -> None:
    @ag.compile(fallback="error")
    def f(items: Any, table: Any, x: Any) -> Any:
        items.append(x * 2.0)
        items[0] = 7
        table["sum"] = x.sum()
        del table["old"]
        return len(items)

    items, table = [1, 2], {"old": 1.0}
    assert f(items, table, np.ones(4)) == 3
    assert items[:2] == [7, 2] and items[2].tolist() == [2.0] * 4
    assert table == {"sum": 4.0}


def test_containers_that_are_not_changed_keep_their_items() -> None:
    @ag.compile(fallback="error")
    def f(items: Any) -> Any:
        return items[0] + items[1]

    items = [np.ones(3), 2.0]
    first = items[0]
    assert f(items)[0] == 3.0
    assert items[0] is first and items[1] == 2.0


def test_global_that_is_assigned_is_written_back() -> None:
    @ag.compile(fallback="error")
    def count(x: Any) -> Any:
        global COUNTER
        COUNTER = COUNTER + 1
        return x + COUNTER

    start = COUNTER
    assert count(1.0) == start + 2.0 and count(1.0) == start + 3.0
    assert COUNTER == start + 2


def test_nonlocal_that_is_assigned_is_written_back() -> None:
    total = 0.0

    @ag.compile(fallback="error")
    def accumulate(x: Any) -> Any:
        nonlocal total
        total = total + x
        return total

    assert [accumulate(2.0), accumulate(3.0), accumulate(4.0)] == [2.0, 5.0, 9.0]
    assert len(accumulate.specializations) == 1
    assert total == 9.0


Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Ball:
    position: Any
    speed: float


def test_structures_come_back_as_they_went_in() -> None:
    @ag.compile(fallback="error")
    def f(point: Any, ball: Any, pairs: Any) -> Any:
        ball.position = ball.position + ball.speed
        return Point(point.y, point.x), ball, {"pairs": [pairs[1], pairs[0]]}, (point,)

    point, ball, pairs = Point(1.0, np.ones(2)), Ball(np.zeros(3), 2.0), (1, 2.5)
    swapped, same, table, (again,) = f(point, ball, pairs)
    assert isinstance(swapped, Point) and swapped.y == 1.0 and swapped.x is point.y
    assert same is ball and ball.position.tolist() == [2.0, 2.0, 2.0]
    assert table == {"pairs": [2.5, 1]} and type(table["pairs"][1]) is int
    assert isinstance(again, Point) and again.x == 1.0


def test_returned_argument_is_the_very_object() -> None:
    x, items = np.ones(3), [1.0]
    f = ag.compile(lambda x, items: (x, items, x), fallback="error")
    first, second, third = f(x, items)
    assert first is x and third is x and second is items


def test_returned_view_of_an_argument_shares_its_memory() -> None:
    x = np.zeros(10)
    f = ag.compile(lambda x: x[2:5], fallback="error")
    f(x)[:] = 4.0
    assert x.tolist() == [0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("value", [3, 3.5, True, 2 + 1j, np.float32(1.5), np.int8(4), np.bool_(False)])
def test_numbers_keep_their_types(value: Any) -> None:
    f = ag.compile(lambda v: (v, -v if not isinstance(v, (bool, np.bool_)) else not v), fallback="error")
    same, changed = f(value)
    expected = -value if not isinstance(value, bool | np.bool_) else not value
    assert (type(same), same) == (type(value), value) and (type(changed), changed) == (type(expected), expected)


class Flags:
    def __init__(self) -> None:
        self.flag = 1
        self.name: Any = "start"
        self.count = 0
        self.inner = Model(10)

    @ag.compile(fallback="error")
    def set_where_positive(self, x: Any) -> None:
        if x[0] > 0:
            self.flag = 5
            self.inner.rate = 0.25

    @ag.compile(fallback="error")
    def count_positive(self, x: Any) -> Any:
        for i in range(len(x)):
            if x[i] > 0:
                self.count += 1
        return self.count


def test_path_that_does_not_write_an_attribute_leaves_what_the_call_finds() -> None:
    flags, negative = Flags(), np.full(10, -1.0)
    flags.set_where_positive(negative)
    assert (flags.flag, flags.inner.rate) == (1, 0.5)
    flags.flag, flags.inner.rate = 9, 0.75
    flags.set_where_positive(negative)
    assert (flags.flag, flags.inner.rate) == (9, 0.75)
    flags.set_where_positive(np.ones(10))
    assert (flags.flag, flags.inner.rate) == (5, 0.25)


def test_number_that_the_program_assigns_does_not_compile_again() -> None:
    flags = Flags()
    before = len(Flags.count_positive.specializations)
    assert [flags.count_positive(np.ones(10)) for _ in range(4)] == [10, 20, 30, 40]
    assert type(flags.count) is int and len(Flags.count_positive.specializations) == before + 1


def test_variables_of_enclosing_functions_are_written_in_loops_and_in_called_functions() -> None:
    def make(wrap: Any) -> Any:
        total, calls = 0.0, 0

        def bump(step: int) -> None:
            nonlocal calls
            calls = calls + step

        @wrap
        def accumulate(x: Any) -> Any:
            nonlocal total
            for i in range(len(x)):
                if x[i] > 0:
                    total = total + x[i]
                    bump(2)
            bump(1)
            return total, calls

        return accumulate, lambda: (total, calls)

    compiled, compiled_state = make(ag.compile(fallback="error"))
    plain, plain_state = make(lambda function: function)
    x = np.array([1.0, -2.0, 3.0, -1.0, 5.0, 6.0, 7.0, 8.0, -9.0])
    for _ in range(3):
        assert compiled(x) == plain(x) and compiled_state() == plain_state()


def test_written_global_is_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    @ag.compile(fallback="error")
    def add_positive(x: Any) -> Any:
        global COUNTER
        for i in range(len(x)):
            if x[i] > 0:
                COUNTER += 1
        return COUNTER

    for start in (0, 5, -3):
        monkeypatch.setitem(globals(), "COUNTER", start)
        assert add_positive(np.array([1.0, -1.0] * 6)) == start + 6 == COUNTER
    assert len(add_positive.specializations) == 1


def test_called_function_of_a_notebook_cell_is_converted() -> None:
    name = "<cell 1>"
    source = "def grow(x):\n    while x.sum() < 100.0:\n        x = x * 2.0\n    return x\n"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope: dict[str, Any] = {}
    exec(compile(source, name, "exec"), scope)
    grow = scope["grow"]
    f = ag.compile(lambda x: grow(x) + 1.0, fallback="error")
    assert f(np.ones(10))[0] == 17.0 and "while_loop" in f.graph(np.ones(10))


class Layer:
    """A layer whose parameters are found in containers and by methods."""

    def __init__(self) -> None:
        self.weights = [np.ones(2), np.full(2, 2.0)]
        self.by_name = {"w": np.ones(2), "pair": (np.zeros(2), 3)}

    def scale(self, x: Any) -> Any:
        return x * self.by_name["w"]


LAYER = Layer()
ARRAYS = [np.ones(2), [np.full(2, 5.0)]]


def over_containers(x: Any) -> Any:
    total = x * 0.0
    for a in ARRAYS[:1]:
        b = a * 2.0
        total = total + b
    for a, (c, n) in zip(LAYER.weights, [LAYER.by_name["pair"]]):
        total = total + np.exp(a) + c * n
    for name, value in LAYER.by_name.items():
        if name == "w":
            total = total + value * 3.0
    (inner,) = ARRAYS[1]
    return total + inner * 4.0, [a * 1.0 for a in LAYER.weights], LAYER.weights


def test_arrays_in_captured_containers_are_read_at_every_call() -> None:
    compiled = ag.compile(over_containers, fallback="error")
    for _ in range(3):
        got, want = compiled(np.ones(2)), over_containers(np.ones(2))
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])
        assert got[2] is LAYER.weights
        for a in (ARRAYS[0], ARRAYS[1][0], *LAYER.weights, LAYER.by_name["w"], LAYER.by_name["pair"][0]):
            a += 1.0
        LAYER.weights[0] = LAYER.weights[0] * 1.5
    assert len(compiled.specializations) == 1


def test_method_of_an_argument_compiles_once() -> None:
    compiled = ag.compile(lambda layer, x: layer.scale(x), fallback="error")
    for layer in (LAYER, LAYER, Layer()):
        np.testing.assert_array_equal(compiled(layer, np.ones(2)), layer.scale(np.ones(2)))
    assert len(compiled.specializations) == 1


class Counter:
    """An object with a compiled method."""

    def __init__(self) -> None:
        self.total = ag.Variable(np.zeros(2))

    @ag.compile(fallback="error")
    def add(self, x):
        self.total.assign_add(x)


def test_compiled_method_of_a_captured_object_is_the_same_at_every_call():
    counter = Counter()

    def f(x):
        counter.add(x)
        return x

    compiled = ag.compile(f, fallback="error")
    for _ in range(3):
        compiled(np.ones(2))
    np.testing.assert_array_equal(counter.total.numpy(), [3.0, 3.0])
    assert len(compiled.specializations) == 1
