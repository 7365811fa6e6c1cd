"""The type of one of several functions, objects, or members of an enumeration."""

from __future__ import annotations

from enum import Enum, Flag
from typing import Any, ClassVar

from autograph_jit.ir.types import I64
from autograph_jit.records import dataclass
from autograph_jit.tracing.values.constants import same_constant
from autograph_jit.tracing.values.types import ValueType

MOST_MEMBERS = 32


@dataclass(frozen=True, slots=True)
class Choice(ValueType):
    """One of several functions or objects; of the members of an enumeration, an item of lists and attributes."""

    alternatives: tuple[Any, ...]
    parts: ClassVar[Any] = (I64,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and list(map(id, self.alternatives)) == list(map(id, other.alternatives))

    def __hash__(self) -> int:
        return len(self.alternatives)

    @property
    def is_flat(self) -> bool:  # type: ignore[override]
        return members_of(self.alternatives[0]) == self.alternatives

    @property
    def is_key(self) -> bool:
        """Whether dicts of compiled code have such keys: members that equal nothing but themselves. The order of a set is that of their
        names' hashes, which are others in each process."""
        kind: Any = type(self.alternatives[0])
        return self.is_flat and kind.__hash__ is Enum.__hash__ and kind.__eq__ is object.__eq__

    def place_of(self, x: Any) -> int:
        """Which of them a function or object is."""
        return next(index for index, option in enumerate(self.alternatives) if same_constant(option, x))


def members_of(x: Any) -> tuple[Any, ...] | None:
    """The members of the enumeration that a value is of; None for anything else, and for flags, which are more than their members."""
    if not isinstance(x, Enum) or isinstance(x, Flag) or len(type(x)) > MOST_MEMBERS:
        return None
    return tuple(type(x))
