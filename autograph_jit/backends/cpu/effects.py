"""Checks and exceptions, and what counts."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from autograph_jit.backends.cpu.alternatives import emit_alternatives
from autograph_jit.backends.cpu.call_counts import HOST_CALLS, add_to, counter
from autograph_jit.backends.cpu.control.catching import MADE, UNSEEN
from autograph_jit.backends.cpu.control.counting import distance_of, range_of
from autograph_jit.backends.cpu.control.deferral import next_check
from autograph_jit.backends.cpu.emitter import PENDING, Emitter
from autograph_jit.backends.cpu.host import call_python
from autograph_jit.backends.cpu.rules import rule
from autograph_jit.backends.cpu.signatures import I1, I64
from autograph_jit.backends.cpu.values import Emitted, dtype_of
from autograph_jit.ir.graph import Operation
from autograph_jit.ir.types import ScalarType
from autograph_jit.ops.effects import ask


@rule("check")
def emit_check(e: Emitter, operation: Operation) -> list[Emitted]:
    ok = condition_of(e, operation)
    waiting = e.deferred.pop(operation, [])
    if has_numbers(operation):
        following = next_check(e, operation) if e.retreat is None and e.afterwards is None else None
        if following is not None and has_numbers(following):
            e.deferred[following] = [*waiting, lambda: check_numbers(e, operation)]
            e.postponed[following] = e.b.and_(ok, e.postponed.pop(operation, I1(1)))
        else:
            check_all(e, operation, e.b.and_(ok, e.postponed.pop(operation, I1(1))), waiting)
        return []
    for check in waiting:
        check()
    e.operation = operation
    failing, passed = e.block("fails"), e.block("ok")
    e.b.cbranch(ok, passed, failing)
    e.b.position_at_end(failing)
    raise_in_python(e, operation)
    e.b.position_at_end(passed)
    return []


def condition_of(e: Emitter, check: Operation) -> ir.Value:
    """What must hold; true where ranges, or a look in front of a loop, tell that it does."""
    is_covered = e.afterwards is not None and check in e.afterwards.covered
    if is_covered or check in e.assured or e.ranges.is_surely_nonzero(check.operands[0], check):
        return I1(1)
    return e.get(check.operands[0])


def has_numbers(check: Operation) -> bool:
    """Whether the exception is made of numbers."""
    return all(isinstance(value.type, ScalarType) for value in check.operands)


def check_all(e: Emitter, operation: Operation, ok: ir.Value, waiting: list[Callable[[], None]]) -> None:
    """Fail unless `ok`, which is the operation's condition with those of the checks that wait for it: the first one that does not hold."""
    if not waiting:
        check_numbers(e, operation)
        return
    suspect, passed = e.block("suspect"), e.block("ok")
    e.b.cbranch(ok, passed, suspect).set_weights([1 << 20, 1])
    e.b.position_at_end(suspect)
    for check in (*waiting, lambda: check_numbers(e, operation)):
        check()
    e.b.branch(passed)
    e.b.position_at_end(passed)


def check_numbers(e: Emitter, operation: Operation) -> None:
    e.operation = operation
    spec, ok = operation.attributes["error"], condition_of(e, operation)
    e.guard(ok, lambda *numbers: spec.build(numbers), *((e.get(value), dtype_of(value)) for value in operation.operands[1:]))


@rule("tally")
def emit_tally(e: Emitter, operation: Operation) -> list[Emitted]:
    """Add one, or the trips of a loop, to a number in the program's memory; of two threads at a time one may be missed. A
    function is told the first number of its own."""
    number = operation.attributes["number"]
    if "callee" in operation.attributes:
        e.counted[operation.attributes["callee"]] = number
        return []
    e.tallies.add(number)
    add_to(e, tally_name(number), counted_trips(e, operation))
    return []


@rule("host_calls")
def emit_host_calls(e: Emitter, operation: Operation) -> list[Emitted]:
    return [e.b.load(counter(e, HOST_CALLS), typ=I64)]


@rule("ask_to_leave")
def emit_ask_to_leave(e: Emitter, operation: Operation) -> list[Emitted]:
    """An iteration is counted, and Python is asked where that is due."""
    iterations, asks_at, before, _ = (e.get(value) for value in operation.operands)
    begun, calls = e.b.add(iterations, I64(1)), e.b.sub(e.b.load(counter(e, HOST_CALLS), typ=I64), before)
    fn = operation.attributes["fn"]

    def by_python() -> list[Emitted]:
        found = call_python(e, operation, lambda iterations, asks_at, _, length: ask(fn, iterations, asks_at, length), operation.name)
        e.host_calls.pop()
        return found

    return emit_alternatives(e, operation, e.b.icmp_signed("<", calls, asks_at), lambda *_: (I1(1), [begun, asks_at, I1(1)]), by_python)


def tally_name(number: int) -> str:
    """The name of the memory of a tally."""
    return f"tally{number}"


def counted_trips(e: Emitter, tally: Operation) -> ir.Value:
    """What a tally adds."""
    if not tally.operands:
        return I64(1)
    over = range_of(e, *(e.get(bound) for bound in tally.operands))
    return over.trips or e.maximum(distance_of(e, over, over.start, over.stop), I64(0))


@rule("raise_")
def emit_raise(e: Emitter, operation: Operation) -> list[Emitted]:
    spec = operation.attributes.get("error")
    if spec is not None and all(isinstance(value.type, ScalarType) for value in operation.operands):
        e.fail(lambda *numbers: spec.build(numbers), *((e.get(value), dtype_of(value)) for value in operation.operands))
        return []
    if operation in e.told:
        (site,) = e.told[operation]
        is_made, unmade = e.block("made"), e.block("unmade")
        e.b.cbranch(e.b.icmp_signed("==", site, I64(MADE)), is_made, unmade)
        e.b.position_at_end(unmade)
        e.leave(site)
        e.b.position_at_end(is_made)
    raise_in_python(e, operation)
    return []


def raise_in_python(e: Emitter, operation: Operation) -> None:
    """Let the operation's eager rule raise, for messages with objects; ends the block."""
    if e.is_caught() and not operation.deoptimizes and not e.handlers[-1].needs_exception(operation):
        e.unwind(UNSEEN)
        return
    attributes, eager = dict(operation.attributes), operation.opdef.eager
    call_python(e, operation, lambda *objects: eager(*objects, **attributes), operation.name)
    e.leave(PENDING)
