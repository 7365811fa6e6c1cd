"""`copy.copy` and `copy.deepcopy` of what a traced program holds: arrays, containers, instances of users' classes."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph_jit.tracing.aliasing.instances import is_user_instance
from autograph_jit.tracing.aliasing.journal import note_created
from autograph_jit.tracing.containers.deques import TracedDeque
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.item_readers import holds
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import is_container
from autograph_jit.tracing.containers.table_views import TableView
from autograph_jit.tracing.containers.tables import Table
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.expressions.access import getattr_
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.expressions.library_containers import made_here
from autograph_jit.tracing.expressions.register import builtin
from autograph_jit.tracing.functions.host_objects import give_object
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.callers_objects import depends_on_run, guard_names, is_open
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import Staged, StagedArray, StagedObject, may_be_none
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import lift_array
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import STORED, InParts


@builtin(copy.copy)
def staged_copy(x: Any) -> Any:
    return copied(x, "__copy__", (), lambda part: part)


@builtin(copy.deepcopy)
def staged_deepcopy(x: Any, memo: Any = None) -> Any:
    if isinstance(memo, Dynamic):
        give_object(active(), memo)
        return host_object(copy.deepcopy, x, memo, label="copy.deepcopy")
    known: dict[int, tuple[Any, Any]] = {}

    def deep(part: Any) -> Any:
        if id(part) not in known:
            known[id(part)] = part, copied(part, "__deepcopy__", ({},), deep)
        return known[id(part)][1]

    return deep(x)


def copied(x: Any, method: str, arguments: tuple[Any, ...], inner: Callable[[Any], Any]) -> Any:
    """A copy of one value, its parts by `inner`."""
    if may_be_none(x):
        return language.if_exp(x.present, lambda: copied(x.content, method, arguments, inner), lambda: None)
    if isinstance(x, Chosen):
        return distribute(x, lambda option: copied(option, method, arguments, inner))
    if isinstance(x, (StagedArray, np.ndarray)):
        return (lift_array(x) if isinstance(x, np.ndarray) else x).copy()
    if isinstance(x, Staged) and not isinstance(x, StagedObject) or isinstance(x, (Unchanging, Text, StagedRange)):
        return x
    if isinstance(x, TableView):
        raise TypeError(text_with_stand_ins(copy.copy, x))
    if isinstance(x, TracedDeque) or isinstance(x, Table) and x.is_native:
        if method != "__copy__" and any(holds(part, InParts) for part in x.kind.inner):
            x.restructure()  # whose lists are copied too
        return x.copy()
    if isinstance(x, TracedList) and x.is_native and (method == "__copy__" or x.kind.number is not None or x.kind in STORED.values()):
        return x.copy()
    if isinstance(x, StagedObject) or isinstance(x, Dynamic) and x.dynamic is not None:
        return copied_at_run_time(x, copy.copy if method == "__copy__" else copy.deepcopy)
    if isinstance(x, TracedList):
        return TracedList.made([inner(item) for item in x])
    if isinstance(x, TracedDict):
        return TracedDict.made({key: inner(value) for key, value in x.items()})
    if type(x) is tuple:
        return tuple(map(inner, x))
    if isinstance(getattr(type(x), method, None), types.FunctionType):
        return call(getattr(x, method), arguments, None)
    if is_user_instance(x) and (id(x) in active().created or depends_on_run(x)):
        made: Any = note_created(active(), object.__new__(type(x)))
        guard_names(x)
        for name in fields_of(x) or {}:
            object.__setattr__(made, name, inner(getattr_(x, name)))
        return made
    holds_containers = method == "__copy__" and is_container(x) and any(map(is_container, x.values() if isinstance(x, dict) else x))
    if is_open(x) or holds_containers:
        return host_object(copy.copy if method == "__copy__" else copy.deepcopy, x, label="copy", python_type=type(x))
    return made_here(copy.copy(x) if method == "__copy__" else copy.deepcopy(x))


def copied_at_run_time(x: Any, function: Callable[[Any], Any]) -> Any:
    """A copy that Python makes when the program runs."""
    if isinstance(x, TracedList):
        return language.iterate(host_object(function, x.listed(), label=function.__name__, python_type=list))
    source = x.dynamic if isinstance(x, TracedDict) else x
    return host_object(function, source, label=function.__name__, python_type=source.python_type)
