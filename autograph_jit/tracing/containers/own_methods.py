"""Calls of what stands for Python's builtins and for methods of its containers: arguments that do not fit are refused in Python's words."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.trace import active, in_c

CONTAINERS = (list, dict, set, deque)


@acts_for_program
def call_own_method(fn: Callable[..., Any], owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`fn(*args, **kwargs)` of a container; where the call itself fails, Python's method of that name is asked for its TypeError."""
    try:
        return fn(*args, **kwargs)
    except TypeError as error:
        kind = next((kind for kind in CONTAINERS if isinstance(owner, kind)), None)
        if kind is not None and never_entered(error) and hasattr(kind, fn.__name__):
            getattr(kind(), fn.__name__)(*args, **kwargs)
        raise


@acts_for_program
def call_rule(rule: Callable[..., Any], fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`rule(*args, **kwargs)`, which stands for a builtin; where the call itself fails, the builtin is asked for its TypeError."""
    try:
        calls, share = active().calls, getattr(rule, "for_c", None)
        if share is not None and share.is_scan and calls.for_c is None:
            calls.entered += 1  # which Python calls as it calls a function of the user's
        with in_c(share or calls.for_c):
            return rule(*args, **kwargs)
    except TypeError as error:
        if never_entered(error):
            fn(*args, **kwargs)
        raise


def never_entered(error: TypeError) -> bool:
    """Whether the arguments of the call that failed here did not fit the function: none of its own lines ran."""
    return error.__traceback__ is not None and error.__traceback__.tb_next is None
