"""What a program leaves in the caller's Python objects: the content of lists and dicts, attributes, globals, captured variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from types import FunctionType
from typing import Any

import numpy as np

from autograph_jit.backends.cpu.entry_places import ValuePlace, value_place
from autograph_jit.backends.cpu.row_writers import store_values
from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.opdef import Effect
from autograph_jit.ir.types import ListType
from autograph_jit.ops.dispatch import Boxed, is_followed, unboxed
from autograph_jit.records import dataclass
from autograph_jit.runtime.settings import fallback_here
from autograph_jit.tensor.tensor import Tensor
from autograph_jit.tracing.aliasing.escapes import expect_one, object_made_of
from autograph_jit.tracing.aliasing.families import relatives
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.aliasing.instances import expect_apart
from autograph_jit.tracing.aliasing.journal import AttributePlace, CellPlace, EntryPlace, Journal
from autograph_jit.tracing.containers.copied_rows import WrittenRows
from autograph_jit.tracing.containers.entries import pairs_as_dict
from autograph_jit.tracing.containers.gaps import only_grow
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.tables import Table
from autograph_jit.tracing.inputs.inputs import Inputs
from autograph_jit.tracing.joining.list_references import is_read_in_place
from autograph_jit.tracing.objects.callers_rows import find_origin
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.dynamic import Dynamic
from autograph_jit.tracing.structures.dict_rows import class_of_rows, is_dict_row
from autograph_jit.tracing.structures.getters import Getter, Known
from autograph_jit.tracing.structures.guards import is_opaque
from autograph_jit.tracing.structures.rebuilding import LeafValues, Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import OfTheRun, StagedArray, StagedScalar, TaggedScalar, Undefined
from autograph_jit.tracing.values.trace import Restart, user_span
from autograph_jit.tracing.values.types import PYTHON_OBJECT, ListOf
from autograph_jit.transforms.aliases import Aliases

Args = tuple[Any, ...]
CLOSING_GAPS = ("table_renumber", "list_keep")  # that others have left


class RunValues(LeafValues):
    """The leaves of one run, with the arguments of the call."""

    def __init__(self, values: Any, args: Args) -> None:
        super().__init__(values)
        self.args = args


Store = Callable[[], None]
Write = Callable[[RunValues], Store]  # finds what is to be written, and where; nothing is stored before all has been found


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """An input of the call itself, as a part of the result."""

    getter: Getter

    def __call__(self, values: Any) -> Any:
        return self.getter(values.args)


@dataclass(frozen=True, slots=True, eq=False)
class MaybeArgument:
    """A list that may be one of the call's, which `arguments` tells by the numbers that tell lists from others."""

    identity: int
    arguments: tuple[tuple[int, Getter], ...]
    build: Rebuild

    def __call__(self, values: Any) -> Any:
        found = (getter for place, getter in self.arguments if values[place] == values[self.identity])
        getter = next(found, None)
        return self.build(values) if getter is None else getter(values.args)


