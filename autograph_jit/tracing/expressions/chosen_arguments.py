"""Functions of Python's and NumPy's that are given one of several instances: a call for each, in a branch."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.identity import owner_of
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.choices import Chosen, is_mixed
from autograph_jit.tracing.values.abstract import may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.choice_types import members_of
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.own_marks import is_marked

TAKING_CHOICES = {isinstance, type, getattr, setattr, hasattr, delattr, callable, super}
OF_DATACLASSES: set[Any] = {dataclasses.asdict, dataclasses.astuple, dataclasses.fields, dataclasses.is_dataclass, dataclasses.replace}
LOOKING_UP = {"get", "index", "count"}
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_one_of_instances(x: Any) -> bool:
    """Whether a value is one of several instances, or classes."""
    return isinstance(x, Chosen) and not any(isinstance(option, FUNCTIONS) for option in x.alternatives)


def is_member(x: Any) -> bool:
    """Whether a value is one of the members of an enumeration."""
    return isinstance(x, Chosen) and members_of(x.alternatives[0]) is not None


def may_be_of_types(x: Any) -> bool:
    """Whether a value is a number or a text, as the data choose, or None."""
    return is_mixed(x) or may_be_none(x) and is_mixed(x.content)


def is_taken_by_cases(items: Any, key: Any, is_set: bool = False) -> bool:
    """Whether what stands under a key that is one of several values is looked for, or set, in a branch for each."""
    if not is_member(key):
        return may_be_of_types(key) and not (isinstance(items, dict) and (is_set or getattr(items, "is_native", False)))
    if not is_set or not isinstance(items, dict):
        return not (isinstance(items, dict) and getattr(items, "is_native", False))
    return all(dict.__contains__(items, option) for option in key.alternatives)


def choice_among(fn: Any, args: tuple[Any, ...]) -> Any:
    """The first argument, where it is one of several instances and the function asks something of it; or any that is a member of an
    enumeration."""
    owner = owner_of(fn)
    if isinstance(owner, (list, tuple, dict)) and getattr(owner, "dynamic", None) is None and fn.__name__ in LOOKING_UP:
        return next((arg for arg in args if is_member(arg) or may_be_of_types(arg)), None)
    if fn is range or isinstance(fn, (types.BuiltinFunctionType, np.ufunc)):
        args = tuple(arg for arg in args if is_member(arg) or is_mixed(arg)) or args
    is_asking = isinstance(fn, (type, types.BuiltinFunctionType, np.ufunc)) or isinstance(fn, types.FunctionType) and fn in OF_DATACLASSES
    if not args or not is_one_of_instances(args[0]) or not is_asking:
        return None
    is_kept = isinstance(fn, type) and issubclass(fn, BaseException) or not isinstance(owner, (types.ModuleType, types.NoneType))
    return None if is_kept or fn in TAKING_CHOICES else args[0]


def method_of_row(x: Chosen, name: str, look_up: Callable[[Any, str], Any]) -> Callable[..., Any] | None:
    """A method of a list or dict that is a row, if the value is that: the row is taken where the method is called. None where neither has
    such a method."""
    kinds = {getattr(type(option), "__rebuilt_type__", object) for option in x.alternatives if is_marked(option, "opened")}
    if not any(callable(getattr(kind, name, None)) for kind in kinds):
        return None
    distribute(x, lambda option: None if isinstance(option, Dynamic) and hasattr(option, name) else look_up(option, name))
    return lambda *args, **kwargs: distribute(x, lambda option: language.call(look_up(option, name), args, kwargs))
