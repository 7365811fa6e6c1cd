"""Direct calls: what is compiled for a call is reused for like calls only, and gives what Python gives."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag

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
