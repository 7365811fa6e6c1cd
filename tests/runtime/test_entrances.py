"""Entrances: calls that fit never reach Python code of the package, all others are taken behind, with the same results and errors."""

from __future__ import annotations

import asyncio
import gc
import inspect
import sys
import weakref

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.settings import ASKED_HERE
from autograph_jit.tracing.values.trace import unusual

SCALE = 3.0


def settled(function, *args, **options):
    """A compiled function with an entrance for these arguments."""
    compiled = ag.compile(function, fallback="error", **options)
    for _ in range(3):
        compiled(*args)
    assert inspect.isbuiltin(compiled.__call__)
    return compiled


def entered(compiled):
    """How many calls the entrances have let in."""
    return sum(entrance.calls for made in compiled.specializations for entrance in made.entrances.values() if entrance is not None)


def first_sum(x, y):
    return x[0] + y[0]


def element(x, i):
    return x[i]


def count(x, limit, name="n", exact=True):
    total = 0
    for value in x:
        if value < limit:
            total += 1
    return total if exact else float(total)


def scaled(x):
    return x[0] * SCALE


def nothing(x):
    x[0] += 1.0


def both(x, n):
    return n + 1, x, x[0] > 0.0, x[0] * 2


def make_adder(step):
    def adder(x):
        return x[0] + (step if step_is_wanted() else 0.0)

    def step_is_wanted():
        return True

    def change(value):
        nonlocal step
        step = value

    return adder, change


def test_fitting_calls_are_let_in_and_counted():
    x, y = np.arange(4.0), np.ones(4)
    compiled = settled(first_sum, x, y)
    before = entered(compiled)
    assert compiled(x, y) == 1.0 and type(compiled(x, y)) is np.float64
    assert entered(compiled) == before + 2
    assert f"{3 + before + 1} calls since" in str(compiled.explain())


@pytest.mark.parametrize("y", [np.arange(4), np.ones((4, 1)), np.ones(1), np.arange(8.0)[::2], [1.0, 2.0], 2.0])
def test_other_arguments_are_not_let_in(y):
    x = np.arange(1.0, 5.0)
    compiled = settled(first_sum, x, np.ones(4))
    before = entered(compiled)
    try:
        want = first_sum(x, y)
    except (TypeError, IndexError) as error:
        with pytest.raises(type(error)):
            compiled(x, y)
    else:
        assert compiled(x, y) == want
    assert entered(compiled) == before


def test_keywords_too_few_and_too_many_arguments_go_behind():
    x = np.arange(4.0)
    compiled = settled(first_sum, x, x.copy())
    before = entered(compiled)
    assert compiled(x, y=x.copy()) == 0.0
    for args in ((x,), (x, x, x), ()):
        with pytest.raises(TypeError):
            compiled(*args)
    assert entered(compiled) == before


def test_calls_with_the_same_names_in_the_same_order_are_let_in():
    def weighted(x, offset=1.0, *, z=0.0):
        return x[0] + 2.0 * offset - z

    x = np.ones(3)
    compiled = ag.compile(weighted, fallback="error")
    for _ in range(3):
        assert compiled(x, offset=3.0, z=2.0) == 5.0
    before = entered(compiled)
    assert compiled(x, offset=4.0, z=1.0) == 8.0 and compiled(x, **{"".join(("off", "set")): 4.0, "z": 1.5}) == 7.5
    assert entered(compiled) == before + 2
    others = [compiled(x, z=2.0, offset=3.0), compiled(x, offset=3.0), compiled(x, 3.0, z=2.0), compiled(x, offset=3, z=2)]
    assert others == [5.0, 7.0, 5.0, 5.0] and entered(compiled) == before + 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        compiled(x, offset=3.0, w=2.0)
    with pytest.raises(TypeError, match="keywords must be strings"):
        compiled(x, **{3: 3.0, "z": 2.0})


def test_results_and_errors_of_calls_with_names_are_pythons():
    def pair(x, i=0, *, scale):
        return x, x[i] * scale, (i, scale)

    x, plain = np.arange(3.0), pair
    compiled = ag.compile(pair, fallback="error")
    for _ in range(3):
        compiled(x, i=1, scale=2.0)
    before = entered(compiled)
    got, want = compiled(x, i=2, scale=3.0), plain(x, i=2, scale=3.0)
    assert got[0] is x and got[1:] == want[1:] and list(map(type, got)) == list(map(type, want))
    with pytest.raises(IndexError, match="index 7 is out of bounds"):
        compiled(x, i=7, scale=3.0)
    assert entered(compiled) == before + 2
    references = sys.getrefcount(x)
    for _ in range(50):
        compiled(x, i=2, scale=3.0)
        compiled(x, scale=3.0, i=2)
    assert sys.getrefcount(x) <= references + 1


def test_same_array_twice_goes_behind():
    compiled = settled(first_sum, np.ones(3), np.ones(3))
    x, before = np.ones(3), entered(compiled)
    assert compiled(x, x) == 2.0 and entered(compiled) == before


