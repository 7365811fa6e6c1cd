"""The gradient function of what has derivatives of its own here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.records import dataclass


@dataclass(frozen=True, slots=True)
class Pullback:
    """What a cotangent gives for each of the arrays."""

    by_each: tuple[Callable[[Any], Any], ...]

    def __call__(self, ct: Any) -> tuple[Any, ...]:
        return tuple(rule(ct) for rule in self.by_each)
