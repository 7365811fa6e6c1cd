"""What a handler reads of an exception that the program has raised: attributes, `args` and texts, without the exception itself."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType, MethodType
from typing import Any

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.hosting.exceptions import StagedException, are_exceptions, exception_is, object_of, of_cases
from autograph_jit.tracing.hosting.host_calls import host_bool, host_object
from autograph_jit.tracing.hosting.known_exceptions import KnownException
from autograph_jit.tracing.texts.text import as_text
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.checks import staged_not
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, emit

WRITTEN_BY = (BaseException.__str__, BaseException.__repr__, KeyError.__str__)
OF_CLASSES = (FunctionType, staticmethod, classmethod, property, str, int, float, tuple, type(None))


def with_cases(exception: StagedException, use: Callable[[StagedException, KnownException], Any]) -> Any:
    """`use` of an exception as the case that it is."""
    value, (case, *others) = exception.__dict__["object"].value, exception.__dict__["cases"]
    if not others:
        return use(exception, case)
    one, rest = of_cases(value, (replace(case, is_there=None),), ()), of_cases(value, tuple(others), ())
    return language.if_exp(case.is_there, lambda: use(one, case), lambda: with_cases(rest, use))


def as_known(exception: StagedException) -> StagedException | None:
    """An exception as one of the cases that the conditions around leave; None where it may be something else."""
    cases, facts = exception.__dict__["cases"], active().facts
    if not cases or exception.__dict__["others"]:
        return None
    known = [(case, None if case.is_there is None else facts.get(case.is_there.value)) for case in cases]
    left = [case for case, found in known if found] or [case for case, found in known if found is None]
    return of_cases(exception.__dict__["object"].value, tuple(left or cases), ())


def is_exception_of(exception: StagedException, types: Any) -> Any:
    """`isinstance(exception, types)`."""
    found = as_known(exception)
    if found is None or not are_exceptions(types):
        is_unknown = found is None and are_exceptions(types)
        return exception_is(exception, types) if is_unknown else host_bool(isinstance, object_of(exception), types, label="isinstance")
    cases = found.__dict__["cases"]
    matching, rest = ([case for case in cases if issubclass(case.kind, types) is holds] for holds in (True, False))
    if not matching or not rest:
        return bool(matching)
    if len(rest) == 1:
        return staged_not(rest[0].is_there)
    return is_one_of_cases(tuple(matching))


def any_of_two(x: Value, y: Value) -> Value:
    return emit("logical_or", x, y).result


def attribute_of_exception(exception: StagedException, name: str) -> Any:
    """`exception.name` without the exception itself; NotImplemented where that has to be there."""
    found = as_known(exception)
    if found is None or not all(name in case.values or is_of_users_class(case.kind, name) for case in found.__dict__["cases"]):
        return NotImplemented
    return with_cases(found, functools.partial(attribute_of_case, name))


def attribute_of_case(name: str, exception: StagedException, case: KnownException) -> Any:
    """An attribute of an exception, or one that its class gives."""
    if name in case.values:
        return case.values[name]
    if not hasattr(case.kind, name):
        raise AttributeError(f"'{case.kind.__name__}' object has no attribute '{name}'", name=name)
    found = inspect.getattr_static(case.kind, name)
    if isinstance(found, property):
        return language.call(found.fget, (exception,), None)
    return MethodType(found, exception) if isinstance(found, FunctionType) else language.call(getattr, (case.kind, name), None)


def is_of_users_class(kind: type, name: str) -> bool:
    """Whether a class has an attribute of a class of the user's, whose meaning depends on no more than its attributes; or none."""
    found = next((vars(base)[name] for base in kind.__mro__ if base.__module__ != "builtins" and name in vars(base)), None)
    return isinstance(found, OF_CLASSES) and not name.startswith("__") and (found is not None or not hasattr(BaseException, name))


def text_of_exception(function: Any, exception: StagedException) -> Any:
    """`str` or `repr` of an exception without the exception itself; NotImplemented where that has to be there."""
    found = as_known(exception)
    cases = (found or exception).__dict__["cases"]
    methods = [getattr(case.kind, f"__{function.__name__}__") for case in cases]
    if not cases or not all(isinstance(x, FunctionType) or x in WRITTEN_BY for x in methods):
        return NotImplemented
    value = exception.__dict__["object"].value
    written = lambda: with_cases(of_cases(value, cases, ()), functools.partial(text_of_case, function))  # noqa: E731
    return written() if found is not None else language.if_exp(is_one_of_cases(cases), written, lambda: text_of_other(function, exception))


def is_one_of_cases(cases: tuple[KnownException, ...]) -> Any:
    """Whether an exception is one of those whose values are known."""
    if any(case.is_there is None for case in cases):
        return True
    return StagedScalar(functools.reduce(any_of_two, (case.is_there.value for case in cases if case.is_there is not None)), True)


def text_of_other(function: Any, exception: StagedException) -> Any:
    """The text of an exception whose values are not known."""
    text = host_object(function, exception.__dict__["object"], label=function.__name__, python_type=str)
    made_by: Any = text.value.owner
    made_by.attributes = {**made_by.attributes, "of_others": True}
    return as_text(text)


def text_of_case(function: Any, exception: StagedException, case: KnownException) -> Any:
    """The text as `BaseException` or `KeyError` writes it, or a method of the user's."""
    method, args = getattr(case.kind, f"__{function.__name__}__"), case.values["args"]
    if isinstance(method, FunctionType):
        return language.call(method, (exception,), None)
    is_single = isinstance(args, tuple) and len(args) == 1
    if args == () and function is str:
        return ""
    is_quoted = function is repr or is_single and method is KeyError.__str__
    text = language.call(repr if is_quoted else str, (args[0] if is_single else args,), None)
    if function is str:
        return text
    start, end = ("(", ")") if is_single else ("", "")
    return language.call(f"{case.kind.__name__}{start}{{}}{end}".format, (text,), None)
