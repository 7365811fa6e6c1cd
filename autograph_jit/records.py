"""Records: `dataclass` with slots as the standard library's, except that the functions which look alike are written once.

The standard library compiles up to six functions for each class, which took two fifths of the import of this package; here a
record gets a constructor of its own, and shares the functions that compare, hash and show it. Type checkers see the standard
library's decorator, and it is they who keep `frozen` records frozen: nothing is looked at when the program runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type], type]:
        """A decorator that makes a class with slots of a class's annotations; `eq=False` compares by identity."""
        if not slots:
            raise TypeError("a record has slots; for other classes take the standard library's dataclass")
        return lambda cls: with_shared_methods(cls, frozen, eq)


def with_shared_methods(cls: type, frozen: bool, compares: bool) -> type:
    """The record class for `cls`; the methods that `cls` defines itself stay."""
    record: Any = dataclasses.dataclass(slots=True, eq=False, repr=False)(cls)
    methods: dict[str, Any] = {"__repr__": shown}
    if compares:
        methods |= comparison(tuple(field.name for field in dataclasses.fields(record) if field.compare), frozen)
    for name, method in methods.items():
        if cls.__dict__.get(name) is None:
            setattr(record, name, method)
    record.__is_frozen__ = frozen
    return record


def comparison(names: tuple[str, ...], frozen: bool) -> dict[str, Any]:
    """`__eq__` and `__hash__` over the fields of these names: those of the tuple of their values; only what is frozen has a hash."""
    get: Callable[[Any], Any] = attrgetter(*names) if names else lambda record: ()
    values = (lambda record: (get(record),)) if len(names) == 1 else get  # in a tuple: what is the same is equal, a nan too

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": hashed if frozen else None}


def shown(self: Any) -> str:
    """`Name(field=value, ...)`, as the standard library shows a dataclass."""
    fields = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{type(self).__qualname__}({', '.join(fields)})"
