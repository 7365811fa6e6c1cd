"""Copies of values: differentiation puts copies of what it traced into the program, and may copy these again, more than once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from autograph_jit.ir.graph import Value


class Clones:
    """The copies of each value; the last one is its name now."""

    def __init__(self) -> None:
        self.last: dict[Value, Value] = {}
        self.former: dict[Value, list[Value]] = {}

    def update(self, copies: Mapping[Value, Value]) -> None:
        for value, copy in copies.items():
            known = self.last.get(value, copy)
            if known is not copy:
                self.former.setdefault(value, []).append(known)
            self.last[value] = copy

    def add(self, copies: Mapping[Value, Value]) -> None:
        """Note copies of values that keep their names."""
        for value, copy in copies.items():
            self.former.setdefault(value, []).append(copy)

    def current(self, value: Value) -> Value:
        """A value under the name that it has now."""
        while self.last.get(value, value) is not value:
            value = self.last[value]
        return value

    def find(self, value: Value, accepts: Callable[[Value], bool]) -> Value | None:
        """The copy of a value, or of a copy of it, that is accepted."""
        return next((copy for copy in self.all_of(value) if accepts(copy)), None)

    def all_of(self, value: Value) -> Iterator[Value]:
        """A value and its copies, those made last first."""
        pending, seen = [value], {value}
        while pending:
            each = pending.pop()
            yield each
            copies = [*self.former.get(each, ()), *([self.last[each]] if each in self.last else [])]
            pending += [copy for copy in copies if copy not in seen]
            seen.update(copies)
