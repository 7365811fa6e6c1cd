"""What sizes and options must satisfy: the same error, with its numbers, in plain Python and in compiled code."""

from __future__ import annotations

from typing import Any

from autograph_jit.convolution.marking import as_it_stands
from autograph_jit.tracing.control.regions import Unreachable
from autograph_jit.tracing.hosting.exceptions import emit_raise
from autograph_jit.tracing.values.abstract import StagedScalar, check
from autograph_jit.tracing.values.lift import index_value
from autograph_jit.tracing.values.trace import current


@as_it_stands
def require(holds: Any, error: type[Exception], text: str, *numbers: Any) -> None:
    """Raise `error(text.format(*numbers))` unless the condition holds; where only the run can tell, the run does."""
    if isinstance(holds, StagedScalar):
        check(holds.value, error, text, *map(index_value, numbers))
    elif not holds:
        exception = error(text.format(*numbers))
        if current() is None:
            raise exception
        emit_raise(exception)
        raise Unreachable
