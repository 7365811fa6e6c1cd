"""The descriptions of what a variable may hold: a constant, a number, an array, an object, nothing, a container, a list, a choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.tracing.values.abstract import Undefined


@dataclass(frozen=True)
class Constant:
    """A Python object known while tracing; `parts` describes what a container held where a path left it."""

    value: Any
    parts: Any = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and same_constant(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True)
class Scalar:
    """A number. kinds: the (dtype, weak) alternatives of its type, several where the path decides; a tag then says which. exact: a
    float holds its integers without rounding."""

    kinds: tuple[tuple[np.dtype, bool], ...]
    size: Size | None = None
    bits: int = 64
    exact: bool = True

    @property
    def has_whole(self) -> bool:
        """Whether integers among the alternatives need a value of their own: the common dtype would round them."""
        return not self.exact and len(self.kinds) > 1 and self.dtype.kind in "fc" and any(dtype.kind in "iu" for dtype, _ in self.kinds)

    @property
    def dtype(self) -> np.dtype:
        return np.result_type(*(dtype for dtype, _ in self.kinds))


@dataclass(frozen=True)
class Array:
    """An array of a dtype and rank; a size that differs between the sides is a label of its own."""

    dtype: np.dtype
    dims: tuple[Size, ...]
    writeable: bool = True


@dataclass(frozen=True)
class Opaque:
    """A Python object that only the run knows."""

    python_type: type | None = None


@dataclass(frozen=True)
class Optional:
    """`content`, or `absent` (None or Undefined)."""

    content: Any
    absent: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Optional) and self.content == other.content and type(self.absent) is type(other.absent)

    def __hash__(self) -> int:
        return hash(self.content)


@dataclass(frozen=True)
class Container:
    """A tuple, list or dict of a fixed structure. make(items) builds it; key tells structures apart; `like` is one of those described."""

    key: tuple[Any, ...]
    items: tuple[Any, ...]
    make: Callable[[list[Any]], Any]
    like: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Container) and self.key == other.key and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class NativeItems:
    """A list of compiled code, by reference: items of one kind. `like` is one of those described."""

    kind: tuple[Any, ...]
    like: Any = field(compare=False, repr=False)


@dataclass(frozen=True)
class Choice:
    """One of several functions or objects."""

    alternatives: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and list(map(id, self.alternatives)) == list(map(id, other.alternatives))

    def __hash__(self) -> int:
        return len(self.alternatives)


Description = Constant | Scalar | Array | Opaque | Optional | Container | NativeItems | Choice


def same_constant(x: Any, y: Any) -> bool:
    """Whether two constants may stand for each other."""
    if x is y:
        return True
    if type(x) is not type(y):
        return False
    if isinstance(x, Undefined):
        return True
    if isinstance(x, float):
        return x == y and np.signbit(x) == np.signbit(y) or (x != x and y != y)
    if isinstance(x, FunctionType):
        return same_definition(x, y)
    return isinstance(x, (int, str, bytes, complex, bool, range, slice, np.generic, type)) and bool(x == y)


def same_definition(x: FunctionType, y: FunctionType) -> bool:
    """Whether two functions do the same: one definition, run twice, with the same variables around it."""
    if x.__code__ is not y.__code__ or x.__globals__ is not y.__globals__ or vars(x) or vars(y):
        return False
    defaults = [(*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()) for f in (x, y)]
    cells = [f.__closure__ or () for f in (x, y)]
    return all(a is b for a, b in zip(*cells)) and len(defaults[0]) == len(defaults[1]) and all(map(same_constant, *defaults))
