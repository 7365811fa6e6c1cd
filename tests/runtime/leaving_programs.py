"""Short programs, each a way by which a value could leave a function otherwise than by its result; `look` tells what is found outside.

A program is made anew for every way of running it: `make` gives the function and `look`. Its calls are made one after the other.
"""

from __future__ import annotations

import array
import bisect
import collections
import contextlib
import contextvars
import copy
import enum
import functools
import heapq
import io
import itertools
import json
import logging
import operator
import pickle
import queue
import struct
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import autograph_jit as ag

Program = Callable[[], tuple[Callable[..., Any], Callable[[], Any]]]
PROGRAMS: dict[str, tuple[Program, tuple[tuple[Any, ...], ...]]] = {}
KEPT: Any = None
NUMBERS = ((2,), (3,), (2,), (2.5,))
LISTS = (([19, 2, 19],), ([1, 2, 3, 4, 3],), ([1, 2, 3, 4, 3],), ([2, 2, 3],))
ARRAYS = ((np.arange(3.0),), (np.arange(4.0) + 1.0,), (np.arange(3.0),))


def nothing() -> None:
    """What there is to see outside of a program that only returns."""


def program(calls: tuple[tuple[Any, ...], ...]) -> Callable[[Program], Program]:
    """Register a program with the arguments of its calls."""

    def register(make: Program) -> Program:
        PROGRAMS[make.__name__] = make, calls
        return make

    return register


# Functions that remember


@program(LISTS)
def cache_of_a_function_of_a_list():
    def f(d):
        @functools.cache
        def a(i, j):
            return min((a(i, k) + d[i] * d[k] * d[j] + a(k, j) for k in range(i + 1, j)), default=0)

        return a(0, len(d) - 1)

    return f, nothing


@program(ARRAYS)
def cache_of_a_function_of_an_array():
    def f(d):
        @functools.cache
        def a(i):
            return d[i] if i == 0 else d[i] + 2 * a(i - 1)

        return a(len(d) - 1)

    return f, nothing


@program(NUMBERS)
def cache_of_a_function_of_a_number():
    def f(x):
        @functools.cache
        def a(i):
            return x * i

        return a(1) + a(2) + a(1)

    return f, nothing


@program(NUMBERS)
def cache_asked_by_numbers_of_the_run():
    def f(x):
        @functools.cache
        def a(i):
            return i * x

        return a(x) + a(x + 1) + a(x)

    return f, nothing


@program(((1,), (20,), (60,), (20,)))
def cache_of_a_recursion_that_the_run_ends():
    def f(n):
        @functools.lru_cache(maxsize=None)
        def fib(i):
            return i if i < 2 else fib(i - 1) + fib(i - 2)

        return fib(n)

    return f, nothing


@program(NUMBERS)
def small_cache_that_counts():
    calls: list[Any] = []

    def f(x):
        @functools.lru_cache(maxsize=2)
        def a(i):
            calls.append(i)
            return x + i

        found = [a(1), a(2), a(1), a(3), a(2), a(1)]
        return found, a.cache_info()

    return f, lambda: calls


@program(NUMBERS)
def cache_that_tells_types_apart():
    def f(x):
        @functools.lru_cache(typed=True)
        def a(i):
            return i * 2

        return a(1), a(1.0), a(True), a(x), a.cache_info().misses

    return f, nothing


@program(NUMBERS)
def cache_with_keywords():
    def f(x):
        @functools.cache
        def a(i, *, by=1):
            return x * by + i

        return a(1), a(1, by=2), a(i=1), a(1, by=2)

    return f, nothing


@program(NUMBERS)
def cache_that_is_cleared():
    def f(x):
        count = 0

        @functools.cache
        def a(i):
            nonlocal count
            count += 1
            return x * i

        a(1), a(1)
        a.cache_clear()
        a(1)
        return count, a.__wrapped__(3), count

    return f, nothing


@program(NUMBERS)
def cache_of_what_raises():
    def f(x):
        @functools.cache
        def a(i):
            if i > 2:
                raise ValueError(f"{i} with {x}")
            return x

        try:
            return a(1) + a(3)
        except ValueError as error:
            return str(error)

    return f, nothing


