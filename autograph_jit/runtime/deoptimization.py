"""Exits to Python: a call that fails before it has done anything is made again by the user's function, which raises as Python does.

Before::                                              After::

    %bad: b1 = less(%n, %zero)                            %bad: b1 = less(%n, %zero)
    cond(%bad) do () {                                    cond(%bad) do () {
        %text: object = host_call(%n)                         raise_()  (it deoptimizes)
        %error: object = host_call(%text)                 } do () {
        raise_(%error)                                        yield
    } do () {                                             }
        yield
    }

To make an exception with the user's lines takes compiled code ten microseconds, and Python half of one. The exits are those that no loop
and no work on arrays comes before; nothing before them writes to memory that was there before the call, draws random numbers, or calls
code that does more than read.
"""

from __future__ import annotations

import numpy as np

from autograph_jit.errors import BEYOND_TEXTS, NONE_IS_NO_OPERAND, AutographJitError, Deoptimized
from autograph_jit.ir.builder import append
from autograph_jit.ir.graph import Block, Graph, Operation, literal_of, walk_block
from autograph_jit.ir.opdef import ErrorSpec
from autograph_jit.ops.registry import get
from autograph_jit.runtime.costs import RAISED, cost_of
from autograph_jit.runtime.effects import Acting
from autograph_jit.runtime.exits import writes_back
from autograph_jit.tracing.hosting.local_calls import may_differ
from autograph_jit.transforms.tallies import LOOPS, is_scan

FAILING = ("raise_", "check", "load", "list_get", "list_set", "list_pop", "list_take", "host_call")
OWN_TEXTS = (*BEYOND_TEXTS, NONE_IS_NO_OPERAND)
LEFT = ErrorSpec(Deoptimized, "")
MOST_SECONDS = RAISED.compiled  # that Python takes again before an exit: to make the exception takes as long
LONGEST_SECONDS = 0.1e-6  # of one operation: longer ones may take much longer


def leave_early_exits(graph: Graph) -> None:
    """Mark what deoptimizes where it fails; blocks that only raise there do nothing else any more."""
    mark(graph.block, Acting(graph), 0.0)


def mark(block: Block, acting: Acting, spent: float) -> float | None:
    """Mark the exits of a block before which Python has `spent` so many seconds; the seconds behind it, None where no later exit is
    early."""
    if block.terminated and is_exit(block.operations[-1]) and not any(map(acting.acts, walk_block(block))):
        leave_at_once(block)
        return spent
    for operation in block.operations:
        found = behind(operation, acting, spent)
        if found is None:
            return None
        spent = found
    return spent


def behind(operation: Operation, acting: Acting, spent: float) -> float | None:
    """The seconds behind an operation, which is marked where it is an exit."""
    if operation.name == "try_":
        return mark(operation.regions[0], acting, spent) if writes_back(operation) else None
    if operation.name == "cond":
        after = [mark(region, acting, spent) for region in operation.regions]
        going_on = [found for region, found in zip(operation.regions, after) if not region.terminated]
        return max(going_on) if going_on and None not in going_on else None  # type: ignore[type-var]
    if operation.name == "for_loop" and not is_scan(operation):
        leave_first_trips(operation, acting)
        return None
    seconds = cost_of(operation).python
    is_long = seconds >= LONGEST_SECONDS or spent + seconds > MOST_SECONDS or operation.regions and not is_scan(operation)
    if is_long or acting.acts(operation):
        return None
    if is_exit(operation):
        operation.deoptimizes, operation.unwind = True, []
    return spent + seconds


def is_exit(operation: Operation) -> bool:
    """Whether an operation can raise what Python would raise there."""
    error, attributes = operation.attributes.get("error"), operation.attributes
    if operation.name not in FAILING or not operation.can_fail or attributes.get("beyond"):
        return False
    is_own = "fn" in attributes and may_differ(attributes["fn"])
    is_own |= error is not None and (issubclass(error.exception, AutographJitError) or error.template.startswith(OWN_TEXTS))
    return not is_own


def leave_at_once(block: Block) -> None:
    """Let a block raise without making an exception."""
    last = block.operations[-1]
    leaving = Operation(last.opdef, [], {"error": LEFT}, [], last.span)
    leaving.block, leaving.deoptimizes = block, True
    block.operations, block.terminated = [leaving], True


def leave_first_trips(loop: Operation, acting: Acting) -> None:
    """Let the blocks of a loop without inner loops that raise an exception made by Python do so at once in the trips that Python has soon
    made again."""
    (body,) = loop.regions
    step, parts = literal_of(loop.operands[2]), list(walk_block(body))
    again = [cost_of(part).python for part in parts if not part.block.terminated]  # type: ignore[union-attr]
    longest = max(again, default=0.0)
    if step is None or longest >= LONGEST_SECONDS or any(part.name in (*LOOPS, "try_") or acting.acts(part) for part in parts):
        return
    trips = int(MOST_SECONDS / sum(again, 1e-9))
    for part in parts:
        for block in part.regions if trips else ():
            if block.terminated and is_exit(block.operations[-1]) and block.operations[-1].attributes["error"] is None:
                leave_before(block, loop, trips * step)


def leave_before(block: Block, loop: Operation, distance: int) -> None:
    """Let a block in a loop raise without making an exception where the index is less than this distance from the start."""
    early, late, apart = Block(block), Block(block), Block()
    late.operations, late.terminated = late.adopt(block.operations), True
    early.operations = late.operations[-1:]
    leave_at_once(early)
    index, start = loop.regions[0].args[0], loop.operands[0]
    end = append(apart, get("add"), [start, append(apart, get("constant"), [], {"value": np.int64(distance)}).result]).result
    is_early = append(apart, get("less"), [index, end] if distance > 0 else [end, index]).result
    choice = Operation(get("cond"), [is_early], {"results": ()}, [early, late], late.operations[-1].span)
    block.operations = block.adopt([*apart.operations, choice])
