"""Exceptions of this package that the user's program raises: they are the program's, and say nothing about how it is compiled."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph_jit as ag
from tests.tables import table


def in_a_branch(x):
    if x > 1.0:
        raise ag.SettingError("too large")
    return x


def caught(x):
    try:
        if x > 1.0:
            raise ag.ConversionError("too large")
        return x
    except ag.ConversionError as error:
        return -x if error.what == "too large" else 0.0


def caught_by_its_base(x):
    try:
        if x > 1.0:
            raise ag.ConversionError("too large")
    except Exception:
        return -x
    return x


def in_a_loop(x):
    total = 0.0
    for i in range(10):
        if total > 5.0:
            raise ag.NotDifferentiable(f"at {i}")
        total += x
    return total


def always(x):
    raise ag.DeviceError("none here")


def of_a_class(x):
    if x > 1.0:
        raise ag.ShapeError
    return x


def from_another(x):
    if x > 1.0:
        raise ag.ConversionError("too large") from ValueError("cause")
    return x


PROGRAMS = (in_a_branch, caught, caught_by_its_base, in_a_loop, always, of_a_class, from_another)


@table("program", PROGRAMS)
@table("fallback", ("warn", "error"))
def test_the_program_raises_what_python_raises(program, fallback):
    compiled = ag.compile(program, fallback=fallback)
    with warnings.catch_warnings(record=True, action="always") as told:
        for x in (0.25, 2.0, 0.25, 2.0):
            assert outcome(compiled, x) == outcome(program, x)
    assert all("slower than Python" in str(warning.message) for warning in told)
    assert fallback == "warn" or compiled.graph(0.25) is not None


def outcome(function, x):
    try:
        return function(x)
    except ag.AutographJitError as error:
        return type(error), str(error), str(error.__cause__), {name for name in vars(error)}


def test_a_refusal_of_the_compiler_is_not_taken_for_the_programs():
    def refused(x):
        try:
            x.shape = (2, 3)
        except Exception:
            return 0.0
        return x

    with pytest.raises(ag.ConversionError, match="`shape` of an array cannot be set"):
        ag.compile(refused, fallback="error")(np.arange(6.0))
