"""The caller's instances as rows of tables: those that its lists hold, and those that these refer to.

Before: `def step(bodies): ...` of a list of 1,000 instances: 7,000 inputs and a guard for each
After:  one input, what the lists of the call hold (`heaps.Heap`), under one guard; a native list for each attribute that is used
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, NoReturn

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import OBJECT, ArrayType
from autograph_jit.ops.direct_calls import READS_INSTANCES
from autograph_jit.tracing.aliasing.references import COLUMN, InstanceReference
from autograph_jit.tracing.aliasing.row_classes import as_no_rows, as_row_too, may_be_rows
from autograph_jit.tracing.aliasing.shared_objects import few_reachable, may_differ_elsewhere
from autograph_jit.tracing.containers.copied_rows import CopiedRow
from autograph_jit.tracing.containers.dict_tables import new_table
from autograph_jit.tracing.containers.instance_tables import InstanceTable
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import NativeList, repeat
from autograph_jit.tracing.hosting.host_calls import host, host_object
from autograph_jit.tracing.joining.descriptions import compose
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.structures.dict_rows import class_of_rows, is_dict_row, row_class_of
from autograph_jit.tracing.structures.getters import Applied, Getter
from autograph_jit.tracing.structures.heaps import Heap, HeapPlan, lists_of_rows, no_entries, parts_of_attribute, rows_of_list
from autograph_jit.tracing.structures.item_parts import TYPES, kind_of_entries
from autograph_jit.tracing.structures.templates import fields_of
from autograph_jit.tracing.values.abstract import OfTheRun, StagedObject
from autograph_jit.tracing.values.key_kinds import is_key_kind
from autograph_jit.tracing.values.trace import Restart, Trace, active, at_the_beginning, emit
from autograph_jit.tracing.values.types import (
    PYTHON_OBJECT,
    STORED_TEXT,
    ListOf,
    OneOf,
    Optional,
    Reference,
    Scalar,
    TableOf,
    Tuple,
    ValueType,
    join_items,
)

UNKNOWN_ITEM: Any = TYPES[complex]  # what empty lists hold of which nothing is known: hardly ever with anything else
FEW_WITH_TEXTS = 8  # instances: with no more, Python has done its work before their texts are read


def kind_of_instances(trace: Trace, x: Any) -> Reference | TableOf | None:
    """The type of the items of a list of instances, which can be rows of tables, or of a dict of such; None of any other container."""
    if type(x) not in (list, dict):
        return None
    found = reference_to(trace, x if type(x) is list else list(x.values()))
    if found is None or any(issubclass(kind, tuple) for kind in found.kinds):
        return None
    if type(x) is list:
        return found
    key = kind_of_entries(x)
    return TableOf(key, found) if key is not None and key.is_flat and is_key_kind(key) else None


def reference_to(trace: Trace, values: list[Any]) -> Reference | None:
    """The type of instances, or of dicts with the same texts as keys; None where any cannot be rows of a table."""
    kinds = {row_class_of(x for x in values if type(x) is dict) if kind is dict else kind for kind in set(map(type, values))}
    if any(kind is None or not may_be_rows(trace, kind) for kind in kinds):
        return None
    if not all(fields_of(x) for x in {type(x): x for x in values}.values() if type(x) is not dict):
        return None
    found = join_items(Reference((kind,)) for kind in kinds if kind is not None)
    return found if isinstance(found, Reference) else None


class CallersInstances:
    """What a trace knows of the instances in the lists of a call. `columns`: the attributes in compiled code, which may be written."""

    def __init__(self, inputs: Any) -> None:
        self.inputs = inputs
        self.plan = HeapPlan()
        self.getters: list[Getter] = []
        self.lists: list[list[Any]] = []
        self.value: StagedObject | None = None
        self.columns: list[tuple[TracedList, InstanceTable, str, tuple[Operation, ...]]] = []
        self.listed: set[Any] = set()  # the decisions that find the attributes early that are lists of instances

    def add_list(self, x: list[Any], source: Reference, getter: Getter, key: Any) -> tuple[TracedList, tuple[Operation, ...]]:
        """The stand-in of a list of instances, and the operations that fill it."""
        root = len(self.lists)
        self.plan.roots.append(source.kinds)
        self.getters.append(getter)
        self.lists.append(x)
        if self.value is None:
            gathered = Applied(self.plan.gather, self.getters)  # type: ignore[arg-type]  # lists that are found later are added
            self.value = StagedObject(self.inputs.parameter(OBJECT, gathered, "instances"), Heap)
        staged = TracedList()
        staged.key, staged.depth, staged.is_argument = key, 0, True
        self.take_tables(source)
        self.open_columns()
        return staged, self.fill(staged, source, partial(rows_of_list, kinds=source.kinds, root=root))

    def take_tables(self, source: Reference) -> None:
        """The first rows of the tables of these classes are the caller's."""
        for kind in source.kinds:
            table = self.inputs.trace.aliasing.tables.setdefault(kind, new_table(kind))
            if table.callers is None and table.names:
                table.give_up()
            if table.callers is None:
                table.columns.clear()  # opened before these were known
            table.callers = self

    def open_columns(self) -> None:
        """The attributes that earlier traces found, as long as there are new ones of instances that are known by now."""
        trace = self.inputs.trace
        wanted = {decision[1:] for decision in trace.decisions if decision[0] == "attribute"}
        while any(self.new_references(trace.aliasing.tables[kind], name) for kind, name in wanted if kind in trace.aliasing.tables):
            pass  # what is found by one attribute has others
        found = True
        while found:
            tables = [(trace.aliasing.tables[kind], name) for kind, name in wanted if kind in trace.aliasing.tables]
            found = any(name not in table.columns and table.callers is self and table.has(name) for table, name in tables)

    def fill(self, staged: TracedList, source: ValueType, read: Callable[[Heap], Any]) -> tuple[Operation, ...]:
        """Make a native list of items of a kind whose parts Python reads; it may hold items of other kinds later."""
        trace = active()
        known = decided(trace, staged.key)
        kind = join_items({source, *([] if known is None else [known])})
        with at_the_beginning(trace):
            before = len(trace.block.operations)
            if source == STORED_TEXT:
                texts = host_object(read, self.value, label=READS_INSTANCES, pure=True, fails=False)
                staged.kind, staged.native = kind, NativeList.of_object(kind, texts)
                staged.dynamic = staged.native.parts[0]
                return tuple(trace.block.operations[before:])
            if isinstance(source, ListOf):
                (found,) = host(read, (self.value,), types=ListOf(source).parts, label=READS_INSTANCES, pure=True, fails=False)
                staged.kind, staged.native = kind, NativeList(source, [found.value, emit("list_identity", found.value).result])
                staged.native.rows.add(row_of(staged.key, source.item))
                staged.dynamic = found.value
                return tuple(trace.block.operations[before:])
            arrays = self.read(read, source)
            staged.become(kind)
            if kind == source:
                for part, array in zip(staged.native.parts, arrays, strict=True):
                    emit("list_extend", part, array)
            else:
                push_each(staged, source, arrays)
            return tuple(inner for operation in trace.block.operations[before:] for inner in walked(operation))

    def read(self, read: Callable[[Heap], Any], source: ValueType) -> list[Value]:
        """The vectors of the parts of a type that Python reads from the instances."""
        dims = (active().fresh_atom("d", "rows"),)
        types = tuple(ArrayType(part.dtype, dims) for part in source.parts)  # type: ignore[union-attr]
        return [found.value for found in host(read, (self.value,), types=types, label=READS_INSTANCES, pure=True, fails=False)]

    def fields(self, kind: type) -> tuple[str, ...]:
        """The attributes of the instances of a class."""
        if is_dict_row(kind):
            return kind.row_keys  # type: ignore[attr-defined, no-any-return]
        found = self.plan.found(self.lists).objects.get(kind)
        return tuple(fields_of(found[0]) or ()) if found else ()

    def new_references(self, table: InstanceTable, name: str) -> bool:
        """Note the classes of the instances that an attribute refers to, and of those found by it; whether any was not known. What is
        known only grows, so that all is known after some steps."""
        if table.callers is not self:
            return False
        values = [table.entry(x, name, None) for x in self.plan.found(self.lists).objects.get(table.kind, ())]
        known: dict[str, Any]
        if (content := self.content_of_lists(values, ((COLUMN, table.kind, name), 0))) is not None:
            known = self.plan.lists.setdefault(table.kind, {})
            new: Any = classes_with(known.get(name, ()), content)
        else:
            held = [x for x in values if x is not None]
            content = reference_to(self.inputs.trace, held) if held and not TYPES.keys() & set(map(type, held)) else None
            if content is None:
                return False
            known = self.plan.references.setdefault(table.kind, {})
            before, had_none = known.get(name, ((), False))
            new = classes_with(before, content), had_none or len(held) < len(values)
        is_known, known[name] = known.get(name) == new, new
        if not is_known:
            self.take_tables(content)
        return not is_known

    def new_column(self, table: InstanceTable, name: str, staged: TracedList) -> None:
        """Fill the native list of an attribute."""
        while self.new_references(table, name):
            pass  # these have the attribute, too
        if any(self.new_references(other, each) for _, other, each, _ in self.columns):  # what is known already is of further classes
            raise Restart(*(("attribute", kind.kind, each) for kind, each in [(table, name), *(column[1:3] for column in self.columns)]))
        objects = self.plan.found(self.lists).objects[table.kind]
        self.expect_not_opened(objects)
        values = [table.entry(x, name, self) for x in objects]
        composite = kind_of_composite(values)
        if composite is not None:
            self.expect_composite(table, staged.key, composite)
        composite = composite or self.kind_of_empty_lists(values, staged.key)
        if composite is not None:
            self.new_composite(table, name, staged, composite)
            return
        in_lists = self.content_of_lists(values, staged.key)
        if in_lists is not None:
            self.new_lists(table, name, staged, in_lists)
            return
        held = [value for value in values if value is not None] or self.held_elsewhere(table, name)
        examples = {type(value): value for value in held}
        has_none = any(value is None for value in values)
        kind = next(iter(examples), type(None))
        is_worth_it = kind is not str or not has_none and (len(values) > FEW_WITH_TEXTS or self.plan.is_linked)
        is_held = kind in TYPES and len(examples) == 1 and is_worth_it
        content = TYPES[kind] if is_held else reference_to(self.inputs.trace, held) if held else None
        if content is None:
            raise Restart(as_no_rows(table.kind))
        targets: tuple[type, ...] = ()
        if isinstance(content, Reference):
            targets = content.kinds
            self.plan.references.setdefault(table.kind, {}).setdefault(name, (targets, has_none))
            self.take_tables(content)
        else:
            self.plan.numbers.setdefault(table.kind, {})[name] = kind, has_none
        source = Optional(content) if has_none else content
        read = partial(parts_of_attribute, kind=table.kind, name=name, targets=targets, has_none=has_none)
        self.columns.append((staged, table, name, self.fill(staged, source, read)))

    def held_elsewhere(self, table: InstanceTable, name: str) -> list[Any]:
        """What an attribute holds in instances that others lead to by attributes which the program has not used yet, where it is None in
        all that are known: in the first link of a list, say."""
        waiting = self.plan.found(self.lists).objects[table.kind].copy() if self.plan.is_linked else []
        known = set(map(id, waiting))
        for x in waiting:
            new = [each for each in (fields_of(x) or {}).values() if type(each) is table.kind and id(each) not in known]
            known |= set(map(id, new))
            waiting += new
        values = (table.entry(x, name, None) for x in waiting)
        return [value for value in values if value is not None and not isinstance(value, (OfTheRun, InstanceReference))]

    def kind_of_empty_lists(self, values: list[Any], key: Any) -> ListOf | None:
        """The type of an attribute that is an empty list in every instance: of what the program puts into these lists."""
        if any(type(value) is not list or value for value in values):
            return None
        known = decided(self.inputs.trace, key_of_rows(key))
        item = UNKNOWN_ITEM if known is None else put_into_empty(known)
        return None if item is None else ListOf(item)

    def content_of_lists(self, values: list[Any], key: Any) -> Reference | None:
        """The type of the instances in lists that are an attribute; None where these hold anything else, or nothing, or where they are
        Python's."""
        if set(map(type, values)) != {list} or PYTHON_OBJECT == decided(self.inputs.trace, key_of_rows(key)):
            return None
        found = reference_to(self.inputs.trace, list(chain.from_iterable(values)))
        return None if found is None or any(is_dict_row(kind) or issubclass(kind, tuple) for kind in found.kinds) else found

    def new_lists(self, table: InstanceTable, name: str, staged: TracedList, content: Reference) -> None:
        """The lists of an attribute that hold instances: compiled code has lists of their rows, which are only read. A recursion goes once
        through what would take longer to be read in."""
        if not self.plan.is_linked and any(region.kind == "function" for region in self.inputs.trace.regions):
            raise Restart(as_no_rows(table.kind))
        self.listed.add(("attribute", table.kind, name))
        read = partial(lists_of_rows, kind=table.kind, name=name, targets=content.kinds)
        types = ListOf(ListOf(content)).parts
        with at_the_beginning(self.inputs.trace):
            parts = [found.value for found in host(read, (self.value,), types=types, label=READS_INSTANCES, pure=True, fails=False)]
            staged.kind, staged.dynamic = ListOf(content), parts[0]
            staged.native = NativeList(staged.kind, [*parts, emit("list_identity", parts[0]).result])
        row = RowOfInstances()
        row.key, row.depth, row.kind = key_of_rows(staged.key), 0, content
        staged.native.rows.add(row)

    def expect_not_opened(self, objects: list[Any]) -> None:
        """No instance is one of which the trace has opened an attribute, as of one that was found by itself."""
        trace = self.inputs.trace
        opened = {id(place.owner) for place, _ in trace.journals[0].before.values()} if trace.journals else set()
        found = {as_row_too(x) for x in objects if id(x) in opened} - trace.decisions
        if found:
            raise Restart(*found)

    def new_empty(self, table: InstanceTable, name: str) -> TracedList:
        """The native list of a key that none of the dicts has, which the program gives to some."""
        staged = TracedList()
        staged.key, staged.depth = ((COLUMN, table.kind, name), 0), 0
        source = decided(self.inputs.trace, staged.key)
        assert isinstance(source, Optional)
        self.plan.absent.setdefault(table.kind, set()).add(name)
        read = partial(no_entries, kind=table.kind, dtypes=tuple(part.dtype for part in source.parts))  # type: ignore[union-attr]
        self.columns.append((staged, table, name, self.fill(staged, source, read)))
        return staged

    def expect_composite(self, table: InstanceTable, key: Any, kind: Tuple | ListOf) -> None:
        """The program makes nothing else of an attribute that is a tuple, or a list."""
        for each, found in ((key, kind), *([(key_of_rows(key), kind.item)] if isinstance(kind, ListOf) else [])):
            known = decided(self.inputs.trace, each)
            if known is not None and join_items({found, known}) != found:
                raise Restart(as_no_rows(table.kind))

    def new_composite(self, table: InstanceTable, name: str, staged: TracedList, kind: Tuple | ListOf) -> None:
        """The same of an attribute that is a tuple, or a list."""
        self.plan.composite.setdefault(table.kind, {})[name] = kind
        read = partial(parts_of_attribute, kind=table.kind, name=name, targets=(), has_none=False)
        self.columns.append((staged, table, name, self.fill(staged, kind, read)))

    def guard(self) -> None:
        """Guard that a later call brings instances of the same classes with attributes of the same types, and none of them by another
        way."""
        kinds = self.plan.classes
        seen = {list, *map(class_of_rows, kinds)}
        others = [(x, getter) for x, getter, _ in self.inputs.identities.values() if type(x) in seen]
        others += [(x, getter) for _, x, getter in self.inputs.lists]
        late = {("attribute", table.kind, name) for _, table, name, _ in self.columns} - self.inputs.trace.decisions
        late |= self.listed - self.inputs.trace.decisions if self.plan.is_linked else set()
        if late:  # what an operation that fails leaves has to be known before it
            raise Restart(*late)
        if not self.plan.fits(len(self.lists), *self.lists, *(x for x, _ in others)):
            alone = {as_row_too(x) for x, _ in others if type(x) in kinds} - self.inputs.trace.decisions
            raise Restart(*(alone or map(as_no_rows, kinds)))
        text = "the lists hold instances of the same classes, whose attributes are of the same types"
        check = Applied(partial(self.plan.fits, len(self.lists)), (*self.getters, *(getter for _, getter in others)))
        self.inputs.guard(check, "value", True, text)
        self.keep_from_python()

    def keep_from_python(self) -> None:
        """Guard that Python code reaches none of the instances, where it or the program may change them."""
        trace = self.inputs.trace
        roots = trace.aliasing.shared.roots
        if not roots or not any(may_differ_elsewhere(trace, staged) for staged, *_ in self.columns):
            return
        reached = few_reachable(*(x for x, _ in roots.values()))
        if reached is None or self.plan.found(self.lists).holds_any(reached):
            raise Restart(*map(as_no_rows, self.plan.classes))
        asked = (*(getter for _, getter in roots.values()), *self.getters)
        text = "Python code reaches none of the instances in the lists"
        self.inputs.guard(Applied(partial(stay_out_of_reach, self.plan, len(roots)), asked), "value", True, text)


