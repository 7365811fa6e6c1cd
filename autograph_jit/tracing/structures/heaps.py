"""The instances that the lists of a call hold, and those that they refer to: gathered once when the call begins, each with its row.

All of an attribute's values are of one type, or None, which a guard checks; so one program serves all lengths and contents.
"""

from __future__ import annotations

import operator
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate, chain, pairwise, repeat
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph_jit.tracing.structures.dict_rows import class_of_rows, entry_reader, is_dict_row
from autograph_jit.tracing.structures.guards import SMALL_INT
from autograph_jit.tracing.structures.item_parts import annotation_of, read_parts
from autograph_jit.tracing.values.types import ListOf, Tuple

REFERENCE_DTYPE = np.dtype(np.int64)
MISSING = object()
NONE = type(None)
FEW_FOUND = 16  # instances: what more refer to is found for all of them at once
Distinctness = Callable[[type, list[Any]], Any]
Picker = Callable[[list[Any], list[int]], "list[Any] | None"]
EntriesReader = Callable[[list[Any]], "tuple[Any, ...] | None"]
EntriesReaders = Callable[[type, tuple[str, ...], dict[str, tuple[type, bool]]], tuple[EntriesReader, set[str]]]
Unshadowed = Callable[[list[Any]], Any]


class HeapPlan:
    """What a program takes from the instances of a call: `roots` are the classes of each list's items; of each class the attributes that
    are numbers or texts: (type, may be None), those that refer to other instances: (their classes, may be None), those that are lists of
    such: their classes; and those that are tuples, or lists of numbers or texts."""

    def __init__(self) -> None:
        self.roots: list[tuple[type, ...]] = []
        self.numbers: dict[type, dict[str, tuple[type, bool]]] = {}
        self.references: dict[type, dict[str, tuple[tuple[type, ...], bool]]] = {}
        self.lists: dict[type, dict[str, tuple[type, ...]]] = {}
        self.composite: dict[type, dict[str, Tuple | ListOf]] = {}
        self.written: set[tuple[type, str]] = set()
        self.whole: set[type] = set()  # classes of dicts of which all keys matter
        self.absent: dict[type, set[str]] = {}  # keys that none of the dicts of a class has
        self.of_class: dict[type, set[str]] = {}  # names of the class's that the program uses, under which no instance has its own
        self.alone = 0  # how many of the lists are an instance that was found by itself
        self.calls, self.instances = 0, Counter[type]()
        self.examined = threading.local()
        self.are_distinct: Distinctness | None = None  # native code, for a program that is run: whether a list holds different objects
        self.pick: Picker | None = None  # native code, too: the items of a list at some places
        self.unshadowed: dict[type, Unshadowed] = {}  # and whether the instances of a class have nothing of their own under those names
        self.readers: dict[type, EntriesReader] = {}  # what reads the numbers and texts in objects of a class
        self.is_plain = False  # whether these are all that is taken
        self.fetched: set[tuple[type, str]] = set()  # of these, what may be the class's

    def be_run(
        self,
        are_distinct: Callable[[], Distinctness],
        entries_reader: EntriesReaders,
        picker: Callable[[], Picker],
        unshadowed: Callable[[type, tuple[str, ...]], Unshadowed | None],
    ) -> None:
        """Calls of the program are about to come: native code reads the objects."""
        if self.are_distinct is None:
            for kind in {**self.numbers, **self.absent}:
                keys = kind.row_keys if is_dict_row(kind) else ()  # type: ignore[attr-defined]
                columns = {**self.numbers.get(kind, {}), **dict.fromkeys(self.absent.get(kind, ()), (NONE, False))}
                self.readers[kind], fetched = entries_reader(class_of_rows(kind), keys, columns)
                self.fetched |= {(kind, name) for name in fetched}
            self.are_distinct, self.pick = are_distinct(), picker()
            checks = {kind: unshadowed(kind, tuple(map(sys.intern, names))) for kind, names in self.of_class.items()}
            self.unshadowed = {kind: check for kind, check in checks.items() if check is not None}
            self.is_plain = not (self.composite or self.whole or self.fetched & self.written)

    def fits(self, count: int, *found: Any) -> bool:
        """Whether a later call brings instances of the same classes with attributes of the same types, and none of the objects behind the
        lists is one of these, or a list that is an attribute. Raises AttributeError where an attribute is missing."""
        lists, others = found[:count], found[count:]
        heap = self.examine(lists)
        if heap is None or any(heap.holds(x) for x in others) or not heap.keeps_apart(others, self.are_distinct):
            return False
        self.examined.heap, heap.pick = heap, self.pick
        self.calls += 1
        for kind, known in heap.objects.items():
            self.instances[kind] += len(known)
        return True

    @property
    def is_linked(self) -> bool:
        """Whether instances are found by way of others alone: of a linked list, a tree."""
        return 0 < self.alone == len(self.roots)

    @property
    def classes(self) -> set[type]:
        """The classes of the instances."""
        return {*chain(*self.roots), *self.referred}

    @property
    def referred(self) -> set[type]:
        """Those of instances that others refer to."""
        single = (kind for names in self.references.values() for targets, _ in names.values() for kind in targets)
        return {*single, *(kind for names in self.lists.values() for targets in names.values() for kind in targets)}

    def is_listed(self, kind: type) -> bool:
        """Whether the instances of a class are the items of one list and nothing else, which native code looks through."""
        return kind not in self.referred and [kinds for kinds in self.roots if kind in kinds] == [(kind,)]

    def length(self, kind: type) -> float:
        """How many instances of a class a call has brought on average."""
        return self.instances[kind] / max(self.calls, 1)

    def gather(self, *lists: list[Any]) -> Heap:
        """The instances of a call: those that its guard has just looked at."""
        found, self.examined.heap = self.at_hand(lists), None
        assert found is not None
        return found

    def at_hand(self, lists: tuple[list[Any], ...]) -> Heap | None:
        """The same, as long as they are at hand."""
        heap: Heap | None = getattr(self.examined, "heap", None)
        is_of_lists = heap is not None and len(heap.lists) == len(lists) and all(map(operator.is_, heap.lists, lists))
        return heap if is_of_lists else self.examine(lists)

    def found(self, lists: list[list[Any]]) -> Heap:
        """The instances as far as they are known while tracing."""
        heap = Heap(tuple(lists))
        for kinds, items in zip(self.roots, lists, strict=True):
            heap.add_all(kinds, items)
        self.follow(heap)
        return heap

    def examine(self, lists: tuple[list[Any], ...]) -> Heap | None:
        """The instances with their attributes; None where any has another class or type."""
        heap = Heap(lists)
        for kinds, items in zip(self.roots, lists, strict=True):
            if type(items) is not list or not self.add_root(heap, kinds, items):
                return None
        if (self.references or self.lists) and not self.follow(heap):
            return None
        if not all(self.are_of_class(kind, heap.objects.get(kind, [])) for kind in self.of_class):
            return None
        read = {kind for kind, reader in self.readers.items() if heap.take_entries(kind, reader, self.numbers.get(kind, {}))}
        return heap if self.is_plain and len(read) == len(self.readers) > 0 or self.take_rest(heap, read) else None

    def take_rest(self, heap: Heap, read: set[type]) -> bool:
        """Keep the attributes that native code has not read; whether all of them, and which there are, is as it was."""
        taken: list[Any] = [(kind, name, heap.take, how) for kind in self.numbers.keys() - read for name, how in self.numbers[kind].items()]
        taken += [(kind, name, heap.take_parts, (how,)) for kind, names in self.composite.items() for name, how in names.items()]
        if not all(are_own(kind, name, heap.objects.get(kind, [])) for kind, name in self.fetched & self.written if kind in read):
            return False
        if not all(set(map(tuple, heap.objects.get(kind, ()))) <= {kind.row_keys} for kind in self.whole):  # type: ignore[attr-defined]
            return False
        absent = ((heap.objects.get(kind, ()), name) for kind in self.absent.keys() - read for name in self.absent[kind])
        if any(any(map(operator.contains, objects, repeat(name))) for objects, name in absent):
            return False
        for kind, name, take, how in taken:
            if (kind, name) in self.written and not are_own(kind, name, heap.objects.get(kind, [])) or not take(kind, name, *how):
                return False
        return True

    def are_of_class(self, kind: type, objects: list[Any]) -> bool:
        """Whether what the program uses of a class no instance has itself."""
        check = self.unshadowed.get(kind)
        if check is not None and check(objects) is not None or not kind.__dictoffset__:
            return True
        names = self.of_class[kind]
        return all(names.isdisjoint(vars(x)) for x in objects)

    def add_root(self, heap: Heap, kinds: tuple[type, ...], items: list[Any]) -> bool:
        """Add the items of a list; whether all are of these classes."""
        is_new = len(kinds) == 1 and kinds[0] not in heap.objects
        if is_new and self.are_distinct is not None and self.are_distinct(class_of_rows(kinds[0]), items) is not None:
            heap.objects[kinds[0]] = items.copy()
        elif not set(map(type, items)) <= set(map(class_of_rows, kinds)):
            return False
        else:
            heap.add_all(kinds, items)
        return True

    def follow(self, heap: Heap) -> bool:
        """Add what attributes of the instances refer to, until nothing new is found; whether all of it is as it was."""
        done: dict[type, int] = {}
        kinds = {**self.references, **self.lists}
        while any(done.get(kind, 0) < len(heap.objects.get(kind, ())) for kind in kinds):
            for kind in kinds:
                objects = heap.objects.get(kind, [])
                new, done[kind] = objects[done.get(kind, 0) :], len(objects)
                if len(new) <= FEW_FOUND and kind not in self.lists:
                    is_as_it_was = self.follow_each(heap, kind, new)
                    done[kind] = len(objects)
                else:
                    is_as_it_was = self.follow_lists(heap, kind, new) and self.follow_all(heap, kind, new)
                if not is_as_it_was:
                    return False
        return True

    def follow_all(self, heap: Heap, kind: type, new: list[Any]) -> bool:
        """Add what attributes of some instances of a class refer to; whether that is of the classes that it was."""
        for name, (targets, has_none) in self.references.get(kind, {}).items():
            found = list(map(entry_reader(kind, name), new))
            if not set(map(type, found)) <= {*map(class_of_rows, targets), *([NONE] if has_none else [])}:
                return False
            if (kind, name) in self.written and not are_own(kind, name, new):
                return False
            heap.add_all(targets, [x for x in found if x is not None])
        return True

    def follow_each(self, heap: Heap, kind: type, new: list[Any]) -> bool:
        """The same of one after another, and of those of the class that are found so: along a linked list, each leads to one."""
        steps, waiting = [], new.copy()
        for name, (targets, has_none) in self.references.get(kind, {}).items():
            places = {class_of_rows(each): (each, heap.objects.setdefault(each, []), heap.rows_by_identity(each)) for each in targets}
            steps.append((entry_reader(kind, name), places, has_none))
        for x in waiting:
            for read, places, has_none in steps:
                found = read(x)
                if found is None and has_none:
                    continue
                if type(found) not in places:
                    return False
                target, objects, rows = places[type(found)]
                if id(found) not in rows:
                    rows[id(found)] = len(objects)
                    objects.append(found)
                    if target is kind:
                        waiting.append(found)
        return all(are_own(kind, name, waiting) for name in self.references.get(kind, ()) if (kind, name) in self.written)

    def follow_lists(self, heap: Heap, kind: type, new: list[Any]) -> bool:
        """The same of the lists of instances that are attributes of some."""
        for name, targets in self.lists.get(kind, {}).items():
            found = list(map(entry_reader(kind, name), new))
            if not set(map(type, found)) <= {list}:
                return False
            items = list(chain.from_iterable(found))
            if not set(map(type, items)) <= set(map(class_of_rows, targets)):
                return False
            heap.lists_read += found
            heap.add_all(targets, items)
        return True


