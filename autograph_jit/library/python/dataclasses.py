"""`dataclasses.astuple`, `asdict` and `replace` of what a traced program holds."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

from autograph_jit.library.python.copies import staged_deepcopy
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import form_of, note_read
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.expressions.calls import call, native
from autograph_jit.tracing.expressions.register import builtin, present
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language

Fields = list[tuple[str, Any]]


@dataclasses.dataclass(frozen=True)
class Holder:
    """A dataclass around any value, so that dataclasses' own functions take that value apart."""

    content: Any


@dataclasses.dataclass(frozen=True)
class Taking:
    """One of the two functions, with how it puts fields together."""

    function: Callable[..., Any]
    put_together: Callable[[Fields], Any]

    def instance(self, x: Any) -> Any:
        """The fields of an instance of a dataclass."""
        x = present(x)
        if isinstance(x, StagedObject):
            return host_object(self.function, x, label=self.function.__name__)
        if not is_instance(x):
            raise TypeError(f"{self.function.__name__}() should be called on dataclass instances")
        return self.put_together([(field.name, self.copied(getattr_(x, field.name))) for field in dataclasses.fields(x)])

    def copied(self, value: Any) -> Any:
        """A deep copy of a field in which dataclasses too are taken apart."""
        value = form_of(present(value))
        if isinstance(value, Chosen):
            return distribute(value, self.copied)
        if is_instance(value):
            return self.instance(value)
        if isinstance(value, TracedList) and value.dynamic is not None:
            return language.iterate(self.at_run_time(value.listed(), list))
        if isinstance(value, StagedObject):
            return self.at_run_time(value, None)
        if isinstance(value, TracedDict) and value.dynamic is not None:
            return self.at_run_time(value.handed, dict)
        if not isinstance(value, (list, tuple, dict)):
            return staged_deepcopy(value)
        note_read(value)
        return rebuilt_container(value, self.copied)

    def at_run_time(self, value: Any, kind: type | None) -> Any:
        """A deep copy by dataclasses itself, when the program runs."""

        def taken_apart(value: Any) -> Any:
            parts = self.function(Holder(value))
            return parts[0] if self.function is dataclasses.astuple else parts["content"]

        return host_object(taken_apart, value, label=self.function.__name__, python_type=kind)


def is_instance(x: Any) -> bool:
    return dataclasses.is_dataclass(x) and not isinstance(x, type)


def rebuilt_container(value: Any, inner: Callable[[Any], Any]) -> Any:
    """A list, tuple or dict of the same kind, its parts by `inner`."""
    if isinstance(value, dict):
        return TracedDict.made({inner(key): inner(item) for key, item in value.items()})
    items = [inner(item) for item in list(value)]
    if isinstance(value, list):
        return TracedList.made(items)
    return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)


@builtin(dataclasses.astuple)
def staged_astuple(x: Any, *, tuple_factory: Any = tuple) -> Any:
    def put_together(fields: Fields) -> Any:
        values = [value for _, value in fields]
        return tuple(values) if tuple_factory is tuple else call(tuple_factory, (TracedList.made(values),), None)

    return Taking(dataclasses.astuple, put_together).instance(x)


@builtin(dataclasses.asdict)
def staged_asdict(x: Any, *, dict_factory: Any = dict) -> Any:
    def put_together(fields: Fields) -> Any:
        return TracedDict.made(dict(fields)) if dict_factory is dict else call(dict_factory, (TracedList.made(fields),), None)

    return Taking(dataclasses.asdict, put_together).instance(x)


@builtin(dataclasses.replace)
def staged_replace(x: Any, /, **changes: Any) -> Any:
    x = present(x)
    if not is_instance(x) or not all_init(x, changes):
        return native(dataclasses.replace, (x,), changes)
    kept = {field.name: getattr_(x, field.name) for field in dataclasses.fields(x) if field.init and field.name not in changes}
    return call(type(x), (), {**kept, **changes})


def all_init(x: Any, changes: dict[str, Any]) -> bool:
    """Whether `__init__` takes just the fields, and all changes are among them; other parameters are rare, and Python's own business."""
    names = {field.name for field in dataclasses.fields(x) if field.init}
    return changes.keys() <= names and set(inspect.signature(type(x)).parameters) == names
