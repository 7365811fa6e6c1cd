"""Generators that are advanced somewhere else than where they are made, as instances of a class that stands for their function.

Before: `ids = counter(1)`, then `next(ids)` in a loop
After:  an instance with the place where the generator waits, and what its variables hold there; `next` is a call of the class's `step`
"""

from __future__ import annotations

from types import FunctionType, GeneratorType
from typing import Any, ClassVar

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, active, user_span

METHODS: set[FunctionType] = set()  # of generators that are kept: what goes through one runs the user's code
KEPT = "kept"  # the decision that the generators of a code are such instances
PLACE, VARIABLE, IS_BOUND = "place_of_frame", "variable_{}", "is_bound_{}"
LOOKED_AT = frozenset(name for name in dir(GeneratorType) if not name.startswith("__") and name != "send") | {"__name__", "__qualname__"}


class GeneratorRow:
    """Base of these classes."""

    __slots__ = ()
    __rebuilt_type__ = GeneratorType
    __class__ = property(lambda x: GeneratorType)  # type: ignore[assignment]
    step: ClassVar[FunctionType]
    parameters: ClassVar[tuple[str, ...]]
    kept: ClassVar[tuple[str, ...]]
    made_by: ClassVar[str]

    def __staged_object__(self) -> Any:
        raise cannot_leave(type(self))

    def __copy__(self, *memo: Any) -> Any:
        raise not_there("copy")

    __deepcopy__ = __copy__

    def __template__(self, template: Any) -> Any:
        """It cannot leave: Python would need its frame."""
        raise cannot_leave(type(self))


def generator_class(function: FunctionType, parts: tuple[Any, ...], methods: dict[str, Any]) -> type:
    """The class of the generators of a function, which is known by its parts."""
    step, parameters, kept = parts
    code = function.__code__
    METHODS.update(methods.values())
    entries = {
        **methods,
        **{name: property(looked_at(name)) for name in LOOKED_AT},
        "__slots__": (PLACE, *map(VARIABLE.format, kept)),
        "__module__": str(function.__module__),
        "__qualname__": f"{function.__qualname__} at line {code.co_firstlineno}",
        "step": staticmethod(step),
        "parameters": parameters,
        "kept": kept,
        "made_by": function.__name__,
    }
    return type("generator", (GeneratorRow,), entries)


def is_generator_row(kind: type) -> bool:
    """Whether a class stands for the generators of a function."""
    return issubclass(kind, GeneratorRow)


def expect_kept(x: Any) -> None:
    """A generator that is not kept comes into a container: where others are kept, it is one of them, in a trace anew."""
    decisions = active().decisions
    if x.spent is False and any(decision[0] == KEPT for decision in decisions) and (KEPT, x.function.__code__) not in decisions:
        raise Restart((KEPT, x.function.__code__))


def looked_at(name: str) -> Any:
    """What reads an attribute that only Python's generators have."""

    def read(x: Any) -> Any:
        raise not_there(name)

    return read


def not_there(name: str) -> ConversionError:
    """The error for what a generator of compiled code has not."""
    what = f"`{name}` of a generator that is kept"
    return ConversionError(
        what, user_span(), "it is an instance of compiled code, not Python's", "write a class with the generator's variables"
    )


def cannot_leave(kind: Any) -> ConversionError:
    """The error for a generator that Python is given; where others are not kept yet, which may stand beside it in a container, the trace
    begins anew with these kept."""
    trace = active()
    beside = [x.function.__code__ for x, _ in trace.created.values() if is_marked(x, "is_generator") and x.spent is False]
    others = {(KEPT, code) for code in (*beside, *(x.gi_code for x in trace.calls.suspended))} - trace.decisions
    if others:
        raise Restart(*others)
    what = f"the generator {kind.made_by} leaves the compiled function"
    return ConversionError(what, user_span(), "its frame is part of the compiled program", "return a list of its items")
