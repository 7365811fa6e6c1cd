"""What a process constructs once, however many threads ask for it at the same time: native code, and what is known of the processor.

Of two threads that both miss a `functools.cache`, one has its result replaced by the other's: the code that it points to is freed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from llvmlite.binding import ffi
from numba.core.compiler_lock import global_compiler_lock

from autograph_jit.forks import hold_across_forks

T = TypeVar("T")


def once(construct: Callable[[], T]) -> Callable[[], T]:
    """The function, which runs at its first call and whose result is kept for the process; where it raises, the next call runs it again.

    The lock is numba's for compilations, which a thread may take several times: what is constructed compiles, and a compilation
    may be what asks for it, so that a lock of its own would be taken in both orders. It is free in the child of a fork.
    """
    made: list[T] = []

    @functools.wraps(construct)
    def constructed() -> T:
        if not made:
            with global_compiler_lock:
                if not made:
                    made.append(construct())
        return made[0]

    return constructed


hold_across_forks(ffi.lib._lock)  # llvmlite's own, which each call of it takes; there is no public name for it
hold_across_forks(global_compiler_lock)
