"""When a compiled function compiles: dtypes, ranks, sizes, constants, layouts, aliases, threads, the cap."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.runtime import dispatch


def compiled(function: Any, **options: Any) -> Any:
    return ag.compile(function, fallback="error", **options)


def double(x: Any) -> Any:
    return x + x


def test_a_new_value_does_not_compile_again() -> None:
    f = compiled(lambda x, n, s: x * n + s)
    for n in (1, 20, -3):
        assert f(np.full(50, 2.0), n, n / 2).tolist() == [2.0 * n + n / 2] * 50
    assert len(f.specializations) == 1


@pytest.mark.parametrize(
    "other", [np.ones(3, np.float32), np.ones(3, int), np.ones((3, 3)), np.ones((3, 3, 3)), 2.0, 2, 2j, np.float32(2), np.int64(2)]
)
def test_another_dtype_or_rank_compiles_again_and_gives_its_own_type(other: Any) -> None:
    f = compiled(double)
    f(np.ones(3))
    found, expected = f(other), other + other
    assert len(f.specializations) == 2
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)
    f(np.ones(3)), f(other)
    assert len(f.specializations) == 2


def test_small_sizes_are_specialised_and_generalised_at_the_second_value() -> None:
    f = compiled(double)
    for size, programs in ((3, 1), (3, 1), (4, 2), (5, 2), (100, 2), (8, 2), (3, 2)):
        np.testing.assert_array_equal(f(np.ones(size)), np.full(size, 2.0))
        assert len(f.specializations) == programs


def test_each_axis_is_generalised_by_itself() -> None:
    f = compiled(double)
    for shape, programs in (((20, 3), 1), ((30, 3), 1), ((30, 4), 2), ((2, 7), 2)):
        assert f(np.ones(shape)).shape == shape
        assert len(f.specializations) == programs


def test_sizes_0_and_1_keep_programs_of_their_own() -> None:
    f = compiled(lambda x, y: (x + y, x.sum()))
    for size in (0, 1, 5, 6):
        total, count = f(np.ones(size), np.ones(size))
        assert total.shape == (size,) and count == size
    with pytest.raises(ValueError, match="could not be broadcast together"):
        f(np.ones(5), np.ones(6))
    assert f(np.ones(5), np.ones(1))[0].shape == (5,)


def test_the_same_argument_twice_is_one_array() -> None:
    def write_first(x: Any, y: Any) -> Any:
        x[0] = 5.0
        return y[0]

    f = compiled(write_first)
    array = np.zeros(10)
    assert f(array, np.zeros(10)) == 0.0
    assert f(array, array) == 5.0
    assert f(np.zeros(10), np.zeros(10)) == 0.0


def test_overlapping_arguments_see_each_others_writes() -> None:
    def shift(x: Any, y: Any) -> None:
        for i in range(len(x)):
            x[i] = y[i] + 1.0

    f = compiled(shift)
    for start in (0, 1):
        found, expected = np.arange(20.0), np.arange(20.0)
        f(found[1:], found[:-1]) if start else f(found[:-1], found[1:])
        shift(expected[1:], expected[:-1]) if start else shift(expected[:-1], expected[1:])
        np.testing.assert_array_equal(found, expected)
    assert len(f.specializations) == 1


@pytest.mark.parametrize("view", [np.s_[::2], np.s_[::-1], np.s_[5:15]])
def test_strided_arguments_need_no_copy(view: Any) -> None:
    def add_one(x: Any) -> Any:
        x += 1.0
        return x.sum()

    f = compiled(add_one)
    found, expected = np.arange(20.0), np.arange(20.0)
    f(np.ones(40))
    assert f(found[view]) == add_one(expected[view])
    np.testing.assert_array_equal(found, expected)
    assert len(f.specializations) == 1


@pytest.mark.parametrize(("first", "second"), [(True, False), ("a", "b"), (None, 1), (double, abs), ((1.0,), (1.0, 2.0))])
def test_a_constant_compiles_again(first: Any, second: Any) -> None:
    f = compiled(lambda x, how: (x, how))
    for how in (first, second, first):
        assert f(np.ones(3), how)[1] == how
    assert len(f.specializations) == 2


def test_static_arguments_are_constants() -> None:
    def power(x: Any, n: int, m: int = 1) -> Any:
        table = {1: x, 2: x * x, 3: x * x * x}
        return table[n] * m

    f = compiled(power, static_argnames=("n",))
    x = np.full(10, 2.0)
    assert [f(x, n)[0] for n in (1, 2, 3, 2)] == [2.0, 4.0, 8.0, 4.0]
    assert len(f.specializations) == 3
    assert f(x, n=2, m=5)[0] == 20.0
    g = compiled(power, static_argnames="n")
    assert g(x, n=3)[0] == 8.0 and g(x, n=3, m=7)[0] == 56.0


def test_keyword_and_default_arguments() -> None:
    def mix(a: Any, b: Any = 10.0, *rest: Any, c: Any = 2.0, **others: Any) -> Any:
        return a + b * c + sum(rest) + others.get("d", 0.0)

    f = compiled(mix)
    for args, kwargs in [
        ((1.0,), {}),
        ((1.0, 2.0), {}),
        ((1.0,), {"b": 2.0}),
        ((1.0, 2.0, 3.0, 4.0), {"c": 1.5, "d": 8.0}),
        ((), {"a": 3.0}),
    ]:
        assert f(*args, **kwargs) == mix(*args, **kwargs)


def test_wrong_arguments_raise_pythons_error() -> None:
    f = compiled(double)
    with pytest.raises(TypeError, match=r"double\(\) missing 1 required positional argument: 'x'"):
        f()
    with pytest.raises(TypeError, match=r"double\(\) got an unexpected keyword argument 'z'"):
        f(1.0, z=2)


def test_threads_that_call_at_once_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compilations = []
    original = dispatch.compile_program

    def counting(*args: Any) -> Any:
        compilations.append(threading.get_ident())
        return original(*args)

    monkeypatch.setattr(dispatch, "compile_program", counting)
    f = compiled(lambda x: (x * 2.0).sum())
    barrier, results = threading.Barrier(8), []

    def call(index: int) -> None:
        barrier.wait()
        results.append((index, float(f(np.full(100, float(index))))))

    threads = [threading.Thread(target=call, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(index, 200.0 * index) for index in range(8)]
    assert len(f.specializations) == 1 and len(compilations) == 1


def test_compilations_are_capped_with_a_warning_that_says_what_changed() -> None:
    f = ag.compile(lambda x, name: x + 2.0 * (name > "aa"))
    with ag.config(max_programs=3):
        for index in range(3):
            f(np.ones(3), "a" * index)
        with pytest.warns(UserWarning, match=r"was compiled 3 times and this call needs another: .* name == 'aa': found 'aaaa'"):
            assert f(np.ones(3), "aaaa")[0] == 3.0
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert f(np.ones(3), "aaaaa")[0] == 3.0 and f(np.full(3, 2.0), "a")[0] == 2.0
    assert len(f.specializations) == 3


def test_the_cap_is_an_error_where_fallbacks_are() -> None:
    sizes = {"a": 1, "bb": 2}
    f = compiled(lambda name: sizes[name])
    with ag.config(max_programs=1):
        assert f("a") == 1
        for _ in range(2):
            with pytest.raises(ag.ConversionError, match=r"expects name == 'a': found 'bb'"):
                f("bb")
        assert f("a") == 1


def test_interpreter_backend_gives_the_same() -> None:
    f = compiled(lambda x: (x * 2.0, x.max()))
    with ag.config(backend="interpreter"):
        doubled, largest = f(np.arange(5.0))
    assert doubled.tolist() == [0.0, 2.0, 4.0, 6.0, 8.0] and largest == 4.0


def test_one_array_for_two_parameters_is_not_taken_for_two() -> None:
    def shift(x: Any, y: Any) -> None:
        for i in range(1, len(x)):
            x[i] = y[i - 1] + 1.0

    f = compiled(shift)
    f(np.zeros(1000), np.zeros(1000))
    array = np.zeros(1000)
    f(array, array)
    assert array.tolist() == list(range(1000))
