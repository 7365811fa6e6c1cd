"""Lists of converted code: Python's list while the trace knows their structure, a run-time list afterwards."""

from __future__ import annotations

import operator
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ops.direct_calls import append_item, item_of
from autograph_jit.tracing.aliasing.families import note_length_changed
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.aliasing.journal import EntryPlace, write
from autograph_jit.tracing.aliasing.references import rebuilt_row
from autograph_jit.tracing.containers import slice_writes
from autograph_jit.tracing.containers.arriving import as_it_comes, runs_code
from autograph_jit.tracing.containers.constant_items import constant_items
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.containers.repeated import is_numpys
from autograph_jit.tracing.containers.searched import Searched
from autograph_jit.tracing.hosting.host_calls import host_array, host_bool, host_effect, host_object, host_scalar
from autograph_jit.tracing.objects.descriptors import method_in_python
from autograph_jit.tracing.sequences.dynamic import (
    Dynamic,
    common_kind,
    decided,
    is_place_of_run,
    kind_of,
    name_of_text,
    position,
    register,
)
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.structures.demands import demand_atoms, is_as_made, made_before, make_at_home, unroll_instead
from autograph_jit.tracing.structures.rebuilding import Items, Rebuild
from autograph_jit.tracing.structures.templates import Template, contains_staged
from autograph_jit.tracing.texts.text import is_int
from autograph_jit.tracing.values.abstract import (
    Staged,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    Undecided,
    check,
    content_of,
    demand_python,
    is_staged,
)
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.callers_iterators import expect_own
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import truth
from autograph_jit.tracing.values.trace import Restart, active, constant, note_tracer
from autograph_jit.tracing.values.types import PYTHON_OBJECT, STORED, Array, ValueType, join_items

INT = np.dtype(np.int64)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, np.ufunc)


class Rest:
    """What stands for the items of `*items` where only the run knows how many there are."""

    def __init__(self, items: TracedList) -> None:
        self.items = items


def listed(x: Any) -> Any:
    """A list that an operator made, as one of converted code; what the class of the other operand made instead, as it is."""
    return TracedList.made(x) if type(x) is list else x


