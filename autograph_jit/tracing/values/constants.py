"""Whether constants may stand for each other where paths meet."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.undefined import Undefined


def same_constant(x: Any, y: Any) -> bool:
    """Whether two constants may stand for each other."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, Undefined):
        return True
    if isinstance(x, float):
        return x == y and np.signbit(x) == np.signbit(y) or (x != x and y != y)
    if isinstance(x, FunctionType):
        return same_definition(x, y)
    if isinstance(x, slice):
        return all(map(same_constant, (x.start, x.stop, x.step), (y.start, y.stop, y.step)))
    return isinstance(x, (int, str, bytes, complex, bool, range, np.generic, type)) and bool(x == y)


def same_definition(x: FunctionType, y: FunctionType) -> bool:
    """Whether two functions do the same: one definition, run twice, with the same variables around it."""
    if x.__code__ is not y.__code__ or x.__globals__ is not y.__globals__ or vars(x) or vars(y):
        return False
    defaults = [(*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()) for f in (x, y)]
    cells = [f.__closure__ or () for f in (x, y)]
    return all(a is b for a, b in zip(*cells)) and len(defaults[0]) == len(defaults[1]) and all(map(same_constant, *defaults))
