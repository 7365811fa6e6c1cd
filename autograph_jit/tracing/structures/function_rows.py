"""Functions that containers of the run hold, as instances of a class that stands for their code, or for one function from outside.

Before: `handlers.append(lambda x: x + k)` in a loop, then `for handler in handlers: handler(2)`
After:  a native list for `k`; `handlers` holds row numbers, and what is called is the code with what stands in the row
"""

from __future__ import annotations

from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from autograph_jit.records import dataclass
from autograph_jit.tracing.values.trace import Trace

MADE = "made"  # the decision that a trace knows of functions of a code before it has made one
CLASSES: WeakValueDictionary[Any, type] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of the functions of a code from an earlier trace: a function without contents, the names of the columns, what is the
    same in all traces, and whose the variables are that change."""

    like: FunctionType
    columns: tuple[str, ...]
    constants: dict[str, Any]
    owners: dict[str, CodeType | None]


class FunctionRow:
    """Base of these classes: of the functions that a program makes of one code, or of one function that it has not made."""

    stands_for: ClassVar[Any]
    outline: ClassVar[Outline | None] = None
    __hash__: ClassVar[None] = None  # type: ignore[assignment]


def function_class(x: Any, trace: Trace) -> type | None:
    """The class of a function; None of methods, of anything else that is called, and of what makes generators."""
    if isinstance(x, FunctionType) and trace.definitions.functions.get(id(x)) is x:
        return class_for(x.__code__, x)
    return class_for(x, x) if is_found_by_name(x) else None


def is_found_by_name(x: Any) -> bool:
    """Whether a function is one of a module, which is there in all calls."""
    if isinstance(x, BuiltinFunctionType):
        return isinstance(x.__self__, ModuleType)
    return isinstance(x, FunctionType) and x.__globals__.get(x.__name__) is x


def class_for(stands_for: Any, function: Any) -> type:
    """The class of what is made of a code, or of a function."""
    key = id(stands_for)
    found = CLASSES.get(key)
    if found is None:
        named = f"{function.__qualname__} at {key}"
        entries = {"stands_for": stands_for, "__module__": str(function.__module__), "__qualname__": named}
        found = CLASSES[key] = type("function", (FunctionRow,), entries)
    return found


def is_function_row(kind: type) -> bool:
    """Whether a class stands for functions."""
    return issubclass(kind, FunctionRow)


def is_made_of_code(kind: type) -> bool:
    """Whether a class stands for functions that the program makes."""
    return isinstance(kind.stands_for, CodeType)  # type: ignore[attr-defined]
