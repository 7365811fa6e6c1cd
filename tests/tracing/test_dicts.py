"""Python dicts in compiled code: of known keys, and kept at run time where the data decides."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import autograph_jit as ag
from tests.tracing.agreement import assert_agrees


def test_known_keys_hold_values_of_the_run() -> None:
    def f(x: Any) -> Any:
        state = {"count": 0, "total": 0.0}
        for value in x:
            state["count"] += 1
            state["total"] += value
        return state

    assert_agrees(f, np.arange(11.0), np.zeros(0))


def test_keys_are_data() -> None:
    def f(x: Any) -> Any:
        counts = {}
        for value in x:
            k = int(value)
            counts[k] = counts.get(k, 0) + 1
        return counts

    assert_agrees(f, np.array([3.0, 1, 3, 2, 1, 3, 3, 3, 3, 3]))


def test_fromkeys_makes_a_dict_of_the_program() -> None:
    def f(keys: Any, x: Any) -> Any:
        totals, shared = dict.fromkeys(keys, 0.0), dict.fromkeys(keys, [])
        for i in range(len(x)):
            totals[keys[i % len(keys)]] += x[i]
            shared[keys[i % len(keys)]].append(i)
        return totals, shared, list(dict.fromkeys(keys)), dict.fromkeys("aba")

    assert_agrees(f, (["n", "e", "n", "w"], np.arange(6.0)), ([3, 1, 3], np.arange(2.0)))
    compiled = ag.compile(f, fallback="error")
    compiled(["n", "e"], np.arange(6.0))
    assert "host calls    none" in compiled.explain(["n", "e"], np.arange(6.0))


def test_missing_key_raises_with_the_key() -> None:
    def f(n: int) -> Any:
        table = {1: 10, 2: 20}
        return table[n]

    assert_agrees(f, 1, 3)


def test_dict_argument_is_changed_in_place() -> None:
    def f(state: dict, n: int) -> None:
        state["x"] = state["x"] * n
        state["new"] = n

    assert_agrees(f, ({"x": np.ones(2)}, 3), ({"x": np.ones(2)}, 4))


def test_items_keep_their_order() -> None:
    def f(state: dict) -> Any:
        total = 0.0
        names = []
        for name, value in state.items():
            total = total * 2 + value
            names.append(name)
        return total, names

    assert_agrees(f, {"b": 1.0, "a": 2.0})


def test_defaultdict_makes_missing_entries() -> None:
    def f(x: Any) -> Any:
        groups = defaultdict(list)
        for i in range(len(x)):
            groups[int(x[i]) % 3].append(i)
        return {k: list(v) for k, v in groups.items()}

    assert_agrees(f, np.arange(10.0))


def test_key_added_in_an_untaken_branch_is_not_there() -> None:
    def f(n: int) -> Any:
        state = {"a": 1}
        if n > 0:
            state["b"] = n
        return "b" in state, len(state), state

    assert_agrees(f, 1, -1)


def test_pop_update_and_setdefault() -> None:
    def f(n: int) -> Any:
        state = {"a": n, "b": 2}
        first = state.pop("a")
        state.update(c=first + 1)
        state.setdefault("d", n)
        return first, state

    assert_agrees(f, 4)


def test_dict_comprehension() -> None:
    def f(x: Any) -> Any:
        return {i: v * 2 for i, v in enumerate(x)}

    assert_agrees(f, np.arange(3.0), np.arange(12.0))


def paired(names: list[str], values: list[int]) -> Any:
    made, numbered, table = dict(zip(names, values), z=4), dict(enumerate(names)), {}
    chosen = dict([(name, value) for name, value in zip(names, values) if value % 2])
    for k in range(len(values)):
        table = dict(zip((k % 5, k % 7), (values[k], k)))
    return made, numbered, list(chosen.items()), table, sum(made.get(name, 0) for name in names)


def test_a_dict_of_pairs_of_the_run_is_made_without_a_call_of_python() -> None:
    names, values = ["a", "bb", "a", "ccc", "x"] * 4, list(range(20))
    compiled = ag.compile(paired, fallback="error")
    for given in ((names, values), (["q"], [7]), (names[:3], values[:2])):
        assert compiled(*given) == paired(*given)
    assert "host calls" not in str(compiled.explain(names, values)).replace("host calls    none", "")


def test_what_is_no_pair_is_pythons_error() -> None:
    def f(n: int) -> Any:
        return dict([(n, 1), (n + 1, 2, 3)])

    with pytest.raises(ValueError, match="element #1 has length 3; 2 is required"):
        ag.compile(f, fallback="error")(3)
