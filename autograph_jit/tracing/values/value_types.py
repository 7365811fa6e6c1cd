"""What all types of values have, and the type of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from autograph_jit.ir.dims import Size
from autograph_jit.ir.types import I64, ScalarType, Type
from autograph_jit.records import dataclass

MAX_NUMBER_TYPES = 3
INT = np.dtype(np.int64)
NumberType = tuple[np.dtype, bool]
Join = Callable[["ValueType", "ValueType"], "ValueType"]


class ValueType:
    """A type. parts: the types of the graph values that carry a value. is_flat: a number, text or reference, or a tuple of these, whose
    parts lie in lists of their own; is_item: a list of compiled code can hold it; is_native: one of its items, or that of a table or deque
    of compiled code. number: of a number that is always of one type, its dtype and whether it is Python's; dtype_alone: the dtype where
    that is one."""

    __slots__ = ()
    is_flat: ClassVar[Any] = False
    number: ClassVar[Any] = None
    dtype_alone: ClassVar[Any] = None
    names: ClassVar[tuple[str, ...]] = ()  # of the types inside

    @property
    def inner(self) -> tuple[ValueType, ...]:
        return tuple(found for name in self.names if (found := getattr(self, name)) is not None)

    def of(self, inner: Iterable[ValueType]) -> Any:
        """The same with other types inside."""
        return replace(self, **dict(zip(self.names, inner)))  # type: ignore[type-var]

    @property
    def shape(self) -> Any:
        """What two types of a class have in common that are joined by the types inside."""
        return None

    @property
    def is_item(self) -> bool:
        return bool(self.is_flat)

    @property
    def is_native(self) -> bool:
        return self.is_item

    @property
    def parts(self) -> tuple[Type, ...]:
        return tuple(part for each in self.inner for part in each.parts)

    @property
    def classes(self) -> list[type]:
        """The classes of the instances that rows of tables stand for."""
        return [kind for each in self.inner for kind in each.classes]

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        """The least type that covers this one and another, whose inner types `join` joins; None where the classes of both know of none."""
        is_alike = type(other) is type(self) and other.shape == self.shape and bool(self.inner)
        return self.of(map(join, self.inner, other.inner)) if is_alike else None


@dataclass(frozen=True, slots=True)
class Scalar(ValueType):
    """A number. kinds: the (dtype, weak) alternatives of its type, several where the path decides; a tag then says which. exact: a
    float holds its integers without rounding."""

    kinds: tuple[NumberType, ...]
    size: Size | None = None
    bits: int = 64
    exact: bool = False

    @property
    def is_flat(self) -> bool:  # type: ignore[override]
        return 0 < len(self.kinds) <= MAX_NUMBER_TYPES

    @property
    def is_item(self) -> bool:
        return len(self.kinds) <= MAX_NUMBER_TYPES

    @property
    def has_whole(self) -> bool:
        """Whether integers among the alternatives need a value of their own: the common dtype would round them."""
        return not self.exact and len(self.kinds) > 1 and self.dtype.kind in "fc" and any(dtype.kind in "iu" for dtype, _ in self.kinds)

    @property
    def dtype(self) -> np.dtype:
        return np.result_type(*(dtype for dtype, _ in self.kinds)) if self.kinds else INT

    @property
    def parts(self) -> tuple[Type, ...]:
        return (ScalarType(self.dtype), *(I64,) * ((len(self.kinds) > 1) + self.has_whole))

    @property
    def number(self) -> NumberType | None:  # type: ignore[override]
        return self.kinds[0] if len(self.kinds) == 1 else None

    @property
    def dtype_alone(self) -> np.dtype | None:  # type: ignore[override]
        dtypes = {dtype for dtype, _ in self.kinds}
        return dtypes.pop() if len(dtypes) == 1 else None

    def covering(self, other: ValueType, join: Join) -> ValueType | None:
        if not isinstance(other, Scalar):
            return None
        kinds = tuple(sorted({*self.kinds, *other.kinds}, key=lambda kind: (kind[0].num, not kind[1])))
        size = self.size if self.size == other.size else None
        return Scalar(kinds, size, max(self.bits, other.bits), self.exact and other.exact)
