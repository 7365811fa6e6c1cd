"""Peeks at what a getter finds in the arguments of a call for which no guard has told yet that asking them runs no code of the user's."""

from __future__ import annotations

import inspect
from types import FunctionType, MemberDescriptorType
from typing import Any

from autograph_jit.tracing.structures.getters import Applied, Args, Attribute, Entry, Getter

ASKED = ("__iter__", "__len__", "__getitem__", "keys")
READ_ERRORS = (AttributeError, LookupError, NameError, TypeError, ValueError)  # of getters that find another kind of argument
ABSENT = object()


class Unseen(LookupError):
    """A user's code would have to run, or an iterator go on, to tell what a getter finds."""


def peek(getter: Getter, args: Args) -> Any:
    """What a getter finds; Unseen, or the error of a getter, where these arguments have no such part that can be read without effect."""
    if isinstance(getter, Entry):
        return entry_of(peek(getter.owner, args), getter.key)
    if isinstance(getter, Attribute):
        return attribute_of(peek(getter.owner, args), getter.name)
    if isinstance(getter, Applied):
        found = [peek(operand, args) for operand in getter.operands]
        if any(map(acts, found)):
            raise Unseen
        return getter.function(*found)
    return getter(args)


def acts(x: Any) -> bool:
    """Whether going through an object, or asking it for items, runs a user's code or changes it."""
    kind = type(x)
    if is_tensor_class(kind):
        return False
    return hasattr(kind, "__next__") or any(isinstance(getattr(kind, name, None), FunctionType) for name in ASKED)


def is_tensor_class(kind: type) -> bool:
    """Whether a class is this package's, whose methods only read: a Tensor or Variable."""
    return kind.__module__.startswith("autograph_jit.tensor.")


def entry_of(owner: Any, key: Any) -> Any:
    """An item that is there; a dict that makes those that it has not is not asked to."""
    if acts(owner):
        raise Unseen
    if not isinstance(owner, dict):
        return owner[key]
    found = dict.get(owner, key, ABSENT)
    if found is ABSENT:
        raise KeyError(key)
    return found


def attribute_of(owner: Any, name: str) -> Any:
    """An attribute that no code of a class computes."""
    kind = type(owner)
    if is_tensor_class(kind):
        return getattr(owner, name)
    found = inspect.getattr_static(owner, name)
    asks = isinstance(found, property) or isinstance(getattr(type(found), "__get__", None), FunctionType)
    may_be_empty = isinstance(found, MemberDescriptorType) and hasattr(kind, "__getattr__")
    if asks or may_be_empty or isinstance(kind.__getattribute__, FunctionType):
        raise Unseen
    return getattr(owner, name)
