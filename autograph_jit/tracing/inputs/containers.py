"""Lists, dicts and tuples among the inputs: by their structure, each item an input, or as data.

Before: `def total(x): ...` of a list of 5,000 floats, 5,000 inputs and a guard for each
After:  one input, the list itself, under one guard: all its items are floats; one program for all lengths and contents
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value, walk_block
from autograph_jit.ir.in_c import ANEW
from autograph_jit.ir.types import OBJECT
from autograph_jit.tracing.aliasing.families import PYTHON_LISTS
from autograph_jit.tracing.containers import buffers, outside
from autograph_jit.tracing.containers.callers_instances import CallersInstances, kind_of_instances
from autograph_jit.tracing.containers.copied_rows import (
    WRITTEN,
    CopiedDict,
    CopiedRow,
    CopiedSet,
    WrittenDict,
    WrittenRows,
    has_written_rows,
)
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.given_sets import GivenSet
from autograph_jit.tracing.containers.item_readers import is_of_tuples
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import NativeList, kind_of_rows
from autograph_jit.tracing.containers.native_tables import index_of_rows
from autograph_jit.tracing.containers.tuples import TracedTuple
from autograph_jit.tracing.objects.callers_objects import changed_names
from autograph_jit.tracing.sequences.dynamic import decided
from autograph_jit.tracing.structures.getters import Applied, Attribute, Entry, Getter, Known
from autograph_jit.tracing.structures.guards import SMALL_SIZE, is_constant, share_no_list
from autograph_jit.tracing.structures.item_parts import (
    PartReader,
    annotation_of,
    is_list_of_plain_items,
    is_of_several,
    items_of_rows,
    kind_of_entries,
    lists_in_tuples,
    rows_of_tuples,
)
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.key_kinds import is_key_kind, is_set_item
from autograph_jit.tracing.values.trace import Restart, Trace, at_the_beginning, emit, in_c, user_span
from autograph_jit.tracing.values.types import (
    KNOWN,
    PYTHON_OBJECT,
    InParts,
    ListOf,
    Reference,
    TableOf,
    Tuple,
    ValueType,
    join_items,
    stays_as_it_is,
)

Container = TracedList | TracedDict | GivenSet
MOST_IN_TUPLE = 64  # numbers or texts of a tuple, or of those in it, each of which is an input
Leaf = Callable[[Any, Getter, str], Any]


def container(inputs: Any, x: Any, getter: Getter, name: str, leaf: Leaf) -> Any:
    """Of the `Inputs` of a trace: a list that is data, else a structure, whose items are what `leaf` makes of them."""
    known = inputs.reads.get(("container", id(x)))
    if type(x) in (list, dict, set):
        inputs.identify(x, getter, name)
        if known is not None:
            return known[1]
    if id(x) in inputs.under_way:
        remedy = "pass what it holds, or instances that refer to each other"
        raise ConversionError(f"the {type(x).__name__} {name} holds itself", user_span(), "taking it apart would not end", remedy)
    kind = data_kind(inputs.trace, x, name)
    if kind is None:
        inputs.under_way[id(x)] = x
        staged: Any = structure(inputs, x, getter, name, leaf)
        del inputs.under_way[id(x)]
    elif isinstance(kind, Reference):
        staged = list_of_instances(inputs, x, kind, getter, name)
    elif isinstance(kind, TableOf) and isinstance(kind.value, Reference):
        staged = dict_of_instances(inputs, x, kind, getter, name)
    elif type(x) is tuple:
        staged = tuple_argument(inputs, x, getter, name, kind)
    elif isinstance(kind, TableOf) and type(x) is not list:
        staged = table_argument(inputs, x, getter, name, kind)
    else:
        staged = list_argument(inputs, x, getter, name, kind)
    inputs.reads["container", id(x)] = (x, staged)
    return staged


def structure(inputs: Any, x: Any, getter: Getter, name: str, leaf: Leaf) -> Any:
    """A list, dict or tuple of so many items, each an input of its own."""
    inputs.guard(getter, "length", (type(x), len(x)), f"{name} is a {type(x).__name__} of {len(x)}")
    if isinstance(x, dict):
        inputs.guard(Applied(tuple, (getter,)), "value", tuple(x), f"{name} has keys {list(x)}")
        entries = TracedDict({key: leaf(value, inputs.entry(getter, key), f"{name}[{key!r}]") for key, value in x.items()})
        return mutable_container(inputs, x, entries, getter, name)
    items = [leaf(value, inputs.entry(getter, index), f"{name}[{index}]") for index, value in enumerate(x)]
    if isinstance(x, list):
        staged = mutable_container(inputs, x, TracedList(items), getter, name)
        if list not in map(type, x):  # it may be a row of another argument
            note_lists(inputs, staged, x, getter, name)
        return staged
    return type(x)._make(items) if hasattr(x, "_make") else tuple(items)


def named_tuple(inputs: Any, x: Any, getter: Getter, name: str, scope: Any) -> Any:
    """A named tuple read from outside: its items are read one by one, as attributes of an instance are."""
    key = "named tuple", name, scope
    if key not in inputs.reads:
        inputs.reads[key] = container(inputs, x, getter, name, lambda item, entry, label: inputs.found(item, entry, label, id(x)))
    return inputs.reads[key]


def note_defaults(inputs: Any, function: Any) -> None:
    """The containers that are defaults of a function that is called: each is one object for all calls."""
    for x in outside.defaults_of(function):
        inputs.origins.setdefault(id(x), (x, Known(x), f"a default of {function.__name__}"))


def mutable_container(inputs: Any, x: Any, staged: TracedList | TracedDict, getter: Getter, name: str) -> TracedList | TracedDict:
    """A list or dict argument: kept at run time where an earlier trace asked for it, else remembered as it came in."""
    staged.key, staged.depth = key_of(name), 0
    block = inputs.trace.graph.block
    before: Any = len(block.operations)
    if kinds_asked_for(inputs.trace, name) - {KNOWN}:
        if holds_containers(x):
            raise Restart(("dynamic", staged.key, PYTHON_OBJECT))  # it is the caller's own, with what it holds
        with at_the_beginning(inputs.trace):
            staged.become_as_decided()
        if staged.dynamic is not None and not staged.is_native and PYTHON_OBJECT not in kinds_asked_for(inputs.trace, name):
            raise Restart(("dynamic", staged.key, PYTHON_OBJECT))  # the caller's own, where it would be a copy of Python's
    if staged.dynamic is not None:
        before = tuple(block.operations[before:])  # what fills it
        if isinstance(staged, TracedList):
            staged.is_filled = True
    else:
        before = list(staged) if isinstance(staged, list) else dict(dict.items(staged))
    inputs.containers.append((staged, getter, before))
    return staged


def data_kind(trace: Trace, x: Any, name: str, in_regions: bool = False) -> ValueType | None:
    """The kind of a list or dict argument that is data: it is longer than those whose structure is looked at first, or its length was seen
    to change, or an earlier trace asked for one of the run; and none needs to know its items or keeps it as Python's. Else None. Instances
    are read in before all loops and branches only, unless `in_regions`."""
    if type(x) is tuple and decided(trace, key_of(name)) is None:
        return kind_of_long_tuple(x)
    if type(x) not in (list, dict, set) or PYTHON_LISTS in trace.decisions:
        return None
    known = decided(trace, key_of(name))
    is_asked_for = ("size", name, 0) in trace.inputs.generalized or known is not None
    is_long = is_asked_for or len(x) > SMALL_SIZE
    if is_long and (in_regions or not trace.regions) and (found := kind_of_instances(trace, x)) is not None:
        return found if known is None or join_items((known, found)).is_native else None
    kind = (kind_of_entries(x, True) if type(x) is list else kind_of_table(x, True)) if is_long else None
    is_wider = type(x) is list and kind is not None and known is not None and join_items((known, kind)) == known
    if is_wider and (isinstance(known, Tuple) or is_of_several(known)):
        return known
    if kind is None or known is not None and join_items((known, kind)) != kind:  # a letter is a text, among others
        return None
    rows = kind.content if isinstance(kind, TableOf) and type(x) is not list else kind
    if isinstance(rows, TableOf):
        return kind if is_key_kind(rows.key) else None
    return kind if not isinstance(rows, ListOf) or decided(trace, key_of_rows(name)) in (None, rows.item) else None


def kinds_asked_for(trace: Trace, name: str) -> set[ValueType]:
    """What earlier traces asked for an argument to be."""
    return {decision[2] for decision in trace.decisions if decision[:2] == ("dynamic", key_of(name))}


def holds_containers(x: Any) -> bool:
    """Whether a list or dict holds lists, dicts or sets, which a copy would not."""
    return any(type(item) in (list, dict, set) for item in (x.values() if type(x) is dict else x))


def holds_changed(trace: Trace, x: Any) -> bool:
    """Whether a tuple holds what the program changes of the caller's."""
    return type(x) is tuple and any(outside.belongs_to_run(trace, item) or holds_changed(trace, item) for item in x)