def are_own(kind: type, name: str, objects: list[Any]) -> bool:
    """Whether each instance has an attribute itself: there may be one of that name in the class."""
    if is_dict_row(kind):
        return True
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), MISSING)
    return found is MISSING or isinstance(found, MemberDescriptorType) or all(map(operator.contains, map(vars, objects), repeat(name)))


class Heap:
    """The instances of one call by class, and the row of each; `columns` are their numbers, texts, tuples and lists, `present` tells of
    those that may be None which are there."""

    __slots__ = ("columns", "lists", "lists_in", "lists_read", "objects", "pick", "present", "rows")

    def __init__(self, lists: tuple[list[Any], ...]) -> None:
        self.lists = lists
        self.objects: dict[type, list[Any]] = {}
        self.rows: dict[type, dict[int, int]] = {}
        self.columns: dict[tuple[Any, Any], Any] = {}
        self.present: dict[tuple[Any, Any], np.ndarray] = {}
        self.pick: Picker | None = None  # native code
        self.lists_in: list[list[Any]] = []  # of each attribute that is a list
        self.lists_read: list[list[Any]] = []  # the lists of instances that are attributes

    def add(self, kind: type, items: list[Any]) -> None:
        """Give those that have none a row. As long as the instances of a class are the items of one list, their places are the rows."""
        if kind not in self.objects and len(set(map(id, items))) == len(items):
            self.objects[kind] = items.copy()
            return
        objects, rows = self.objects.setdefault(kind, []), self.rows_by_identity(kind)
        for x in items:
            if id(x) not in rows:
                rows[id(x)] = len(objects)
                objects.append(x)

    def add_all(self, kinds: tuple[type, ...], items: list[Any]) -> None:
        """The same of instances of several classes."""
        if len(kinds) == 1:
            self.add(kinds[0], items)
            return
        tags = class_numbers(kinds, items)
        boxes = np.fromiter(items, object, len(items))
        for place, kind in enumerate(kinds):
            self.add(kind, boxes[tags == place].tolist())

    def rows_by_identity(self, kind: type) -> dict[int, int]:
        """The row of each instance of a class."""
        found = self.rows.get(kind)
        if found is None:
            objects = self.objects.get(kind, [])
            found = self.rows[kind] = dict(zip(map(id, objects), range(len(objects))))
        return found

    def holds(self, x: Any) -> bool:
        """Whether an object is one of the instances."""
        kinds = [kind for kind in self.objects if class_of_rows(kind) is type(x)]
        kinds = [kind for kind in kinds if type(x) is not dict or all(name in x for of, name in self.columns if of is kind)]
        return any(map(operator.is_, chain.from_iterable(map(self.objects.__getitem__, kinds)), repeat(x)))

    def holds_any(self, objects: dict[int, Any]) -> bool:
        """Whether any of these objects, by identity, is one of the instances."""
        return not objects.keys().isdisjoint(map(id, chain.from_iterable(self.objects.values())))

    def keeps_apart(self, others: Iterable[Any], are_distinct: Distinctness | None = None) -> bool:
        """Whether no list is an attribute under two names, nor one of the lists among other objects, or a row of one; nor any dict one of
        those with other keys."""
        dicts = [known for kind, known in self.objects.items() if is_dict_row(kind)]
        every = list(chain(*dicts)) if len(dicts) > 1 else []
        if every and (len(set(map(id, every))) < len(every) if are_distinct is None else are_distinct(dict, every) is None):
            return False
        if not self.lists_in and not self.lists_read:
            return True
        own = [set(map(id, column)) for column in self.lists_in]
        held = set[int]().union(*own)
        lists = [x for x in others if type(x) is list]
        rest = [self.lists, lists, *(x for x in lists if list in set(map(type, x)))]
        if len(held) < sum(map(len, own)) or not held.isdisjoint(map(id, chain.from_iterable(rest))):
            return False
        read = set(map(id, self.lists_read))
        return not read or read.isdisjoint(map(id, chain.from_iterable(rest)))

    def take_parts(self, kind: type, name: str, found: Tuple | ListOf) -> bool:
        """Keep what the tuples of an attribute hold as vectors, lists as a list of them; whether all are of the type."""
        values = list(map(entry_reader(kind, name), self.objects.get(kind, ())))
        parts = read_parts(values, annotation_of(found))
        if parts is None:
            return False
        if isinstance(found, ListOf):
            self.lists_in.append(values)
            self.columns[kind, name] = values
        else:
            self.columns[kind, name] = [np.array(part, type_.dtype) for part, type_ in zip(parts, found.parts)]  # type: ignore[union-attr]
        return True

    def take_entries(self, kind: type, read: EntriesReader, numbers: dict[str, tuple[type, bool]]) -> bool:
        """Keep the numbers and texts under some names by native code; whether that knows what the objects hold."""
        columns = read(self.objects.get(kind, []))
        if columns is None:
            return False
        flags = iter(columns[len(numbers) :])
        for (name, (found, has_none)), column in zip(numbers.items(), columns):
            self.columns[kind, name] = column if found is str else np.frombuffer(column, found)
            if has_none:
                self.present[kind, name] = np.frombuffer(next(flags), bool)
        return True

    def take(self, kind: type, name: str, found: type, has_none: bool) -> bool:
        """Keep the numbers of an attribute as a vector, texts as a list; whether all are of the type, and in the range of inputs."""
        values = list(map(entry_reader(kind, name), self.objects.get(kind, ())))
        if has_none:
            self.present[kind, name] = np.fromiter((value is not None for value in values), bool, len(values))
            values = [found() if value is None else value for value in values]
        if not set(map(type, values)) <= {found}:
            return False
        if found is str:
            self.columns[kind, name] = values
            return True
        try:
            array = self.columns[kind, name] = np.array(values, found)
        except OverflowError:
            return False
        return found is not int or not values or bool(-SMALL_INT < array.min() and array.max() < SMALL_INT)


