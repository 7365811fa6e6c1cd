"""Exceptions while tracing: a staged exception object, and the operation that raises."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph_jit.errors import RAISED_BY_PROGRAM, AutographJitError, is_for_no_handler
from autograph_jit.ir.graph import Block, Value
from autograph_jit.ir.types import OBJECT
from autograph_jit.ops.exceptions_raised import Unmade, takes
from autograph_jit.source import is_machinery
from autograph_jit.tracing.aliasing.references import NestedReference
from autograph_jit.tracing.hosting.host_calls import host, host_bool, host_object, lift_arrays
from autograph_jit.tracing.hosting.known_exceptions import KnownException, is_handed_on, is_plain_data, known_exception, made_key
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.rebuilding import Rebuild, Shared
from autograph_jit.tracing.structures.templates import OF_KIND, Template, contains_staged
from autograph_jit.tracing.values.abstract import Maybe, StagedObject
from autograph_jit.tracing.values.alternatives import of_each_case
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Restart, active, block_of, current, emit, rarely, span_of_exception, user_span

NAMED_FIELDS: dict[type, tuple[str, ...]] = {  # that Python's own exceptions are given by name, or beside their arguments
    OSError: ("filename", "filename2"),
    ImportError: ("name", "path"),
    AttributeError: ("name",),
    NameError: ("name",),
}
NO_EXCEPTIONS = "catching classes that do not inherit from BaseException is not allowed"
CAUSE = vars(BaseException)["__cause__"]


class StagedException(Exception):
    """An exception that exists only when the compiled function runs: `object` is the opaque exception. It is one of `cases`, or its class
    is among `others`, or below one of these; None where that is not known."""

    def __init__(self, object: StagedObject, cases: tuple[KnownException, ...] = (), others: Sequence[Any] | None = None) -> None:
        super().__init__()
        self.__dict__.update(object=object, cases=cases, others=[object.python_type] if others is None and not cases else others or [])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__autograph") or "object" not in self.__dict__:  # whose trace has ended
            raise AttributeError(name)
        return getattr(object_of(self), name)

    @property
    def __cause__(self) -> Any:  # type: ignore[override]
        is_over = "object" not in self.__dict__  # its trace, and Python asks where it shows the exception
        return None if is_over else host_object(getattr, object_of(self), "__cause__", label="exception cause")

    @property
    def args(self) -> Any:  # type: ignore[override]
        return host_object(getattr, object_of(self), "args", label="exception args", python_type=tuple)

    def __template__(self, template: Template) -> Rebuild:
        return template.of(object_of(self))


def object_of(x: Any) -> Any:
    """A staged exception as its object, which others may change then: it is made where it is raised. Anything else as it is."""
    if not isinstance(x, StagedException):
        return x
    if cases := x.__dict__["cases"]:
        raise Restart(*(made_key(case.kind) for case in cases))
    return x.__dict__["object"]


def narrowed(exception: StagedException, types: Any, taken: bool) -> StagedException:
    """An exception that a handler for these types takes, or does not take."""
    cases, others = exception.__dict__["cases"], exception.__dict__["others"]
    if not are_exceptions(types):
        return exception
    if taken or not is_perhaps_beyond(exception):
        others = [each for each in others if takes(types, each or Exception) is not (not taken)]
    return of_cases(exception.__dict__["object"].value, tuple(x for x in cases if issubclass(x.kind, types) is taken), others)


def of_cases(value: Value, cases: tuple[KnownException, ...], others: Sequence[type[BaseException] | None]) -> StagedException:
    """An exception of the run that is one of these."""
    kinds = {*(case.kind for case in cases), *others}
    return StagedException(StagedObject(value, kinds.pop() if len(kinds) == 1 else None), cases, others)


def exception_is(exception: StagedException, types: Any) -> Any:
    """Whether an exception of the run is of one of these types; known at once where its class is. Of compiled code's own it is none."""
    return of_each_case(types, lambda known: exception_is_of(exception, known))


def exception_is_of(exception: StagedException, types: Any) -> Any:
    """The same of types of which the run does not decide between a few."""
    if contains_staged((types,)):
        return host_bool(is_caught_by_types, object_of(exception), types, label="except")
    if not are_exceptions(types):
        raise TypeError(NO_EXCEPTIONS)
    found, beyond = exception.__dict__["object"], is_perhaps_beyond(exception)
    kinds = [*(case.kind for case in exception.__dict__["cases"]), *exception.__dict__["others"]]
    answers = {takes(types, kind or Exception) for kind in kinds}
    if answers <= {False} or answers == {True} and not beyond:
        return answers == {True}
    return host_bool(is_caught if beyond else isinstance, found, types, label="except", pure=True, fails=False)


def are_exceptions(types: Any) -> bool:
    """Whether these are classes of exceptions that the trace knows."""
    return all(isinstance(each, type) and issubclass(each, BaseException) for each in (types if isinstance(types, tuple) else (types,)))