def is_python(trace: Trace, x: Any, name: str) -> bool:
    """Whether an argument stays the container of Python's that it is: a copy would be another object where it goes."""
    if type(x) not in (list, dict):
        return False
    if PYTHON_OBJECT in kinds_asked_for(trace, name) and holds_containers(x):
        return True
    return decided(trace, key_of(name)) == PYTHON_OBJECT or outside.is_open(trace, x) and not data_kind(trace, x, name)


def is_data(inputs: Any, x: Any, name: str) -> bool:
    """Whether a container that is an attribute of an object of the caller's is read in, as one among the arguments."""
    if type(x) not in (list, dict) or id(x) in inputs.given:
        return buffers.is_viewed(inputs, x, name)
    if ("data", id(x), name) not in inputs.reads:
        asked_for = kinds_asked_for(inputs.trace, name)
        is_long = KNOWN not in asked_for and data_kind(inputs.trace, x, name, True) is not None
        is_wanted = is_long or ("read in", name) in inputs.trace.decisions
        inputs.reads["data", id(x), name] = is_wanted and PYTHON_OBJECT not in asked_for
    return bool(inputs.reads["data", id(x), name])


def read_in(inputs: Any, x: Any, getter: Getter, name: str) -> Any:
    """The stand-in of a container that is data and an attribute of an object of the caller's."""
    if type(x) not in (list, dict):
        return buffers.view(inputs, x, getter, name)
    staged = inputs.container(x, getter, name)
    inputs.read_in.append((x, staged, ("dynamic", staged.key, PYTHON_OBJECT), getter))
    return staged


