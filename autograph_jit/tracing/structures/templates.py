"""Structures of values: finding the staged leaves of nested containers, and rebuilding the structure from run-time values."""

from __future__ import annotations

import copy
import dataclasses
import gc
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import Value
from autograph_jit.records import dataclass
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from autograph_jit.tracing.plain.undefined import expect_reachable
from autograph_jit.tracing.structures import made_containers
from autograph_jit.tracing.structures.rebuilding import (
    Entries,
    Fixed,
    Instance,
    Items,
    Leaf,
    LeafValues,
    Number,
    ReadOnlyLeaf,
    Rebuild,
    Shared,
    TaggedNumber,
    with_fields,
)
from autograph_jit.tracing.values.abstract import (
    Maybe,
    NumberArray,
    StagedArray,
    StagedObject,
    StagedScalar,
    TaggedScalar,
    Undefined,
    is_staged,
)
from autograph_jit.tracing.values.trace import active, current, emit, user_span
from autograph_jit.weak import WeakKeys

MISSING = object()
SLOTS: WeakKeys[type, tuple[str, ...]] = WeakKeys()
SEQUENCES = (list, tuple, set, frozenset, deque)
CONTAINERS = (*SEQUENCES, dict)
CODE = (FunctionType, ModuleType, CodeType)


class Leaves:
    """Graph values in order of first use; the same value is kept once."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.positions: dict[int, int] = {}

    def position(self, value: Value) -> int:
        """The index of `value`, appended if new."""
        found = self.positions.get(id(value))
        if found is None:
            found = self.positions[id(value)] = len(self.values)
            self.values.append(value)
        return found


@dataclass(slots=True, eq=False)
class Cyclic:
    """A list, dict or instance that refers to itself: made first, and filled when its content is rebuilt."""

    key: int
    make: Callable[[], Any]
    build: Rebuild | None = None
    is_met_inside: bool = False

    def __call__(self, values: Sequence[Any]) -> Any:
        values = values if isinstance(values, LeafValues) else LeafValues(values)
        if self.key not in values.memo:
            made = values.memo[self.key] = self.make()
            assert self.build is not None
            fill(made, self.build(values))
        return values.memo[self.key]


@dataclass(slots=True, eq=False)
class Changed:
    """A copy of an instance of the caller's, or of the dict of one, with some attributes of the run, which may refer to it."""

    key: int
    base: Rebuild
    fields: list[tuple[str, Rebuild]] = dataclasses.field(default_factory=list)

    def __call__(self, values: Sequence[Any]) -> Any:
        values = values if isinstance(values, LeafValues) else LeafValues(values)
        if self.key not in values.memo:
            made = values.memo[self.key] = copy.copy(self.base(values))
            for name, field in self.fields:
                store_or_drop(made, name, field(values))
        return values.memo[self.key]


def store_or_drop(made: Any, name: str, item: Any) -> None:
    """Set an attribute of an instance, or an item of the dict of one; delete it where it has no value."""
    if isinstance(made, dict):
        made[name] = item
        if isinstance(item, Undefined):
            del made[name]
    elif not isinstance(item, Undefined):
        object.__setattr__(made, name, item)
    elif name in (fields_of(made) or {}):
        object.__delattr__(made, name)


OF_KIND: dict[type, Callable[[Template, Any], Any]] = {}
"""How exceptions (`BaseException`) and functions, methods and classes (`FunctionType`) are rebuilt; None where one stands as it is. What is
to be done before a `set` is."""


