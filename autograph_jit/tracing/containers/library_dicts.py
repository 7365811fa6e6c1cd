"""`defaultdict` and `Counter` of converted code as tables of compiled code: numbers under keys that are numbers or tuples of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_tables import chosen_branch
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.tables import NOT_A_KEY
from autograph_jit.tracing.sequences.dynamic import decided, kind_of, table_kind
from autograph_jit.tracing.structures.rebuilding import Rebuild
from autograph_jit.tracing.structures.templates import Template
from autograph_jit.tracing.values.abstract import StagedObject
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import scalar
from autograph_jit.tracing.values.trace import active
from autograph_jit.tracing.values.types import NEVER, PYTHON_INT, PYTHON_OBJECT, TableOf, ValueType, join_items

NUMBERS: tuple[Any, ...] = (int, float, bool)
ROWS: tuple[Any, ...] = (list, dict, set)


class TracedDefaultDict(TracedDict):
    """A defaultdict whose factory gives one number, or an empty list, dict or set."""

    __rebuilt_type__: Any = defaultdict

    def __init__(self, factory: Callable[[], Any] | None = None) -> None:
        super().__init__()
        self.default_factory = factory

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
        if self.default_factory in ROWS:
            return self.row_of(key)
        default = made_default(self.default_factory)
        self.accept(key, default)
        return self.native.value_at(self.native.put(key, default, keeps=True))

    def row_of(self, key: Any) -> Any:
        """The list, dict or set under a key, a new one where there is none."""
        kind = join_items({self.kind, table_kind([key], [])})
        if kind != self.kind:
            self.keep_for_key(kind)
        position, is_new = self.native.insert(key)

        def add() -> None:
            row = made_default(self.default_factory)
            self.accept(key, row)
            assert self.native.values is not None
            self.native.values.push(row)

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
                language.for_each(language.collected(arg), self.count)

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


def holds_counts(x: Any) -> bool:
    """Whether a dict holds nothing but ints, as a table would."""
    if not isinstance(x, TracedDict) or x.dynamic is not None and not x.is_native:
        return False
    kind = x.kind if x.is_native else x.content_kind()
    return isinstance(kind, TableOf) and kind.value in (PYTHON_INT, NEVER)


def counter_of(keys: Iterable[Any], values: Iterable[Any]) -> Counter[Any]:
    return Counter(dict(zip(keys, values)))


def is_plain_factory(factory: Any) -> bool:
    """Whether a factory gives one number, or an empty list, dict or set: it is called while the program is traced."""
    if not isinstance(factory, FunctionType):
        return any(factory is kind for kind in (*NUMBERS, *ROWS))
    code = factory.__code__
    return not code.co_names and not code.co_freevars and not code.co_argcount and kind_of(factory()).number is not None


def made_default(factory: Any) -> Any:
    """What a factory gives, a list, dict or set as one of converted code."""
    if factory is set:
        key = active().occurrence(("set of factory",))
        return TracedSet.of_kind(decided(active(), key) or TableOf(NEVER, None), key)
    return TracedList.made([]) if factory is list else TracedDict.made({}) if factory is dict else factory()


def kind_of_dict(owner: Any, keys: tuple[Any, ...]) -> ValueType:
    """The kind of table that a defaultdict or Counter becomes, of what it holds and is asked for."""
    if type(owner) is Counter:
        default: Any = 0
    elif type(owner) is defaultdict and owner.default_factory is not None and is_plain_factory(owner.default_factory):
        default = made_default(owner.default_factory)
    else:
        return PYTHON_OBJECT
    return join_items({table_kind([*owner, *keys[:1]], [*owner.values(), default])})


def made_of_kind(kind: type, found: ValueType, key: Any, args: tuple[Any, ...]) -> TracedDict | None:
    """A defaultdict or Counter of the run that is a table; None where it is none."""
    if kind is Counter:
        made: TracedDict = TracedCounter()
    elif kind is defaultdict and args and is_plain_factory(args[0]):
        made, args = TracedDefaultDict(args[0]), args[1:]
    else:
        return None
    made.key, made.depth = key, len(active().regions)
    if not made.become_table(found):
        return None
    made.update(*args)
    return made


for _kind, _name in ((TracedDefaultDict, "defaultdict"), (TracedCounter, "Counter")):
    _kind.__name__ = _kind.__qualname__ = _name  # in the texts of errors that Python raises itself
    _kind.__module__ = "collections"