def decision_to_read_in(inputs: Any, x: Any) -> tuple[Any, ...] | None:
    """What has a list or dict that is an attribute of an object of the caller's read in, of which the run asks for items, or which the
    program changes; None where it is none, one of many, or where it holds anything but numbers and texts."""
    known = inputs.origins.get(id(x))
    if known is None or not is_attribute(known[1]) or type(x) not in (list, dict) or id(x) in inputs.given:
        return None
    is_held = not x or (kind_of_entries(x) if type(x) is list else kind_of_table(x)) is not None
    is_new = is_held and not inputs.trace.decisions & {("read in", known[2]), ("dynamic", key_of(known[2]), PYTHON_OBJECT)}
    return ("read in", known[2]) if is_new else None


def guarded_contents(inputs: Any, x: Any, getter: Getter, name: str) -> Any:
    """The items of a list, tuple or dict of the caller's: constants all together under one guard, otherwise item by item."""
    if id(x) in inputs.trace.definitions.instance_dicts:  # its names are guarded, without those that the program has added
        written = changed_names(x)
        return {key: value if key in written else inputs.item(x, key, value) for key, value in x.items()}
    flat: Callable[[Any], Any] = (lambda found: tuple(found.items())) if type(x) is dict else tuple
    if is_constant(flat(x)):
        inputs.guard(Applied(flat, (getter,)), "value", flat(x), f"{name} has the same content")
        return type(x)(x)
    if type(x) is dict:
        inputs.guard(Applied(tuple, (getter,)), "value", tuple(x), f"{name} has keys {list(x)}")
        return {key: inputs.item(x, key, value) for key, value in x.items()}
    return type(x)(inputs.item(x, index, item) for index, item in enumerate(x))


