"""A compiled function with arguments given beforehand: the instance of a method, the arguments of a partial."""

from __future__ import annotations

import functools
from typing import Any


class BoundFunction(functools.partial):
    """Calls, shows and explains a compiled function with its first arguments filled in."""

    @property
    def compiled(self) -> Any:
        """The compiled function itself."""
        return self.func

    def __getattr__(self, name: str) -> Any:
        if name == "__self__":
            return self.args[0]
        return getattr(self.func, name)

    def source(self) -> str:
        """The transformed source."""
        return self.compiled.source()

    def graph(self, *args: Any, **kwargs: Any) -> str:
        """The graph for these arguments, printed."""
        return self.compiled.graph(*self.args, *args, **{**self.keywords, **kwargs})

    def kernels(self, *args: Any, **kwargs: Any) -> str:
        """The loop nests for these arguments, printed."""
        return self.compiled.kernels(*self.args, *args, **{**self.keywords, **kwargs})

    def explain(self, *args: Any, **kwargs: Any) -> str:
        """What was compiled, when and why."""
        if not args and not kwargs:
            return self.compiled.explain()
        return self.compiled.explain(*self.args, *args, **{**self.keywords, **kwargs})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundFunction) or self.func is not other.func or self.keywords != other.keywords:
            return False
        return len(self.args) == len(other.args) and all(x is y for x, y in zip(self.args, other.args))

    def __hash__(self) -> int:
        return hash((self.func, *map(id, self.args)))

    def __repr__(self) -> str:
        return f"<bound {self.func!r}>"
