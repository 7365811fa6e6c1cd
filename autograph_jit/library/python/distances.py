"""Distances of points and closeness of numbers: `math.dist`, `math.isclose`."""

from __future__ import annotations

import math
from typing import Any

from autograph_jit.library.python.math_functions import FLOAT, float_value, hosted, hypotenuse, is_staged, number
from autograph_jit.tracing.expressions.register import builtin, convert_on_call, for_c
from autograph_jit.tracing.hosting.host_calls import host_bool
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import emit

by_python = hosted(math.dist, FLOAT)
TOLERANCES = {"rel_tol": 1e-09, "abs_tol": 0.0}


@builtin(math.dist)
def distance(p: Any, q: Any, /) -> Any:
    """`math.dist(p, q)` of two tuples; of others by Python."""
    if type(p) is not tuple or type(q) is not tuple or not is_staged(p, q):
        return by_python(p, q)
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    parts = [emit("subtract", *(float_value(number(x)) for x in pair)).result for pair in zip(p, q)]
    return hypotenuse(*(scalar(part, True) for part in parts))


@builtin(math.isclose)
def is_close(a: Any, b: Any, **options: Any) -> Any:
    """`math.isclose(a, b)` of numbers of the run and known tolerances; of others by Python."""
    chosen = {**TOLERANCES, **options}
    are_known = chosen.keys() == TOLERANCES.keys() and all(type(x) in (int, float) and x >= 0 for x in chosen.values())
    if not is_staged(a, b) and not contains_staged(options):
        return math.isclose(a, b, **options)
    if not are_known or not (is_real(a) and is_real(b)):
        return host_bool(lambda a, b: math.isclose(a, b, **options), a, b, label="math.isclose")
    numbers = (scalar(float_value(number(x)), True) for x in (a, b))
    return language.call(are_close, (*numbers, float(chosen["rel_tol"]), float(chosen["abs_tol"])), None)


def is_real(x: Any) -> bool:
    """Whether a value is an int or float, of the run or known."""
    if isinstance(x, StagedScalar):
        return x.scalar_dtype.kind in "biuf"
    return type(x) in (bool, int, float)


def are_close(a: float, b: float, relative: float, absolute: float) -> bool:
    """Whether numbers differ by no more than a share of the greater one, or than `absolute`; as CPython computes it."""
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    difference = abs(b - a)
    return difference <= abs(relative * b) or difference <= abs(relative * a) or difference <= absolute


builtin(are_close)(for_c(convert_on_call(are_close)))
