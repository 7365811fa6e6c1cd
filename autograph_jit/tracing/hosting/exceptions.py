"""Exceptions while tracing: a staged exception object, and the operation that raises."""

from __future__ import annotations

import copy
import sys
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph_jit.errors import RAISED_BY_PROGRAM, AutographJitError
from autograph_jit.ir.types import OBJECT
from autograph_jit.source import is_machinery
from autograph_jit.tracing.hosting.host_calls import host, host_object, lift_arrays
from autograph_jit.tracing.structures.rebuilding import Rebuild, Shared
from autograph_jit.tracing.structures.templates import OF_KIND, Template, contains_staged
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.trace import active, current, emit, rarely, span_of_exception, user_span

NAMED_FIELDS: dict[type, tuple[str, ...]] = {  # that Python's own exceptions are given by name, or beside their arguments
    OSError: ("filename", "filename2"),
    ImportError: ("name", "path"),
    AttributeError: ("name",),
    NameError: ("name",),
}
CAUSE = vars(BaseException)["__cause__"]


class StagedException(Exception):
    """An exception that exists only when the compiled function runs: `object` is the opaque exception."""

    __autograph_leaf__ = True

    def __init__(self, object: StagedObject) -> None:
        super().__init__()
        self.__dict__["object"] = object

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["object"], name)

    @property
    def __cause__(self) -> Any:  # type: ignore[override]
        return host_object(getattr, self.__dict__["object"], "__cause__", label="exception cause")

    @property
    def args(self) -> Any:  # type: ignore[override]
        return host_object(getattr, self.__dict__["object"], "args", label="exception args", python_type=tuple)


def object_of(x: Any) -> Any:
    """A staged exception as its object; anything else as it is."""
    return x.__dict__["object"] if isinstance(x, StagedException) else x


def emit_raise(exception: BaseException) -> None:
    """End the current block by raising `exception`, whose arguments and attributes may be staged."""
    operations = active().block.operations
    before = len(operations)
    with rarely():
        call_for_exception(exception)
        staged = exception_object(exception)
    kind, handling = staged.python_type, active().handling
    if kind is not None:
        handling.types[id(staged.value)] = kind
    options: dict[str, Any] = {"kind": kind} if kind is not None and handling.tries and id(staged.value) not in handling.beyond else {}
    emit("raise_", staged.value, error=None, **options)
    span = span_of_exception(exception) or user_span()
    for operation in operations[before:]:  # the user's line may have been left
        operation.span = span
    if isinstance(exception, BaseException) and not isinstance(exception, StagedException):
        exception.__traceback__ = None  # whose frames hold on to what the constructor that raises has made


def call_for_exception(exception: BaseException) -> None:
    """Before an exception of a native implementation leaves: the call of NumPy that raises it, which is not expected to return. Inside
    a `try` the exception's type has to be known, so it stays what it is."""
    refused = getattr(exception, "__autograph_refusal__", None)
    if refused is None or active().handling.tries:
        return
    function, args, kwargs, label = refused

    def call(*values: Any, **named: Any) -> tuple[()]:
        function(*map(copied, values), **{name: copied(value) for name, value in named.items()})
        return ()

    lifted = {name: lift_arrays(value) for name, value in kwargs.items()}
    host(call, tuple(lift_arrays(arg) for arg in args), lifted, types=(), label=label)


def copied(value: Any) -> Any:
    """An argument that may be written without the caller's being written."""
    if isinstance(value, tuple | list):
        return type(value)(map(copied, value))
    found = copy.copy(value)
    if isinstance(value, np.ndarray):
        found.flags.writeable = value.flags.writeable
    return found


def exception_object(exception: Any) -> StagedObject:
    """The run-time object of an exception found while tracing."""
    if isinstance(exception, StagedException):
        object_, cause = exception.__dict__["object"], CAUSE.__get__(exception)
        if cause is None:
            return object_
        return host_object(with_cause, object_, exception_object(cause), label="raise from", python_type=object_.python_type, pure=True)
    if isinstance(exception, StagedObject):
        return exception
    if isinstance(exception, type):
        exception = exception()
    kind, args, fields, cause, suppress = exception_parts(exception)
    staged_cause = exception_object(cause) if cause is not None else None
    parts, label = (kind, args, fields, staged_cause, suppress), f"raise {kind.__name__}"
    (result,) = host(rebuild_exception, parts, types=(OBJECT,), label=label, pure=True, fails=not is_made_as_usual(kind))
    result.python_type = kind
    return result


