"""Sets, deques and dicts of the library's classes that converted code makes: real ones, tables of compiled code, or objects of the run."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from autograph_jit.ir.in_c import COUNTED
from autograph_jit.tracing.aliasing.escapes import expect_not_given
from autograph_jit.tracing.containers import deques
from autograph_jit.tracing.containers.deques import kind_of_new, made_deque
from autograph_jit.tracing.containers.entries import is_of_run
from autograph_jit.tracing.containers.frozen_sets import TracedFrozenSet, as_frozen_set, is_pythons
from autograph_jit.tracing.containers.library_dicts import kind_of_dict, made_of_kind
from autograph_jit.tracing.containers.lists import TracedList
from autograph_jit.tracing.containers.outside import expect_known, is_unknown, note_write
from autograph_jit.tracing.containers.set_kinds import kind_for, kind_of_items
from autograph_jit.tracing.containers.sets import TracedSet
from autograph_jit.tracing.containers.view_operators import install as install_view_operators
from autograph_jit.tracing.hosting.host_calls import host_bool, host_effect, host_object
from autograph_jit.tracing.objects.callers_objects import is_of_the_run
from autograph_jit.tracing.sequences.cursors import Cursor
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed, decided
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.demands import demand, keep_at_run_time, stems_from_inputs
from autograph_jit.tracing.structures.made_containers import expect_original
from autograph_jit.tracing.structures.templates import contains_staged
from autograph_jit.tracing.values.abstract import INPLACE_OPERATORS, Staged, StagedObject, StagedScalar
from autograph_jit.tracing.values.faults import acts_for_program
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.trace import Trace, active, current, in_c, user_instruction, user_span
from autograph_jit.tracing.values.types import PYTHON_INT, PYTHON_OBJECT, TableOf, ValueType

METHODS: dict[tuple[type, str], str] = {
    (set, "|"): "update", (set, "&"): "intersection_update", (set, "-"): "difference_update", (set, "^"): "symmetric_difference_update",
    (deque, "+"): "extend",
}  # fmt: skip


def is_of_run_itself(x: Any) -> bool:
    """Whether only the run knows what an iterable gives."""
    is_native = isinstance(x, Rowed) and x.is_native
    return contains_staged(x) or is_native or isinstance(x, Indexed) or isinstance(x, Dynamic) and x.dynamic is not None


def kind_of_content(kind: type, source: Any) -> ValueType:
    """The kind of table for a set, or a Counter, of what an iterable gives."""
    found = kind_of_items(source)
    if not isinstance(found, TableOf):
        return PYTHON_OBJECT
    return found if kind is set else TableOf(found.key, PYTHON_INT, (Counter,))


def made_natively(trace: Trace, kind: type, found: ValueType, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Dynamic | None:
    """A container of the run that compiled code has, of a kind; None where it is Python's."""
    if kind is deque:
        return made_deque(found, key, args)
    if kind is set:
        made = TracedSet.of_kind(found, key)
        if made is not None:
            made.update(*args)
            known = [item for arg in args if isinstance(arg, TracedList) and arg.dynamic is None for item in list.copy(arg)]
            made.shown = (trace.block, *known) if len(args) == len(known) == 1 else None
        return made
    return made_of_kind(kind, found, key, args) if not kwargs else None


def len_of_two(x: Any, y: Any, is_common: bool) -> Any:
    """`len(x & y)`, or `len(x | y)`: of two sets of compiled code without the set."""
    if not (isinstance(x, TracedSet) and isinstance(y, TracedSet) and x.kind == y.kind):
        return language.call(len, (x & y if is_common else x | y,), None)
    with in_c(COUNTED):
        both = language.if_exp(x.length() > y.length(), lambda: y.count_in(x), lambda: x.count_in(y))
    return both if is_common else x.length() + y.length() - both


@acts_for_program
def construct_container(trace: Trace, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A deque, defaultdict, OrderedDict or set made by converted code."""
    span = user_span(2)
    key = trace.occurrence((kind.__name__, span.filename, span.lineno, *user_instruction(2)) if span else (kind.__name__,))
    args = tuple(map(language.collected, args))
    bound = args[1] if len(args) > 1 else kwargs.get("maxlen")
    if kind is deque and isinstance(bound, StagedScalar) and stems_from_inputs(trace, bound):
        args, kwargs = (*(args[:1] or ((),)), demand(bound, "the greatest length")), {}
    made: Any = None
    if decided(trace, key) is None:
        wanted = kind_at_once(kind, args, kwargs, bound)
        made = kind(*args, **kwargs) if wanted is None else None
        if any(contains_staged(item) for item in (made if isinstance(made, (set, dict)) else ())):
            wanted = PYTHON_OBJECT
        if wanted is None:
            trace.outside.made[id(made)] = (made, key, len(trace.regions))
            return made
        trace.take(("dynamic", key, wanted))
    found = decided(trace, key) or PYTHON_OBJECT
    made = made_natively(trace, kind, found, key, args, kwargs)
    return host_object(kind, *args, label=kind.__name__, python_type=kind, **kwargs) if made is None else made


COPIED: dict[type, Any] = {
    set: lambda x: (x,),
    deque: lambda x: (x, x.maxlen),
    Counter: lambda x: (x,),
    OrderedDict: lambda x: (x,),
    defaultdict: lambda x: (x.default_factory, x),
}


def made_here(x: Any) -> Any:
    """What an operator or `copy` has made, of which the trace takes note where it is a container of Python's."""
    trace = current()
    if trace is None or type(x) not in COPIED or id(x) in trace.outside.made:
        return x
    return construct_container(trace, type(x), COPIED[type(x)](x), {})


def kind_at_once(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any], bound: Any) -> ValueType | None:
    """What a container has to be because of what it is made of; None where it may be one that the trace knows."""
    if kind in (set, Counter) and args and not kwargs and is_of_run_itself(args[0]):
        return kind_of_content(kind, args[0])
    if kind is deque and args and is_of_run_itself(args[0]) and not contains_staged((kwargs, args[1:])):
        return kind_of_new(args[0], bound)
    is_of_run = any(isinstance(arg, Staged) or isinstance(arg, Dynamic) and arg.dynamic is not None for arg in args)
    is_open = kind in (Counter, set) and contains_staged(args)
    return PYTHON_OBJECT if is_of_run or is_open or contains_staged(kwargs) else None