@program(NUMBERS)
def cache_made_by_a_call():
    def double(i):
        return i * 2

    def f(x):
        return functools.cache(double)(x) + functools.lru_cache(4)(double)(3)

    return f, nothing


@program(LISTS)
def cache_asked_in_a_loop():
    def f(d):
        @functools.cache
        def square(v):
            return v * v

        return sum(square(v) for v in d) + sum([square(i) for i in range(7)])

    return f, nothing


@program(NUMBERS)
def cache_asked_in_a_branch():
    def f(x):
        @functools.cache
        def a(i):
            return x + i

        if x > 2:
            y = a(1)
        else:
            y = a(2)
        return y + a(1)

    return f, nothing


@program(NUMBERS)
def cache_of_a_list_that_is_changed():
    def f(x):
        @functools.cache
        def row(i):
            return [x, i]

        row(1).append(5)
        return row(1), row(2)

    return f, nothing


@program(NUMBERS)
def cache_that_is_returned():
    def f(x):
        @functools.cache
        def a(i):
            return i + 1

        a(3)
        return a

    return f, nothing


@program(NUMBERS)
def cache_that_is_kept_outside():
    kept: list[Any] = []

    def f(x):
        @functools.cache
        def a(i):
            return x + i

        kept.append(a)
        return a(1)

    return f, lambda: [a(1) for a in kept]


@program(NUMBERS)
def cache_from_outside():
    @functools.cache
    def a(i):
        return i * 3

    def f(x):
        return a(x) + a(2)

    return f, lambda: [a(i) for i in (2, 3, 2.5)]


@program(NUMBERS)
def cache_from_outside_of_lists():
    @functools.cache
    def row(i):
        return [i]

    def f(x):
        row(1).append(x)
        return row(1)

    return f, lambda: row(1)


@program(NUMBERS)
def cache_from_outside_that_calls_back():
    @functools.cache
    def apply(function):
        return function(2)

    def f(x):
        return apply(lambda i: i * 5) + x

    return f, nothing


@program(NUMBERS)
def cache_from_outside_that_reads_what_the_program_writes():
    @functools.cache
    def a(i):
        return KEPT, i

    def f(x):
        global KEPT
        KEPT = x + 1
        return a(1)

    return f, lambda: (a(1), KEPT)


@program(NUMBERS)
def cached_method_of_a_new_class():
    def f(x):
        class Area:
            def __init__(self, side):
                self.side = side

            @functools.cache  # noqa: B019 - as programs have it
            def times(self, n):
                return self.side * n

        area = Area(x)
        return area.times(2) + area.times(2)

    return f, nothing


@program(NUMBERS)
def cached_method_of_a_new_instance():
    class Area:
        def __init__(self, side):
            self.side = side

        @functools.lru_cache  # noqa: B019 - as programs have it
        def times(self, n):
            return self.side * n

    def f(x):
        area = Area(x)
        return area.times(2) + area.times(2) + area.times(x)

    return f, nothing


@program(NUMBERS)
def cached_property_of_a_new_instance():
    class Area:
        def __init__(self, side):
            self.side, self.asked = side, 0

        @functools.cached_property
        def square(self):
            self.asked += 1
            return self.side * self.side

    def f(x):
        area = Area(x)
        return area.square + area.square, area.asked, area

    return f, nothing


@program(NUMBERS)
def cached_property_of_the_callers_instance():
    class Area:
        def __init__(self):
            self.side = 3

        @functools.cached_property
        def square(self):
            return self.side * self.side

    area = Area()

    def f(x):
        return area.square + x

    return f, lambda: vars(area)


@program(NUMBERS)
def cached_property_that_the_call_decides():
    class Scaled:
        factor = 1

        @functools.cached_property
        def rows(self):
            return [self.factor, 2 * self.factor]

    scaled = Scaled()

    def f(x):
        scaled.factor = x
        return scaled.rows

    return f, lambda: vars(scaled)


@program(((2,), (2.5,), (3,), ("a",)))
def function_for_each_type():
    def f(x):
        @functools.singledispatch
        def g(v):
            return "other"

        @g.register
        def _(v: int):
            return v + 1

        @g.register
        def _(v: float):
            return v + 2

        return g(x)

    return f, nothing