@pytest.mark.parametrize("i", [2**62 - 1, 2**62, 2**63, -(2**70), True, np.int64(1), 1.0])
def test_numbers_of_other_kinds_and_sizes_go_behind_or_fail_as_in_python(i):
    x = np.arange(3.0)
    compiled = settled(element, x, 1)
    try:
        want = element(x, i)
    except (IndexError, OverflowError):
        with pytest.raises((IndexError, OverflowError)):
            compiled(x, i)
    else:
        got = compiled(x, i)
        assert np.array_equal(got, want) and np.shape(got) == np.shape(want)


def test_constants_are_compared_as_objects_and_equal_ones_go_behind():
    x = np.arange(5.0)
    compiled = settled(count, x, 3.0, "name", True)
    before = entered(compiled)
    assert compiled(x, 3.0, "name", True) == 3 and entered(compiled) == before + 1
    assert compiled(x, 3.0, "".join(["na", "me"]), True) == 3 and entered(compiled) == before + 1
    assert type(compiled(x, 3.0, "name", False)) is float


def test_python_numbers_are_pythons():
    x = np.arange(4.0)
    assert type(settled(count, x, 2.0)(x, 2.0)) is int
    compiled = settled(both, x, 4)
    number, same, positive, double = compiled(x, 4)
    assert (number, positive, double) == (5, False, 0.0) and same is x
    assert type(number) is int and type(positive) is np.bool_ and type(double) is np.float64


def test_function_without_result_gives_none():
    x = np.zeros(3)
    compiled = settled(nothing, x)
    assert compiled(x) is None and x[0] == 4.0


def test_changed_global_is_seen(monkeypatch):
    x = np.ones(2)
    compiled = settled(scaled, x)
    before = entered(compiled)
    assert compiled(x) == 3.0 and entered(compiled) == before + 1
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert compiled(x) == 5.0
    monkeypatch.delitem(globals(), "SCALE")
    with pytest.raises(NameError):
        compiled(x)


def test_changed_closure_variable_and_code_are_seen():
    adder, change = make_adder(2.0)
    x = np.ones(2)
    compiled = settled(adder, x)
    assert compiled(x) == 3.0
    change(7.0)
    assert compiled(x) == 8.0
    other = settled(scaled, x)
    old = scaled.__code__
    try:
        scaled.__code__ = (lambda x: x[0] + 100.0).__code__
        assert other(x) == 101.0
    finally:
        scaled.__code__ = old
    assert other(x) == SCALE


def test_errors_have_the_users_line_and_leave_nothing_behind():
    x = np.ones(3)
    compiled = settled(element, x, 1)
    gc.collect()
    before, references = entered(compiled), sys.getrefcount(x)
    for _ in range(50):
        with pytest.raises(IndexError, match="out of bounds") as caught:
            compiled(x, 7)
        entries = [entry for entry in caught.traceback if entry.frame.code.raw.co_name == "element"]
        assert len(entries) == 1 and caught.value.__context__ is None
        del caught, entries
    assert entered(compiled) == before + 50
    gc.collect()
    assert sys.getrefcount(x) == references


def test_calls_do_not_leak_references():
    x, y = np.ones(3), np.ones(3)
    compiled = settled(first_sum, x, y)
    pair = settled(both, x, 4)
    before = sys.getrefcount(x), sys.getrefcount(None), gc.get_count()[0]
    for _ in range(1000):
        compiled(x, y)
        pair(x, 4)
    assert sys.getrefcount(x) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 100


def test_several_programs_are_tried_one_behind_the_other():
    compiled = ag.compile(first_sum, fallback="error")
    kinds = [np.arange(1.0, 5.0), np.arange(1, 5), np.arange(1, 5, dtype=np.float32)]
    for _ in range(4):
        for x in kinds:
            assert compiled(x, x.copy()) == 2 and compiled(x, x.copy()).dtype == x.dtype
    before = entered(compiled)
    for x in kinds:
        compiled(x, x.copy())
    assert entered(compiled) == before + 3


def test_eager_mode_and_devices_are_asked_for_in_contexts_and_settings():
    def where(x):
        seen.append(type(x))
        return x[0]

    seen: list[type] = []
    x = np.ones(3)
    compiled = settled(scaled, x)
    plain = ag.compile(where)
    with ag.eager():
        plain(x)
        assert compiled(x) == 3.0
    assert seen == [np.ndarray] and ASKED_HERE in unusual
    before = entered(compiled)
    with ag.config(eager=True):
        compiled(x)
    assert entered(compiled) == before


def test_task_keeps_the_eager_mode_of_the_context_it_was_made_in():
    compiled = settled(scaled, np.ones(2))

    async def late():
        await asyncio.sleep(0)
        return compiled(np.ones(2))

    async def main():
        with ag.eager():
            task = asyncio.create_task(late())
        before = entered(compiled)
        assert await task == 3.0
        return entered(compiled) - before

    assert asyncio.run(main()) == 0


