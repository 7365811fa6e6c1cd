"""Direct calls: what is compiled for a call is reused for like calls only, and gives what Python gives."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime.direct import is_written_out
from tests.tables import table

SCALE = 3


def settle(function, *args, **kwargs):
    """A compiled function that has written its direct call for these arguments."""
    compiled = ag.compile(function, fallback="error")
    for _ in range(3):
        compiled(*args, **kwargs)
    assert sum(map(len, compiled.direct_calls.values())) == 1
    return compiled


def add(x, y):
    return x + y


def shift(x, y):
    x[1:] = y[:-1]
    x[0] = 9.0
    return x is y


def put(x, value):
    x[0] = value


def halves(x, k=2.0):
    return x / k, [x, SCALE], None


def lookup(table, key):
    return table[key][0] * table["scale"]


def is_large(n):
    return n + 1


@pytest.mark.parametrize(
    "y", [np.arange(5, dtype=np.float32), np.arange(5), np.ones((5, 1)), np.ones(1), np.arange(10.0)[::2], 2.0, np.float32(3)]
)
def test_other_dtypes_ranks_sizes_and_layouts_are_not_taken_for_the_first(y):
    compiled = settle(add, np.arange(5.0), np.ones(5))
    for _ in range(3):
        got, want = compiled(np.arange(5.0), y), np.arange(5.0) + y
        assert got.dtype == want.dtype and np.array_equal(got, want)


def test_same_array_twice_is_a_program_of_its_own():
    compiled = settle(shift, np.arange(5.0), np.arange(5.0))
    for _ in range(3):
        x = np.arange(5.0)
        assert compiled(x, x) is True
        assert x.tolist() == [9.0, 0.0, 1.0, 2.0, 3.0]


def test_overlapping_arguments_are_executed_in_numpy_order():
    compiled = settle(shift, np.arange(5.0), np.arange(5.0))
    for _ in range(3):
        mine, numpys = np.arange(6.0), np.arange(6.0)
        assert compiled(mine[1:], mine[:-1]) is False
        shift(numpys[1:], numpys[:-1])
        assert np.array_equal(mine, numpys)


def test_read_only_array_is_not_written():
    compiled = settle(put, np.zeros(3), 1.0)
    x = np.zeros(3)
    x.flags.writeable = False
    for _ in range(3):
        with pytest.raises(ValueError, match="read-only"):
            compiled(x, 1.0)
    assert x.tolist() == [0.0, 0.0, 0.0]


def test_keywords_and_defaults_are_calls_of_their_own():
    x = np.arange(4.0)
    compiled = settle(halves, x)
    for kwargs in ({}, {"k": 4.0}, {"k": 5.0}, {}):
        half, (same, scale), nothing = compiled(x, **kwargs)
        assert np.array_equal(half, x / kwargs.get("k", 2.0))
        assert same is x and scale == SCALE and nothing is None
    with pytest.raises(TypeError):
        compiled(x, 1.0, 2.0)


def test_changed_global_is_seen(monkeypatch):
    x = np.arange(4.0)
    compiled = settle(halves, x)
    monkeypatch.setitem(globals(), "SCALE", 7)
    assert compiled(x)[1][1] == 7


def test_container_arguments_are_checked_inside():
    compiled = settle(lookup, {"a": (np.ones(3),), "scale": 2.0}, "a")
    assert compiled({"a": (np.ones(3) * 5,), "scale": 3.0}, "a").tolist() == [15.0] * 3
    assert compiled({"scale": 3.0, "b": (np.ones(3, int),)}, "b").tolist() == [3.0] * 3
    with pytest.raises(KeyError):
        compiled({"b": (np.ones(3),), "scale": 1.0}, "a")


@pytest.mark.parametrize("n", [2**62 - 1, 2**62, 2**63 - 1, 2**70, -(2**63), True])
def test_large_ints_stay_exact(n):
    compiled = settle(is_large, 3)
    for _ in range(3):
        got = compiled(n)
        assert got == n + 1 and type(got) is int


def test_eager_mode_is_seen_by_settled_functions():
    compiled = settle(add, np.ones(3), np.ones(3))
    calls = compiled.specializations[0].calls
    with ag.eager():
        assert compiled(np.ones(3), np.ones(3)).tolist() == [2.0] * 3
    assert compiled.specializations[0].calls == calls


def test_exception_of_a_direct_call_names_the_line_of_the_user():
    def third(x):
        return x[3]

    compiled = ag.compile(third, fallback="error")
    assert [compiled(np.arange(20.0)) for _ in range(3)] == [3.0] * 3
    compiled = settle(lambda x, i: x[i], np.arange(20.0), 3)
    with pytest.raises(IndexError) as caught:
        compiled(np.arange(20.0), 30)
    assert caught.traceback[-1].path.name == "test_direct.py"


def test_a_number_whose_type_the_path_decides_leaves_a_direct_call_with_it():
    def largest(x):
        best = 0.0
        for i in range(len(x)):
            if x[i] > best:
                best = x[i]
        return best, 1 if best == 0.0 else best

    compiled = settle(largest, np.array([1.0, 2.0]))
    for numbers in ([3.0, 4.0], [-1.0, -2.0], [0.5, -0.5]):
        got, want = compiled(np.array(numbers)), largest(np.array(numbers))
        assert [(type(number), number) for number in got] == [(type(number), number) for number in want]


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Slotted:
    __slots__ = ("__weakref__", "a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class Half(Slotted):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.c = a


class Covered:
    def __init__(self, a):
        self.__dict__["a"] = a

    @property
    def a(self):
        raise AttributeError("the property of the same name")


def told(x):
    """A structure in words: classes, numbers and which parts are one instance."""
    if isinstance(x, list | tuple):
        made = [part for part in x if isinstance(part, Pair)]
        return type(x), [told(part) for part in x], [[one is other for other in made] for one in made]
    if isinstance(x, dict):
        return type(x), list(x), told(list(x.values()))
    slots = {name: getattr(x, name) for name in ("a", "b") if hasattr(type(x), name) and not isinstance(getattr(type(x), name), property)}
    return (type(x), told(slots | getattr(x, "__dict__", {}))) if hasattr(x, "a") or isinstance(x, Covered) else (type(x), x)


@table(
    "function",
    [
        lambda x, y: [x, [y + 1.0], []],
        lambda x, y: {"a": x, 2: (y, {"b": x * y}), None: {}},
        lambda x, y: Pair(x + 1.0, [y, Pair(x, "text")]),
        lambda x, y: [Slotted(x, y), Half(x, y), Covered(y)],
        lambda x, y: (lambda pair: (pair, pair, [pair]))(Pair(x, y)),  # one object, which code is not written for
        lambda x, y: {"first": x} if x > y else {"second": y},
        lambda x, y: (y, x, [y]),
    ],
)
def test_structures_that_written_code_makes_are_pythons(function):
    compiled = settle(function, 1.0, 2.0)
    for x, y in ((1.0, 2.0), (3.0, 1.5)):
        assert told(compiled(x, y)) == told(function(x, y))
    first, second = compiled(1.0, 2.0), compiled(1.0, 2.0)
    assert first is not second


def tuples_and_letters(x, y):
    pairs, letters, mixed, named = [], [], [], []
    for k in range(int(x)):
        pairs.append((k, y * k))
        letters.append("añ日"[k % 3])
        mixed.append((letters[k], k if k % 2 else None, (k > 1, 2.5)))
        named.append(k if k % 3 else y)
    return pairs, letters, tuple(pairs), mixed, named, tuple(mixed[1:])


def test_lists_of_tuples_leave_by_written_code():
    compiled = settle(tuples_and_letters, 7.0, 0.5)
    for x in (7.0, 0.0, 5.0):
        got, want = compiled(x, 0.5), tuples_and_letters(x, 0.5)
        assert got == want and repr(got) == repr(want)
        assert got[0] is not compiled(x, 0.5)[0]
    (specialization,) = compiled.specializations
    assert is_written_out(specialization.program)


def test_arguments_that_leave_are_the_callers_objects():
    def handed(pair, other=None):
        return pair, [other, pair]

    compiled, pair, other = ag.compile(handed, fallback="error"), Pair(1.0, 2.0), Pair(3.0, 4.0)
    for _ in range(4):
        first, (second, third) = compiled(pair, other=other)
        assert first is pair and second is other and third is pair


def search(items, x):
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if x < items[middle] else (middle + 1, high)
    return low


def search_and_note(items, x, n):
    i = 0
    while items[i] < x:
        if items[i] == n:
            items[i] = -1.0
        i += 1
    return i


def exchange(items, others, n):
    for i in range(n):
        items, others = others, items
        items[i] = 0.0
    return items[n]


def reach(items, x, n):
    total = 0.0
    for i in range(n):
        total += items[i] / x[i]
    return total


@table(
    "function, arguments, is_written",
    [
        (search, ([1.0, 2.0, 4.0], 3.0), False),
        (search, ([1, 2, 4], 0), False),
        (reach, ([1.0, 2.0, 3.0], np.ones(3), 2), False),
        (reach, ([1.0, 2.0, 3.0], np.ones(3), 3), False),
        (search_and_note, ([1.0, 2.0, 9.0], 3.0, 2.0), True),
        (search_and_note, ([1.0, 2.0, 3.0], 7.0, 2.0), True),  # fails after it has changed the list
        (exchange, ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 2), True),
    ],
)
def test_lists_that_are_only_read_are_not_written_back(function, arguments, is_written):
    def outcome(f):
        args = copy.deepcopy(arguments)
        kept = [list(map(id, x)) for x in args if isinstance(x, list)]
        try:
            result = f(*args)
        except IndexError as error:
            result = str(error)
        return result, args, kept == [list(map(id, x)) for x in args if isinstance(x, list)]

    compiled, (want, left, _) = ag.compile(function, fallback="error"), outcome(function)
    for _ in range(3):
        got, found, is_same = outcome(compiled)
        assert got == want and str(found) == str(left) and (is_written or is_same)
    assert is_written or not compiled.specializations[0].program.write_back


def test_many_arrays_have_a_direct_call_that_sees_one_of_another_size_or_twice():
    def total(arrays):
        return sum((np.sum(array) for array in arrays), 0.0)

    arrays = [np.arange(5.0) + k for k in range(40)]
    compiled = settle(total, arrays)
    assert compiled(arrays) == total(arrays)
    for place in (0, 39):
        for other in (np.ones(7), np.ones(5, np.float32), arrays[20]):
            changed = [*arrays[:place], other, *arrays[place + 1 :]]
            assert np.isclose(compiled(changed), total(changed), rtol=1e-12)