@program(NUMBERS)
def method_for_each_type():
    class Kind:
        @functools.singledispatchmethod
        def of(self, v):
            return "other"

        @of.register
        def _(self, v: int):
            return v + 1

    def f(x):
        return Kind().of(x)

    return f, nothing


@program(NUMBERS)
def memo_in_a_default():
    def remembered(i, x, memo={}):  # noqa: B006 - as programs have it
        if i not in memo:
            memo[i] = x * i
        return memo[i]

    def f(x):
        return remembered(1, x) + remembered(2, x)

    return f, lambda: remembered.__defaults__


@program(NUMBERS)
def memo_in_a_dict_outside():
    memo: dict[Any, Any] = {}

    def f(x):
        if x not in memo:
            memo[x] = x * 2
        memo["last"] = x
        return memo[x]

    return f, lambda: memo


@program(NUMBERS)
def memo_in_an_attribute_of_the_function():
    def g(x):
        g.seen = getattr(g, "seen", ()) + (x,)
        return g.seen

    def f(x):
        return g(x + 1)

    return f, lambda: g.seen


@program(NUMBERS)
def memo_in_a_class():
    class Store:
        found: dict[Any, Any] = {}
        last = None

        @classmethod
        def get(cls, x):
            cls.last = x
            return cls.found.setdefault(x, x * 2)

    def f(x):
        return Store.get(x)

    return f, lambda: (Store.found, Store.last)


@program(NUMBERS)
def memo_by_a_decorator_of_the_program():
    kept: dict[Any, Any] = {}

    def remember(function):
        @functools.wraps(function)
        def wrapper(*args):
            if args not in kept:
                kept[args] = function(*args)
            return kept[args]

        return wrapper

    def f(x):
        @remember
        def a(i):
            return i * 2

        return a(1) + a(x)

    return f, lambda: kept


@program(NUMBERS)
def memo_object_that_is_called():
    class Memo:
        def __init__(self, function):
            self.function, self.found = function, {}

        def __call__(self, i):
            if i not in self.found:
                self.found[i] = self.function(i)
            return self.found[i]

    def f(x):
        memo = Memo(lambda i: i * x)
        return memo(1) + memo(2) + memo(1), memo.found

    return f, nothing


@program(NUMBERS)
def memo_dict_that_fills_itself():
    class Squares(dict):
        def __missing__(self, key):
            self[key] = key * key
            return self[key]

    squares = Squares()

    def f(x):
        return squares[3] + squares[x]

    return f, lambda: dict(squares)


# What is outside


@program(NUMBERS)
def global_variable():
    def f(x):
        global KEPT
        KEPT = x * 2
        return x

    return f, lambda: KEPT


@program(NUMBERS)
def globals_as_a_dict():
    def f(x):
        globals()["KEPT"] = (x, [x])
        return x

    return f, lambda: KEPT


@program(NUMBERS)
def name_of_a_module():
    module = types.ModuleType("made_here")

    def f(x):
        module.value = x
        setattr(module, "other", [x])  # noqa: B010
        return module.value

    return f, lambda: (module.value, module.other)


def of_container(kept: Any, change: Callable[[Any, Any], Any]) -> Program:
    """A program that changes a container from outside."""

    def make():
        own = copy.deepcopy(kept)

        def f(x):
            change(own, x + 1)
            return x

        return f, lambda: own

    return make


