"""Python's builtins that iterate over stand-ins or collect their items: range, enumerate, zip, map, filter, next, list, tuple, sorted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.in_c import GATHERED, MERGED, SEARCHED
from autograph_jit.library.python import orders
from autograph_jit.library.python.generated import called_until, enumerate_generator, map_generator, zip_generator, zip_iterators
from autograph_jit.tracing.aliasing.journal import creation_depth
from autograph_jit.tracing.containers.dict_tables import DictReference
from autograph_jit.tracing.containers.dicts import TracedDict
from autograph_jit.tracing.containers.entries import are_pairs_of_run
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.native_lists import as_array, holds_whole_numbers
from autograph_jit.tracing.containers.outside import contents_of, looked_through, note_read
from autograph_jit.tracing.containers.table_views import TableView
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.control.branches import if_exp
from autograph_jit.tracing.control.generators import StagedGenerator, start
from autograph_jit.tracing.control.in_order import items_in_order, watched
from autograph_jit.tracing.control.kept_generators import keep_all, keep_instead
from autograph_jit.tracing.control.loops import for_stmt
from autograph_jit.tracing.control.user_iterators import is_read_by_number, is_user_iterator, iterator_of
from autograph_jit.tracing.expressions.calls import BUILTINS, call
from autograph_jit.tracing.expressions.chosen_arguments import is_one_of_instances
from autograph_jit.tracing.expressions.register import MISSING, builtin, convert_on_call, present
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.objects.descriptors import method_in_python
from autograph_jit.tracing.sequences.cursors import Cursor, cursor, parts_of
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed, common_kind, is_comparable, position
from autograph_jit.tracing.sequences.indexed import (
    UNNUMBERED,
    Elements,
    Enumerated,
    Indexed,
    Mapped,
    Reversed,
    Unnumbered,
    Zipped,
    indexed,
    is_staged_iterable,
)
from autograph_jit.tracing.sequences.operand_texts import text_with_stand_ins
from autograph_jit.tracing.sequences.ranges import make_range
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.texts.constants import expect_data
from autograph_jit.tracing.values.abstract import Staged, StagedObject, StagedScalar, Undefined, may_be_missing
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import active, emit, in_c, user_span

FEW_COMPARED = 6  # ints of known places that are sorted by comparing neighbours


@builtin(range)
def staged_range(start: Any, stop: Any = MISSING, step: Any = MISSING, /) -> Any:
    args = (part for part in (start, stop, step) if part is not MISSING)
    return make_range(*(present(arg) for arg in args))


@builtin(enumerate)
def staged_enumerate(x: Any, start: Any = 0) -> Any:
    x, start = parts_of(iterator_of(present(x))), position(start)
    if isinstance(x, (StagedGenerator, Cursor)) or is_user_iterator(x):
        return enumerate_generator(x, start)
    if isinstance(x, StagedObject):
        x = iterate_object(x)
    x = looked_through(x)
    source = indexed(x) if is_staged_iterable(x) or isinstance(x, np.ndarray) else None
    return Enumerated(source, start) if source is not None else enumerate(watched(x), start)


def gone_through(x: Any) -> Any:
    """The iterator of an object whose class has one in Python, the items of one that has them by number; anything else as it is."""
    return collected(x) if is_read_by_number(x) else iterator_of(x)


@builtin(zip)
def staged_zip(*sources: Any, strict: bool = False) -> Any:
    items = [iterate_object(x) if isinstance(x, StagedObject) else looked_through(parts_of(gone_through(present(x)))) for x in sources]
    if any(isinstance(x, Cursor) or is_user_iterator(x) for x in items):
        if not strict:
            return zip_iterators(items)
        items = [collected(x) for x in items]
    zipped = zip_generator(items) if not strict else None
    if zipped is not None:
        return zipped
    keep_all(items)
    if not any(is_staged_iterable(x) or isinstance(x, np.ndarray) for x in items) or strict:
        return zip(*map(watched, items), strict=strict)
    found = [indexed(x) for x in items]
    if None not in found:
        return Zipped(tuple(found))  # type: ignore[arg-type]
    if any(isinstance(x, StagedGenerator) for x in items) or all(source is None or isinstance(source.length(), int) for source in found):
        return zip(*(source if source is not None else item for source, item in zip(found, items)))
    return zip_iterators([Unnumbered(x) if isinstance(x, UNNUMBERED) else x for x in items])


@builtin(reversed)
def staged_reversed(x: Any) -> Any:
    x = present(x)
    if isinstance(x, TracedList) and x.dynamic is None:
        return reversed(list(x))
    if isinstance(x, StagedObject):
        return cursor(iterate_object(host_object(in_reverse, x, label="reversed", python_type=list)))
    x = looked_through(x)
    source = indexed(x) if is_staged_iterable(x) or isinstance(x, np.ndarray) else None
    if source is not None:
        return Reversed(source)
    if isinstance(x, StagedScalar):
        raise TypeError(text_with_stand_ins(reversed, x))
    method = method_in_python(x, "__reversed__")
    if method is not None:
        return call(method, (x,), None)
    if method_in_python(x, "__len__") and method_in_python(x, "__getitem__") and not hasattr(type(x), "__reversed__"):
        return staged_map(lambda place: language.getitem(x, place), make_range(call(len, (x,), None) - 1, -1, -1))
    return reversed(x)


def in_reverse(x: Any) -> list[Any]:
    """The items of an object of the run, the last one first."""
    return list(reversed(x))


@builtin(map)
def staged_map(function: Any, source: Any, *others: Any, strict: bool = False) -> Any:
    if strict and others:
        return map_generator(function, source, *others, strict=True)
    sources = tuple(iterate_object(x) if isinstance(x, StagedObject) else parts_of(iterator_of(x)) for x in (source, *others))
    found = [indexed(x) for x in sources]
    if all(source is not None for source in found):
        return Mapped(function, tuple(found))  # type: ignore[arg-type]
    return map_generator(function, *sources)


def selected(function: Callable[[Any], Any] | None, source: Any) -> Iterator[Any]:
    """`filter(function, source)`."""
    for item in source:
        if function(item) if function is not None else item:
            yield item


@builtin(filter)
def staged_filter(function: Any, source: Any) -> Any:
    return start(selected, (function, iterate_object(source) if isinstance(source, StagedObject) else source), {})


def collect(source: Any) -> TracedList:
    """The items of any iterable, in a list of converted code."""
    source = looked_through(present(source))
    note_read(source)
    expect_data(source)
    if isinstance(source, Rowed) and source.is_native:
        return source.listed()
    if isinstance(source, StagedObject):
        source = iterate_object(source)
    if isinstance(source, TracedList) and source.is_native:
        return source[:]  # type: ignore[no-any-return]
    result = TracedList.made([])
    if isinstance(source, (list, tuple, dict, str)) and not (isinstance(source, Dynamic) and source.dynamic is not None):
        result.extend(list(source))
    else:
        with in_c(active().calls.for_c or (GATHERED if isinstance(source, Indexed) else None)):
            for_stmt(source, None, result.append, lambda: (), lambda state: None, ())
    return result


def collected(x: Any) -> Any:
    """The items of a generator, or of an object whose class iterates in Python, in a list; anything else as it is."""
    if is_one_of_instances(x):
        return distribute(x, collect)
    if isinstance(x, Cursor):
        left = x.rest()
        if isinstance(left, Elements):
            return left.source
        return collect(left) if isinstance(left, Indexed) else left
    if isinstance(x, TableView) and x.is_native:
        return x.listed()
    iterates = method_in_python(x, "__iter__") is not None or is_read_by_number(x)
    return collect(x) if isinstance(x, StagedGenerator) or iterates else x


@builtin(list)
def staged_list(source: Any = ()) -> Any:
    return collect(source)


@builtin(dict)
def staged_dict(*args: Any, **kwargs: Any) -> Any:
    args = tuple(arg.copy() if isinstance(arg, DictReference) else contents_of(collected(arg)) for arg in args)
    for arg in args:
        note_read(arg)
    if args and isinstance(args[0], TracedDict) and args[0].is_native:
        made = args[0].plain_copy()
        made.update(kwargs)
        return made
    if args and isinstance(args[0], TracedDict) and args[0].dynamic is not None:
        args = (args[0].dynamic, *args[1:])
    if args and are_pairs_of_run(args[0]):
        made = TracedDict.made({})
        with in_c(active().calls.for_c or GATHERED):
            language.for_each(args[0], lambda pair: made.__setitem__(*pair))
        made.update(kwargs)
        return made
    if args and isinstance(args[0], TracedList) and args[0].dynamic is not None:
        args = (host_object(list, args[0].listed(), label="list", python_type=list), *args[1:])
    if args and isinstance(args[0], StagedObject):
        return host_object(dict, *args, label="dict", python_type=dict, **kwargs)
    return TracedDict.made(dict(*args, **kwargs))


def from_keys(keys: Any, value: Any = None) -> dict[Any, Any]:
    made = {}
    for key in keys:
        made[key] = value
    return made


BUILTINS[dict.fromkeys] = convert_on_call(from_keys)


class ComparisonKey:
    """`functools.cmp_to_key(compare)`; of numbers of the run it is only known to `sorted`."""

    def __init__(self, compare: Any) -> None:
        self.compare = compare

    def __call__(self, item: Any) -> Any:
        if contains_staged(item):
            raise ConversionError(
                "a key of `functools.cmp_to_key` for a value of the run",
                user_span(),
                "it is an object that only Python can compare",
                "give it to `sorted` as `key=`, or compare by calling the function",
            )
        return functools.cmp_to_key(self.compare)(item)


@builtin(functools.cmp_to_key)
def staged_cmp_to_key(mycmp: Any) -> Any:
    return ComparisonKey(mycmp)


def sort_by_comparison(items: Any, compare: Any, reverse: Any) -> list[Any]:
    """The items in the order that a function of two of them tells."""
    return sorted(items, key=functools.cmp_to_key(compare), reverse=reverse)


@builtin(sorted)
def staged_sorted(source: Any, *, key: Any = None, reverse: Any = False) -> Any:
    with in_c(MERGED):
        items = collect(source)
    if isinstance(reverse, StagedScalar):
        sorted((), reverse=reverse.python_type())  # Python's own error where it takes no number of this type
    if isinstance(reverse, Staged):
        ways = [functools.partial(staged_sorted, items, key=key, reverse=way) for way in (True, False)]
        return language.if_exp(language.call(bool, (reverse,), None), *ways)
    if isinstance(key, ComparisonKey) and contains_staged(items):
        made = TracedList()
        made.key, made.depth = items.key, len(active().regions)
        part = items if items.dynamic is None else items.listed()
        made.dynamic = host_object(sort_by_comparison, part, key.compare, reverse, label="sorted", python_type=list)
        return made
    ranks = items
    if not contains_staged(items):
        known = list.copy(items)
        keys = known if key is None else [call(key, (item,), None) for item in known]
        if not any(map(contains_staged, keys)):
            return TracedList.made([known[place] for place in sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)])
        ranks = TracedList.made(keys)
    elif key is not None:
        ranks = TracedList.made([])

        def rank(item: Any) -> None:
            found = call(key, (item,), None)
            with in_c(None if isinstance(found, tuple) else SEARCHED):  # a tuple has to be made
                ranks.append(found)

        with in_c(SEARCHED):
            for_stmt(items, None, rank, lambda: (), lambda state: None, ())
    if items is ranks:
        for sort in (sorted_alike, sorted_few):
            if (alike := sort(items, reverse)) is not None:
                return alike
    made = TracedList()
    made.key, made.depth = items.key, len(active().regions)
    native = items.as_native()
    if native is not None:
        made.become(native.kind)
        native.copy_to(made.native, orders.places_of(ranks, reverse))
    else:
        sources = [part if part.dynamic is None else part.listed() for part in (items, ranks)]
        made.dynamic = host_object(sort_by, *sources, reverse, label="sorted", python_type=list)
    return made


def sorted_alike(items: TracedList, reverse: Any) -> TracedList | None:
    """A sorted list of ints or letters of the run, of which those that are equal are the same; None for other lists."""
    if not items.is_native or not isinstance(reverse, (bool, int)) or not holds_whole_numbers(items.kind):
        return None
    made = TracedList()
    made.key, made.depth = items.key, len(active().regions)
    made.become(items.kind)
    codes = language.call(orders.sorted_codes, (as_array(items.native.parts[0]),), None)
    emit("list_extend", made.native.parts[0], (codes[::-1] if reverse else codes).value)
    return made


def sorted_few(items: TracedList, reverse: Any) -> TracedList | None:
    """The same of a few ints that stand in a list of known length, or two floats: by comparing neighbours."""
    known = list.copy(items)
    if items.dynamic is not None or not isinstance(reverse, (bool, int)) or len(known) > FEW_COMPARED:
        return None
    kind = common_kind(known)
    if kind is None or kind.number is None or not is_comparable(kind) and (len(known) != 2 or reverse or kind.number[0].kind != "f"):
        return None
    if kind.number[0].kind == "f":
        first, second = known
        turned = language.compare("<", second, first)
        return TracedList.made(list(language.if_exp(turned, lambda: (second, first), lambda: (first, second))))
    for end in range(len(known) - 1, 0, -1):
        for place in range(end):
            pair = known[place], known[place + 1]
            known[place], known[place + 1] = call(min, pair, None), call(max, pair, None)
    return TracedList.made(known[::-1] if reverse else known)


def sort_by(items: Any, ranks: Any, reverse: Any) -> list[Any]:
    """The items in the order of their ranks."""
    if ranks is items:
        return sorted(items, reverse=reverse)
    values = list(items)
    return [values[place] for place in orders.places_in_order(ranks, reverse)]


@acts_for_program
@builtin(iter)
def staged_iter(source: Any, *sentinel: Any) -> Any:
    return start(called_until, (source, *sentinel), {}) if sentinel else iter(source)


@builtin(next)
def staged_next(iterator: Any, *default: Any) -> Any:
    if isinstance(iterator, StagedGenerator) and iterator.lazy is None:
        return first_of_generator(iterator, *default)
    if isinstance(iterator, Iterator):
        expect_made_here(iterator)
    elif isinstance(iterator, StagedScalar):
        raise TypeError(f"'{iterator.type_name}' object is not an iterator")
    elif isinstance(iterator, StagedObject):
        return host_object(next, iterator, *default, label="next")
    else:
        raise TypeError(text_with_stand_ins(next, iterator))
    return next(iterator, *default)


def expect_made_here(iterator: Any) -> None:
    """An iterator whose position the trace cannot take back must not be advanced in a branch or loop of the run."""
    trace = active()
    if len(trace.regions) > max(creation_depth(trace, iterator), 0):
        keep_instead(getattr(iterator, "function", None))
        raise ConversionError(
            f"this {type(iterator).__name__} is advanced in a branch or loop that only the run decides",
            user_span(2),
            "its frame is Python's, which cannot be taken back while the program is traced",
            "collect its items in a list first",
        )


def first_of_generator(generator: StagedGenerator, *default: Any) -> Any:
    """`next` of a generator that has given nothing yet: it ends behind its first item."""
    found: Any = Undefined("item")

    def set_state(state: tuple[Any, ...]) -> None:
        nonlocal found
        (found,) = state

    for_stmt(generator, lambda: False, lambda item: set_state((item,)), lambda: (found,), set_state, ("item",))
    if may_be_missing(found):
        content = found.content
        return if_exp(found.present, lambda: content, lambda: nothing_there(default))
    return nothing_there(default) if isinstance(found, Undefined) else found


def nothing_there(default: tuple[Any, ...]) -> Any:
    """The default of `next`, or StopIteration."""
    if default:
        return default[0]
    raise StopIteration


def iterate_object(x: StagedObject) -> Any:
    """A run-time object as something to iterate: a run-time list of its items."""
    if isinstance(x, Unchanging):
        return x.listed()
    made = TracedList()
    made.depth = len(active().regions)
    made.dynamic = x if x.python_type is list else host_object(items_in_order, x, label="list", python_type=list)
    return made
