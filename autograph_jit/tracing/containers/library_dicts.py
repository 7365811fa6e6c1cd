"""`defaultdict` and `Counter` of converted code as tables of compiled code: numbers under keys that are numbers or tuples of them."""

from __future__ import annotations

import builtins
import collections
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from autograph_jit.originals import original_code
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.arriving import as_it_comes
from autograph_jit.tracing.containers.deques import TracedDeque
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.native_lists import NativeList, new_table
from autograph_jit.tracing.containers.native_tables import chosen_branch
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.tables import NOT_A_KEY
from autograph_jit.tracing.sequences.dynamic import KINDS_OF_MADE, decided, is_comparable, kind_of, table_kind
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import NEVER, PYTHON_INT, PYTHON_OBJECT, DequeOf, TableOf, ValueType, join_items

NUMBERS: tuple[Any, ...] = (int, float, bool)
ROWS: tuple[Any, ...] = (list, dict, set, Counter, deque)


class Factory:
    """What makes the missing entries of a defaultdict, as a part of its kind: a program makes its function anew each time it is traced."""

    def __init__(self, call: Any) -> None:
        self.call, self.code = call, getattr(call, "__code__", call)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Factory) and self.code == other.code

    def __hash__(self) -> int:
        return hash(self.code)


class TracedDefaultDict(TracedDict):
    """A defaultdict whose factory gives numbers, or lists, dicts and sets."""

    __rebuilt_type__: Any = defaultdict

    def __init__(self, factory: Factory | None = None) -> None:
        super().__init__()
        self.default_factory: Any = factory and factory.call

    def renamed(self, kind: ValueType, reference: Any) -> Any:
        made = super().renamed(kind, reference)
        made.default_factory = self.default_factory
        return made

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        factory = self.default_factory
        make: Callable[..., Any] = lambda keys, values: defaultdict(factory, zip(keys, values))  # noqa: E731
        return self.native.template(template, self.family is not None, make)

    def __ror__(self, other: Any) -> Any:
        made = self.copy()
        made.clear()
        for part in (other, self):
            made.update(part)
        return made

    def value_of(self, key: Any) -> Any:
        """An entry, made where it is missing."""
        self.note_change()
        if gives_rows(self.default_factory):
            return self.row_of(key)
        default = made_default(self.default_factory)
        self.accept(key, default)
        return self.native.value_at(self.native.put(key, default, keeps=True))

    def row_of(self, key: Any) -> Any:
        """The list, dict or set under a key, a new one where there is none."""
        kind = join_items({self.kind, table_kind([key], [], self.kind.made_by)})
        if kind != self.kind:
            self.keep_for_key(kind)
        position, is_new = self.native.insert(key)

        def add() -> None:
            rows = self.native.values
            assert rows is not None
            is_known = isinstance(rows.kind, TableOf) and not plain_default(self.default_factory)
            row = new_table(rows.kind) if is_known else made_default(self.default_factory)
            if is_known and not row.is_native:
                self.keep_for_key(PYTHON_OBJECT)
            self.accept(key, row)
            rows.push(row)

        chosen_branch(is_new, add)
        return self.native.value_at(scalar(position, True))


class TracedCounter(TracedDict):
    """A Counter; what it does besides counting and looking up, Python's does."""

    __rebuilt_type__: Any = Counter

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        return self.native.template(template, self.family is not None, counter_of)

    def value_of(self, key: Any) -> Any:
        return self.value_or(key, lambda: 0)

    @acts_for_program
    def update(self, *args: Any, **kwargs: Any) -> None:
        others = [arg for arg in args if isinstance(arg, (dict, StagedObject))]
        if kwargs or not all(map(holds_counts, others)):
            self.restructure()
        for arg in args:
            if others:
                language.for_each(arg.items(), lambda entry: self.count(*entry))
            else:
                language.for_each(as_it_comes(arg), self.count)

    def count(self, item: Any, times: Any = 1) -> None:
        """More of an item."""
        self[item] = self[item] + times

    def total(self) -> Any:
        return language.call(sum, (self.values(),), None)

    def __delitem__(self, key: Any) -> None:
        sought = self.sought(key)
        if sought is not NOT_A_KEY:
            self.note_change()
            self.native.remove(sought)
            self.native.close_many_gaps()

    def by_python(self, *args: Any, **kwargs: Any) -> Any:
        """What Python's Counter does."""
        self.restructure()

    elements = by_python


