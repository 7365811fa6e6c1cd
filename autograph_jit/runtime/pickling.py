"""Pickles and copies of compiled functions: by reference, as those of functions are."""

from __future__ import annotations

import copyreg
import functools
import sys
from typing import Any


class Referenced:
    """A compiled function that is pickled by its module and name; where these lead to something else, as what it was made of. A copy is
    the function itself."""

    function: Any
    convert: Any
    options: dict[str, Any]
    initial: frozenset[Any]

    def __reduce__(self) -> str | tuple[Any, ...]:
        name = str(getattr(self, "__qualname__", ""))
        module: Any = sys.modules.get(getattr(self, "__module__", ""))
        found = functools.reduce(lambda x, part: getattr(x, part, None), name.split("."), module)
        if found is self:
            return name
        return copyreg.__newobj__, (type(self),), self.__getstate__()  # type: ignore[attr-defined]

    def __getstate__(self) -> tuple[Any, ...]:
        return self.function, self.convert, self.options, self.initial

    def __setstate__(self, made_of: tuple[Any, ...]) -> None:
        type(self).__init__(self, *made_of)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self
