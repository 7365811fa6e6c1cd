"""Results are rebuilt in the structure that they have in Python; what is one object stays one object."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.tracing.plain.undefined import OUT_OF_REACH, Undefined
from autograph_jit.tracing.structures.templates import Template
from tests.tracing.agreement import assert_agrees


@dataclass
class Result:
    value: Any
    notes: list[Any] = field(default_factory=list)


def test_every_kind_of_container_comes_back() -> None:
    def f(x: Any) -> Any:
        return [x, (x, x + 1), {"a": {1: x * 2}}, None, "text", True, Result(x, [1, x])]

    assert_agrees(f, 2.0, np.ones(2))


def test_subclasses_of_dict_come_back_as_themselves() -> None:
    def f(x: Any) -> Any:
        made = OrderedDict(a=x)
        made["b"] = x + 1
        groups = defaultdict(list)
        groups[1].append(x)
        return made, dict(groups)

    assert_agrees(f, 2.0)


def test_argument_that_is_returned_is_the_argument() -> None:
    compiled = ag.compile(lambda x, pair: (x, pair[0], pair), fallback="error")
    x, y = np.ones(12), np.zeros(12)
    pair = (y, 1)
    got = compiled(x, pair)
    assert got[0] is x and got[1] is y and got[2][0] is y


def test_view_of_an_argument_shares_its_memory() -> None:
    x = np.zeros(12)
    ag.compile(lambda x: x[2:5], fallback="error")(x)[0] = 7.0
    assert x[2] == 7.0


def test_list_that_appears_twice_is_one_list() -> None:
    def f(x: Any) -> Any:
        items = [x]
        return items, {"same": items}

    first, second = ag.compile(f, fallback="error")(1.0)
    assert first is second["same"]


def test_fresh_results_of_two_calls_are_different_arrays() -> None:
    compiled = ag.compile(lambda x: x + 1, fallback="error")
    x = np.zeros(12)
    first = compiled(x)
    compiled(x)[0] = 9.0
    assert first[0] == 1.0


def test_tuple_of_nothing_and_none() -> None:
    assert_agrees(lambda x: ((), None, [], {}), 1.0)


def test_value_kept_from_another_region_is_refused() -> None:
    with pytest.raises(ag.ConversionError, match="outside of the branch or loop"):
        Template().of([Undefined(OUT_OF_REACH)])


def test_function_that_captures_values_of_the_run_is_refused() -> None:
    def f(x: Any) -> Any:
        total = x.sum()
        return lambda v: v + total

    with pytest.raises(ag.ConversionError, match="leaves the traced program"):
        ag.compile(f, fallback="error")(np.ones(3))


class Link:
    """A node of a list."""

    def __init__(self, value):
        self.value, self.next = value, self


def test_what_refers_to_itself_leaves_compiled_code() -> None:
    def made(n):
        link, items, table = Link(n), [n], {"n": n}
        items.append(items)
        table["self"] = table
        return link, items, table

    link, items, table = ag.compile(made, fallback="error")(3)
    assert link.next is link and link.value == 3 and items[1] is items and items[0] == 3 and table["self"] is table
