"""Instances that a compiled function makes are made anew by every call, also where nothing in them depends on the run."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import autograph_jit as ag


class Tank:
    def __init__(self, level, scale=1.0):
        self.level, self.scale = level, scale


def alone(x):
    return Tank(2.0)


def in_a_tuple(x):
    return (Tank(2.0), x[0])[0]


def on_one_way(x):
    if x[0] > 0:
        return Tank(1.0)
    return Tank(2.0)


@pytest.mark.parametrize("function", [alone, in_a_tuple, on_one_way])
def test_every_call_makes_its_own_instance(function):
    compiled, x = ag.compile(function, fallback="error"), -np.ones(2)
    first = compiled(x)
    first.level = 99.0
    second = compiled(x)
    assert second is not first
    assert second.level == 2.0


def early(x):
    tank = Tank(2.0, 0.25)
    if x[0] > 0:
        return 4
    tank.scale *= 0.5
    return (tank,)


def test_instance_from_one_way_has_the_numbers_of_the_run():
    (tank,) = ag.compile(early, fallback="error")(-np.ones(2))
    assert type(tank.scale) is float and tank.scale == 0.125


def test_they_have_no_dictionary_of_their_own_until_someone_asks() -> None:
    """A dictionary that stands apart makes every later use of an attribute slower."""

    def made(x):
        return Tank(x, 2.0)

    tank = ag.compile(made, fallback="error")(1.5)
    assert not any(isinstance(part, dict) for part in gc.get_referents(tank)) and vars(tank) == {"level": 1.5, "scale": 2.0}
