"""After each trace: nothing of it may be within the user's reach. What lives on is taken out of what keeps it, which is named.

Every stand-in that a trace makes is known by a weak reference. Ordinarily all are gone with the trace, and that is all that is looked at.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from types import CellType, FrameType, GeneratorType
from typing import Any, Protocol, TypeVar

from autograph_jit.errors import ConversionError, InternalError
from autograph_jit.tracing.values.trace import Tracers

MOST_STEPS, MOST_ROUNDS = 8, 3
MOST_ATTEMPTS, WAIT_SECONDS = 500, 0.002
GENERATIONS = (0, 1, 2)  # of the collector
OTHERS_WAIT = (0.002, 0.01, 0.05)  # seconds before further looks, where there are other threads


class Decided(Protocol):
    """What a trace makes: it knows which decisions it was made with."""

    decisions: frozenset[Any]


Traced = TypeVar("Traced", bound=Decided)
CACHE = functools._lru_cache_wrapper
LINKS: tuple[Any, ...] = (BaseException.__cause__, BaseException.__context__)  # a stand-in has others


def release(error: BaseException) -> None:
    """Let go of what the frames of an exception, and of those that it came from, hold. A frame that is cleared keeps its function, and that
    its variables: of a limit, whose text says all, the frames go too; of anything else the traceback keeps the lines."""
    is_limit = isinstance(error, ConversionError) and not isinstance(error, InternalError)
    left: list[BaseException | None] = [error]
    seen: list[BaseException] = []
    while left:
        found = left.pop()
        if found is not None and not any(found is known for known in seen):
            seen.append(found)
            traceback.clear_frames(found.__traceback__)
            if is_limit:
                found.__traceback__ = None
            left += [link.__get__(found) for link in LINKS]


def living(tracers: Tracers) -> list[Any]:
    """The stand-ins that are not gone; where there are some, after a look at the cycles that they may be parts of, the youngest first.
    Another thread that looks for what it has left may hold any object for a moment."""
    others = OTHERS_WAIT if threading.active_count() > 1 else ()
    for generation, seconds in (*((generation, 0.0) for generation in GENERATIONS), *((GENERATIONS[-1], seconds) for seconds in others)):
        if not any(tracer() is not None for tracer in tracers):
            return []
        if seconds:
            time.sleep(seconds)
        collect(generation)
    return [x for x in (tracer() for tracer in tracers) if x is not None]


def collect(generation: int) -> None:
    """Collect. While another thread does, which lets others run where it calls finalizers, Python returns at once: wait, and ask again,
    until it tells that this thread has collected."""
    thread, done = threading.get_ident(), list[int]()

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and threading.get_ident() == thread and info["generation"] >= generation:
            done.append(generation)

    gc.callbacks.append(note)
    try:
        for _ in range(MOST_ATTEMPTS):
            gc.collect(generation)
            if done:
                return
            time.sleep(WAIT_SECONDS)
    finally:
        gc.callbacks.remove(note)


def without_leaks(trace: Callable[[frozenset[Any], Tracers | None], Traced], initial: frozenset[Any], name: str) -> Traced:
    """What `trace` makes from `initial` decisions. ConversionError where the user could reach a stand-in of that trace: Python shall run
    the function, with nothing of the trace left behind. Stand-ins that the program alone keeps, in a host call, say, go with it, which
    tells them apart; then it is made again."""
    tracers = Tracers()
    try:
        program = trace(initial, tracers)
        if not living(tracers):
            return program
        initial = program.decisions
        del program
        holders = take_out_of_holders(tracers)
        if holders:
            why = f"it is kept by {', '.join(holders)}, which compiled code does not see while the function is traced"
            raise ConversionError(f"a value of the run leaves `{name}`", None, why, "return it, or keep it in a list, dict or attribute")
    except BaseException as error:
        release(error)
        take_out_of_holders(tracers)
        raise
    return trace(initial, None)


def take_out_of_holders(tracers: Tracers) -> list[str]:
    """Take the stand-ins that live on out of what keeps them: a description of each holder; none where nothing lives on."""
    holders: list[str] = []
    for _ in range(MOST_ROUNDS):
        found = living(tracers)
        if not found:
            break
        emptied = empty_holders(found)
        holders += [holder for holder in emptied if holder not in holders]
        if not emptied:
            return holders or ["an object that Python does not show"]
    return holders


def empty_holders(found: list[Any]) -> list[str]:
    """Go outwards from stand-ins to the nearest objects that can let go of them, which do."""
    emptied: list[str] = []
    level, seen = found, [found]
    for _ in range(MOST_STEPS):
        inner = {id(x) for x in level}
        known = {id(x) for part in seen for x in part} | set(map(id, seen))
        outer: list[Any] = []
        seen.append(outer)
        for x in gc.get_referrers(*level):
            if id(x) in known or x is outer or isinstance(x, FrameType):
                continue
            holder = let_go(x, inner)
            emptied += [holder] if holder else []
            outer += [] if holder else [x]
        level = outer
        if not level:
            break
    return emptied


def let_go(x: Any, inner: set[int]) -> str:
    """Take these objects, by their identity, out of one that holds them; what it is, or "" where it cannot let go of them."""
    if type(x) is CACHE:
        x.cache_clear()
        return f"the cache of `{getattr(x, '__name__', 'a function')}`"
    if isinstance(x, dict):
        names = [key for key, value in dict.items(x) if id(value) in inner or id(key) in inner]
        for name in names:
            dict.pop(x, name, None)
        where = "global" if "__builtins__" in x else "entry or attribute"
        return f"the {where} {', '.join(map(text_of_key, names))}" if names else ""
    if isinstance(x, (list, deque)):
        kept = [item for item in x if id(item) not in inner]
        x.clear()
        x.extend(kept)
        return f"a {type(x).__name__}"
    if isinstance(x, set):
        kept = [item for item in x if id(item) not in inner]
        x.clear()
        x.update(kept)
        return "a set"
    if type(x) is CellType:
        del x.cell_contents
        return "a captured variable"
    if isinstance(x, GeneratorType):
        x.close()
        return f"the generator `{x.__name__}`"
    return empty_slots(x, inner)


def empty_slots(x: Any, inner: set[int]) -> str:
    """Take objects out of the slots of an instance, and out of a function's defaults."""
    names = [name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ()) if id(getattr(x, name, None)) in inner]
    names += [name for name in ("__defaults__", "__kwdefaults__") if id(getattr(x, name, None)) in inner]
    for name in names:
        with contextlib.suppress(AttributeError, TypeError):
            delattr(x, name)
    return f"the attribute {', '.join(names)} of {type(x).__name__}" if names else ""


def text_of_key(key: Any) -> str:
    """A name or another key as part of a message."""
    return f"`{key}`" if isinstance(key, str) else type(key).__name__
