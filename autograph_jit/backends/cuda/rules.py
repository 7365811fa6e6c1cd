"""The table of rules: how a run carries out an operation of arrays, by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph_jit.backends.cuda.run import Run
from autograph_jit.ir.graph import Operation

Rule = Callable[[Run, Operation], tuple[Any, ...]]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the rule of operations of these names."""

    def register(function: Rule) -> Rule:
        RULES.update((name, function) for name in names)
        return function

    return register