class TracedList(Searched):
    """A list. Static: the elements are its own. Dynamic: `dynamic` is a graph value, that of a native list (`kind` is
    native) or of a Python list at run time (arrays of a dtype and rank, or objects; `shared.kind_of`)."""

    __rebuilt_type__ = list

    def __init__(self, items: Iterable[Any] = ()) -> None:
        super().__init__(items)
        self.kind: ValueType = PYTHON_OBJECT
        self.changes = 0
        note_tracer(self)

    @classmethod
    def of_object(cls, made: StagedObject, kind: ValueType) -> TracedList:
        """A list of Python's that a host call has made, of items of a kind."""
        result = cls()
        result.kind = join_items({kind, register(result, "list") or kind})
        if result.kind in STORED.values():
            result.native = NativeList.of_object(result.kind, made)
        result.dynamic = result.native.parts[0] if result.is_native else made
        return result

    @classmethod
    def made(cls, items: Iterable[Any]) -> TracedList:
        """A list that converted code makes here."""
        result = cls(items)
        kind = register(result, "list")
        if kind is not None:
            result.become(kind)
        return result

    def become(self, kind: ValueType) -> None:
        """Move the elements into a run-time list."""
        items = list.copy(self)
        self.kind = kind
        if kind.is_native and any(join_items({kind_of(item), kind}) != kind for item in items):
            self.kind = kind = join_items({kind, *map(kind_of, items)})
        if kind.is_native:
            self.native = NativeList(kind)
            self.dynamic = self.native.parts[0]
            self.push_each(items)
        else:
            self.dynamic = host_object(lambda values: list(values), tuple(items), label="list", python_type=list)
        list.clear(self)

    def become_as_decided(self) -> None:
        """Move the elements of an argument into a run-time list of the kind that earlier traces asked for."""
        kind = decided(active(), self.key) or PYTHON_OBJECT
        self.become(kind if kind.is_native else PYTHON_OBJECT)

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        if self.dynamic is None:
            return Items(list, [template.of(part) for part in list.__iter__(self)])
        if not self.is_native:
            return template.of(self.dynamic)
        return rebuilt_row(self, template) or self.native.template(template, self.family is not None)

    @property
    def has_names(self) -> bool:
        """Whether other stand-ins may be of the same list."""
        return self.family is not None or isinstance(self.dynamic, StagedObject)

    def accept(self, item: Any) -> Any:
        """An element on its way in: it must fit the element kind, or the list becomes another one."""
        if self.kind != PYTHON_OBJECT:
            kind = join_items({kind_of(item), self.kind})
            if kind != self.kind:
                self.foresee(kind)
        return item

    def change(self, added: Iterable[Any] = ()) -> bool:
        """Called before the length changes; True where the list is dynamic."""
        self.note_write(added)
        self.changes += 1
        if self.has_names:
            note_length_changed()
        if self.dynamic is None and self.is_outer():
            self.foresee(join_items(map(kind_of, [*list.__iter__(self), *added])))
        return self.dynamic is not None

    def foresee(self, kind: ValueType) -> None:
        """The structure, or the kind of the elements, changes: the trace goes on with a native list, or a restart."""
        if not self.may_foresee(kind):
            self.restructure(kind)
        trace = active()
        unroll_instead(trace.regions[self.depth :], kind)
        if not self.becomes_at_home(kind):
            trace.foresee(("dynamic", self.key, kind))
            self.go_on_as(kind)

    def becomes_at_home(self, kind: ValueType) -> bool:
        """Become a native list in this very trace; False where that takes another one."""
        trace = active()
        if self.dynamic is not None or not self.may_foresee(kind) or not is_as_made(trace, self):
            return False
        with make_at_home(trace, self, kind):
            self.become(kind)
        return True

    def go_on_as(self, kind: ValueType) -> None:
        """Be a native list, as the trace goes on with it that foresees one: it is there wherever the program has it."""
        with made_before(active()):
            self.become(kind)

    def push_each(self, items: list[Any]) -> None:
        """Append items to a native list: a restart where any of them are not what such a list holds, once for all."""
        wanted = list[Any]()
        for item in items:
            try:
                self.native.push(item)
            except Restart as restart:
                wanted += restart.decisions
        if wanted:
            raise Restart(*wanted)

    def append(self, item: Any, /) -> None:
        if not self.change([item]):
            list.append(self, item)
        elif self.is_native:
            item = self.accept(item)
            self.native.push(item)
        else:
            host_effect(append_item, self.dynamic, self.accept(item), label="list.append")

    @acts_for_program
    def pop(self, index: Any = -1, /) -> Any:
        note_read(self)
        if not self.change():
            return list.pop(self, self.known_position(index))
        if self.is_native:
            return self.native.pop(position(index))
        return self.typed(list.pop, index, "list.pop")

    @acts_for_program
    def extend(self, items: Any, /) -> None:
        items = as_it_comes(items)
        if isinstance(items, (list, tuple)) and not (isinstance(items, Dynamic) and items.dynamic is not None):
            for item in list(items):
                self.append(item)
        elif runs_code(items) or method_in_python(items, "__iter__") is not None:
            language.for_each(items, self.append)
        elif not self.change() and not isinstance(items, (Staged, Dynamic)):
            list.extend(self, items)
        elif not self.extend_natively(items):
            self.as_object().dynamic_effect(list.extend, items, label="list.extend")

    def extend_natively(self, items: Any) -> bool:
        """Append the items of a native list; False where the one or the other is Python's."""
        if not isinstance(items, TracedList) or not items.is_native or isinstance(self.dynamic, StagedObject):
            return False
        known = self.kind if self.is_native else common_kind(list.copy(self)) or items.kind
        kind = join_items({known, items.kind})
        if not kind.is_native:
            return False
        if not self.is_native or self.kind != kind:
            self.foresee(kind)
        note_read(items)
        items.as_native_of(kind).copy_to(self.native, slice(None))
        return True

    def __iadd__(self, items: Any) -> Any:
        if isinstance(items, TaggedScalar):
            return distribute(items, lambda plain: operator.iadd(self, plain))
        if is_numpys(items):
            return NotImplemented
        expect_own((items,), files=True)
        self.extend(items)
        return self

    @acts_for_program
    def insert(self, index: Any, item: Any, /) -> None:
        if not self.change([item]):
            list.insert(self, operator.index(self.known_position(index, item)), item)
        elif self.is_native:
            item = self.accept(item)
            self.native.insert(position(index), item)
        else:
            self.dynamic_effect(list.insert, index, self.accept(item), label="list.insert")

    def clear(self) -> None:
        self.changed_by(list.clear, label="list.clear", natively=NativeList.clear)

    def reverse(self) -> None:
        self.changed_by(list.reverse, label="list.reverse", natively=NativeList.reverse)

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        if self.is_native:
            made = language.call(sorted, (self,), {"key": key, "reverse": reverse})
            self.change()
            self.native.clear()
            made.native.copy_to(self.native, slice(None))
            return
        holds_lists = any(isinstance(part, list) for item in list.copy(self) if isinstance(item, tuple) for part in item)
        if self.dynamic is None and not holds_lists and (contains_staged(list.copy(self)) or contains_staged(reverse)):
            self.as_object()  # of numbers only: what an object holds is Python's from now on
        self.changed_by(list.sort, label="list.sort", key=key, reverse=reverse)

    @acts_for_program
    def changed_by(self, method: Any, *args: Any, label: str, natively: Any = None, **kwargs: Any) -> None:
        """A list method that changes the list: in Python while the list is static; `natively` is the method of a native list."""
        if not self.change() and not any(is_staged(arg) for arg in args):
            method(self, *args, **kwargs)
        elif natively is not None and self.is_native:
            natively(self.native)
        else:
            self.as_object().dynamic_effect(method, *args, label=label, **kwargs)

    def dynamic_effect(self, method: Any, *args: Any, label: str, **kwargs: Any) -> None:
        host_effect(lambda target, *rest, **named: method(target, *rest, **named), self.dynamic, *args, label=label, **kwargs)

    def as_object(self) -> TracedList:
        """This list as a Python list at run time: a restart where it is not one already."""
        if self.dynamic is None or self.is_native:
            self.restructure(PYTHON_OBJECT)
        return self

    def typed(self, method: Any, argument: Any, label: str) -> Any:
        """A host call that gives an element, with the type that elements are known to have."""
        if isinstance(self.kind, Array):
            dims = tuple(active().fresh_atom("d", "item") for _ in self.kind.dims)
            return host_array(method, (self.dynamic, argument), None, self.kind.dtype, dims, label, pure=False)
        return host_object(method, self.dynamic, argument, label=label)

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        note_read(self)
        if self.dynamic is None:
            if isinstance(key, slice):
                return TracedList.made(list.__getitem__(self, self.known_position(key)))
            known = constant_items(list.copy(self)) if is_place_of_run(key) else None
            if known is not None:
                return known.get(key)
            index = self.static_index(key)
            return list.__getitem__(self, index) if self.dynamic is None else self[key]
        if isinstance(key, slice):
            return self.slice_copy(key)
        if self.is_native:
            return self.native.get(key)
        return self.typed(item_of, key, "list item")

    def listed(self) -> Any:
        """The run-time list as an argument of a host call."""
        note_read(self)
        return self if self.is_native else self.dynamic

    def holds_functions(self) -> bool:
        """Whether a list of known structure holds functions only, whose closures a list of the run could not have."""
        note_read(self)
        return self.dynamic is None and list.__len__(self) > 0 and all(isinstance(item, FUNCTIONS) for item in list.__iter__(self))

    def static_index(self, key: Any) -> Any:
        """An index of a static list; one that only the run knows asks for another structure."""
        key = content_of(key)
        if isinstance(key, StagedScalar):
            if key.size is not None and not isinstance(key.size, int):
                demand_atoms(active(), key.size)
            if not isinstance(key.size, int):
                self.foresee(common_kind(list.copy(self)) or PYTHON_OBJECT)
                return key
            return key.size
        if isinstance(key, StagedObject):
            self.restructure(PYTHON_OBJECT)
        return key

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        self.note_write()
        if self.dynamic is None:
            self.set_static(key, value)
        elif isinstance(key, slice):
            if not slice_writes.assign(self, position(key), value):
                self.as_object().dynamic_effect(list.__setitem__, key, value, label="list slice assignment")
        elif self.is_native:
            value = self.accept(value)
            self.native.replace(key, value)
        else:
            host_effect(operator.setitem, self.dynamic, key, self.accept(value), label="list item assignment")

    @acts_for_program
    def set_static(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            slice_writes.assign_known(self, key, value)
            return
        index = self.static_index(key)
        if self.dynamic is not None:
            self[key] = value
            return
        if not hasattr(index, "__index__"):
            raise TypeError(text_with_stand_ins(operator.setitem, [], key, value))
        if not -len(self) <= index.__index__() < len(self):
            raise IndexError("list assignment index out of range")
        write(EntryPlace(self, index.__index__() % len(self)), value)

    @acts_for_program
    def __delitem__(self, key: Any) -> None:
        if not self.change():
            list.__delitem__(self, self.known_position(key))
        elif self.is_native and is_int(key):
            place, length = key, self.length()
            for is_inside in (place >= -length, place < length):
                check(truth(is_inside), IndexError, "list assignment index out of range")
            self.native.pop(place)
        elif self.is_native and isinstance(key, slice) and slice_writes.is_of_ints(position(key)):
            slice_writes.delete(self, position(key))
        else:
            self.as_object().dynamic_effect(list.__delitem__, key, label="del list item")

    def length(self) -> Any:
        """`len(self)`, staged where only the run knows it."""
        note_read(self)
        if self.dynamic is None:
            return list.__len__(self)
        if self.is_native:
            return self.native.length()
        result = host_scalar(len, self.dynamic, dtype=INT, weak=True, label="len")
        result.bits = 48
        return result

    def __len__(self) -> int:
        note_read(self)
        if self.dynamic is not None:
            self.ask_for_items()
            return demand_python(StagedScalar(constant(INT.type(0)), True), "length")
        return list.__len__(self)

    def __iter__(self) -> Iterator[Any]:
        note_read(self)
        if self.dynamic is not None:
            self.ask_for_items()
            demand_python(self.length(), "elements")
        return list.__iter__(self)

    def copy(self) -> TracedList:
        return self[:]

    @acts_for_program
    def __add__(self, other: Any) -> Any:
        if isinstance(other, Undecided):
            return distribute(other, lambda plain: self + plain)
        if is_numpys(other):
            return NotImplemented
        name = other.type_name if isinstance(other, StagedScalar) else name_of_text(other)
        if name is not None:
            raise TypeError(f'can only concatenate list (not "{name}") to list')
        note_read(self)
        if self.dynamic is None and not (isinstance(other, Dynamic) and other.dynamic is not None):
            return listed(list.copy(self) + (list(other) if isinstance(other, list) else other))
        if isinstance(other, TracedList):
            made = self.joined_natively("list +", [(self, slice(None)), (other, slice(None))])
            if made is not None:
                return made
        return self.joined(lambda x, y: list(x) + (list(y) if isinstance(y, tuple) and isinstance(other, list) else y), other)

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        return TracedList.made([*other, *self])

    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError("unhashable type: 'list'")

    def __eq__(self, other: Any) -> Any:
        note_read(self)
        if self.dynamic is None and not (isinstance(other, TracedList) and other.dynamic is not None):
            return list.__eq__(self, other)
        return host_bool(lambda x, y: x == y, self if self.dynamic is None else self.listed(), other, label="list ==")


TracedList.__name__ = TracedList.__qualname__ = "list"  # in the texts of errors that Python raises itself; from 3.14 on with their modules
TracedList.__module__ = "builtins"
NativeList.list_class = TracedList
