"""`Scope`: a value that holds while a function runs, for all that is called in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from autograph_jit.tracing.expressions import calls
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.values.trace import current


class Scope(threading.local):
    """A value that holds during a call, for what is called in it: how a library tells its functions something without an argument.

    It is that of the calling thread, also after an exception. In compiled code it is known while the program is made, and costs nothing.

    >>> training = Scope(False)
    >>> training.call(True, lambda x: (x, training.get()), 3)
    (3, True)
    >>> training.get()
    False
    """

    is_of_trace = False

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self) -> Any:
        """The value of the innermost call, that of the beginning outside of all."""
        outside = current() is not None and not self.is_of_trace
        return getattr_(self, "value") if outside else self.value

    def call(self, value: Any, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`, in which the value is another one."""
        around, was_of_trace = self.value, self.is_of_trace
        self.value, self.is_of_trace = value, current() is not None
        try:
            return calls.call(function, args, kwargs) if self.is_of_trace else function(*args, **kwargs)
        finally:
            self.value, self.is_of_trace = around, was_of_trace


calls.BUILTINS[Scope.get], calls.BUILTINS[Scope.call] = Scope.get, Scope.call