def test_functions_with_entrances_go_with_their_last_reference():
    def local(x):
        return x[0]

    compiled = settled(local, np.ones(2))
    reference = weakref.ref(compiled)
    del compiled
    gc.collect()
    assert reference() is None


def test_replaced_entrance_lives_as_long_as_its_call():
    """The function that runs makes its own entrance anew, by a call with other arguments."""
    x = np.ones(3)

    def outer(x):
        return ag.do_not_convert(again)(x) + x[0]

    def again(x):
        if len(x) > 2:
            for kind in (np.ones(2), np.ones(2, int)):
                for _ in range(3):
                    compiled(kind)
        return 1.0

    compiled = ag.compile(outer)
    for _ in range(4):
        assert compiled(x) == 2.0


class Part:
    def __init__(self, weight):
        self.weight = weight


class Model:
    def __init__(self, weights, scale=2.0):
        self.weights, self.scale, self.part = weights, scale, Part(3)

    def scored(self, x, *, power=1):
        if x[0] < 0.0:
            raise ValueError("negative")
        return [x[0] * self.weights[0] * self.scale, self.part.weight * power]


class Other(Model):
    asked = 0

    @property
    def scale(self):
        Other.asked += 1
        return 5.0

    @scale.setter
    def scale(self, value):
        pass


def test_attributes_of_arguments_are_read_where_a_call_is_let_in():
    x, models = np.ones(4), [Model(np.arange(1.0, 5.0)) for _ in range(2)]
    compiled = ag.compile(Model.scored, fallback="error")
    for _ in range(3):
        compiled(models[0], x, power=2)
    before = entered(compiled)
    assert [compiled(model, x, power=2) for model in models] == [[2.0, 6]] * 2
    assert entered(compiled) == before + 2
    with pytest.raises(ValueError, match="negative"):
        compiled(models[0], -x, power=2)
    before = entered(compiled)
    changed = [Model(np.arange(1.0, 5.0)) for _ in range(4)]
    changed[0].scale, changed[1].part, changed[2].weights = 4.0, Part(1.5), np.ones((4, 1))
    del changed[3].part
    for model in (*changed, Other(np.ones(4)), None):
        outcomes = []
        for function in (Model.scored, compiled):
            try:
                outcomes.append(function(model, x, power=2))
            except (AttributeError, TypeError) as error:
                outcomes.append(str(error))
        assert str(outcomes[0]) == str(outcomes[1])
    assert entered(compiled) - before <= 4  # of those that have programs of their own
    counts = [sys.getrefcount(held) for held in (models[0].weights, models[0].part, models[0])]
    for _ in range(50):
        compiled(models[0], x, power=2)
    assert counts == [sys.getrefcount(held) for held in (models[0].weights, models[0].part, models[0])]


def test_one_array_twice_is_let_in_as_one():
    x, y = np.arange(4.0), np.ones(4)
    compiled = settled(first_sum, x, x)
    before = entered(compiled)
    assert compiled(y, y) == 2.0 and entered(compiled) == before + 1
    assert compiled(x, y) == 1.0 and entered(compiled) == before + 1


class Slotted:
    __slots__ = ("count", "total")

    def __init__(self):
        self.count, self.total = 0, 0.0

    def step(self, x, i):
        self.count += 1
        self.total += x[i]
        self.total *= 2.0
        return [self.total, self.count, x]


class Plain(Slotted):
    pass


class Watched(Slotted):
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value + 1 if name == "count" else value)


@pytest.mark.parametrize("kind", [Slotted, Plain, Watched])
def test_attributes_are_written_where_a_call_is_let_in(kind):
    x, python, ours = np.arange(1.0, 4.0), kind(), kind()
    compiled = ag.compile(Slotted.step, fallback="error")
    for i in (0, 1, 1, 0, 5, 1, -1, 7, 2, 0):
        outcomes = []
        for function, model in ((Slotted.step, python), (compiled, ours)):
            try:
                result = function(model, x, i)
            except IndexError as error:
                result = str(error)
            outcomes.append((str(result), repr(model.count), repr(model.total)))
        assert outcomes[0] == outcomes[1]
    assert entered(compiled)


def test_an_array_without_elements_leaves_as_the_object_that_it_is():
    def last(x, n):
        found = np.ones(1)
        for _ in range(n):
            found = x
        return found

    compiled = ag.compile(last, fallback="error")
    for x in (np.zeros(0), np.zeros(4), np.zeros(3)[3:], np.zeros(0)):
        assert compiled(x, 2) is x
    wide = ag.compile(lambda x, n: last(x, n) if n > 5 else x.T, fallback="error")
    for x in (np.zeros((0, 3)), np.zeros((3, 0)), np.ones((2, 3))):
        assert wide(x, 1).shape == x.T.shape and wide(x, 1) is not x
