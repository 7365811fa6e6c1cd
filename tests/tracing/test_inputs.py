"""Arguments and captured values: data, constants under guard, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees, conversion_error


def programs(compiled: Any) -> int:
    return len(compiled.specializations)


def test_new_numbers_do_not_compile_again() -> None:
    compiled = ag.compile(lambda n, x: n * x, fallback="error")
    assert [compiled(2, 1.5), compiled(3, 2.5), compiled(-7, 0.5)] == [3.0, 7.5, -3.5]
    assert programs(compiled) == 1


def test_number_of_another_type_compiles_again_and_keeps_its_type() -> None:
    compiled = ag.compile(lambda n: n * 2, fallback="error")
    assert [type(compiled(x)) for x in (2, 2.0, np.float32(2))] == [int, float, np.float32]
    assert programs(compiled) == 3


def test_one_program_serves_all_large_sizes() -> None:
    compiled = ag.compile(lambda x: x.sum(), fallback="error")
    assert [compiled(np.ones(n)) for n in (20, 30, 400)] == [20.0, 30.0, 400.0]
    assert programs(compiled) == 1


def test_small_size_is_generalised_when_a_second_one_is_seen() -> None:
    compiled = ag.compile(lambda x: x.sum(), fallback="error")
    assert [compiled(np.ones(n)) for n in (3, 4, 5, 6, 7)] == [3.0, 4.0, 5.0, 6.0, 7.0]
    assert programs(compiled) == 2


def test_bools_and_strings_are_constants() -> None:
    def f(x: Any, negate: bool, name: str) -> Any:
        return (-x if negate else x), name

    assert_agrees(f, (1.0, True, "a"), (1.0, False, "a"), (1.0, False, "b"))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64, np.float32, np.complex128])
def test_array_dtypes_are_kept(dtype: Any) -> None:
    assert_agrees(lambda x: (x, x[::2], x.T), np.ones((4, 3), dtype))


@pytest.mark.parametrize("layout", [lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::2], np.asfortranarray])
def test_any_layout_is_read_and_written_in_place(layout: Any) -> None:
    def f(x: Any) -> Any:
        x[0] += 1
        return x.sum(axis=0)

    assert_agrees(f, layout(np.arange(24.0).reshape(4, 6)))


def test_overlapping_arguments_see_each_others_writes() -> None:
    def f(a: Any, b: Any) -> Any:
        a[:] = b * 2
        return b

    compiled, base, expected = ag.compile(f, fallback="error"), np.arange(20.0), np.arange(20.0)
    compiled(base[1:], base[:-1])
    f(expected[1:], expected[:-1])
    assert base.tolist() == expected.tolist()


def test_read_only_argument_refuses_writes() -> None:
    def f(x: Any) -> None:
        x[0] = 1.0

    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ag.compile(f, fallback="error")(x)


def test_static_argument_is_a_constant() -> None:
    compiled = ag.compile(lambda x, n: x * n, static_argnames="n", fallback="error")
    assert [compiled(2.0, 3), compiled(2.0, 4)] == [6.0, 8.0]
    assert programs(compiled) == 2


def test_captured_array_of_an_unsupported_dtype_says_what_compiled_code_knows() -> None:
    halves = [np.zeros(3, np.float16)]

    def f(x: Any) -> Any:
        return x + halves[0]

    try:
        assert ag.compile(f, fallback="error")(np.ones(3)).dtype == np.float64
    except ag.ConversionError:
        error = conversion_error(f, np.ones(3))
        assert "float16" in error.what and error.remedy


def test_containers_that_hold_themselves_are_told_as_what_they_are() -> None:
    listed, named, held = [1.0], {"x": 2.0}, ([3.0],)
    listed.append(listed), named.update(itself=named), held[0].append(held)  # type: ignore[arg-type]

    def first(x: Any, key: Any) -> Any:
        return x[key]

    for x, key in ((listed, 0), (named, "x"), (held, 0)):
        with pytest.raises(ag.ConversionError, match="holds itself"):
            ag.compile(first, fallback="error")(x, key)
        with pytest.warns(UserWarning, match="holds itself"):
            assert ag.compile(first)(x, key) is x[key]  # type: ignore[index]

    def captured(x: Any) -> Any:
        return x + listed[0]

    assert ag.compile(captured, fallback="error")(1.0) == 2.0


def test_a_container_that_is_met_twice_is_taken_apart() -> None:
    inner = [1.0, 2.0]
    outer = {"a": inner, "b": (inner, inner)}

    def added(x: Any) -> Any:
        x["a"][0] = 5.0
        return x["b"][1][0] + x["b"][0][1]

    assert ag.compile(added, fallback="error")(outer) == 7.0 and inner == [5.0, 2.0]