def exception_parts(exception: BaseException) -> tuple[type, tuple[Any, ...], dict[str, Any], BaseException | None, bool]:
    """What an exception is made of again: its class, arguments, attributes, cause, and whether that stands for its context."""
    kind = type(exception)
    slots = [name for base in kind.__mro__ for name in own_slots(base)]
    fields = {name: getattr(exception, name) for name in slots if hasattr(exception, name)}
    named = next((names for base, names in NAMED_FIELDS.items() if isinstance(exception, base)), ())
    fields |= {name: value for name in named if (value := getattr(exception, name)) is not None}
    fields |= {name: value for name, value in vars(exception).items() if not name.startswith("__") or name == "__notes__"}
    return kind, tuple(exception.args), fields, CAUSE.__get__(exception), exception.__suppress_context__


def is_made_as_usual(kind: type[BaseException]) -> bool:
    """Whether no code of the user's makes an exception of a class, or sets its attributes."""
    base: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    return kind.__new__ is base.__new__ and kind.__setattr__ is base.__setattr__


def with_cause(exception: BaseException, cause: BaseException) -> BaseException:
    """An exception of the run, raised from another one."""
    exception.__cause__ = cause
    return exception


def own_slots(kind: type) -> list[str]:
    """The slots of one class; those of Python's own exceptions are not state to be kept."""
    slots = [name for name, value in vars(kind).items() if isinstance(value, MemberDescriptorType)]
    return slots if kind.__module__ != "builtins" else []


def rebuild_exception(
    kind: type[BaseException], args: tuple[Any, ...], fields: dict[str, Any], cause: BaseException | None, suppress: bool
) -> BaseException:
    """A new exception of the same kind, arguments and attributes, without running its constructor again."""
    exception = kind.__new__(kind, *args)
    base: Any = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    base.__init__(exception, *args)  # of Python's own state, such as the `msg` of a SyntaxError
    exception.args = args
    for name, value in fields.items():
        try:
            setattr(exception, name, value)
        except AttributeError:
            continue
    if cause is not None:
        exception.__cause__ = cause
    exception.__suppress_context__ = suppress
    return exception


def ends_trace(exception: Any, filename: str) -> bool:
    """Whether this is SystemExit, KeyboardInterrupt or the like, or an exception of this package that code of the user's raises: while
    tracing it would end the trace, or the program that traces. The package's own code refuses a program so."""
    kind = exception if isinstance(exception, type) else type(exception)
    if issubclass(kind, AutographJitError):
        return not is_machinery(filename)
    return issubclass(kind, BaseException) and not issubclass(kind, Exception)


def of_program(exception: BaseException) -> BaseException:
    """An exception that the user's program raises, of whatever class: it says nothing about how the program is compiled."""
    vars(exception)[RAISED_BY_PROGRAM] = True
    return exception


def raised(exception: Any) -> Any:
    """What stands behind `raise`: a class or an instance, or a staged exception."""
    if isinstance(exception, StagedObject) or current() is not None and ends_trace(exception, sys._getframe(1).f_code.co_filename):
        found = exception_object(exception)
        kind = found.python_type
        if kind is not None and issubclass(kind, AutographJitError):
            found = host_object(of_program, found, label="raise", python_type=kind, pure=True, fails=False)
        return StagedException(found)
    if isinstance(exception, (BaseException, type)):
        return exception
    if contains_staged(exception):
        raise TypeError("exceptions must derive from BaseException")
    return exception


def exception_template(template: Template, exception: BaseException) -> Rebuild:
    """An exception that the program makes and that leaves it as a value: every run makes its own."""
    if id(exception) not in template.shared:
        kind, *parts = exception_parts(exception)
        build = template.of(tuple(parts))
        template.shared[id(exception)] = exception, Shared(id(exception), lambda values: rebuild_exception(kind, *build(values)))
    return template.shared[id(exception)][1]


OF_KIND[BaseException] = exception_template
