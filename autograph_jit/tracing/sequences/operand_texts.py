"""Texts of Python's exceptions about stand-ins: asked for with values of the types that the stand-ins will have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar
from autograph_jit.tracing.values.own_marks import is_marked

PLAIN_CONTAINERS = (tuple, list, dict, set, frozenset)


def text_with_stand_ins(function: Callable[..., Any], *args: Any) -> str:
    """What Python says of a call with these arguments, values of the same types in the places of stand-ins."""
    return text_of(function, *map(like, args))


def like(x: Any) -> Any:
    """A value of the type that a stand-in will have; anything else as it is."""
    if isinstance(x, StagedScalar):
        return x.python_type(1)
    if isinstance(x, StagedArray):
        return np.ones((1,) * x.ndim, x.dtype)
    if isinstance(x, Dynamic):
        return x.__rebuilt_type__()  # type: ignore[attr-defined]
    if isinstance(x, StagedObject) and x.python_type in PLAIN_CONTAINERS:
        return x.python_type()
    if isinstance(x, list):
        return []
    if is_marked(x, "example"):
        return x.example()
    if is_marked(x, "kind_of_text"):
        return type(x).__rebuilt_type__()
    return x
