"""Dicts of converted code: Python's dict while the trace knows their keys, a run-time dict afterwards."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.in_c import BESIDE
from autograph_jit.tracing.aliasing.identities import note_read
from autograph_jit.tracing.aliasing.journal import EntryPlace, write
from autograph_jit.tracing.aliasing.references import rebuilt_row
from autograph_jit.tracing.containers.arriving import put_pairs
from autograph_jit.tracing.containers.entries import (
    MISSING,
    Spread,
    is_of_run,
    merged_dict,
    pairs_as_dict,
    picked,
    present_items,
)
from autograph_jit.tracing.containers.native_lists import NativeList
from autograph_jit.tracing.containers.table_views import Keys, TableView, listed, rows_of
from autograph_jit.tracing.containers.tables import MAX_BRANCHES, NOT_A_KEY, Table, by_cases_of_key, most_branches
from autograph_jit.tracing.hosting.host_calls import host_array, host_bool, host_effect, host_object, host_scalar
from autograph_jit.tracing.sequences.dynamic import Dynamic, decided, kind_of, register, row_kind, table_kind
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.rebuilding import Entries, Rebuild
from autograph_jit.tracing.structures.templates import Template, contains_staged
from autograph_jit.tracing.texts.text import Text
from autograph_jit.tracing.values.abstract import (
    Maybe,
    StagedArray,
    StagedObject,
    StagedScalar,
    check,
    demand_python,
    may_be_missing,
)
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, in_c, note_tracer
from autograph_jit.tracing.values.types import PYTHON_OBJECT, Array, TableOf, ValueType, join_items


class TracedDict(Table, dict):
    """A dict. Static: the entries are its own; one born in a branch is a `Maybe`. Dynamic: `dynamic` is the index of a table of compiled
    code (`native`), or a Python dict at run time."""

    __rebuilt_type__: Any = dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kinds: dict[Any, Any] = {}
        note_tracer(self)

    @classmethod
    def made(cls, items: dict[Any, Any]) -> TracedDict:
        """A dict that converted code makes here."""
        pairs = list(items.items())
        spreads = [value for key, value in pairs if isinstance(key, Spread)]
        if spreads and all(isinstance(value, TracedDict) and value.is_native for value in spreads):
            return merged_dict(pairs, cls.made)
        result = cls()
        kind = register(result, "dict")
        if kind is not None:
            result.become(pairs, kind)
        elif spreads:
            result.restructure()
        else:
            dict.update(result, pairs)
        return result

    def become(self, pairs: list[tuple[Any, Any]], kind: ValueType = PYTHON_OBJECT) -> None:
        """Move the entries into a run-time dict, a table where `kind` is that of one and fits them."""
        if isinstance(kind, TableOf) and not any(isinstance(key, Spread) or may_be_missing(value) for key, value in pairs):
            kind = join_items({kind, table_kind(dict(pairs), [value for _, value in pairs])})
            if self.become_table(kind):
                for key, value in pairs:
                    self.native.put(key, value)
                return
        self.dynamic = host_object(present_items, tuple(pairs), label="dict", python_type=dict)
        for key, value in pairs:
            self.note_kind(key, value)
        if any(isinstance(key, Spread) for key, _ in pairs):
            self.kinds.clear()

    def become_as_decided(self) -> None:
        """Move the entries of an argument into a run-time dict of the kind that earlier traces asked for."""
        self.become(list(dict.items(self)), decided(active(), self.key) or PYTHON_OBJECT)

    def __template__(self, template: Template) -> Rebuild:
        note_read(self)
        if self.is_native:
            return rebuilt_row(self, template) or self.native.template(template, self.has_names, pairs_as_dict)
        if self.dynamic is not None:
            return template.of(self.dynamic)
        return Entries(dict, [(template.of_key(key), template.of(value)) for key, value in dict.items(self)])

    def note_kind(self, key: Any, value: Any) -> None:
        """Remember the type of a run-time entry under a key that the trace knows; other writes forget it."""
        if is_of_run(key):
            self.kinds.clear()
            return
        kind = kind_of(value) if isinstance(value, (StagedArray, StagedScalar)) else PYTHON_OBJECT
        known = self.kinds.get(key, kind)
        self.kinds[key] = kind if known == kind else PYTHON_OBJECT

    def content_kind(self, keys: Iterable[Any] = (), values: Iterable[Any] = ()) -> ValueType:
        present = [value.content if may_be_missing(value) else value for value in dict.values(self)]
        return table_kind([*dict.keys(self), *keys], [*present, *values])

    def kind_as_item(self) -> ValueType:
        """As of any table; where the trace knows the keys, perhaps a row of a table of such dicts."""
        is_own = type(self) is TracedDict and self.dynamic is None and self.key is not None and self.key[0] != "argument"
        return row_kind(self, super().kind_as_item()) if is_own else super().kind_as_item()

    def change(self, key: Any = None, *values: Any) -> bool:
        """Called before the set of keys changes; True where the dict is dynamic."""
        self.note_change()
        if self.dynamic is not None:
            return True
        if is_of_run(key) and (values or dict.__len__(self)):
            self.foresee(self.content_kind([key], values))
        return self.dynamic is not None

    def give_up(self, *added: Any) -> None:
        """The keys do not stay known: a restart."""
        self.restructure(self.content_kind(added[:1], added[1:]))

    def as_object(self) -> TracedDict:
        """This dict as Python's at run time: a restart where it is not."""
        if self.dynamic is None or self.is_native:
            self.restructure(PYTHON_OBJECT)
        return self

    @property
    def handed(self) -> Any:
        """The run-time dict as an argument of a host call."""
        note_read(self)
        return self if self.is_native else self.dynamic

    @acts_for_program
    def __setitem__(self, key: Any, value: Any) -> None:
        if self.change(key, value):
            if self.is_native:
                self.accept(key, value)
                self.native.put(key, value)
                return
            self.note_kind(key, value)
            host_effect(dict.__setitem__, self.dynamic, key, value, label="dict item assignment")
        elif self.is_outer():
            write(EntryPlace(self, key), value)
        else:
            dict.__setitem__(self, key, value)

    @acts_for_program
    def __getitem__(self, key: Any) -> Any:
        note_read(self)
        if self.is_native:
            return self.value_of(key)
        if self.dynamic is not None:
            return self.fetch(key)
        if is_of_run(key):
            return self.pick(key)
        value = dict.__getitem__(self, key)
        if may_be_missing(value):
            check(value.present.value, KeyError, (key if type(key) is str else repr(key)).replace("{", "{{").replace("}", "}}"))
            return value.content
        return value

    @by_cases_of_key
    def value_of(self, key: Any) -> Any:
        """An entry of a table."""
        sought = self.expected(key)
        position = self.native.find(sought)
        self.native.expect(position, sought)
        with in_c(BESIDE):
            return self.native.value_at(position)

    @by_cases_of_key
    def value_or(self, key: Any, default: Callable[[], Any]) -> Any:
        """An entry of a table, or what `default` gives where it is not there."""
        sought = self.sought(key)
        if sought is NOT_A_KEY:
            return default()
        position = self.native.find(sought)
        return language.if_exp(position >= 0, lambda: self.native.value_at(position), default)

    def pick(self, key: Any, default: Any = MISSING) -> Any:
        """An entry of a static dict under a key that only the run knows: a branch over the keys."""
        is_argument = self.key is not None and self.key[0] == "argument"
        if not self.settled() or dict.__len__(self) > (most_branches(self.content_kind([key])) if is_argument else MAX_BRANCHES):
            self.keep_for_key(self.content_kind([key]))
        return picked(key, list(dict.items(self)), default)

    def fetch(self, key: Any) -> Any:
        """An entry of a run-time dict, with the type it is known to have."""
        kind = self.kinds.get(key, PYTHON_OBJECT) if not is_of_run(key) else PYTHON_OBJECT
        if isinstance(kind, Array):
            dims = tuple(active().fresh_atom("d", "entry") for _ in kind.dims)
            return host_array(dict.__getitem__, (self.dynamic, key), None, kind.dtype, dims, "dict item", pure=False)
        if kind.number is not None:
            return host_scalar(dict.__getitem__, self.dynamic, key, dtype=kind.number[0], weak=kind.number[1], label="dict item")
        return host_object(dict.__getitem__, self.dynamic, key, label="dict item")

    @by_cases_of_key
    @acts_for_program
    def __delitem__(self, key: Any) -> None:
        if self.change(key) and self.is_native:
            sought = self.expected(key)
            self.native.expect(self.native.remove(sought), sought)
            self.native.close_many_gaps()
        elif self.dynamic is not None:
            host_effect(dict.__delitem__, self.dynamic, key, label="del dict item")
        elif dict.__len__(self) and self.is_outer():
            self.give_up(key)
        elif is_of_run(key):
            raise KeyError(key)
        else:
            dict.__delitem__(self, key)

    def settled(self) -> bool:
        """Whether the trace knows which keys there are."""
        note_read(self)
        return self.dynamic is None and not any(may_be_missing(value) for value in dict.values(self))

    def get(self, key: Any, default: Any = None, /) -> Any:
        note_read(self)
        if self.is_native:
            return self.value_or(key, lambda: default)
        if self.dynamic is not None:
            return host_object(dict.get, self.dynamic, key, default, label="dict.get")
        if is_of_run(key):
            return self.pick(key, default)
        value = dict.get(self, key, default)
        return language.if_exp(value.present, lambda: value.content, lambda: default) if may_be_missing(value) else value

    @acts_for_program
    def pop(self, key: Any, default: Any = MISSING, /) -> Any:
        note_read(self)
        self.note_change()
        rest = () if default is MISSING else (default,)
        if self.is_native:
            return self.taken(key, *rest)
        if self.dynamic is not None:
            return host_object(dict.pop, self.dynamic, key, *rest, label="dict.pop")
        if not dict.__len__(self) and is_of_run(key):
            if not rest:
                raise KeyError(key)
            return default
        if is_of_run(key):
            self.keep_for_key(self.content_kind([key]))
        if dict.__len__(self) and self.is_outer():
            self.give_up(key)
        if key in dict.keys(self):
            value = self[key]
            dict.__delitem__(self, key)
            return value
        return dict.pop(self, key, *rest)

    @by_cases_of_key
    def taken(self, key: Any, *default: Any) -> Any:
        """`pop` of a table."""
        sought = self.sought(key)
        if sought is NOT_A_KEY and not default:
            raise KeyError(key)
        if sought is NOT_A_KEY:
            return default[0]
        position = self.native.remove(sought)
        if not default:
            self.native.expect(position, sought)
        there = lambda: self.native.value_at(position)  # noqa: E731
        value = language.if_exp(position >= 0, there, lambda: default[0]) if default else there()
        self.native.close_many_gaps()
        return value

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        if self.is_native:
            self.note_change()
            self.accept(key, default)
            return self.native.value_at(self.native.put_new(key, default))
        if self.dynamic is not None:
            self.note_kind(key, StagedObject)
            return host_object(dict.setdefault, self.dynamic, key, default, label="dict.setdefault")
        if is_of_run(key):
            self.keep_for_key(self.content_kind([key], [default]))
        if isinstance(dict.get(self, key), Maybe):
            self.give_up(key, default)
        if key not in dict.keys(self):
            self[key] = default
        return self[key]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for arg in args:
            if isinstance(arg, TracedDict) and arg.is_native:
                language.for_each(arg.items(), lambda pair: self.__setitem__(*pair))
            elif isinstance(arg, StagedObject) or isinstance(arg, Dynamic) and arg.dynamic is not None:
                self.merge(arg)
            else:
                put_pairs(self, arg)
        for key, value in kwargs.items():
            self[key] = value

    def merge(self, other: Any) -> None:
        """Take over the entries of a dict, or of pairs, that only the run knows."""
        self.as_object().kinds.clear()
        host_effect(dict.update, self.dynamic, other.handed if isinstance(other, TracedDict) else other, label="dict.update")

    def clear(self) -> None:
        self.note_change()
        if self.dynamic is None and self.is_outer() and dict.__len__(self):
            self.give_up()
        if self.is_native:
            self.native.clear()
        elif self.dynamic is not None:
            host_effect(dict.clear, self.dynamic, label="dict.clear")
        else:
            dict.clear(self)

    def length(self) -> Any:
        """`len(self)`, staged where only the run knows it."""
        note_read(self)
        if self.is_native:
            return self.native.count()
        if self.dynamic is not None:
            return host_scalar(len, self.dynamic, dtype=np.dtype(np.int64), weak=True, label="len")
        count: Any = 0
        for value in dict.values(self):
            count = count + (language.if_exp(value.present, lambda: 1, lambda: 0) if may_be_missing(value) else 1)
        return count

    @by_cases_of_key
    def contains(self, key: Any) -> Any:
        """`key in self`."""
        note_read(self)
        if self.is_native:
            sought = self.sought(key)
            return False if sought is NOT_A_KEY else self.native.has(sought)
        if self.dynamic is not None:
            return host_bool(lambda items, x: x in items, self.dynamic, key, label="in dict")
        if isinstance(key, Text) and self.settled() and dict.__len__(self) <= MAX_BRANCHES:
            return language.compare("in", key, tuple(dict.keys(self)))
        if is_of_run(key) and self.content_kind([key]) != PYTHON_OBJECT and self.key is not None:
            if not dict.__len__(self):
                return False
            self.keep_for_key(self.content_kind([key]))
        if is_of_run(key):
            return host_bool(lambda keys, x: x in dict.fromkeys(keys), tuple(dict.keys(self)), key, label="in dict")
        value = dict.get(self, key, MISSING)
        if may_be_missing(value):
            return value.present
        return value is not MISSING

    def require_settled(self) -> None:
        if not self.settled():
            self.expect_known()
            if self.dynamic is not None:
                demand_python(self.length() if self.is_native else self.dynamic, "keys")
            self.give_up()

    def __len__(self) -> int:
        self.require_settled()
        return dict.__len__(self)

    def __iter__(self) -> Iterator[Any]:
        self.require_settled()
        return dict.__iter__(self)

    def keys(self) -> Any:
        return self.view(dict.keys)

    def values(self) -> Any:
        return self.view(dict.values)

    def items(self) -> Any:
        return self.view(dict.items)

    def view(self, method: Any) -> Any:
        """The keys, values or items: of a run-time dict as an object of the run, which shows what the dict holds when it is looked at."""
        if self.is_native:
            return TableView.of(self, method.__name__)
        if self.dynamic is None:
            self.require_settled()
            return method(self)
        return host_object(method, self.dynamic, label=f"dict.{method.__name__}", python_type=type(method({})))

    def rows(self) -> Indexed:
        return rows_of(self, "keys")

    def rows_one_by_one(self) -> Indexed:
        return Keys(self)

    def listed(self) -> Any:
        return listed(self, "keys")

    def copy(self) -> TracedDict:
        note_read(self)
        if self.is_native:
            return self.renamed_copy()
        return TracedDict.made({Spread(): self.dynamic} if self.dynamic is not None else dict(self.items()))

    @acts_for_program
    def popitem(self) -> Any:
        self.note_change()
        if self.is_native:
            return self.native.pop_end("last", "popitem(): dictionary is empty")
        if self.dynamic is None and (self.is_outer() or not self.settled()):
            self.give_up()
        if self.dynamic is None:
            return dict.popitem(self)
        return host_object(dict.popitem, self.dynamic, label="dict.popitem", python_type=tuple)

    def __reversed__(self) -> Any:
        return reversed(list(self))

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, (dict, StagedObject)):
            return NotImplemented
        if not contains_staged(self) and not contains_staged(other):
            return dict.__eq__(self, other)
        return host_bool(operator.eq, self, other, label="dict ==")

    def __ne__(self, other: Any) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else language.unary("not", equal)

    @acts_for_program
    def __hash__(self) -> int:  # type: ignore[override]
        raise TypeError(f"unhashable type: '{type(self).__name__}'")

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, (dict, StagedObject)):
            return NotImplemented
        if type(self) is not TracedDict:
            return self.copy().__ior__(other)
        parts = [part if part.dynamic is None else {Spread(): part.handed} for part in (self, other) if isinstance(part, TracedDict)]
        return TracedDict.made({**parts[0], **(parts[1] if len(parts) > 1 else other)})


TracedDict.__name__ = TracedDict.__qualname__ = "dict"  # in the texts of errors that Python raises itself; from 3.14 on with their modules
TracedDict.__module__ = "builtins"
NativeList.table_classes[dict] = TracedDict