class Template:
    """How to rebuild one structure. Containers met twice are rebuilt once. With `convert`, numbers become of the Python type that the plain
    program has; without, the leaves stand as they are given. With `of_call`, objects of the caller's are those of each call; `for_text`:
    Python writes them as a text, which it does of a copy too. `is_late`: an operation is recorded that fails before anything that would
    be recorded here."""

    is_late = False

    def __init__(self, leaves: Leaves | None = None, convert: bool = True, of_call: bool = False, for_text: bool = False) -> None:
        self.leaves = leaves or Leaves()
        self.convert, self.of_call, self.for_text = convert, of_call, for_text
        self.shared: dict[int, tuple[Any, Rebuild]] = {}

    def of(self, x: Any) -> Rebuild:
        """A function from the run-time leaf values to the structure `x`."""
        if is_staged(x):
            return self.of_leaf(x)
        expect_reachable(x)
        made_containers.expect_original(x)
        if self.of_call and (inputs := active().inputs) is not None and (found := inputs.object_of_call(x)) is not None:
            return self.of_callers(x, found)
        if isinstance(x, CONTAINERS) or hasattr(type(x), "__template__") or contains_staged(values_of_fields(x)) or is_made_here(x):
            return self.of_container(x)
        if (trace := current()) is not None and id(x) in trace.created and (isinstance(x, BaseException) or made_containers.is_own_copy(x)):
            return OF_KIND[BaseException](self, x) if isinstance(x, BaseException) else self.of_container(x)
        if isinstance(x, slice):
            parts = [self.of(part) for part in (x.start, x.stop, x.step)]
            return lambda values: slice(*(part(values) for part in parts))
        if self.of_call and isinstance(x, MethodType) and (inputs := active().inputs) is not None and inputs.is_reached(x.__self__):
            function, owner = x.__func__, self.of(x.__self__)
            return lambda values: MethodType(function, owner(values))
        if isinstance(x, (FunctionType, MethodType, type)):
            return OF_KIND[FunctionType](self, x) or Fixed(x)
        if refers_to_staged(x):
            raise ConversionError(
                f"this {type(x).__name__} holds numbers or arrays that only the run knows",
                user_span(),
                "what it is made of cannot be put in their place when the program runs",
                "make it outside of the compiled function",
            )
        return (OF_KIND[FunctionType](self, x) if isinstance(x, partial) else None) or Fixed(made_containers.without_place(x))

    def of_key(self, x: Any) -> Rebuild:
        """A key that the trace knows: as it is, but for instances that the program makes, of which each run has its own."""
        return Fixed(x) if made_here_in(x) is None else self.of(x)

    def of_leaf(self, x: Any) -> Rebuild:
        if isinstance(x, Maybe):
            expect_reachable(x.absent)
            present, content, absent = self.of(x.present), self.of(x.content), x.absent
            return lambda values: content(values) if present(values) else absent
        if isinstance(x, StagedObject) and hasattr(type(x), "__template__"):
            return x.__template__(self)  # type: ignore[no-any-return]
        if isinstance(x, NumberArray) and self.convert:
            return Leaf(self.leaves.position(emit("full", x.value, dims=()).result))
        index = self.leaves.position(x.value)
        if not self.convert:
            return lambda values: values[index]
        if isinstance(x, TaggedScalar):
            return TaggedNumber(*self.choices_of(x))
        if isinstance(x, StagedScalar):
            return Number(index, x.python_type)
        return Leaf(index) if not isinstance(x, StagedArray) or x.writeable else Shared(-1 - index, ReadOnlyLeaf(index))

    def choices_of(self, x: TaggedScalar) -> tuple[int, list[tuple[int, Callable[[Any], Any]]]]:
        """Where the tag of a number is found, and for each of its types where the number of that is, and the type."""
        index, tag = self.leaves.position(x.value), self.leaves.position(x.tag)
        whole = index if x.whole is None else self.leaves.position(x.whole)
        return tag, [(whole if dtype.kind in "iu" else index, type_) for (dtype, _), type_ in zip(x.kinds, x.python_types)]

    def of_callers(self, x: Any, found: StagedObject) -> Rebuild:
        """An object of the caller's; where the program sets attributes of it, a copy that has them if only its text is asked for, and
        else an object of the run: Python might keep it, or ask which it is."""
        base, names = self.of_leaf(found), active().inputs.changed_names(x)
        if not names:
            return base
        if not self.for_text:
            active().inputs.expect_unchanged(x)
        if id(x) not in self.shared:
            changed = Changed(id(x), base)
            self.shared[id(x)] = (x, changed)
            fields = x if isinstance(x, dict) else fields_of(x) or {}
            changed.fields = [(name, self.of(fields.get(name, Undefined(name)))) for name in names]
        return self.shared[id(x)][1]

    def of_container(self, x: Any) -> Rebuild:
        known = self.shared.get(id(x))
        if known is not None:
            if isinstance(known[1], Cyclic):
                known[1].is_met_inside = True
            return known[1]
        if (trace := current()) is not None and trace.inputs is not None:
            trace.inputs.note_whole(x)
        cyclic = Cyclic(id(x), partial(emptied, x))
        self.shared[id(x)] = (x, cyclic)
        build = cyclic.build = self.container_builder(x)
        if not cyclic.is_met_inside:
            self.shared[id(x)] = (x, Shared(id(x), build))
        return self.shared[id(x)][1]

    def container_builder(self, x: Any) -> Rebuild:
        if hasattr(type(x), "__template__"):
            return x.__template__(self)
        fields = [(name, self.of(value)) for name, value in (fields_of(x) or {}).items()]
        build, kind, slots = self.content_builder(x), type(x), slot_names(type(x))
        OF_KIND[FunctionType](self, kind)
        if build is None or not fields:
            return build or Instance(kind, fields, slots)
        return lambda values: with_fields(build(values), fields, slots, values)

    def content_builder(self, x: Any) -> Rebuild | None:
        base = made_containers.library_base(type(x))
        if isinstance(x, dict):
            content, factory = (x.items() if base is None else base.items(x)), made_containers.dict_factory(x)
            return Entries(factory, [(self.of(key), self.of(value)) for key, value in content])
        if type(x) is set and len(x) > 1:
            OF_KIND[set](self, x)
        if isinstance(x, SEQUENCES):
            return Items(made_containers.sequence_factory(x), [self.of(part) for part in (x if base is None else base.__iter__(x))])
        return made_containers.value_factory(x)


