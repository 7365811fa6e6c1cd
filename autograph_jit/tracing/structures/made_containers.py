"""Dicts, lists, sets and deques of any class with given content, texts and numbers of a user's class: without constructor or methods."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.tracing.plain.calls import NEVER_CONVERTED
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import Restart, current, user_span

BASES: tuple[Any, ...] = (defaultdict, OrderedDict, Counter, dict, deque, list, set, tuple, frozenset)  # narrower classes first


VALUES: dict[type, Callable[[Any], Any]] = {  # what a text or number is without its class
    str: str.__str__, bytes: bytes.__bytes__, int: int.__int__, float: float.__float__, complex: complex.__complex__,
}  # fmt: skip


def value_factory(x: Any) -> Callable[[Any], Any] | None:
    """What makes another text or number of a user's class like this one, without its attributes; None for anything else."""
    base: Any = next((base for base in VALUES if isinstance(x, base)), None)
    if base is None or type(x) in VALUES or type(x).__module__ in NEVER_CONVERTED:
        return None
    return lambda values: base.__new__(type(x), VALUES[base](x))


def is_own_copy(x: Any) -> bool:
    """Whether something that a trace has made is to be made by every run: a text or number of a user's class, a library's object with
    lists and dicts that are the trace's own."""
    parts = getattr(x, "__dict__", {}).values() if type(x).__new__ is object.__new__ else ()  # type: ignore[comparison-overlap]
    return value_factory(x) is not None or any(is_marked(part, "dynamic") for part in parts)


def without_place(x: Any) -> Any:
    """Refuse an iterator written in C: its place is that of all runs, and what it goes through may be the trace's."""
    if isinstance(x, Iterator) and type(x).__module__ in ("builtins", "itertools"):
        why, remedy = "its place would go on from call to call", "return a list of its items, or give the items themselves"
        raise ConversionError(f"this {type(x).__name__} leaves the compiled function, or is given to Python", user_span(), why, remedy)
    return x


def is_for_the_run(x: Any) -> bool:
    """Whether an argument is an object of the run: an exception, a source of random numbers, a text, number or tuple of a class that may
    give it attributes and methods of its own."""
    if isinstance(x, (BaseException, np.random.BitGenerator, np.random.SeedSequence)):
        return True
    if isinstance(x, tuple) and hasattr(x, "_make") and getattr(x, "__dict__", None):  # which was given attributes
        return True
    if not isinstance(x, (*VALUES, tuple)) or isinstance(x, (np.generic, Enum)) or hasattr(x, "_make"):
        return False
    return type(x) not in (*VALUES, bool, tuple)


def library_base(kind: Any) -> Any:
    """The container of the library that a user's class derives from; None for any other class."""
    if kind.__module__ in NEVER_CONVERTED or hasattr(kind, "_make"):
        return None
    return next((base for base in BASES if issubclass(kind, base)), None)


def made_like(x: Any, base: Any, content: Iterable[Any]) -> Any:
    """A container of the class of x, which derives from `base`, with these items, or pairs of a dict."""
    if base in (tuple, frozenset):
        return base.__new__(type(x), content)
    made = base.__new__(type(x))
    if base is deque:
        deque.__init__(made, content, x.maxlen)
    elif not issubclass(base, dict):
        base.__init__(made, content)
    else:
        dict.__init__(made)
        if base is defaultdict:
            defaultdict.__init__(made, x.default_factory)
        for key, value in content:
            base.__setitem__(made, key, value)
    return made


def dict_factory(x: dict) -> Callable[[Any], dict]:
    """A function from pairs to a dict of the same kind."""
    kind: Callable[..., dict] = getattr(type(x), "__rebuilt_type__", type(x))
    base = library_base(type(x))
    if base is not None:
        return lambda pairs: made_like(x, base, pairs)
    if hasattr(x, "default_factory"):
        return lambda pairs: kind(x.default_factory, pairs)
    return (lambda pairs: kind(dict(pairs))) if isinstance(x, Counter) else kind


def sequence_factory(x: Any) -> Callable[[Iterable[Any]], Any]:
    """A function from items to a list, tuple, set or deque of the same kind."""
    base = library_base(type(x))
    if base is not None:
        return partial(made_like, x, base)
    if isinstance(x, deque):
        return partial(type(x), maxlen=x.maxlen)
    kind = getattr(type(x), "__rebuilt_type__", type(x))
    return getattr(kind, "_make", kind)


def known_inside(x: Any, depth: int = 3) -> Iterator[Any]:
    """The containers among the items of a container, and among theirs."""
    for item in (x.values() if isinstance(x, dict) else x) if depth else ():
        if type(item) in BASES:
            yield item
            yield from known_inside(item, depth - 1)


def expect_original(x: Any) -> None:
    """A container is changed, given away or told from others: it is no copy of some of the caller's, which are objects of the run then."""
    trace = current()
    if trace is None or trace.outside.copies.get(id(x)) is not x:
        return
    callers = [each for each in trace.outside.joined.values() if trace.inputs is not None and trace.inputs.is_reached(each)]
    if callers:
        raise Restart(*map(trace.inputs.decision_to_change, callers))
