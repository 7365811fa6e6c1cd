"""Descriptions join to the least that covers both; what they compose is what they decomposed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autograph_jit.tracing.joining.descriptions import Constant, Opaque, Optional, describe, join
from autograph_jit.tracing.values.abstract import Undefined
from autograph_jit.tracing.values.types import STORED_TEXT, OneOf, number
from tests.tracing.agreement import assert_agrees


@pytest.mark.parametrize("value", [None, True, "text", 3, 2.5, (1, "a")])
def test_join_of_equal_descriptions_is_the_same(value: Any) -> None:
    assert join(describe(value), describe(value)) == describe(value)


def test_none_and_a_number_join_to_an_optional_number() -> None:
    joined = join(Constant(None), describe(2.0))
    assert isinstance(joined, Optional) and joined.absent is None


def test_undefined_and_a_number_join_to_a_value_that_may_be_unbound() -> None:
    joined = join(Constant(Undefined("x")), describe(2.0))
    assert isinstance(joined, Optional) and isinstance(joined.absent, Undefined)


def test_join_is_symmetric_for_numbers_of_different_types() -> None:
    assert {kind for kind, _ in join(describe(1), describe(2.0)).kinds} == {kind for kind, _ in join(describe(2.0), describe(1)).kinds}


def test_unrelated_objects_join_to_an_opaque_object() -> None:
    assert isinstance(join(describe(range(2)), describe(1.0)), Opaque)


def test_a_number_and_a_text_join_to_one_of_both() -> None:
    assert join(describe("a"), describe(1.0)) == join(describe(1.0), describe("a")) == OneOf((number(float, True), STORED_TEXT))


def test_equal_strings_stay_one_and_different_ones_are_chosen_at_run_time() -> None:
    def f(n: int) -> Any:
        same = "a" if n > 0 else "a"
        other = "plus" if n > 0 else "minus"
        return same, other

    assert_agrees(f, 1, -1)


def test_functions_are_chosen_at_run_time() -> None:
    def f(x: Any) -> Any:
        g = np.sin if x[0] > 0 else np.cos
        return g(x)

    assert_agrees(f, np.array([1.0]), np.array([-1.0]))


def test_tuples_of_equal_length_join_item_by_item() -> None:
    def f(n: int) -> Any:
        pair = (n, "a") if n > 0 else (n * 2.0, "b")
        return pair

    assert_agrees(f, 1, -1)


def test_tuples_of_different_lengths_meet() -> None:
    def f(n: int) -> Any:
        return (n, n) if n > 0 else (n,)

    assert_agrees(f, 1, -1)