def is_perhaps_beyond(exception: StagedException) -> bool:
    """Whether an exception may be compiled code's own."""
    return id(exception.__dict__["object"].value) in active().handling.beyond


def is_caught_by_types(exception: BaseException, types: Any) -> bool:
    """The same of types that only the run knows."""
    if not are_exceptions(types):
        raise TypeError(NO_EXCEPTIONS)
    return is_caught(exception, types)


def is_caught(exception: BaseException, types: Any) -> bool:
    """Whether a handler for these types takes an exception that may be compiled code's own."""
    return isinstance(exception, types) and not is_for_no_handler(exception)


def emit_raise(exception: BaseException) -> None:
    """End the current block by raising `exception`, whose arguments and attributes may be staged."""
    case, rest = parted(exception) if isinstance(exception, StagedException) and active().handling.tries else (exception, None)
    if rest is None:
        emit_one(case)
        if isinstance(exception, BaseException) and not isinstance(exception, StagedException):
            exception.__traceback__ = None  # whose frames hold on to what the constructor that raises has made
        return
    blocks = [Block(), Block()]
    for block, each in zip(blocks, (case, rest)):
        with block_of(active(), block):
            emit_raise(each)
        block.terminated = True
    emit("cond", exception.__dict__["cases"][0].is_there.value, regions=blocks, results=())


def parted(exception: StagedException) -> tuple[StagedException, StagedException | None]:
    """An exception as the first of its cases and what else it may be; itself where it is of one class."""
    value, cases, others = (exception.__dict__[name] for name in ("object", "cases", "others"))
    if not cases or len(cases) + len(others) == 1:
        return exception, None
    first = of_cases(value.value, (replace(cases[0], is_there=None),), ())
    return first, of_cases(value.value, cases[1:], others)


def emit_one(exception: BaseException) -> None:
    """The same of an exception of one class, or of one of which nothing is known."""
    operations = active().block.operations
    before = len(operations)
    tries, cases = active().handling.tries, known_cases(exception)
    if tries and cases and not all(is_handed_on(x, tries[-1].depth) for x in cases[0].values.values()):
        cases = ()
    if tries and cases and not all(map(is_plain_data, cases[0].values.values())):
        tries[-1].raised = cases, ()
        emit("raise_", error=Unmade(cases[0].kind, ""))
        return
    with rarely():
        call_for_exception(exception)
        staged = exception_object(exception)
        raised: Any = exception if isinstance(exception, StagedException) else StagedException(staged, cases)
    if tries:
        tries[-1].raised = raised.__dict__["cases"], raised.__dict__["others"]
    kind = raised.__dict__["object"].python_type
    is_known = kind is not None and tries and (raised.__dict__["cases"] or not is_perhaps_beyond(raised))
    emit("raise_", staged.value, error=None, **({"kind": kind} if is_known else {}))
    span = span_of_exception(exception) or user_span()
    for operation in operations[before:]:  # the user's line may have been left
        operation.span = span


def known_cases(exception: Any) -> tuple[KnownException, ...]:
    """What a handler may know of an exception found while tracing."""
    is_open = isinstance(exception, (StagedException, StagedObject, type))
    return () if is_open else known_exception(*exception_parts(exception)[:3])


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
    parts, label = (kind, with_objects(args), fields, staged_cause, suppress), f"raise {kind.__name__}"
    (result,) = host(rebuild_exception, parts, types=(OBJECT,), label=label, pure=True, fails=not is_made_as_usual(kind))
    result.python_type = kind
    return result


def with_objects(x: Any) -> Any:
    """Arguments of an exception with the objects of rows that are tuples of numbers, texts and tuples; those of others are no rows then."""
    if isinstance(x, NestedReference):
        return x.table.object_of(x)
    if isinstance(x, Chosen):
        return x.each(with_objects)
    if isinstance(x, Maybe):
        return Maybe(x.present, with_objects(x.content), x.absent)
    return tuple(map(with_objects, x)) if type(x) is tuple else x


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
    """What stands behind `raise`: a class, of which an instance is made, or an instance, or a staged exception."""
    if current() is not None and isinstance(exception, type) and issubclass(exception, Exception):
        exception = language.call(exception, (), None)
    if isinstance(exception, StagedObject) or current() is not None and ends_trace(exception, sys._getframe(1).f_code.co_filename):
        found = exception_object(exception)
        kind = found.python_type
        if kind is not None and issubclass(kind, AutographJitError):
            found = host_object(of_program, found, label="raise", python_type=kind, pure=True, fails=False)
        return StagedException(found)
    if isinstance(exception, BaseException) and current() is not None and id(exception) not in active().created:
        return exception if isinstance(exception, StagedException) else StagedException(exception_object(exception))
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