def is_attribute(getter: Getter) -> bool:
    """Whether a getter finds an attribute of an argument or variable, or of such an attribute: not of one of the items of a list."""
    owner = getter.owner if isinstance(getter, Attribute) else getter
    return isinstance(getter, Attribute) and (is_attribute(owner) or not isinstance(owner, (Attribute, Entry)))


def kind_of_table(x: dict[Any, Any] | set[Any], has_lists: bool = False) -> TableOf | None:
    """The type of table that the entries of a dict, or the items of a set, make; None where they make none. Values that are tuples may hold
    lists only where it `has_lists`."""
    key, value = kind_of_entries(x), kind_of_entries(x.values(), has_lists) if isinstance(x, dict) else None
    is_known = value is not None or not isinstance(x, dict)
    is_key = key is not None and (is_key_kind(key) if isinstance(x, dict) else is_set_item(key))
    return TableOf(key, value) if key is not None and is_key and is_known else None


def is_given_set(trace: Trace, x: Any, name: str) -> bool:
    """Whether an argument is a set that is data."""
    return type(x) is set and not outside.is_changed(trace, x) and data_kind(trace, x, name) is not None


def key_of(name: str) -> tuple[str, str]:
    """What names an argument's container across traces."""
    return "argument", name


def key_of_rows(name: str) -> tuple[tuple[str, str], int]:
    """What names the lists in a list argument."""
    return ("rows of argument", name), 0


def list_argument(inputs: Any, x: list[Any], getter: Getter, name: str, kind: ValueType) -> TracedList:
    """The stand-in of a list argument that is data: its items are read in when the call begins. Numbers, texts and lists of such go back
    when it ends; of tuples that may have changed, new ones are made then."""
    before = len(inputs.trace.block.operations)
    found = kind_of_entries(x, True) if isinstance(kind, Tuple) or is_of_several(kind) else kind
    assert found is not None
    parts = lists_of_parts(inputs, getter, found, name, "items")
    staged = TracedList()
    staged.key, staged.depth, staged.kind = key_of(name), 0, kind
    staged.native = NativeList(found, [*parts, emit("list_identity", parts[0]).result])
    if found != kind:  # numbers of one type, where others may come to stand
        with in_c(ANEW):
            staged.native = staged.native.as_kind(kind)
    staged.dynamic, staged.is_argument = staged.native.parts[0], True
    if isinstance(kind, InParts) and not is_of_tuples(kind):
        staged.native.rows.add(row_of(inputs.trace, name, kind))
        note_rows(inputs, staged, staged.native, x, getter, name)
    elif has_copied_rows(kind):
        assert isinstance(kind, Tuple)
        note_lists_in_tuples(inputs, staged.native, x, getter, name)
    if isinstance(kind, Tuple) or is_of_tuples(kind) or has_copied_rows(kind) or is_of_several(kind):
        note_parts(inputs, staged, getter, has_copied_rows(kind), tuple(walk_block(inputs.trace.block, before)))
    elif not isinstance(kind, InParts):
        note_lists(inputs, staged, x, getter, name)
    return staged


def tuple_argument(inputs: Any, x: tuple[Any, ...], getter: Getter, name: str, kind: ValueType) -> TracedTuple:
    """The stand-in of a tuple argument that is data: its items are read in when the call begins, and the tuple itself is there, too."""
    inputs.guard(getter, "type", tuple, f"{name} is a tuple")
    parts = parameters(inputs, Applied(list, (getter,)), kind, name, "items")
    made = TracedTuple.of_parts(ListOf(kind, tuple), parts)
    made.items.key, made.items.depth, made.items.is_argument = key_of(name), 0, True
    made.source = StagedObject(inputs.parameter(OBJECT, getter, name), tuple)
    return made


