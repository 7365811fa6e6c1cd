"""Objects of the caller's under two names: one under which the trace knows their attributes, and one that only the run knows.

Before: `part = parts[k]; part.x = 1; return first.x`, where Python keeps `parts`, and the trace has read `first.x`
After:  where `first` can be reached from `parts`, both are objects of the run: the trace starts again
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from enum import Enum
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph_jit.errors import ConversionError
from autograph_jit.ir.opdef import Effect
from autograph_jit.tracing.structures.getters import Applied, Getter
from autograph_jit.tracing.structures.guards import CONSTANT, LIBRARY_CONSTANTS
from autograph_jit.tracing.structures.templates import fields_of, is_user_instance
from autograph_jit.tracing.values.abstract import Maybe
from autograph_jit.tracing.values.trace import Restart, Trace, active, current, user_span

CODE = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType, Enum, partial)
WITHOUT_ATTRIBUTES = (*CONSTANT, *CODE, *LIBRARY_CONSTANTS, np.dtype, np.ufunc, np.ndarray, range)
HOLDING = (list, tuple, set, frozenset, deque)
MOST_LOOKED_AT = 1000  # things, beyond which all may be reached


def note_shared(x: Any, getter: Getter) -> None:
    """Python code is given an object of the caller's, or a container: it, and what can be reached from it, may be changed there."""
    active().aliasing.shared.roots.setdefault(id(x), (x, getter))


def expect_not_shared(x: Any) -> None:
    """An instance of the caller's is about to be changed by the trace: Python code that can reach the object has to see the change."""
    trace = current()
    if trace is not None and is_user_instance(x) and is_looked_into(trace, x) and is_shared(trace, x):
        leave_to_run(trace, [x])


def expect_unshared(kinds: Collection[type | None]) -> None:
    """An object of the run of one of these classes changes: where it may be one of the caller's that the trace knows, that belongs to the
    run."""
    trace = active()
    if trace.inputs is None or not trace.aliasing.shared.roots:
        return
    origins = [x for x, *_ in trace.inputs.origins.values() if may_be(type(x), kinds)]
    found = [x for x in origins if (is_user_instance(x) or type(x) in (list, dict)) and is_looked_into(trace, x) and is_shared(trace, x)]
    if found:
        leave_to_run(trace, found)


def is_looked_into(trace: Trace, x: Any) -> bool:
    """Whether the trace looks into an object of the caller's."""
    return trace.inputs is not None and trace.inputs.is_reached(x) and ("outside", id(x)) not in trace.decisions


def is_shared(trace: Trace, x: Any) -> bool:
    """Whether an object can be reached from one that Python code was given; that it cannot is guarded."""
    shared = trace.aliasing.shared
    if not shared.roots:
        return False
    if shared.walked < len(shared.roots):
        shared.reachable, shared.walked = few_reachable(*(root for root, _ in shared.roots.values())), len(shared.roots)
    is_apart = shared.reachable is not None and id(x) not in shared.reachable
    if is_apart:
        shared.apart[id(x)] = x
    return not is_apart


def guard_apart(inputs: Any) -> None:
    """Guard that objects which the trace looks into, after a change too, cannot be reached from what Python code is given."""
    shared = inputs.trace.aliasing.shared
    expect_unshared(inputs.trace.aliasing.changed)
    for x, staged, decision, _ in inputs.read_in if shared.roots else ():
        if may_differ_elsewhere(inputs.trace, staged) and is_shared(inputs.trace, x):
            raise Restart(decision)
    apart = {number: x for number, x in shared.apart.items() if ("outside", number) not in inputs.trace.decisions}
    known_inside = [x for x in apart.values() if is_user_instance(x) or type(x) in (list, dict) and is_looked_into(inputs.trace, x)]
    given_later = [x for x in known_inside if is_shared(inputs.trace, x)]
    if given_later:
        leave_to_run(inputs.trace, given_later)
    getters = {id(x): getter for x, _, _, getter in inputs.read_in} | {number: getter for number, (_, getter, _) in inputs.origins.items()}
    known = [getters[number] for number in apart if number in getters]
    if known:
        asked = (*(getter for _, getter in shared.roots.values()), *known)
        text = "what Python changes is none of the objects whose attributes are inputs"
        inputs.guard(Applied(partial(are_unshared, len(shared.roots)), asked), "value", True, text)


def may_differ_elsewhere(trace: Trace, staged: Any) -> bool:
    """Whether a container that was read in may be changed by the program, or an object of the run by Python code."""
    parts = staged.native.parts if getattr(staged, "native", None) is not None else ()
    if trace.aliasing.changed or getattr(staged, "merged", None) is not None or not parts:
        return True
    writing = (operation for operation in trace.graph.walk() if operation.opdef.effect is not Effect.PURE)
    return any(part in operation.operands for operation in writing for part in parts)


def are_unshared(count: int, *objects: Any) -> bool:
    """Whether none of some objects can be reached from the first `count` of them."""
    found = few_reachable(*objects[:count])
    return found is not None and found.keys().isdisjoint(map(id, objects[count:]))


def leave_to_run(trace: Trace, found: list[Any]) -> None:
    """Trace again with objects of the caller's, and those that can be reached from them, as ones that only the run knows."""
    decisions = {("outside", number) for number, x in reachable(*found).items() if is_looked_into(trace, x)}
    if not decisions:
        kind = type(found[0])
        raise ConversionError(
            f"an object of class {kind.__name__} is changed that is either one from outside or one made here",
            user_span(),
            "only the run knows which it is, and the attributes of the one from outside are kept in compiled code",
            "change the object in each branch, or pass both as arguments",
        )
    raise Restart(*decisions)


def reachable(*objects: Any) -> dict[int, Any]:
    """The containers, and the users' instances, that can be reached from objects, by identity."""
    found = {id(x): x for x in objects}
    for _ in reaching(found):
        pass
    return found


def few_reachable(*objects: Any) -> dict[int, Any] | None:
    """The same; None where that takes a look at more than some things."""
    found, looked_at = {id(x): x for x in objects}, len(objects)
    for count in reaching(found):
        looked_at += count
        if looked_at > MOST_LOOKED_AT:
            return None
    return found


def reaching(found: dict[int, Any]) -> Iterator[int]:
    """Add to these objects what can be reached from them. Before each is looked into, how many things it holds."""
    waiting = list(found.values())
    for each in waiting:
        fields, items = (fields_of(each) or {}).values(), items_of(each)
        yield len(fields) + len(items)
        parts = [part.content if isinstance(part, Maybe) else part for part in (*fields, *items)]
        new = {id(part): part for part in parts if id(part) not in found and not isinstance(part, WITHOUT_ATTRIBUTES)}
        found.update(new)
        waiting += new.values()


def items_of(x: Any) -> Any:
    """The items of a list, tuple, set or deque, the values of a dict, whatever its class; nothing of anything else."""
    if isinstance(x, dict):
        return dict.values(x)
    kind: Any = next((kind for kind in HOLDING if isinstance(x, kind)), None)
    return () if kind is None else x if type(x) is kind else tuple(kind.__iter__(x))


def may_be(kind: type, changed: Collection[type | None]) -> bool:
    """Whether an object of one of these classes may be one of this class; None stands for any."""
    kind = getattr(kind, "__rebuilt_type__", kind)
    return any(other is None or issubclass(kind, other) or issubclass(other, kind) for other in changed)
