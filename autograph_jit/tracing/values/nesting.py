"""Classes that stand for the lists, dicts and tuples whose items may be such again: these are rows of tables, as instances are.

Before: `tree = ["+", 1, ["*", 2, 3]]`, whose type would have its own inside
After:  an item is a number, a text or a row of the table of `NestedList`, whose one column holds lists of such items
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from autograph_jit.tracing.values.trace import current

BY_LENGTHS = ("tuples", "by their lengths")  # the decision


class Nested:
    """Base of these classes."""

    __hash__: ClassVar[None] = None  # type: ignore[assignment]
    made: ClassVar[type]  # what Python has of them

    def __eq__(self, other: object) -> bool:  # they are compared by what they hold
        return NotImplemented


class NestedList(Nested):
    """A list."""

    made = list


class NestedDict(Nested):
    """A dict."""

    made = dict


class NestedTuple(Nested):
    """A tuple, of which nothing tells which one it is: those of each length have a class of their own."""

    made = tuple
    length: ClassVar[int]


@cache
def tuples_of(length: int) -> type:
    """The class of the tuples of a length."""
    return type(f"NestedTuple{length}", (NestedTuple,), {"length": length})


def order_of(kind: type) -> tuple[str, int]:
    """Where a class stands among these."""
    return kind.made.__name__, getattr(kind, "length", 0)  # type: ignore[attr-defined]


def is_nested(kind: type) -> bool:
    """Whether a class stands for lists, dicts or tuples."""
    return issubclass(kind, Nested)


def class_of_row(x: Any) -> type:
    """The class of the row that a list, dict or tuple becomes."""
    return NestedDict if isinstance(x, dict) else NestedList if isinstance(x, list) else tuples_of(len(x))


def by_lengths() -> bool:
    """Whether tuples of several lengths in one place are rows of a table each, as the trace has found that they have to be."""
    trace = current()
    return trace is not None and BY_LENGTHS in trace.decisions


def may_nest() -> bool:
    """Whether a trace is under way in which lists, dicts and tuples may be rows."""
    trace = current()
    if trace is None or trace.differentiation.directions:
        return False
    return not any(decision[0] == "apart" and is_nested(decision[1]) for decision in trace.decisions)