def kind_of_long_tuple(x: tuple[Any, ...]) -> ValueType | None:
    """The type of the items of a tuple, or of tuples, of many numbers or texts; None of other tuples, and of short ones."""
    if len(x) <= MOST_IN_TUPLE and sum(len(item) for item in x if type(item) is tuple) <= MOST_IN_TUPLE:
        return None
    kind = kind_of_entries(x)
    return kind if kind is not None and stays_as_it_is(kind) else None


def note_rows(inputs: Any, staged: Container, native: NativeList, rows: list[Any], getter: Getter, name: str) -> None:
    """The lists and dicts in an argument that compiled code may change, or that may be changed elsewhere."""
    kind = native.kind
    if not has_copied_rows(kind) or any(decision[0] == WRITTEN for decision in inputs.trace.decisions):
        note_lists(inputs, staged, rows, getter, name)
    if has_copied_rows(kind):
        inputs.copies.append((name, rows, getter))
    if isinstance(kind, TableOf) and has_written_rows(inputs.trace, name):
        note_parts(inputs, WrittenRows(name, kind, native.parts, rows), getter, False, tuple(walk_block(inputs.trace.block)))


def note_lists_in_tuples(inputs: Any, native: NativeList, x: list[tuple[Any, ...]], getter: Getter, name: str) -> None:
    """The lists in the tuples of an argument, which the program only reads."""
    assert isinstance(native.kind, Tuple)
    for place, part in enumerate(native.kind.items):
        if is_list_of_plain_items(part):
            native.rows.fields[place].add(row_of(inputs.trace, name, part, is_copied=True))
    inputs.copies.append((name, lists_in_tuples(x), Applied(lists_in_tuples, (getter,))))


def note_parts(inputs: Any, staged: Container | WrittenRows, getter: Getter, is_only_read: bool, filled: Sequence[Any] = ()) -> None:
    """A container whose parts are read in, and `filled` by some operations."""
    owners = (part.owner for part in staged.native.parts)
    (inputs.only_read if is_only_read else inputs.containers).append((staged, getter, (*owners, *filled)))


def note_lists(inputs: Any, staged: Container, x: list[Any], getter: Getter, name: str) -> None:
    """The lists that are read in for an argument: it, or those that it holds."""
    shared = [other for other, known, _ in inputs.lists if not share_no_list(x, known)]
    if shared:  # where each is known by its items, a list that stands in several is one input
        raise Restart(*(("dynamic", key, KNOWN) for key in (key_of(name), *(other.key for other in shared))))
    inputs.lists.append((staged, x, getter))


def has_copied_rows(kind: ValueType) -> bool:
    """Whether the items are lists of tuples, tuples with lists, dicts or sets: what compiled code has are copies of those."""
    if isinstance(kind, Tuple):
        return any(map(is_list_of_plain_items, kind.items))
    return isinstance(kind, TableOf) or isinstance(kind, ListOf) and kind.made_by is list and isinstance(kind.item, Tuple)


def is_found(trace: Trace, name: str) -> bool:
    """Whether a container was found outside: what it holds is only read."""
    return ("as data", name) in trace.inputs.reads


def row_of(trace: Trace, name: str, kind: InParts, is_copied: bool = False) -> Any:
    """What stands for the lists, dicts or sets in an argument."""
    if isinstance(kind, TableOf):
        row: Any = CopiedSet() if kind.value is None else WrittenDict() if has_written_rows(trace, name) else CopiedDict()
    else:
        row = CopiedRow() if is_copied or has_copied_rows(kind) or is_found(trace, name) else TracedList()
    row.key, row.depth, row.kind = key_of_rows(name), 0, kind_of_rows(kind)
    return row


