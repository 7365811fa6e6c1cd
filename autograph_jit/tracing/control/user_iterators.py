"""What goes through an object of a user's class: by its own `__iter__` and `__next__`, or by number."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.aliasing.references import expect_no_choice
from autograph_jit.tracing.control.generators import StagedGenerator
from autograph_jit.tracing.objects.descriptors import method_in_python
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.values.abstract import OfTheRun
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active


class SequenceIterator:
    """What `iter` gives for an object that has items by number only: its methods are converted like a user's."""

    def __init__(self, items: Any) -> None:
        self.items = items
        self.position = 0
        self.ended = False

    def __iter__(self) -> SequenceIterator:
        return self

    def __next__(self) -> Any:
        if self.ended:
            raise StopIteration
        try:
            item = self.items[self.position]
        except (IndexError, StopIteration):
            self.ended = True
            raise StopIteration from None
        self.position += 1
        return item


def user_method(x: Any, name: str) -> FunctionType | None:
    """A method that the class of `x` defines in Python, outside of libraries."""
    if isinstance(x, (OfTheRun, StagedGenerator)):
        return None
    if isinstance(x, (Cursor, SequenceIterator)):
        return getattr(type(x), name, None)
    return method_in_python(x, name)


def is_read_by_number(x: Any) -> bool:
    """Whether the class of `x` says in Python what its items are, but not how to go through them."""
    return user_method(x, "__getitem__") is not None and not hasattr(type(x), "__iter__")


def iterator_of(x: Any) -> Any:
    """`iter(x)` where the class of `x` says in Python what that is, otherwise `x` itself."""
    expect_no_choice(x)
    if is_read_by_number(x):
        return note_created(active(), SequenceIterator(x))
    method = user_method(x, "__iter__")
    return x if method is None else language.call(method, (x,), None)


def is_user_iterator(x: Any) -> bool:
    return user_method(x, "__next__") is not None
