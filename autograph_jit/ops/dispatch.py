"""Binds an operation to operands: whoever interprets operations at the moment runs it, records it, or both.

Operands are NumPy values or boxes of them. Where an operand is a box, so is the result: its identity is what an interpreter that
records can keep.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from autograph_jit.ir.opdef import Effect, OpDef
from autograph_jit.ops import registry
from autograph_jit.ops.float_errors import FLOAT_ERRORS, IGNORED
from autograph_jit.weak import WeakKeys


class Boxed:
    """Base of what carries an ndarray through operations; a tape watches those that are `trainable` by itself."""

    __slots__ = ("array",)
    trainable = False

    def __init__(self, array: Any) -> None:
        self.array: np.ndarray = np.asarray(array)

    @classmethod
    def of(cls, result: Any) -> Any:
        """The box of a result; tuples item by item. A number, which nothing can change, is a read-only array of rank 0."""
        made = new(cls)
        if isinstance(result, ndarray):
            made.array = result
        elif isinstance(result, tuple):
            return tuple([cls.of(item) for item in result])
        else:
            made.array = array(result)
            made.array.setflags(write=False)
        return made


new, array, ndarray = object.__new__, np.array, np.ndarray


class Interpreter(Protocol):
    """Runs operations."""

    def bind(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The result of the operation, or a tuple of its results."""

    def record(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], result: Any) -> None:
        """Keep an operation that ran by its eager rule; it is pure."""


OBSERVERS: WeakKeys[Any, None] = WeakKeys()


def tell_of_write(array: Any) -> None:
    """Tell all observers that the memory of an array is about to be written."""
    if isinstance(array, np.ndarray):
        for observer in OBSERVERS:
            observer.before_write(array)


class EagerInterpreter:
    """Runs the eager rule at once."""

    def bind(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The eager rule's results, boxed where an operand is."""
        values = [operand.array if isinstance(operand, Boxed) else operand for operand in operands]
        token = FLOAT_ERRORS.set(IGNORED)
        try:
            result = op.eager(*values, **attributes)
        finally:
            FLOAT_ERRORS.reset(token)
        if op.name == "host_call":
            return result  # of any structure: who binds it knows where the arrays are
        for operand in operands:
            if isinstance(operand, Boxed):
                return operand.of(numbers_in(op, result))
        return result

    def record(self, op: OpDef, operands: tuple[Any, ...], attributes: dict[str, Any], result: Any) -> None:
        """Nothing is kept."""


GIVE_ARRAYS = ("cast", "copy", "reshape", "where")


def numbers_in(op: OpDef, result: Any) -> Any:
    """An operation's results, with NumPy scalars for arrays of rank 0 where NumPy has them."""
    if isinstance(result, tuple):
        return tuple(numbers_in(op, item) for item in result)
    if not isinstance(result, np.ndarray) or result.ndim or op.effect is Effect.VIEW or op.name in GIVE_ARRAYS:
        return result
    return result[()]


EAGER = EagerInterpreter()
current_interpreter: ContextVar[Interpreter] = ContextVar("current_interpreter", default=EAGER)


def is_recorded() -> bool:
    """Whether what happens to boxes is recorded, or must be told to those who have seen them."""
    return current_interpreter.get() is not EAGER or bool(OBSERVERS)


def expect_convertible(box: Boxed, becomes: str = "array") -> None:
    """An error where a box that is recorded becomes a plain array or number: what is done with that would not be recorded."""
    refuse = getattr(current_interpreter.get(), "refuse_conversion", None)
    if refuse is not None:
        refuse(box, becomes)


def is_followed(x: Any) -> bool:
    """Whether something is a box that is recorded."""
    follows = getattr(current_interpreter.get(), "follows", None)
    return isinstance(x, Boxed) and follows is not None and follows(x)


def would_be_recorded(box: Boxed) -> bool:
    """Whether what is done with a box now would be recorded."""
    records = getattr(current_interpreter.get(), "is_recorded", None)
    return records is not None and records(box)


def unboxed(x: Any) -> Any:
    """The ndarray of a box; anything else as it is."""
    return x.array if isinstance(x, Boxed) else x


def kept_boxed(convert: Any) -> Any:
    """A conversion to a number or an array that leaves a box as it is."""
    return lambda x: x if isinstance(x, Boxed) else convert(x)


def bind(op: str | OpDef, /, *operands: Any, **attributes: Any) -> Any:
    """Give an operation to the current interpreter.

    >>> bind("add", np.ones(2), np.ones(2))
    array([2., 2.])
    """
    definition = registry.get(op) if isinstance(op, str) else op
    if OBSERVERS and definition.effect is Effect.WRITE:
        tell_of_write(unboxed(operands[0]))
    return current_interpreter.get().bind(definition, operands, attributes)


@contextlib.contextmanager
def interpreting(interpreter: Interpreter) -> Iterator[Interpreter]:
    """Let `interpreter` run the operations that are bound inside the with statement, in this thread or task."""
    token = current_interpreter.set(interpreter)
    try:
        yield interpreter
    finally:
        current_interpreter.reset(token)