class ProgramTemplate(Template):
    """A template that knows the inputs: they are returned as the very objects of the call."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self.getters = {id(staged): getter for _, staged, getter in inputs.arrays.values()}
        self.values = {id(staged.value): getter for _, staged, getter in inputs.arrays.values()}
        self.containers = {id(staged): getter for staged, _, getter in inputs.lists}
        self.containers |= {id(staged): getter for staged, getter, _ in (*inputs.containers, *inputs.only_read)}
        self.containers |= {id(staged): getter for staged, getter in inputs.views}
        self.values.update(inputs.tensors)
        self.inputs, self.origins = inputs, inputs.origins
        self.boxes = inputs.boxes

    def of_leaf(self, x: Any) -> Rebuild:
        """Where a Tensor came in, arrays and NumPy scalars go out as Tensors, Python's numbers as numbers."""
        rebuild = super().of_leaf(x)
        if not self.boxes or not isinstance(x, StagedArray | StagedScalar):
            return rebuild
        if isinstance(x, TaggedScalar):
            tag, choices = self.choices_of(x)

            def number(values: Any) -> Any:
                place, make = choices[int(unboxed(values[tag]))]
                return number_or_tensor(values[place], make)

            return number
        if isinstance(x, StagedScalar):
            position, kind = self.leaves.position(x.value), x.python_type
            return lambda values: number_or_tensor(values[position], kind)
        return lambda values: as_tensor(rebuild(values))

    def of(self, x: Any) -> Rebuild:
        """Inputs are the objects of the call; lists, dicts and instances that may be one object leave as references."""
        expect_list_iterator(x)
        expect_apart(x, self.is_seen)
        merged = getattr(x, "merged", None) if isinstance(x, Dynamic) else None
        if merged is not None and any(member is not x and self.is_seen(member) for member in merged.members):
            merged.keep_apart()
        getter = self.containers.get(id(x)) or (self.values.get(id(x.value)) if isinstance(x, StagedArray) else None)
        find_origin(self.inputs, x)
        known = self.origins.get(id(x))
        is_object = not isinstance(x, (OfTheRun, tuple)) and not (callable(x) and is_opaque(x))
        if getter is None and known is not None and known[0] is x and is_object:
            getter = known[1]
        if getter is not None:
            return Argument(getter)
        if (made := object_made_of(x)) is not None:
            return self.of_leaf(made)
        expect_one(x)
        build = super().of(x)
        arguments = self.arguments_among(relatives(x)) if isinstance(x, (TracedList, Table)) and x.is_native else ()
        return MaybeArgument(self.leaves.position(x.native.identity), arguments, build) if arguments else build

    def is_seen(self, container: Any) -> bool:
        """Whether a container leaves, or is the caller's."""
        return id(container) in self.shared or id(container) in self.containers

    def arguments_among(self, lists: list[Any]) -> tuple[tuple[int, Getter], ...]:
        """Those of some lists that are the call's and of which compiled code has the parts."""
        return tuple(
            (self.leaves.position(x.native.identity), self.containers[id(x)])
            for x in lists
            if id(x) in self.containers and not is_read_in_place(x)
        )


def expect_list_iterator(x: Any) -> None:
    """An iterator leaves compiled code as one over a list; where Python may make the call instead, one of another type is refused."""
    if isinstance(x, Cursor) and type(x).__name__ != "list_iterator" and fallback_here.get() == "warn":
        what, why = f"this {type(x).__name__} leaves the compiled function", "it would be a list_iterator there"
        raise ConversionError(what, user_span(), why, "return a list of its items")


def as_tensor(x: Any) -> Any:
    """An array or number as a Tensor."""
    return x if isinstance(x, Boxed) else Tensor(x)


def number_or_tensor(x: Any, kind: Any) -> Any:
    """A number of a type: NumPy's are Tensors, and so is what a tape follows."""
    return as_tensor(x) if issubclass(kind, np.generic) or (kind in (float, complex) and is_followed(x)) else kind(unboxed(x))


@dataclass(frozen=True, slots=True, eq=False)
class ContentWrite:
    """Gives a list or dict argument its new content, by `store`; `stand_in` is the identity of what stands for it, which goes with the
    trace."""

    stand_in: int
    getter: Getter
    build: Rebuild
    store: Callable[[Any, Any], None]

    def __call__(self, values: RunValues) -> Store:
        return partial(self.store, self.getter(values.args), self.build(values))


@dataclass(frozen=True, slots=True, eq=False)
class AttributeWrite:
    """Gives the caller's instances the values that an attribute has in compiled code, or dicts those of a key that is new, where there are
    any; `heap` is the position of what holds them."""

    stand_in: int
    heap: int
    kind: type
    name: str
    place: ValuePlace | None
    build: Rebuild

    def __call__(self, values: RunValues) -> Store:
        objects = values[self.heap].objects.get(self.kind, [])
        return partial(store_values, class_of_rows(self.kind), self.name, self.place, objects, self.build(values))


