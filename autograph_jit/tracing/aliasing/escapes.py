"""Instances, lists, dicts, sets and deques that the trace made and Python was given: what goes on there, in a list of the run for
example, is a copy.

Before: `items.append(t)`, where the run keeps `items`, then `t.x = 1` or `return t`: the list has another `t`, as it was before.
After:  where `t` is given for good outside of loops, an object of the run is made of it, which leaves in its place. Where a program changes
        `t` or what may be its copy, gives it once more, or asks which object it is, tracing starts again with the instances of its class
        made by Python when the program runs, or with the list kept there: a reference stays a reference.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

from autograph_jit.errors import ConversionError
from autograph_jit.ir.graph import is_visible
from autograph_jit.tracing.aliasing import identities as aliasing
from autograph_jit.tracing.aliasing.families import decisions_for, expect_alone
from autograph_jit.tracing.aliasing.identities import LOOPS
from autograph_jit.tracing.aliasing.row_classes import class_key
from autograph_jit.tracing.aliasing.shared_objects import expect_unshared, may_be
from autograph_jit.tracing.structures.demands import is_kept
from autograph_jit.tracing.structures.templates import is_made_here
from autograph_jit.tracing.values.own_marks import is_marked
from autograph_jit.tracing.values.trace import MADE_BY_OPERATORS, Restart, Trace, active, current, user_span
from autograph_jit.tracing.values.types import KNOWN, NEVER, PYTHON_OBJECT, ListOf, TableOf, Tuple, ValueType

READING = ("print", "repr", "str", "format", "f-string", "len", "bool")
MAKING = "own object"  # the label of the call that makes an object of the run of what Python is given for good
KEEPING = ("list", "dict", "tuple", "box", MAKING)
HOST_CONTAINERS = (set, deque, Counter, OrderedDict, defaultdict)  # containers of Python's that are none of the trace's
KEEPING_METHODS = ("append", "appendleft", "insert", "setdefault", "add", "put", "heappush", "heapreplace", "heappushpop")
STORES = ("item assignment", "slice assignment", "assignment of attribute")


def note_given(x: Any, label: str, may_return: bool = False) -> None:
    """A value goes to Python, which may keep it, or `may_return` it: an item of what it is given."""
    trace = active()
    is_kept_there = stores_arguments(label) or may_return and label not in READING
    if is_kept_there:
        expect_noted(x)
    if not (is_own_container(x) and is_kept_there or is_made_here(x) and label not in READING):
        return
    if is_container(x):
        expect_alone(x)
        is_callers = x.key is not None and x.key[0] == "argument"
        if holds_lists(x) or is_callers and is_kept_there:
            leave_to_python(trace, x)  # of which Python would have a copy
    merged = x.merged if is_container(x) else None
    if merged is not None and any(is_kept(known) for _, known in merged.writes):
        merged.keep_apart()
    if trace.aliasing.joined.get(id(x)) is x:
        keep_one(x)
    stack = tuple(trace.regions)
    inside = stack[depth_of(trace, x) :]
    is_second = any(map(is_kept, stacks_of(trace, x)))
    if is_second or any(region.kind in LOOPS for region in inside) or (inside and may_be(type(x), trace.aliasing.changed)):
        keep_one(x)
    trace.aliasing.given.setdefault(id(x), (x, []))[1].append(stack)


def becomes_object(x: Any, label: str) -> bool:
    """Whether Python is given a value for good where the program makes it, outside of loops: one object of the run is made of it, which
    stands for it wherever it goes on."""
    trace = active()
    regions = trace.regions
    is_own = is_own_container(x) or is_made_here(x)
    is_given = is_own and stores_arguments(label) and not any(map(is_kept, stacks_of(trace, x)))
    return is_given and depth_of(trace, x) == len(regions) and not any(region.kind in LOOPS for region in regions)


def note_object(x: Any, made: Any) -> None:
    """Remember the object of the run that stands for a value from here on."""
    trace = active()
    trace.aliasing.objects[id(x)] = x, made, tuple(trace.regions)


def object_made_of(x: Any) -> Any:
    """The object of the run that was made of a value when Python was given it; None where there is none that is seen here. Where paths
    meet, their regions are no longer under way, but what is recorded stands in their blocks."""
    trace = active()
    found, made, stack = trace.aliasing.objects.get(id(x), (None, None, ()))
    is_seen = found is x and len(stack) <= len(trace.regions) and all(map(operator.is_, stack, trace.regions))
    return made if is_seen and made is not None and is_visible(trace.block, made.value) else None


def expect_one(x: Any) -> None:
    """A value leaves compiled code, which Python may have been given before: it has to be the same object."""
    trace = active()
    if any(map(is_kept, stacks_of(trace, x))):
        keep_one(x)


def expect_own_container(x: Any) -> None:
    """A container goes on as an object of Python's, which would be a copy of one of the caller's."""
    if x.key is not None and x.key[0] == "argument":
        leave_to_python(active(), x)


def holds_lists(x: Any) -> bool:
    """Whether a value is a list or dict of compiled code that holds lists: where Python is given it, these are copies."""
    if not is_container(x) or not getattr(x, "is_native", False):
        return False
    kind = x.kind
    return is_of_lists(kind.value if isinstance(kind, TableOf) and issubclass(type(x), dict) else kind)


def is_of_lists(kind: Any) -> bool:
    """Whether values of a type are lists, or tuples that hold some."""
    if isinstance(kind, Tuple) or isinstance(kind, ListOf) and kind.made_by is tuple:
        return any(map(is_of_lists, kind.inner if isinstance(kind, ListOf) else kind.items))
    return isinstance(kind, ListOf)


def leave_to_python(trace: Trace, x: Any) -> None:
    """A container has to be one of Python's: the trace goes on where all that it has found so far is the same of others, or it restarts."""
    if any(decision[0] != "dynamic" or decision[2] != PYTHON_OBJECT for decision in trace.recorded.foreseen):
        raise Restart(*decisions_for(x, PYTHON_OBJECT))
    trace.foresee(*decisions_for(x, PYTHON_OBJECT))


