"""Functions that packages write in Python: a package's register entry chooses the form on abstract values, call by call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ChooseForm = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Callable[..., Any]]
PACKAGE_FORMS: dict[str, ChooseForm] = {}


def form_of_call(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What this call of a function runs: the form that its package has for it, or the function itself."""
    choose = PACKAGE_FORMS.get((fn.__module__ or "").partition(".")[0])
    return fn if choose is None else choose(fn, args, kwargs)
