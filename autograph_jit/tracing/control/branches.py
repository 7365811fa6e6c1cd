"""Branches: `if` statements, conditional expressions, `and`, `or`, `not`, on Python values and on the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph_jit.ir.graph import Operation, Value
from autograph_jit.ir.types import BOOL
from autograph_jit.tracing.aliasing.journal import write
from autograph_jit.tracing.aliasing.references import InstanceReference
from autograph_jit.tracing.containers.unchanging import Unchanging
from autograph_jit.tracing.control.regions import GetState, SetState, Traced, Unreachable, as_left_by, merged_places, trace_region, value_at
from autograph_jit.tracing.hosting.host_calls import host_bool
from autograph_jit.tracing.joining.descriptions import compose, decompose, describe_as_left, expanded, join
from autograph_jit.tracing.objects.callers_objects import guard_operator, guard_truth
from autograph_jit.tracing.sequences.dynamic import Dynamic, Rowed
from autograph_jit.tracing.sequences.indexed import Indexed
from autograph_jit.tracing.structures.choices import Chosen
from autograph_jit.tracing.structures.demands import Region
from autograph_jit.tracing.values.abstract import Case, Maybe, StagedArray, StagedObject, StagedScalar, check, content_of, may_be_missing
from autograph_jit.tracing.values.alternatives import distribute
from autograph_jit.tracing.values.checks import settle
from autograph_jit.tracing.values.language import language
from autograph_jit.tracing.values.lift import truth
from autograph_jit.tracing.values.trace import active, block_of, constant, current, emit
from autograph_jit.tracing.values.types import ValueType

SEVERAL = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
EMPTY = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."


def predicate(x: Any) -> Value | bool:
    """The truth of a value: a Python bool, or a b1 graph value where only the run knows it."""
    if current() is None:
        return bool(x)
    if isinstance(x, StagedScalar):
        return truth(x)
    if isinstance(x, StagedArray):
        return array_truth(x)
    if isinstance(x, Unchanging):
        return predicate(x.items)
    if isinstance(x, StagedObject):
        return host_bool(bool, x, label="bool", pure=True).value
    if may_be_missing(x):
        return predicate(content_of(x))
    if isinstance(x, Dynamic) and x.dynamic is not None:
        return emit("not_equal", x.length().value, constant(np.int64(0))).result
    if isinstance(x, (Maybe, Chosen)):
        return predicate(distribute(x, staged_bool))
    if isinstance(x, (Indexed, Rowed)):
        return predicate(x.length())
    found = ((name, vars(base)[name]) for name in ("__bool__", "__len__") for base in type(x).__mro__ if name in vars(base))
    name, method = next(found, ("", None))  # not of the class of its class
    kind = x.__class__ if isinstance(x, InstanceReference) else type(x)
    if method is None:
        guard_truth(kind)
    elif hasattr(method, "__code__") and not isinstance(x, Dynamic):
        guard_operator(kind, name)
        return predicate(language.call(method, (x,), None))
    return bool(x)


def staged_bool(x: Any) -> Any:
    """The truth of a value as a Python bool, real or staged."""
    found = predicate(x)
    return found if isinstance(found, bool) else StagedScalar(found, True)


def array_truth(x: StagedArray) -> Value | bool:
    """The truth of an array: of its only element; an error for several, as NumPy raises it."""
    count: Any = 1
    for size in x.shape:
        count = count * size
    if isinstance(count, int):
        if count != 1:
            raise ValueError(SEVERAL if count else EMPTY)
    else:
        check(emit("not_equal", count.value, constant(np.int64(0))).result, ValueError, EMPTY)
        check(emit("equal", count.value, constant(np.int64(1))).result, ValueError, SEVERAL)
    return truth(language.getitem(x, (0,) * x.ndim))


def if_stmt(
    condition: Any, body: Callable[[], Any], orelse: Callable[[], Any], get_state: GetState, set_state: SetState, names: tuple[str, ...]
) -> None:
    """`if condition: body() else: orelse()`."""
    found = predicate(condition)
    if isinstance(found, bool):
        body() if found else orelse()
    else:
        staged_if(found, body, orelse, get_state, set_state)


def in_each_case(cases: list[Case], run: Callable[[Any], Any], get_state: GetState, set_state: SetState, names: tuple[str, ...]) -> None:
    """A statement about a value of which the run decides what it is, for each of its cases in a branch."""
    (holds, value), *others = cases
    if not others:
        run(value())
        return
    if_stmt(holds(), lambda: run(value()), lambda: in_each_case(others, run, get_state, set_state, names), get_state, set_state, names)


def staged_if(condition: Value, body: Callable[[], Any], orelse: Callable[[], Any], get_state: GetState, set_state: SetState) -> None:
    """Trace both branches and join what they leave behind."""
    before = get_state()
    taken, other = (
        trace_region(Region("if"), assuming(condition, holds, settling(arm, get_state, set_state)), get_state, set_state, before)
        for holds, arm in ((True, body), (False, orelse))
    )
    if taken.raised and other.raised:
        emit("cond", condition, regions=[taken.block, other.block], results=())
        raise Unreachable
    places = merged_places(taken, other)
    ends = [(known_flag(condition, True, x, x), known_flag(condition, False, y, y)) for x, y in zip(taken.state, other.state)]
    pairs = [*ends, *((value_at(taken, key, place), value_at(other, key, place)) for key, place in places.items())]
    joined = join_values(condition, taken, other, pairs)
    set_state(tuple(joined[: len(before)]))
    for place, value in zip(places.values(), joined[len(before) :]):
        write(place, value)


def assuming(condition: Value, holds: bool, run: Callable[[], Any]) -> Callable[[], Any]:
    """`run` while the trace knows what the condition is."""

    def run_assuming() -> None:
        trace = active()
        facts, trace.facts = trace.facts, {**trace.facts, **consequences(condition, holds)}
        try:
            run()
        finally:
            trace.facts = facts

    return run_assuming


def settling(run: Callable[[], Any], get_state: GetState, set_state: SetState) -> Callable[[], None]:
    """`run`, after which what it has assigned is what the conditions around leave of several things that it may be."""

    def run_settling() -> None:
        before = get_state()
        run()
        after = get_state()
        found = tuple(settle(x) if isinstance(x, Chosen) and x is not old else x for x, old in zip(after, before))
        if any(x is not old for x, old in zip(found, after)):
            set_state(found)

    return run_settling


def consequences(condition: Value, holds: bool) -> dict[Value, bool]:
    """What follows from a condition: also for the value that it negates."""
    owner = condition.owner
    if isinstance(owner, Operation) and owner.name == "logical_not":
        return {condition: holds, **consequences(owner.operands[0], not holds)}
    return {condition: holds}


def known_flag(condition: Value, holds: bool, held: Any, value: Any) -> Any:
    """`value`, or the bool that it must be: `held` is the flag, or the negation of the flag, that the condition tests."""
    if not isinstance(held, StagedScalar) or not held.weak or held.value.type != BOOL:
        return value
    if held.value is condition:
        return holds
    owner = condition.owner
    if isinstance(owner, Operation) and owner.name == "logical_not" and owner.operands[0] is held.value:
        return not holds
    return value


def join_values(condition: Value, taken: Traced, other: Traced, pairs: list[tuple[Any, Any]]) -> list[Any]:
    """Append the `cond` operation whose results are the joined values; returns their stand-ins."""
    twins = twin_positions(pairs)
    kept = [twin is None and pair[0] is not pair[1] for pair, twin in zip(pairs, twins)]
    found = joined_descriptions(taken, other, [pair if keep else (None, None) for pair, keep in zip(pairs, kept)])
    descriptions = [description if keep else None for description, keep in zip(found, kept)]
    for traced, index in ((taken, 0), (other, 1)):
        if not traced.raised:
            with block_of(active(), traced.block), as_left_by(traced):
                values = [
                    v
                    for description, pair in zip(descriptions, pairs)
                    if description is not None
                    for v in decompose(description, pair[index])
                ]
            traced.block.yields = values
    types = tuple(type_ for description in descriptions if description is not None for type_ in description.parts)
    operation = emit("cond", condition, regions=[taken.block, other.block], results=types)
    results: Iterator[Value] = iter(operation.results)
    joined = [pair[0] if description is None else compose(description, results) for description, pair in zip(descriptions, pairs)]
    return [value if twin is None else joined[twin] for value, twin in zip(joined, twins)]


def twin_positions(pairs: list[tuple[Any, Any]]) -> list[int | None]:
    """For every pair, where the very same two values stood before: two names of one thing stay two names of one thing."""
    first: dict[tuple[int, int], int] = {}
    found = [first.setdefault((id(x), id(y)), position) for position, (x, y) in enumerate(pairs)]
    return [None if twin == position else twin for position, twin in enumerate(found)]


def joined_descriptions(taken: Traced, other: Traced, pairs: list[tuple[Any, Any]]) -> list[ValueType]:
    """The descriptions of values after two paths, of which one may end in an exception."""
    with as_left_by(taken) as written:
        first = [] if taken.raised else [describe_as_left(x, written) for x, _ in pairs]
    with as_left_by(other) as written:
        second = [] if other.raised else [describe_as_left(y, written) for _, y in pairs]
    if taken.raised or other.raised:
        return list(map(expanded, first or second))
    return list(map(join, first, second))


def if_exp(condition: Any, taken: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """`taken() if condition else other()`."""
    found = predicate(condition)
    if isinstance(found, bool):
        return taken() if found else other()
    result: list[Any] = [None]

    def get_state() -> tuple[Any, ...]:
        return (result[0],)

    def set_state(state: tuple[Any, ...]) -> None:
        (result[0],) = state

    def run(arm: Callable[[], Any]) -> Callable[[], None]:
        return lambda: set_state((arm(),))

    staged_if(found, run(taken), run(other), get_state, set_state)
    return result[0]


def and_(*operands: Callable[[], Any]) -> Any:
    """`a and b and ...`: the first false operand, or the last."""
    value = operands[0]()
    if len(operands) == 1:
        return value
    found = predicate(value)
    if isinstance(found, bool):
        return and_(*operands[1:]) if found else value
    return if_exp(StagedScalar(found, True), lambda: and_(*operands[1:]), lambda: value)


def or_(*operands: Callable[[], Any]) -> Any:
    """`a or b or ...`: the first true operand, or the last."""
    value = operands[0]()
    if len(operands) == 1:
        return value
    found = predicate(value)
    if isinstance(found, bool):
        return value if found else or_(*operands[1:])
    return if_exp(StagedScalar(found, True), lambda: value, lambda: or_(*operands[1:]))


def not_(x: Any) -> Any:
    """`not x`."""
    found = predicate(x)
    return not found if isinstance(found, bool) else StagedScalar(emit("logical_not", found).result, True)
