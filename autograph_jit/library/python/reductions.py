"""Python's builtins that fold an iterable of stand-ins into one value: any, all, min, max, reduce, accumulate."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.in_c import SEARCHED
from autograph_jit.library.python.generated import makes_items
from autograph_jit.tracing.arrays import ufuncs
from autograph_jit.tracing.containers.outside import items_of_any, looked_through
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.control.branches import if_exp, not_, staged_bool
from autograph_jit.tracing.control.generators import start
from autograph_jit.tracing.control.loops import for_stmt
from autograph_jit.tracing.expressions.calls import call
from autograph_jit.tracing.expressions.comparison import compare
from autograph_jit.tracing.expressions.register import MISSING, builtin
from autograph_jit.tracing.functions.callbacks import is_users
from autograph_jit.tracing.hosting.host_calls import host_object
from autograph_jit.tracing.numbers import scalars
from autograph_jit.tracing.plain.python_texts import text_of
from autograph_jit.tracing.sequences.cursors import cursor
from autograph_jit.tracing.sequences.indexed import indexed, is_staged_iterable
from autograph_jit.tracing.sequences.ranges import StagedRange
from autograph_jit.tracing.values.abstract import StagedArray, StagedObject, StagedScalar, TaggedScalar
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import is_number, is_weak, lift_number, scalar
from autograph_jit.tracing.values.trace import emit, in_c


def reduce_items(source: Any, step: Callable[[Any, Any], Any], initial: Any) -> Any:
    """Fold an iterable, staged or not."""
    total = [initial]

    def set_state(state: tuple[Any, ...]) -> None:
        (total[0],) = state

    def body(item: Any) -> None:
        total[0] = step(total[0], item)

    for_stmt(source, None, body, lambda: (total[0],), set_state, ("total",))
    return total[0]


@builtin(any)
def staged_any(source: Any) -> Any:
    return reduce_until(source, True)


@builtin(all)
def staged_all(source: Any) -> Any:
    return reduce_until(source, False)


def reduce_until(source: Any, stop: bool) -> Any:
    """Whether some item has the truth `stop`: iteration ends there."""
    found: list[Any] = [not stop]

    def set_state(state: tuple[Any, ...]) -> None:
        (found[0],) = state

    def body(item: Any) -> None:
        found[0] = staged_bool(item)

    def go_on() -> Any:
        return not_(found[0]) if stop else found[0]

    for_stmt(source, go_on, body, lambda: (found[0],), set_state, ("found",))
    return found[0]


@builtin(functools.reduce)
def staged_reduce(function: Any, source: Any, *initial: Any) -> Any:

    def step(total: Any, item: Any) -> Any:
        return call(function, (total, item), None)

    def empty() -> Any:
        raise TypeError("reduce() of empty iterable with no initial value")

    if source is None or is_number(source):
        raise TypeError("reduce() arg 2 must support iteration")
    if initial:
        return reduce_items(source, step, initial[0])
    source = looked_through(language.collected(source))
    found = indexed(source) if is_staged_iterable(source) else None
    if found is not None and not isinstance(found.length(), int):
        return fold_indexed(found, lambda rest: reduce_items(rest, lambda total, k: step(total, found.item(k)), found.item(0)), empty)
    items = list(source)
    return reduce_items(items[1:], step, items[0]) if items else empty()


def fold_indexed(source: Any, fold: Callable[[Any], Any], empty: Callable[[], Any]) -> Any:
    """What `fold` makes of the first item and of the others, whose indices it is given; `empty()` where there are none."""
    length = source.length()
    rest = StagedRange(1, length, 1, length - 1) if not isinstance(length, int) else range(1, length)
    return if_exp(compare(">", length, 0), lambda: fold(rest), empty)


def accumulated(source: Any, function: Callable[[Any, Any], Any]) -> Iterator[Any]:
    """`itertools.accumulate(source, function)`."""
    items = iter(source)
    for first in items:
        total = first
        yield total
        for item in items:
            total = function(total, item)
            yield total


def accumulated_in_one_loop(source: Any, function: Callable[[Any, Any], Any]) -> Iterator[Any]:
    """The same of what gives its items to one loop alone."""
    total, begun = None, False
    for item in source:
        total = function(total, item) if begun else item
        begun = True
        yield total


def accumulated_from(source: Any, function: Callable[[Any, Any], Any], total: Any) -> Iterator[Any]:
    """`itertools.accumulate(source, function, initial=total)`."""
    yield total
    for item in source:
        total = function(total, item)
        yield total


@builtin(itertools.accumulate)
def staged_accumulate(source: Any, function: Any = operator.add, *, initial: Any = None) -> Any:
    if not makes_items(source):
        source = looked_through(language.collected(source))
    found = indexed(source)
    if makes_items(source) or is_users(function) or found is not None and not isinstance(found.length(), int):
        if initial is not None:
            return start(accumulated_from, (source, function, initial), {})
        return start(accumulated if found is not None else accumulated_in_one_loop, (source, function), {})
    totals: list[Any] = [] if initial is None else [initial]
    for item in source:
        totals.append(item if not totals else call(function, (totals[-1], item), None))
    return cursor(totals, "itertools.accumulate")


def empty_text(function: Callable[[Any], Any]) -> str:
    """What this Python says about the extremum of nothing; 3.12 changed the words."""
    try:
        return str(function(()))
    except ValueError as error:
        return str(error)


def best(symbol: str, args: tuple[Any, ...], key: Any, default: Any) -> Any:
    """min and max: the first of equals stays."""
    if len(args) == 1:
        items = language.collected(args[0])
        if isinstance(items, Unchanging):
            items = items.listed()
        if isinstance(items, StagedObject) and key is None and default is MISSING:
            return host_object(max if symbol == ">" else min, items, label="max" if symbol == ">" else "min")
        items = language.iterate(items) if isinstance(items, StagedObject) else looked_through(items)
        if isinstance(items, (StagedArray, np.ndarray)) or is_staged_iterable(items):
            with in_c(SEARCHED):
                return best_of_indexed(symbol, indexed(items), key, default)
        items = items_of_any(items)
    else:
        items = list(args)
    if not args:
        raise TypeError(text_of(max if symbol == ">" else min))
    if not items:
        if default is MISSING:
            raise ValueError(empty_text(max if symbol == ">" else min))
        return default
    if key is not None:
        return best_by_key(symbol, items[0], items[1:], key)
    result = items[0]
    for item in items[1:]:
        result = better(symbol, result, item)
    return result


def best_by_key(symbol: str, first: Any, rest: Any, key: Any, item: Callable[[Any], Any] = lambda entry: entry) -> Any:
    """The item whose key is best; the key of every item is asked for once."""

    def step(leader: Any, entry: Any) -> Any:
        candidate = item(entry)
        rank = call(key, (candidate,), None)
        return if_exp(compare(symbol, rank, leader[1]), lambda: (candidate, rank), lambda: leader)

    return reduce_items(rest, step, (first, call(key, (first,), None)))[0]


def better(symbol: str, old: Any, new: Any) -> Any:
    """The better of two."""
    wins = compare(symbol, new, old)
    simple = all(isinstance(x, (StagedScalar, int, float, np.number)) and not isinstance(x, TaggedScalar) for x in (old, new))
    if isinstance(wins, StagedScalar) and simple and is_weak(old) == is_weak(new) and ufuncs.dtype_of(old) == ufuncs.dtype_of(new):
        dtype = ufuncs.dtype_of(old)
        bits = max(scalars.bits_of(x) if is_weak(x) and dtype.kind == "i" else 64 for x in (old, new))
        return scalar(emit("where", wins.value, lift_number(new, dtype), lift_number(old, dtype)).result, is_weak(old), bits=bits)
    return if_exp(wins, lambda: new, lambda: old)


def best_of_indexed(symbol: str, source: Any, key: Any, default: Any) -> Any:
    """min and max over a staged iterable."""

    def fold(rest: Any) -> Any:
        if key is not None:
            return best_by_key(symbol, source.item(0), rest, key, source.item)
        return reduce_items(rest, lambda total, index: better(symbol, total, source.item(index)), source.item(0))

    def empty() -> Any:
        if default is MISSING:
            raise ValueError(empty_text(max if symbol == ">" else min))
        return default

    return fold_indexed(source, fold, empty)


@builtin(min)
def staged_min(*args: Any, key: Any = None, default: Any = MISSING) -> Any:
    return best("<", args, key, default)


@builtin(max)
def staged_max(*args: Any, key: Any = None, default: Any = MISSING) -> Any:
    return best(">", args, key, default)