CHANGES: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "list_append": ([], lambda kept, x: kept.append(x)),
    "list_extend": ([], lambda kept, x: kept.extend((x, [x]))),
    "list_slice": ([1, 2, 3], lambda kept, x: operator.setitem(kept, slice(1, 2), [x, x])),
    "list_unbound": ([], lambda kept, x: list.append(kept, x)),
    "list_by_map": ([], lambda kept, x: list(map(kept.append, [x, x]))),
    "list_by_reduce": ([], lambda kept, x: functools.reduce(lambda a, b: kept.append(b), [1, x, x])),
    "list_iadd": ([], lambda kept, x: operator.iadd(kept, [x])),
    "list_insert_sorted": ([1, 4, 9], lambda kept, x: bisect.insort(kept, x)),
    "list_heap": ([], lambda kept, x: heapq.heappush(kept, x)),
    "dict_item": ({}, lambda kept, x: operator.setitem(kept, "k", x)),
    "dict_key": ({}, lambda kept, x: operator.setitem(kept, x, "v")),
    "dict_update": ({}, lambda kept, x: kept.update(a=x, b=[x])),
    "dict_default": ({}, lambda kept, x: kept.setdefault("first", x)),
    "dict_unbound": ({}, lambda kept, x: dict.__setitem__(kept, "k", x)),
    "set_add": (set(), lambda kept, x: kept.add(x)),
    "deque_append": (collections.deque(maxlen=3), lambda kept, x: kept.append(x)),
    "default_dict": (collections.defaultdict(list), lambda kept, x: kept["k"].append(x)),
    "counter": (collections.Counter(), lambda kept, x: kept.update([x, x])),
    "ordered_dict": (collections.OrderedDict(), lambda kept, x: kept.update({x: x})),
    "user_dict": (collections.UserDict(), lambda kept, x: kept.update(k=x)),
    "user_list": (collections.UserList(), lambda kept, x: kept.append(x)),
    "chain_map": (collections.ChainMap({}), lambda kept, x: operator.setitem(kept, "k", x)),
    "namespace": (types.SimpleNamespace(), lambda kept, x: setattr(kept, "value", x)),
    "namespace_dict": (types.SimpleNamespace(), lambda kept, x: vars(kept).update(value=x)),
    "array_of_machine_numbers": (array.array("d"), lambda kept, x: kept.append(x)),
    "bytes_buffer": (bytearray(8), lambda kept, x: struct.pack_into("d", kept, 0, x)),
    "array_of_objects": (np.empty(2, object), lambda kept, x: operator.setitem(kept, 0, x)),
    "array_of_numbers": (np.zeros(3), lambda kept, x: operator.setitem(kept, 1, x)),
    "array_of_records": (np.zeros(2, [("a", "f8")]), lambda kept, x: operator.setitem(kept["a"], 0, x)),
}
for _name, (_kept, _change) in CHANGES.items():
    PROGRAMS[f"outside_{_name}"] = of_container(_kept, _change), NUMBERS


@program(NUMBERS)
def weak_dict_by_key():
    kept: Any = weakref.WeakKeyDictionary()
    key = types.FunctionType(nothing.__code__, {})

    def f(x):
        kept[key] = x
        return kept[key]

    return f, lambda: list(kept.values())


@program(NUMBERS)
def weak_dict_by_value():
    class Item:
        def __init__(self, value):
            self.value = value

    kept: Any = weakref.WeakValueDictionary()
    strong: list[Any] = []

    def f(x):
        item = Item(x)
        strong.append(item)
        kept["k"] = item
        return x

    return f, lambda: [item.value for item in kept.values()]


@program(NUMBERS)
def weak_reference():
    kept: list[Any] = []

    class Item:
        pass

    def f(x):
        item = Item()
        item.value = x
        kept.append(weakref.ref(item))
        return item

    return f, lambda: [reference() is None for reference in kept]


@program(NUMBERS)
def queue_outside():
    kept: Any = queue.Queue()

    def f(x):
        kept.put(x)
        return kept.qsize()

    return f, lambda: list(kept.queue)


@program(NUMBERS)
def thread_local():
    kept = threading.local()

    def f(x):
        kept.value = x
        return kept.value

    return f, lambda: kept.value


@program(NUMBERS)
def context_variable():
    kept: Any = contextvars.ContextVar("kept", default=0)

    def f(x):
        kept.set(x)
        return kept.get() + 1

    return f, kept.get


@program(NUMBERS)
def attribute_with_slots():
    class Slotted:
        __slots__ = ("a", "b")

    kept = Slotted()

    def f(x):
        kept.a = x
        setattr(kept, "b", [x])  # noqa: B010
        return kept.a

    return f, lambda: (kept.a, kept.b)


