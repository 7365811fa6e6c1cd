"""What was derived from a function is kept with it: a transform of the same function, asked for again, is compiled already."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph_jit.autodiff.transform import Traced
from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.runtime.gradients import Derived
from autograph_jit.runtime.settings import settings
from autograph_jit.syntax.loader import DERIVATIVES
from autograph_jit.tracing.values.trace import current

# What keeps attributes of its own that no program reads; the attributes of a user's object are the user's.
KEEPERS = (FunctionType, Derived, CompiledFunction, Traced)


class Derivatives:
    """What was derived from `function`, by how; it lives as long as the function, and a copy of the function starts with nothing."""

    __slots__ = ("function", "parts", "found")

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        self.function, self.parts = function, parts_of(function)
        self.found: dict[Any, Any] = {}

    def belong_to(self, function: Callable[..., Any]) -> bool:
        """Whether they are this function's, and it is still made of what it was made of."""
        return self.function is function and all(now is before for now, before in zip(parts_of(function), self.parts))

    def __reduce__(self) -> tuple[Any, ...]:
        return Derivatives, ()


def parts_of(function: Any) -> tuple[Any, ...]:
    """What may be replaced in a function: its code and its defaults."""
    return tuple(getattr(function, name, None) for name in ("__code__", "__defaults__", "__kwdefaults__"))


def derivatives_of(function: Callable[..., Any]) -> Derivatives:
    """Those kept with a function; wrappers take over the attributes of what they wrap, and these are not theirs."""
    kept = function.__dict__.get(DERIVATIVES)
    if kept is None or not kept.belong_to(function):
        kept = function.__dict__[DERIVATIVES] = Derivatives(function)
    return kept


def derive(kind: Callable[..., Any], function: Callable[..., Any], *options: Any) -> Any:
    """`kind(function, *options)`: the one made before, unless settings have changed or it has been compiled as often as one may be."""
    if current() is not None or not isinstance(function, KEEPERS):
        return kind(function, *options)
    key = (kind, options, tuple(map(type, options)), settings.backend, settings.saved_bytes)
    try:
        made = derivatives_of(function).found.get(key)
    except TypeError:  # options that have no hash
        return kind(function, *options)
    if made is None or len(getattr(getattr(made, "compiled", made), "specializations", ())) >= settings.max_programs:
        made = derivatives_of(function).found[key] = kind(function, *options)
    return made