class TracedOrderedDict(TracedDict):
    """An OrderedDict: a dict of which a key goes to the end, and the first one away."""

    __rebuilt_type__: Any = OrderedDict
    changed_text = "OrderedDict mutated during iteration"
    __ror__ = TracedDefaultDict.__ror__  # type: ignore[assignment]

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        return self.native.template(template, self.family is not None, lambda keys, values: OrderedDict(zip(keys, values)))

    @acts_for_program
    def popitem(self, last: Any = True) -> Any:
        self.expect_exact(last)
        self.note_change()
        return self.native.pop_end("last" if last else "first", "dictionary is empty")

    @acts_for_program
    def move_to_end(self, key: Any, last: Any = True) -> None:
        self.expect_exact(last, last is True)
        sought = self.expected(key)
        position = self.native.find(sought)
        self.native.expect(position, sought)
        self.note_change()
        chosen_branch((position < self.native.keys.length() - 1).value, lambda: self.native.move_to_end(position))

    def expect_exact(self, last: Any, is_known: bool = True) -> None:
        """Python's where a key may be a nan, which is found as one object only, or where only the run knows which end is meant."""
        if not is_known or not isinstance(last, (bool, int)) or not is_comparable(self.kind.key) and self.kind.key != NEVER:
            self.restructure()

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, (OrderedDict, TracedOrderedDict)):
            self.restructure()
        return TracedDict.__eq__(self, other)

    __hash__ = None  # type: ignore[assignment]


def holds_counts(x: Any) -> bool:
    """Whether a dict holds nothing but ints, as a table would."""
    if not isinstance(x, TracedDict) or x.dynamic is not None and not x.is_native:
        return False
    kind = x.kind if x.is_native else x.content_kind()
    return isinstance(kind, TableOf) and kind.value in (PYTHON_INT, NEVER)


def counter_of(keys: Iterable[Any], values: Iterable[Any]) -> Counter[Any]:
    return Counter(dict(zip(keys, values)))


def plain_default(factory: Any) -> Any:
    """What a factory gives that makes numbers, tuples of them, or lists, dicts and sets of nothing else; None of any other factory."""
    if not isinstance(factory, FunctionType):
        return factory() if any(factory is kind for kind in (*NUMBERS, *ROWS)) else None
    code = original_code(factory.__code__) or factory.__code__
    called = [factory.__globals__.get(name, getattr(builtins, name, getattr(collections, name, None))) for name in code.co_names]
    is_plain = all(any(each is kind for kind in (*NUMBERS, *ROWS, defaultdict, collections)) for each in called)
    return FunctionType(code, factory.__globals__)() if is_plain and not code.co_freevars and not code.co_argcount else None


def gives_rows(factory: Any) -> bool:
    """Whether a factory gives lists, dicts or sets."""
    return isinstance(plain_default(factory), ROWS)


def is_plain_factory(factory: Any) -> bool:
    """Whether a factory may be called, or its function converted, wherever an entry is missing."""
    default = plain_default(factory)
    return isinstance(default, ROWS) or default is not None and bool(kind_of(default).is_flat)


def made_default(factory: Any) -> Any:
    """What a factory gives, a list, dict or set as one of converted code."""
    if factory is set or factory is deque:
        key = active().occurrence((factory.__name__ + " of factory",))
        made, empty = (TracedSet, TableOf(NEVER, None)) if factory is set else (TracedDeque, DequeOf(NEVER, None))
        return made.of_kind(decided(active(), key) or empty, key)
    return language.call(factory, (), None) if gives_rows(factory) else factory()


def kind_of_dict(owner: Any, keys: tuple[Any, ...] = ()) -> ValueType:
    """The kind of table that a defaultdict or Counter becomes, of what it holds and is asked for."""
    made_by: tuple[Any, ...]
    if type(owner) is Counter:
        default, made_by = 0, (Counter,)
    elif type(owner) is defaultdict and is_plain_factory(owner.default_factory):
        default, made_by = made_default(owner.default_factory), (defaultdict, Factory(owner.default_factory))
    elif type(owner) is OrderedDict:
        return table_kind([*owner, *keys[:1]], owner.values(), (OrderedDict,)) if owner else TableOf(NEVER, NEVER, (OrderedDict,))
    else:
        return PYTHON_OBJECT
    return table_kind([*owner, *keys[:1]], [*owner.values(), default], made_by)


def made_of_kind(kind: type, found: ValueType, key: Any, args: tuple[Any, ...]) -> TracedDict | None:
    """A defaultdict or Counter of the run that is a table; None where it is none."""
    if kind is Counter:
        made: TracedDict = TracedCounter()
    elif kind is OrderedDict:
        made = TracedOrderedDict()
    elif kind is defaultdict and args and is_plain_factory(args[0]):
        made, args = TracedDefaultDict(Factory(args[0])), args[1:]
    else:
        return None
    made.key, made.depth = key, len(active().regions)
    if not made.become_table(found):
        return None
    made.update(*args)
    return made


for _kind, _name in ((TracedDefaultDict, "defaultdict"), (TracedCounter, "Counter"), (TracedOrderedDict, "OrderedDict")):
    _kind.__name__ = _kind.__qualname__ = _name  # in the texts of errors that Python raises itself
    _kind.__module__ = "collections"
    NativeList.table_classes[_kind.__rebuilt_type__] = _kind
    KINDS_OF_MADE[_kind.__rebuilt_type__] = kind_of_dict