@program(NUMBERS)
def attribute_by_a_property():
    kept: list[Any] = []

    class Owner:
        @property
        def value(self):
            return kept[-1]

        @value.setter
        def value(self, new):
            kept.append(new)

    owner = Owner()

    def f(x):
        owner.value = x
        return owner.value

    return f, lambda: kept


@program(NUMBERS)
def attribute_by_a_descriptor():
    class Noted:
        def __init__(self):
            self.seen: dict[int, Any] = {}

        def __get__(self, instance, owner=None):
            return self.seen[id(instance)]

        def __set__(self, instance, value):
            self.seen[id(instance)] = value

    class Owner:
        value = Noted()

    owner = Owner()

    def f(x):
        owner.value = x
        return owner.value

    return f, lambda: list(vars(Owner)["value"].seen.values())


@program(NUMBERS)
def attribute_by_setattr():
    class Owner:
        def __setattr__(self, name, value):
            self.__dict__.setdefault("log", []).append((name, value))

    owner = Owner()

    def f(x):
        owner.value = x
        return x

    return f, lambda: vars(owner)


@program(NUMBERS)
def attribute_of_a_class():
    class Owner:
        count = 0
        last = None

    def f(x):
        Owner.count += 1
        Owner.last = [x]
        return Owner.count

    return f, lambda: (Owner.count, Owner.last)


@program(NUMBERS)
def captured_variable_outside():
    kept = None

    def f(x):
        nonlocal kept
        kept = (x, kept)
        return x

    return f, lambda: kept


@program(NUMBERS)
def default_argument_outside():
    def f(x, seen=[]):  # noqa: B006 - as programs have it
        seen.append(x)
        return len(seen)

    return f, lambda: f.__defaults__


@program(NUMBERS)
def default_argument_of_a_new_function():
    kept: list[Any] = []

    def f(x):
        def g(a=x):
            return a

        kept.append(g)
        return g()

    return f, lambda: [g() for g in kept]


# Functions, classes and iterators that live on


@program(NUMBERS)
def closure_kept_outside():
    kept: list[Any] = []

    def f(x):
        kept.append(lambda: x + 1)
        return x

    return f, lambda: [g() for g in kept]


@program(NUMBERS)
def closure_returned():
    kept: list[Any] = []

    def f(x):
        def g(y):
            return x + y

        return g

    return (lambda x: kept.append(f(x))), lambda: [g(1) for g in kept]


@program(NUMBERS)
def partial_kept_outside():
    kept: list[Any] = []

    def f(x):
        kept.append(functools.partial(operator.add, x))
        return x

    return f, lambda: [g(1) for g in kept]


@program(NUMBERS)
def method_kept_outside():
    kept: list[Any] = []

    class Holder:
        def __init__(self, value):
            self.value = value

        def get(self):
            return self.value

    def f(x):
        kept.append(Holder(x).get)
        return x

    return f, lambda: [g() for g in kept]


@program(NUMBERS)
def class_that_captures():
    kept: list[Any] = []

    def f(x):
        class Inner:
            value = x

            def get(self):
                return x + 1

        kept.append(Inner)
        return Inner.value

    return f, lambda: [(inner.value, inner().get()) for inner in kept]


@program(NUMBERS)
def class_that_is_returned():
    def f(x):
        class Inner:
            value = x

        return Inner.value, Inner

    return f, nothing


@program(NUMBERS)
def generator_kept_outside():
    kept: list[Any] = []

    def count(x):
        yield x
        yield x + 1

    def f(x):
        made = count(x)
        first = next(made)
        kept.append(made)
        return first

    return f, lambda: [list(made) for made in kept]


@program(NUMBERS)
def generator_expression_kept_outside():
    kept: list[Any] = []

    def f(x):
        kept.append(v * x for v in (1, 2))
        return x

    return f, lambda: [list(made) for made in kept]


@program(NUMBERS)
def generator_that_is_given_a_value():
    seen: list[Any] = []

    def collect():
        while True:
            seen.append((yield len(seen)))

    made = collect()
    next(made)

    def f(x):
        return made.send(x)

    return f, lambda: seen


