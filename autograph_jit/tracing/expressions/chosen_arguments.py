"""Functions of Python's and NumPy's that are given one of several instances: a call for each, in a branch."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.identity import owner_of
from autograph_jit.tracing.structures.choices import Chosen, is_mixed
from autograph_jit.tracing.values.choice_types import members_of

TAKING_CHOICES = {isinstance, type, getattr, setattr, hasattr, delattr, callable, super}
LOOKING_UP = {"get", "index", "count"}
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_one_of_instances(x: Any) -> bool:
    """Whether a value is one of several instances, or classes."""
    return isinstance(x, Chosen) and not any(isinstance(option, FUNCTIONS) for option in x.alternatives)


def is_member(x: Any) -> bool:
    """Whether a value is one of the members of an enumeration."""
    return isinstance(x, Chosen) and members_of(x.alternatives[0]) is not None


def choice_among(fn: Any, args: tuple[Any, ...]) -> Chosen | None:
    """The first argument, where it is one of several instances and the function asks something of it; or any that is a member of an
    enumeration."""
    owner = owner_of(fn)
    if isinstance(owner, (list, tuple, dict)) and getattr(owner, "dynamic", None) is None and fn.__name__ in LOOKING_UP:
        return next(filter(is_member, args), None)
    if fn is range or isinstance(fn, (types.BuiltinFunctionType, np.ufunc)):
        args = tuple(arg for arg in args if is_member(arg) or is_mixed(arg)) or args
    if not args or not is_one_of_instances(args[0]) or not isinstance(fn, (type, types.BuiltinFunctionType, np.ufunc)):
        return None
    is_kept = isinstance(fn, type) and issubclass(fn, BaseException) or not isinstance(owner, (types.ModuleType, types.NoneType))
    return None if is_kept or fn in TAKING_CHOICES else args[0]