def rows_of_list(heap: Heap, kinds: tuple[type, ...], root: int) -> Any:
    """The rows of the items of a list; of several classes, also the number of each item's class."""
    items = heap.lists[root]
    if len(kinds) == 1 and kinds[0] not in heap.rows:
        return np.arange(len(items), dtype=REFERENCE_DTYPE)
    if not any(kind in heap.rows for kind in kinds):
        tags, rows = class_numbers(kinds, items), np.empty(len(items), REFERENCE_DTYPE)
        for place in range(len(kinds)):
            rows[tags == place] = np.arange(np.count_nonzero(tags == place))
        return rows, tags
    parts = rows_and_classes(heap, kinds, items)
    return parts if len(kinds) > 1 else parts[0]


def class_numbers(kinds: tuple[type, ...], items: list[Any]) -> np.ndarray:
    """Of which of several classes each instance is, 0 for None."""
    places = {NONE: 0, **{class_of_rows(kind): place for place, kind in enumerate(kinds)}}
    return np.fromiter(map(places.__getitem__, map(type, items)), REFERENCE_DTYPE, len(items))


def rows_and_classes(heap: Heap, kinds: tuple[type, ...], items: list[Any]) -> tuple[np.ndarray, ...]:
    """The rows of instances, 0 for None; of several classes, also the number of the class of each."""
    rows = {number: row for kind in kinds for number, row in heap.rows_by_identity(kind).items()}
    found = np.fromiter(map(rows.get, map(id, items), repeat(0)), REFERENCE_DTYPE, len(items))
    if len(kinds) == 1:
        return (found,)
    return found, class_numbers(kinds, items)