@program(NUMBERS)
def iterator_kept_outside():
    kept: list[Any] = []

    def f(x):
        kept.append(iter([x, x + 1]))
        kept.append(map(lambda v: v * 2, [x]))
        kept.append(zip([x], [1]))
        return x

    return f, lambda: [list(made) for made in kept]


@program(NUMBERS)
def accumulation_kept_outside():
    kept: list[Any] = []

    def f(x):
        kept.append(itertools.accumulate([x, x, x]))
        kept.append(itertools.chain([x], (x,)))
        return x

    return f, lambda: [list(made) for made in kept]


@program(NUMBERS)
def instance_that_tells_of_its_end():
    gone: list[Any] = []

    class Ending:
        def __init__(self, value):
            self.value = value

        def __del__(self):
            gone.append(self.value)

    def f(x):
        ending = Ending(x * 2)
        return ending.value

    return f, lambda: gone


@program(NUMBERS)
def function_that_is_called_at_the_end():
    gone: list[Any] = []

    class Item:
        pass

    def f(x):
        item = Item()
        weakref.finalize(item, gone.append, x)
        return x

    return f, lambda: gone


@program(NUMBERS)
def thread_that_keeps():
    kept: list[Any] = []

    def f(x):
        thread = threading.Thread(target=kept.append, args=(x,))
        thread.start()
        thread.join()
        return len(kept)

    return f, lambda: kept


# Exceptions and texts


@program(NUMBERS)
def exception_with_values():
    def f(x):
        raise ValueError("bad", x, [x])

    return f, nothing


@program(NUMBERS)
def exception_with_attributes():
    class Failed(Exception):
        def __init__(self, value):
            super().__init__(f"failed with {value}")
            self.value = value

    def f(x):
        error = Failed(x + 1)
        error.other = [x]
        raise error

    return f, nothing


@program(NUMBERS)
def exception_with_notes_and_cause():
    def f(x):
        try:
            raise KeyError(x)
        except KeyError as error:
            other = RuntimeError(x + 1)
            other.add_note(f"of {x}")
            raise other from error

    return f, nothing


@program(NUMBERS)
def exception_kept_outside():
    kept: list[Any] = []

    def f(x):
        try:
            raise ValueError(x)
        except ValueError as error:
            kept.append(error)
        return x

    return f, lambda: [error.args for error in kept]


@program(NUMBERS)
def write_before_an_exception():
    kept: list[Any] = []

    def f(x):
        kept.append(x)
        try:
            if x > 2:
                raise ValueError(x)
        finally:
            kept.append("end")
        return x

    return f, lambda: kept


@program(NUMBERS)
def printed_texts():
    def f(x):
        print(x, [x], {"k": x}, f"{x:>5}", "%s" % x, "{!r}".format(x), sep=str(x))  # noqa: UP031, UP032 - as programs have it
        sys.stdout.write(str(x) + "\n")
        return repr(x), ascii(x), format(x, ".1f")

    return f, nothing


@program(NUMBERS)
def text_in_a_file():
    file = io.StringIO()

    def f(x):
        print(x, file=file)
        file.write(f"{x}\n")
        return file.tell()

    return f, file.getvalue


@program(NUMBERS)
def text_in_a_log():
    kept: list[Any] = []
    logger = logging.Logger("made here")
    handler = logging.Handler()
    handler.emit = lambda record: kept.append((record.args, record.getMessage()))  # type: ignore[method-assign]
    logger.addHandler(handler)

    def f(x):
        logger.warning("found %s", x)
        return x

    return f, lambda: kept


@program(NUMBERS)
def text_in_a_warning():
    def f(x):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn(f"found {x}", stacklevel=1)
        return [str(warning.message) for warning in caught]

    return f, nothing


@program(NUMBERS)
def texts_of_libraries():
    def f(x):
        return json.dumps({"a": x, "b": [x]}), pickle.loads(pickle.dumps((x, [x]))), copy.deepcopy({"k": [x]})

    return f, nothing


# Results


@program(NUMBERS)
def containers_in_containers():
    def f(x):
        return {"a": [x, (x, {x})], x: frozenset([x])}, collections.deque([x]), collections.Counter([x, x])

    return f, nothing