def frozen_of_run(trace: Trace, args: tuple[Any, ...]) -> Any:
    """`frozenset(items)` of items that only the run knows; None where it is made as any other object."""
    if len(args) != 1 or isinstance(args[0], TracedFrozenSet) or is_pythons():
        return args[0] if len(args) == 1 and isinstance(args[0], TracedFrozenSet) else None
    source = language.collected(args[0]) if isinstance(args[0], Cursor) else args[0]
    if not is_of_run_itself(source) or not isinstance(kind_of_items(source), TableOf):
        return None if source is args[0] else host_object(frozenset, source, label="frozenset", python_type=frozenset)
    made = construct_container(trace, set, (source,), {})
    return as_frozen_set(made) if isinstance(made, TracedSet) and made.is_native else None


@acts_for_program
def call_known_set(trace: Trace, owner: set[Any], method: str, args: tuple[Any, ...]) -> Any:
    """A method of a set whose items the trace knows."""
    other = next((arg for arg in args if isinstance(arg, TracedSet)), None)
    if other is not None:
        return getattr(other.as_set(owner), method)(*args)
    if method == "discard" and not owner:
        return None  # an item of the run has no hash while tracing
    if any(isinstance(arg, StagedObject) for arg in args):
        run = lambda *given: getattr(given[0], method)(*given[1:])  # noqa: E731
        if method.startswith("is"):
            return host_bool(run, owner, *args, label=f"set.{method}")
        return host_object(run, owner, *args, label=f"set.{method}", python_type=set)
    found = getattr(owner, method)(*args)
    return construct_container(trace, set, (found,), {}) if type(found) is set else found


@acts_for_program
def update_container(symbol: str, owner: Any, value: Any) -> Any:
    """`owner symbol= value` of a real set, deque, dict or list, which stays what it is."""
    operator_ = INPLACE_OPERATORS[symbol]
    if isinstance(owner, (Staged, Dynamic)):
        return operator_(owner, value)
    is_made_here(owner, (), False)
    known = active().outside.made.get(id(owner))
    if known is not None:
        method = METHODS.get((type(owner), symbol), "")
        is_open = isinstance(value, Staged) or is_of_the_run(value) or isinstance(owner, (set, dict)) and contains_staged(value)
        if is_open:
            expect_known(owner, known[1])
            kind = kind_of_owner(owner, (), method, (value,)) if method else None
            keep_at_run_time(active(), known[1], len(active().regions), kind or PYTHON_OBJECT)
        is_made_here(owner, (), True, method, (value,))
        return operator_(owner, value)
    note_write(owner)
    host_effect(operator_, owner, value, label=f"{type(owner).__name__} {symbol}= of an outer container")
    return owner


def kind_of_owner(owner: Any, keys: tuple[Any, ...], method: str, args: tuple[Any, ...]) -> ValueType | None:
    """The kind that a container of known structure becomes by a method; None where nothing is in it, and nothing comes."""
    if type(owner) is deque:
        return deques.kind_for(owner, method, args)
    return kind_for(owner, method, args) if type(owner) is set else kind_of_dict(owner, keys)


def is_made_here(owner: Any, keys: tuple[Any, ...], writes: bool, method: str = "", args: tuple[Any, ...] = ()) -> bool:
    """Whether the trace made this container. Where it is changed in a region around which it was made, or looked up by something
    that only the run knows, it must be kept at run time: a restart. `method` of `args` is what is called."""
    trace = active()
    if writes:
        expect_original(owner)
        expect_not_given(owner)
    if trace.outside.made.get(id(owner)) is None:
        if not is_unknown(owner):
            return False
        trace.outside.made[id(owner)] = (owner, None, 0)
    _, key, depth = trace.outside.made[id(owner)]
    staged_key = any(map(is_of_run, keys[:1]))
    is_open = type(owner) is set and method.endswith("update") and kind_for(owner, method, args) is not None and contains_staged(args)
    if staged_key or is_open or (writes and len(trace.regions) > depth):
        kind = kind_of_owner(owner, keys, method, args)
        if kind is None:  # nothing is in it, and nothing comes
            if staged_key and method == "remove":
                raise KeyError(keys[0])
            return True
        expect_known(owner, key)
        keep_at_run_time(trace, key, len(trace.regions) if staged_key or is_open else depth, kind)
    return True


install_view_operators()
