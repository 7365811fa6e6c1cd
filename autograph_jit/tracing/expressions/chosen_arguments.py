"""Functions of Python's and NumPy's that are given one of several instances: a call for each, in a branch."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.identity import owner_of
from autograph_jit.tracing.structures.choices import Chosen

TAKING_CHOICES = {isinstance, type, getattr, setattr, hasattr, delattr, callable, super}
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_one_of_instances(x: Any) -> bool:
    """Whether a value is one of several instances, or classes."""
    return isinstance(x, Chosen) and not any(isinstance(option, FUNCTIONS) for option in x.alternatives)


def choice_among(fn: Any, args: tuple[Any, ...]) -> Chosen | None:
    """The first argument, where it is one of several instances and the function asks something of it."""
    if not args or not is_one_of_instances(args[0]) or not isinstance(fn, (type, types.BuiltinFunctionType, np.ufunc)):
        return None
    is_kept = isinstance(fn, type) and issubclass(fn, BaseException) or not isinstance(owner_of(fn), (types.ModuleType, types.NoneType))
    return None if is_kept or fn in TAKING_CHOICES else args[0]
