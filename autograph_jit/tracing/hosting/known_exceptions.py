"""What exceptions that the program raises hold, as values of the trace: a handler reads them, and no exception need be made for it."""

from __future__ import annotations

import functools
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any

from autograph_jit.records import dataclass
from autograph_jit.tracing.aliasing.journal import Place
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.plain.calls import is_library
from autograph_jit.tracing.plain.undefined import Undefined
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.templates import is_user_instance
from autograph_jit.tracing.values.abstract import Maybe, StagedArray, StagedObject, StagedScalar, may_be_missing
from autograph_jit.tracing.values.trace import active

DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType)
OWN_ACCESS = ("__getattribute__", "__getattr__", "__setattr__", "__new__", "__class__", "__dict__")


@dataclass(frozen=True, slots=True)
class KnownException:
    """An exception by its class, its `args` and attributes; `is_there`: whether it is this one, where the run decides."""

    kind: type[Any]
    values: dict[str, Any]
    is_there: StagedScalar | None = None


class RaisedPlace(Place):
    """What an exception that is being raised holds under a name: an entry of a dict, by the class and the name."""

    __slots__ = ()

    def read(self) -> Any:
        return self.owner.get(self.name, Undefined(self.name[1]))

    def write(self, value: Any) -> None:
        self.owner[self.name] = value


def made_key(kind: type) -> tuple[str, str, str]:
    """The decision that exceptions of a class are made when they are raised; a class that every trace defines anew keeps its key."""
    return "raised", kind.__module__, kind.__qualname__


def known_exception(kind: type[BaseException], args: Any, fields: dict[str, Any]) -> tuple[KnownException, ...]:
    """An exception of such arguments and attributes, where a handler may read it without having it; nothing otherwise."""
    values = {"args": args, **fields}
    return (KnownException(kind, values),) if may_be_known(kind) and not any(map(may_be_missing, values.values())) else ()


def note_raised(kind: type[BaseException], *args: Any) -> None:
    """The operation that is appended next raises an exception of these arguments."""
    tries = active().handling.tries
    if tries and (cases := known_exception(kind, args, {})):
        tries[-1].raised = cases, ()


def may_be_known(kind: type) -> bool:
    """Whether handlers may read exceptions of a class without having them; not where their values would have derivatives."""
    trace = active()
    return is_readable(kind) and made_key(kind) not in trace.decisions and not trace.differentiation.directions


@functools.cache
def is_readable(kind: type[BaseException]) -> bool:
    """Whether an exception of a class is no more than its `args` and attributes that are simply stored, by no code of a library's."""
    made_by: Any = kind.__init__  # type: ignore[misc]
    if isinstance(made_by, FunctionType) and is_library(made_by):
        return False
    for base in kind.__mro__[: kind.__mro__.index(BaseException)]:
        is_own = base.__module__ != "builtins"
        if is_own and any(name in vars(base) and not isinstance(vars(base)[name], DESCRIPTORS) for name in OWN_ACCESS):
            return False
        if not is_own and any(isinstance(value, DESCRIPTORS) for value in vars(base).values()):
            return False
    return True


def is_plain_data(x: Any) -> bool:
    """Whether a value is a number, a text, a constant of the like or an object of the run, or a tuple of such: Python may be given it."""
    if type(x) is tuple:
        return all(map(is_plain_data, x))
    if isinstance(x, Maybe):
        return is_plain_data(x.content)
    is_constant = x is None or isinstance(x, (str, bytes, int, float, complex, type))
    is_text = hasattr(type(x), "__staged_object__") and not isinstance(x, InstanceReference)
    return is_constant or is_text or isinstance(x, (StagedScalar, StagedArray, StagedObject))


def is_handed_on(x: Any, depth: int) -> bool:
    """Whether a value is that, or an instance that stands for itself wherever it is: a row, one of several, one made so far outside."""
    if type(x) is tuple:
        return all(is_handed_on(each, depth) for each in x)
    made = active().created.get(id(x))
    return is_plain_data(x) or isinstance(x, (InstanceReference, Chosen)) or made is not None and made[1] <= depth and is_user_instance(x)


def fill_store(store: dict[Any, Any], cases: tuple[KnownException, ...]) -> None:
    """What the exception that is raised now holds; that of another operation holds nothing."""
    store.clear()
    for case in cases:
        for name, value in case.values.items():
            store[case.kind, name] = value if case.is_there is None else Maybe(case.is_there, value, Undefined(name))


def cases_of(composed: dict[tuple[type, str], Any], kinds: set[type[BaseException]]) -> tuple[KnownException, ...]:
    """The exceptions of these classes that a handler may find, by the values under each class and name."""
    found: dict[type, KnownException] = {}
    for (kind, name), value in composed.items():
        if kind not in kinds:
            continue
        is_there = value.present if may_be_missing(value) else None
        case = found.setdefault(kind, KnownException(kind, {}, is_there))
        case.values[name] = value if is_there is None else value.content
    return tuple(found.values())