def stay_out_of_reach(plan: HeapPlan, count: int, *found: Any) -> bool:
    """Whether none of the instances behind some lists can be reached from the objects before these."""
    heap, reached = plan.at_hand(found[count:]), few_reachable(*found[:count])
    return heap is not None and reached is not None and not heap.holds_any(reached)


def classes_with(before: tuple[type, ...], content: Reference) -> tuple[type, ...]:
    """The classes that are known, and those of what was found."""
    found = join_items({content, *(Reference((kind,)) for kind in before)})
    assert isinstance(found, Reference)
    return found.kinds


class RowOfInstances(CopiedRow):
    """A list of instances that is an attribute of one."""

    def expect_only_read(self) -> NoReturn:
        raise Restart(("dynamic", self.key, PYTHON_OBJECT))


RowOfInstances.__name__ = RowOfInstances.__qualname__ = "list"  # in the texts of errors that Python raises itself
RowOfInstances.__module__ = "builtins"


def row_of_instance(inputs: Any, x: Any, getter: Getter) -> Any:
    """The row of an instance that was found by itself, and is an item of one of the lists or referred to by one."""
    key = as_row_too(x)
    if key not in inputs.reads:
        inputs.instances = inputs.instances or CallersInstances(inputs)
        inputs.instances.plan.alone += 1
        staged, _ = inputs.instances.add_list([x], Reference((type(x),)), Applied(alone, (getter,)), key)
        with at_the_beginning(inputs.trace):
            inputs.reads[key] = x, staged.native.get(0)
    return inputs.reads[key][1]


