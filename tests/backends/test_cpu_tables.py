"""Loops that look elements up by what they have read are left in scalars, and give what Python gives."""

from __future__ import annotations

import numpy as np
import pytest

import autograph_jit as ag
from autograph_jit.backends.cpu.control import loops


def looked_up(x, table):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = table[x[i]]
    return out


def twice(x, table):
    out = np.empty(len(x), dtype=np.uint8)
    for i in range(len(x)):
        out[i] = x[x[i] & 127]
    return out


def roots(x, table):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = np.sqrt(table[x[i]])
    return out


def in_order(x, table):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = 2.0 * table[i]
    return out


@pytest.mark.parametrize(("function", "in_scalars"), [(looked_up, True), (twice, True), (roots, False), (in_order, False)])
def test_elements_looked_up_by_elements(function, in_scalars, monkeypatch):
    wishes, plain = [], loops.advise
    monkeypatch.setattr(loops, "advise", lambda e, latch, **wish: (wishes.append(e.in_scalars), plain(e, latch, **wish))[1])
    compiled = ag.compile(function, fallback="error")
    x, table = np.arange(200, dtype=np.uint8)[::-1].copy(), np.arange(256.0)
    with ag.config(cache=False):
        np.testing.assert_array_equal(compiled(x, table), function(x, table))
    assert wishes and set(wishes) == {in_scalars}


def test_a_place_outside_the_table_is_an_error():
    compiled = ag.compile(looked_up, fallback="error")
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 9"):
        compiled(np.array([1, 9, 3] * 20, dtype=np.uint8), np.arange(9.0))