def parts_of_attribute(heap: Heap, kind: type, name: str, targets: tuple[type, ...], has_none: bool) -> Any:
    """The values of an attribute: rows of instances of the classes `targets`, or numbers, texts, lists, tuples by columns where there are
    none. Where one may be None, in front of them whether they are there."""
    found = list(map(entry_reader(kind, name), heap.objects.get(kind, ()))) if targets else []
    parts = rows_and_classes(heap, targets, found) if targets else (heap.columns[kind, name],)
    if has_none:
        present = np.fromiter((x is not None for x in found), bool, len(found)) if targets else heap.present[kind, name]
        return present, *parts
    return parts if len(parts) > 1 else parts[0]


def lists_of_rows(heap: Heap, kind: type, name: str, targets: tuple[type, ...]) -> Any:
    """The rows of the instances in the lists that are an attribute; of several classes, also lists of the numbers of their classes."""
    found = list(map(entry_reader(kind, name), heap.objects.get(kind, ())))
    if len(targets) == 1:
        rows = heap.rows_by_identity(targets[0])
        return [list(map(rows.__getitem__, map(id, items))) for items in found]
    stops = list(accumulate(map(len, found), initial=0))
    parts = (part.tolist() for part in rows_and_classes(heap, targets, list(chain.from_iterable(found))))
    return tuple([part[start:stop] for start, stop in pairwise(stops)] for part in parts)


def no_entries(heap: Heap, kind: type, dtypes: tuple[np.dtype, ...]) -> tuple[np.ndarray, ...]:
    """The parts of a column in which nothing is there yet."""
    return tuple(np.zeros(len(heap.objects.get(kind, ())), dtype) for dtype in dtypes)
