"""Classes that stand for the lists, dicts and tuples whose items may be such again: these are rows of tables, as instances are.

Before: `tree = ["+", 1, ["*", 2, 3]]`, whose type would have its own inside
After:  an item is a number, a text or a row of the table of `NestedList`, whose one column holds lists of such items
"""

from __future__ import annotations

from typing import Any, ClassVar

from autograph_jit.tracing.values.trace import current


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
    """A tuple, of which nothing tells which one it is."""

    made = tuple


def is_nested(kind: type) -> bool:
    """Whether a class stands for lists, dicts or tuples."""
    return issubclass(kind, Nested)


def class_of_row(x: Any) -> type:
    """The class of the row that a list, dict or tuple becomes."""
    return NestedDict if isinstance(x, dict) else NestedList if isinstance(x, list) else NestedTuple


def may_nest() -> bool:
    """Whether a trace is under way in which lists, dicts and tuples may be rows."""
    trace = current()
    if trace is None or trace.differentiation.directions:
        return False
    return not any(decision[0] == "apart" and is_nested(decision[1]) for decision in trace.decisions)