@program(((2,), (3,), (2,)))
def lazy_results():
    def f(n):
        return range(n), slice(n, None), list(zip(range(n), [n] * n)), tuple(reversed([n, 1]))

    return f, nothing


@program(NUMBERS)
def instances_as_results():
    @dataclass
    class Point:
        x: Any
        rest: list[Any] = field(default_factory=list)

    class Pair(NamedTuple):
        a: Any
        b: Any

    def f(x):
        point = Point(x)
        point.rest.append(x)
        return point, Pair(x, [x]), types.SimpleNamespace(v=x)

    return f, nothing


@program(ARRAYS)
def arrays_as_results():
    kept: list[Any] = []

    def f(x):
        kept.append(x[1:])
        y = np.array([x[0], None], dtype=object)
        return y, x.T, x[0], np.float32(x[1])

    return f, lambda: kept


@program(NUMBERS)
def member_of_an_enumeration():
    class Kind(enum.Enum):
        SMALL = 2
        LARGE = 3

    def f(x):
        Kind.SMALL.seen = x
        return Kind.SMALL

    return f, lambda: Kind.SMALL.seen


# Methods of the user's that Python calls


@program(NUMBERS)
def operators_that_keep():
    seen: list[Any] = []

    class Noting:
        def __add__(self, other):
            seen.append(("add", other))
            return other

        def __eq__(self, other):
            seen.append(("eq", other))
            return True

        __hash__ = None  # type: ignore[assignment]

        def __contains__(self, item):
            seen.append(("in", item))
            return True

        def __getitem__(self, key):
            seen.append(("item", key))
            return key

        def __call__(self, *args, **kwargs):
            seen.append(("call", args, kwargs))
            return args

    noting = Noting()

    def f(x):
        return noting + x, noting == x, x in noting, noting[x], noting[x, 1], noting(x, k=x)

    return f, lambda: seen


@program(NUMBERS)
def attributes_that_are_asked_for():
    seen: list[Any] = []

    class Asked:
        def __getattr__(self, name):
            seen.append(name)
            raise AttributeError(name)

        def __call__(self, x):
            return x

    asked = Asked()

    def f(x):
        kept = [asked], {"k": asked}, asked is None
        return asked(x), getattr(asked, "size", x), hasattr(asked, "shape"), len(kept)

    return f, lambda: seen


@program(NUMBERS)
def context_manager_that_keeps():
    seen: list[Any] = []

    @contextlib.contextmanager
    def noting(x):
        seen.append(x)
        yield x + 1
        seen.append("end")

    def f(x):
        with noting(x) as y:
            seen.append(y)
        return y

    return f, lambda: seen


@program(LISTS)
def key_that_keeps():
    seen: list[Any] = []

    def key(v):
        seen.append(v)
        return -v

    def f(d):
        d.sort(key=key)
        return sorted(d, key=key), max(d, key=key)

    return f, lambda: seen


@program(NUMBERS)
def function_that_is_not_converted():
    seen: list[Any] = []

    @ag.do_not_convert
    def keep(x, rest):
        seen.append((x, rest))
        return len(seen)

    def f(x):
        return keep(x, [x])

    return f, lambda: seen


@program(NUMBERS)
def function_made_by_exec():
    seen: list[Any] = []
    scope: dict[str, Any] = {"seen": seen}
    exec("def keep(x):\n    seen.append(x)\n    return x", scope)
    keep = scope["keep"]

    def f(x):
        return keep(x) + keep([x])[0]

    return f, lambda: seen


@program(NUMBERS)
def subclass_that_registers():
    seen: list[Any] = []

    class Base:
        def __init_subclass__(cls, value=None, **kwargs):
            seen.append(value)

    def f(x):
        class Derived(Base, value=x):
            pass

        return Derived.__name__

    return f, lambda: seen


@program(NUMBERS)
def iterator_of_the_program_that_keeps():
    seen: list[Any] = []

    class Counting:
        def __init__(self, x):
            self.x, self.left = x, 2

        def __iter__(self) -> Iterator[Any]:
            return self

        def __next__(self):
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            seen.append(self.x)
            return self.x

    def f(x):
        return [v + 1 for v in Counting(x)]

    return f, lambda: seen
