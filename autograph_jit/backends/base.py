"""What every backend gives: something that can be called with the leaves of the arguments, and that can be looked into."""

from __future__ import annotations

from typing import Any, Protocol


class Executable(Protocol):
    """A compiled graph.

    Called with one leaf for each parameter: an ndarray of the parameter's dtype and rank, a number, an object or a list.
    Returns a tuple: ndarrays, NumPy scalars, objects, lists. An exception carries `__autograph_span__`, the user's place.
    """

    kernels: str  # the loop nests as text
    host_calls: tuple[str, ...]  # what calls back into Python
    compile_seconds: dict[str, float]  # by stage

    def __call__(self, *leaves: Any) -> tuple[Any, ...]: ...

    @property
    def llvm(self) -> str:
        """The optimised LLVM IR."""

    @property
    def assembly(self) -> str:
        """The machine code as text."""