def table_argument(inputs: Any, x: Any, getter: Getter, name: str, kind: TableOf) -> Container:
    """The stand-in of a dict or set that is data: its columns are read in when the call begins; where they may have changed, new entries
    are made of them when it ends."""
    inputs.guard(getter, "type", type(x), f"{name} is a {type(x).__name__}")
    keys, content = Applied(list, (getter,)), kind.content
    staged: Container
    if kind.value is None:
        columns = parameters(inputs, keys, content, name, "items")
        staged = GivenSet.of_columns(kind, columns, StagedObject(inputs.parameter(OBJECT, getter, name), set))
    else:
        values = Applied(list, (Applied(dict.values, (getter,)),))
        staged = TracedDict()
        staged.be_argument(kind, parameters(inputs, keys, kind.key, name, "keys"), lists_of_parts(inputs, values, content, name, "values"))
        assert staged.native.values is not None
        if isinstance(content, InParts) and not is_of_tuples(content):
            staged.native.values.rows.add(row_of(inputs.trace, name, content))
            note_rows(inputs, staged, staged.native.values, list(x.values()), values, name)
        elif isinstance(content, Tuple) and has_copied_rows(content):
            note_lists_in_tuples(inputs, staged.native.values, list(x.values()), values, name)
    staged.key, staged.depth = key_of(name), 0
    note_parts(inputs, staged, getter, kind.value is None or has_copied_rows(content) or is_found(inputs.trace, name))
    return staged


def parameters(inputs: Any, getter: Getter, kind: ValueType, name: str, what: str) -> list[Value]:
    """A parameter for each column of items of a kind, under the guard that there are such: the list itself where items have no parts."""
    if is_of_tuples(kind):
        getter, kind = Applied(rows_of_tuples, (getter,)), ListOf(kind.inner[0])
    lists = [ListOf(part) for part in kind.inner] if isinstance(kind, TableOf) else [kind]
    form, types = annotation_of(kind), [type_ for listed in lists for type_ in ListOf(listed).parts]
    columns = Applied(PartReader(form), (getter,))
    inputs.guard(columns, "fits", kind, f"the {what} of {name} are of type {form.__name__ if isinstance(form, type) else form}")
    is_whole = not isinstance(kind, Tuple) and not has_copied_rows(kind) and not is_of_several(kind)
    return [inputs.parameter(type_, getter if is_whole else Entry(columns, place), name) for place, type_ in enumerate(types)]


def lists_of_parts(inputs: Any, getter: Getter, kind: ValueType, name: str, what: str) -> list[Value]:
    """The same; for items that are dicts or sets, whose keys and values are parameters, their tables are made first."""
    if not isinstance(kind, TableOf):
        return parameters(inputs, getter, kind, name, what)
    if kind.value is None:
        keys = parameters(inputs, Applied(items_of_rows, (getter,)), ListOf(kind.key), name, f"items of the {what}")
        return [index_of_rows(kind, keys), *keys]
    columns = parameters(inputs, getter, kind, name, what)
    return [index_of_rows(kind, columns[: len(kind.key.parts)]), *columns]


def list_of_instances(inputs: Any, x: list[Any], kind: Reference, getter: Getter, name: str) -> TracedList:
    """The stand-in of a list argument of instances, which are rows of a table."""
    inputs.instances = inputs.instances or CallersInstances(inputs)
    staged, filling = inputs.instances.add_list(x, kind, getter, key_of(name))
    inputs.containers.append((staged, getter, filling))
    return staged


def dict_of_instances(inputs: Any, x: dict[Any, Any], kind: TableOf, getter: Getter, name: str) -> TracedDict:
    """The same of a dict whose values are instances."""
    inputs.guard(getter, "type", dict, f"{name} is a dict")
    assert isinstance(kind.value, Reference)
    inputs.instances = inputs.instances or CallersInstances(inputs)
    values = Applied(list, (Applied(dict.values, (getter,)),))
    rows, filling = inputs.instances.add_list(list(x.values()), kind.value, values, ("values of argument", name))
    staged = TracedDict()
    staged.be_argument(kind, parameters(inputs, Applied(list, (getter,)), kind.key, name, "keys"), list(rows.native.parts))
    staged.key, staged.depth = key_of(name), 0
    note_parts(inputs, staged, getter, False, filling)
    return staged