def emptied(x: Any) -> Any:
    """A container like x without its content."""
    if isinstance(x, dict):
        return made_containers.dict_factory(x)(())
    if isinstance(x, (list, set, deque)):
        return made_containers.sequence_factory(x)(())
    if isinstance(x, (tuple, frozenset)):
        raise ConversionError(f"a {type(x).__name__} that refers to itself", user_span(), "it cannot be rebuilt part by part", "use a list")
    return Instance(type(x), [], ())(())


def fill(made: Any, like: Any) -> None:
    """Put the content of one container into an empty one of the same kind."""
    if isinstance(made, (dict, set)):
        made.update(like)
    elif isinstance(made, (list, deque)):
        made.extend(like)
    else:
        for name, value in (fields_of(like) or {}).items():
            if name in slot_names(type(made)):
                object.__setattr__(made, name, value)
            else:
                made.__dict__[name] = value


def values_of_fields(x: Any) -> list[Any]:
    """The attributes of an instance that is no function."""
    fields = fields_of(x)
    return list(fields.values()) if fields and not callable(x) else []


def fields_of(x: Any) -> dict[str, Any] | None:
    """The attributes of an instance, in its dictionary and in the slots of a user's class; None where there are neither."""
    if isinstance(x, (type, BaseException, ModuleType, partial)):  # asked for its dictionary, a partial has one and is no longer merged
        return None
    fields = getattr(x, "__dict__", None)
    kind: Any = type(x)
    slots = slot_names(kind)
    if not slots:
        return fields if isinstance(fields, dict) else None
    filled = {name: value for name in slots if (value := getattr(x, name, MISSING)) is not MISSING}
    return {**filled, **fields} if isinstance(fields, dict) else filled


def slot_names(kind: Any) -> tuple[str, ...]:
    """The names of a user's class's slots, private ones mangled; looked up once."""
    found = SLOTS.get(kind)
    return SLOTS.setdefault(kind, find_slot_names(kind)) if found is None else found


def find_slot_names(kind: Any) -> tuple[str, ...]:
    if kind.__module__ in NEVER_CONVERTED:
        return ()
    return tuple(name for base in kind.__mro__ for name, value in vars(base).items() if isinstance(value, MemberDescriptorType))


