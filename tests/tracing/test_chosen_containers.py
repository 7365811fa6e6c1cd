"""A container that the data chooses is written: what is read under its own name afterwards is what was written."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import autograph_jit as ag

LIST_READS = {
    "truth": lambda a, x: 1 if a else 0,
    "not": lambda a, x: not a,
    "reversed": lambda a, x: list(reversed(a)),
    "pop": lambda a, x: a.pop(),
    "copy": lambda a, x: copy.copy(a),
    "deepcopy": lambda a, x: copy.deepcopy(a),
    "identity": lambda a, x: a is x,
}
DICT_READS = {
    "length": lambda a, x: len(a),
    "truth of a view": lambda a, x: 1 if {v: 1 for v in range(int(a[1]))}.items() else 0,
    "pop": lambda a, x: a.pop(1, None),
    "identity": lambda a, x: a is x,
}


@pytest.mark.parametrize("name", LIST_READS)
def test_chosen_list_is_read_as_it_was_written(name: str) -> None:
    read = LIST_READS[name]

    def f(k: float) -> Any:
        a: list[float] = []
        b: list[float] = []
        x = a if k > 0.5 else b
        x.append(k)
        return read(a, x)

    assert ag.compile(f, fallback="error")(0.7) == f(0.7)


@pytest.mark.parametrize("name", DICT_READS)
def test_chosen_dict_is_read_as_it_was_written(name: str) -> None:
    read = DICT_READS[name]

    def f(k: float) -> Any:
        a: dict[int, float] = {}
        b: dict[int, float] = {}
        x = a if k > 0.5 else b
        x[1] = k
        return read(a, x)

    assert ag.compile(f, fallback="error")(0.7) == f(0.7)
