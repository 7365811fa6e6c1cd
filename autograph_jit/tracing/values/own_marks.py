"""Attributes by which stand-ins are known: a user's class may have some of the same name, as `opened`, which mean nothing here."""

from __future__ import annotations

from typing import Any


def is_of_package(kind: Any) -> bool:
    """Whether a class is one of this package's, under whatever name it shows itself, or derived from one."""
    return any(base.__module__.startswith("autograph_jit.") for base in kind.__mro__)


def is_marked(x: Any, name: str) -> bool:
    """Whether the class of a value is one of this package's, and has this attribute."""
    kind = type(x)
    return hasattr(kind, name) and is_of_package(kind)
