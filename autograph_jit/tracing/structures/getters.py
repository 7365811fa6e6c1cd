"""Getters: how an input of a trace is found again in the arguments of a later call, as records that code can be generated from."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import MemberDescriptorType
from typing import Any

from autograph_jit.records import dataclass

Args = tuple[Any, ...]
Getter = Callable[[Args], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Positional:
    """A positional argument."""

    index: int

    def __call__(self, args: Args) -> Any:
        return args[self.index]


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A keyword argument: keyword arguments are a dict behind the positional ones."""

    key: str

    def __call__(self, args: Args) -> Any:
        return args[-1][self.key]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """An entry of a container."""

    owner: Getter
    key: Any

    def __call__(self, args: Args) -> Any:
        return self.owner(args)[self.key]


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """An attribute of an object."""

    owner: Getter
    name: str

    def __call__(self, args: Args) -> Any:
        return getattr(self.owner(args), self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """An object that the trace found, whatever the arguments."""

    found: Any

    def __call__(self, args: Args) -> Any:
        return self.found


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A global or closure variable, read by a function without arguments."""

    read: Callable[[], Any]

    def __call__(self, args: Args) -> Any:
        return self.read()


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """What a function makes of what getters find."""

    function: Callable[..., Any]
    operands: tuple[Getter, ...]

    def __call__(self, args: Args) -> Any:
        return self.function(*[getter(args) for getter in self.operands])


@dataclass(frozen=True, slots=True, eq=False)
class MissingVariable:
    """Whether a global or closure variable is still not there."""

    read: Callable[[], Any]

    def __call__(self, args: Args) -> Any:
        try:
            self.read()
        except NameError:
            return True
        return False


@dataclass(frozen=True, slots=True, eq=False)
class MissingAttribute:
    """Whether an object has no attribute of a name, nor its class; no code of the class is asked."""

    owner: Getter
    name: str

    def __call__(self, args: Args) -> Any:
        owner = self.owner(args)
        found = inspect.getattr_static(owner, self.name, self)
        return not hasattr(owner, self.name) if isinstance(found, MemberDescriptorType) else found is self  # a slot may be empty
