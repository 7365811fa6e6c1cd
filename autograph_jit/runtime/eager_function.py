"""A function that runs as plain Python, for debugging."""

from __future__ import annotations

from typing import Any

from autograph_jit.runtime.dispatch import CompiledFunction
from autograph_jit.runtime.settings import eager
from autograph_jit.tracing.values.trace import current


class EagerFunction(CompiledFunction):
    """What `ag.compile(eager=True)` returns: calls run as plain Python, and so does what they call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current() is not None:
            return self.run_plain(args, kwargs)
        with eager():
            return self.function(*args, **kwargs)
