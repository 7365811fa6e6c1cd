"""Objects of the caller's that Python code is given, changes or keeps: each call means its own object, in the state that it has."""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import json
import operator
import pickle
import queue
import random
import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag

X = np.arange(3.0)


class Plain:
    def __init__(self, a: Any) -> None:
        self.a = a

    def __repr__(self) -> str:
        return f"Plain({self.a})"

    def __len__(self) -> int:
        return self.a


@dataclasses.dataclass(unsafe_hash=True, order=True)
class Record:
    a: Any = 1


READINGS: dict[str, Callable[[Any, Any], Any]] = {
    "text": lambda x, o: (str(o), repr(o), f"{o}", "%s" % o, f"{o!r:>9}", ",".join(map(str, [o, o]))),  # noqa: UP031
    "vars": lambda x, o: (dict(vars(o)), json.dumps(o.__dict__), json.dumps(vars(o)), "a" in dir(o)),
    "copies": lambda x, o: (copy.copy(o).a, copy.deepcopy(o).a, pickle.loads(pickle.dumps(o)).a),
    "getters": lambda x, o: (operator.attrgetter("a")(o), operator.itemgetter(0)([o]).a),
    "in a tuple": lambda x, o: (str((o, 1)), [str(part) for part in (o, 2)]),
}


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("kind", [Plain, Record])
def test_python_code_reads_the_object_of_each_call(name, kind):
    reading = READINGS[name]
    compiled = ag.compile(reading, fallback="error")
    for value in (1, 2, 3, 1):
        assert compiled(X, kind(value)) == reading(X, kind(value))


def test_comparisons_and_hashes_of_dataclasses():
    def compared(x, o):
        return o == Record(2), o < Record(2), hash(o), o in {Record(2)}, {Record(2): 5}.get(o, 7), max(o, Record(2)).a

    compiled = ag.compile(compared, fallback="error")
    for value in (1, 2, 3, 1):
        assert compiled(X, Record(value)) == compared(X, Record(value))


def test_what_is_printed_is_the_object_as_the_program_left_it(capsys):
    @ag.compile(fallback="error")
    def shown(x, o):
        print(o)
        o.a = 7
        print(o)
        o.b = float(x.sum())
        print(vars(o))

    for value in (1, 2):
        shown(X, Plain(value))
    assert capsys.readouterr().out.splitlines() == [
        line for value in (1, 2) for line in (f"Plain({value})", "Plain(7)", "{'a': 7, 'b': 3.0}")
    ]
    assert len(shown.specializations) == 1


def test_what_an_object_holds_inside():
    held = Plain(Plain(1))
    compiled = ag.compile(lambda x: (repr(held), str(held.a)), fallback="error")
    assert compiled(X) == ("Plain(Plain(1))", "Plain(1)")
    held.a.a = 2
    assert compiled(X) == ("Plain(Plain(2))", "Plain(2)")
    held.a = Plain(3)
    assert compiled(X) == ("Plain(Plain(3))", "Plain(3)")


def test_lists_inside_of_dicts():
    nested = {"a": 1, "b": [2]}
    compiled = ag.compile(lambda x: (json.dumps(nested), str(nested), copy.deepcopy(nested)), fallback="error")
    for _ in range(3):
        assert compiled(X) == (json.dumps(nested), str(nested), nested)
        nested["b"].append(5)
    nested["b"][0] = 2.0
    assert compiled(X)[0] == json.dumps(nested)


@ag.do_not_convert
def increment(o):
    o.a += 1


@ag.do_not_convert
def extend(items):
    items.append(1)


@ag.do_not_convert
def enter(entries):
    entries["k"] = len(entries)


def test_objects_that_unconverted_code_changes():
    def changed(x, o):
        before, total = o.a, 0.0
        for i in range(len(x)):
            total += o.a * x[i]
            increment(o)
        return before, total, o.a

    compiled = ag.compile(changed, fallback="error")
    first, second = Plain(1), Plain(1)
    for _ in range(2):
        assert compiled(X, first) == changed(X, second)
    assert first.a == second.a == 7 and compiled(X, Plain(5)) == changed(X, Plain(5))


def test_containers_that_unconverted_code_changes():
    def changed(x, items, entries):
        extend(items)
        enter(entries)
        made = [1]
        extend(made)
        return x * len(items), entries.get("k"), len(made), made

    compiled = ag.compile(changed, fallback="error")
    outcomes = [
        [function(X, items, entries) for _ in range(2)] + [items, entries]
        for function, items, entries in ((compiled, [], {}), (changed, [], {}))
    ]
    np.testing.assert_equal(*outcomes)


def test_instances_made_here_that_unconverted_code_changes():
    @ag.compile(fallback="error")
    def changed(x):
        o = Plain(1)
        increment(o)
        return x * o.a, o.a

    np.testing.assert_equal(changed(X), (2 * X, 2))


def test_generators_and_connections_that_take_the_place_of_others():
    scope = Plain(None)

    def drawn(x):
        return scope.numpy.normal(), scope.python.random(), scope.connection[0].execute("select count(*) from t").fetchone()[0]

    compiled = ag.compile(drawn, fallback="error")
    for seed in range(4):
        found = []
        for function in (compiled, drawn):
            scope.numpy, scope.python, scope.connection = np.random.default_rng(seed), random.Random(seed), [sqlite3.connect(":memory:")]
            scope.connection[0].execute("create table t (a)")
            for _ in range(seed):
                scope.connection[0].execute("insert into t values (1)")
            found.append(function(X))
        assert found[0] == found[1]