def is_made_by_object(kind: Any) -> bool:
    """Whether `object.__new__` makes the instances of a class, by way of what the user wrote in the place of it or not."""
    new = kind.__new__
    if not isinstance(new, FunctionType) or new.__module__ in NEVER_CONVERTED:
        return new is object.__new__
    return next(made for base in kind.__mro__ if isinstance(made := vars(base).get("__new__"), BuiltinFunctionType)) is object.__new__


def is_user_instance(x: Any) -> bool:
    """Whether an object is nothing but its class, written by the user, and its attributes."""
    kind: Any = type(x)
    return kind.__module__ not in NEVER_CONVERTED and is_made_by_object(kind) and fields_of(x) is not None


def is_made_here(x: Any) -> bool:
    """Whether the traced program makes this instance: every run makes its own."""
    trace = current()
    return trace is not None and id(x) in trace.created and (is_user_instance(x) or type(x) is SimpleNamespace)


def made_here_in(x: Any, depth: int = 3) -> Any:
    """An instance that the traced program makes and that stands somewhere in these containers; None where there is none."""
    if isinstance(x, (list, tuple, frozenset, dict)) and depth > 0 and getattr(x, "dynamic", None) is None:
        found = (made_here_in(item, depth - 1) for item in (x.values() if isinstance(x, dict) else x))
        return next((instance for instance in found if instance is not None), None)
    return x if is_made_here(x) else None


def refers_to_staged(x: Any) -> bool:
    """Whether an object that is no container of Python's refers to a staged leaf, as a partial does, or an object of a library in C."""
    if not gc.is_tracked(x) or isinstance(x, (type, BaseException, *CODE)):
        return False
    return contains_staged([part for part in gc.get_referents(x) if not isinstance(part, (type, *CODE))], 3)


def contains_staged(x: Any, depth: int = 6) -> bool:
    """Whether a staged leaf stands somewhere in these containers and instances, which may be chained without end."""
    waiting, seen = [(x, depth)], dict[int, int]()  # with the depth to which what stands inside has been looked through
    for found, left in waiting:
        if is_staged(found) or hasattr(type(found), "__staged_object__") or hasattr(type(found), "__autograph_chosen__"):
            return True
        if isinstance(found, BaseException):
            waiting += [(part, left - 2) for part in (*vars(found).values(), *BaseException.args.__get__(found))]  # type: ignore[attr-defined]
            continue
        if left <= 0:
            continue
        if isinstance(found, (dict, *SEQUENCES)) and getattr(found, "dynamic", None) is not None:
            return True
        if seen.get(id(found), 0) >= left:
            continue
        seen[id(found)] = left
        if isinstance(found, dict):
            waiting += [(value, left - 1) for value in found.values()]
            waiting += [(key, 2) for key in found]
        elif isinstance(found, SEQUENCES):
            waiting += [(item, left - 1) for item in found]
        elif isinstance(found, slice):
            waiting += [(part, left - 1) for part in (found.start, found.stop, found.step)]
        elif isinstance(found, partial):
            waiting += [(part, left - 1) for part in (found.func, found.args, found.keywords)]
        elif dataclasses.is_dataclass(found) and not isinstance(found, type):
            waiting += [(value, left - 2) for value in (fields_of(found) or {}).values()]
        elif left > 1:
            seen[id(found)] = depth
            waiting += [(value, 5) for value in values_of_fields(found)]
    return False


def staged_leaves(x: Any) -> list[StagedScalar | StagedArray | StagedObject]:
    """The staged leaves of nested containers, in order."""
    if isinstance(x, Maybe):
        return [x.present, *staged_leaves(x.content)]
    if isinstance(x, (StagedScalar, StagedArray, StagedObject)):
        return [x]
    if isinstance(x, dict):
        return [leaf for value in x.values() for leaf in staged_leaves(value)]
    if isinstance(x, SEQUENCES):
        return [leaf for item in x for leaf in staged_leaves(item)]
    return []
