"""The table of emission rules: one function for each operation that has a native form."""

from __future__ import annotations

from collections.abc import Callable

from autograph_jit.backends.cpu.emitter import Emitter
from autograph_jit.backends.cpu.values import Emitted
from autograph_jit.ir.graph import Operation

Rule = Callable[[Emitter, Operation], list[Emitted]]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register the emission rule of the named operations; it returns the values of the results."""

    def register(emit: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, emit))
        return emit

    return register