def test_one_program_serves_every_generator():
    compiled = ag.compile(lambda x, rng: x * rng.normal(), fallback="error")
    for seed in range(4):
        np.testing.assert_array_equal(compiled(X, np.random.default_rng(seed)), X * np.random.default_rng(seed).normal())
    assert len(compiled.specializations) == 1


def test_methods_written_in_c_change_the_callers_objects():
    items = []
    append = items.append
    compiled = ag.compile(lambda x: (append(1), len(items))[1], fallback="error")
    assert [compiled(X), compiled(X), items] == [1, 2, [1, 1]]


class Stack(list):
    pass


def test_subclasses_of_lists():
    def pushed(x, stack):
        stack.append(5)
        return len(stack), stack[-1], list(stack)

    compiled, stack = ag.compile(pushed, fallback="error"), Stack([1])
    assert [compiled(X, stack) for _ in range(2)] == [(2, 5, [1, 5]), (3, 5, [1, 5, 5])] and stack == [1, 5, 5]


def test_methods_that_python_looks_up_in_the_class():
    class Scale:
        def __init__(self, k):
            self.k = k

        def __call__(self, x):
            return x * self.k

        def __add__(self, other):
            return Scale(self.k + other.k)

        @property
        def twice(self):
            return 2 * self.k

    scale = Scale(2)

    def scaled(x):
        return scale(x) + (scale + Scale(3)).k, scale.twice

    compiled = ag.compile(scaled, fallback="error")
    changes = {
        "__call__": lambda self, x: x + self.k,
        "__add__": lambda self, other: Scale(self.k * other.k),
        "twice": property(lambda self: 3 * self.k),
        "__init__": lambda self, k: setattr(self, "k", 10 * k),
    }
    np.testing.assert_equal(compiled(X), scaled(X))
    for name, method in changes.items():
        setattr(Scale, name, method)
        np.testing.assert_equal(compiled(X), scaled(X))


def test_deleters_of_properties():
    class Held:
        def __init__(self):
            self.log = []

        @property
        def value(self):
            self.log.append("get")
            return 1

        @value.deleter
        def value(self):
            self.log.append("del")

    held = Held()

    @ag.compile(fallback="error")
    def dropped(x):
        del held.value
        return x * held.value

    for _ in range(2):
        np.testing.assert_array_equal(dropped(X), X)
    assert held.log == ["del", "get"] * 2


def test_defaults_by_keyword_that_are_replaced():
    def shifted(x, *, k=1):
        return x + k

    compiled = ag.compile(lambda x: shifted(x), fallback="error")
    for value in (1, 5):
        shifted.__kwdefaults__ = {"k": value}
        np.testing.assert_array_equal(compiled(X), X + value)
    shifted.__kwdefaults__["k"] = 7
    np.testing.assert_array_equal(compiled(X), X + 7)


def test_ufuncs_that_are_swapped_in_a_list():
    functions = [np.sin, np.cos]

    def applied(x):
        for function in functions:
            x = function(x)
        return x

    compiled = ag.compile(applied, fallback="error")
    np.testing.assert_allclose(compiled(X), applied(X))
    functions[0] = np.exp
    np.testing.assert_allclose(compiled(X), applied(X))


def test_objects_in_a_partial():
    held = Plain(2)
    scaled = functools.partial(lambda o, x: x * o.a, held)
    compiled = ag.compile(lambda x: scaled(x), fallback="error")
    for value in (2, 5):
        held.a = value
        np.testing.assert_array_equal(compiled(X), X * value)


def test_methods_of_collections_written_in_python():
    def counted(x, counter):
        counter.update("ab")
        counter["a"] += 1
        return counter["a"], counter.most_common(1), sum(counter.values())

    compiled, first, second = ag.compile(counted, fallback="error"), collections.Counter(), collections.Counter()
    for _ in range(2):
        assert compiled(X, first) == counted(X, second)
    assert first == second


def test_objects_that_threads_and_queues_are_given():
    def worked(x, o):
        thread = threading.Thread(target=increment, args=(o,))
        thread.start()
        thread.join()
        q = queue.Queue()
        q.put(o)
        return o.a, q.get() is o

    compiled, o = ag.compile(worked, fallback="error"), Plain(1)
    assert [compiled(X, o), compiled(X, o), o.a] == [(2, True), (3, True), 3]


class Holding:
    def __init__(self, k: int) -> None:
        self.k = k

    def shifted(self, x: int = 1) -> int:
        return self.k + x


def test_a_method_that_leaves_belongs_to_the_object_of_the_call() -> None:
    def methods(holding: Any) -> Any:
        return holding.shifted, functools.partial(holding.shifted, 3)

    def keep(holding: Any) -> None:
        holding.by_name = {"shifted": holding.shifted}

    compiled, keeping = ag.compile(methods, fallback="error"), ag.compile(keep, fallback="error")
    for k in (1, 5, 7):
        holding = Holding(k)
        method, partial = compiled(holding)
        keeping(holding)
        assert method.__self__ is partial.func.__self__ is holding.by_name["shifted"].__self__ is holding
        assert (method(), partial()) == (k + 1, k + 3)
