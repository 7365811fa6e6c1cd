"""Tables of instances: a native list for each attribute of a class, a row for each instance that the program makes."""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError
from types import FunctionType, MethodType
from typing import Any, NoReturn

from autograph_jit.ir.graph import Value
from autograph_jit.ir.in_c import WHOLE
from autograph_jit.tracing.aliasing.references import COLUMN, InstanceReference
from autograph_jit.tracing.aliasing.row_classes import FORBIDDEN, as_no_rows, is_frozen
from autograph_jit.tracing.containers.item_readers import holds, rows_reader_of
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.objects_of_rows import Builders, RowObject, TableObjects, builders_for
from autograph_jit.tracing.objects.callers_objects import guard_method
from autograph_jit.tracing.objects.operator_methods import meet
from autograph_jit.tracing.sequences.dynamic import decided, kind_of
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template, fields_of
from autograph_jit.tracing.values.abstract import StagedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Restart, Trace, active, at_the_beginning, emit, in_c, is_inside
from autograph_jit.tracing.values.types import NEVER, DequeOf, Reference, TableOf, ValueType, join_items

PROBE = (object(), 0)
KNOWN_HERE = sys.getrefcount(PROBE[0])  # references to an instance of which only the trace knows
NOT_ASKED_OF_INSTANCES = {*"__init__ __init_subclass__ __class_getitem__ __slots__ __weakref__".split(), *FORBIDDEN}
NO_ATTRIBUTE = ""  # the name of the list that counts the instances of a class without attributes
OF_DATACLASSES = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")


def is_to_be_row(trace: Trace, made: Any) -> bool:
    """Whether an instance that the program has just made becomes a row."""
    return type(made) in trace.aliasing.tables and id(made) in trace.created


def as_row(trace: Trace, number: int) -> InstanceReference:
    """An instance that the program has just made, by its identity: as a row. Nobody else has it, or its constructor has put it
    somewhere."""
    entry = trace.created[number]
    if sys.getrefcount(entry[0]) > KNOWN_HERE:
        raise Restart(as_no_rows(type(entry[0])))
    made: InstanceReference = trace.aliasing.tables[type(entry[0])].add(fields_of(entry[0]) or {})
    return made