@dataclass(frozen=True, slots=True, eq=False)
class PlaceWrite:
    """Gives an attribute, a global or another place of this kind a value of the run."""

    kind: type
    getter: Getter
    name: Any
    build: Rebuild

    def __call__(self, values: RunValues) -> Store:
        item = self.build(values)
        owner = self.getter(values.args)
        if self.kind is AttributePlace and not isinstance(item, Undefined) and sets_in_c(type(owner)):
            return partial(setattr, owner, self.name, item)
        return partial(self.kind(owner, self.name).write, item)


def sets_in_c(kind: type) -> bool:
    """Whether no code of the class's own sets its attributes."""
    return not isinstance(kind.__setattr__, FunctionType)


def container_writes(
    inputs: Inputs, template: ProgramTemplate, only_read: frozenset[int] = frozenset(), is_exit: bool = False
) -> list[Write]:
    """What to do to list and dict arguments whose content changed, or may have, so far: not to those that are `only_read`. At an exit no
    operation follows that could close the gaps of tables."""
    writes: list[Write] = []
    has_tables = any(isinstance(staged, (Table, WrittenRows)) for staged, *_ in inputs.containers)
    has_grown = has_tables and not is_exit and only_grow(inputs.trace.graph)
    for staged, getter, before in inputs.containers:
        store = add_entries if has_grown else replace_content
        if isinstance(staged, WrittenRows):
            if id(staged) not in only_read:
                writes.append(ContentWrite(id(staged), getter, staged.contents(template, not has_grown), partial(store_each, store)))
            continue
        note_read(staged)
        if id(staged) in only_read or (staged.dynamic is None and same_content(staged, before)):
            continue
        is_table = isinstance(staged, Table) and staged.is_native
        store = store if is_table else replace_content
        build = staged.native.entries(template, pairs_as_dict) if is_table and is_exit else content_builder(template, staged)
        writes.append(ContentWrite(id(staged), getter, build, store))
    for staged, table, name, _ in attributes_in_lists(inputs):
        if id(staged) not in only_read:
            heap = template.leaves.position(inputs.instances.value.value)
            if isinstance(staged.kind, ListOf):
                template.leaves.position(staged.native.parts[0])  # or what is put into the list would be put there in vain
                build = partial(column_in, heap, table.kind, name)
            else:
                build = content_builder(template, staged)
            writes.append(AttributeWrite(id(staged), heap, table.kind, name, place_under(table.kind, name), build))
    return writes


def place_under(kind: Any, name: str) -> ValuePlace | None:
    """Where the objects of a table have what is under a name; None of dicts that may not have it."""
    if is_dict_row(kind) and name not in kind.row_keys:
        return None
    return ValuePlace(entry=kind.row_keys.index(name)) if is_dict_row(kind) else value_place(kind, name)


def column_in(heap: int, kind: type, name: str, values: Any) -> Any:
    """The lists that are an attribute, in the list that they were given to compiled code in, which is written back by now."""
    return values[heap].columns[kind, name]


def attributes_in_lists(inputs: Inputs) -> list[Any]:
    """The attributes of the caller's instances that are lists of compiled code."""
    return [] if inputs.instances is None else inputs.instances.columns