def leave_changed(x: Any, label: str) -> None:
    """Python may keep an instance of the caller's, or the dict of one, of which it would be given a copy, with what the program has set."""
    trace = active()
    if label not in READING:
        owner = trace.definitions.instance_dicts[id(x)][1] if id(x) in trace.definitions.instance_dicts else x
        raise Restart(("outside", id(owner)))


def note_write(container: Any, added: ValueType = NEVER) -> None:
    """A list or dict is about to be changed, for items of a type."""
    expect_not_given(container)
    aliasing.note_write(container, added)


def expect_not_given(x: Any) -> None:
    """An instance, list or dict is about to be changed, or told from others."""
    trace = current()
    if trace is None:
        return
    merged = x.merged if is_container(x) else None
    for other in [x] if merged is None else merged.members:
        if any(map(is_kept, stacks_of(trace, other))):
            keep_one(x) if merged is None else merged.keep_apart()


def note_changed(kind: type | None) -> None:
    """An object of the run is about to change, which may be the copy of what the program still has under another name."""
    trace = active()
    expect_unshared({kind})
    trace.aliasing.changed.add(kind)
    given = [(x, stacks) for x, stacks in trace.aliasing.given.values() if may_be(type(x), {kind}) and any(map(is_kept, stacks))]
    keep_one(*(x for x, stacks in given if is_reachable(trace, x, stacks) or has_joined(trace, x)))


def has_joined(trace: Trace, x: Any) -> bool:
    """Whether a value goes on behind the region that made it, joined with others: as a copy."""
    if is_container(x):
        return x.merged is not None and len(x.merged.members) > 1
    return trace.aliasing.joined.get(id(x)) is x


def expect_no_copy(x: Any) -> None:
    """A value is compared by identity with an object of the run, which may be its copy."""
    trace = current()
    if trace is not None and stacks_of(trace, x):
        keep_one(x)


def keep_one(*values: Any) -> None:
    """Trace again with one object of the run in the place of each of these values."""
    if values:
        raise Restart(*map(decision_for, values))


def decision_for(x: Any) -> tuple[Any, ...]:
    """The decision that keeps a value at run time."""
    if is_made_here(x):
        return class_key(type(x))
    key = x.key if is_container(x) else made_under(active(), x)[0]
    if key is None:
        raise ConversionError(
            f"a {type(x).__name__} is changed that is held elsewhere too",
            user_span(),
            "compiled code holds a copy there",
            "change it before it is stored, or use an array",
        )
    return "dynamic", key, KNOWN if getattr(x, "is_data", False) else PYTHON_OBJECT


def stacks_of(trace: Trace, x: Any) -> list[Any]:
    """The regions in which a value was given to Python."""
    found = trace.aliasing.given.get(id(x))
    return found[1] if found is not None and found[0] is x else []


def depth_of(trace: Trace, x: Any) -> int:
    """How many regions enclose the creation of a value."""
    known = trace.created.get(id(x))
    if known is not None:
        return known[1]
    return x.depth + x.is_loop_state if is_container(x) else made_under(trace, x)[1]


def is_reachable(trace: Trace, x: Any, stacks: list[Any]) -> bool:
    """Whether the region that made a value is still being traced: it is not seen behind it."""
    depth = depth_of(trace, x)
    here = trace.regions[:depth]
    return len(here) == depth and any(len(stack) >= depth and all(a is b for a, b in zip(stack, here)) for stack in stacks)


def is_container(x: Any) -> bool:
    """Whether a value is a container of converted code."""
    return is_marked(x, "merged")


def is_own_container(x: Any) -> bool:
    """Whether a value is a container that is no Python object of the run."""
    return x.dynamic is None or getattr(x, "is_native", False) if is_container(x) else made_under(active(), x)[0] is not None


def made_under(trace: Trace, x: Any) -> tuple[Any, int]:
    """The name of the place where a container of known structure was made that is Python's while tracing, as a set is, and how many regions
    enclose it; no name of any other value."""
    found, key, depth = trace.outside.made.get(id(x), (None, None, 0))
    return (key, depth) if found is x else (None, 0)


def expect_noted(x: Any) -> None:
    """A container of Python's that an operator may have made goes to Python: of which the trace does not know where it was made is traced
    again with what operators make taken note of. It would be another object under each of its names."""
    trace = active()
    if type(x) not in HOST_CONTAINERS or made_under(trace, x)[0] is not None or MADE_BY_OPERATORS in trace.decisions:
        return
    if trace.inputs is None or not trace.inputs.is_reached(x):
        raise Restart(MADE_BY_OPERATORS)


def stores_arguments(label: str) -> bool:
    """Whether a host call of this name keeps what it is given."""
    return (
        label in KEEPING
        or any(store in label for store in STORES)
        or (any(word.rpartition(".")[2] in KEEPING_METHODS for word in label.split()))
    )
