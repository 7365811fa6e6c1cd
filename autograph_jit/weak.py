"""Tables that do not keep their keys, or their values, alive, and at whose death no line of Python runs.

Python's own run Python code then, in the middle of whatever is under way. Ctrl-C that arrives in it is printed as ignored, and lost.
Here the death of a key is noted by a function in C, and what the table has of it goes at the next use.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class WeakKeys(Generic[Key, Value]):
    """Values by keys, which are compared as in a dict. A value must not hold its key, nor what has to go with the key."""

    def __init__(self) -> None:
        self.values: dict[weakref.ref[Key], Value] = {}
        self.dead: deque[weakref.ref[Key]] = deque()

    def bury(self) -> None:
        """Let go of what died since the last use."""
        while self.dead:
            try:
                reference = self.dead.popleft()
            except IndexError:  # another thread took the last one
                return
            self.values.pop(reference, None)

    def get(self, key: Key) -> Value | None:
        """The value of a key; None where there is none."""
        return self.values.get(weakref.ref(key))

    def __setitem__(self, key: Key, value: Value) -> None:
        self.bury()
        self.values[weakref.ref(key, self.dead.append)] = value

    def setdefault(self, key: Key, value: Value) -> Value:
        """The value of a key, this one where there is none: the same for all threads that ask."""
        self.bury()
        return self.values.setdefault(weakref.ref(key, self.dead.append), value)

    def discard(self, key: Key) -> None:
        """Forget a key, if it is there."""
        self.values.pop(weakref.ref(key), None)

    def __bool__(self) -> bool:
        self.bury()
        return bool(self.values)

    def __iter__(self) -> Iterator[Key]:
        """The keys that are alive."""
        found = [reference() for reference in tuple(self.values)]
        return iter([key for key in found if key is not None])


class WeakValues(Generic[Key, Value]):
    """Values that others keep alive, by keys, which live as long as their values."""

    def __init__(self) -> None:
        self.references: dict[Key, weakref.ref[Value]] = {}
        self.dead: deque[weakref.ref[Value]] = deque()

    def get(self, key: Key) -> Value | None:
        """The value of a key; None where there is none, or none any more."""
        found = self.references.get(key)
        return found() if found is not None else None

    def __setitem__(self, key: Key, value: Value) -> None:
        if self.dead:
            self.dead.clear()
            for other, reference in tuple(self.references.items()):
                if reference() is None:
                    self.references.pop(other, None)
        self.references[key] = weakref.ref(value, self.dead.append)