def only_read(inputs: Inputs) -> frozenset[int]:
    """Which lists of compiled code among the arguments a complete trace does not change: no operation but those that filled them does
    more than read what may be one of them."""
    lists = [(staged, before) for staged, _, before in inputs.containers] + [
        (staged, before) for staged, _, _, before in attributes_in_lists(inputs)
    ]
    given = [(staged, before) for staged, _, before in inputs.only_read if any(x.key != staged.key for x in relatives(staged))]
    lists += given
    filled = {id(staged): frozenset(before) for staged, before in lists if staged.is_native and isinstance(before, tuple)}
    parts = [(part, id(staged)) for staged, _ in lists if id(staged) in filled for part in staged.native.parts]
    if not parts:
        return frozenset()
    aliases = Aliases(inputs.trace.graph)
    owners: dict[Any, set[int]] = {}
    for part, owner in parts:
        for root in aliases.roots(part):
            owners.setdefault(root, set()).add(owner)
    changed = {owner for part, owner in parts if part.owner not in filled[owner]}
    for operation in inputs.trace.graph.walk():
        if not operation.regions and operation.opdef.effect is not Effect.PURE and operation.name not in CLOSING_GAPS:
            roots = chain.from_iterable(map(aliases.roots, touched_by(operation)))
            changed |= {owner for root in roots for owner in owners.get(root, ()) if operation not in filled[owner]}
    for staged, _ in given:
        if id(staged) in changed:  # under another name
            raise Restart(("dynamic", staged.key, PYTHON_OBJECT))
    return frozenset(filled.keys() - changed)


def touched_by(operation: Operation) -> list[Value]:
    """The operands that an operation may change, or put into a list, through which they may be changed later."""
    lists = [x.type for x in operation.written if isinstance(x.type, ListType)]
    is_all = operation.opdef.effect is not Effect.WRITE or any(isinstance(type_.elem, ListType) for type_ in lists)
    return operation.operands if is_all else operation.written


def content_builder(template: ProgramTemplate, staged: Any) -> Rebuild:
    """The new content of a container argument, built fresh."""
    return Template.container_builder(template, staged)


def same_content(staged: Any, before: Any) -> bool:
    """Whether a static container still holds the very same items."""
    if isinstance(staged, list):
        return list.__len__(staged) == len(before) and all(x is y for x, y in zip(list.__iter__(staged), before))
    return list(dict.keys(staged)) == list(before) and all(dict.__getitem__(staged, key) is value for key, value in before.items())


def replace_content(target: Any, content: Any) -> None:
    """Give a real list or dict its new content."""
    if isinstance(target, list):
        target[:] = content
    else:
        target.clear()
        target.update(content)


def store_each(store: Callable[[Any, Any], None], targets: list[Any], contents: list[Any]) -> None:
    """The same of several."""
    for target, content in zip(targets, contents):
        store(target, content)


def add_entries(target: dict[Any, Any], content: dict[Any, Any]) -> None:
    """The same of a dict that has lost no entry: those that it had keep their places."""
    target.update(content)


def place_writes(inputs: Inputs, journals: Iterable[Journal], template: ProgramTemplate) -> list[Write]:
    """What to do to attributes and globals that the function wrote; `journals` are those of the regions under way, the outermost first."""
    writes: list[Write] = []
    written = {key: entry for journal in reversed(list(journals)) for key, entry in journal.before.items()}
    for place, before in written.values():
        value = place.read()
        found = inputs.trace.outside.opened.get(place.key, before)  # in a later call it may hold something else than in the first
        if value is found or isinstance(place.owner, Dynamic):
            continue
        if isinstance(place, CellPlace) and place.key not in inputs.trace.outside.opened:
            continue  # a variable of a function that the trace has made
        find_origin(inputs, place.owner)
        known = inputs.origins.get(id(place.owner))
        if (
            known is None
            and not isinstance(place, CellPlace)
            and not (isinstance(place, EntryPlace) and isinstance(place.owner, dict))
            and not isinstance(place.owner, type)
        ):
            continue
        getter = known[1] if known is not None else Known(place.owner)
        build = template.of(value)
        writes.append(PlaceWrite(type(place), getter, place.name, build))
    return writes


def write_all(stores: list[Store]) -> None:
    """Store what was found for all of them: an attribute that is written leads to another object afterwards."""
    for store in stores:
        store()