def alone(x: Any) -> list[Any]:
    """An instance as a list of one."""
    return [x]


def put_into_empty(kind: ValueType) -> ValueType | None:
    """What a program puts into lists of which nothing was known: numbers of one type or texts; None where it is anything else."""
    parts = kind.items if isinstance(kind, OneOf) else (kind,)
    numbers = {number for part in parts if isinstance(part, Scalar) for number in part.kinds}.difference(UNKNOWN_ITEM.kinds)
    found: set[ValueType] = {STORED_TEXT} if STORED_TEXT in parts else set()
    found |= {known for known in TYPES.values() if isinstance(known, Scalar) and set(known.kinds) <= numbers}
    return found.pop() if len(found) == 1 and len(parts) <= 2 else None


def kind_of_composite(values: list[Any]) -> Tuple | ListOf | None:
    """The type of an attribute that is a tuple of numbers, or a list of numbers or of texts; None of any other."""
    found = kind_of_entries(values)
    if isinstance(found, Tuple):
        return found if all(part.number is not None for part in found.items) else None
    return found if isinstance(found, ListOf) and found.made_by is list and found.item in TYPES.values() else None


def key_of_rows(key: Any) -> Any:
    """What names the lists of an attribute across traces."""
    return ("rows of attribute", *key[0]), 0


def row_of(key: Any, kind: ValueType) -> TracedList:
    """What stands for the lists of an attribute."""
    row = TracedList()
    row.key, row.depth, row.kind = key_of_rows(key), 0, kind
    return row


def push_each(staged: TracedList, source: ValueType, arrays: list[Value]) -> None:
    """Append the elements that vectors hold the parts of."""

    def push(index: Value) -> None:
        parts = [emit("load", array, index).result for array in arrays]
        staged.native.push(compose(source, iter(parts)))

    repeat(emit("dim", arrays[0], axis=0).result, push)


def walked(operation: Operation) -> list[Operation]:
    """An operation and those of its regions."""
    return [operation, *(inner for region in operation.regions for each in region.operations for inner in walked(each))]