class InstanceTable:
    """The attributes of the instances of a class that the program makes."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.columns: dict[str, TracedList] = {}
        self.names: tuple[str, ...] = ()  # of the attributes of the instances that the program makes, in their order
        self.callers: Any = None  # `CallersInstances`, where the first rows are those
        self.stand_in: type[InstanceReference] | None = None

    def reference(self, row: Value) -> InstanceReference:
        """The stand-in of the instance in a row."""
        if self.stand_in is None:
            meet(active(), object.__new__(self.kind))
            self.stand_in = stand_in_of(self.kind)
        return self.stand_in(self, row)

    def entry(self, x: Any, name: str, default: Any) -> Any:
        """What an instance of the caller's has under a name."""
        return getattr(x, name, default)

    def give_up(self) -> NoReturn:
        """Trace again without rows."""
        raise Restart(as_no_rows(self.kind))

    def add(self, fields: dict[str, Any]) -> InstanceReference:
        """A new row."""
        known = self.names or (() if self.callers is None else self.callers.fields(self.kind))
        if known and known != tuple(fields) or NO_ATTRIBUTE in self.columns and fields or not fields and self.callers is not None:
            self.give_up()
        self.names = tuple(fields)
        fields = fields or {NO_ATTRIBUTE: False}
        columns = [self.column(name, value) for name, value in fields.items()]
        if self.callers is not None and self.kind in self.callers.plan.lists:
            self.give_up()
        row = emit("list_len", columns[0].native.parts[0]).result
        for column, value in zip(columns, fields.values()):
            column.native.push(value)
        return self.reference(row)

    def kind_of_entry(self, value: Any) -> ValueType:
        """The type of the items of a list of an attribute that holds such a value."""
        return kind_of(value)

    def column(self, name: str, value: Any) -> TracedList:
        """The list of an attribute, that takes values of the kind of this one."""
        found = self.columns.get(name)
        if found is None:
            found = self.columns[name] = self.new_column(name, value)
        kind = join_items({self.kind_of_entry(value), found.kind})
        if kind != found.kind:
            self.expect_native(kind)
            self.foresee(found, kind)
        return found

    def foresee(self, column: TracedList, kind: ValueType) -> None:
        """The list of an attribute has to take values of another kind: the trace goes on as if it had been of that from the beginning."""
        if self.callers is not None or NEVER in (column.kind, *column.kind.inner):
            raise Restart(("dynamic", column.key, kind))
        active().foresee(("dynamic", column.key, kind))
        column.go_on_as(kind)

    def new_column(self, name: str, value: Any) -> TracedList:
        trace, made = active(), TracedList()
        made.key, made.depth = ((COLUMN, self.kind, name), 0), 0
        if not is_inside(trace):
            self.give_up()
        if self.callers is not None and self.callers.fields(self.kind):
            self.callers.new_column(self, name, made)
            return made
        known = decided(trace, made.key)
        kind = join_items({self.kind_of_entry(value), *([] if known is None else [known])})
        self.expect_native(kind)
        inputs = trace.inputs
        is_kept = inputs is not None and (inputs.containers or inputs.lists or trace.outside.opened)
        if trace.regions and known is None and is_kept:
            trace.foresee(("dynamic", made.key, kind))
        with at_the_beginning(trace):
            made.become(kind)
        return made

    def open_column(self, name: str) -> None:
        """The list of an attribute, of the kind that earlier traces found; of the caller's instances it is filled."""
        trace, made = active(), TracedList()
        made.key, made.depth = ((COLUMN, self.kind, name), 0), 0
        known = decided(trace, made.key)
        if name not in self.columns and self.callers is None and known is not None:
            made.become(known)
            self.columns[name] = made

    def expect_native(self, kind: Any) -> None:
        """Instances with attributes that no native list holds are no rows."""
        if not kind.is_item:
            self.give_up()

    def has(self, name: str) -> bool:
        """Whether the instances have an attribute, whose list is there from now on."""
        if name not in self.columns and self.callers is not None and name in self.callers.fields(self.kind):
            self.columns[name] = self.new_column(name, None)
        return name in self.columns

    def has_method(self, name: str) -> bool:
        """Whether a name means a method of the class."""
        return isinstance(class_attribute_of(self.kind, name), FunctionType) and not self.has(name)

    def attribute(self, x: InstanceReference, name: str) -> Any:
        """`x.name`."""
        found = class_attribute_of(self.kind, name)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            guard_method(active(), self.kind, name, found)
            return language.call(found.fget, (x,), None)
        if self.has(name):
            with in_c(WHOLE):
                return self.columns[name].native.get(StagedScalar(x.value, True))
        if isinstance(found, FunctionType):
            self.guard_of_class(name, found)
            return MethodType(found, x)
        if is_constant_of_class(found) and self.has_no_rows:
            raise self.missing(name)
        if is_constant_of_class(found):
            self.note_of_class(name)
            return language.call(getattr, (self.kind, name), None)
        if isinstance(found, (staticmethod, classmethod)):
            self.guard_of_class(name, getattr(self.kind, name))
            return getattr(self.kind, name)
        if name.startswith("__") and name.endswith("__") or found is not None:
            self.give_up()
        raise self.missing(name)

    @property
    def has_no_rows(self) -> bool:
        """Whether the trace has met no instance so far, as in the first trip of a loop that makes them: nothing asks for one."""
        return self.callers is None and not self.columns

    def missing(self, name: str) -> AttributeError:
        """Python's error for an attribute that no instance has."""
        return AttributeError(f"'{self.kind.__name__}' object has no attribute '{name}'", name=name)

    def guard_of_class(self, name: str, method: Any) -> None:
        """Guard that a name means the class's method."""
        self.note_of_class(name)
        guard_method(active(), self.kind, name, method)

    def note_of_class(self, name: str) -> None:
        """None of the caller's instances may have an attribute of its own under the name."""
        if self.callers is not None:
            self.callers.plan.of_class.setdefault(self.kind, set()).add(name)

    def set_attribute(self, x: InstanceReference, name: str, value: Any) -> None:
        """`x.name = value`."""
        if is_frozen(self.kind):
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        found = class_attribute_of(self.kind, name)
        if isinstance(found, property) and isinstance(found.fset, FunctionType):
            guard_method(active(), self.kind, name, found)
            language.call(found.fset, (x, value), None)
        else:
            self.store(x, name, value)

    def store(self, x: InstanceReference, name: str, value: Any) -> None:
        """The same where the class is not asked."""
        if not self.has(name) and self.has_no_rows:
            raise self.missing(name)
        if not self.has(name) or self.callers is not None and name in self.callers.plan.lists.get(self.kind, ()):
            self.give_up()
        if self.callers is not None:
            self.callers.plan.written.add((self.kind, name))
        column = self.column(name, value)
        with in_c(WHOLE):
            column.native.replace(StagedScalar(x.value, True), value)

    def add_to(self, template: Template, builders: Builders) -> None:
        """What makes the objects of this table, and of those that it refers to. Python makes dicts, sets and deques."""
        if template.of_call or not template.convert or NO_ATTRIBUTE in self.columns:
            self.give_up()
        if self.kind in builders.tables:
            return
        if any(holds(self.columns[name].kind, (TableOf, DequeOf)) for name in self.names):
            self.give_up()
        heap = None if self.callers is None else template.leaves.position(self.callers.value.value)
        made = builders.tables[self.kind] = TableObjects(self.kind, heap)
        for name in self.names:
            column = self.columns[name]
            column.native.expect_found_rows()
            builders_for(template, column.kind)
            positions = [template.leaves.position(part) for part in column.native.parts]
            made.columns.append((name, positions, rows_reader_of(column.kind)))

    def rebuild(self, template: Template, x: InstanceReference) -> Rebuild:
        """How the instance of a row leaves."""
        return RowObject(builders_for(template, Reference((self.kind,))), self.kind, template.leaves.position(x.value))


def class_attribute_of(kind: type, name: str) -> Any:
    """What a class has under a name; None where it has nothing."""
    return next((each.__dict__[name] for each in kind.__mro__ if name in each.__dict__), None)


def is_constant_of_class(x: Any) -> bool:
    """Whether an entry of a class is found by way of its instances as it is."""
    return x is not None and not hasattr(type(x), "__get__")


def stand_in_of(kind: type) -> type[InstanceReference]:
    """The class of the stand-ins of instances of a class: with its special methods."""
    names = [name for base in kind.__mro__[:-1] for name in vars(base) if name.startswith("__") and name.endswith("__")]
    found = {name: getattr(kind, name) for name in names if name not in NOT_ASKED_OF_INSTANCES}
    methods = {name: value for name, value in found.items() if isinstance(value, FunctionType) or name in OF_DATACLASSES}
    if kind.__hash__ is not None:
        methods["__hash__"] = InstanceReference.__hash__
    if "__eq__" in methods and "__ne__" not in methods:
        methods["__ne__"] = object.__ne__
    own = {"__slots__": (), "__class__": property(lambda x: kind), "__module__": InstanceReference.__module__}
    own["__rebuilt_type__"] = getattr(kind, "__rebuilt_type__", kind)
    return type(kind.__name__, (InstanceReference,), {**methods, **own})
