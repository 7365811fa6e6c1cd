"""Calls of methods of lists, dicts and sets that stand for Python's own: arguments that do not fit are refused in Python's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.staging.faults import acts_for_program

KINDS = (list, dict, set)


@acts_for_program
def call_own_method(fn: Callable[..., Any], owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`fn(*args, **kwargs)` of a container; where the call itself fails, Python's method of that name is asked for its TypeError."""
    try:
        return fn(*args, **kwargs)
    except TypeError as error:
        kind = next((kind for kind in KINDS if isinstance(owner, kind)), None)
        traceback = error.__traceback__
        if kind is not None and traceback is not None and traceback.tb_next is None and hasattr(kind, fn.__name__):
            getattr(kind(), fn.__name__)(*args, **kwargs)
        raise
