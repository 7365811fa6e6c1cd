"""Values of which the run decides what they are: what is done with one is done with each of its cases, in a branch each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Value
from autograph_jit.tracing.values.abstract import Case, TaggedScalar, Undecided, is_number_of
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import constant, emit

IsOpen = Callable[[Any, Any], bool]  # of a part and what it stands in
Use = Callable[[Any], Any]


def distribute(x: Any, use: Use) -> Any:
    """`use` of each case of x, where the conditions around do not tell which it is."""
    x = settle(x)
    return of_cases(x.__cases__(), use) if isinstance(x, Undecided) else use(x)


def of_cases(cases: list[Case], use: Use) -> Any:
    """`use` of the case whose condition holds."""
    (holds, value), *others = cases
    return language.if_exp(holds(), lambda: use(value()), lambda: of_cases(others, use)) if others else use(value())


def renumbered(number: Value, places: list[int]) -> Value:
    """The number that tells which of several a value is, where each has another place in a longer list."""
    if places == list(range(len(places))):
        return number
    result = constant(np.int64(places[0]))
    for index, place in enumerate(places[1:], 1):
        result = emit("where", is_number_of(number, index).value, constant(np.int64(place)), result).result
    return result


def in_each_kind(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a number first of all: where the path decides its type, the function of each of its types, in a branch."""

    @functools.wraps(function)
    def run(x: Any, *args: Any) -> Any:
        return distribute(x, lambda plain: run(plain, *args)) if isinstance(x, TaggedScalar) else function(x, *args)

    return run


def distribute_in(x: Any, is_open: IsOpen, use: Use, known: Callable[[Any, Any], Any] = lambda part, x: part) -> Any:
    """`use` of x with each part in its tuples, lists, slices and dicts that is open as one of its cases, or as `known(part, x)` has it."""
    part = first_in(x, is_open)
    if part is None:
        return use(x)
    return distribute(known(part, x), lambda case: distribute_in(with_part(x, part, case), is_open, use, known))


def of_each_case(x: Any, use: Use) -> Any:
    """`use` of x with every part of which the run decides what it is as one of its cases."""
    return distribute_in(x, lambda part, _: isinstance(part, Undecided), use)


def first_in(x: Any, is_open: IsOpen, owner: Any = None) -> Any:
    """The first part that is open; None where there is none."""
    if is_open(x, owner):
        return x
    return next((found for part in parts_of(x) if (found := first_in(part, is_open, x)) is not None), None)


def parts_of(x: Any) -> Iterable[Any]:
    """What stands in a tuple, list, slice or dict of known structure."""
    if isinstance(x, slice):
        return x.start, x.stop, x.step
    is_known = isinstance(x, (list, tuple, dict)) and getattr(x, "dynamic", None) is None
    return (x.values() if isinstance(x, dict) else x) if is_known else ()


def with_part(x: Any, old: Any, new: Any) -> Any:
    """x with another part in the place of one; itself where that does not stand in it."""
    if x is old:
        return new
    if first_in(x, lambda part, _: part is old) is None:
        return x
    parts = [with_part(part, old, new) for part in parts_of(x)]
    if isinstance(x, dict):
        return dict(zip(x, parts))
    return slice(*parts) if isinstance(x, slice) else parts if isinstance(x, list) else tuple(parts)
